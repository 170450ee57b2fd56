#include "Harness.hpp"

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
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
using popops::expr::BinaryOpType;
using poputil::poplibs_error;

namespace {

// A graph on two tiles, and what its vertices took when it ran.
class Profiled {
public:
  Profiled() : device_(modelOf(2)), graph(device_.getTarget()) { popops::addCodelets(graph); }

  Tensor variable(poplar::Type const &type, Shape const &shape) {
    Tensor const t = graph.addVariable(type, shape);
    graph.setTileMapping(t, 0);
    return t;
  }

  /// n elements on each tile, so that each computes its own.
  Tensor onBoth(poplar::Type const &type, std::size_t n) {
    Tensor const t = graph.addVariable(type, {2 * n});
    graph.setTileMapping(t.slice(0, n), 0);
    graph.setTileMapping(t.slice(n, 2 * n), 1);
    return t;
  }

  /// Of one vertex of that type; there are as many as said, all alike.
  std::uint64_t cyclesOf(std::string const &vertex, unsigned instances = 1) {
    poplar::Engine engine(graph, prog);
    engine.load(device_);
    engine.run(0);
    auto const profile = engine.getExecutionProfile();
    auto const &type = profile["vertexTypes"][vertex];
    CHECK(type["instances"].asUint() == instances);
    CHECK(type["cycles"].asUint() % instances == 0);
    return type["cycles"].asUint() / instances;
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

TEST_CASE("loops take their turns, rounded up") {
  CHECK(basicOpLoopCycles(0, 4, 3) == 0);
  CHECK(basicOpLoopCycles(8, 4, 3) == 6);
  CHECK(basicOpLoopCycles(9, 4, 3) == 9);
  CHECK(basicOpLoopCycles(4294967295U, 1, 4294967295U) == 18446744065119617025U);
  CHECK(basicOpSupervisorOverhead() == 11);
  CHECK(basicOpSupervisorOverhead(true) == 11);
  auto const target = ipu();
  CHECK(binaryOpInnerLoopCycles(target, HALF, 2, true, 9, 5) == 3 * 7);
  CHECK(binaryOpInnerLoopCycles(target, FLOAT, 2, true, 9, 5) == 5 * 7);
  CHECK(binaryOpInnerLoopCycles(target, HALF, 2, false, 9, 5) == 9 * 7);
  CHECK_THROWS_WITH_AS(basicOpLoopCycles(1, 0, 1),
                       "popops::internal::basicOpLoopCycles: vectorSize = 0; it must be at least 1",
                       poplibs_error);
}

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
      popops::scaledAddTo(add.graph, add.onBoth(a, n), add.onBoth(b, n), 2.f, add.prog);
      popops::scaledAddTo(axpby.graph, axpby.onBoth(a, n), 3.f, axpby.onBoth(b, n), 2.f,
                          axpby.prog);
      std::uint64_t const cycles = add.cyclesOf("popops::ScaledAdd" + name, 2);
      CHECK(estimate(ScaledArithmeticOp::ADD, n) == cycles);
      CHECK(estimate(ScaledArithmeticOp::SUBTRACT, n) == cycles);
      std::uint64_t const both = axpby.cyclesOf("popops::Axpby" + name, 2);
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

TEST_CASE("binary operations cost what profiles show") {
  struct Operation {
    BinaryOpType op;
    poplar::Type in, out;
  };
  Operation const operations[] = {{BinaryOpType::ADD, FLOAT, FLOAT},
                                  {BinaryOpType::MULTIPLY, HALF, HALF},
                                  {BinaryOpType::DIVIDE, HALF, HALF},
                                  {BinaryOpType::REMAINDER, INT, INT},
                                  {BinaryOpType::SHIFT_LEFT, UNSIGNED_INT, UNSIGNED_INT},
                                  {BinaryOpType::LOGICAL_AND, BOOL, BOOL},
                                  {BinaryOpType::LESS_THAN, FLOAT, BOOL},
                                  {BinaryOpType::EQUAL, HALF, BOOL},
                                  {BinaryOpType::VARIANCE_TO_INV_STD_DEV, FLOAT, HALF}};
  for (Operation const &o : operations) {
    CAPTURE(static_cast<int>(o.op));
    for (unsigned n : {1U, 48U, 49U, 1000U}) {
      Profiled broadcast;
      Tensor const in = broadcast.onBoth(o.in, n), scalar = broadcast.variable(o.in, {1});
      if (o.op == BinaryOpType::VARIANCE_TO_INV_STD_DEV)
        popops::varianceToInvStdDev(broadcast.graph, in, scalar, broadcast.prog, o.out);
      else
        popops::map(broadcast.graph, o.op, in, scalar, broadcast.prog);
      auto const estimate = broadcastArithmetic1DCycleEstimate(ipu(), o.op, o.in, o.out, false, n);
      CHECK(estimate.cycles == broadcast.cyclesOf("popops::Map<" + nameOf(o.out) + ">", 2));
      CHECK(estimate.flops == n);
      if (o.in != o.out)
        continue;
      Profiled both, inPlace;
      popops::mapInPlace(both.graph, o.op, both.onBoth(o.in, n), both.onBoth(o.in, n), both.prog);
      popops::mapInPlace(inPlace.graph, o.op, inPlace.onBoth(o.in, n), inPlace.variable(o.in, {1}),
                         inPlace.prog);
      std::string const vertex = "popops::MapInPlace<" + nameOf(o.out) + ">";
      CHECK(getBinaryOp1DInPlaceEstimate(ipu(), o.in, o.op, n) == both.cyclesOf(vertex, 2));
      CHECK(broadcastArithmetic1DCycleEstimate(ipu(), o.op, o.in, o.out, true, n).cycles ==
            inPlace.cyclesOf(vertex, 2));
    }
  }
  // An addition takes a cycle for two floats and the loop two: 12 for eight.
  auto const regions = broadcastArithmeticCycleEstimate(ipu(), BinaryOpType::ADD, FLOAT, FLOAT,
                                                        true, false, {8, 0, 9});
  CHECK(regions.cycles == 3 * 29 + 12 + 14);
  CHECK(regions.flops == 17);
  CHECK(getBinaryOp1DInPlaceEstimate(ipu(), FLOAT, BinaryOpType::ADD, 48) == 6 * (29 + 12) + 11);
}

TEST_CASE("slices and updates cost what their vertices do") {
  for (poplar::Type const &type : {FLOAT, HALF, UNSIGNED_CHAR, poplar::LONGLONG}) {
    CAPTURE(nameOf(type));
    unsigned const bytes = static_cast<unsigned>(ipu().getTypeSize(type));
    auto const row = [&](unsigned elements, unsigned start, unsigned cycles) {
      return start + cycles * up(std::uint64_t(elements) * bytes, 8);
    };
    MultiSliceTargetParameters const params(ipu(), type);
    CHECK(params.bytesPerElem == bytes);
    CHECK(params.numWorkerContexts == 6);
    CHECK(params.atomicWriteSize == 4);
    CHECK(params.dataPathWidth == 64);
    // All in range; 2 of 9 for each of 6 workers are no more than all of them; 1 of 20 each.
    CHECK(getMultiSliceCycleEstimate(params, 10, 12, 2, 1) ==
          40 + 6 * up(12 * 8 + 12 * row(10, 12, 2), 6));
    CHECK(getMultiSliceCycleEstimate(params, 10, 9, 2, 1) ==
          40 + 6 * up(9 * 8 + 9 * row(10, 12, 2), 6));
    CHECK(getMultiSliceCycleEstimate(params, 10, 20, 1, 1) ==
          40 + 6 * up(20 * 8 + 6 * row(10, 12, 2) + 14 * (6 + 10 * bytes / 8), 6));
    CHECK(getMultiSliceCycleEstimate(params, 10, 20, 1, 7, true, true, true) ==
          40 + 6 * up(20 * 8 + 6 * row(10, 12, 2), 6));
    CHECK(getMultiSliceCycleEstimate(params, 10, 0, 0, 1) == 40);
    CHECK(getDynamicSlice1DEstimate(ipu(), type, 10, 5) == 40 + 6 * up(8 + 5 * row(10, 12, 2), 6));
    if (type != FLOAT && type != HALF)
      continue;
    MultiUpdateOpTargetParameters const update(ipu(), type);
    CHECK(update.bytesPerElem == bytes);
    CHECK(update.numWorkerContexts == 6);
    CHECK(update.atomicWriteSize == 4);
    for (auto const op : {popops::Operation::ADD, popops::Operation::MAX, popops::Operation::MUL})
      CHECK(getMultiUpdateOpCycleEstimate(update, true, 10, 20, 1, 1, op, true) ==
            52 + 6 * up(20 * 8 + 6 * row(10, 16, 4), 6));
  }
}

TEST_CASE("lookups, updates and dynamic slices cost what profiles show") {
  unsigned const rows = 16, columns = 10, offsets = 6;
  auto const table = [&](Profiled &p) { return p.variable(HALF, {rows, columns}); };
  auto const places = [&](Profiled &p) { return p.variable(UNSIGNED_INT, {offsets, 1}); };
  auto const slices = [&](Profiled &p) { return p.variable(HALF, {offsets, 1, columns}); };
  MultiSliceTargetParameters const params(ipu(), HALF);
  Profiled lookup;
  popops::multiSlice(lookup.graph, table(lookup), places(lookup), {0}, {1}, lookup.prog, {}, {});
  CHECK(getMultiSliceCycleEstimate(params, columns, offsets, 1, 1) ==
        lookup.cyclesOf("popops::MultiSlice<unsigned short>"));
  Profiled update;
  popops::multiUpdate(update.graph, table(update), slices(update), places(update), {0}, {1},
                      update.prog, {}, {});
  CHECK(getMultiSliceCycleEstimate(params, columns, offsets, 1, 1, true) ==
        update.cyclesOf("popops::MultiUpdate<unsigned short>"));
  Profiled add;
  Tensor const scale = add.variable(HALF, {});
  popops::multiUpdateAdd(add.graph, table(add), slices(add), places(add), scale, {0}, {1}, add.prog,
                         {}, {});
  CHECK(getMultiUpdateOpCycleEstimate({ipu(), HALF}, false, columns, offsets, 1, 1,
                                      popops::Operation::ADD,
                                      true) == add.cyclesOf("popops::MultiUpdateOp<half>"));
  Profiled slice;
  popops::dynamicSlice(slice.graph, table(slice), slice.variable(UNSIGNED_INT, {1}), {0}, {5},
                       slice.prog);
  CHECK(getDynamicSlice1DEstimate(ipu(), HALF, columns, 5) ==
        slice.cyclesOf("popops::MultiSlice<unsigned short>"));
}

TEST_CASE("estimates can be asked of a CPU") {
  auto const target = cpu().getTarget();
  CHECK(getCast1DCycleEstimate({target, HALF, FLOAT}, HALF, FLOAT, 8) >= 37);
  CHECK(getBinaryOp1DInPlaceEstimate(target, FLOAT, BinaryOpType::ADD, 8) >= 29);
  CHECK(getDynamicSlice1DEstimate(target, FLOAT, 8, 1) >= 40);
}

TEST_CASE("what no vertex does has no estimate") {
  auto const target = ipu();
  CHECK_THROWS_WITH_AS(getBinaryOp1DInPlaceEstimate(target, BOOL, BinaryOpType::ADD, 1),
                       "popops::internal::getBinaryOp1DInPlaceEstimate: Add does not exist for "
                       "elements of type bool; allowed: float, half, int, unsigned int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(getBinaryOp1DInPlaceEstimate(target, FLOAT, BinaryOpType::EQUAL, 1),
                       "popops::internal::getBinaryOp1DInPlaceEstimate: Equal in place on elements "
                       "of type float with a result of type bool; the types must be equal",
                       poplibs_error);
  CHECK_THROWS_AS(
      broadcastArithmetic1DCycleEstimate(target, BinaryOpType::ADD, HALF, FLOAT, true, 1),
      poplibs_error);
  CHECK_THROWS_AS(broadcastArithmeticCycleEstimate(target, BinaryOpType::ADD, HALF, poplar::SHORT,
                                                   false, true, {1}),
                  poplibs_error);
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
  MultiSliceTargetParameters const slices(target, HALF);
  CHECK_THROWS_WITH_AS(getMultiSliceCycleEstimate(slices, 4, 3, 4, 1),
                       "popops::internal::getMultiSliceCycleEstimate: numOffsetsInRangePerWorker "
                       "= 4 of numOffsets = 3; it must not exceed them",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(MultiUpdateOpTargetParameters(target, BOOL),
                       "popops::internal::MultiUpdateOpTargetParameters: elements of type bool; "
                       "allowed: float, half, int, unsigned int",
                       poplibs_error);
  MultiUpdateOpTargetParameters const updates(target, HALF);
  CHECK_THROWS_WITH_AS(
      getMultiUpdateOpCycleEstimate(updates, false, 4, 3, 1, 1, popops::Operation::MIN, false),
      "popops::internal::getMultiUpdateOpCycleEstimate: op = Min; allowed: Add, "
      "Max, Mul",
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
