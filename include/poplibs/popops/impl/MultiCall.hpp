// Several slices of a table, or of each of several tables.
#pragma once

#include <popops/impl/SliceEmit.hpp>
#include <popops/impl/SliceOptions.hpp>

#include <functional>

namespace cottonwood::popops::detail {

using ::poplar::Tensor;

/// Lookups and updates of several slices, their arguments checked.
struct MultiCall {
  Tensor table;   ///< [groups...] + shape
  Tensor slices;  ///< [groups..., N] + the shape of a slice; invalid for lookups
  Tensor offsets; ///< [groups..., N, dims.size()] UNSIGNED_INT
  Sizes dims, sizes;
  bool grouped = false;
  SliceOptions options;
  SliceWay way;

  Sizes shape() const { // of one table
    Sizes const all = table.shape();
    return {all.begin() + (grouped ? 1 : 0), all.end()};
  }
  std::size_t groups() const { return grouped ? table.dim(0) : 1; }
  std::size_t lookups() const { return offsets.dim(grouped ? 1 : 0); }
  static Tensor groupOf(Tensor const &t, bool grouped, std::size_t g) { return grouped ? t[g] : t; }
};

/// Of the slices of a call.
POP_INLINE Sizes slicesShape(MultiCall const &call);

/// One job a group; for one sliced dimension.
POP_INLINE std::vector<SliceJob> jobsOf(MultiCall const &call);

/// each(n's slices, n's offsets, program) for all n, in order: unrolled if there are few, else in a
/// loop. `slices` are read, or written with writeBack.
POP_INLINE void forSlices(
    ::poplar::Graph &graph, Tensor const &slices, Tensor const &offsets, bool writeBack,
    ::poplar::program::Sequence &prog, ::poplar::DebugContext const &di,
    std::function<void(Tensor const &, Tensor const &, ::poplar::program::Sequence &)> const &each);

/// Makes and fills the slices.
POP_API POP_INLINE Tensor multiLookup(::poplar::Graph &graph, MultiCall call,
                                      ::poplar::program::Sequence &prog,
                                      ::poplar::DebugContext const &di);

/// Overwrites the table with the slices, in order.
POP_API POP_INLINE void multiOverwrite(::poplar::Graph &graph, MultiCall call,
                                       ::poplar::program::Sequence &prog,
                                       ::poplar::DebugContext const &di);

} // namespace cottonwood::popops::detail
