// Plans as they are emitted: what the model makes of them.
#include <bench/plan/Arrays.hpp>
#include <bench/plan/Chain.hpp>
#include <bench/plan/Modelled.hpp>
#include <bench/plan/Picture.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <poplar/IPUModel.hpp>
#include <tuple>

using namespace cottonwood;
using namespace cottonwood::plan;

namespace {

/// \param tiles  of each IPU
Request requestFor(unsigned tiles, char const *partials, unsigned ipus = 1) {
  poplar::IPUModel model("ipu2");
  model.tilesPerIPU = tiles;
  model.numIPUs = ipus;
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
      {"all of the field", std::nullopt,
       Convolution{2, 48, 32, 1, {4, 4}, {7, 7}, {1, 1}, {3, 3}, {1, 1}}},
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

TEST_CASE("reductions and lookups cost what their plans say") {
  auto const near = [](Shape const &shape) {
    CAPTURE(shape.name);
    Request request = requestFor(64, "half");
    request.options = {};
    ArrayFigures const figures = arrayFigures(shape, request, 0);
    CAPTURE(figures.plan);
    CAPTURE(figures.predicted.cycles);
    CHECK(std::abs(figures.predicted.cycles / static_cast<double>(figures.steps.cycles) - 1) <=
          0.10);
  };
  for (auto const &[outer, reduced, inner] :
       {std::tuple(1U, 100000U, 1U), std::tuple(1U, 500U, 70U), std::tuple(70U, 500U, 1U),
        std::tuple(9U, 100U, 40U), std::tuple(1U, 5000U, 8U), std::tuple(5000U, 50U, 1U)}) {
    Shape shape;
    shape.name =
        std::to_string(outer) + "x" + std::to_string(reduced) + "x" + std::to_string(inner);
    shape.reduction = Reduction{outer, reduced, inner};
    near(shape);
  }
  for (bool const update : {false, true})
    for (auto const &[entries, columns, indices] :
         {std::tuple(3000U, 64U, 100U), std::tuple(200U, 300U, 500U),
          std::tuple(10000U, 8U, 1000U)}) {
      Shape shape;
      shape.name = std::to_string(entries) + "x" + std::to_string(columns);
      shape.embedding = Embedding{entries, columns, indices, update};
      near(shape);
    }
}

TEST_CASE("a chain of products costs what its plans say, moves included") {
  Request const request = requestFor(64, "half");
  for (std::vector<std::uint64_t> const &sizes :
       {std::vector<std::uint64_t>{64, 96, 200, 80}, {512, 128, 64, 32, 16}, {8, 300, 500, 40}}) {
    ChainFigures const figures = chainFigures(sizes, request);
    CAPTURE(figures.products[0].name);
    REQUIRE(figures.chain.choices.size() == sizes.size() - 2);
    CHECK(figures.chain.cycles <= figures.chain.separate);
    auto const together = static_cast<double>(figures.together.cycles),
               separate = static_cast<double>(figures.separate.cycles);
    CHECK(std::abs(figures.chain.cycles / together - 1) <= 0.10);
    CHECK(std::abs(figures.chain.separate / separate - 1) <= 0.10);
  }
}

TEST_CASE("plans on several IPUs cost what they say, links included") {
  for (unsigned const ipus : {2U, 4U}) {
    std::vector<double> errors;
    bool crosses = false;
    for (Shape const &shape : problems()) {
      CAPTURE(shape.name);
      Request const request = requestFor(64, "half", ipus);
      Figures const figures = planned(shape, request, false, 1);
      crosses = crosses || figures.choice.plan.parts() > 64;
      Steps const steps = modelled(shape, request, &figures.choice.plan);
      CAPTURE(toText(figures.choice.plan));
      CAPTURE(steps.cycles);
      errors.push_back(
          std::abs(figures.choice.cost.cycles / static_cast<double>(steps.cycles) - 1));
      CHECK(errors.back() <= 0.10);
    }
    std::sort(errors.begin(), errors.end());
    CHECK(crosses);
    CHECK(errors[errors.size() / 2] <= 0.03);
  }
}

TEST_CASE("plans count the links that a target has") {
  Shape const &shape = problems()[0];
  poplar::IPUModel model("ipu2");
  model.tilesPerIPU = 16, model.numIPUs = 2;
  auto const request = [&] {
    return Request{model.createDevice().getTarget(), poplar::HALF, poplar::HALF, {}};
  };
  Figures const quick = planned(shape, request(), false, 1);
  model.globalExchangeConstraints = {{1e9, {{0, 1}}}, {1e9, {{1, 0}}}}; // a hundredth
  Figures const slow = planned(shape, request(), false, 1);
  REQUIRE(slow.machine.links.size() == 2);
  CHECK(slow.machine.links[0].bytesPerCycle == doctest::Approx(1e9 / 8 / 1.33e9));
  CHECK(slow.choice.cost.cycles > quick.choice.cost.cycles);
}

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
