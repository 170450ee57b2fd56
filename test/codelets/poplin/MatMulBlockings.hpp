// What tests of how products are blocked share.
#pragma once

#include <codelets/poplin/MatMulChoice.hpp>

#include <cstddef>

namespace cottonwood::test {

inline kernels::MatMulOperand describe(bool isHalf, std::ptrdiff_t row, std::ptrdiff_t column) {
  return {isHalf, row, column};
}

/// Caches of a core whose last one is far away.
inline kernels::MatMulCaches distantCaches() {
  kernels::MatMulCaches caches;
  caches.l1 = 48 << 10, caches.l2 = 2 << 20, caches.l3 = 64 << 20, caches.distant = true;
  return caches;
}

} // namespace cottonwood::test
