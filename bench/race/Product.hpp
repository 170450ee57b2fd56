// A product of matrices, known to the driver and to the peers' processes alike.
#pragma once

#include <bench/race/Values.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cottonwood::bench {

/// C[g] = op(A[g]) * op(B[g]) for g < batch: op(A) is m x k, op(B) k x n, all row-major.
struct Product {
  bool half = false;         ///< elements of ours; peers compute the same product in float
  bool halfValues = false;   ///< elements of float with values that half holds
  bool halfPartials = false; ///< of ours, if half: sums may be kept in half on the way
  std::size_t batch = 1, m = 1, n = 1, k = 1;
  bool transposedA = false, transposedB = false; ///< stored as [k, m], [n, k]
  bool constantB = false; ///< B may be packed beforehand, in time that does not count

  std::size_t sizeA() const { return batch * m * k; }
  std::size_t sizeB() const { return batch * k * n; }
  std::size_t sizeC() const { return batch * m * n; }
  double bytes() const; ///< of operands and result
  double flops() const { return 2.0 * static_cast<double>(sizeA()) * static_cast<double>(n); }
};

/// "float/64x64x64", "half/16x(64x64x64)/nt/constant", "half-partials/1x64x64": m x n x k.
std::string nameOf(Product const &product);

/// One line that parseProduct reads back.
std::string textOf(Product const &product);
/// \throws std::invalid_argument  the text is not one of textOf.
Product parseProduct(std::string const &text);

/// Elements of C at samplePositions.
Reference referenceOf(Product const &product, std::span<float const> a, std::span<float const> b);
/// What rounding may do to worstError.
double allowedError(Product const &product, bool halfResult);

} // namespace cottonwood::bench
