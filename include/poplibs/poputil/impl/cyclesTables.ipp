#pragma once

#include <poputil/cyclesTables.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace poputil {
namespace internal {

POP_INLINE void registerPerfFunctions(poplar::Graph &graph, PerfEstimatorTable const &table) {
  for (auto const &entry : table)
    graph.registerPerfEstimator(entry.first, entry.second);
}

POP_INLINE std::uint64_t getUnpackCost(poplar::layout::Vector const layout) {
  using poplar::layout::Vector;
  switch (layout) {
  case Vector::Span:
  case Vector::OnePtr:
    return 0;
  case Vector::ScaledPtr32:
  case Vector::ScaledPtr64:
  case Vector::ScaledPtr128:
    return 2;
  case Vector::ShortSpan:
    return 4;
  case Vector::NotAVector:
    break;
  }
  cottonwood::base::fail<poplibs_error>("poputil::getUnpackCost", "the layout is ",
                                        poplar::layout::to_string(layout), "; it must be a vector");
}

POP_INLINE std::uint64_t getUnpackCost(poplar::layout::VectorList const layout) {
  using poplar::layout::VectorList;
  switch (layout) {
  case VectorList::OnePtr:
    return 0;
  case VectorList::ScaledPtr32:
  case VectorList::ScaledPtr64:
  case VectorList::ScaledPtr128:
    return 2;
  case VectorList::DeltaN:
  case VectorList::DeltaNElements:
    return 4;
  case VectorList::NotAVector:
    break;
  }
  cottonwood::base::fail<poplibs_error>("poputil::getUnpackCost", "the layout is ",
                                        poplar::layout::to_string(layout),
                                        "; it must be a list of vectors");
}

POP_INLINE std::uint64_t getVectorListDeltaUnpackCost(poplar::layout::VectorList const layout) {
  using poplar::layout::VectorList;
  if (layout == VectorList::DeltaN)
    return 3; // mask, shift, add to the base
  if (layout == VectorList::DeltaNElements)
    return 4; // and a shift from elements to bytes
  cottonwood::base::fail<poplibs_error>("poputil::getVectorListDeltaUnpackCost", "the layout is ",
                                        poplar::layout::to_string(layout),
                                        "; it must be DeltaN or DeltaNElements");
}

} // namespace internal
} // namespace poputil
