#include "TestTensors.hpp"

#include <cstring>
#include <doctest/doctest.h>
#include <poplar/exceptions.hpp>
#include <poplar/impl/graph/ViewText.hpp>
#include <sstream>

using namespace cottonwood;
using namespace poplar;
using test::constant;
using test::offsets;
using test::variable;
using Offsets = std::vector<std::uint64_t>;
using Shape = std::vector<std::size_t>;

bool tensorIdioms11(Tensor const &a, Tensor const &b);
bool tensorIdioms14(Tensor const &a, Tensor const &b);
bool tensorIdioms17(Tensor const &a, Tensor const &b);
bool tensorIdioms20(Tensor const &a, Tensor const &b);

namespace {

/// A graph that knows two names and one constant of {10, 20, 30}.
struct FakeGraph final : graph::GraphNames {
  FakeGraph() { registerGraphNames(1'000'003, this); }
  ~FakeGraph() { forget(); }
  graph::View metadataView(graph::MetadataId) const override { return {}; }
  void forget() { graph::forgetGraphNames(1'000'003); }

  std::string nameOf(graph::VarId var) const override {
    return graph::isConstant(var) ? "<const>" : var == 0 ? "layer/weights" : "";
  }
  bool readConstant(graph::VarId var, std::uint64_t offset,
                    std::span<std::byte> value) const override {
    if (!graph::isConstant(var))
      return false;
    if (value.size() == 4 && (var & ~graph::kConstantBit) == 0) {
      float const number = static_cast<float>(10 * (offset + 1));
      std::memcpy(value.data(), &number, sizeof number);
    } else {
      std::memset(value.data(), 0xff, value.size());
      if (value.size() == 2)
        value[1] = std::byte{0xbc}; // half: -1 and a bit
    }
    return true;
  }
};

TEST_SUITE("poplar/tensor") {

  TEST_CASE("the documented examples") {
    Tensor const in = variable({2, 3});
    CHECK(offsets(in.upsample(2, 1, UpsampleMethod::REPEAT)) ==
          Offsets{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
    CHECK(offsets(in.broadcast(2, 1)) == Offsets{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
    CHECK(offsets(in.reverse(1)) == Offsets{2, 1, 0, 5, 4, 3});
    CHECK(offsets(in.subSample(2, 1)) == Offsets{0, 2, 3, 5});
    CHECK(offsets(in.transpose()) == Offsets{0, 3, 1, 4, 2, 5});
    Tensor const square = variable({5, 5});
    CHECK(offsets(square.reshapePartial(0, 2, {25}).subSample(6, 0)) == Offsets{0, 6, 12, 18, 24});
    CHECK(variable({7}).expand({0, 1}).shape() == Shape{1, 7, 1});
    CHECK(variable({2, 3}).expand({1, 1}).shape() == Shape{2, 1, 1, 3});
    CHECK(variable({}).expand({0, 0}).shape() == Shape{1, 1});
    Tensor const six = variable({10, 11, 12, 13, 14, 15});
    CHECK(six.dimShufflePartial({0, 5}, {1, 2}) == six.dimShuffle({1, 0, 5, 2, 3, 4}));
    Tensor const five = variable({2, 3, 4, 5, 6});
    CHECK(five.dimRoll(3) == five.dimShuffle({3, 0, 1, 2, 4}));
    CHECK(five.dimRoll(1, 3) == five.dimShuffle({0, 2, 3, 1, 4}));
    CHECK(in.expand({2}).broadcast(3, 2).flatten(1, 3) ==
          in.upsample(3, 1, UpsampleMethod::REPEAT));
    CHECK(variable({1, 1, 4, 5, 1, 1}).squeeze({5, 4}).shape() == Shape{1, 1, 4, 5});
  }

  TEST_CASE("tensors without elements") {
    Tensor const none = variable({3, 0, 2}), whole = variable({3, 4, 2}, 1);
    CHECK(none.numElements() == 0);
    CHECK(none.isContiguous());
    CHECK(none.isParallelWriteable());
    CHECK_FALSE(none.containsConstant());
    CHECK(none.getContiguousRegions().empty());
    CHECK(none.getVarRegions().empty());
    CHECK_FALSE(none.intersectsWith(whole));
    CHECK(concat(none, whole, 1) == whole);
    CHECK(concat(none, none, 1) == none);
    CHECK(none.reshape({0, 7, 9}).shape() == Shape{0, 7, 9});
    CHECK(none.flatten().shape() == Shape{0});
    CHECK(whole.slice(2, 2, 1) == whole.slice(1, 1, 1));
    CHECK(whole.broadcast(0, 1).shape() == Shape{3, 0, 2});
    CHECK(whole.upsample(0, 0, UpsampleMethod::REPEAT).shape() == Shape{0, 4, 2});
    CHECK(none.subSample(5, 1).shape() == Shape{3, 0, 2});
    CHECK(none[2].shape() == Shape{0, 2});
    CHECK(append(variable({0, 4, 2}), whole[1]).getVarRegions() == whole[1].getVarRegions());
    CHECK(whole.slices(std::vector<Interval>{}).empty());
    CHECK(whole.slices(std::vector<std::vector<Interval>>{{}}, 1)[0].shape() == Shape{3, 0, 2});
    CHECK(constant({0}).isParallelWriteable());
  }

  TEST_CASE("tensors of rank 0") {
    Tensor const scalar = variable({});
    CHECK(scalar.numElements() == 1);
    CHECK(scalar.flatten().shape() == Shape{1});
    CHECK(scalar.flatten(0, 0).shape() == Shape{1});
    CHECK(scalar.slice(Shape{}, Shape{}) == scalar);
    CHECK(scalar.index({}) == scalar);
    CHECK(scalar.dimShuffle({}) == scalar);
    CHECK(scalar.squeeze({}) == scalar);
    CHECK(scalar.isContiguous());
    CHECK(scalar.getContiguousRegions() == std::vector<Interval>{{0, 1}});
    CHECK(variable({1})[0].reshape({}).rank() == 0);
  }

  TEST_CASE("parallel writeability is no alias and no constant") {
    Tensor const v = variable({4}), c = constant({4});
    CHECK(v.isParallelWriteable());
    CHECK_FALSE(c.isParallelWriteable());
    CHECK(c.containsConstant());
    CHECK_FALSE(c.containsAliases());
    CHECK(c.broadcast(2, 0).containsAliases());
    CHECK_FALSE(v.broadcast(2, 0).isParallelWriteable());
    Tensor const both = concat(v, c);
    CHECK_FALSE(both.isParallelWriteable());
    CHECK(both.slice(0, 4).isParallelWriteable());
    CHECK(both.slice(3, 5).containsConstant());
    CHECK_FALSE(both.slice(1, 3).containsConstant());
    CHECK_FALSE(concat(v, v).isParallelWriteable());
  }

  TEST_CASE("two views of one variable intersect or not; so does their concatenation") {
    Tensor const v = variable({10, 10});
    Tensor const even = v.subSample(2, 1), odd = v.slice(1, 10, 1).subSample(2, 1), row = v[3];
    CHECK_FALSE(even.intersectsWith(odd));
    CHECK(row.intersectsWith(odd));
    CHECK_FALSE(concat(even.flatten(), odd.flatten()).containsAliases());
    CHECK(concat(row.flatten(), odd.flatten()).containsAliases());
    CHECK_FALSE(v.intersectsWith(variable({10, 10}, 1)));
    CHECK_FALSE(v.intersectsWith(variable({10, 10}, 0, FLOAT, 5)));
    CHECK(v.intersectsWith(v.reinterpret(INT)));
  }

  TEST_CASE("regions are positions in the view, joined across seams") {
    Tensor const a = variable({6}), b = variable({6}, 1);
    CHECK(concat(a.slice(0, 2), a.slice(2, 5)).getContiguousRegions() ==
          std::vector<Interval>{{0, 5}});
    auto const build = [](Tensor const &t) {
      return concat(t.slice(3, 6), t.slice(0, 3)).reverse(0);
    };
    CHECK(build(a).getContiguousRegions() == build(b).getContiguousRegions());
    CHECK(build(a) != build(b));
    CHECK(concat(a.slice(4, 6), b.slice(0, 2)).getVarRegions() ==
          std::vector<VariableInterval>{{VariableRef(0), {4, 6}}, {VariableRef(1), {0, 2}}});
  }

  TEST_CASE("a reshape and back is the one box it was") {
    Tensor const t = variable({4, 6, 5}).dimShuffle({2, 0, 1}).slice(1, 3, 2);
    CHECK(t.flatten().reshape({5, 4, 2}) == t);
    CHECK_FALSE(graph::viewOf(t.reshape({40}).reshape({5, 8}).reshape({5, 4, 2})[3]).box().node);
    Tensor const odd = variable({3, 8}).transpose().reshape({3, 8});
    CHECK(odd.reshape({8, 3}).transpose() == variable({3, 8}));
    CHECK_FALSE(graph::viewOf(odd.transpose().transpose().reshape({8, 3})).box().node);
  }

  TEST_CASE("equality looks at type, shape and places, not at the way the view was made") {
    Tensor const v = variable({4, 4});
    std::vector<Tensor> rows;
    for (std::size_t const i : {3u, 1u, 2u, 0u})
      rows.push_back(v[i]);
    Tensor const a = concat(rows).reshape({4, 4});
    Tensor const b = concat({v.slice(3, 4), v.slice(1, 3), v.slice(0, 1)});
    CHECK(a == b);
    CHECK(a.getVarStr() == b.getVarStr());
    CHECK(a != v);
    CHECK(v != v.flatten());
    CHECK(v != v.reinterpret(INT));
    CHECK(v == v.reinterpret(INT).reinterpret(FLOAT));
    CHECK(v != variable({4, 4}, 0, FLOAT, 9));
    CHECK(Tensor() == Tensor());
    CHECK(v != Tensor());
  }

  TEST_CASE("an invalid tensor can be copied, moved, compared and destroyed") {
    Tensor invalid;
    CHECK_FALSE(invalid.valid());
    Tensor copy = invalid, moved = std::move(invalid);
    copy = moved;
    CHECK(copy == moved);
    CHECK_FALSE(copy.hasMetadata());
    CHECK_FALSE(copy.getMetadata().valid());
    Tensor v = variable({3});
    Tensor const w = std::move(v);
    CHECK_FALSE(v.valid());
    CHECK(w.valid());
    v = w;
    CHECK(v == w);
    Tensor &same = v;
    v = std::move(same);
    CHECK(v == w);
    std::vector<Tensor> many(3);
    many.resize(1000, concat(w, w));
    CHECK(many.back().dim(0) == 6);
  }

  TEST_CASE("values of constants") {
    FakeGraph const graph;
    Tensor const c = constant({3});
    float f = 0;
    CHECK(c[1].getConstantValue(&f));
    CHECK(f == 20);
    CHECK(c.slice(2, 3).expand({0}).getConstantValue(&f));
    CHECK(f == 30);
    int i = 0;
    CHECK(c[0].getConstantValue(&i));
    CHECK(i == 10);
    f = 7;
    CHECK_FALSE(c.getConstantValue(&f));
    CHECK_FALSE(variable({1}).getConstantValue(&f));
    CHECK_FALSE(c.slice(0, 0).getConstantValue(&f));
    CHECK(f == 7);
    unsigned u = 0;
    CHECK(constant({}, 1, UNSIGNED_INT).getConstantValue(&u));
    CHECK(u == ~0u);
    CHECK(constant({}, 1, INT).getConstantValue(&i));
    CHECK(i == -1);
    CHECK(constant({}, 1, SIGNED_CHAR).getConstantValue(&i));
    CHECK(i == -1);
    CHECK(constant({}, 1, UNSIGNED_CHAR).getConstantValue(&i));
    CHECK(i == 255);
    CHECK(constant({}, 1, HALF).getConstantValue(&f));
    CHECK(f == -(1.0f + 255.0f / 1024.0f));
  }

  TEST_CASE("texts name the variables") {
    FakeGraph const graph;
    Tensor const v = variable({4, 6}), w = variable({6}, 5);
    CHECK(v.shapeToString() == "{4,6}");
    CHECK(v[0][0].shapeToString() == "{}");
    CHECK(v.getDebugStr() == "layer/weights");
    CHECK(v.transpose()[2].getDebugStr() == "layer/weights");
    CHECK(concat(v[0], w).getDebugStr() == "layer/weights, variable 5");
    CHECK(concat(v[0], constant({6})).getDebugStr() == "layer/weights, <const>");
    CHECK(v.getVarStr() == "float {4,6} v0[0:24)");
    CHECK(concat(v[1], w).getVarStr() == "float {12} v0[6:12) v5[0:6)");
    std::ostringstream text, regions;
    text << v.slice(1, 3).reverse(1);
    CHECK(text.str() == "float {2,6}: layer/weights[11; 2 by 6, 6 by -1]");
    concat(v[1], w).outputRegions(regions);
    CHECK(regions.str() == "layer/weights[6:12) variable 5[0:6)");
    Tensor const rows = concat({v[1], w, v[3]});
    text.str("");
    text << rows;
    CHECK(text.str() == "float {18}: layer/weights[6:12) variable 5[0:6) layer/weights[18:24)");
    // However many regions there are, a text has a limit.
    CHECK(variable({1000, 1000, 1000}).dimShuffle({2, 1, 0}).getVarStr().size() < 200);
    CHECK(variable({1000, 1000, 1000}).dimShuffle({2, 1, 0}).getDebugStr() == "layer/weights");
  }

  TEST_CASE("long lists in texts are cut off") {
    std::vector<Tensor> parts;
    for (unsigned i = 0; i != 3000; ++i)
      parts.push_back(variable({2}, i * 7 % 3000));
    Tensor const many = concat(parts);
    std::ostringstream text, regions;
    many.output(text);
    CHECK(text.str().find("variable 49[0:2) ...") != std::string::npos);
    many.outputRegions(regions);
    CHECK(regions.str().size() < 30'000);
    CHECK(regions.str().substr(regions.str().size() - 4) == " ...");
    CHECK(many.getDebugStr().find("variable 7, ") != std::string::npos);
    CHECK(many.getDebugStr().substr(many.getDebugStr().size() - 5) == ", ...");
  }

  TEST_CASE("elements are found by flat index") {
    graph::View const rows[] = {graph::viewOf(variable({2, 3})),
                                graph::viewOf(variable({1, 3}, 1))};
    graph::View const all = graph::View::concat(rows, 0);
    CHECK(all.locate(4) == graph::Location{0, 4});
    CHECK(all.locate(7) == graph::Location{1, 1});
    CHECK_THROWS_WITH_AS(
        all.locate(9), "poplar::Tensor: element 9 of a tensor of shape [3, 3]; it must be below 9",
        index_error);
  }

  TEST_CASE("a tensor can be destroyed and even asked after its graph") {
    Tensor v, c;
    {
      FakeGraph const graph;
      v = concat(variable({4}), variable({4}, 1));
      c = constant({3});
    }
    float f = 0;
    CHECK_FALSE(c[0].getConstantValue(&f));
    CHECK(v.getDebugStr() == "variable 0, variable 1");
    CHECK(v.numElements() == 8);
  }

  TEST_CASE("the call forms of programs compile as C++11, 14, 17 and 20") {
    Tensor const a = variable({4, 6}), b = variable({4, 6}, 1);
    CHECK(tensorIdioms11(a, b));
    CHECK(tensorIdioms14(a, b));
    CHECK(tensorIdioms17(a, b));
    CHECK(tensorIdioms20(a, b));
  }

} // TEST_SUITE

} // namespace
