// What plans for tiles do to results: nothing, wherever operands lie.
#include "Pieces.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Rearrange.hpp>

using namespace harness;
using namespace popops::expr;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

TEST_SUITE_BEGIN("popops/tile-plans");

namespace {

/// Somewhere: on one tile, evenly, in small pieces or in large ones on any tiles.
Tensor somewhere(Run &run, poplar::Type const &type, Shape const &shape, Values const &values,
                 std::mt19937 &random) {
  Tensor const t = run.graph.addVariable(type, shape);
  std::size_t const n = t.numElements();
  std::size_t const pieces[] = {n, n / MODEL16_TILES + 1, 5, 40};
  mapInPieces(run.graph, t.flatten(), pieces[random() % 4], random);
  run.write(t, values);
  return t;
}

bool liesOnSeveralTiles(poplar::Graph const &graph, Tensor const &t) {
  std::size_t tiles = 0;
  for (auto const &intervals : graph.getTileMapping(t))
    tiles += intervals.empty() ? 0 : 1;
  return tiles > 1;
}

} // namespace

TEST_CASE("maps give the same numbers wherever operands lie, and in place") {
  std::mt19937 random(51);
  Numbers numbers;
  for (int trial = 0; trial != 60; ++trial) {
    CAPTURE(trial);
    Run run(model16);
    std::size_t const a = 1 + random() % 9, b = 1 + random() % 20, c = 1 + random() % 20;
    Shape const others[] = {{a, b, c}, {c}, {b, 1}, {1}, {a, 1, c}};
    Shape const shape{a, b, c}, other = others[trial % 5];
    Values const x = numbers.integer(product(shape), -8, 8),
                 y = numbers.integer(product(other), -8, 8);
    Tensor const first = somewhere(run, FLOAT, shape, x, random),
                 second = somewhere(run, FLOAT, other, y, random);
    // Integers: exact in whatever order.
    Any const expression = random() % 2 == 0 ? Any(Sub(Mul(_1, _2), _1))
                                             : Any(Sub(Mul(_1, _2), Mul(_1, Cos(Const(0.0F)))));
    Tensor out = first;
    if (trial % 3 == 0)
      popops::mapInPlace(run.graph, expression, {first, second}, run.prog);
    else
      out = popops::map(run.graph, expression, {first, second}, run.prog);
    std::size_t const result = run.output(out);
    run.run();
    std::size_t i = 0;
    for (std::size_t p = 0; p != a; ++p)
      for (std::size_t q = 0; q != b; ++q)
        for (std::size_t r = 0; r != c; ++r, ++i) {
          std::size_t const at[] = {i, r, q, 0, p * c + r};
          CHECK(run.values(result)[i] == x[i] * y[at[trial % 5]] - x[i]);
        }
  }
}

TEST_CASE("a costly map of what lies on one tile is computed on many") {
  Run run(model16);
  Values const x = Numbers().real(FLOAT, 1000, -3, 3);
  Tensor const in = run.graph.addVariable(FLOAT, {1000});
  run.graph.setTileMapping(in, 3);
  run.write(in, x);
  Tensor const out = popops::sin(run.graph, in, run.prog);
  CHECK(liesOnSeveralTiles(run.graph, out));
  // A result that has its place stays there.
  Tensor const place = run.graph.clone(in);
  popops::mapWithOutput(run.graph, UnaryOpType::SIN, in, place, run.prog);
  CHECK_FALSE(liesOnSeveralTiles(run.graph, place));
  // A cheap one is computed where it is.
  CHECK_FALSE(liesOnSeveralTiles(run.graph, popops::neg(run.graph, in, run.prog)));
  std::size_t const results[] = {run.output(out), run.output(place)};
  run.run();
  for (std::size_t const result : results)
    for (std::size_t i = 0; i != x.size(); ++i)
      CHECK(run.values(result)[i] == doctest::Approx(std::sin(x[i])).epsilon(1e-6));
}

TEST_CASE("casts give the same numbers wherever both ends lie") {
  std::mt19937 random(52);
  Numbers numbers;
  for (int trial = 0; trial != 30; ++trial) {
    CAPTURE(trial);
    Run run(model16);
    std::size_t const n = 1 + random() % 3000;
    bool const narrows = random() % 2 == 0;
    Values const x = numbers.integer(n, -2000, 2000);
    Tensor const in = somewhere(run, narrows ? FLOAT : HALF, {n}, x, random),
                 out = somewhere(run, narrows ? HALF : FLOAT, {n}, Values(n), random);
    popops::castWithOutput(run.graph, in, out, run.prog);
    std::size_t const result = run.output(out);
    run.run();
    CHECK(run.values(result) == x);
  }
}

TEST_CASE("transposes give the same numbers wherever matrices lie") {
  std::mt19937 random(53);
  Numbers numbers;
  for (int trial = 0; trial != 30; ++trial) {
    CAPTURE(trial);
    Run run(model16);
    std::size_t const m = 1 + random() % 5, r = 1 + random() % 60, c = 1 + random() % 60;
    poplar::Type const type = random() % 2 == 0 ? FLOAT : HALF;
    Values const x = numbers.integer(m * r * c, -2000, 2000);
    auto const cs = run.graph.addComputeSet();
    Tensor const out = popops::rearrange::partialTranspose(
        run.graph, somewhere(run, type, {m, r, c}, x, random), cs);
    CHECK(out.shape() == Shape{m, c, r});
    run.prog.add(poplar::program::Execute(cs));
    std::size_t const result = run.output(out);
    run.run();
    for (std::size_t i = 0; i != x.size(); ++i)
      CHECK(run.values(result)[i] == x[i / (r * c) * r * c + i % r * c + i / r % c]);
  }
}

TEST_SUITE_END();
