// Slices as vertices.
#pragma once

#include <codelets/popops/MultiUpdateOpKernel.hpp>
#include <popops/impl/SliceLayout.hpp>

#include <poplar/DebugContext.hpp>
#include <poplar/Program.hpp>

#include <optional>

namespace cottonwood::popops {

/// Slices of one table in one dimension.
struct SliceJob {
  ::poplar::Tensor table;   ///< any shape
  ::poplar::Tensor slices;  ///< [N] + the table's shape with another size at `dim`
  ::poplar::Tensor offsets; ///< [N] UNSIGNED_INT
  std::size_t dim = 0;
  /// In memory the slices are [.., N, ..] with N at the place of `dim`: makeGathered(). For
  /// lookups.
  bool gathered = false;
};

/// How vertices treat offsets, and how they are split on tiled targets.
struct SliceWay {
  unsigned flags = 0; ///< SliceOptions::vertexFlags()
  std::size_t serialSplit = 1, parallelSplit = 1;
  bool isPlanned = false; ///< the table lies as a plan wants it
};

/// What updates do with the rows; without an operation they overwrite them.
struct SliceCombination {
  std::optional<kernels::SliceOp> op;
  ::poplar::Tensor scale; ///< one element, for ADD
};

/// A new tensor of slices, [numSlices] + sliceShape(table), where the vertices of a lookup write
/// it: at the tiles of the columns if each of them holds all rows, else spread evenly.
POP_API POP_INLINE ::poplar::Tensor makeSlices(::poplar::Graph &graph,
                                               ::poplar::Tensor const &table, Sizes const &dims,
                                               Sizes const &sizes, std::size_t numSlices,
                                               ::poplar::DebugContext const &debugContext);

/// A new tensor like the table with numSlices indices in dimension `dim`, and its view as
/// `slices` of a lookup of size 1.
struct Gathered {
  ::poplar::Tensor result, slices;
};
POP_API POP_INLINE Gathered makeGathered(::poplar::Graph &graph, ::poplar::Tensor const &table,
                                         std::size_t dim, std::size_t numSlices,
                                         ::poplar::DebugContext const &debugContext);

/// Fills the slices of all jobs, side by side. Offsets out of range give zeros.
POP_API POP_INLINE void emitLookups(::poplar::Graph &graph, std::vector<SliceJob> const &jobs,
                                    SliceWay const &way, ::poplar::program::Sequence &prog,
                                    ::poplar::DebugContext const &debugContext);

/// Updates the tables of all jobs from their slices. Offsets out of range do nothing.
POP_API POP_INLINE void emitUpdates(::poplar::Graph &graph, std::vector<SliceJob> jobs,
                                    SliceCombination combination, SliceWay const &way,
                                    ::poplar::program::Sequence &prog,
                                    ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::popops
