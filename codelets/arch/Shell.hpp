/// \file Shell.hpp
/// What vertex classes need to call kernels: pointers in the kernels' element types, and the share
/// of a worker context.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Half.hpp>

#include <poplar/Vertex.hpp>

#include <cstddef>

namespace cottonwood::vertices {

/// The type that kernels know an element type of a vertex field by.
template <class T> struct KernelElement { using type = T; };
template <> struct KernelElement<poplar::half> { using type = half; };
template <class T> using KernelType = typename KernelElement<T>::type;

/// The same memory for a kernel; kernels touch halves only as bytes or vectors.
template <class T> POP_SIMD_INLINE KernelType<T> *kernelPointer(T *p) {
  return reinterpret_cast<KernelType<T> *>(p);
}
template <class T> POP_SIMD_INLINE const KernelType<T> *kernelPointer(const T *p) {
  return reinterpret_cast<const KernelType<T> *>(p);
}

/// Elements [begin, end) of n that worker contexts of a MultiVertex take: whole grains, the first
/// workers first, so that short vertices leave the others idle.
struct WorkerShare {
  std::size_t begin, end;
};
POP_SIMD_INLINE WorkerShare workerShare(std::size_t n, Workers workers, std::size_t grain) {
  constexpr std::size_t WORKERS = poplar::MultiVertex::numWorkers();
  const std::size_t grains = (n + grain - 1) / grain;
  const std::size_t each = (grains + WORKERS - 1) / WORKERS * grain;
  const std::size_t begin = workers.first * each;
  const std::size_t end = begin + workers.count * each;
  return {begin < n ? begin : n, end < n ? end : n};
}

} // namespace cottonwood::vertices
