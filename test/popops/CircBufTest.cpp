#include "Harness.hpp"

#include <popops/CircBuf.hpp>

#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popops/circbuf");

using namespace harness;

TEST_CASE("a circular buffer gives back what was added i adds before, oldest values giving way") {
  onDevices([](DeviceMaker const &device) {
    for (Shape const &shape : {Shape{}, Shape{5}, Shape{3, 7}}) {
      Run run(device);
      constexpr unsigned SIZE = 3;
      std::size_t const n = product(shape);
      popops::CircBuf buffer(run.graph, poplar::HALF, SIZE, shape);
      CHECK(buffer.size() == SIZE);
      CHECK(buffer.getIndex().elementType() == poplar::UNSIGNED_INT);
      CHECK(buffer.getIndex().shape() == Shape{1});
      auto const start = run.output(buffer.getIndex());
      std::vector<std::size_t> outputs;
      std::vector<Values> expected;
      for (unsigned step = 0; step != 5; ++step) {
        auto const filled = [&](unsigned value) { return Values(n, value); };
        buffer.add(run.input(poplar::HALF, shape, filled(step)), run.prog);
        for (unsigned i = 0; i != std::min(step + 1, SIZE); ++i) {
          auto const t = buffer.prev(i, run.prog);
          CHECK(t.shape() == shape);
          CHECK(run.graph.getTileMapping(t) == buffer.getTileMapping());
          outputs.push_back(run.output(t));
          expected.push_back(filled(step - i));
        }
      }
      run.run();
      for (std::size_t k = 0; k != outputs.size(); ++k)
        CHECK(run.values(outputs[k]) == expected[k]);
      CHECK(run.values(start) == Values{5 % SIZE});
    }
  });
}

TEST_CASE("the index of a circular buffer begins with 0") {
  Run run(cpu);
  popops::CircBuf buffer(run.graph, poplar::FLOAT, 4, {2});
  auto const index = run.output(buffer.getIndex());
  run.run();
  CHECK(run.values(index) == Values{0});
}

TEST_CASE("bad arguments of circular buffers are named") {
  Run run(cpu);
  CHECK_THROWS_WITH_AS(popops::CircBuf(run.graph, poplar::FLOAT, 0, {2}),
                       "popops::CircBuf: the size is 0; it must be at least 1",
                       poputil::poplibs_error);
  popops::CircBuf buffer(run.graph, poplar::FLOAT, 4, {2});
  CHECK_THROWS_WITH_AS(buffer.prev(4, run.prog),
                       "popops::CircBuf::prev: i is 4; it must be below the size 4",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(buffer.add(run.input(poplar::FLOAT, {3}, {1, 2, 3}), run.prog),
                       "popops::CircBuf::add: 't' is float of shape [3]; it must be float of shape "
                       "[2]",
                       poputil::poplibs_error);
}

TEST_SUITE_END();
