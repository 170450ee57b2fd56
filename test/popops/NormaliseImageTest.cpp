#include "Harness.hpp"

#include <popops/NormaliseImage.hpp>
#include <poputil/exceptions.hpp>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::UNSIGNED_CHAR;
using poputil::poplibs_error;

TEST_SUITE_BEGIN("popops/normaliseimage");

TEST_CASE("pixels are scaled, shifted and get a fourth channel of 0") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Numbers numbers;
    struct Result {
      std::size_t output;
      Values expected;
      double epsilon;
    };
    std::vector<Result> results;
    for (poplar::Type const &type : {UNSIGNED_CHAR, HALF, FLOAT})
      for (Shape const &shape : {Shape{1, 3}, {5, 3}, {2, 9, 11, 3}, {0, 3}}) {
        Values const in = type == UNSIGNED_CHAR ? numbers.integer(product(shape), 0, 255)
                                                : numbers.real(type, product(shape));
        poplar::Type const outType = type == FLOAT ? FLOAT : HALF;
        Values const offsets{0.5, -0.25, 0.125}, scales{2, 0.5, 4};
        double const inScale = 0.0625;
        Tensor const t = popops::createNormaliseImageInput(g, type, shape);
        run.write(t, in);
        Tensor const out = popops::normaliseImage(g, run.prog, t, static_cast<float>(inScale),
                                                  run.input(outType, {3}, offsets),
                                                  run.input(outType, {3}, scales));
        auto expectedShape = shape;
        expectedShape.back() = 4;
        CHECK(out.shape() == expectedShape);
        CHECK(out.elementType() == outType);
        Values expected;
        for (std::size_t i = 0; i != in.size(); ++i) {
          expected.push_back((in[i] * inScale - offsets[i % 3]) * scales[i % 3]);
          if (i % 3 == 2)
            expected.push_back(0);
        }
        results.push_back({run.output(out), expected, epsilonOf(outType)});
      }
    run.run();
    for (Result const &result : results)
      checkClose(run.values(result.output), result.expected, result.epsilon, 4, 1);
  });
}

TEST_CASE("inputs that do not fit are errors") {
  Run run(model);
  auto &g = run.graph;
  Tensor const t = popops::createNormaliseImageInput(g, FLOAT, {60, 3}),
               three = run.input(FLOAT, {3}, {1, 1, 1}), half = run.input(HALF, {3}, {1, 1, 1});
  CHECK_THROWS_WITH_AS(
      popops::createNormaliseImageInput(g, poplar::INT, {4, 3}),
      "popops::createNormaliseImageInput: images of type int; allowed: unsigned char, half, float",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::createNormaliseImageInput(g, FLOAT, {3}),
                       "popops::createNormaliseImageInput: an image of shape [3]; it must be "
                       "[..., 3] of rank 2 or more",
                       poplibs_error);
  CHECK_THROWS_AS(popops::normaliseImage(g, run.prog, t.transpose(), 1, three, three),
                  poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::normaliseImage(g, run.prog, t, 1, half, three),
      "popops::normaliseImage: 'offsets' has shape [3] of type half; it must be [3] of type float",
      poplibs_error);
  CHECK_THROWS_AS(popops::normaliseImage(g, run.prog, t, 1, three, three.slice(0, 2)),
                  poplibs_error);
  CHECK_THROWS_WITH_AS(popops::normaliseImage(g, run.prog, t, 0, three, three),
                       "popops::normaliseImage: 'inScale' is 0; it must not be", poplibs_error);
  Tensor const spread = g.addVariable(FLOAT, {60, 3});
  for (unsigned i = 0; i != 180; ++i)
    g.setTileMapping(spread.flatten().slice(i, i + 1), i % 7);
  CHECK_THROWS_WITH_AS(popops::normaliseImage(g, run.prog, spread, 1, three, three),
                       "popops::normaliseImage: tile 0 holds 26 runs of 'tIn', the first of "
                       "elements 0 to 1; it must be one run of whole pixels, see "
                       "createNormaliseImageInput",
                       poplibs_error);
}

TEST_SUITE_END();
