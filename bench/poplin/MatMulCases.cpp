#include <bench/poplin/MatMulCases.hpp>

namespace cottonwood::bench {
namespace {

struct Entry {
  Set set;
  char const *group;
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

constexpr Entry ENTRIES[] = {
    {Set::Ci, "squares", square(256)},
    {Set::Ci, "squares", square(512)},
    {Set::Ci, "squares", square(1024)},
    {Set::Ci, "squares", square(2048)},
    {Set::All, "squares", square(384)},
    {Set::All, "squares", square(1536)},
    {Set::Ci, "small", square(64)},
    {Set::Smoke, "small", square(128)},
    {Set::Ci, "skinny", product(32, 4096, 1024)},
    {Set::Ci, "skinny", product(4096, 32, 4096)},
    {Set::All, "skinny", product(4096, 4096, 32)},
    {Set::All, "skinny", product(64, 10, 784)},
    {Set::All, "skinny", product(8, 4096, 4096)},
    {Set::Ci, "gemv", product(1, 4096, 4096)},
    {Set::All, "gemv", stored(product(1, 4096, 4096), false, true)},
    {Set::All, "gemv", product(4096, 1, 4096)},
    {Set::All, "gemv", product(1, 1000, 2048)},
    {Set::All, "gemv", product(1, 2048, 2048)}, // float and half both in a last cache of 32 MB,
    {Set::All, "gemv", product(1, 8192, 8192)}, // and both far beyond it
    {Set::Ci, "odd", product(33, 65, 129)},
    {Set::Ci, "odd", product(900, 600, 300)},
    {Set::All, "odd", square(1000)},
    {Set::All, "odd", product(257, 511, 1023)},
    {Set::All, "odd", product(13, 17, 19)},
    {Set::All, "deep", product(64, 64, 65536)},
    {Set::All, "deep", product(12, 32, 262144)},
    {Set::All, "deep", stored(product(64, 64, 65536), true, false)},
    {Set::All, "deep", product(1, 1, 4194304)},
    {Set::Ci, "batched", product(64, 64, 64, 16)},
    {Set::Ci, "batched", product(128, 64, 128, 96)},
    {Set::All, "batched", product(512, 512, 64, 12)},
    {Set::All, "batched", product(512, 64, 512, 12)},
    {Set::All, "tiny", product(2, 2, 2, 20000)},
    {Set::Ci, "tiny", product(4, 4, 4, 20000)},
    {Set::All, "tiny", product(8, 8, 8, 4000)},
    {Set::All, "tiny", product(16, 16, 16, 1000)},
    {Set::All, "tiny", product(1, 16, 16, 4000)},
    {Set::All, "narrow", product(10000, 2, 8)},
    {Set::Ci, "narrow", product(100000, 4, 4)},
    {Set::All, "narrow", product(10000, 8, 8)},
    {Set::All, "narrow", product(10000, 8, 32)},
    {Set::All, "narrow", product(10000, 16, 16)},
    {Set::All, "narrow", stored(product(10000, 8, 8), true, false)},
    {Set::Ci, "transposed", stored(square(512), false, true)},
    {Set::Ci, "transposed", stored(square(512), true, false)},
    {Set::All, "transposed", stored(square(512), true, true)},
    {Set::All, "transposed", stored(square(1024), false, true)},
    {Set::All, "transposed", stored(square(1024), true, false)},
    {Set::All, "transposed", stored(square(1024), true, true)},
    {Set::Ci, "constant", constant(square(256))},
    {Set::Ci, "constant", constant(square(1024))},
    {Set::Ci, "constant", constant(product(32, 4096, 1024))},
    {Set::All, "constant", constant(square(128))},
    {Set::All, "constant", constant(square(512))},
    {Set::All, "constant", constant(square(2048))},
    {Set::All, "constant", constant(product(4096, 32, 4096))},
    {Set::All, "constant", constant(product(1, 4096, 4096))},
    {Set::All, "constant", constant(stored(square(512), false, true))},
};

constexpr Entry PARTIALS[] = {
    {Set::Ci, "partials", square(512)},
    {Set::Ci, "partials", square(1024)},
    {Set::All, "partials", square(256)},
    {Set::All, "partials", square(2048)},
    {Set::All, "partials", product(32, 4096, 1024)},
    {Set::All, "partials", product(1, 4096, 4096)},
    {Set::All, "partials", constant(square(1024))},
};

void add(std::vector<Case> &cases, Entry entry, bool half, bool halfPartials) {
  entry.product.half = half;
  entry.product.halfPartials = halfPartials;
  cases.push_back({.set = entry.set, .groups = {entry.group}, .problem = entry.product});
}

} // namespace

std::vector<Case> matMulCases() {
  std::vector<Case> cases;
  for (Entry const &entry : ENTRIES)
    add(cases, entry, false, false);
  return cases;
}

std::vector<Case> matMulHalfCases() {
  std::vector<Case> cases;
  for (Entry const &entry : ENTRIES)
    add(cases, entry, true, false);
  for (Entry const &entry : PARTIALS)
    add(cases, entry, true, true);
  return cases;
}

} // namespace cottonwood::bench
