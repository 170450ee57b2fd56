// Products and convolutions on plain memory, against sums in double and against the graph's.
#include "Convolutions.hpp"
#include "Products.hpp"

#include <poplin/Kernels.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poplin/kernels");

using namespace products;
namespace raw = poplin::kernels;
using Half = poplar::IeeeHalf;

namespace {

template <class T> Type typeOf() { return std::is_same_v<T, float> ? FLOAT : HALF; }

/// A matrix in memory of its own, at any strides, with values that the type holds.
template <class T> struct Operand {
  std::vector<T> memory;
  raw::MatrixView<T> view;
  Matrix numbers;

  /// \param layout  0: rows, 1: columns, 2: padded rows, 3: elements apart
  Operand(std::size_t rows, std::size_t columns, unsigned layout, Numbers &random) {
    std::ptrdiff_t const r = static_cast<std::ptrdiff_t>(rows);
    std::ptrdiff_t const c = static_cast<std::ptrdiff_t>(columns);
    std::ptrdiff_t const row = layout == 1 ? 1 : layout == 2 ? c + 3 : layout == 3 ? 2 * c + 1 : c;
    std::ptrdiff_t const column = layout == 1 ? r : layout == 3 ? 2 : 1;
    bool const empty = rows == 0 || columns == 0;
    memory.resize(empty ? 0 : static_cast<std::size_t>((r - 1) * row + (c - 1) * column) + 1);
    view = raw::matrix(memory.data(), rows, columns, row, column);
    numbers = {{1, rows, columns}, random.real(typeOf<T>(), rows * columns)};
    for (std::size_t i = 0; i != rows; ++i)
      for (std::size_t j = 0; j != columns; ++j)
        at(i, j) = static_cast<T>(static_cast<float>(numbers.at(0, i, j)));
  }

  T &at(std::size_t i, std::size_t j) {
    return view.data[static_cast<std::ptrdiff_t>(i) * view.rowStride +
                     static_cast<std::ptrdiff_t>(j) * view.columnStride];
  }
  Values values() {
    Values all;
    for (std::size_t i = 0; i != view.rows; ++i)
      for (std::size_t j = 0; j != view.columns; ++j)
        all.push_back(static_cast<double>(static_cast<float>(at(i, j))));
    return all;
  }
};

/// Adds what was there before to the expected values: the chain begins with it.
void addBefore(Expectation &e, Values const &before, double terms, Type const &out) {
  for (std::size_t i = 0; i != before.size(); ++i) {
    e.values[i] += before[i];
    e.bounds[i] += (std::fabs(before[i]) + std::fabs(e.values[i])) * epsilonOf(FLOAT) * terms +
                   std::fabs(e.values[i]) * epsilonOf(out);
  }
}

template <class In, class Out>
void checkProduct(Shape const &s, unsigned layouts, raw::MatMulOptions const &options) {
  CAPTURE(sizeText(s));
  CAPTURE(layouts);
  Numbers random(17 + layouts);
  Operand<In> a(s[0], s[1], layouts % 4, random), b(s[1], s[2], layouts / 4 % 4, random);
  Operand<Out> c(s[0], s[2], layouts / 16, random);
  Expectation e = expectation(a.numbers, b.numbers, typeOf<Out>());
  if (options.accumulate)
    addBefore(e, c.values(), static_cast<double>(s[1] + 1), typeOf<Out>());
  raw::matMul(a.view, b.view, c.view, options);
  checkWithin(c.values(), e);
}

} // namespace

TEST_CASE("products of any shapes, strides and types are right") {
  Shape const shapes[] = {{1, 1, 1},   {1, 40, 33}, {5, 3, 1}, {33, 65, 129}, {64, 64, 64},
                          {7, 300, 9}, {0, 3, 4},   {3, 0, 4}, {3, 4, 0},     {130, 20, 70}};
  for (Shape const &s : shapes)
    for (unsigned layouts = 0; layouts != 48; ++layouts) {
      raw::MatMulOptions options;
      options.accumulate = layouts % 5 == 1;
      checkProduct<float, float>(s, layouts, options);
      if (layouts % 3 == 0) {
        checkProduct<Half, Half>(s, layouts, options);
        checkProduct<Half, float>(s, layouts, options);
        checkProduct<float, Half>(s, layouts, options);
      }
    }
}

TEST_CASE("threads change no bit of a product") {
  Numbers random(3);
  Operand<float> a(150, 333, 0, random), b(333, 270, 0, random), c(150, 270, 0, random);
  std::vector<std::vector<float>> results;
  for (unsigned threads : {1U, 2U, 3U, 8U, 0U}) {
    raw::MatMulOptions options;
    options.threads = threads;
    raw::matMul(a.view, b.view, c.view, options);
    results.push_back(c.memory);
    CHECK(results.front() == results.back());
  }
}

TEST_CASE("batches read and write where their strides say, or share an operand") {
  Numbers random(5);
  std::size_t const g = 5, m = 9, k = 70, n = 40;
  Operand<float> a(g * m, k, 0, random), b(k, n, 0, random), c(g * m, n, 0, random);
  raw::MatMulOptions options;
  options.batches = g, options.aBatch = m * k, options.cBatch = m * n;
  for (unsigned threads : {1U, 2U}) {
    options.threads = threads;
    raw::matMul(raw::matrix(a.view.data, m, k), b.view, raw::matrix(c.view.data, m, n), options);
    checkWithin(c.values(), expectation(a.numbers, b.numbers, FLOAT));
  }
}

TEST_CASE("products with a packed operand have the bits of those with a plain one") {
  for (Shape const &s : {Shape{33, 65, 129},
                         {5, 20, 31},
                         {2, 40, 64},
                         {1, 300, 65},
                         {48, 600, 96},
                         {3, 0, 4},
                         {3, 4, 0}})
    for (unsigned threads : {1U, 2U}) {
      CAPTURE(sizeText(s));
      Numbers random(7);
      Operand<Half> a(s[0], s[1], 0, random), b(s[1], s[2], threads, random);
      Operand<float> c(s[0], s[2], 0, random), d(s[0], s[2], 0, random);
      raw::MatMulOptions options;
      options.threads = threads;
      raw::PackedMatrix<Half> const packed(b.view);
      CHECK(packed.rows() == s[1]);
      CHECK(packed.columns() == s[2]);
      raw::matMul(a.view, packed, d.view, options);
      if (s[0] == 1 && threads == 1) { // a plain column would be a dot product
        checkWithin(d.values(), expectation(a.numbers, b.numbers, FLOAT));
        continue;
      }
      raw::matMul(a.view, b.view, c.view, options);
      CHECK(c.memory == d.memory);
    }
}

TEST_CASE("raw products have the bits of the graph's") {
  for (Shape const &s : {Shape{33, 65, 129}, {100, 300, 64}, {1, 300, 64}, {64, 300, 1}}) {
    CAPTURE(sizeText(s));
    Products all(cpu);
    Matrix const a = all.random(FLOAT, {1, s[0], s[1]}), b = all.random(FLOAT, {1, s[1], s[2]});
    Tensor const left = all.input(FLOAT, a, {s[0], s[1]}),
                 right = all.input(FLOAT, b, {s[1], s[2]});
    std::size_t const output =
        all.run.output(poplin::matMul(all.run.graph, left, right, all.run.prog));
    all.run.run();
    std::vector<float> x(a.values.begin(), a.values.end()), y(b.values.begin(), b.values.end());
    std::vector<float> z(s[0] * s[2]);
    raw::matMul(raw::matrix(x.data(), s[0], s[1]), raw::matrix(y.data(), s[1], s[2]),
                raw::matrix(z.data(), s[0], s[2]));
    CHECK(Values(z.begin(), z.end()) == all.run.values(output));
  }
}

TEST_CASE("errors of products name what does not fit") {
  std::vector<float> x(100);
  auto const a = raw::matrix(x.data(), 3, 4), b = raw::matrix(x.data(), 5, 2);
  CHECK_THROWS_WITH_AS(raw::matMul(a, b, raw::matrix(x.data() + 50, 3, 2)),
                       "poplin::kernels::matMul: a [3, 4], b [5, 2] and c [3, 2] do not fit "
                       "together; they must be [m, k], [k, n] and [m, n]",
                       poplar::poplar_error);
  auto const good = raw::matrix(x.data(), 4, 2);
  CHECK_THROWS_WITH_AS(raw::matMul(a, good, raw::matrix(x.data() + 50, 3, 2, 8, 3)),
                       "poplin::kernels::matMul: the strides of c are 8 and 3; one of them must be "
                       "1: its rows or its columns must be contiguous",
                       poplar::poplar_error);
  CHECK_THROWS_WITH_AS(raw::matMul(a, good, raw::matrix<float>(nullptr, 3, 2)),
                       "poplin::kernels::matMul: 'c' of shape [3, 2] is a null pointer",
                       poplar::poplar_error);
  CHECK_THROWS_WITH_AS(raw::matMul(a, good, raw::matrix(x.data() + 50, 3, 2, 1)),
                       "poplin::kernels::matMul: 2 elements of c lie side by side, and 3 times as "
                       "many start 1 elements apart; they must not overlap",
                       poplar::poplar_error);
  raw::MatMulOptions options;
  options.batches = 2;
  CHECK_THROWS_WITH_AS(raw::matMul(a, good, raw::matrix(x.data() + 50, 3, 2), options),
                       "poplin::kernels::matMul: cBatch = 0 for 2 products; each must have its "
                       "own c",
                       poplar::poplar_error);
  std::size_t const many = std::size_t{1} << 40;
  CHECK_THROWS_WITH_AS(raw::PackedMatrix<float>(raw::matrix(x.data(), many, many)),
                       "poplin::kernels::PackedMatrix: 'b' of shape [1099511627776, 1099511627776] "
                       "has too many elements",
                       poplar::poplar_error);
}

namespace {

/// A convolution on arrays with channels innermost, each output one sum in double.
struct PlainConv {
  poplin::ConvParams params;
  Values in, weights;

  Expectation expected() const {
    std::size_t const g = params.numConvGroups, ci = params.inputChannelsPerConvGroup;
    std::size_t const co = params.outputChannelsPerConvGroup;
    std::size_t const h = params.getOutputSize(0), w = params.getOutputSize(1);
    std::size_t const fh = params.inputFieldShape[0], fw = params.inputFieldShape[1];
    std::size_t const kh = params.kernelShape[0], kw = params.kernelShape[1];
    Expectation e;
    for (std::size_t b = 0; b != params.batchSize; ++b)
      for (unsigned y = 0; y != h; ++y)
        for (unsigned x = 0; x != w; ++x)
          for (std::size_t o = 0; o != g * co; ++o) {
            double sum = 0, magnitude = 0;
            for (unsigned i = 0; i != kh; ++i)
              for (unsigned j = 0; j != kw; ++j) {
                unsigned const r = poplin::getInputIndex(0, y, i, params);
                unsigned const c = poplin::getInputIndex(1, x, j, params);
                for (std::size_t q = 0; r != ~0U && c != ~0U && q != ci; ++q) {
                  double const term = in[((b * fh + r) * fw + c) * g * ci + o / co * ci + q] *
                                      weights[((i * kw + j) * ci + q) * g * co + o];
                  sum += term, magnitude += std::fabs(term);
                }
              }
            double const roundings = static_cast<double>(kh * kw * ci) * epsilonOf(FLOAT);
            e.values.push_back(sum);
            e.bounds.push_back(roundings * magnitude +
                               epsilonOf(params.outputType) * std::fabs(sum) * 1.01 +
                               (params.outputType == HALF ? std::ldexp(1.0, -25) : 0));
          }
    return e;
  }
};

template <class In, class Out> void checkConvolution(poplin::ConvParams params, unsigned threads) {
  params.inputType = typeOf<In>(), params.outputType = typeOf<Out>();
  std::ostringstream text;
  text << params;
  CAPTURE(text.str());
  CAPTURE(threads);
  raw::Convolution const conv(params, threads);
  Numbers random(11);
  PlainConv const plain{params, random.real(params.inputType, conv.inElements()),
                        random.real(params.inputType, conv.weightsElements())};
  auto const elements = [](Values const &values) {
    std::vector<In> to;
    for (double x : values)
      to.push_back(static_cast<In>(static_cast<float>(x)));
    return to;
  };
  std::vector<In> const in = elements(plain.in), weights = elements(plain.weights);
  std::vector<Out> out(conv.outElements(), static_cast<Out>(99.0F));
  conv(in.data(), weights.data(), out.data());
  Values values;
  for (Out x : out)
    values.push_back(static_cast<double>(static_cast<float>(x)));
  checkWithin(values, plain.expected());
}

} // namespace

TEST_CASE("convolutions with strides, dilation, padding and groups are right") {
  using Params = poplin::ConvParams;
  std::vector<Params> cases;
  cases.emplace_back(FLOAT, 2, Shape{9, 7}, Shape{3, 3}, 5, 34, 1);
  cases.emplace_back(FLOAT, 1, Shape{6, 8}, Shape{1, 1}, 20, 65, 1);
  cases.emplace_back(FLOAT, 2, Shape{8, 8}, Shape{3, 2}, 4, 6, 3);
  cases.emplace_back(FLOAT, 2, Shape{10, 9}, Shape{3, 3}, 1, 1, 37);
  cases.emplace_back(FLOAT, 1, Shape{6, 6}, Shape{3, 3}, 2, 1, 5);
  std::size_t const plain = cases.size();
  for (std::size_t i = 0; i != plain; ++i) {
    Params params = cases[i];
    params.inputTransform.paddingLower = {1, 2};
    params.inputTransform.paddingUpper = {2, 1};
    params.outputTransform.stride = {2, 1};
    cases.push_back(params);
    params.kernelTransform.dilation = {2, 3};
    params.inputTransform.dilation = {1, 2};
    params.outputTransform.paddingLower = {1, 0};
    cases.push_back(params);
  }
  for (Params const &params : cases)
    for (unsigned threads : {1U, 3U}) {
      checkConvolution<float, float>(params, threads);
      checkConvolution<Half, Half>(params, threads);
      checkConvolution<Half, float>(params, threads);
      checkConvolution<float, Half>(params, threads);
    }
}

TEST_CASE("a convolution without products gives zeros, one without outputs nothing") {
  poplin::ConvParams const none(FLOAT, 1, {4, 4}, {2, 2}, 0, 3, 1);
  std::vector<float> out(27, 5.0F);
  float const dummy = 0;
  poplin::kernels::convolution(&dummy, &dummy, out.data(), none);
  CHECK(out == std::vector<float>(27, 0.0F));
  poplin::ConvParams const empty(FLOAT, 0, {4, 4}, {2, 2}, 2, 3, 1);
  poplin::kernels::convolution(&dummy, &dummy, out.data(), empty);
  CHECK(out == std::vector<float>(27, 0.0F));
}

TEST_CASE("errors of convolutions name the array") {
  poplin::ConvParams const params(FLOAT, 1, {4, 4}, {2, 2}, 1, 3, 1);
  raw::Convolution const conv(params);
  std::vector<float> x(100);
  std::vector<Half> h(100);
  CHECK_THROWS_WITH_AS(conv(h.data(), x.data(), x.data()),
                       "poplin::kernels::Convolution: 'in' has elements of type half, but the "
                       "params say float",
                       poplar::poplar_error);
  CHECK_THROWS_WITH_AS(conv(x.data(), static_cast<float *>(nullptr), x.data()),
                       "poplin::kernels::Convolution: 'weights' is a null pointer; it must have 12 "
                       "elements",
                       poplar::poplar_error);
}

TEST_SUITE_END();
