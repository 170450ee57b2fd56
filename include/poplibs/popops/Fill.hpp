#include <popops/impl/Config.hpp>
#ifndef POPOPS_FILL_HPP
#define POPOPS_FILL_HPP

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <vector>

// Sets elements to a value, converted to the element type. FillValueType is double, float, int,
// unsigned, long long or unsigned long long. The compute set forms add vertices on the tile given,
// or on those of a mapping.
//
// All throw poputil::poplibs_error on types that have no such value, and on a tensor (the form of
// regions: on regions) with aliases or constants.

namespace popops {

/// \param tileRegions  intervals of the flattened t.
template <typename FillValueType>
POP_API void fill(poplar::Graph &graph, poplar::Tensor t,
                  std::vector<poplar::Interval> const &tileRegions, unsigned tile,
                  poplar::ComputeSet fillCS, FillValueType fillValue);
template <typename FillValueType>
POP_API void fill(poplar::Graph &graph, poplar::Tensor const &t, unsigned tile,
                  poplar::ComputeSet fillCS, FillValueType fillValue);
template <typename FillValueType>
POP_API void fill(poplar::Graph &graph, poplar::Tensor const &t,
                  std::vector<std::vector<poplar::Interval>> const &mapping,
                  poplar::ComputeSet fillCS, FillValueType fillValue);
template <typename FillValueType>
POP_API void fill(poplar::Graph &graph, poplar::Tensor const &t, poplar::program::Sequence &prog,
                  FillValueType fillValue, poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
