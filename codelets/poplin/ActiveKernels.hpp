/// \file ActiveKernels.hpp
/// The kernels of the instruction set in use: what code that is compiled for another set calls.
#pragma once

#include <codelets/poplin/Conv.hpp>
#include <codelets/poplin/MatMul.hpp>

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::kernels {

/// \throws std::invalid_argument  POPLAR_ISA names a set that this machine lacks.
POP_API const MatMulKernels &activeMatMulKernels();
POP_API const ConvKernels &activeConvKernels();

#if defined(POPLAR_HEADER_ONLY)
inline const MatMulKernels &activeMatMulKernels() {
  static const MatMulKernels all = matMulKernelsOf<isa::native>();
  return all;
}
inline const ConvKernels &activeConvKernels() {
  static const ConvKernels all = convKernelsOf<isa::native>();
  return all;
}
#endif

} // namespace cottonwood::kernels
