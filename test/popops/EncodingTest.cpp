#include "Harness.hpp"

#include <poplar/exceptions.hpp>
#include <popops/Encoding.hpp>
#include <popops/EncodingConstants.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/exceptions.hpp>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poputil::poplibs_error;

TEST_SUITE_BEGIN("popops/encoding");

namespace {

// Indices of which some are no column: the next one, and the masked code.
Values randomIndices(Numbers &numbers, poplar::Type const &type, std::size_t rows,
                     std::size_t columns) {
  Values indices = numbers.integer(rows, 0, static_cast<long>(columns));
  for (std::size_t r = 0; r < rows; r += 3)
    indices[r] = type == INT ? -1 : 4294967295.;
  return indices;
}

Values oneHot(Values const &indices, std::size_t columns, double on, double off) {
  Values out;
  for (double index : indices)
    for (std::size_t c = 0; c != columns; ++c)
      out.push_back(index == static_cast<double>(c) ? on : off);
  return out;
}

} // namespace

TEST_CASE("one-hot rows of every type") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    std::vector<std::pair<std::size_t, Values>> results;
    for (poplar::Type const &indexType : {INT, UNSIGNED_INT})
      for (poplar::Type const &type : {FLOAT, HALF, INT, UNSIGNED_INT})
        for (Shape const &shape : {Shape{1, 1}, {7, 3}, {5, 130}, {1, 1000}, {300, 2}}) {
          Values const indices = randomIndices(numbers, indexType, shape[0], shape[1]);
          Tensor const in = run.input(indexType, {shape[0]}, indices);
          Tensor const plain = run.input(type, shape, Values(product(shape), 9)),
                       valued = run.input(type, shape, Values(product(shape), 9));
          popops::encodeOneHot(run.graph, in, plain, run.prog);
          Tensor const on = run.input(type, {}, {5}), off = run.input(type, {1}, {2});
          popops::encodeOneHot(run.graph, in, valued, run.prog, on, off);
          results.emplace_back(run.output(plain), oneHot(indices, shape[1], 1, 0));
          results.emplace_back(run.output(valued), oneHot(indices, shape[1], 5, 2));
        }
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("transposed, scattered and empty tensors are encoded") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Values const indices{2, 0, 1, 4, 3};
    Tensor const in = run.input(UNSIGNED_INT, {5}, indices);
    Tensor const t = run.input(HALF, {40, 5}, Values(200, 9)).transpose();
    popops::encodeOneHot(g, in.reverse(0).reverse(0), t, run.prog);
    // Neighbours on different tiles: far more pieces than tiles.
    Tensor const spread = g.addVariable(FLOAT, {5, 40});
    for (unsigned c = 0; c != 40; ++c)
      g.setTileMapping(spread.slice(c, c + 1, 1), c % g.getTarget().getNumTiles());
    popops::encodeOneHot(g, in, spread, run.prog);
    popops::encodeOneHot(g, in.slice(0, 0), t.slice(0, 0, 0), run.prog);
    popops::encodeOneHot(g, in, t.slice(0, 0, 1), run.prog);
    std::size_t const a = run.output(t), b = run.output(spread);
    run.run();
    CHECK(run.values(a) == oneHot(indices, 40, 1, 0));
    CHECK(run.values(b) == oneHot(indices, 40, 1, 0));
  });
}

TEST_CASE("what is encoded may hold indices and values") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const rows = run.input(UNSIGNED_INT, {3, 4}, {1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    popops::encodeOneHot(g, rows.flatten().slice(0, 3), rows, run.prog);
    Tensor const values = run.input(FLOAT, {2, 2}, {5, 6, 0, 0});
    popops::encodeOneHot(g, run.input(INT, {2}, {0, 1}), values, run.prog, values[0][0],
                         values[0][1]);
    std::size_t const a = run.output(rows), b = run.output(values);
    run.run();
    CHECK(run.values(a) == oneHot({1, 2, 3}, 4, 1, 0));
    CHECK(run.values(b) == oneHot({0, 1}, 2, 5, 6));
  });
}

TEST_CASE("iota counts up from a number of either type") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    std::vector<std::pair<std::size_t, Values>> results;
    for (std::size_t n : {1, 2, 63, 64, 1000}) {
      Values up(n), from(n);
      for (std::size_t i = 0; i != n; ++i) {
        up[i] = static_cast<double>(i);
        from[i] = static_cast<double>(i) - 5;
      }
      Tensor const u = run.input(UNSIGNED_INT, {n}, Values(n, 7)),
                   s = run.input(INT, {n}, Values(n, 7));
      popops::iota(g, u, 0u, run.prog);
      popops::iota(g, s, -5, run.prog);
      results.emplace_back(run.output(u), up);
      results.emplace_back(run.output(s), from);
    }
    Tensor const scalar = run.input(INT, {}, {0}), wrap = run.input(UNSIGNED_INT, {2}, {0, 0});
    popops::iota(g, scalar, 8, run.prog);
    popops::iota(g, wrap, 4294967295u, run.prog);
    popops::iota(g, g.addVariable(INT, {0}), 1, run.prog);
    Tensor const spread = run.input(UNSIGNED_INT, {100, 2}, Values(200, 1));
    popops::iota(g, spread.slice(1, 2, 1).flatten(), 3u, run.prog);
    results.emplace_back(run.output(scalar), Values{8});
    results.emplace_back(run.output(wrap), Values{4294967295., 0});
    Values expected(200, 1);
    for (std::size_t i = 0; i != 100; ++i)
      expected[2 * i + 1] = static_cast<double>(i) + 3;
    results.emplace_back(run.output(spread), expected);
    run.run();
    for (auto const &[output, values] : results)
      CHECK(run.values(output) == values);
  });
}

TEST_CASE("scalars are selected from rows and updated in them") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Numbers numbers;
    std::vector<std::pair<std::size_t, Values>> results;
    for (poplar::Type const &type : {FLOAT, HALF})
      for (Shape const &shape : {Shape{1, 1}, {9, 4}, {200, 3}, {4, 501}}) {
        Values const indices = randomIndices(numbers, UNSIGNED_INT, shape[0], shape[1]);
        Values const values = numbers.real(type, product(shape));
        Tensor const params = run.input(type, shape, values),
                     in = run.input(UNSIGNED_INT, {shape[0]}, indices);
        Tensor const selected = popops::selectScalarFromRows(g, params, in, run.prog);
        CHECK(selected.shape() == Shape{shape[0]});
        std::size_t const before = run.output(selected);
        Tensor const updated = run.input(type, shape, values);
        popops::updateScalarInRows(g, updated, in, run.prog);
        Values select(shape[0], 0), update = values;
        for (std::size_t r = 0; r != shape[0]; ++r)
          for (std::size_t c = 0; c != shape[1]; ++c) {
            double &x = update[r * shape[1] + c];
            if (indices[r] == static_cast<double>(c)) {
              select[r] = x;
              x = rounded(type, x - 1);
            } else if (indices[r] == static_cast<double>(shape[1])) {
              select[r] = x = std::nan("");
            }
          }
        results.emplace_back(before, select);
        results.emplace_back(run.output(updated), update);
      }
    run.run();
    for (auto const &[output, expected] : results)
      checkClose(run.values(output), expected, 0, 0);
  });
}

TEST_CASE("rows of no columns and no rows; scattered rows") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const in = run.input(UNSIGNED_INT, {2}, {0, 4294967295.});
    std::size_t const nothing =
        run.output(popops::selectScalarFromRows(g, g.addVariable(FLOAT, {2, 0}), in, run.prog));
    Tensor const none = g.addVariable(FLOAT, {0, 4});
    CHECK(popops::selectScalarFromRows(g, none, in.slice(0, 0), run.prog).shape() == Shape{0});
    popops::updateScalarInRows(g, none, in.slice(0, 0), run.prog);
    Tensor const spread = g.addVariable(FLOAT, {2, 80});
    for (unsigned c = 0; c != 80; ++c)
      g.setTileMapping(spread.slice(c, c + 1, 1), c % g.getTarget().getNumTiles());
    run.write(spread, Values(160, 3));
    popops::updateScalarInRows(g, spread, in, run.prog);
    std::size_t const out = run.output(spread);
    run.run();
    CHECK(std::isnan(run.values(nothing)[0]));
    CHECK(run.values(nothing)[1] == 0);
    Values expected(160, 3);
    expected[0] = 2;
    CHECK(run.values(out) == expected);
  });
}

TEST_CASE("what does not fit is named in the error") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const i = g.addVariable(UNSIGNED_INT, {4}), f = g.addVariable(FLOAT, {4, 3});
  CHECK_THROWS_WITH_AS(
      popops::encodeOneHot(g, i.slice(0, 3), f, run.prog),
      "popops::encodeOneHot: 'indices' has shape [3] and 'encoded' [4, 3]; they must be [N] and "
      "[N, C]",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::encodeOneHot(g, f, f, run.prog),
      "popops::encodeOneHot: 'indices' is of type float; allowed: int, unsigned int",
      poplibs_error);
  CHECK_THROWS_AS(popops::encodeOneHot(g, i, g.addVariable(poplar::BOOL, {4, 3}), run.prog),
                  poplibs_error);
  CHECK_THROWS_WITH_AS(popops::encodeOneHot(g, i, f, run.prog, f, f),
                       "popops::encodeOneHot: 'on' has shape [4, 3] of type float; it must be one "
                       "element of the type of 'encoded', float",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::encodeOneHot(g, i, f.slice(0, 1).broadcast(4, 0), run.prog),
                       "popops::encodeOneHot: 'encoded' of shape [4, 3] must be writeable in "
                       "parallel, but it contains aliases",
                       poplibs_error);
  Tensor const c = g.addConstant(FLOAT, {4, 3}, 1.f), ones = g.addConstant(INT, {4}, 1);
  CHECK_THROWS_WITH_AS(popops::encodeOneHot(g, i, c, run.prog),
                       doctest::Contains("but it contains constants"), poplibs_error);
  CHECK_THROWS_WITH_AS(popops::iota(g, ones, 0, run.prog),
                       doctest::Contains("but it contains constants"), poplibs_error);
  CHECK_THROWS_WITH_AS(popops::updateScalarInRows(g, c, i, run.prog),
                       doctest::Contains("but it contains constants"), poplibs_error);
  CHECK_THROWS_WITH_AS(popops::iota(g, f, 0u, run.prog),
                       "popops::iota: 't' has shape [4, 3]; its rank must be 0 or 1",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::iota(g, i, 0, run.prog),
                       "popops::iota: 't' is of type unsigned int; with this 'startInteger' it "
                       "must be int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::selectScalarFromRows(g, f, f, run.prog),
                       "popops::selectScalarFromRows: 'indices' is of type float; it must be "
                       "unsigned int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::updateScalarInRows(g, i, i, run.prog),
                       "popops::updateScalarInRows: 'params' is of type unsigned int; allowed: "
                       "float, half",
                       poplibs_error);
  CHECK_THROWS_AS(popops::updateScalarInRows(g, f, i.slice(1, 4), run.prog), poplibs_error);
}

TEST_CASE("what is written must be mapped on every device") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const i = g.addVariable(UNSIGNED_INT, {4}, "numbers"), f = g.addVariable(FLOAT, {4, 3});
    g.setTileMapping(i.slice(0, 2), 0);
    CHECK_THROWS_WITH_AS(popops::iota(g, i, 0u, run.prog),
                         doctest::Contains("element 2 of the tensor of shape [4] (numbers) is "
                                           "mapped to no tile"),
                         poplar::invalid_tile_mapping);
    CHECK_THROWS_AS(popops::encodeOneHot(g, i, f, run.prog), poplar::invalid_tile_mapping);
    CHECK_THROWS_AS(popops::updateScalarInRows(g, f, i, run.prog), poplar::invalid_tile_mapping);
  });
}

TEST_SUITE_END();
