#include "Allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> numAllocations, numBytes;

void *allocate(std::size_t size) {
  numAllocations.fetch_add(1, std::memory_order_relaxed);
  numBytes.fetch_add(size, std::memory_order_relaxed);
  if (void *const memory = std::malloc(size == 0 ? 1 : size))
    return memory;
  throw std::bad_alloc();
}
} // namespace

void *operator new(std::size_t size) { return allocate(size); }
void *operator new[](std::size_t size) { return allocate(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }

Allocations::Allocations() : count_(numAllocations), bytes_(numBytes) {}
std::size_t Allocations::count() const { return numAllocations - count_; }
std::size_t Allocations::bytes() const { return numBytes - bytes_; }
