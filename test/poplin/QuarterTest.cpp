// Products and convolutions of 8-bit floats, on CPUs, on tiles with units for them and on others.
#include "Convolutions.hpp"

#include <poplar/MetadataCreation.hpp>
#include <poplar/Quarter.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/MultiConvolution.hpp>
#include <popops/Cast.hpp>
#include <poputil/exceptions.hpp>

#include <limits>
#include <sstream>

using namespace convolutions;
using poplar::QUARTER;
using poplar::QuarterMetadata;
using poputil::poplibs_error;
using products::Matrix;
using Format = QuarterMetadata::Format;

namespace {

poplar::Device modelOfGeneration(char const *version, unsigned tiles) {
  poplar::IPUModel ipu(version);
  ipu.numIPUs = 1;
  ipu.tilesPerIPU = tiles;
  return ipu.createDevice();
}

std::vector<DeviceMaker> const DEVICES{
    [] { return poplar::Device::createCPUDevice(); },
    [] { return modelOfGeneration("ipu21", 1); },
    [] { return modelOfGeneration("ipu21", 12); },
    [] { return modelOfGeneration("ipu2", 5); },
};

QuarterMetadata const LEFT(Format::F143, 3), RIGHT(Format::F152, -5);

/// Numbers that the format has: integers of its bits of significand times small powers of two.
Values numbersOf(Numbers &random, QuarterMetadata metadata, std::size_t count) {
  long const most = metadata.getFormat() == Format::F143 ? 15 : 7;
  Values values = random.integer(count, -most, most);
  Values const exponents = random.integer(count, -3, 2);
  for (std::size_t i = 0; i != count; ++i)
    values[i] = std::ldexp(values[i], metadata.getScale() + static_cast<int>(exponents[i]));
  return values;
}

struct Quarters : Products {
  using Products::Products;

  Tensor metadata(QuarterMetadata of) {
    return poplar::createConstantMetadataTensor(run.graph, of.getFormat(), of.getScale());
  }
  /// \returns  a tensor that holds the numbers
  Tensor quarters(QuarterMetadata of, Shape const &shape, Values const &values) {
    return popops::cast(run.graph, run.input(FLOAT, shape, values), QUARTER, metadata(of),
                        run.prog);
  }
  /// Fills a tensor that poplin made, which has metadata of its own.
  void fill(Tensor const &t, QuarterMetadata of, Values const &values) {
    run.prog.add(poplar::program::Copy(metadata(of), t.getMetadata()));
    run.prog.add(poplar::program::Copy(quarters(of, t.shape(), values), t));
  }
  Matrix matrix(QuarterMetadata of, Shape const &shape) {
    return {shape, numbersOf(numbers, of, product(shape))};
  }
};

/// Partial results are half on tiles that multiply 8-bit floats.
Expectation sumsOf(Matrix const &a, Matrix const &b) {
  return products::expectation(a, b, HALF, HALF);
}

template <class F> void onAll(F const &test) {
  for (DeviceMaker const &device : DEVICES) {
    CAPTURE(device().getTarget().getTargetArchString());
    CAPTURE(device().getTarget().getNumTiles());
    test(device);
  }
}

} // namespace

TEST_SUITE_BEGIN("poplin/quarter");

TEST_CASE("products of two formats and scales") {
  onAll([](DeviceMaker const &device) {
    Quarters all(device);
    auto &g = all.run.graph;
    // Scales may be such that half has no place for an operand.
    QuarterMetadata const large(Format::F152, 31), small(Format::F143, -32);
    for (auto const &[groups, m, k, n, isExtreme] :
         {std::tuple(1U, 1U, 1U, 1U, false), std::tuple(1U, 7U, 33U, 5U, true),
          std::tuple(3U, 4U, 64U, 70U, false), std::tuple(2U, 37U, 130U, 19U, false)}) {
      QuarterMetadata const leftData = isExtreme ? large : LEFT,
                            rightData = isExtreme ? small : RIGHT;
      Matrix const a = all.matrix(leftData, {groups, m, k}),
                   b = all.matrix(rightData, {groups, k, n});
      Tensor const left = all.quarters(leftData, a.shape, a.values);
      Values transposed;
      for (std::size_t x = 0; x != groups; ++x)
        for (std::size_t j = 0; j != n; ++j)
          for (std::size_t p = 0; p != k; ++p)
            transposed.push_back(b.at(x, p, j));
      Tensor const right =
          all.quarters(rightData, {groups, n, k}, transposed).dimShuffle({0, 2, 1});
      all.expect(products::sizeText({groups, m, k, n}),
                 poplin::matMulGrouped(g, left, right, all.run.prog, HALF), sumsOf(a, b));
    }
    all.runAndCheck();
  });
}

TEST_CASE("operands that are made for a product, and results that are added to") {
  onAll([](DeviceMaker const &device) {
    Quarters all(device);
    auto &g = all.run.graph;
    Matrix const a = all.matrix(LEFT, {1, 24, 48}), b = all.matrix(RIGHT, {1, 48, 40});
    Tensor const left = poplin::createMatMulInputLHS(g, QUARTER, {24, 48}, {48, 40}, "a"),
                 right = poplin::createMatMulInputRHS(g, QUARTER, HALF, {24, 48}, {48, 40}, "b");
    CHECK(left.elementType() == QUARTER);
    all.fill(left, LEFT, a.values);
    all.fill(right, RIGHT, b.values);
    Tensor const product = poplin::matMul(g, left, right, all.run.prog);
    CHECK(product.elementType() == HALF);
    all.expect("product", product, sumsOf(a, b));

    Tensor const sum = poplin::createMatMulOutput(g, QUARTER, {24, 48}, {48, 40}, "sum");
    CHECK(sum.elementType() == HALF);
    all.run.write(sum, Values(24 * 40, 2));
    poplin::matMulAcc(g, sum, 0.5F, left, right, all.run.prog);
    Expectation e = sumsOf(a, b);
    for (std::size_t i = 0; i != e.values.size(); ++i) {
      e.values[i] = 2 + e.values[i] / 2;
      e.bounds[i] += epsilonOf(HALF) * std::fabs(e.values[i]);
    }
    all.expect("sum", sum, e);
    all.runAndCheck();
  });
}

TEST_CASE("the pattern that is not a number") {
  onAll([](DeviceMaker const &device) {
    Quarters all(device);
    Matrix a = all.matrix(LEFT, {1, 3, 4}), b = all.matrix(RIGHT, {1, 4, 2});
    a.values[5] = std::numeric_limits<double>::infinity();
    Tensor const left = all.quarters(LEFT, {3, 4}, a.values);
    a.values[5] = std::nan("");
    all.expect(
        "product",
        poplin::matMul(all.run.graph, left, all.quarters(RIGHT, {4, 2}, b.values), all.run.prog),
        sumsOf(a, b));
    all.runAndCheck();
  });
}

TEST_CASE("convolutions and their gradients") {
  onAll([](DeviceMaker const &device) {
    Quarters all(device);
    auto &g = all.run.graph;
    ConvParams p[] = {
        same(QUARTER, 2, {6, 5}, {3, 3}, 5, 7), same(QUARTER, 1, {8, 8}, {3, 3}, 3, 20, 1, 2),
        same(QUARTER, 2, {4, 4}, {1, 1}, 40, 36), same(QUARTER, 1, {5, 4}, {3, 2}, 1, 1, 6),
        same(QUARTER, 1, {3, 3}, {3, 3}, 16, 8)};
    for (ConvParams &params : p) {
      params.outputType = HALF;
      Values const in = numbersOf(all.numbers, LEFT, product(inShape(params))),
                   weights = numbersOf(all.numbers, RIGHT, product(weightsShape(params))),
                   deltas = numbersOf(all.numbers, RIGHT, product(outShape(params)));
      Tensor const x = poplin::createInput(g, params, "in"),
                   w = poplin::createWeights(g, params, "weights");
      REQUIRE(x.elementType() == QUARTER);
      all.fill(x, LEFT, in);
      all.fill(w, RIGHT, weights);
      Tensor const plain = all.quarters(LEFT, inShape(params), in);
      Expectation const e = forward(params, in, weights, HALF);
      all.expect("made", poplin::convolution(g, x, w, params, false, all.run.prog), e);
      all.expect("plain", poplin::convolution(g, plain, w, params, false, all.run.prog), e);

      Tensor const dy = all.quarters(RIGHT, outShape(params), deltas);
      Expectation gradient = inputGradient(params, deltas, weights, HALF);
      all.expect(
          "input gradient",
          poplin::convolution(g, dy, w, poplin::getGradientParams(params), true, all.run.prog),
          gradient);
      all.expect("weight gradient", poplin::calculateWeightDeltas(g, dy, x, params, all.run.prog),
                 weightGradient(params, deltas, in, HALF));
    }
    all.runAndCheck();
  });
}

TEST_CASE("taps as channels, and outputs as channels") {
  Quarters all(DEVICES[2]);
  auto const convolve = [&](Shape const &field, Shape const &kernel, char const *transform) {
    ConvParams p = same(QUARTER, 1, field, kernel, 3, 8);
    p.outputType = HALF;
    Values const in = numbersOf(all.numbers, LEFT, product(inShape(p))),
                 weights = numbersOf(all.numbers, RIGHT, product(weightsShape(p)));
    all.expect(
        transform,
        poplin::convolution(
            all.run.graph, all.quarters(LEFT, inShape(p), in),
            all.quarters(RIGHT, weightsShape(p), weights), p, false, all.run.prog, "conv",
            {{"planConstraints", std::string(R"({"0": {"transform": )") + transform + "}}"}}),
        forward(p, in, weights, HALF));
  };
  convolve({6, 6}, {3, 3}, R"({"expandDims": [0, 1]})");
  convolve({3, 3}, {5, 5}, R"({"outChanFlattenDims": [0, 1]})");
  all.runAndCheck();
}

TEST_CASE("convolutions side by side") {
  onAll([](DeviceMaker const &device) {
    Quarters all(device);
    std::vector<poplin::multiconv::ConvolutionArgs> convs;
    std::vector<Expectation> expected;
    for (std::size_t const channels : {20, 40}) {
      ConvParams p = same(QUARTER, 1, {4, 4}, {3, 3}, channels, 16);
      p.outputType = HALF;
      Values const in = numbersOf(all.numbers, LEFT, product(inShape(p))),
                   weights = numbersOf(all.numbers, RIGHT, product(weightsShape(p)));
      convs.push_back({all.quarters(LEFT, inShape(p), in),
                       all.quarters(RIGHT, weightsShape(p), weights),
                       p,
                       {}});
      expected.push_back(forward(p, in, weights, HALF));
    }
    auto const results =
        poplin::multiconv::convolution(all.run.graph, convs, false, all.run.prog, "convs");
    for (std::size_t i = 0; i != results.size(); ++i)
      all.expect("part", results[i], expected[i]);
    all.runAndCheck();
  });
}

TEST_CASE("weights that are laid out anew bring their metadata") {
  onAll([](DeviceMaker const &device) {
    Quarters all(device);
    auto &g = all.run.graph;
    Matrix const a = all.matrix(LEFT, {1, 24, 48}), b = all.matrix(RIGHT, {1, 48, 40});
    Tensor const left = all.quarters(LEFT, {24, 48}, a.values),
                 right = all.quarters(RIGHT, {48, 40}, b.values);
    Tensor const arranged = poplin::preArrangeMatMulInputRHS(g, {24, 48}, right, all.run.prog);
    all.expect("arranged", poplin::matMul(g, left, arranged, all.run.prog), sumsOf(a, b));

    ConvParams p = same(QUARTER, 1, {5, 5}, {3, 3}, 6, 10);
    p.outputType = HALF;
    Values const weights = numbersOf(all.numbers, RIGHT, product(weightsShape(p))),
                 deltas = numbersOf(all.numbers, RIGHT, product(outShape(p)));
    Tensor const w = all.quarters(RIGHT, weightsShape(p), weights),
                 dy = all.quarters(RIGHT, outShape(p), deltas);
    ConvParams const gradient = poplin::getGradientParams(p);
    Tensor const turned = poplin::createWeights(g, gradient, "turned");
    poplin::weightsTransposeChansFlipXY(g, w, turned, all.run.prog);
    all.expect("turned", poplin::convolution(g, dy, turned, gradient, false, all.run.prog),
               inputGradient(p, deltas, weights, HALF));
    // Every number of RIGHT's has a place in twice as many.
    Tensor const fixed = g.clone(all.metadata(QuarterMetadata(Format::F152, -4)), turned);
    poplin::weightsTransposeChansFlipXY(g, w, fixed, all.run.prog);
    all.expect("fixed", poplin::convolution(g, dy, fixed, gradient, false, all.run.prog),
               inputGradient(p, deltas, weights, HALF));
    all.runAndCheck();
  });
}

TEST_CASE("metadata that change between runs") {
  for (DeviceMaker const &device : DEVICES) {
    Quarters all(device);
    auto &g = all.run.graph;
    Matrix const a = all.matrix(LEFT, {1, 4, 8}), b = all.matrix(RIGHT, {1, 8, 3});
    Tensor const own = g.addVariable(poplar::QUARTER_METADATA, {1}, "metadata");
    g.setTileMapping(own, 0);
    Tensor const left = g.addVariable(QUARTER, own, {4, 8}, "left");
    g.setTileMapping(left, 0);
    all.run.prog.add(poplar::program::Copy(all.quarters(LEFT, {4, 8}, a.values), left));
    Tensor const right = all.quarters(RIGHT, {8, 3}, b.values);
    for (int const scale : {int{LEFT.getScale()}, LEFT.getScale() + 2}) {
      all.run.prog.add(poplar::program::Copy(
          all.metadata(QuarterMetadata(Format::F143, static_cast<signed char>(scale))), own));
      Tensor const product = poplin::matMul(g, left, right, all.run.prog);
      Matrix scaled = a;
      for (double &x : scaled.values)
        x = std::ldexp(x, scale - LEFT.getScale());
      all.expect("scaled", product, sumsOf(scaled, b));
    }
    all.runAndCheck();
  }
}

TEST_CASE("tiles with units for 8-bit floats use them at twice the rate of half") {
  poplar::Device const device = modelOfGeneration("ipu21", 8);
  auto const cyclesOf = [&](Type const &type) {
    poplar::Graph graph(device.getTarget());
    ConvParams const p(type, HALF, 4, {8, 8}, {1, 1}, 256, 256, 1);
    std::ostringstream text;
    poplin::reportPlanInfo(text, graph, p, {{"partialsType", "half"}});
    if (type == QUARTER)
      CHECK(text.str().find("input=quarter") != std::string::npos);
    return static_cast<double>(
        poplin::reportPlanEstimatedCosts(graph, p, {{"partialsType", "half"}}).cycles);
  };
  double const half = cyclesOf(HALF), quarter = cyclesOf(QUARTER);
  CHECK(quarter < half);
  CHECK(quarter > half / 2.2);
  poplar::Graph graph(device.getTarget());
  ConvParams const p(QUARTER, HALF, 4, {8, 8}, {1, 1}, 256, 256, 1);
  CHECK(poplin::getFwdPerfectCycleCount(graph, p) == 4 * 64 * 256 * 256 / (8. * 16 * 8));
}

TEST_CASE("results are half") {
  Run run([] { return poplar::Device::createCPUDevice(); });
  Tensor const t = run.graph.addVariable(QUARTER, {4, 4}, "t");
  run.graph.setTileMapping(t, 0);
  CHECK_THROWS_WITH_AS(poplin::matMul(run.graph, t, t, run.prog, FLOAT),
                       "poplin::matMul: the type of the result is float; with quarter operands it "
                       "must be half",
                       poplibs_error);
  ConvParams const p = same(QUARTER, 1, {4}, {3}, 2, 2);
  CHECK_THROWS_WITH_AS(poplin::createWeights(run.graph, p),
                       "poplin::createWeights: the type of the output is quarter; with quarter "
                       "operands it must be half",
                       poplibs_error);
}

TEST_SUITE_END();
