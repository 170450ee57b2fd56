// Plans of operations element by element as they are emitted: what the model makes of them.
#include <bench/plan/Arrays.hpp>

#include <doctest/doctest.h>

#include <poplar/IPUModel.hpp>

#include <cmath>
#include <random>
#include <string>

using namespace cottonwood;
using namespace cottonwood::plan;

namespace {

constexpr unsigned TILES = 16;

Request request(poplar::Type const &type) {
  poplar::IPUModel model("ipu2");
  model.tilesPerIPU = TILES;
  return {model.createDevice().getTarget(), type, type, {}};
}

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned upTo(unsigned most) { return 1 + static_cast<unsigned>(engine_()) % most; }
  Mapping mapping() { return static_cast<Mapping>(upTo(4) - 1); }

private:
  std::mt19937 engine_;
};

Elements anyElements(Random &random) {
  static char const *const ops[] = {"exp", "sin", "add", "multiply", "power", "multiply-add-tanh"};
  Elements elements;
  elements.shape = {random.upTo(30), random.upTo(40), random.upTo(30)};
  elements.op = ops[random.upTo(6) - 1];
  switch (random.upTo(5)) {
  case 1:
    elements.other = {elements.shape[2]};
    break;
  case 2:
    elements.other = {elements.shape[1], 1};
    break;
  case 3:
    elements.other = {1};
    break;
  default:
    break;
  }
  elements.mapping = random.mapping();
  elements.otherMapping = random.mapping();
  elements.inPlace = random.upTo(2) == 1;
  if (elements.op == "exp" || elements.op == "sin")
    elements.other.clear(), elements.otherMapping = Mapping::Linear;
  return elements;
}

std::string textOf(Elements const &elements) {
  std::string text;
  for (auto const size : elements.shape)
    text += std::to_string(size) + " ";
  text += "with ";
  for (auto const size : elements.other)
    text += std::to_string(size) + " ";
  return text + "on " + std::to_string(static_cast<int>(elements.mapping)) + " and " +
         std::to_string(static_cast<int>(elements.otherMapping));
}

double errorOf(ArrayFigures const &figures) {
  return figures.predicted.cycles / static_cast<double>(figures.steps.cycles) - 1;
}

} // namespace

TEST_SUITE_BEGIN("planner-bruteforce");

TEST_CASE("of all plans of 40 random maps, none is modelled better than the chosen one") {
  Random random(31);
  for (unsigned trial = 0; trial != 40; ++trial) {
    Request const on = request(trial % 2 == 0 ? poplar::HALF : poplar::FLOAT);
    Elements const elements = anyElements(random);
    CAPTURE(trial);
    CAPTURE(elements.op);
    CAPTURE(textOf(elements));
    ArrayFigures const chosen = elementFigures(elements, on, 0);
    CAPTURE(chosen.plan);
    CHECK(std::abs(errorOf(chosen)) <= 0.10);
    CHECK(chosen.steps.temporaryBytes <= chosen.allowedBytes);
    double const cycles = static_cast<double>(chosen.steps.cycles);
    auto const tryPlan = [&](std::string const &plan, bool moves) {
      ArrayFigures figures;
      try {
        figures = elementFigures(elements, on, 0, planner::Constraints::parse(plan));
      } catch (planner::PlanError const &) {
        return; // there is none
      }
      CAPTURE(figures.plan);
      CAPTURE(figures.predicted.cycles);
      CAPTURE(figures.steps.cycles);
      CAPTURE(figures.steps.exchange);
      CHECK(std::abs(errorOf(figures)) <= 0.10);
      // Results stay where they usually lie unless a quarter is gained.
      double const share = moves && !elements.inPlace ? 0.75 : 1;
      CHECK(static_cast<double>(figures.steps.cycles) >= 0.95 * share * cycles);
    };
    for (char const *way : {"together=false,broadcasts=false", "together=false,broadcasts=true",
                            "together=true,broadcasts=false", "together=true,broadcasts=true"}) {
      tryPlan(std::string("place=result,") + way, false);
      for (char const *operand : {"0", "1", "2"})
        tryPlan(std::string("place=operand,operand=") + operand + "," + way, true);
    }
    std::uint64_t const n = elements.shape[0] * elements.shape[1] * elements.shape[2];
    std::uint64_t const grain = on.inputType == poplar::HALF ? 4 : 2;
    std::uint64_t last = 0;
    for (unsigned parts = 1; parts <= TILES; ++parts) {
      std::uint64_t const size = ((n + grain - 1) / grain + parts - 1) / parts * grain;
      if (size != last)
        tryPlan("place=even,onTile=" + std::to_string(size), true);
      last = size;
    }
  }
}

TEST_CASE("casts of 24 random tensors are modelled as predicted") {
  Random random(32);
  static char const *const types[] = {"half", "float", "int", "uchar"};
  for (unsigned trial = 0; trial != 24; ++trial) {
    Conversion conversion;
    conversion.shape = {random.upTo(200), random.upTo(100)};
    conversion.from = types[random.upTo(2) - 1];
    do
      conversion.to = types[random.upTo(4) - 1];
    while (conversion.to == conversion.from);
    conversion.mapping = random.mapping();
    if (trial % 3 != 0)
      conversion.resultMapping = random.mapping();
    CAPTURE(trial);
    ArrayFigures const figures = conversionFigures(conversion, request(poplar::HALF), 0);
    CAPTURE(figures.plan);
    CHECK(std::abs(errorOf(figures)) <= 0.10);
    CHECK(figures.steps.temporaryBytes <= figures.allowedBytes);
  }
}

TEST_CASE("of the ways of 24 random copies, none is modelled much better than the chosen one") {
  Random random(33);
  for (unsigned trial = 0; trial != 24; ++trial) {
    Movement movement;
    movement.shape = {random.upTo(20), 4 * random.upTo(20), 4 * random.upTo(20)};
    movement.transposed = trial % 4 != 0;
    movement.mapping = random.mapping();
    movement.resultMapping = random.mapping();
    Request const on = request(trial % 2 == 0 ? poplar::HALF : poplar::FLOAT);
    CAPTURE(trial);
    ArrayFigures const chosen = movementFigures(movement, on, 0);
    CAPTURE(chosen.plan);
    CAPTURE(chosen.predicted.cycles);
    CAPTURE(chosen.steps.cycles);
    CHECK(std::abs(errorOf(chosen)) <= 0.10);
    for (char const *way : {"way=direct", "way=transpose-first", "way=move-first"})
      try {
        ArrayFigures const figures =
            movementFigures(movement, on, 0, planner::Constraints::parse(way));
        CAPTURE(figures.plan);
        CAPTURE(figures.predicted.cycles);
        CAPTURE(figures.steps.cycles);
        CHECK(std::abs(errorOf(figures)) <= 0.30);
        CHECK(static_cast<double>(figures.steps.cycles) >=
              0.8 * static_cast<double>(chosen.steps.cycles));
      } catch (planner::PlanError const &) { // there is no such way
      }
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("plan/elements");

TEST_CASE("a second operand of operations that have one is refused") {
  Elements elements;
  elements.shape = {8, 8}, elements.op = "exp", elements.other = {8};
  auto const text = "--with and --with-mapping are of a second operand; 'exp' has one";
  CHECK_THROWS_WITH(elementFigures(elements, request(poplar::HALF), 0, {}), text);
  elements.other.clear(), elements.otherMapping = Mapping::One;
  CHECK_THROWS_WITH(elementFigures(elements, request(poplar::HALF), 0, {}), text);
}

TEST_SUITE_END();
