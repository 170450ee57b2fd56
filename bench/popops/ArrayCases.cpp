#include <bench/popops/ArrayCases.hpp>

#include <iterator>
#include <string_view>

namespace cottonwood::bench {
namespace {

using Function = ArrayOp::Function;

struct Size {
  char const *group;
  std::size_t elements;
};
// In the first cache, in the second cache of two threads, and beyond all caches.
constexpr Size SIZES[] = {{"1e3", 1000}, {"1e5", 100'000}, {"1e7", 10'000'000}};

struct Elementwise {
  Set set;
  char const *group;
  Function function;
};

constexpr Elementwise ELEMENTWISE[] = {
    {Set::Smoke, "arithmetic", Function::ADD},
    {Set::Ci, "arithmetic", Function::MUL},
    {Set::All, "arithmetic", Function::DIV},
    {Set::All, "arithmetic", Function::MAX},
    {Set::Ci, "arithmetic", Function::RELU},
    {Set::All, "arithmetic", Function::SQUARE},
    {Set::Ci, "arithmetic", Function::SQRT},
    {Set::All, "arithmetic", Function::RSQRT},
    {Set::Smoke, "functions", Function::EXP},
    {Set::Ci, "functions", Function::LOG},
    {Set::Ci, "functions", Function::TANH},
    {Set::Ci, "functions", Function::SIGMOID},
    {Set::All, "functions", Function::ERF},
    {Set::All, "functions", Function::SIN},
    {Set::All, "functions", Function::COS},
    {Set::All, "functions", Function::POW},
    {Set::Ci, "functions", Function::GELU_ERF},
    {Set::Ci, "in-place", Function::ADD_IN_PLACE},
    {Set::Smoke, "in-place", Function::SCALED_ADD_IN_PLACE},
    {Set::All, "in-place", Function::RELU_IN_PLACE},
    {Set::Smoke, "fused", Function::FUSED_RELU},
    {Set::Ci, "fused", Function::FUSED_SWISH},
};

/// Of fused operations the kernels on plain memory know none.
bool hasRawKernel(Elementwise const &entry) {
  return entry.group != std::string_view("fused") &&
         entry.function != Function::SCALED_ADD_IN_PLACE;
}

/// Of a smoke case only the middle size is smoke.
Set setOf(Set set, Size const &size) {
  return set == Set::Smoke && size.elements != 100'000 ? Set::Ci : set;
}

std::vector<Case> elementwise(bool half) {
  std::vector<Case> cases;
  for (Size const &size : SIZES)
    for (Elementwise const &entry : ELEMENTWISE)
      cases.push_back(
          {setOf(entry.set, size),
           {size.group, entry.group},
           ArrayOp{.function = entry.function, .half = half, .columns = size.elements}});
  for (Elementwise const &entry : ELEMENTWISE)
    if (hasRawKernel(entry))
      cases.push_back(
          {entry.set,
           {"raw"},
           ArrayOp{.function = entry.function, .half = half, .raw = true, .columns = 1000}});
  return cases;
}

struct Shaped {
  Set set;
  char const *size; ///< group
  char const *group;
  ArrayOp op;
};

template <std::size_t N> std::vector<Case> casesOf(Shaped const (&entries)[N]) {
  std::vector<Case> cases;
  for (Shaped const &entry : entries)
    cases.push_back({entry.set, {entry.size, entry.group}, entry.op});
  return cases;
}

constexpr ArrayOp reduced(Function function, std::size_t outer, std::size_t rows,
                          std::size_t columns, bool half = false) {
  return {.function = function, .half = half, .outer = outer, .rows = rows, .columns = columns};
}
constexpr ArrayOp matrix(Function function, std::size_t rows, std::size_t columns,
                         bool half = false) {
  return {.function = function, .half = half, .rows = rows, .columns = columns};
}
constexpr ArrayOp flat(Function function, std::size_t elements, bool half = false) {
  return {.function = function, .half = half, .columns = elements};
}
constexpr ArrayOp permuted(std::size_t outer, std::size_t rows, std::size_t columns,
                           std::size_t inner, bool half = false) {
  return {.function = Function::TRANSPOSE,
          .half = half,
          .outer = outer,
          .rows = rows,
          .columns = columns,
          .inner = inner};
}

constexpr Shaped REDUCE[] = {
    {Set::Ci, "1e3", "all", reduced(Function::SUM, 1, 1000, 1)},
    {Set::All, "1e3", "rows", reduced(Function::SUM, 10, 100, 1)},
    {Set::All, "1e3", "columns", reduced(Function::SUM, 1, 10, 100)},
    {Set::All, "1e3", "all", reduced(Function::MAX_OF, 1, 1000, 1)},
    {Set::Smoke, "1e5", "all", reduced(Function::SUM, 1, 100'000, 1)},
    {Set::Smoke, "1e5", "rows", reduced(Function::SUM, 100, 1000, 1)},
    {Set::Smoke, "1e5", "columns", reduced(Function::SUM, 1, 100, 1000)},
    {Set::Ci, "1e5", "all", reduced(Function::MAX_OF, 1, 100'000, 1)},
    {Set::All, "1e5", "all", reduced(Function::SQUARE_SUM, 1, 100'000, 1)},
    {Set::All, "1e5", "rows", reduced(Function::SUM, 10'000, 10, 1)},
    {Set::All, "1e5", "columns", reduced(Function::SUM, 1, 10'000, 10)},
    {Set::All, "1e5", "columns", reduced(Function::MAX_OF, 1, 100, 1000)},
    {Set::All, "1e5", "all", reduced(Function::SUM, 1, 100'000, 1, true)},
    {Set::All, "1e5", "columns", reduced(Function::SUM, 1, 100, 1000, true)},
    {Set::Ci, "1e7", "all", reduced(Function::SUM, 1, 10'000'000, 1)},
    {Set::Ci, "1e7", "rows", reduced(Function::SUM, 1000, 10'000, 1)},
    {Set::Ci, "1e7", "columns", reduced(Function::SUM, 1, 10'000, 1000)},
    {Set::All, "1e7", "all", reduced(Function::MAX_OF, 1, 10'000'000, 1)},
    {Set::All, "1e7", "all", reduced(Function::SQUARE_SUM, 1, 10'000'000, 1)},
    {Set::All, "1e7", "all", reduced(Function::SUM, 1, 10'000'000, 1, true)},
    {Set::All, "1e7", "columns", reduced(Function::SUM, 64, 56 * 56, 50)},
    {Set::All, "1e5", "rows", reduced(Function::SUM, 100, 1000, 1, true)},
    {Set::All, "1e5", "all", reduced(Function::MAX_OF, 1, 100'000, 1, true)},
    {Set::All, "1e7", "columns", reduced(Function::SUM, 1, 10'000, 1000, true)},
    {Set::All, "1e3", "int", reduced(Function::SUM_OF_INT, 1, 1000, 1)},
    {Set::Ci, "1e5", "int", reduced(Function::SUM_OF_INT, 1, 100'000, 1)},
    {Set::All, "1e5", "int", reduced(Function::SUM_OF_INT, 100, 1000, 1)},
    {Set::All, "1e5", "int", reduced(Function::SUM_OF_INT, 1, 100, 1000)},
    {Set::All, "1e7", "int", reduced(Function::SUM_OF_INT, 1, 10'000'000, 1)},
    {Set::Ci, "1e5", "arg-max", reduced(Function::ARG_MAX, 100, 1000, 1)},
    {Set::All, "1e7", "arg-max", reduced(Function::ARG_MAX, 10'000, 1000, 1)},
};

// A row of another norm is a function in race/ArrayOp and its lines here.
constexpr Shaped NORM[] = {
    {Set::Ci, "1e3", "softmax", matrix(Function::SOFTMAX, 10, 100)},
    {Set::All, "1e3", "log-softmax", matrix(Function::LOG_SOFTMAX, 10, 100)},
    {Set::All, "1e3", "layer-norm", matrix(Function::LAYER_NORM, 10, 100)},
    {Set::Smoke, "1e5", "softmax", matrix(Function::SOFTMAX, 100, 1000)},
    {Set::Smoke, "1e5", "log-softmax", matrix(Function::LOG_SOFTMAX, 100, 1000)},
    {Set::Ci, "1e5", "layer-norm", matrix(Function::LAYER_NORM, 128, 768)},
    {Set::All, "1e5", "softmax", matrix(Function::SOFTMAX, 10'000, 10)},
    {Set::All, "1e5", "softmax", matrix(Function::SOFTMAX, 100, 1000, true)},
    {Set::Ci, "1e7", "softmax", matrix(Function::SOFTMAX, 10'000, 1000)},
    {Set::Ci, "1e7", "log-softmax", matrix(Function::LOG_SOFTMAX, 10'000, 1000)},
    {Set::Ci, "1e7", "layer-norm", matrix(Function::LAYER_NORM, 16'384, 768)},
    {Set::All, "1e7", "layer-norm", matrix(Function::LAYER_NORM, 16'384, 768, true)},
    {Set::All, "1e7", "softmax", matrix(Function::SOFTMAX, 200, 50'000)},
    {Set::All, "1e7", "softmax", matrix(Function::SOFTMAX, 10'000, 1000, true)},
    {Set::All, "1e3", "layer-norm", matrix(Function::LAYER_NORM_SCALED, 10, 100)},
    {Set::Ci, "1e5", "layer-norm", matrix(Function::LAYER_NORM_SCALED, 128, 768)},
    {Set::All, "1e7", "layer-norm", matrix(Function::LAYER_NORM_SCALED, 16'384, 768)},
    {Set::All, "1e3", "batch-norm", reduced(Function::BATCH_NORM, 1, 10, 100)},
    {Set::Ci, "1e5", "batch-norm", reduced(Function::BATCH_NORM, 1, 32, 56 * 56)},
    {Set::Ci, "1e7", "batch-norm", reduced(Function::BATCH_NORM, 16, 64, 112 * 112)},
};

constexpr Shaped COPY[] = {
    {Set::Ci, "1e3", "copy", flat(Function::COPY, 1000)},
    {Set::All, "1e3", "cast", flat(Function::CAST_TO_HALF, 1000)},
    {Set::All, "1e3", "copy", flat(Function::FILL, 1000)},
    {Set::Ci, "1e5", "copy", flat(Function::COPY, 100'000)},
    {Set::Ci, "1e5", "copy", flat(Function::FILL, 100'000)},
    {Set::Smoke, "1e5", "cast", flat(Function::CAST_TO_HALF, 100'000)},
    {Set::Smoke, "1e5", "cast", flat(Function::CAST_FROM_HALF, 100'000)},
    {Set::All, "1e5", "cast", flat(Function::CAST_TO_INT, 100'000)},
    {Set::All, "1e5", "cast", flat(Function::CAST_FROM_INT, 100'000)},
    {Set::Smoke, "1e5", "permute", permuted(1, 256, 384, 1)},
    {Set::All, "1e5", "permute", permuted(2, 64, 12, 64)},
    {Set::All, "1e5", "permute", permuted(2, 3, 128 * 128, 1)},
    {Set::Ci, "1e7", "copy", flat(Function::COPY, 10'000'000)},
    {Set::Ci, "1e7", "copy", flat(Function::FILL, 10'000'000)},
    {Set::Ci, "1e7", "cast", flat(Function::CAST_TO_HALF, 10'000'000)},
    {Set::Ci, "1e7", "cast", flat(Function::CAST_FROM_HALF, 10'000'000)},
    {Set::All, "1e7", "cast", flat(Function::CAST_TO_INT, 10'000'000)},
    {Set::All, "1e7", "cast", flat(Function::CAST_FROM_INT, 10'000'000)},
    {Set::Ci, "1e7", "permute", permuted(1, 4096, 4096, 1)},
    {Set::All, "1e7", "permute", permuted(1, 4096, 4096, 1, true)},
    {Set::Ci, "1e7", "permute", permuted(16, 512, 16, 64)},       // heads of attention
    {Set::All, "1e7", "permute", permuted(16, 64, 112 * 112, 1)}, // channels last
    {Set::All, "1e7", "permute", permuted(66, 3, 224 * 224, 1)},  // images of three channels
    {Set::All, "1e7", "permute", permuted(66, 224 * 224, 3, 1)},
    {Set::All, "1e7", "permute", permuted(66, 224 * 224, 3, 1, true)},
    {Set::All, "1e3", "gather", reduced(Function::GATHER_ROWS, 10, 1000, 100)},
    {Set::Ci, "1e5", "gather", reduced(Function::GATHER_ROWS, 768, 3000, 128)},
    {Set::All, "1e5", "gather", reduced(Function::GATHER_ROWS, 6000, 10'000, 16)},
    {Set::Ci, "1e7", "gather", reduced(Function::GATHER_ROWS, 80'000, 100'000, 128)},
    {Set::All, "1e7", "gather", reduced(Function::GATHER_ROWS, 80'000, 100'000, 128, true)},
    {Set::All, "1e3", "random", flat(Function::UNIFORM, 1000)},
    {Set::All, "1e5", "random", flat(Function::UNIFORM, 100'000)},
    {Set::All, "1e7", "random", flat(Function::UNIFORM, 10'000'000)},
};

} // namespace

std::vector<Case> elementwiseCases() { return elementwise(false); }
std::vector<Case> elementwiseHalfCases() { return elementwise(true); }
std::vector<Case> reduceCases() { return casesOf(REDUCE); }
std::vector<Case> normCases() { return casesOf(NORM); }
std::vector<Case> copyCases() { return casesOf(COPY); }

} // namespace cottonwood::bench
