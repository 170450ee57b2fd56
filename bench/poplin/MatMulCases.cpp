#include <bench/poplin/MatMulCases.hpp>

namespace cottonwood::bench {
namespace {

struct Case {
  Set set;
  Product product;
};

constexpr Product square(std::size_t n) { return {.m = n, .n = n, .k = n}; }
constexpr Product product(std::size_t m, std::size_t n, std::size_t k, std::size_t batch = 1) {
  return {.batch = batch, .m = m, .n = n, .k = k};
}
/// Stored transposed: "nt" is A as it is and B transposed.
constexpr Product stored(Product p, bool transposedA, bool transposedB) {
  p.transposedA = transposedA;
  p.transposedB = transposedB;
  return p;
}
constexpr Product constant(Product p) {
  p.constantB = true;
  return p;
}
constexpr Product half(Product p) {
  p.half = true;
  return p;
}

constexpr Case CASES[] = {
    {Set::Smoke, square(128)},
    {Set::Ci, square(256)},
    {Set::Ci, square(512)},
    {Set::Ci, square(1024)},
    {Set::Ci, square(2048)},
    {Set::All, square(64)},
    {Set::All, square(384)},
    {Set::All, square(1000)},
    // Skinny, odd, one row
    {Set::Ci, product(32, 4096, 1024)},
    {Set::Ci, product(4096, 32, 4096)},
    {Set::Ci, product(1, 4096, 4096)},
    {Set::Ci, product(900, 600, 300)},
    {Set::Ci, product(33, 65, 129)},
    {Set::All, product(4096, 4096, 32)},
    {Set::All, product(64, 10, 784)},
    {Set::All, stored(product(1, 4096, 4096), false, true)},
    // Many small ones
    {Set::Ci, product(64, 64, 64, 16)},
    {Set::Ci, product(128, 64, 128, 96)},
    {Set::All, product(512, 512, 64, 12)},
    // Transposed
    {Set::Ci, stored(square(512), false, true)},
    {Set::Ci, stored(square(512), true, false)},
    {Set::All, stored(square(512), true, true)},
    {Set::All, stored(square(1024), false, true)},
    {Set::All, stored(square(1024), true, false)},
    {Set::All, stored(square(1024), true, true)},
    // A constant B may be packed beforehand, by all
    {Set::Ci, constant(square(256))},
    {Set::Ci, constant(square(1024))},
    {Set::Ci, constant(product(32, 4096, 1024))},
    {Set::All, constant(square(128))},
    {Set::All, constant(square(2048))},
    {Set::All, constant(product(1, 4096, 4096))},
    // Half operands and result, sums in float
    {Set::Smoke, half(square(128))},
    {Set::Ci, half(square(256))},
    {Set::Ci, half(square(1024))},
    {Set::Ci, half(constant(square(1024)))},
    {Set::Ci, half(product(1, 4096, 4096))},
    {Set::All, half(square(64))},
    {Set::All, half(square(512))},
    {Set::All, half(square(2048))},
    {Set::All, half(product(32, 4096, 1024))},
    {Set::All, half(product(4096, 32, 4096))},
    {Set::All, half(product(64, 64, 64, 16))},
    {Set::All, half(product(128, 64, 128, 96))},
    {Set::All, half(stored(square(512), false, true))},
    {Set::All, half(constant(product(1, 4096, 4096)))},
    {Set::All, half(constant(product(32, 4096, 1024)))},
};

} // namespace

std::vector<Product> matMulCases(Set set) {
  std::vector<Product> products;
  for (Case const &candidate : CASES)
    if (candidate.set <= set)
      products.push_back(candidate.product);
  return products;
}

} // namespace cottonwood::bench
