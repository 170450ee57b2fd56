#include "Harness.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>

#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popops/loop");

using namespace harness;
using poplar::program::Sequence;

namespace {

/// What a loop does with its counter: sum' = 3 sum + counter, so that values and order show.
Sequence accumulate(Run &run, poplar::Tensor const &sum, poplar::Tensor const &counter) {
  Sequence body;
  poplar::Tensor const three = run.graph.addConstant(sum.elementType(), {1}, 3);
  run.graph.setTileMapping(three, 0);
  popops::mulInPlace(run.graph, sum, three, body);
  popops::addInPlace(run.graph, sum, counter, body);
  return body;
}

} // namespace

TEST_CASE("a counted loop counts from begin in steps while below end") {
  onDevices([](DeviceMaker const &device) {
    struct Range {
      std::size_t begin, end, step;
    };
    for (Range const r : {Range{0, 5, 1}, {2, 9, 3}, {2, 8, 3}, {7, 8, 100}}) {
      Run run(device);
      auto const sum = run.input(poplar::UNSIGNED_INT, {1}, {1});
      unsigned calls = 0;
      run.prog.add(popops::countedLoop(run.graph, r.begin, r.end, r.step,
                                       [&](poplar::Tensor const &counter) {
                                         ++calls;
                                         CHECK(counter.elementType() == poplar::UNSIGNED_INT);
                                         CHECK(counter.shape() == Shape{1});
                                         return accumulate(run, sum, counter);
                                       }));
      auto const output = run.output(sum);
      run.run(2);
      double expected = 1;
      for (int again = 0; again != 2; ++again)
        for (std::size_t i = r.begin; i < r.end; i += r.step)
          expected = 3 * expected + static_cast<double>(i);
      CHECK(run.values(output) == Values{expected});
      CHECK(calls == 1);
    }
  });
}

TEST_CASE("counted loops nest") {
  Run run(cpu);
  auto const sum = run.input(poplar::UNSIGNED_INT, {1}, {0});
  run.prog.add(
      popops::countedLoop(run.graph, 3, [&](poplar::Tensor const &i) -> poplar::program::Program {
        return popops::countedLoop(run.graph, 4, [&](poplar::Tensor const &j) {
          Sequence body;
          popops::addInPlace(run.graph, sum, popops::mul(run.graph, i, j, body), body);
          return body;
        });
      }));
  auto const output = run.output(sum);
  run.run();
  CHECK(run.values(output) == Values{18});
}

TEST_CASE("loops that cannot count are refused") {
  Run run(cpu);
  auto const body = [](poplar::Tensor const &) { return Sequence(); };
  CHECK_THROWS_WITH_AS(popops::countedLoop(run.graph, 0, 5, 0, body),
                       "popops::countedLoop: the step is 0; it must be at least 1",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::countedLoop(run.graph, 5, 5, 1, body),
                       "popops::countedLoop: begin 5 is not below end 5", poputil::poplibs_error);
  CHECK_THROWS_AS(popops::countedLoop(run.graph, 0, body), poputil::poplibs_error);
  CHECK_THROWS_AS(popops::countedLoop(run.graph, 0, std::size_t(1) << 33, 1, body),
                  poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::countedLoop(run.graph, 3, popops::CountedLoopBodyType()),
                       "popops::countedLoop: 'body' is empty; it must be a function that makes a "
                       "program",
                       poputil::poplibs_error);
  auto const count = run.input(poplar::INT, {1}, {0});
  auto const limit = run.input(poplar::UNSIGNED_INT, {1}, {0});
  CHECK_THROWS_WITH_AS(
      popops::countedForLoop(run.graph, count, 0, limit, 1, Sequence()),
      "popops::countedForLoop: 'count' is int and 'countLimit' unsigned int; they must have the "
      "same type",
      poputil::poplibs_error);
  CHECK_THROWS_AS(
      popops::countedForLoop(run.graph, 0, run.input(poplar::FLOAT, {1}, {0}), 1, Sequence()),
      poputil::poplibs_error);
  CHECK_THROWS_AS(popops::addForLoopCounterVertex(run.graph, run.input(poplar::INT, {2}, {0, 0}),
                                                  count, 1, 0, run.prog, {}),
                  poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::addForLoopCounterVertex(run.graph, run.graph.addConstant(poplar::INT, {1}, 0), count,
                                      1, 0, run.prog, {}),
      "popops::addForLoopCounterVertex: 'count' of shape [1] must be writeable in parallel, but it "
      "contains constants",
      poputil::poplibs_error);
}

TEST_CASE("a for loop runs until the counter is the limit, up, down, and not at all") {
  onDevices([](DeviceMaker const &device) {
    struct Range {
      int begin, limit, step;
    };
    for (auto const &type : {poplar::INT, poplar::UNSIGNED_INT})
      for (Range const r : {Range{0, 4, 1}, {9, 0, -3}, {5, 5, 1}, {2, 10, 4}}) {
        Run run(device);
        auto const sum = run.input(type, {1}, {1});
        auto const limit = run.input(type, {1}, {static_cast<double>(r.limit)});
        auto const count = run.input(type, {1}, {77});
        run.prog.add(popops::countedForLoop(run.graph, count, r.begin, limit, r.step,
                                            accumulate(run, sum, count)));
        auto const output = run.output(sum), last = run.output(count);
        run.run();
        double expected = 1;
        for (int i = r.begin; i != r.limit; i += r.step)
          expected = 3 * expected + i;
        CHECK(run.values(output) == Values{expected});
        CHECK(run.values(last) == Values{static_cast<double>(r.limit)});
      }
  });
}

TEST_CASE("a for loop may keep its counter to itself, and have its limit changed by the body") {
  Run run(cpu);
  auto const sum = run.input(poplar::INT, {}, {0});
  auto const limit = run.input(poplar::INT, {}, {10});
  auto const one = run.input(poplar::INT, {}, {1});
  Sequence body;
  popops::addInPlace(run.graph, sum, one, body);
  popops::subInPlace(run.graph, limit, one, body);
  run.prog.add(popops::countedForLoop(run.graph, 0, limit, 1, body));
  auto const output = run.output(sum);
  run.run();
  CHECK(run.values(output) == Values{5});
}

TEST_CASE("the counter of a for loop is writeable, and not its limit") {
  Run run(cpu);
  auto const limit = run.input(poplar::INT, {2}, {3, 4});
  auto const constant = run.graph.addConstant(poplar::INT, {}, 3);
  run.graph.setTileMapping(constant, 0);
  CHECK_THROWS_WITH_AS(popops::countedForLoop(run.graph, limit[0], 0, limit[0], 1, Sequence()),
                       "popops::countedForLoop: 'count' and 'countLimit' are the same element; the "
                       "limit would be overwritten",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::countedForLoop(run.graph, constant, 0, limit[0], 1, Sequence()),
                       "popops::countedForLoop: 'count' of shape [] must be writeable in parallel, "
                       "but it contains constants",
                       poputil::poplibs_error);
  CHECK_NOTHROW(popops::countedForLoop(run.graph, limit[1], 0, limit[0], 1, Sequence()));
}

TEST_SUITE_END();
