#pragma once
// Counts what a stretch of a test allocates. The counters and the replaced operator new are in
// Allocations.cpp.

#include <cstddef>

struct Allocations {
  Allocations();
  /// Since this object was made.
  std::size_t count() const;
  std::size_t bytes() const;

private:
  std::size_t count_, bytes_;
};
