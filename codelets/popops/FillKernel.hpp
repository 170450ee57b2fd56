/// \file FillKernel.hpp
/// The same value in n elements, by element size.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

/// Copies the SIZE bytes at value to each of n elements; SIZE is 1, 2, 4 or 8.
template <class Tag, std::size_t SIZE> void fillBytes(void *out, const void *value, std::size_t n) {
  using Bytes = simd<std::uint8_t, Tag>;
  constexpr std::size_t W = Bytes::width;
  unsigned char block[W];
  for (std::size_t i = 0; i < W; i += SIZE)
    __builtin_memcpy(block + i, value, SIZE);
  const Bytes v = Bytes::load(block);
  unsigned char *p = static_cast<unsigned char *>(out);
  std::size_t bytes = n * SIZE;
  for (; bytes >= W; bytes -= W, p += W)
    v.store(p);
  if (bytes)
    v.storePartial(p, bytes);
}

/// By size of the element.
struct FillKernels {
  void (*bytes1)(void *out, const void *value, std::size_t n);
  void (*bytes2)(void *out, const void *value, std::size_t n);
  void (*bytes4)(void *out, const void *value, std::size_t n);
};
template <class Tag> POP_SIMD_INLINE FillKernels fillKernelsOf() {
  return {&fillBytes<Tag, 1>, &fillBytes<Tag, 2>, &fillBytes<Tag, 4>};
}

} // namespace cottonwood::kernels
