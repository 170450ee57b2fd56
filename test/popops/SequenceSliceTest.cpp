#include "Harness.hpp"

#include <popops/SequenceSlice.hpp>

#include <poplar/exceptions.hpp>

TEST_SUITE_BEGIN("popops/sequenceslice");

using namespace harness;

TEST_CASE("runs of rows are copied in order, within both tensors, over zeros or what was there") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(41);
    for (auto const &type : {poplar::FLOAT, poplar::HALF, poplar::UNSIGNED_CHAR})
      for (bool zeroUnused : {false, true})
        for (std::size_t runs : {0, 1, 6}) {
          Run run(device);
          std::size_t const rowsIn = 1 + numbers.below(20), rowsOut = 1 + numbers.below(20);
          Shape const in{rowsIn, 3, 2}, out{rowsOut, 6};
          Values const from = numbers.integer(product(in), 1, 99);
          Values expected = numbers.integer(product(out), 1, 99);
          auto const tOut = run.input(type, out, expected);
          Values const n = numbers.integer(runs, 0, 9), inAt = numbers.integer(runs, 0, 21),
                       outAt = numbers.integer(runs, 0, 21);
          auto const counts = run.input(poplar::UNSIGNED_INT, {runs}, n);
          popops::sequenceSlice(run.graph, run.input(type, in, from), tOut, counts,
                                run.input(poplar::UNSIGNED_INT, {runs}, inAt),
                                run.input(poplar::INT, {runs}, outAt), zeroUnused, run.prog);
          if (zeroUnused)
            std::fill(expected.begin(), expected.end(), 0);
          for (std::size_t i = 0; i != runs; ++i)
            for (std::size_t j = 0; j != static_cast<std::size_t>(n[i]); ++j) {
              std::size_t const source = static_cast<std::size_t>(inAt[i]) + j;
              std::size_t const target = static_cast<std::size_t>(outAt[i]) + j;
              if (source < rowsIn && target < rowsOut)
                std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source * 6), 6,
                            expected.begin() + static_cast<std::ptrdiff_t>(target * 6));
            }
          auto const output = run.output(tOut);
          run.run();
          CHECK(run.values(output) == expected);
        }
  });
}

TEST_CASE("a sequence slice may read what it writes") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto const t = run.input(poplar::FLOAT, {4, 1}, {1, 2, 3, 4});
    auto const one = [&](double x) { return run.input(poplar::UNSIGNED_INT, {1}, {x}); };
    popops::sequenceSlice(run.graph, t, t, one(3), one(0), one(1), false, run.prog);
    auto const output = run.output(t);
    run.run();
    CHECK(run.values(output) == Values{1, 1, 2, 3});
  });
}

TEST_CASE("bad arguments of sequence slices are named") {
  Run run(cpu);
  auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto const n = run.input(poplar::UNSIGNED_INT, {1}, {1});
  auto const two = run.input(poplar::UNSIGNED_INT, {2}, {1, 1});
  auto const slice = [&](poplar::Tensor const &in, poplar::Tensor const &out,
                         poplar::Tensor const &count, poplar::Tensor const &at) {
    popops::sequenceSlice(run.graph, in, out, count, at, at, false, run.prog);
  };
  using poplar::graph_connection_error;
  CHECK_THROWS_WITH_AS(slice(t, t.flatten(), n, n),
                       "popops::sequenceSlice: 'tIn' has shape [2, 3] and 'tOut' [6]; they must "
                       "have rank 2 or more and rows of as many elements",
                       graph_connection_error);
  CHECK_THROWS_AS(slice(t, t.reshape({3, 2}), n, n), graph_connection_error);
  CHECK_THROWS_AS(slice(t, t, n, two), graph_connection_error);
  CHECK_THROWS_AS(slice(t, t, t.flatten(), t.flatten()), graph_connection_error);
  CHECK_THROWS_AS(slice(t, t[0].expand({0}).broadcast(2, 0), n, n), graph_connection_error);
  CHECK_THROWS_AS(slice(t, run.graph.addConstant(poplar::FLOAT, {2, 3}, 1.F), n, n),
                  graph_connection_error);
  CHECK_THROWS_AS(slice(n.expand({0}), t.slice(0, 1, 1), n, n), graph_connection_error);
}

TEST_SUITE_END();
