// Operations element by element on blocked layouts, as convolutions give their operands and
// results.
#include "Pieces.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/NaN.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/impl/ElementOrder.hpp>

using namespace harness;
using namespace popops::expr;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::Type;

TEST_SUITE_BEGIN("popops/element-order");

namespace {

/// The same in some layout: as declared, blocked (outside or inside of N), channels last, with
/// elements between, backwards, or as two tensors.
Tensor laidOut(poplar::Graph &graph, Type const &type, Shape const &s, std::size_t layout) {
  std::size_t const block = s[1] % 4 == 0 ? 4 : s[1] % 3 == 0 ? 3 : 1;
  switch (layout) {
  case 0:
    return graph.addVariable(type, s);
  case 1:
    return blocked(graph, type, s, block);
  case 2:
    return graph.addVariable(type, {s[0], s[1] / block, s[2], s[3], block})
        .dimShuffle({0, 1, 4, 2, 3})
        .reshape(s);
  case 3:
    return graph.addVariable(type, {s[2], s[3], s[0], s[1]}).dimShuffle({2, 3, 0, 1});
  case 4:
    return blocked(graph, type, {s[0], s[1], s[2], 2 * s[3]}, block).subSample(2, 3);
  case 5:
    return blocked(graph, type, s, block).reverse(2);
  default:
    return poplar::concat(graph.addVariable(type, {s[0], s[1], 1, s[3]}),
                          blocked(graph, type, {s[0], s[1], s[2], s[3]}, block), 2)
        .slice(1, s[2] + 1, 2);
  }
}

/// On any tiles, in pieces of memory or of the view.
void mapSomewhere(poplar::Graph &graph, Tensor const &t, std::mt19937 &random) {
  for (poplar::VariableInterval const &region : t.getVarRegions()) // elements between as well
    graph.setTileMapping(graph.getVariable(region.var), 0);
  Tensor flat = t.flatten();
  if (random() % 2 == 0)
    graph.reorderToSimplify(&flat, {});
  std::size_t const n = flat.numElements(), pieces[] = {n / MODEL16_TILES + 1, 5, 1 + n / 5};
  mapInPieces(graph, flat, pieces[random() % 3], random);
}

constexpr std::size_t LAYOUTS = 7;

Shape someShape(std::mt19937 &random) {
  std::size_t const channels[] = {12, 8, 7, 9, 1};
  return {1 + random() % 3, channels[random() % 5], 1 + random() % 5, 1 + random() % 7};
}

Tensor somewhere(Run &run, Type const &type, Shape const &shape, Values const &values,
                 std::mt19937 &random) {
  Tensor const t = laidOut(run.graph, type, shape, random() % LAYOUTS);
  mapSomewhere(run.graph, t, random);
  run.write(t, values);
  return t;
}

} // namespace

TEST_CASE("maps of blocked operands give what those of plain ones do") {
  std::mt19937 random(61);
  Numbers numbers;
  for (int trial = 0; trial != 120; ++trial) {
    CAPTURE(trial);
    Run run(model16);
    Shape const s = someShape(random);
    Shape const others[] = {s, {s[1], 1, 1}, {s[3]}, {s[0], 1, s[2], 1}, {}, {1, s[1], 1, s[3]}};
    std::size_t const kind = random() % 6;
    Shape const other = others[kind];
    Values const x = numbers.integer(product(s), -8, 8), y = numbers.integer(product(other), -8, 8);
    Tensor const a = somewhere(run, FLOAT, s, x, random);
    Tensor const b = kind == 0 ? somewhere(run, FLOAT, s, y, random) : run.input(FLOAT, other, y);
    Tensor out = a;
    auto const expression = Sub(Mul(_1, _2), _1);
    if (trial % 3 == 0) {
      popops::mapInPlace(run.graph, expression, {a, b}, run.prog);
    } else if (trial % 3 == 1) {
      out = popops::map(run.graph, expression, {a, b}, run.prog);
    } else {
      out = somewhere(run, FLOAT, s, Values(x.size()), random);
      popops::mapWithOutput(run.graph, expression, {a, b}, out, run.prog);
    }
    std::size_t const result = run.output(out);
    run.run();
    std::size_t i = 0;
    for (std::size_t n = 0; n != s[0]; ++n)
      for (std::size_t c = 0; c != s[1]; ++c)
        for (std::size_t h = 0; h != s[2]; ++h)
          for (std::size_t w = 0; w != s[3]; ++w, ++i) {
            std::size_t const at[] = {i, c, w, n * s[2] + h, 0, c * s[3] + w};
            CHECK(run.values(result)[i] == x[i] * y[at[kind]] - x[i]);
          }
  }
}

TEST_CASE("casts, scaled additions, fills and tests of blocked operands give what plain ones do") {
  std::mt19937 random(62);
  Numbers numbers;
  for (int trial = 0; trial != 60; ++trial) {
    CAPTURE(trial);
    Run run(model16);
    Shape const s = someShape(random);
    std::size_t const n = product(s);
    Values const x = numbers.integer(n, -30, 30), y = numbers.integer(n, -30, 30);
    Values const zeros(n);
    Tensor const a = somewhere(run, HALF, s, x, random), b = somewhere(run, HALF, s, y, random),
                 c = somewhere(run, FLOAT, s, zeros, random),
                 d = somewhere(run, INT, s, zeros, random),
                 e = somewhere(run, poplar::LONGLONG, s, x, random),
                 f = somewhere(run, poplar::LONGLONG, s, y, random);
    popops::castWithOutput(run.graph, a, c, run.prog);
    popops::fill(run.graph, d, run.prog, 17);
    std::size_t const results[] = {run.output(c),
                                   run.output(a),
                                   run.output(d),
                                   run.output(popops::cast(run.graph, b, INT, run.prog)),
                                   run.output(popops::hasNaN(run.graph, b, run.prog)),
                                   run.output(popops::add(run.graph, e, f, run.prog))};
    popops::scaledAddTo(run.graph, a, b, 2.0F, run.prog);
    run.run();
    Values sums(n), wide(n);
    for (std::size_t i = 0; i != n; ++i) {
      sums[i] = x[i] + 2 * y[i];
      wide[i] = x[i] + y[i];
    }
    CHECK(run.values(results[0]) == x);
    CHECK(run.values(results[1]) == sums);
    CHECK(run.values(results[2]) == Values(n, 17));
    CHECK(run.values(results[3]) == y);
    CHECK(run.values(results[4]) == Values{0});
    CHECK(run.values(results[5]) == wide);
  }
}

TEST_CASE("what lies side by side on a tile is not copied, in one vertex a tile") {
  auto const layer = [](Run &run) { return spreadBlocks(run.graph, HALF, {2, 32, 6, 8}, 16); };
  auto const check = [&](char const *what, auto const &emit) {
    CAPTURE(std::string(what));
    Run run(model16);
    Tensor const z = layer(run), q = layer(run);
    emit(run, z, q);
    CHECK(run.graph.getNumVertices() == MODEL16_TILES);
    CHECK(stepsOf(run, "OnTileCopy") == 0);
    CHECK(stepsOf(run, "DoExchange") == 0);
  };
  check("map", [](Run &run, Tensor const &z, Tensor const &) {
    popops::mapInPlace(run.graph, UnaryOpType::RELU, z, run.prog);
  });
  check("add", [](Run &run, Tensor const &z, Tensor const &q) {
    popops::addInPlace(run.graph, z, q, run.prog);
  });
  check("cast", [](Run &run, Tensor const &z, Tensor const &) {
    popops::cast(run.graph, z, FLOAT, run.prog);
  });
  check("scaledAddTo", [](Run &run, Tensor const &z, Tensor const &q) {
    popops::scaledAddTo(run.graph, z, q, 0.5F, run.prog);
  });
  check("fill", [](Run &run, Tensor const &z, Tensor const &) {
    popops::fill(run.graph, z, run.prog, 3.0F);
  });
}

TEST_CASE("what is put together of blocks, or turned round, is gone through in long runs") {
  auto const check = [](std::size_t runs, auto const &view) {
    Run run(model16);
    Tensor const t = view(run);
    CHECK(cottonwood::popops::elementOrder(run.graph, t).flat(t).getVarRegions().size() == runs);
    popops::mapInPlace(run.graph, UnaryOpType::ABSOLUTE, t, run.prog);
    CHECK(run.graph.getNumVertices() <= 3 * MODEL16_TILES);
    CHECK(stepsOf(run, "DoExchange") == 0);
  };
  auto const blocks = [](Run &run, Shape const &s) { return spreadBlocks(run.graph, HALF, s, 16); };
  check(2, [&](Run &run) { // channels
    return poplar::concat(blocks(run, {2, 16, 8, 16}), blocks(run, {2, 32, 8, 16}), 1);
  });
  check(3, [&](Run &run) { // samples, which are outermost
    std::vector<Tensor> all;
    for (unsigned i = 0; i != 3; ++i)
      all.push_back(blocks(run, {1, 32, 8, 16}));
    return poplar::concat(all);
  });
  check(2 * 2 * 2, [&](Run &run) { // lines, in each block and sample
    return poplar::concat(blocks(run, {2, 32, 12, 16}), blocks(run, {2, 32, 8, 16}), 2);
  });
  check(2 * 2 * 8, [&](Run &run) { return blocks(run, {2, 32, 8, 16}).reverse(2); });
}

TEST_CASE("scaled additions take one vertex a tile, in however many intervals its elements lie") {
  Run run(model16);
  Tensor const a = run.graph.addVariable(HALF, {64, 16});
  for (unsigned row = 0; row != 64; ++row)
    run.graph.setTileMapping(a[row], row % MODEL16_TILES);
  Tensor const b = run.graph.clone(a);
  popops::scaledAddTo(run.graph, a, b, 0.5F, run.prog);
  CHECK(run.graph.getNumVertices() == MODEL16_TILES);
  CHECK(stepsOf(run, "OnTileCopy") == 0);
  CHECK(stepsOf(run, "DoExchange") == 0);
}

TEST_CASE("what lies in another order elsewhere comes in that of what vertices write in place") {
  Run run(model16);
  Shape const s{2, 32, 6, 8};
  Tensor const z = spreadBlocks(run.graph, HALF, s, 16), q = run.graph.addVariable(HALF, s);
  run.graph.setTileMapping(q, 0);
  popops::scaledAddTo(run.graph, z.slice(0, 2, 0), q, 0.5F, run.prog);
  CHECK(run.graph.getNumVertices() == MODEL16_TILES);
  CHECK(stepsOf(run, "OnTileCopy") == 1); // of tile 0, which has both
}

TEST_SUITE_END();
