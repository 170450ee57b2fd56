/// \file ActiveKernels.hpp
/// The kernels of the instruction set in use: what code that is compiled for another set calls.
#pragma once

#include <codelets/popops/Fill.hpp>
#include <codelets/popops/Map.hpp>
#include <codelets/popops/Reduce.hpp>

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::kernels {

/// \throws std::invalid_argument  POPLAR_ISA names a set that this machine lacks.
POP_API const MapKernels &activeMapKernels();
POP_API const FillKernels &activeFillKernels();
POP_API const ReduceKernels &activeReduceKernels();

#if defined(POPLAR_HEADER_ONLY)
inline const MapKernels &activeMapKernels() {
  static const MapKernels all = mapKernelsOf<isa::native>();
  return all;
}
inline const FillKernels &activeFillKernels() {
  static const FillKernels all = fillKernelsOf<isa::native>();
  return all;
}
inline const ReduceKernels &activeReduceKernels() {
  static const ReduceKernels all = reduceKernelsOf<isa::native>();
  return all;
}
#endif

} // namespace cottonwood::kernels
