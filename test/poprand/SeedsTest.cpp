// The state of the generators of the tiles.
#include "Draws.hpp"

#include <poplar/exceptions.hpp>

#include <array>
#include <set>

using namespace draws;

namespace {

Tensor uniform(RandomRun &run, Tensor const *seed, Tensor const &reference) {
  return poprand::uniform(run.graph, seed, 5, reference, FLOAT, 0, 1, run.prog);
}

std::size_t numRows(Values const &seeds) {
  std::set<std::array<double, 4>> rows;
  for (std::size_t i = 0; i + 3 < seeds.size(); i += 4)
    rows.insert({seeds[i], seeds[i + 1], seeds[i + 2], seeds[i + 3]});
  return rows.size();
}

} // namespace

TEST_SUITE_BEGIN("poprand/seeds");

TEST_CASE("operations with a seed leave the state as it is") {
  onDevices([](DeviceMaker const &device) {
    RandomRun run(device);
    Tensor const t = run.reference({100});
    std::size_t const before = run.output(poplar::getHwSeeds(run.graph, run.prog));
    uniform(run, &run.seed, t);
    poprand::dropout(run.graph, &run.seed, 1, t, t, 0.5, 2, run.prog);
    std::size_t const after = run.output(poplar::getHwSeeds(run.graph, run.prog));
    run.run();
    CHECK(run.values(before) == run.values(after));
    CHECK(run.values(before).size() == run.graph.getTarget().getNumTiles() * 6 * 4);
    CHECK(numRows(run.values(before)) == run.graph.getTarget().getNumTiles() * 6);
  });
}

TEST_CASE("operations without a seed draw new numbers each time, and a restored state the same") {
  onDevices([](DeviceMaker const &device) {
    RandomRun run(device);
    Tensor const t = run.reference({700});
    Tensor const saved = poplar::getHwSeeds(run.graph, run.prog);
    std::size_t const a = run.output(uniform(run, nullptr, t));
    std::size_t const b = run.output(uniform(run, nullptr, t));
    poplar::setHwSeeds(run.graph, saved, run.prog);
    std::size_t const c = run.output(uniform(run, nullptr, t));
    std::size_t const d = run.output(uniform(run, nullptr, t));
    run.run();
    CHECK(run.values(a) != run.values(b));
    CHECK(run.values(a) == run.values(c));
    CHECK(run.values(b) == run.values(d));
    Values all = run.values(a);
    all.insert(all.end(), run.values(b).begin(), run.values(b).end());
    CHECK(kolmogorov(all, [](double x) { return x; }) < 1.95);
    CHECK(std::set<double>(all.begin(), all.end()).size() > 1390);
  });
}

TEST_CASE("a loop draws new numbers each time, and so does each run") {
  RandomRun run(cpu);
  Tensor const t = run.reference({50});
  Tensor const total = run.input(FLOAT, {50}, Values(50, 0));
  poplar::program::Sequence body;
  std::swap(body, run.prog);
  Tensor const drawn = uniform(run, nullptr, t);
  std::swap(body, run.prog);
  body.add(poplar::program::Copy(drawn, total));
  run.prog.add(poplar::program::Repeat(2, body));
  std::size_t const out = run.output(total);
  run.run(1);
  Values const first = run.values(out);
  run.run(2);
  CHECK(run.values(out) != first);
}

TEST_CASE("setSeed is a function of seed and modifier, different for every worker") {
  onDevices([](DeviceMaker const &device) {
    auto const with = [&](unsigned seed0, unsigned modifier) {
      RandomRun run(device, seed0, 9);
      uniform(run, nullptr, run.reference({20})); // another state before
      poprand::setSeed(run.graph, run.seed, modifier, run.prog);
      std::size_t const seeds = run.output(poplar::getHwSeeds(run.graph, run.prog));
      std::size_t const drawn = run.output(uniform(run, nullptr, run.reference({200})));
      run.run();
      CHECK(numRows(run.values(seeds)) == run.graph.getTarget().getNumTiles() * 6);
      Values all = run.values(seeds);
      all.insert(all.end(), run.values(drawn).begin(), run.values(drawn).end());
      return all;
    };
    Values const expected = with(8, 1);
    CHECK(with(8, 1) == expected);
    CHECK(with(8, 2) != expected);
    CHECK(with(7, 1) != expected);
  });
}

TEST_CASE("tiles draw unrelated numbers") {
  RandomRun run([] { return modelOf(2); });
  Tensor const t = run.graph.addVariable(FLOAT, {128});
  run.graph.setTileMapping(t.slice(0, 64), 0);
  run.graph.setTileMapping(t.slice(64, 128), 1);
  std::size_t const out = run.output(uniform(run, nullptr, t));
  std::size_t const next = run.output(poplar::getHwSeeds(run.graph, run.prog));
  run.run();
  Values const values = run.values(out);
  CHECK(std::set<double>(values.begin(), values.end()).size() > 120);
  CHECK(run.values(next).size() == 48);
}

TEST_CASE("only the tiles that an operation runs on advance") {
  RandomRun run([] { return modelOf(4); });
  Tensor const t = run.graph.addVariable(FLOAT, {10});
  run.graph.setTileMapping(t, 2);
  std::size_t const before = run.output(poplar::getHwSeeds(run.graph, run.prog));
  uniform(run, nullptr, t);
  std::size_t const after = run.output(poplar::getHwSeeds(run.graph, run.prog));
  run.run();
  for (std::size_t i = 0; i != 4 * 24; ++i) {
    bool const advanced = i / 24 == 2 && i % 4 == 2;
    CHECK(run.values(after)[i] - run.values(before)[i] == (advanced ? 1 : 0));
  }
}

TEST_CASE("a virtual graph has the rows of its own tiles") {
  RandomRun run([] { return modelOf(6); });
  poplar::Graph part = run.graph.createVirtualGraph({5, 1, 2});
  std::size_t const all = run.output(poplar::getHwSeeds(run.graph, run.prog));
  Tensor const own = poplar::getHwSeeds(part, run.prog);
  CHECK(own.shape() == Shape{3, 6, 4});
  CHECK(part.getTileMapping(own[1])[1].size() == 1);
  std::size_t const some = run.output(own);
  Tensor const t = part.addVariable(FLOAT, {10});
  part.setTileMapping(t, 0);
  poprand::uniform(part, nullptr, 5, t, FLOAT, 0, 1, run.prog);
  std::size_t const advanced = run.output(poplar::getHwSeeds(run.graph, run.prog));
  poprand::setSeed(part, run.seed, 3, run.prog);
  std::size_t const set = run.output(poplar::getHwSeeds(run.graph, run.prog));
  run.run();
  unsigned const tiles[] = {5, 1, 2};
  for (std::size_t i = 0; i != 3 * 24; ++i)
    CHECK(run.values(some)[i] == run.values(all)[tiles[i / 24] * 24 + i % 24]);
  for (std::size_t i = 0; i != 6 * 24; ++i)
    CHECK((run.values(advanced)[i] != run.values(all)[i]) == (i / 24 == 5 && i % 4 == 2));
  for (std::size_t tile = 0; tile != 6; ++tile) {
    bool const changed = tile == 5 || tile == 1 || tile == 2;
    bool const equal = std::equal(run.values(all).begin() + static_cast<long>(tile * 24),
                                  run.values(all).begin() + static_cast<long>(tile * 24 + 24),
                                  run.values(set).begin() + static_cast<long>(tile * 24));
    CHECK(equal == !changed);
  }
}

TEST_CASE("setHwSeeds wants the shape that getHwSeeds gives") {
  RandomRun run([] { return modelOf(2); });
  auto const message = [&](Tensor const &seeds) -> std::string {
    try {
      poplar::setHwSeeds(run.graph, seeds, run.prog);
    } catch (poplar::poplar_error const &error) {
      return error.what();
    }
    return "";
  };
  CHECK(message(run.graph.addVariable(UNSIGNED_INT, {2, 6}))
            .find("'hwSeeds' has shape [2, 6] of type unsigned int; for this graph it must be "
                  "[2, 6, 4] of type unsigned int") != std::string::npos);
  CHECK(message(run.graph.addVariable(FLOAT, {2, 6, 4})).find("of type float") !=
        std::string::npos);
  CHECK(message(Tensor()).find("invalid tensor") != std::string::npos);
  CHECK_THROWS_AS(poprand::setSeed(run.graph, run.graph.addVariable(INT, {2}), 1, run.prog),
                  poputil::poplibs_error);
}

TEST_SUITE_END();
