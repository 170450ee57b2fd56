#pragma once
// Moves a view to other variables: what clone() does with the storage behind a tensor.

#include <cstdint>
#include <vector>

#include <poplar/Type.hpp>
#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/graph/View.hpp>

namespace cottonwood::graph {

/// A stretch of storage and the place that takes its role.
struct Relocated {
  VarId var;
  std::uint64_t begin, size;
  VarId newVar;
  std::uint64_t newBegin;
};

/// The storage that a view uses: disjoint maximal stretches, ordered by variable and position.
/// newVar and newBegin are 0.
POP_API std::vector<Relocated> usedStorage(View const &view);

/// The same view of the new places. `places` are ordered by (var, begin) and hold all that the view
/// uses. Blocks that stay within one stretch stay blocks, and so do those of which rows at equal
/// distances go to places at equal distances.
POP_API View relocate(View const &view, poplar::Type type, std::vector<Relocated> const &places,
                      MetadataId metadata = kNoMetadata);

} // namespace cottonwood::graph
