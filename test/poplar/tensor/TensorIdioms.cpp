// The call forms that programs use, compiled once for each C++ standard from 11 to 20; the function
// is called by TensorTest.cpp. What matters is which overload each call means.

#include <array>
#include <map>
#include <memory>
#include <poplar/Tensor.hpp>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace poplar;
using namespace std;

namespace {

bool sameShape(Tensor const &t, vector<size_t> const &shape) { return t.shape() == shape; }

tuple<Tensor, Tensor> makePair(Tensor const &t) { return make_tuple(t[0], t[1]); }

/// A client's own list type.
struct Offsets : array<size_t, 2> {};

bool slices(Tensor const &t) { // [4, 6]
  bool ok = sameShape(t.slice({1, 2}), {1, 6});
  ok = ok && sameShape(t.slice({1, 2}, 1), {4, 1});
  ok = ok && sameShape(t.slice({0, 1}, 0), {1, 6});
  size_t const x = 1, n = 3, y = 5;
  ok = ok && sameShape(t.slice({0, x}, {n, y}), {3, 4});
  ok = ok && sameShape(t.slice({0, 0}, {2, 3}), {2, 3});
  vector<size_t> const begin{1, 1}, end{2, 4};
  ok = ok && sameShape(t.slice(begin, end), {1, 3});
  Offsets from, to;
  from[0] = from[1] = 0;
  to[0] = to[1] = 2;
  ok = ok && sameShape(t.slice(from, to), {2, 2});
  ok = ok && sameShape(t.slice(0, 4), {4, 6}) && sameShape(t.slice(0u, 4ul, 1), {4, 4});
  ok = ok && sameShape(t.slice(Interval(0, 3)), {3, 6});
  Interval const interval{2, 4};
  ok = ok && sameShape(t.slice(interval, 1), {4, 2});
  vector<Interval> const intervals{{0, 2}, {1, 4}};
  vector<vector<Interval>> const lists{{{0, 2}, {3, 4}}, {}};
  vector<unsigned> const indices{3, 0};
  ok = ok && t.slices(intervals).size() == 2 && t.slices(lists, 1).size() == 2 &&
       t.slices(indices).size() == 2;
  ok = ok && sameShape(concat(t.slices(intervals)), {5, 6}) &&
       sameShape(concat(t.slices(indices, 1), 1), {4, 2});
  return ok && sameShape(t.index({1, 2}), {}) && sameShape(t.index({}), {4, 6});
}

bool shapes(Tensor const &t) {
  size_t const n = 24;
  unsigned const a = 3, b = 8;
  bool ok = sameShape(t.reshape({n}), {24}) && sameShape(t.reshape({a, b}), {3, 8});
  ok = ok && sameShape(t[0][0].reshape({}), {}) && sameShape(t.reshape(t.shape()), {4, 6});
  ok = ok && sameShape(t.flatten(), {24}) && sameShape(t.flatten(0, 2), {24});
  ok = ok && sameShape(t.expand({0}), {1, 4, 6}) && sameShape(t.expand({t.rank()}), {4, 6, 1});
  ok = ok && sameShape(t.expand({0}).squeeze({0}), {4, 6}) &&
       sameShape(t.reshapePartial(1, 2, {2, 3}), {4, 2, 3});
  ok = ok && sameShape(t.dimShuffle({1, 0}), {6, 4}) &&
       sameShape(t.dimShufflePartial({1}, {0}), {6, 4});
  ok = ok && sameShape(t.dimRoll(1), {6, 4}) && sameShape(t.dimRoll(1, 0), {6, 4}) &&
       sameShape(t.transpose(), {6, 4});
  ok = ok && sameShape(t.broadcast(2, 0), {8, 6}) && sameShape(t.subSample(2, 0), {2, 6});
  ok = ok && sameShape(t.upsample(2, 1, UpsampleMethod::REPEAT), {4, 12}) &&
       sameShape(t.reverse(0), {4, 6});
  vector<unsigned> const permutation{t.rank() - 1, 0};
  ok = ok && sameShape(t.dimShuffle(permutation), {6, 4});
  size_t total = 0;
  for (auto size : t.shape())
    total += size;
  auto const &bound = t.shape();
  return ok && total == 10 && bound[1] == 6 && std::min(t.dim(1), n) == 6 && t.shape()[0] == 4;
}

bool joins(Tensor const &a, Tensor const &b) {
  bool ok = sameShape(concat(a, b), {8, 6}) && sameShape(concat(a, b, 1), {4, 12});
  ok = ok && sameShape(concat({a, b}), {8, 6}) && sameShape(concat({a, b}, 1), {4, 12});
  ok = ok && sameShape(concat({a, b}, 0), {8, 6}) && sameShape(concat({a.flatten(), b[0]}), {30});
  vector<Tensor> list{a, b, a};
  list.emplace_back(b[0].expand({0}));
  ok = ok && sameShape(concat(list), {13, 6}) && sameShape(poplar::concat(list, 0), {13, 6});
  return ok && sameShape(append(a, b[0]), {5, 6}) && sameShape(append(a, b[0], 0), {5, 6}) &&
         sameShape(append(a, b.transpose()[0], 1), {4, 7});
}

bool values(Tensor const &t) {
  Tensor in, out;
  tie(in, out) = makePair(t);
  std::swap(in, out);
  auto &&bound = t[0][1];
  auto inner = t[1][2];
  map<string, Tensor> byName;
  byName["x"] = t;
  vector<Tensor> many(3);
  unique_ptr<Tensor> const held(new Tensor(t));
  unordered_map<VariableRef, size_t> uses;
  for (auto const &region : t.getVarRegions())
    uses[region.var] += region.interval.size();
  float f = 0;
  unsigned u = 0;
  bool const none = t.getConstantValue(&f) || t.getConstantValue(&u);
  return in == t[1] && out != in && bound.rank() == 0 && inner.valid() && byName["x"] == t &&
         !many[0].valid() && *held == t && uses.size() == 1 && !none && !t.hasMetadata() &&
         !t.getMetadata().valid();
}

} // namespace

bool POP_TEST_IDIOMS(Tensor const &a, Tensor const &b);
bool POP_TEST_IDIOMS(Tensor const &a, Tensor const &b) {
  return slices(a) && shapes(a) && joins(a, b) && values(a);
}
