// What the functions on slices share: checks of offsets, and code that stops the program on bad
// ones.
#pragma once

#include <popops/impl/SliceEmit.hpp>
#include <popops/impl/SliceOptions.hpp>

namespace cottonwood::popops {

/// The offsets as UNSIGNED_INT. \throws poputil::poplibs_error  of another type than that and INT
POP_API POP_INLINE ::poplar::Tensor unsignedOffsets(char const *where, char const *name,
                                                    ::poplar::Tensor const &offsets);

/// With options.validate: stops the program when offsets[.., k] is out of range for dimension
/// dims[k] of the shape.
POP_API POP_INLINE void emitValidation(::poplar::Graph &graph, ::poplar::Tensor const &offsets,
                                       Sizes const &shape, Sizes const &dims,
                                       SliceOptions const &options,
                                       ::poplar::program::Sequence &prog,
                                       ::poplar::DebugContext const &debugContext);

/// output = the slice of t at `offset` ([dims.size()], unsigned); dims is not empty.
POP_API POP_INLINE void emitSlice(::poplar::Graph &graph, ::poplar::Tensor const &output,
                                  ::poplar::Tensor const &t, ::poplar::Tensor const &offset,
                                  Sizes const &dims, Sizes const &sizes, unsigned flags,
                                  ::poplar::program::Sequence &prog,
                                  ::poplar::DebugContext const &debugContext);

/// The slice of t at `offset` = s.
POP_API POP_INLINE void emitUpdate(::poplar::Graph &graph, ::poplar::Tensor const &t,
                                   ::poplar::Tensor const &s, ::poplar::Tensor const &offset,
                                   Sizes const &dims, Sizes const &sizes, unsigned flags,
                                   ::poplar::program::Sequence &prog,
                                   ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::popops
