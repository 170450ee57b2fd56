/// \file ActiveKernels.hpp
/// The engine's own kernels of the instruction set in use.
#pragma once

#include <codelets/poplar/TransposeKernel.hpp>

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::kernels {

/// \throws std::invalid_argument  POPLAR_ISA names a set that this machine lacks.
POP_API const TransposeKernels &activeTransposeKernels();

#if defined(POPLAR_HEADER_ONLY)
inline const TransposeKernels &activeTransposeKernels() {
  static const TransposeKernels all = transposeKernelsOf<isa::native>();
  return all;
}
#endif

} // namespace cottonwood::kernels
