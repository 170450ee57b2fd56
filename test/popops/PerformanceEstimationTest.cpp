#include "Harness.hpp"

#include <popops/Cast.hpp>
#include <popops/Fill.hpp>
#include <popops/PerformanceEstimation.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>

#include <functional>

TEST_SUITE_BEGIN("popops/performanceEstimation");

using namespace harness;
using namespace popops::internal;
using poplar::BOOL;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_CHAR;
using poplar::UNSIGNED_INT;
using poputil::poplibs_error;

namespace {

// A graph on one of two tiles, and what its vertices took when it ran.
class Profiled {
public:
  Profiled() : device_(modelOf(2)), graph(device_.getTarget()) { popops::addCodelets(graph); }

  Tensor variable(poplar::Type const &type, Shape const &shape) {
    Tensor const t = graph.addVariable(type, shape);
    graph.setTileMapping(t, 0);
    return t;
  }

  /// Of the one vertex of that type.
  std::uint64_t cyclesOf(std::string const &vertex) {
    poplar::Engine engine(graph, prog);
    engine.load(device_);
    engine.run(0);
    auto const profile = engine.getExecutionProfile();
    auto const &type = profile["vertexTypes"][vertex];
    CHECK(type["instances"].asUint() == 1);
    return type["cycles"].asUint();
  }

private:
  poplar::Device device_;

public:
  poplar::Graph graph;
  poplar::program::Sequence prog;
};

poplar::Target ipu() { return modelOf(2).getTarget(); }

std::uint64_t up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

std::string nameOf(poplar::Type const &type) { return type.toString().cloneAsString(); }

} // namespace

TEST_CASE("casts cost what profiles show") {
  // Cycles of the loop for so many elements of one worker, as the vertices' table has them.
  auto const words = [](std::uint64_t each, std::uint64_t cycles) { return up(each, 4) * cycles; };
  struct Pair {
    poplar::Type from, to;
    std::function<std::uint64_t(std::uint64_t)> loop;
  };
  Pair const pairs[] = {{HALF, FLOAT, [](std::uint64_t n) { return up(n, 2); }},
                        {FLOAT, HALF, [&](std::uint64_t n) { return words(n, 2); }},
                        {HALF, UNSIGNED_CHAR, [&](std::uint64_t n) { return words(n, 16); }},
                        {BOOL, HALF, [&](std::uint64_t n) { return words(n, 9); }},
                        {INT, poplar::LONGLONG, [](std::uint64_t n) { return 5 * n; }},
                        {FLOAT, INT, [](std::uint64_t n) { return 2 * n; }}};
  for (Pair const &pair : pairs) {
    CAPTURE(nameOf(pair.from));
    CAPTURE(nameOf(pair.to));
    CastTargetParameters const params(ipu(), pair.from, pair.to);
    CHECK(params.numWorkerContexts == 6);
    CHECK(params.dataPathWidth == 64);
    CHECK(params.fromTypeSize == ipu().getTypeSize(pair.from));
    CHECK(params.toTypeSize == ipu().getTypeSize(pair.to));
    for (unsigned n : {1U, 6U, 7U, 100U}) {
      Profiled p;
      popops::cast(p.graph, p.variable(pair.from, {n}), pair.to, p.prog);
      std::uint64_t const cycles = getCast1DCycleEstimate(params, pair.from, pair.to, n);
      CHECK(cycles == 12 + 6 * (37 + pair.loop(up(n, 6))));
      CHECK(cycles ==
            p.cyclesOf("popops::Cast<" + nameOf(pair.from) + "," + nameOf(pair.to) + ">"));
      CHECK(getCast1DSingleWorkerCycleEstimate(params, pair.from, pair.to, n) == 37 + pair.loop(n));
    }
    std::vector<unsigned> counts{3, 0, 8};
    CHECK(getCast2DCycleEstimate(params, pair.from, pair.to, counts) ==
          3 * 37 + pair.loop(3) + pair.loop(8));
    CHECK(counts == std::vector<unsigned>{3, 0, 8});
  }
  CastTargetParameters const params(ipu(), INT, INT);
  CHECK(getCast1DCycleEstimate(params, INT, INT, 12) == 12 + 6 * (37 + 4));
}

TEST_CASE("fills of one worker cost 64 bits a cycle") {
  FillTargetParameters const params(ipu());
  CHECK(params.dataPathWidth == 64);
  CHECK(getFill1DCycleEstimate(params, FLOAT, 5) == 26 + 3);
  CHECK(getFill1DCycleEstimate(params, HALF, 5) == 26 + 2);
  CHECK(getFill1DCycleEstimate(params, BOOL, 8) == 26 + 1);
  CHECK(getFill1DCycleEstimate(params, poplar::LONGLONG, 5) == 26 + 5);
  CHECK(getFill2DCycleEstimate(params, FLOAT, {5, 0, 2}) == 3 * 26 + 3 + 1);
  CHECK(getFill2DCycleEstimate(params, FLOAT, {}) == 0);
  Profiled p; // six workers with five elements each
  popops::fill(p.graph, p.variable(HALF, {30}), p.prog, 1);
  CHECK(p.cyclesOf("popops::Fill<half>") == 6 * getFill1DCycleEstimate(params, HALF, 5));
}

TEST_CASE("scaled sums cost what profiles show") {
  auto const layout = poplar::layout::Vector::OnePtr;
  for (auto const &types : {std::pair(FLOAT, FLOAT),
                            {HALF, HALF},
                            {FLOAT, HALF},
                            {HALF, FLOAT},
                            {INT, INT},
                            {UNSIGNED_INT, UNSIGNED_INT}}) {
    poplar::Type const &a = types.first, &b = types.second;
    std::string const name = "<" + nameOf(a) + "," + nameOf(b) + ">";
    CAPTURE(name);
    ScaledArithmeticTargetParameters const params(ipu(), a);
    CHECK(params.numWorkerContexts == 6);
    CHECK(params.vectorWidth == ipu().getVectorWidth(a));
    auto const estimate = [&](ScaledArithmeticOp op, unsigned n) {
      return getScaledArithmeticSupervisorCycleEstimate(params, a, b, false, op, layout, layout, n);
    };
    for (unsigned n : {1U, 12U, 13U, 200U}) {
      Profiled add, axpby;
      popops::scaledAddTo(add.graph, add.variable(a, {n}), add.variable(b, {n}), 2.f, add.prog);
      popops::scaledAddTo(axpby.graph, axpby.variable(a, {n}), 3.f, axpby.variable(b, {n}), 2.f,
                          axpby.prog);
      std::uint64_t const cycles = add.cyclesOf("popops::ScaledAdd" + name);
      CHECK(estimate(ScaledArithmeticOp::ADD, n) == cycles);
      CHECK(estimate(ScaledArithmeticOp::SUBTRACT, n) == cycles);
      std::uint64_t const both = axpby.cyclesOf("popops::Axpby" + name);
      CHECK(estimate(ScaledArithmeticOp::AXPLUSBY, n) == both);
      CHECK(estimate(ScaledArithmeticOp::AXMINUSBY, n) == both);
    }
  }
  // 100 vectors of two, 17 for the busiest worker: the first and the last outside of the loop.
  ScaledArithmeticTargetParameters const params(ipu(), FLOAT);
  CHECK(getScaledArithmeticSupervisorCycleEstimate(params, FLOAT, FLOAT, true,
                                                   ScaledArithmeticOp::ADD, layout, layout,
                                                   200) == 63 + 6 * (24 + 3 * 16 + 5));
}

TEST_CASE("estimates can be asked of a CPU") {
  auto const target = cpu().getTarget();
  CHECK(getCast1DCycleEstimate({target, HALF, FLOAT}, HALF, FLOAT, 8) >= 37);
}

TEST_CASE("what no vertex does has no estimate") {
  auto const target = ipu();
  CastTargetParameters cast(target, FLOAT, HALF);
  CHECK_THROWS_WITH_AS(getCast1DCycleEstimate(cast, FLOAT, poplar::LONGLONG, 1),
                       "popops::internal::getCast1DCycleEstimate: from float to long long; "
                       "allowed: float, half, bool and integers of up to 32 bits to each other, "
                       "the latter two also to 64-bit integers",
                       poplibs_error);
  CHECK_THROWS_AS(
      getCast1DSingleWorkerCycleEstimate(cast, poplar::LONGLONG, poplar::UNSIGNED_LONGLONG, 1),
      poplibs_error);
  cast.numWorkerContexts = 0;
  CHECK_THROWS_WITH_AS(getCast1DCycleEstimate(cast, FLOAT, HALF, 1),
                       "popops::internal::getCast1DCycleEstimate: numWorkerContexts = 0; it must "
                       "be at least 1",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(getFill1DCycleEstimate(target, poplar::QUARTER, 1),
                       "popops::internal::getFill1DCycleEstimate: elements of type quarter; "
                       "allowed: float, half, bool, and integers but long and unsigned long",
                       poplibs_error);
  auto const layout = poplar::layout::Vector::Span;
  CHECK_THROWS_WITH_AS(getScaledArithmeticSupervisorCycleEstimate({target, INT}, INT, FLOAT, false,
                                                                  ScaledArithmeticOp::ADD, layout,
                                                                  layout, 1),
                       "popops::internal::getScaledArithmeticSupervisorCycleEstimate: data of "
                       "types int and float; allowed: float or half each, or both int, or both "
                       "unsigned int",
                       poplibs_error);
}

TEST_SUITE_END();
