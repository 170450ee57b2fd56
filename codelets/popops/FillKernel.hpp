/// \file FillKernel.hpp
/// The same value in n elements, by element size.
#pragma once

#include <codelets/arch/SimdSteps.hpp>

namespace cottonwood::kernels {

/// Bytes of a vertex from which they are better written past the caches.
inline constexpr std::size_t FILL_STREAM_BYTES = std::size_t{16} << 20;

/// Copies the SIZE bytes at value to each of n elements; SIZE is 1, 2, 4 or 8.
/// \param past  writes past the caches; `out` is then aligned to 64 bytes
template <class Tag, std::size_t SIZE>
void fillBytes(void *out, const void *value, std::size_t n, bool past = false) {
  using Bytes = simd<std::uint8_t, Tag>;
  constexpr std::size_t W = Bytes::width;
  unsigned char block[W];
  for (std::size_t i = 0; i < W; i += SIZE)
    __builtin_memcpy(block + i, value, SIZE);
  const Bytes v = Bytes::load(block);
  unsigned char *p = static_cast<unsigned char *>(out);
  std::size_t bytes = n * SIZE;
  using Words = simd<std::uint32_t, Tag>;
  if constexpr (Words::width * sizeof(std::uint32_t) == W)
    if (past) {
      std::uint32_t words[Words::width];
      __builtin_memcpy(words, block, W);
      const Words w = Words::load(words);
      for (; bytes >= W; bytes -= W, p += W)
        w.stream(reinterpret_cast<std::uint32_t *>(p));
    }
  const std::size_t whole =
      arch::eachWholeStep<W>(bytes, [&](std::size_t k) POP_SIMD_LAMBDA { v.store(p + k); });
  if (whole < bytes)
    v.storePartial(p + whole, bytes - whole);
}

/// By size of the element.
struct FillKernels {
  using Kernel = void (*)(void *out, const void *value, std::size_t n, bool past);
  Kernel bytes1, bytes2, bytes4;
};
template <class Tag> POP_SIMD_INLINE FillKernels fillKernelsOf() {
  return {&fillBytes<Tag, 1>, &fillBytes<Tag, 2>, &fillBytes<Tag, 4>};
}

} // namespace cottonwood::kernels
