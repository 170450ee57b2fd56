// Body of Arena.hpp.
#pragma once

#include <poplar/impl/engine/Arena.hpp>

#include <limits>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace cottonwood::engine {

namespace detail {

/// Of x86-64. Fewer entries of the TLB reach all of the arena, and hardware prefetchers, which stop
/// at the ends of pages, go on. What the last cache holds gains nothing: depthwise convolutions of
/// 6 MB of halves take 1.2 times as long on Zen 5.
inline constexpr std::uint64_t HUGE_PAGE = std::uint64_t{2} << 20, WORTH_HUGE_PAGES = 4 * HUGE_PAGE;

/// \throws std::bad_alloc  the system has not so much.
inline std::byte *reservePages(std::uint64_t bytes) {
  void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  return static_cast<std::byte *>(memory);
}

/// Memory that begins with a huge page. Systems align by themselves only what is a multiple of one,
/// or nothing.
/// \param bytes  whole huge pages
inline std::byte *reserveHugePages(std::uint64_t bytes) {
  std::byte *const memory = reservePages(bytes + HUGE_PAGE);
  std::uint64_t const before = -reinterpret_cast<std::uintptr_t>(memory) % HUGE_PAGE;
  if (before != 0)
    munmap(memory, before);
  std::byte *const data = memory + before;
  munmap(data + bytes, HUGE_PAGE - before);
#if defined(MADV_HUGEPAGE)
  madvise(data, bytes, MADV_HUGEPAGE); // a wish; it is no error if the system cannot
#endif
  return data;
}

} // namespace detail

POP_INLINE Arena::Arena(std::uint64_t bytes) {
  if (bytes == 0)
    return;
  if (bytes > std::numeric_limits<std::uint64_t>::max() / 2) // no room to round up
    throw std::bad_alloc();
  bool const huge = bytes >= detail::WORTH_HUGE_PAGES;
  mapped_ = huge ? (bytes + detail::HUGE_PAGE - 1) / detail::HUGE_PAGE * detail::HUGE_PAGE : bytes;
  data_ = huge ? detail::reserveHugePages(mapped_) : detail::reservePages(mapped_);
  bytes_ = bytes;
}

POP_INLINE Arena::Arena(Arena &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)),
      mapped_(std::exchange(other.mapped_, 0)) {}

POP_INLINE Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

POP_INLINE Arena::~Arena() {
  if (data_)
    munmap(data_, mapped_);
}

} // namespace cottonwood::engine
