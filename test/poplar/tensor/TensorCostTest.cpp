// Views of huge variables and of many pieces: right, and without memory per element. What costs
// time per element would not end here, what costs memory per element is counted.

#include "Allocations.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>
#include <poplar/Tensor.hpp>
#include <poplar/impl/graph/Relocation.hpp>
#include <poplar/impl/graph/View.hpp>
#include <poplar/impl/graph/ViewPieces.hpp>
#include <random>

using namespace cottonwood;
using poplar::append;
using poplar::concat;
using poplar::Tensor;

namespace {

Tensor variable(std::vector<std::size_t> const &shape, graph::VarId id = 0) {
  return graph::makeTensor(graph::View::whole(3, id, poplar::FLOAT, shape));
}

std::uint64_t offsetOf(Tensor const &t, std::uint64_t flat) {
  return graph::viewOf(t).locate(flat).offset;
}

std::vector<std::size_t> permutationOf(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(5));
  return order;
}

TEST_SUITE("poplar/tensor") {

  TEST_CASE("operations on one box up to rank 6 allocate nothing") {
    Tensor const v = variable({8, 9, 10, 11, 12, 13});
    Allocations const allocations;
    Tensor const t = v.dimShuffle({5, 0, 4, 1, 3, 2});
    Tensor const u = t.slice(1, 4, 2).reverse(3).subSample(2, 5).slice(2, 3, 0).broadcast(7, 0);
    Tensor const w =
        u[3][1][2].expand({1, 1}).squeeze({1, 2}).upsample(2, 0, poplar::UpsampleMethod::REPEAT);
    Tensor const x =
        v.flatten(1, 3).reshapePartial(1, 2, {3, 30}).dimRoll(2).reinterpret(poplar::INT);
    CHECK(w.rank() == 3);
    CHECK_FALSE(w.isContiguous());
    CHECK(w.containsAliases());
    CHECK_FALSE(t.containsAliases());
    CHECK_FALSE(x.isContiguous());
    CHECK(t.slice(2, 5).intersectsWith(t.slice(4, 6)) == true);
    CHECK(allocations.count() <= 2); // intersectsWith's list of boxes
  }

  TEST_CASE(
      "a transposed, sliced and concatenated view of 10^9 elements costs nothing per element") {
    Tensor const v = variable({1000, 1000, 1000}), other = variable({1000, 50, 1000}, 1);
    Allocations const allocations;
    Tensor const t = v.dimShuffle({2, 0, 1}).slice(100, 900, 1); // [1000, 800, 1000]
    Tensor const u = concat({t, other.dimShuffle({0, 2, 1}).slice(0, 800, 1), t.reverse(0)}, 2);
    CHECK(u.dim(0) == 1000);
    CHECK(u.dim(1) == 800);
    CHECK(u.dim(2) == 2050);
    CHECK_FALSE(u.isContiguous());
    CHECK(u.containsAliases());
    CHECK_FALSE(u.isParallelWriteable());
    Tensor const apart = concat(t, v.dimShuffle({2, 0, 1}).slice(0, 100, 1), 1);
    CHECK_FALSE(apart.containsAliases());
    CHECK(apart.isParallelWriteable());
    CHECK_FALSE(apart.isContiguous());
    CHECK(concat(t.slice(0, 400, 1), t.slice(400, 800, 1), 1) == t);
    // t[i, j, k] = v[100 + j, k, i]
    CHECK(offsetOf(t[5][6][7], 0) == (106 * 1000 + 7) * 1000 + 5);
    CHECK(offsetOf(u[5][6][7], 0) == (106 * 1000 + 7) * 1000 + 5);
    CHECK(offsetOf(u[5][6][1003], 0) == (5 * 50 + 3) * 1000 + 6);
    CHECK(graph::viewOf(u[5][6][1003]).locate(0).var == 1);
    CHECK(offsetOf(u[5][6][1057], 0) == (106 * 1000 + 7) * 1000 + 994);
    CHECK(offsetOf(apart[1][850][3], 0) == (50 * 1000 + 3) * 1000 + 1);
    CHECK(allocations.count() < 100);
    CHECK(allocations.bytes() < 20000);
  }

  TEST_CASE("columns of concatenations of 10^8 rows are few blocks, also where they are cloned") {
    std::size_t const rows = 100000000;
    Tensor const v = variable({rows, 10}), w = variable({rows, 6}, 1), x = variable({rows, 16}, 2);
    Tensor const c = concat({v, w, v.slice(3, 5, 1)}, 1), twice = concat({c, x, c}, 1);
    graph::View const both = graph::viewOf(concat(v, w, 1));
    std::vector<graph::Relocated> places = graph::usedStorage(both);
    for (graph::Relocated &place : places)
      place.newVar = place.var + 10;
    Tensor const moved = graph::makeTensor(graph::relocate(both, poplar::INT, places));
    struct Case {
      Tensor a;
      std::size_t parts;
    };
    for (auto const &[a, parts] :
         {Case{c, 3}, Case{c.transpose(), 3}, Case{c.slice(10, rows - 10), 3},
          Case{c.reverse(1).slice(2, 9, 1), 2}, Case{c.subSample(3, 0), 3},
          Case{c.reshape({rows / 100, 100, 3, 6}).dimShuffle({2, 1, 3, 0}), 5}, Case{twice, 7},
          Case{concat(c, c), 6}, Case{moved, 2}}) {
      Tensor const b = variable({a.numElements()}, 3);
      std::size_t found = 0, blocks = 0;
      Allocations const allocations;
      graph::forEachPart(graph::viewOf(a), graph::viewOf(b),
                         [&](graph::View const &partA, graph::View const &partB) {
                           ++found;
                           partA.forEachBlock([&](graph::StridedBlock const &) { ++blocks; });
                           partB.forEachBlock([&](graph::StridedBlock const &) { ++blocks; });
                         });
      CHECK(found == parts);
      CHECK(blocks == 2 * parts);
      CHECK(allocations.bytes() < 20000);
    }
    std::size_t found = 0; // the rest of a row, three pieces of others, the beginning of a row
    graph::forEachPart(graph::viewOf(variable({18 * rows - 12}, 3)),
                       graph::viewOf(c.flatten().slice(7, 18 * rows - 5)),
                       [&](graph::View const &, graph::View const &) { ++found; });
    CHECK(found == 5);
    CHECK(graph::viewOf(moved).locate(16 * rows - 1).var == 11);
    CHECK(offsetOf(moved, 16 * rows - 1) == 6 * rows - 1);
  }

  TEST_CASE("rows of storage that are packed are one run") {
    std::size_t const rows = 100000;
    Tensor const v = variable({rows, 5});
    std::vector<graph::Relocated> places = graph::usedStorage(graph::viewOf(v.slice(1, 3, 1)));
    CHECK(places.size() == rows);
    for (std::size_t i = 0; i != places.size(); ++i)
      places[i].newVar = 4, places[i].newBegin = 2 * i;
    auto const relocated = [&](Tensor const &t) {
      return graph::relocate(graph::viewOf(t), poplar::INT, places);
    };
    CHECK(relocated(v.slice(1, 3, 1)).asRun() == graph::Run{4, 0, 2 * rows});
    CHECK(relocated(v.slice(2, 3, 1).reverse(0).flatten()) ==
          graph::View::whole(3, 4, poplar::INT, std::vector<std::size_t>{rows, 2})
              .slice(1, 2, 1)
              .reverse(0)
              .reshape(std::vector<std::size_t>{rows}));
    for (std::size_t i = rows / 2; i != rows; ++i)
      ++places[i].newBegin; // a gap
    std::size_t blocks = 0;
    relocated(v.slice(1, 3, 1)).forEachBlock([&](graph::StridedBlock const &) { ++blocks; });
    CHECK(blocks == 2);
  }

  TEST_CASE("a reshape of a transposed view that does not factor costs nothing per element") {
    std::size_t const n = 400'000'000;
    Tensor const t = variable({3, n}).transpose();
    Allocations const allocations;
    Tensor const m = t.reshape({3 * n / 8, 8});
    CHECK(m.reshape({n, 3}) == t);
    Tensor const column = m.slice(5, 6, 1).flatten(), other = m.slice(2, 3, 1).flatten();
    // Element [i, j] is number 8 i + j of rows of three.
    auto const expected = [](std::uint64_t i, std::uint64_t j) {
      return (8 * i + j) % 3 * n + (8 * i + j) / 3;
    };
    for (std::uint64_t const i :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{77'777'777}, 3 * n / 8 - 1}) {
      CHECK(offsetOf(column, i) == expected(i, 5));
      CHECK(offsetOf(m[i], 7) == expected(i, 7));
    }
    CHECK_FALSE(m.isContiguous());
    CHECK_FALSE(column.isContiguous());
    CHECK_FALSE(column.containsAliases());
    CHECK(column.isParallelWriteable());
    CHECK_FALSE(column.intersectsWith(other));
    CHECK(column.intersectsWith(t[1 + 8 * 1000 / 3 + 1]) ==
          true); // elements 8004 to 8006, of which 8005 = 8 * 1000 + 5
    CHECK_FALSE(concat({other, column, m.slice(7, 8, 1).flatten()}).containsAliases());
    CHECK(concat({other, column, m.slice(2, 3, 1).flatten().slice(3, 9)}).containsAliases());
    CHECK(column == m.transpose()[5]);
    std::uint64_t numRuns = 0;
    graph::viewOf(column).forEachRun([&](graph::Run const &run) {
      CHECK(run.begin == expected(numRuns, 5));
      return ++numRuns < 100;
    });
    CHECK(numRuns == 100);
    CHECK(allocations.count() < 200);
    CHECK(allocations.bytes() < 100'000);
  }

  TEST_CASE("100000 indexes of a concatenation of 100000 pieces cost no memory each") {
    std::size_t const n = 100'000;
    std::vector<std::size_t> const order = permutationOf(n);
    Tensor const v = variable({n, 3});
    std::vector<Tensor> rows;
    for (std::size_t const i : order)
      rows.push_back(v.slice(i, i + 1));
    Allocations building;
    Tensor const shuffled = concat(rows);
    CHECK(building.bytes() < 200 * n); // per piece, with the growth of lists
    Allocations const allocations;
    std::size_t numRight = 0;
    for (std::size_t i = 0; i != n; ++i) {
      Tensor const row = shuffled[i];
      numRight +=
          row.isContiguous() && row.isParallelWriteable() && offsetOf(row, 1) == 3 * order[i] + 1;
    }
    CHECK(numRight == n);
    CHECK(allocations.count() == 0);
    for (std::size_t i = 0; i + 10 < n; i += 10)
      numRight += shuffled.slice(i, i + 10)[3] == rows[i + 3][0];
    CHECK(numRight == n + (n - 1) / 10);
    CHECK(allocations.count() == 0);
    CHECK_FALSE(shuffled.containsAliases());
    CHECK(concat(shuffled, rows[7]).containsAliases());
  }

  TEST_CASE("slices of one variable concatenated in order are one piece again") {
    Tensor const v = variable({300, 40});
    for (unsigned const dim : {0u, 1u}) {
      std::vector<Tensor> parts;
      for (std::size_t i = 0; i != v.dim(dim); ++i)
        parts.push_back(v.slice(i, i + 1, dim));
      Tensor const whole = concat(parts, dim);
      CHECK(whole.getContiguousRegions().size() == 1);
      CHECK_FALSE(graph::viewOf(whole).box().node);
      CHECK(whole == v);
      Tensor const transposed = concat(parts, dim).transpose();
      CHECK(transposed == v.transpose());
    }
  }

  TEST_CASE("interleaved columns in any order are apart, and a repeated one is found") {
    std::size_t const rows = 20'000, columns = 50'000; // 10^9 elements
    Tensor const v = variable({rows, columns});
    std::vector<Tensor> parts;
    for (std::size_t const j : permutationOf(columns))
      parts.push_back(v.slice(j, j + 1, 1));
    Allocations const allocations;
    Tensor const shuffled = concat(parts, 1);
    CHECK_FALSE(shuffled.containsAliases());
    CHECK_FALSE(shuffled.slice(2, 9).containsAliases());
    CHECK_FALSE(
        shuffled.slice(0, columns / 2, 1).intersectsWith(shuffled.slice(columns / 2, columns, 1)));
    parts[17] = parts[40'000];
    CHECK(concat(parts, 1).containsAliases());
    parts[17] =
        v.slice(5, 6).transpose().slice(17, 17 + 1).broadcast(rows, 1).transpose(); // one element,
                                                                                    // repeated
    CHECK(concat(parts, 1).containsAliases());
    CHECK(allocations.bytes() < 6000 * columns);
  }

  TEST_CASE("tiles of a matrix in any order are apart") {
    std::size_t const n = 250, tile = 40; // 62500 tiles
    Tensor const v = variable({n * tile, n * tile});
    std::vector<Tensor> parts;
    for (std::size_t const k : permutationOf(n * n)) {
      std::size_t const i = k / n * tile, j = k % n * tile;
      parts.push_back(v.slice({i, j}, {i + tile, j + tile}));
    }
    CHECK_FALSE(concat(parts).containsAliases());
    parts[3] = v.slice({39, 39}, {40, 40}).broadcast(tile, 0).broadcast(tile, 1);
    CHECK(concat(parts).containsAliases());
  }

  TEST_CASE("a tensor that grows by one piece at a time does not copy its pieces each time") {
    std::size_t const n = 20'000;
    std::vector<std::size_t> const order = permutationOf(n);
    Tensor const v = variable({n, 2});
    Tensor atEnd = variable({0, 2}), atFront = atEnd;
    Allocations const allocations;
    for (std::size_t const i : order) {
      atEnd = append(atEnd, v[i]);
      atFront = concat(v.slice(i, i + 1), atFront);
    }
    CHECK(allocations.bytes() < 50'000 * n);
    CHECK(atEnd.dim(0) == n);
    CHECK(atEnd == atFront.dimShuffle({1, 0}).reverse(1).transpose());
    std::size_t numRight = 0;
    for (std::size_t i = 0; i != n; ++i)
      numRight += offsetOf(atEnd[i], 1) == 2 * order[i] + 1;
    CHECK(numRight == n);
    CHECK_FALSE(atEnd.containsAliases());
    CHECK(append(atEnd, v[5]).containsAliases());
    CHECK(atEnd.getContiguousRegions() == atFront.reverse(0).getContiguousRegions());
    // The oldest and the newest parts alike are a few stages away.
    unsigned depth = 0;
    for (graph::Node const *node = graph::viewOf(atEnd).box().node.get(); node; ++depth)
      node = node->piece(0).node ? node->piece(0).node->get() : nullptr;
    CHECK(depth <= 2);
  }

  TEST_CASE("boxes at random distances are apart") {
    // Pairs of rows: no two of them at the same distance, all intervals overlap.
    std::size_t const n = 20'000;
    std::vector<std::size_t> const order = permutationOf(2 * n);
    Tensor const v = variable({2 * n, 3});
    std::vector<Tensor> pairs;
    for (std::size_t i = 0; i != n; ++i)
      pairs.push_back(
          concat(v.slice(order[i], order[i] + 1), v.slice(order[n + i], order[n + i] + 1)));
    CHECK_FALSE(concat(pairs).containsAliases());
    pairs[0] = pairs[1].slice(0, 1);
    CHECK(concat(pairs).containsAliases());
  }

} // TEST_SUITE

} // namespace
