#include "Harness.hpp"

#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using popops::SortOrder;
using popops::TopKParams;
using poputil::poplibs_error;

TEST_SUITE_BEGIN("popops/topk");

namespace {

// The documented order: -0 below +0, NaN above infinity.
bool below(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return !std::isnan(a) && std::isnan(b);
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

struct Reference {
  Values values, indices;
};

// Row by row with std::stable_sort, first to choose, then to order what was chosen.
Reference reference(Values const &in, std::size_t n, TopKParams const &params) {
  Reference result;
  for (std::size_t row = 0; row * n < in.size(); ++row) {
    double const *const x = in.data() + row * n;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    auto const ascending = [&](std::size_t a, std::size_t b) { return below(x[a], x[b]); };
    auto const descending = [&](std::size_t a, std::size_t b) { return below(x[b], x[a]); };
    params.largest ? std::stable_sort(order.begin(), order.end(), descending)
                   : std::stable_sort(order.begin(), order.end(), ascending);
    order.resize(params.k);
    std::sort(order.begin(), order.end());
    if (params.sortOrder == SortOrder::ASCENDING)
      std::stable_sort(order.begin(), order.end(), ascending);
    else if (params.sortOrder == SortOrder::DESCENDING)
      std::stable_sort(order.begin(), order.end(), descending);
    for (std::size_t i : order) {
      result.values.push_back(x[i]);
      result.indices.push_back(static_cast<double>(i));
    }
  }
  return result;
}

// Numbers with many ties; sometimes special ones.
Values keysOf(poplar::Type const &type, Numbers &numbers, std::size_t n) {
  Values keys;
  if (type == FLOAT || type == HALF) {
    keys = numbers.below(2) ? numbers.real(type, n, -100, 100) : numbers.integer(n, -4, 4);
    double const special[] = {std::nan(""), std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(), -0.0, 0.0};
    if (numbers.below(2))
      for (std::size_t i = 0; i < n; i += 5)
        keys[numbers.below(n)] = special[numbers.below(5)];
    return keys;
  }
  long const low = type == INT ? -2147483648L : 0, high = type == INT ? 2147483647L : 4294967295L;
  return numbers.below(2) ? numbers.integer(n, low, high)
                          : numbers.integer(n, type == INT ? -3 : 0, 3);
}

bool sameNumber(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

std::size_t differences(Values const &a, Values const &b) {
  if (a.size() != b.size())
    return a.size() + b.size();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != a.size(); ++i)
    wrong += !sameNumber(a[i], b[i]);
  return wrong;
}

// Without an order the pairs count, not where they stand.
Reference inOrderOfIndex(Values const &values, Values const &indices, std::size_t k) {
  Reference result;
  for (std::size_t begin = 0; begin < indices.size(); begin += k) {
    std::vector<std::size_t> order(k);
    std::iota(order.begin(), order.end(), begin);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return indices[a] < indices[b]; });
    for (std::size_t i : order) {
      result.values.push_back(values[i]);
      result.indices.push_back(indices[i]);
    }
  }
  return result;
}

SortOrder const ORDERS[] = {SortOrder::NONE, SortOrder::ASCENDING, SortOrder::DESCENDING};

} // namespace

TEST_CASE("elements and indices of every type, size and order are those of a stable sort") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t values, indices, alone;
      Reference expected;
      std::size_t k;
      SortOrder order;
    };
    std::vector<Result> results;
    for (Shape const &shape :
         {Shape{1}, {3, 7}, {1, 300}, {2, 2, 65}, {9, 33}, {1, 3000}, {2, 1200}})
      for (poplar::Type const &type : {FLOAT, HALF, INT, UNSIGNED_INT})
        for (bool largest : {true, false}) {
          std::size_t const n = shape.back();
          Values const keys = keysOf(type, numbers, product(shape));
          Tensor const t = run.input(type, shape, keys);
          std::size_t const choices[] = {1, n / 7 + 1, n};
          TopKParams const params(static_cast<unsigned>(choices[numbers.below(3)]), largest,
                                  ORDERS[numbers.below(3)], numbers.below(2) == 1);
          auto const [values, indices] =
              popops::topKWithPermutation(run.graph, run.prog, t, params);
          Tensor const alone = popops::topK(run.graph, run.prog, t, params);
          auto expected = shape;
          expected.back() = params.k;
          CHECK(values.shape() == expected);
          CHECK(indices.shape() == expected);
          CHECK(alone.shape() == expected);
          CHECK(values.elementType() == type);
          CHECK(indices.elementType() == UNSIGNED_INT);
          results.push_back({run.output(values), run.output(indices), run.output(alone),
                             reference(keys, n, params), params.k, params.sortOrder});
        }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      Result const &r = results[i];
      Values values = run.values(r.values), indices = run.values(r.indices),
             alone = run.values(r.alone);
      CHECK(differences(alone, values) == 0);
      if (r.order == SortOrder::NONE) {
        Reference const sorted = inOrderOfIndex(values, indices, r.k);
        values = sorted.values;
        indices = sorted.indices;
      }
      CHECK(differences(values, r.expected.values) == 0);
      CHECK(indices == r.expected.indices);
    }
  });
}

TEST_CASE("a long row in pieces is selected from and sorted") {
  for (unsigned k : {5U, 2000U, 140000U}) {
    CAPTURE(k);
    Run run(cpu);
    Numbers numbers;
    std::size_t const n = 140000;
    Values const keys = numbers.integer(n, -50000, 50000);
    Tensor const t = run.input(FLOAT, {1, n}, keys);
    TopKParams const params(k, true, SortOrder::ASCENDING, true);
    auto const [values, indices] = popops::topKWithPermutation(run.graph, run.prog, t, params);
    std::size_t const v = run.output(values), i = run.output(indices);
    run.run();
    Reference const expected = reference(keys, n, params);
    CHECK(differences(run.values(v), expected.values) == 0);
    CHECK(run.values(i) == expected.indices);
  }
}

TEST_CASE("values follow their keys") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t keys, values;
      Values expectedKeys, expectedValues;
    };
    std::vector<Result> results;
    for (poplar::Type const &valueType : {FLOAT, HALF, INT, UNSIGNED_INT})
      for (Shape const &shape : {Shape{40}, {5, 30}}) {
        std::size_t const n = shape.back();
        Values const k = numbers.integer(product(shape), -9, 9),
                     v = numbers.integer(product(shape), 0, 999);
        TopKParams const params(static_cast<unsigned>(n / 2), false, SortOrder::DESCENDING);
        auto const [keys, values] = popops::topKKeyValue(
            run.graph, run.prog, run.input(HALF, shape, k), run.input(valueType, shape, v), params);
        Reference const expected = reference(k, n, params);
        Values expectedValues;
        for (std::size_t i = 0; i != expected.indices.size(); ++i)
          expectedValues.push_back(
              v[i / params.k * n + static_cast<std::size_t>(expected.indices[i])]);
        results.push_back({run.output(keys), run.output(values), expected.values, expectedValues});
      }
    run.run();
    for (Result const &r : results) {
      CHECK(run.values(r.keys) == r.expectedKeys);
      CHECK(run.values(r.values) == r.expectedValues);
    }
  });
}

TEST_CASE("views are sorted as they look; results may be written in place") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const m = run.input(INT, {3, 2}, {5, 1, 4, 2, 6, 0});
    std::size_t const columns = run.output(popops::sort(g, m, 0, run.prog)),
                      rows = run.output(popops::sort(g, m, 1, run.prog)),
                      repeated = run.output(
                          popops::sort(g, m.slice(0, 1).broadcast(2, 0).transpose(), 0, run.prog)),
                      strided = run.output(
                          popops::topK(g, run.prog, m.flatten().reverse(0).subSample(2, 0),
                                       TopKParams(2, true, SortOrder::DESCENDING)));
    Tensor const t = run.input(FLOAT, {2, 3}, {3, 9, 1, 8, 2, 7});
    popops::sortInPlace(g, t.transpose(), 0, run.prog);
    Tensor const k = run.input(FLOAT, {4}, {2, 1, 2, 0}),
                 v = run.input(UNSIGNED_INT, {4}, {0, 1, 2, 3});
    std::size_t const kv = run.output(popops::sortKeyValue(g, k, v, 0, run.prog));
    Tensor const k2 = run.input(FLOAT, {2, 2}, {2, 1, 0, 3}),
                 v2 = run.input(HALF, {2, 2}, {20, 10, 0, 30});
    popops::sortKeyValueInPlace(g, k2, v2, 0, run.prog);
    std::size_t const inPlace = run.output(t), keys = run.output(k2), values = run.output(v2);
    run.run();
    CHECK(run.values(columns) == Values{4, 0, 5, 1, 6, 2});
    CHECK(run.values(rows) == Values{1, 5, 2, 4, 0, 6});
    CHECK(run.values(repeated) == Values{1, 1, 5, 5});
    CHECK(run.values(strided) == Values{2, 1});
    CHECK(run.values(inPlace) == Values{1, 3, 9, 2, 7, 8});
    CHECK(run.values(kv) == Values{3, 1, 0, 2});
    CHECK(run.values(keys) == Values{0, 1, 2, 3});
    CHECK(run.values(values) == Values{0, 10, 20, 30});
  });
}

TEST_CASE("nothing to select, and whole rows in no order") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const t = run.input(FLOAT, {2, 3}, {3, 1, 2, 6, 5, 4});
    auto const none = popops::topKWithPermutation(g, run.prog, t, {0, true, SortOrder::NONE});
    CHECK(none.first.shape() == Shape{2, 0});
    CHECK(none.second.shape() == Shape{2, 0});
    Tensor const empty = g.addVariable(HALF, {0, 4});
    CHECK(popops::topK(g, run.prog, empty, {3, true, SortOrder::ASCENDING}).shape() == Shape{0, 3});
    CHECK(popops::sort(g, empty, 1, run.prog).shape() == Shape{0, 4});
    CHECK(popops::sort(g, empty, 0, run.prog).shape() == Shape{0, 4});
    auto const all = popops::topKWithPermutation(g, run.prog, t, {3, true, SortOrder::NONE});
    auto const pairs = popops::topKKeyValue(g, run.prog, t, t, {3, false, SortOrder::NONE, true});
    std::size_t const a = run.output(all.first), b = run.output(all.second),
                      c = run.output(pairs.second);
    run.run();
    CHECK(run.values(a) == Values{3, 1, 2, 6, 5, 4});
    CHECK(run.values(b) == Values{0, 1, 2, 0, 1, 2});
    CHECK(run.values(c) == Values{3, 1, 2, 6, 5, 4});
  });
}

TEST_CASE("createTopKInput spreads rows over tiles") {
  Run run(model);
  auto &g = run.graph;
  TopKParams const params(2, true, SortOrder::NONE);
  Tensor const t = popops::createTopKInput(g, HALF, {21, 5}, params);
  CHECK(t.shape() == Shape{21, 5});
  auto const mapping = g.getTileMapping(t);
  REQUIRE(mapping.size() == 7);
  for (auto const &tile : mapping) {
    REQUIRE(tile.size() == 1);
    CHECK(tile[0].size() == 15);
  }
  CHECK(popops::createTopKInput(g, INT, {1, 1000}, params).numElements() == 1000);
}

TEST_CASE("parameters print") {
  std::ostringstream text;
  text << SortOrder::NONE << ' ' << SortOrder::ASCENDING << ' ' << SortOrder::DESCENDING << ' '
       << TopKParams(3, true, SortOrder::ASCENDING);
  CHECK(text.str() == "none ascending descending {k=3, largest=true, sortOrder=ascending, "
                      "stableSort=false}");
}

TEST_CASE("what cannot be selected or sorted is an error that says so") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const t = g.addVariable(FLOAT, {2, 3}), b = g.addVariable(poplar::BOOL, {2, 3});
  TopKParams const two(2, true, SortOrder::NONE);
  CHECK_THROWS_WITH_AS(popops::topK(g, run.prog, t, {4, true, SortOrder::NONE}),
                       "popops::topK: k = 4 of an input of shape [2, 3]; it must be at most 3",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::topK(g, run.prog, t[0][0], two),
                       "popops::topK: the input has rank 0; it must have a dimension to select "
                       "from",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::topKWithPermutation(g, run.prog, b, two),
                       "popops::topKWithPermutation: 'keys' is of type bool; allowed: float, half, "
                       "int, unsigned int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::topKKeyValue(g, run.prog, t, t.transpose(), two),
      "popops::topKKeyValue: 'keys' has shape [2, 3] and 'values' [3, 2]; they must be equal",
      poplibs_error);
  CHECK_THROWS_AS(popops::topKKeyValue(g, run.prog, t, b, two), poplibs_error);
  CHECK_THROWS_AS(popops::topKKeyValue(g, run.prog, t, t, {2, true, SortOrder::ASCENDING, true}),
                  poplibs_error);
  CHECK_THROWS_AS(popops::createTopKInput(g, FLOAT, {}, two), poplibs_error);
  CHECK_THROWS_AS(popops::createTopKInput(g, FLOAT, {1}, two), poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::sort(g, t, 2, run.prog),
      "popops::sort: 'dim' = 2 is out of range for 't' of shape [2, 3]; dimensions must be below 2",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::sortKeyValue(g, t, t.transpose(), 0, run.prog),
                       "popops::sortKeyValue: 'k' has shape [2, 3] and 'v' [3, 2]; they must be "
                       "equal",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::sortInPlace(g, t.slice(0, 1).broadcast(2, 0), 0, run.prog),
                       "popops::sortInPlace: 't' of shape [2, 3] must be writeable in parallel, "
                       "but it contains aliases",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::sortKeyValueInPlace(g, t.slice(0, 1), t.slice(0, 1).reverse(1), 1, run.prog),
      "popops::sortKeyValueInPlace: 'k' and 'v' share elements, the first being element [0, 0] of "
      "the one and [0, 2] of the other; both are written",
      poplibs_error);
  CHECK_NOTHROW(popops::sortKeyValueInPlace(g, t, t, 1, run.prog));
  CHECK_THROWS_WITH_AS(
      popops::sortKeyValueInPlace(g, t, g.addConstant(FLOAT, {2, 3}, 1.f), 0, run.prog),
      "popops::sortKeyValueInPlace: 'v' of shape [2, 3] must be writeable in parallel, but it "
      "contains constants",
      poplibs_error);
  CHECK_THROWS_AS(popops::topK(g, run.prog, Tensor(), two), poplibs_error);
}

TEST_SUITE_END();
