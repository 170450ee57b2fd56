/// \file MoveKernels.hpp
/// The engine's own kernels, of copies.
#pragma once

#include <codelets/poplar/CopyRowsKernel.hpp>
#include <codelets/poplar/InterleaveKernel.hpp>
#include <codelets/poplar/TransposeKernel.hpp>

namespace cottonwood::kernels {

struct MoveKernels {
  TransposeKernels transposes;
  InterleaveKernels joins, splits;
  void (*copyRowsPast)(ByteRows const &);
};
template <class Tag> POP_SIMD_INLINE MoveKernels moveKernelsOf() {
  return {transposeKernelsOf<Tag>(), interleaveKernelsOf<Tag, true>(),
          interleaveKernelsOf<Tag, false>(), &copyRowsPast<Tag>};
}

/// moveKernelsOf<Tag>() from the objects that are compiled for the tag's instructions.
struct MoveFamily {
  template <class Tag> static MoveKernels kernels();
};

} // namespace cottonwood::kernels
