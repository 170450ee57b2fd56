// Body of Arena.hpp.
#pragma once

#include <poplar/impl/engine/Arena.hpp>

#include <new>
#include <utility>

#include <sys/mman.h>

namespace cottonwood::engine {

POP_INLINE Arena::Arena(std::uint64_t bytes) : bytes_(bytes) {
  if (bytes == 0)
    return;
  void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  data_ = static_cast<std::byte *>(memory);
#if defined(MADV_HUGEPAGE)
  constexpr std::uint64_t WORTH_HUGE_PAGES = std::uint64_t{8} << 20;
  if (bytes >= WORTH_HUGE_PAGES)
    madvise(memory, bytes, MADV_HUGEPAGE); // a wish; it is no error if the system cannot
#endif
}

POP_INLINE Arena::Arena(Arena &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

POP_INLINE Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

POP_INLINE Arena::~Arena() {
  if (data_)
    munmap(data_, bytes_);
}

} // namespace cottonwood::engine
