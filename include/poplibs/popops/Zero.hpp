#include <popops/impl/Config.hpp>
#ifndef POPOPS_ZERO_HPP
#define POPOPS_ZERO_HPP

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <vector>

namespace popops {

/// Sets elements to 0: fill with 0, in the same forms.
POP_API void zero(poplar::Graph &graph, poplar::Tensor t,
                  std::vector<poplar::Interval> const &tileRegions, unsigned tile,
                  poplar::ComputeSet zeroCS);
POP_API void zero(poplar::Graph &graph, poplar::Tensor const &t, unsigned tile,
                  poplar::ComputeSet zeroCS);
POP_API void zero(poplar::Graph &graph, poplar::Tensor const &t,
                  std::vector<std::vector<poplar::Interval>> const &mapping,
                  poplar::ComputeSet zeroCS);
POP_API void zero(poplar::Graph &graph, poplar::Tensor const &t, poplar::program::Sequence &prog,
                  poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
