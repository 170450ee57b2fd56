// Sums by half arithmetic as the method FP16 defines them, in scalar code.
#pragma once

#include <codelets/arch/Half.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cottonwood::test {

/// Some values of k, from `first` on every second one: chains of half multiply-adds, added in
/// float.
/// \param product  of two halves, exact: product(q) for value q of k
template <class F> float fp16Chains(std::size_t first, std::size_t end, F &&product) {
  float sum = 0;
  while (first < end) {
    std::uint16_t chain = 0;
    for (std::size_t x = 0; x < kernels::MATMUL_FP16_CHAIN && first < end; ++x, first += 2)
      chain = arch::doubleToHalf(product(first) + static_cast<double>(arch::halfToFloat(chain)));
    sum += arch::halfToFloat(chain);
  }
  return sum;
}

/// A sum over values [0, k), before repairs.
template <class F> float fp16Sum(std::size_t k, F &&product) {
  float sum = 0;
  for (std::size_t x = 0; x < k; x += kernels::MATMUL_FP16_DEPTH) {
    std::size_t const end = std::min(k, x + kernels::MATMUL_FP16_DEPTH);
    float const pass = fp16Chains(x, end, product) + fp16Chains(x + 1, end, product);
    sum = x == 0 ? pass : sum + pass;
  }
  return sum;
}

} // namespace cottonwood::test
