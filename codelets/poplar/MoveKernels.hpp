/// \file MoveKernels.hpp
/// The engine's own kernels, of copies.
#pragma once

#include <codelets/poplar/CopyRowsKernel.hpp>
#include <codelets/poplar/TransposeKernel.hpp>

namespace cottonwood::kernels {

struct MoveKernels {
  TransposeKernels transposes;
  void (*copyRowsPast)(ByteRows const &);
};
template <class Tag> POP_SIMD_INLINE MoveKernels moveKernelsOf() {
  return {transposeKernelsOf<Tag>(), &copyRowsPast<Tag>};
}

/// moveKernelsOf<Tag>() from the objects that are compiled for the tag's instructions.
struct MoveFamily {
  template <class Tag> static MoveKernels kernels();
};

} // namespace cottonwood::kernels
