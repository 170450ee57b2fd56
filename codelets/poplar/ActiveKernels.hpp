/// \file ActiveKernels.hpp
/// The engine's own kernels of the instruction set in use.
#pragma once

#include <codelets/poplar/MoveKernels.hpp>

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::kernels {

/// \throws std::invalid_argument  POPLAR_ISA names a set that this machine lacks.
POP_API const MoveKernels &activeMoveKernels();

#if defined(POPLAR_HEADER_ONLY)
inline const MoveKernels &activeMoveKernels() {
  static const MoveKernels all = moveKernelsOf<isa::native>();
  return all;
}
#endif

} // namespace cottonwood::kernels
