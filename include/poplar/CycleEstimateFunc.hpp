// The older form of a performance estimator: cycles alone.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_CYCLEESTIMATEFUNC_HPP
#define POPLAR_CYCLEESTIMATEFUNC_HPP

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

using CycleEstimateFunc =
    std::function<std::uint64_t(VertexIntrospector const &v, Target const &target)>;

} // namespace poplar

#endif
