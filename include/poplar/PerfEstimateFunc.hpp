// Performance estimates of vertices.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_PERFESTIMATEFUNC_HPP
#define POPLAR_PERFESTIMATEFUNC_HPP

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

/// What one run of a vertex's compute() costs. Used for profiles only, never for results.
struct VertexPerfEstimate {
  VertexPerfEstimate() : cycles(0), flops(0) {}
  VertexPerfEstimate(std::uint64_t numCycles, std::uint64_t numFlops = 0)
      : cycles(numCycles), flops(numFlops) {}
  std::uint64_t cycles; ///< processor cycles
  std::uint64_t flops;  ///< floating-point operations
};

/// Estimates a vertex from its field sizes and initial values.
using PerfEstimateFunc =
    std::function<VertexPerfEstimate(VertexIntrospector const &v, Target const &target)>;

} // namespace poplar

#endif
