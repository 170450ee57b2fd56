/// \file MoveKernels.hpp
/// The engine's own kernels, of copies.
#pragma once

#include <codelets/poplar/CopyLinesKernel.hpp>
#include <codelets/poplar/TransposeKernel.hpp>

namespace cottonwood::kernels {

struct MoveKernels {
  TransposeKernels transposes;
  void (*copyLinesPast)(LineRows const &);
};
template <class Tag> POP_SIMD_INLINE MoveKernels moveKernelsOf() {
  return {transposeKernelsOf<Tag>(), &copyLinesPast<Tag>};
}

/// moveKernelsOf<Tag>() from the objects that are compiled for the tag's instructions.
struct MoveFamily {
  template <class Tag> static MoveKernels kernels();
};

} // namespace cottonwood::kernels
