// Plans as they are emitted: what the model makes of them.
#include <bench/plan/Modelled.hpp>
#include <bench/plan/Picture.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <poplar/IPUModel.hpp>

using namespace cottonwood;
using namespace cottonwood::plan;

namespace {

Request requestFor(unsigned tiles, char const *partials) {
  poplar::IPUModel model("ipu2");
  model.tilesPerIPU = tiles;
  return {
      model.createDevice().getTarget(), poplar::HALF, poplar::HALF, {{"partialsType", partials}}};
}

std::vector<Shape> const &problems() {
  static std::vector<Shape> const all{
      {"product", Product{1, 96, 128, 80}, std::nullopt},
      {"groups", Product{6, 20, 100, 36}, std::nullopt},
      {"deep", Product{1, 24, 1500, 20}, std::nullopt},
      {"vector", Product{1, 1, 300, 500}, std::nullopt},
      {"3x3", std::nullopt, Convolution{2, 32, 48, 1, {14, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}}},
      {"stem", std::nullopt, Convolution{1, 3, 16, 1, {32, 32}, {7, 7}, {2, 2}, {3, 3}, {1, 1}}},
      {"1x1", std::nullopt, Convolution{2, 64, 96, 1, {7, 7}, {1, 1}, {1, 1}, {0, 0}, {1, 1}}},
      {"stride", std::nullopt, Convolution{2, 64, 96, 1, {14, 14}, {1, 1}, {2, 2}, {0, 0}, {1, 1}}},
      {"patches", std::nullopt, Convolution{2, 3, 64, 1, {32, 32}, {8, 8}, {8, 8}, {0, 0}, {1, 1}}},
      {"depthwise", std::nullopt,
       Convolution{2, 48, 48, 48, {14, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}}},
      {"few channels", std::nullopt,
       Convolution{1, 42, 63, 21, {12, 12}, {3, 3}, {2, 2}, {1, 1}, {1, 1}}},
      {"3-D", std::nullopt,
       Convolution{1, 8, 16, 1, {8, 8, 8}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}};
  return all;
}

} // namespace

TEST_SUITE_BEGIN("planner-bruteforce");

TEST_CASE(
    "of the ten plans that are predicted best, none is modelled much better than the chosen") {
  for (char const *partials : {"half", "float"})
    for (Shape const &shape : problems()) {
      CAPTURE(shape.name);
      CAPTURE(partials);
      Request const request = requestFor(64, partials);
      Figures const figures = planned(shape, request, false, 10);
      auto const chosen =
          static_cast<double>(modelled(shape, request, &figures.choice.plan).cycles);
      // Bounds that are asked of the planner: 10% from prediction to model, 5% from the best.
      CHECK(std::abs(figures.choice.cost.cycles / chosen - 1) <= 0.10);
      for (auto const &other : figures.choice.others) {
        CAPTURE(toText(other.plan));
        CHECK(chosen <= 1.05 * static_cast<double>(modelled(shape, request, &other.plan).cycles));
      }
    }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("plan/modelled");

TEST_CASE("targets have names") {
  CHECK(modelTarget("ipu1").getNumTiles() == 1216);
  CHECK(modelTarget("bow").getTileClockFrequency() == 1.85e9);
  CHECK_THROWS_WITH(modelTarget("ipu9"), doctest::Contains("there are ipu1, ipu2, ipu21 and bow"));
}

TEST_CASE("pictures show what is cut into how many parts") {
  Shape const &shape = problems()[0];
  Figures const figures = planned(shape, requestFor(64, "half"), false, 1);
  std::string const text = partitionPicture(figures.problem, figures.choice.plan);
  auto const has = [&](std::string const &part) { return text.find(part) != std::string::npos; };
  CHECK(has(std::to_string(figures.choice.plan.splitN) + " part"));
  CHECK(has(std::to_string(figures.choice.plan.splitY0) + " part"));
  CHECK(has("+-----+"));
}

TEST_SUITE_END();
