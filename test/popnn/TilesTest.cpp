// What steps of neural networks take on tiles: bytes that tiles receive and cycles, by the profile.
#include "../popops/Pieces.hpp"

#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <pva/pva.hpp>

#include <algorithm>
#include <set>

TEST_SUITE_BEGIN("popnn/tiles");

using namespace harness;
using poplar::HALF;
using poplar::Tensor;
using popnn::PoolingType;
using popnn::pooling::PoolParams;

namespace {

struct Taken {
  std::vector<std::uint64_t> received; ///< bytes by tile
  std::uint64_t cycles = 0;

  std::uint64_t most() const { return *std::max_element(received.begin(), received.end()); }
};

/// One run of a program.
Taken taken(poplar::Device const &device, poplar::Graph const &graph,
            poplar::program::Program const &prog) {
  poplar::Engine engine(graph, prog, {{"debug.instrument", "true"}});
  engine.load(device);
  engine.run(0);
  auto const report = engine.getReport(true);
  Taken taken{std::vector<std::uint64_t>(graph.getTarget().getNumTiles(), 0)};
  for (auto const &step : report.execution().steps()) {
    auto const bytes = step.bytesInByTile();
    for (std::size_t tile = 0; tile != bytes.size(); ++tile)
      taken.received[tile] += static_cast<std::uint64_t>(bytes[tile]);
  }
  taken.cycles = report.execution().totalCycles().total();
  return taken;
}

std::vector<unsigned> tilesOf(poplar::Graph const &graph, Tensor const &t) {
  std::vector<unsigned> tiles(t.numElements());
  auto const mapping = graph.getTileMapping(t);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (auto const &interval : mapping[tile])
      std::fill(tiles.begin() + static_cast<std::ptrdiff_t>(interval.begin()),
                tiles.begin() + static_cast<std::ptrdiff_t>(interval.end()), tile);
  return tiles;
}

/// [N, C, H, W], spread in order of memory: with a block of channels [C / block, N, H, W, block].
Tensor activations(poplar::Graph &graph, Shape const &shape, std::size_t block) {
  if (block != 0)
    return spreadBlocks(graph, HALF, shape, block);
  Tensor const t = graph.addVariable(HALF, shape);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

/// Elements of windows that tiles do not hold themselves, by tile: of `from` for each element of
/// `to`. \param gradient  `to` are elements before pooling
std::vector<std::uint64_t> foreign(poplar::Graph const &graph, PoolParams const &p,
                                   Tensor const &from, Tensor const &to, bool gradient) {
  auto const fromTiles = tilesOf(graph, from), toTiles = tilesOf(graph, to);
  std::vector<std::set<std::size_t>> wanted(graph.getTarget().getNumTiles());
  auto const in = p.inputFieldShape, out = p.getOutputFieldShape();
  for (std::size_t plane = 0; plane != p.batchSize * p.numChannels; ++plane)
    for (std::size_t y = 0; y != out[0]; ++y)
      for (std::size_t x = 0; x != out[1]; ++x)
        for (std::size_t k = 0; k != p.kernelShape[0] * p.kernelShape[1]; ++k) {
          auto const row = y * p.stride[0] + k / p.kernelShape[1] -
                           static_cast<std::size_t>(p.inputTruncationOrPaddingLower[0]);
          auto const column = x * p.stride[1] + k % p.kernelShape[1] -
                              static_cast<std::size_t>(p.inputTruncationOrPaddingLower[1]);
          if (row >= in[0] || column >= in[1]) // wraps where it is padding before the field
            continue;
          std::size_t const element = (plane * in[0] + row) * in[1] + column;
          std::size_t const window = (plane * out[0] + y) * out[1] + x;
          std::size_t const source = gradient ? window : element,
                            target = gradient ? element : window;
          if (fromTiles[source] != toTiles[target])
            wanted[toTiles[target]].insert(source);
        }
  std::vector<std::uint64_t> counts;
  for (auto const &elements : wanted)
    counts.push_back(elements.size());
  return counts;
}

/// [rows, columns] in blocks of a grid, one a tile, as products lie.
Tensor inBlocks(poplar::Graph &graph, Shape const &shape, std::size_t down, std::size_t across) {
  Tensor const t = graph.addVariable(HALF, shape);
  std::size_t const rows = shape[0] / down, columns = shape[1] / across;
  for (unsigned block = 0; block != down * across; ++block) {
    std::size_t const row = block / across * rows, column = block % across * columns;
    graph.setTileMapping(t.slice(row, row + rows).slice(column, column + columns, 1), block);
  }
  return t;
}

/// f(graph, rows, program) on each of functions of rows.
template <class F> void forRowFunctions(F f) {
  f("softmax", [](poplar::Graph &g, Tensor const &t, poplar::program::Sequence &prog) {
    popnn::softmaxStableInPlace(g, t, prog);
  });
  f("log-softmax", [](poplar::Graph &g, Tensor const &t, poplar::program::Sequence &prog) {
    popnn::logSoftmax(g, t, prog);
  });
  f("softmax's gradient", [](poplar::Graph &g, Tensor const &t, poplar::program::Sequence &prog) {
    popnn::nonLinearityInputGradient(g, popnn::NonLinearityType::SOFTMAX, t, g.clone(t), prog);
  });
  for (popnn::LossType type : {popnn::CROSS_ENTROPY_LOSS, popnn::SUM_SQUARED_LOSS})
    f("loss", [type](poplar::Graph &g, Tensor const &t, poplar::program::Sequence &prog) {
      Tensor const labels = g.addVariable(poplar::UNSIGNED_INT, {t.dim(0)}),
                   loss = g.addVariable(HALF, {t.dim(0)}),
                   correct = g.addVariable(poplar::UNSIGNED_INT, {});
      for (Tensor const &vector : {labels, loss, correct})
        poputil::mapTensorLinearly(g, vector);
      prog.add(popnn::calcLoss(g, t, labels, loss, g.clone(t), correct, type));
    });
}

} // namespace

TEST_CASE("pooling on tiles receives little more than the windows that they do not hold") {
  for (PoolingType type : {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM})
    for (std::size_t block : {0, 4, 12}) {
      CAPTURE(std::string(popnn::pooling::asString(type)));
      CAPTURE(block);
      poplar::Device const device = modelOf(61);
      poplar::Graph graph(device.getTarget());
      popops::addCodelets(graph);
      popnn::addCodelets(graph);
      PoolParams const p(type, {45, 51}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 12, 5, HALF);
      Tensor const in = activations(graph, {5, 12, 45, 51}, block);
      poplar::program::Sequence forward, backward;
      Tensor const out = popnn::pooling::pool(graph, p, in, forward);
      Tensor const grad = graph.clone(out);
      Tensor const inGrad =
          popnn::pooling::poolInputGradient(graph, p, in, out, grad, false, backward);
      auto const check = [&](poplar::program::Program const &prog,
                             std::vector<std::uint64_t> const &elements, std::uint64_t tensors) {
        auto const most = *std::max_element(elements.begin(), elements.end());
        CHECK(taken(device, graph, prog).most() <=
              tensors * (2 * most * sizeof(poplar::IeeeHalf) + 512));
      };
      check(forward, foreign(graph, p, in, out, false), 1);
      check(backward, foreign(graph, p, out, inGrad, true), type == PoolingType::MAX ? 2 : 1);
    }
}

TEST_CASE("pooling of blocks of channels goes through them where they lie") {
  for (PoolingType type : {PoolingType::MAX, PoolingType::AVG}) {
    CAPTURE(std::string(popnn::pooling::asString(type)));
    Run run(model16);
    popnn::addCodelets(run.graph);
    PoolParams const p(type, {16, 32}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 32, 2, HALF);
    Tensor const in = activations(run.graph, {2, 32, 16, 32}, 16);
    Tensor const out = popnn::pooling::pool(run.graph, p, in, run.prog);
    popnn::pooling::poolInputGradient(run.graph, p, in, out, run.graph.clone(out), false, run.prog);
    CHECK(run.graph.getNumVertices() == 2 * MODEL16_TILES);
    CHECK(stepsOf(run, "DoExchange") == 0);
    CHECK(stepsOf(run, "OnTileCopy") == 0);
  }
}

TEST_CASE("functions of rows use all tiles that hold parts of them") {
  forRowFunctions([](char const *name, auto const &function) {
    CAPTURE(std::string(name));
    poplar::Device const device = modelOf(60);
    poplar::Graph graph(device.getTarget());
    popops::addCodelets(graph);
    popnn::addCodelets(graph);
    Tensor const t = inBlocks(graph, {240, 45}, 4, 15);
    poplar::program::Sequence prog;
    function(graph, t, prog);
    // Operands come, results go.
    std::size_t const even = t.numElements() * sizeof(poplar::IeeeHalf) / 60;
    CHECK(taken(device, graph, prog).most() <= 4 * even);
  });
}

TEST_CASE("tiles share few long rows") {
  forRowFunctions([](char const *name, auto const &function) {
    CAPTURE(std::string(name));
    for (bool linear : {false, true}) {
      poplar::Device const device = modelOf(60);
      poplar::Graph graph(device.getTarget());
      popops::addCodelets(graph);
      popnn::addCodelets(graph);
      Tensor t = inBlocks(graph, {4, 9000}, 1, 60);
      if (linear)
        poputil::mapTensorLinearly(graph, t);
      poplar::program::Sequence prog;
      function(graph, t, prog);
      std::size_t const even = t.numElements() * sizeof(poplar::IeeeHalf) / 60;
      auto const x = taken(device, graph, prog);
      CHECK(x.most() <= 4 * even + 512);
      CHECK(x.cycles <= 20 * even); // a row alone takes its tile more than 100
    }
  });
}

TEST_SUITE_END();
