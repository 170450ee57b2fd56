#include "../popnn/NormReference.hpp"
#include "../popops/Pieces.hpp"

#include <poplin/Norms.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("poplin/norms");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poputil::poplibs_error;

namespace {

/// The building blocks put together as a batch norm.
norms::Functions functions() {
  norms::Functions f;
  f.statistics = [](Run &run, Tensor t, norms::Case const &c) {
    return poplin::normStatistics(run.graph, t, norms::EPS, run.prog, c.unbiased, c.stable);
  };
  f.normalise = [](Run &run, Tensor x, Tensor gamma, Tensor beta, std::pair<Tensor, Tensor> stats,
                   norms::Case const &) {
    Tensor const white = poplin::normWhiten(run.graph, x, stats.first, stats.second, run.prog);
    return std::make_pair(poplin::normalise(run.graph, white, gamma, beta, run.prog), white);
  };
  f.paramGradients = [](Run &run, bool whitened, Tensor x, Tensor g,
                        std::pair<Tensor, Tensor> stats, norms::Case const &) {
    if (!whitened)
      x = poplin::normWhiten(run.graph, x, stats.first, stats.second, run.prog);
    return poplin::normParamGradients(run.graph, x, g, run.prog);
  };
  f.gradients = [](Run &run, bool whitened, Tensor x, Tensor g, Tensor gamma,
                   std::pair<Tensor, Tensor> stats, norms::Case const &) {
    if (!whitened)
      x = poplin::normWhiten(run.graph, x, stats.first, stats.second, run.prog);
    Tensor const scaled = poplin::normGradients(run.graph, g, gamma, run.prog);
    return poplin::normStatisticsGradients(run.graph, x, scaled, stats.second, run.prog);
  };
  return f;
}

} // namespace

TEST_CASE("the building blocks make up a batch norm") {
  auto const cases = norms::cases([](Shape const &, std::size_t) { return norms::Sets{}; });
  onDevices([&](DeviceMaker const &device) { norms::check(device, cases, functions()); });
}

TEST_CASE("parameters have one element a channel, of any floating type") {
  Run run(model);
  Tensor const acts = run.graph.addVariable(HALF, {2, 5, 3});
  CHECK(poplin::createNormGamma(run.graph, acts).elementType() == HALF);
  CHECK(poplin::createNormBeta(run.graph, acts, FLOAT).elementType() == FLOAT);
  auto const params = poplin::createNormParams(run.graph, acts);
  CHECK(params.first.shape() == Shape{5});
  CHECK(params.second.shape() == Shape{5});
  CHECK(run.graph.getTileMapping(params.first).size() != 0);
}

TEST_CASE("activations mapped to single tiles are treated where they are") {
  Run run(model);
  poplin::addCodelets(run.graph);
  Tensor const acts = run.graph.addVariable(FLOAT, {2, 3, 100});
  run.graph.setTileMapping(acts, 5);
  Tensor const stats = run.input(FLOAT, {3}, {1, 2, 3});
  Tensor const out = poplin::normWhiten(run.graph, acts, stats, stats, run.prog);
  auto const mapping = run.graph.getTileMapping(out);
  CHECK(mapping[5].size() == 1);
  CHECK(mapping[5][0].size() == 600);
}

TEST_CASE("a tile walks what it holds of blocks, or of several rows, in one vertex") {
  Run run(model);
  poplin::addCodelets(run.graph);
  std::size_t const tiles = run.graph.getTarget().getNumTiles();
  Shape const shape{2, 32, 7, 10};
  Tensor const memory = run.graph.addVariable(FLOAT, {2, 2, 7, 10, 16});
  poputil::mapTensorLinearly(run.graph, memory);
  Tensor const stats = run.input(FLOAT, {32}, Values(32, 1));
  poplin::normWhiten(run.graph, norms::inBlocks(memory, shape), stats, stats, run.prog);
  CHECK(run.graph.getNumVertices() == tiles);
  // Every tile has a seventh of each row.
  Tensor const rows = run.graph.addVariable(FLOAT, {12, 32 * tiles});
  norms::mapInTurn(run.graph, rows, 32);
  Tensor const ones = run.input(FLOAT, {32 * tiles}, Values(32 * tiles, 1));
  poplin::normWhiten(run.graph, rows, ones, ones, run.prog);
  CHECK(run.graph.getNumVertices() == 2 * tiles);
}

TEST_CASE("statistics of rows that begin on one tile are computed on all that hold some of them") {
  Run run(model);
  poplin::addCodelets(run.graph);
  std::size_t const tiles = run.graph.getTarget().getNumTiles();
  Tensor const acts = run.graph.addVariable(FLOAT, {1, 2 * tiles, 32 * tiles});
  norms::mapInTurn(run.graph, acts, 32);
  auto const stats = poplin::normStatistics(run.graph, acts, 1.F, run.prog, false, true);
  for (auto const &intervals : run.graph.getTileMapping(stats.first))
    CHECK(intervals.size() == 1);
}

TEST_CASE("sums of blocks of a matrix are computed where these are") {
  Run run(model16);
  poplin::addCodelets(run.graph);
  std::size_t const rows = 64, columns = 30;
  Tensor const acts = run.graph.addVariable(HALF, {rows, columns * MODEL16_TILES});
  for (unsigned tile = 0; tile != MODEL16_TILES; ++tile)
    run.graph.setTileMapping(acts.slice(tile * columns, (tile + 1) * columns, 1), tile);
  poplin::normStatistics(run.graph, acts, 1.F, run.prog, false, true);
  CHECK(run.graph.getNumVertices() == MODEL16_TILES);
  CHECK(stepsOf(run, "DoExchange") == 0);
  CHECK(stepsOf(run, "OnTileCopy") == 0);
}

TEST_CASE("statistics and parameters are cast in one step") {
  Run run(model16);
  poplin::addCodelets(run.graph);
  Tensor const acts = run.graph.addVariable(HALF, {4, 32, 8});
  poputil::mapTensorLinearly(run.graph, acts);
  Tensor const mean = run.input(HALF, {32}, Values(32, 1)),
               invStdDev = run.input(HALF, {32}, Values(32, 1));
  poplin::normWhiten(run.graph, acts, mean, invStdDev, run.prog);
  CHECK(stepsOf(run, "OnTileExecute") == 2);
}

TEST_CASE("what the callback gets and must return") {
  Run run(cpu);
  poplin::addCodelets(run.graph);
  Tensor const acts = run.input(HALF, {2, 3}, {1, 2, 3, 3, 2, 1});
  std::vector<poplar::Type> types;
  bool wrong = false;
  poplin::DistributedNormReduceCallback const callback =
      [&](poplar::Graph &, std::vector<Tensor> const &sums, poplar::program::Sequence &, unsigned,
          poplar::DebugContext const &, poplar::OptionFlags const &) {
        for (Tensor const &t : sums)
          types.push_back(t.elementType());
        return wrong ? std::vector<Tensor>{} : sums;
      };
  poplin::distributedNormStatistics(run.graph, acts, 1.f, run.prog, false, callback, 4, false,
                                    HALF);
  CHECK(types == std::vector<poplar::Type>{HALF, HALF});
  types.clear();
  Tensor const stats = run.input(HALF, {3}, {1, 1, 1});
  poplin::distributedNormStatisticsGradients(run.graph, acts, acts, stats, run.prog, callback, 4);
  CHECK(types == std::vector<poplar::Type>{FLOAT, FLOAT});
  wrong = true;
  CHECK_THROWS_WITH_AS(
      poplin::distributedNormStatistics(run.graph, acts, 1.f, run.prog, false, callback, 4),
      "poplin::distributedNormStatistics: the callback returned 0 tensors; it must return one for "
      "each of the 2 it is given",
      poplibs_error);
}

TEST_CASE("a rank below 2 is refused") {
  Run run(cpu);
  Tensor const t = run.graph.addVariable(FLOAT, {4});
  CHECK_THROWS_WITH_AS(poplin::createNormGamma(run.graph, t),
                       "poplin::createNormGamma: Norm supported for tensors of rank > 1; 'acts' "
                       "has shape [4], and must be [batch, channels, ...field]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::createNormParams(run.graph, Tensor()),
                       "poplin::createNormParams: 'acts' is an invalid tensor", poplibs_error);
  CHECK_THROWS_AS(poplin::normalise(run.graph, t, t, t, run.prog), poplibs_error);
}

TEST_SUITE_END();
