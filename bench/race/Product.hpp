// One problem of the matmul family, known to the driver and to the peers' processes alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cottonwood::bench {

/// C[g] = op(A[g]) * op(B[g]) for g < batch: op(A) is m x k, op(B) k x n, all row-major.
struct Product {
  bool half = false; ///< elements of ours; peers compute the same product in float
  std::size_t batch = 1, m = 1, n = 1, k = 1;
  bool transposedA = false, transposedB = false; ///< stored as [k, m], [n, k]
  bool constantB = false; ///< B may be packed beforehand, in time that does not count

  std::size_t sizeA() const { return batch * m * k; }
  std::size_t sizeB() const { return batch * k * n; }
  std::size_t sizeC() const { return batch * m * n; }
  double flops() const { return 2.0 * static_cast<double>(sizeA()) * static_cast<double>(n); }
};

/// "float/64x64x64", "half/16x(64x64x64)/nt/constant": m x n x k.
std::string nameOf(Product const &product);

/// One line that parseProduct reads back.
std::string textOf(Product const &product);
/// \throws std::invalid_argument  the text is not one of textOf.
Product parseProduct(std::string const &text);

/// Values of A and B: multiples of 1/256 in [-1, 1], so that half holds them exactly.
std::vector<float> valuesOfA(Product const &product);
std::vector<float> valuesOfB(Product const &product);

/// Where results are compared: flat indices into C, first and last element among them.
std::vector<std::size_t> samplePositions(Product const &product);

/// Elements of C in double precision, and the sum of |a * b| behind each.
struct Reference {
  std::vector<double> values, magnitudes;
};
Reference referenceOf(Product const &product, std::span<float const> a, std::span<float const> b);

/// The largest |value - reference| / magnitude.
double worstError(Reference const &reference, std::span<double const> values);
/// What rounding may do to worstError: k + 2 roundings to float, and one to half if C is half.
double allowedError(Product const &product, bool halfResult);

} // namespace cottonwood::bench
