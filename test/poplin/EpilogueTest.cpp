// Products and convolutions with epilogues against the same operations one after another. Compiled
// once per instruction set by poplar_add_kernels.
#include "Convolutions.hpp"
#include "Products.hpp"

#include <poplin/Epilogue.hpp>
#include <poplin/Fused.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poplin/epilogue");

using namespace products;
namespace epilogue = poplin::epilogue;

namespace epiloguetest {

/// What tests compute, as one functor, for each other one is kernels of its own to compile.
struct Tried {
  enum Kind {
    MIXED,      ///< (sum + bias) * scale of the row + residual * factor: reads everything
    SCALED,     ///< (sum + bias) * factor
    PLACE,      ///< the place of each element as a number, whatever the sum
    LATER_ROWS, ///< adds operand 0 to rows 0 and 1, and operand 1 to later ones
    CHOSEN      ///< operand `number`
  };
  Kind kind;
  float factor = 0;
  unsigned number = 0;

  template <class V> V operator()(V sum, poplin::EpilogueAt<V> at) const {
    switch (kind) {
    case MIXED:
      return (sum + at.operand(0)) * at.operand(1) + at.operand(2) * V::splat(factor);
    case SCALED:
      return (sum + at.operand(0)) * V::splat(factor);
    case PLACE: {
      V const group = V::splat(static_cast<float>(at.group()));
      V const place = V::fma(V::fromInt(at.rows()), V::splat(1024.F), V::fromInt(at.columns()));
      return V::fma(group, V::splat(1048576.F), place) + V::splat(0.F) * sum;
    }
    case LATER_ROWS:
      return at.row() < 2 ? sum + at.operand(0) : sum + at.operand(1);
    case CHOSEN:
      break;
    }
    return at.operand(number);
  }

  static Tried mixed(float factor) { return {MIXED, factor}; }
  static Tried scaled(float factor) { return {SCALED, factor}; }
  static Tried place() { return {PLACE}; }
  static Tried laterRows() { return {LATER_ROWS}; }
  static Tried chosen(unsigned number) { return {CHOSEN, 0, number}; }
};

constexpr auto BIAS_RELU = epilogue::Add<0>{} | epilogue::Relu{};
/// Of operands {residual, bias}: the later one is read first.
constexpr auto BIAS_RELU_RESIDUAL = epilogue::Add<1>{} | epilogue::Relu{} | epilogue::Add<0>{};

} // namespace epiloguetest

using namespace epiloguetest;

namespace {

poplin::ConvParams convCase(unsigned number) {
  using Params = poplin::ConvParams;
  Params params[] = {Params(FLOAT, 2, Shape{9, 7}, Shape{3, 3}, 5, 34, 1),
                     Params(FLOAT, 1, Shape{6, 8}, Shape{1, 1}, 20, 65, 2),
                     Params(FLOAT, 2, Shape{10, 9}, Shape{3, 3}, 1, 1, 37)};
  Params p = params[number % 3];
  p.inputTransform.paddingLower = {1, 4};
  if (number >= 3) { // some outputs meet padding only
    p.outputTransform.stride = {2, 1};
    p.inputTransform.paddingUpper = {2, 5};
  }
  return p;
}

Tensor relu(poplar::Graph &graph, Tensor const &t, poplar::program::Sequence &prog) {
  return popops::map(graph, popops::expr::UnaryOpType::RELU, t, prog);
}

} // namespace

TEST_CASE("an epilogue has the bits of the operations done one after another on a float product") {
  Shape const shapes[] = {{1, 40, 33}, {5, 3, 1},     {33, 65, 129}, {64, 64, 64},  {7, 300, 9},
                          {3, 70, 4},  {130, 20, 70}, {300, 1, 2},   {60, 700, 260}};
  onDevices([&](DeviceMaker const &device) {
    for (Shape const &s : shapes)
      for (Type const &type : {FLOAT, HALF}) {
        CAPTURE(sizeText(s));
        Products all(device, 5);
        poplar::Graph &graph = all.run.graph;
        poplar::program::Sequence &prog = all.run.prog;
        Tensor const a = all.input(type, all.random(type, {1, s[0], s[1]}), {s[0], s[1]});
        Tensor const b = all.input(type, all.random(type, {1, s[1], s[2]}), {s[1], s[2]});
        Tensor const bias = all.input(HALF, all.random(HALF, {1, 1, s[2]}), {s[2]});
        Tensor const scale = all.input(FLOAT, all.random(FLOAT, {1, s[0], 1}), {s[0], 1});
        Tensor const rest = all.input(FLOAT, all.random(FLOAT, {1, s[0], s[2]}), {s[0], s[2]});
        Tensor const fused = poplin::matMul(graph, a, b, prog, Tried::mixed(0.37F),
                                            {bias, scale, rest}, FLOAT, "fused");
        Tensor const plain = poplin::matMul(graph, a, b, prog, FLOAT, "plain");
        namespace pe = popops::expr;
        Tensor const after =
            popops::map(graph,
                        pe::Add(pe::Mul(pe::Add(pe::_1, pe::Cast(pe::_2, FLOAT)), pe::_3),
                                pe::Mul(pe::_4, pe::Const(0.37F))),
                        {plain, bias.expand({0}).broadcast(static_cast<unsigned>(s[0]), 0),
                         scale.broadcast(static_cast<unsigned>(s[2]), 1), rest},
                        prog);
        auto const x = all.run.output(fused), y = all.run.output(after);
        all.run.run();
        CHECK(all.run.values(x) == all.run.values(y));
      }
  });
}

TEST_CASE("a half result is rounded once, after the epilogue") {
  Shape const s{33, 65, 50};
  Products all(cpu, 6);
  Matrix const a = all.random(HALF, {1, s[0], s[1]}), b = all.random(HALF, {1, s[1], s[2]});
  Matrix const bias = all.random(FLOAT, {1, 1, s[2]});
  Tensor const left = all.input(HALF, a, {s[0], s[1]}), right = all.input(HALF, b, {s[1], s[2]});
  Tensor const add = all.input(FLOAT, bias, {s[2]});
  poplar::Graph &graph = all.run.graph;
  poplar::program::Sequence &prog = all.run.prog;
  auto const half = all.run.output(poplin::matMul(graph, left, right, prog, BIAS_RELU, {add}));
  auto const wide =
      all.run.output(poplin::matMul(graph, left, right, prog, BIAS_RELU, {add}, FLOAT));
  all.run.run();
  Values expected = all.run.values(wide);
  for (double &x : expected)
    x = rounded(HALF, x);
  CHECK(all.run.values(half) == expected);
}

TEST_CASE("epilogues know group, row and column of every sum, whatever the split and layout") {
  char const *const plans[] = {"{}", R"({"splitM": "3", "splitN": "2"})", R"({"splitG": "2"})"};
  onDevices([&](DeviceMaker const &device) {
    for (char const *plan : plans)
      for (bool turned : {false, true}) {
        CAPTURE(plan);
        Shape const s{4, 50, 33, 70};
        Products all(device, 7);
        poplar::Graph &graph = all.run.graph;
        poplar::program::Sequence &prog = all.run.prog;
        poplar::OptionFlags options;
        bool const isCpu = graph.getTarget().getTargetType() == poplar::TargetType::CPU;
        if (isCpu)
          options.set("planConstraints", plan);
        Tensor const a =
            all.input(FLOAT, all.random(FLOAT, {s[0], s[1], s[2]}), {s[0], s[1], s[2]});
        Tensor const b =
            all.input(FLOAT, all.random(FLOAT, {s[0], s[2], s[3]}), {s[0], s[2], s[3]});
        Tensor const c =
            poplin::matMulGrouped(graph, a, b, prog, Tried::place(), {}, FLOAT, {}, options);
        // A result whose columns are contiguous is computed transposed.
        Tensor out = all.run.graph.addVariable(FLOAT, {s[3], s[1]}, "out");
        poputil::mapTensorLinearly(graph, out);
        Tensor const view = turned ? out.transpose() : out.reshape({s[1], s[3]});
        poplin::matMulWithOutput(graph, a[0], b[0], view, prog, Tried::place());
        auto const x = all.run.output(c), y = all.run.output(view);
        all.run.run();
        Values expected;
        for (std::size_t i = 0; i != s[0] * s[1] * s[3]; ++i)
          expected.push_back(
              static_cast<double>(i / s[3] / s[1] * 1048576 + i / s[3] % s[1] * 1024 + i % s[3]));
        CHECK(all.run.values(x) == expected);
        expected.resize(s[1] * s[3]);
        CHECK(all.run.values(y) == expected);
      }
  });
}

TEST_CASE("operands and results may overlap, and lie in any way") {
  Shape const s{40, 30, 50};
  onDevices([&](DeviceMaker const &device) {
    Products all(device, 8);
    poplar::Graph &graph = all.run.graph;
    poplar::program::Sequence &prog = all.run.prog;
    Tensor const a = all.input(FLOAT, all.random(FLOAT, {1, s[0], s[1]}), {s[0], s[1]});
    Tensor const b = all.input(FLOAT, all.random(FLOAT, {1, s[1], s[2]}), {s[1], s[2]});
    Tensor const rest = all.input(FLOAT, all.random(FLOAT, {1, s[2], s[0]}), {s[2], s[0]});
    Tensor const residual = rest.transpose();
    Tensor const plain = poplin::matMul(graph, a, b, prog, FLOAT, "plain");
    Tensor const sum = popops::add(graph, plain, residual, prog);
    auto const y = all.run.output(relu(graph, sum, prog));
    poplin::matMulWithOutput(graph, a, b, residual, prog, BIAS_RELU, {residual});
    auto const x = all.run.output(residual);
    all.run.run();
    CHECK(all.run.values(x) == all.run.values(y));
  });
}

TEST_CASE("a product without terms gives the epilogue of 0") {
  onDevices([&](DeviceMaker const &device) {
    Products all(device);
    poplar::Graph &graph = all.run.graph;
    poplar::program::Sequence &prog = all.run.prog;
    Tensor const a = all.input(FLOAT, {{1, 3, 0}, {}}, {3, 0});
    Tensor const b = all.input(FLOAT, {{1, 0, 2}, {}}, {0, 2});
    Tensor const bias = all.input(FLOAT, {{1, 1, 2}, {4, -5}}, {2});
    auto const x = all.run.output(poplin::matMul(graph, a, b, prog, Tried::scaled(1), {bias}));
    all.run.run();
    CHECK(all.run.values(x) == Values{4, -5, 4, -5, 4, -5});
  });
}

TEST_CASE("convolutions with an epilogue have the bits of the operations one after another") {
  onDevices([&](DeviceMaker const &device) {
    for (unsigned number = 0; number != 6; ++number)
      for (Type const &type : {FLOAT, HALF}) {
        poplin::ConvParams params = convCase(number);
        params.inputType = type;
        CAPTURE(number);
        Products all(device, 9);
        poplar::Graph &graph = all.run.graph;
        poplar::program::Sequence &prog = all.run.prog;
        Shape const inShape = convolutions::inShape(params), out = convolutions::outShape(params);
        Shape const weightsShape = convolutions::weightsShape(params);
        auto const input = [&](Type const &t, Shape const &shape) {
          return all.run.input(t, shape, all.numbers.real(t, product(shape)));
        };
        Tensor const in = input(type, inShape), weights = input(type, weightsShape);
        Tensor const bias = input(FLOAT, {out[1]}), rest = input(FLOAT, out);
        Tensor const fused = poplin::convolution(graph, in, weights, params, false, prog,
                                                 BIAS_RELU_RESIDUAL, {rest, bias});
        Tensor const place =
            poplin::convolution(graph, in, weights, params, false, prog, Tried::place());
        Tensor plain = poplin::convolution(graph, in, weights, params, false, prog);
        poplin::addBias(graph, plain, bias, prog);
        Tensor const after = popops::add(graph, relu(graph, plain, prog), rest, prog);
        auto const x = all.run.output(fused), y = all.run.output(after), z = all.run.output(place);
        all.run.run();
        CHECK(all.run.values(x) == all.run.values(y));
        Values expected;
        std::size_t const field = out[2] * out[3];
        for (std::size_t i = 0; i != product(out); ++i)
          expected.push_back(static_cast<double>((i / field / out[1] * field + i % field) * 1024 +
                                                 i / field % out[1]));
        CHECK(all.run.values(z) == expected);
      }
  });
}

TEST_CASE("an epilogue sees the sums that convolutions with half partials have without one") {
  Products all(cpu, 11);
  poplar::Graph &graph = all.run.graph;
  poplar::program::Sequence &prog = all.run.prog;
  poplin::ConvParams const params(HALF, 2, {9, 7}, {3, 3}, 24, 40, 2);
  poplar::OptionFlags const half{{"partialsType", "half"}};
  auto const input = [&](Shape const &shape) {
    return all.run.input(HALF, shape, all.numbers.real(HALF, product(shape)));
  };
  Tensor const in = input(convolutions::inShape(params));
  Tensor const weights = input(convolutions::weightsShape(params));
  Tensor const zeros = all.run.input(FLOAT, {80}, Values(80));
  auto const plain =
      all.run.output(poplin::convolution(graph, in, weights, params, false, prog, "plain", half));
  auto const seen = all.run.output(poplin::convolution(graph, in, weights, params, false, prog,
                                                       Tried::scaled(1), {zeros}, "seen", half));
  all.run.run();
  CHECK(all.run.values(seen) == all.run.values(plain));
}

TEST_CASE("bias and activation without templates have the bits of the operations one by one") {
  onDevices([&](DeviceMaker const &device) {
    Products all(device, 10);
    poplar::Graph &graph = all.run.graph;
    poplar::program::Sequence &prog = all.run.prog;
    Shape const s{30, 70, 45};
    Tensor const a = all.input(FLOAT, all.random(FLOAT, {2, s[0], s[1]}), {2, s[0], s[1]});
    Tensor const b = all.input(FLOAT, all.random(FLOAT, {2, s[1], s[2]}), {2, s[1], s[2]});
    Tensor const bias = all.input(FLOAT, all.random(FLOAT, {1, 1, s[2]}), {s[2]});
    using poplin::Activation;
    Tensor const fused =
        poplin::matMulGroupedBias(graph, a, b, bias, prog, Activation::RELU, FLOAT);
    Tensor const added = poplin::matMulBias(graph, a[0], b[0], bias, prog);
    Tensor const active = poplin::matMulBias(graph, a[0], b[0], {}, prog, Activation::RELU);
    Tensor const plain = poplin::matMulGrouped(graph, a, b, prog, FLOAT);
    Tensor const sum = popops::add(graph, plain, bias, prog);
    Tensor const first = poplin::matMul(graph, a[0], b[0], prog);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    auto const same = [&](Tensor const &x, Tensor const &y) {
      pairs.emplace_back(all.run.output(x), all.run.output(y));
    };
    same(fused, relu(graph, sum, prog));
    same(added, popops::add(graph, first, bias, prog));
    same(active, relu(graph, first, prog));
    poplin::ConvParams const params = convCase(3);
    Tensor const in = all.input(FLOAT, all.random(FLOAT, {2, 5, 63}), {2, 5, 9, 7});
    Tensor const weights = all.input(FLOAT, all.random(FLOAT, {34, 5, 9}), {1, 34, 5, 3, 3});
    Tensor const biases = all.input(FLOAT, all.random(FLOAT, {1, 1, 34}), {34});
    Tensor out = poplin::convolution(graph, in, weights, params, false, prog);
    same(poplin::convolutionBias(graph, in, weights, {}, params, false, prog),
         poplin::convolution(graph, in, weights, params, false, prog));
    poplin::addBias(graph, out, biases, prog);
    same(poplin::convolutionBias(graph, in, weights, biases, params, false, prog, Activation::RELU),
         relu(graph, out, prog));
    all.run.run();
    for (auto const &[x, y] : pairs)
      CHECK(all.run.values(x) == all.run.values(y));
  });
}

TEST_CASE("operands that do not fit are refused by number and shape") {
  Products all(cpu);
  poplar::Graph &graph = all.run.graph;
  poplar::program::Sequence &prog = all.run.prog;
  Tensor const a = all.input(FLOAT, all.random(FLOAT, {1, 3, 4}), {3, 4});
  Tensor const b = all.input(FLOAT, all.random(FLOAT, {1, 4, 5}), {4, 5});
  CHECK_THROWS_WITH_AS(
      poplin::matMul(graph, a, b, prog, BIAS_RELU, {a}),
      "poplin::matMul: operand 0 of the epilogue has shape [3, 4], which cannot be "
      "broadcast to [3, 5]",
      poputil::poplibs_error);
  Tensor const whole = graph.addVariable(poplar::INT, {5}, "whole");
  CHECK_THROWS_WITH_AS(poplin::matMulBias(graph, a, b, whole, prog),
                       "poplin::matMulBias: operand 0 of the epilogue is of type int; it must be "
                       "float or half",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::matMul(graph, a, b, prog, Tried::chosen(0), {b[0], {}}),
                       "poplin::matMul: operand 1 of the epilogue is an invalid tensor",
                       poputil::poplibs_error);
}

TEST_CASE("reading an operand that was not given is an error") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    poplar::Graph &graph = all.run.graph;
    poplar::program::Sequence &prog = all.run.prog;
    Tensor const a = all.input(FLOAT, all.random(FLOAT, {1, 3, 4}), {3, 4});
    Tensor const b = all.input(FLOAT, all.random(FLOAT, {1, 4, 5}), {4, 5});
    CHECK_THROWS_WITH_AS(poplin::matMul(graph, a, b, prog, BIAS_RELU),
                         "poplin::matMul: the epilogue reads operand 0; 0 were given",
                         poputil::poplibs_error);
    CHECK_THROWS_WITH_AS(poplin::matMul(graph, a, b, prog, Tried::mixed(1), {b[0], b[1]}),
                         "poplin::matMul: the epilogue reads operand 2; 2 were given",
                         poputil::poplibs_error);
    // Members decide too.
    CHECK_THROWS_WITH_AS(poplin::matMul(graph, a, b, prog, Tried::chosen(~0U), {b[0]}),
                         "poplin::matMul: the epilogue reads operand 4294967295; 1 was given",
                         poputil::poplibs_error);
    poplin::ConvParams const params = convCase(0);
    Tensor const in = poplin::createInput(graph, params, "in");
    Tensor const weights = poplin::createWeights(graph, params, "weights");
    CHECK_THROWS_WITH_AS(
        poplin::convolution(graph, in, weights, params, false, prog, BIAS_RELU_RESIDUAL, {b[0]}),
        "poplin::convolution: the epilogue reads operand 1; 1 was given", poputil::poplibs_error);
  });
}

TEST_CASE("on plain memory reading an operand that was not given is an error") {
  namespace raw = poplin::kernels;
  std::vector<float> const a(12, 1);
  std::vector<float> c(9);
  auto const left = raw::matrix(a.data(), 3, 4), right = raw::matrix(a.data(), 4, 3);
  CHECK_THROWS_WITH_AS(raw::matMul(left, right, raw::matrix(c.data(), 3, 3), Tried::chosen(0)),
                       "poplin::kernels::matMul: the epilogue reads operand 0; 0 were given",
                       poplar::poplar_error);
  raw::Convolution const conv(convCase(0));
  std::vector<float> const in(conv.inElements()), weights(conv.weightsElements());
  std::vector<float> out(conv.outElements());
  CHECK_THROWS_WITH_AS(raw::convolution(conv, in.data(), weights.data(), out.data(),
                                        Tried::chosen(1), {raw::EpilogueOperand(a.data())}),
                       "poplin::kernels::convolution: the epilogue reads operand 1; 1 was given",
                       poplar::poplar_error);
}

TEST_CASE("an operand that was not given and that only some sums read is NaN for them") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    Matrix const x = all.random(FLOAT, {1, 4, 3}), y = all.random(FLOAT, {1, 3, 5});
    Tensor const a = all.input(FLOAT, x, {4, 3}), b = all.input(FLOAT, y, {3, 5});
    Tensor const c = poplin::matMul(all.run.graph, a, b, all.run.prog, Tried::laterRows(), {b[0]});
    auto const out = all.run.output(c);
    all.run.run();
    for (std::size_t i = 0; i != 20; ++i)
      CHECK(std::isnan(all.run.values(out)[i]) == (i >= 10));
  });
}

TEST_CASE("epilogues on plain memory have the bits of those in a graph") {
  namespace raw = poplin::kernels;
  for (Shape const &s : {Shape{33, 65, 129}, {1, 300, 64}, {64, 300, 1}, {5, 0, 7}})
    for (bool turned : {false, true})
      for (unsigned threads : {1U, 2U}) {
        CAPTURE(sizeText(s));
        Numbers random(13);
        auto const floats = [&](std::size_t n) {
          Values const values = random.real(FLOAT, n);
          return std::vector<float>(values.begin(), values.end());
        };
        std::vector<float> const a = floats(s[0] * s[1]), b = floats(s[1] * s[2]);
        std::vector<float> const bias = floats(s[2]), scale = floats(s[0]);
        std::vector<float> const rest = floats(s[0] * s[2]);
        std::vector<float> plain(s[0] * s[2]), fused(s[0] * s[2]);
        raw::MatMulOptions options;
        options.threads = threads;
        auto const view = [&](std::vector<float> &c) {
          return turned ? raw::matrix(c.data(), s[2], s[0]).transposed()
                        : raw::matrix(c.data(), s[0], s[2]);
        };
        auto const left = raw::matrix(a.data(), s[0], s[1]);
        auto const right = raw::matrix(b.data(), s[1], s[2]);
        raw::matMul(left, right, view(plain), options);
        raw::matMul(left, right, view(fused), Tried::mixed(0.5F),
                    {raw::EpilogueOperand(bias.data()), raw::matrix(scale.data(), s[0], s[2], 1, 0),
                     raw::matrix(rest.data(), s[0], s[2])},
                    options);
        std::vector<float> expected = plain;
        for (std::size_t i = 0; i != s[0]; ++i)
          for (std::size_t j = 0; j != s[2]; ++j) {
            float &x = expected[turned ? j * s[0] + i : i * s[2] + j];
            x = (x + bias[j]) * scale[i] + rest[i * s[2] + j] * 0.5F;
          }
        CHECK(fused == expected);
      }
}

TEST_CASE("convolutions on plain memory pass through epilogues too") {
  namespace raw = poplin::kernels;
  for (unsigned number = 0; number != 6; ++number)
    for (unsigned threads : {1U, 3U}) {
      CAPTURE(number);
      poplin::ConvParams const params = convCase(number);
      raw::Convolution const conv(params, threads);
      Numbers random(14);
      auto const floats = [&](std::size_t n) {
        Values const values = random.real(FLOAT, n);
        return std::vector<float>(values.begin(), values.end());
      };
      std::vector<float> const in = floats(conv.inElements()),
                               weights = floats(conv.weightsElements());
      std::size_t const channels = params.getNumOutputChans();
      std::vector<float> const bias = floats(channels);
      std::vector<float> plain(conv.outElements()), fused(conv.outElements());
      conv(in.data(), weights.data(), plain.data());
      raw::convolution(conv, in.data(), weights.data(), fused.data(), Tried::scaled(2.5F),
                       {raw::EpilogueOperand(bias.data())});
      for (std::size_t i = 0; i != plain.size(); ++i)
        plain[i] = (plain[i] + bias[i % channels]) * 2.5F;
      CHECK(fused == plain);
    }
}

TEST_CASE("every instruction set of the machine gives the same bits") {
  namespace raw = poplin::kernels;
  Numbers random(15);
  Values const x = random.real(FLOAT, 40 * 70), y = random.real(FLOAT, 70 * 90);
  Values const z = random.real(FLOAT, 90);
  std::vector<float> const a(x.begin(), x.end()), b(y.begin(), y.end()), bias(z.begin(), z.end());
  std::vector<float> c(40 * 90);
  raw::matMul(
      raw::matrix(a.data(), 40, 70), raw::matrix(b.data(), 70, 90), raw::matrix(c.data(), 40, 90),
      epilogue::Add<0>{} | epilogue::Multiply<1>{} | epilogue::Scale{0.75F} | epilogue::Gelu{},
      {raw::EpilogueOperand(bias.data()), raw::EpilogueOperand(bias.data())});
  std::vector<float> plain(40 * 90);
  raw::matMul(raw::matrix(a.data(), 40, 70), raw::matrix(b.data(), 70, 90),
              raw::matrix(plain.data(), 40, 90));
  using One = cottonwood::simd<float, cottonwood::isa::scalar>;
  for (std::size_t i = 0; i != plain.size(); ++i)
    plain[i] =
        epilogue::math::gelu(One::splat((plain[i] + bias[i % 90]) * bias[i % 90] * 0.75F)).first();
  CHECK(c == plain);
}

TEST_SUITE_END();
