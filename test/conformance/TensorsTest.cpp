// Views of tensors, read back through the host, and what can be asked about them.
#include "Conformance.hpp"

#include <map>
#include <poplar/VariableRef.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <unordered_set>
#include <utility>

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

namespace {

using Shape = std::vector<std::size_t>;

/// The elements that views of one variable of 0, 1, 2, ... show.
class Views {
public:
  explicit Views(Device const &device) : device_(device), graph(device) {}

  Tensor source(Shape const &shape) {
    std::string const name = "in" + std::to_string(sources_.size());
    Tensor const t = variable(graph, INT, shape, name);
    sources_.push_back({name, t.numElements()});
    return t;
  }
  void expect(Tensor const &view, Shape const &shape, std::vector<int> const &elements) {
    CHECK(view.shape() == shape);
    std::string const name = "out" + std::to_string(expected_.size());
    graph.createHostRead(name, view);
    expected_.push_back({name, elements});
  }
  void check() {
    Engine engine(graph, Sequence());
    engine.load(device_);
    for (auto const &source : sources_)
      put(engine, source.first, counting(static_cast<int>(source.second)));
    for (auto const &view : expected_) {
      CAPTURE(view.first);
      CHECK(get<int>(engine, view.first, view.second.size()) == view.second);
    }
  }

private:
  Device const &device_;
  std::vector<std::pair<std::string, std::size_t>> sources_;
  std::vector<std::pair<std::string, std::vector<int>>> expected_;

public:
  Graph graph;
};

} // namespace

TEST_SUITE("conformance/tensors") {
  TEST_CASE("slices and indices") {
    onDevices([](Device const &device) {
      Views views(device);
      Tensor const t = views.source({3, 4});
      views.expect(t[1], {4}, {4, 5, 6, 7});
      views.expect(t[2][3], {}, {11});
      views.expect(t.index({0, 2}), {}, {2});
      views.expect(t.slice(1, 3), {2, 4}, {4, 5, 6, 7, 8, 9, 10, 11});
      views.expect(t.slice(1, 3, 1), {3, 2}, {1, 2, 5, 6, 9, 10});
      views.expect(t.slice(Interval(0, 1)), {1, 4}, {0, 1, 2, 3});
      views.expect(t.slice({1, 2}, 1), {3, 1}, {1, 5, 9});
      views.expect(t.slice({0, 2}, {2, 4}), {2, 2}, {2, 3, 6, 7});
      views.expect(t.subSample(2, 1), {3, 2}, {0, 2, 4, 6, 8, 10});
      std::vector<Interval> const intervals = {{0, 1}, {2, 3}};
      views.expect(concat(t.slices(intervals)), {2, 4}, {0, 1, 2, 3, 8, 9, 10, 11});
      std::vector<std::vector<Interval>> const groups = {{{0, 1}, {3, 4}}};
      views.expect(t.slices(groups, 1)[0], {3, 2}, {0, 3, 4, 7, 8, 11});
      views.expect(t.slices(std::vector<unsigned>{2}, 1)[0], {3, 1}, {2, 6, 10});
      views.check();
    });
  }

  TEST_CASE("shapes and orders of dimensions") {
    onDevices([](Device const &device) {
      Views views(device);
      Tensor const t = views.source({2, 3});
      Tensor const u = views.source({2, 1, 3});
      views.expect(t.flatten(), {6}, counting(6));
      views.expect(t.reshape({3, 2}), {3, 2}, counting(6));
      views.expect(t[0][0].reshape({}), {}, {0});
      views.expect(t.transpose(), {3, 2}, {0, 3, 1, 4, 2, 5});
      views.expect(u.dimShuffle({2, 0, 1}), {3, 2, 1}, {0, 3, 1, 4, 2, 5});
      views.expect(u.dimShufflePartial({2}, {0}), {3, 2, 1}, {0, 3, 1, 4, 2, 5});
      views.expect(u.dimRoll(2), {3, 2, 1}, {0, 3, 1, 4, 2, 5});
      views.expect(u.squeeze({1}), {2, 3}, counting(6));
      views.expect(t.expand({0, 2}), {1, 2, 3, 1}, counting(6));
      views.expect(u.flatten(0, 2), {2, 3}, counting(6));
      views.expect(t.reshapePartial(1, 2, {3, 1}), {2, 3, 1}, counting(6));
      views.expect(t.reverse(1), {2, 3}, {2, 1, 0, 5, 4, 3});
      views.check();
    });
  }

  TEST_CASE("repetition, joining and bits") {
    onDevices([](Device const &device) {
      Views views(device);
      Tensor const t = views.source({2}), u = views.source({2, 2});
      views.expect(t.broadcast(2, 0), {4}, {0, 1, 0, 1});
      views.expect(t.upsample(2, 0, UpsampleMethod::REPEAT), {4}, {0, 0, 1, 1});
      views.expect(concat(t, t), {4}, {0, 1, 0, 1});
      views.expect(concat({u, u}, 1), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
      views.expect(append(u, t), {3, 2}, {0, 1, 2, 3, 0, 1});
      views.expect(append(u, t, 1), {2, 3}, {0, 1, 0, 2, 3, 1});
      views.expect(u.reinterpret(UNSIGNED_INT).reinterpret(INT), {2, 2}, {0, 1, 2, 3});
      views.check();
      CHECK(t.reinterpret(FLOAT).elementType() == FLOAT);
      CHECK_THROWS_AS(t.reinterpret(HALF), poplar_error);
    });
  }

  TEST_CASE("aliases, constants and storage") {
    Graph graph(smallModel());
    Tensor const t = graph.addVariable(FLOAT, {2, 4}, "t"), u = graph.addVariable(FLOAT, {3}, "u");
    Tensor const c = graph.addConstant(FLOAT, {2}, 1.5f);
    CHECK(t.isContiguous());
    CHECK_FALSE(t.transpose().isContiguous());
    CHECK(t.broadcast(2, 0).containsAliases());
    CHECK_FALSE(t.containsAliases());
    CHECK(concat(u, c).containsConstant());
    CHECK_FALSE(concat(u, c).isParallelWriteable());
    CHECK(concat(t.flatten(), u).isParallelWriteable());
    CHECK(t.intersectsWith(t[1]));
    CHECK_FALSE(t[0].intersectsWith(t[1]));
    Tensor const joined = concat({u, t[1], t[0]});
    CHECK(joined.getContiguousRegions() == std::vector<Interval>{{0, 3}, {3, 7}, {7, 11}});
    auto const regions = joined.getVarRegions();
    REQUIRE(regions.size() == 3);
    CHECK(regions[0].interval == Interval(0, 3));
    CHECK(regions[1].interval == Interval(4, 8));
    CHECK(regions[1].var == regions[2].var);
    std::unordered_set<VariableRef> vars;
    for (auto const &region : regions)
      vars.insert(region.var);
    CHECK(vars.size() == 2);
    CHECK(graph.getVariable(regions[1].var) == t.flatten());
    CHECK(graph.isConstant(c.getVarRegions()[0].var));
    float value = 0;
    CHECK(c[1].getConstantValue(&value));
    CHECK(value == 1.5f);
    CHECK_FALSE(u[0].getConstantValue(&value));
    Tensor const none = graph.addVariable(FLOAT, {0});
    CHECK(none.getContiguousRegions().empty());
  }

  TEST_CASE("a tensor prints its shape and names its variables") {
    Graph graph(smallModel());
    Tensor const t = graph.addVariable(FLOAT, {2, 3}, "weights");
    CHECK(t.shapeToString() == "{2,3}");
    CHECK(t.getDebugStr().find("weights") != std::string::npos);
    CHECK(t[0].getVarStr() != t[1].getVarStr());
    CHECK(t.getVarStr() == Tensor(t).getVarStr());
    std::ostringstream text, regions;
    text << t;
    t.outputRegions(regions);
    CHECK(text.str().find("weights") != std::string::npos);
    CHECK_FALSE(regions.str().empty());
  }

  TEST_CASE("invalid tensors may be asked whether they are") {
    Tensor none;
    CHECK_FALSE(none.valid());
    CHECK_FALSE(none.hasMetadata());
    CHECK_FALSE(none.getMetadata().valid());
    CHECK(none == Tensor());
    CHECK_THROWS_AS(none.shape(), poplar_error);
    CHECK_THROWS_AS(none.flatten(), poplar_error);
    {
      Graph graph(smallModel());
      none = graph.addVariable(INT, {1});
    }
    CHECK(none.valid()); // it may outlive its graph
    std::map<std::string, Tensor> byName;
    byName["x"] = std::move(none);
    CHECK_FALSE(none.valid()); // NOLINT: moved from on purpose
  }

  TEST_CASE("what is wrong with a view is an error, and leaves the operand as it was") {
    Graph graph(smallModel());
    Tensor const t = graph.addVariable(FLOAT, {2, 3});
    CHECK_THROWS_AS(t[2], poplar_error);
    CHECK_THROWS_AS(t.slice(2, 1), poplar_error);
    CHECK_THROWS_AS(t.slice(0, 4, 1), poplar_error);
    CHECK_THROWS_AS(t.reshape({4, 2}), poplar_error);
    CHECK_THROWS_AS(t.dimShuffle({0, 0}), poplar_error);
    CHECK_THROWS_AS(t.squeeze({0}), poplar_error);
    CHECK_THROWS_AS(t.dim(2), poplar_error);
    CHECK_THROWS_AS(concat(t, t[0]), poplar_error);
    CHECK_THROWS_AS(concat(t, graph.addVariable(INT, {2, 3})), poplar_error);
    CHECK(t.shape() == Shape{2, 3});
  }

  TEST_CASE("clones copy the mapping, and the order or the aliases as asked") {
    Graph graph(smallModel());
    Tensor const t = graph.addVariable(FLOAT, {2, 4}, VariableMappingMethod::LINEAR, "t");
    Tensor const turned = t.transpose(), repeated = t[0].broadcast(2, 0);
    CHECK(graph.getTileMapping(graph.clone(t)) == graph.getTileMapping(t));
    CHECK(graph.clone(HALF, t, "h").elementType() == HALF);
    CHECK_FALSE(graph.clone(turned).isContiguous());
    CHECK(graph.clone(turned).transpose().isContiguous());
    CHECK(graph.clone(turned, {}, TensorCloneMethod::CREATE_NEW_ORDER).isContiguous());
    CHECK_FALSE(graph.clone(repeated).containsAliases());
    CHECK(graph.clone(repeated, "x", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES)
              .containsAliases());
    CHECK_FALSE(graph.clone(graph.addConstant(FLOAT, {2}, 1.0f)).containsConstant());
    CHECK(graph.cloneN(t, 3).shape() == Shape{3, 2, 4});
    CHECK_THROWS_AS(graph.cloneN(repeated, 2, {}, TensorCloneMethod::CREATE_NEW_ORDER,
                                 TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION),
                    poplar_error);
    CHECK(toString(TensorCloneMethod::CREATE_NEW_ORDER) == "CREATE_NEW_ORDER");
  }

  TEST_CASE("views in the order of storage") {
    onDevices([](Device const &device) {
      Views views(device);
      Tensor const t = views.source({3, 4}), numbers = views.source({12});
      Tensor sorted = t.transpose().flatten(), along = numbers;
      views.graph.reorderToSimplify(&sorted, {&along}, false);
      CHECK(sorted.isContiguous());
      auto const order = views.graph.getSimplifyingRearranger(t.transpose());
      REQUIRE(order.valid());
      views.expect(sorted, {12}, counting(12));
      views.expect(along, {12}, {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});
      views.expect(order.rearrange(t.transpose()), {12}, counting(12));
      views.expect(order.undoRearrangement(order.rearrange(numbers)), {12}, counting(12));
      CHECK(order.rearrange({{0, 3}}) == std::vector<Interval>{{0, 1}, {4, 5}, {8, 9}});
      CHECK(order.undoRearrangement({{0, 1}, {4, 5}, {8, 9}}) == std::vector<Interval>{{0, 3}});
      CHECK(views.graph.findUnbroadcastTensor(t.expand({0}).broadcast(5, 0)).shape() ==
            Shape{1, 3, 4});
      auto const runs = views.graph.getSortedContiguousRegions(t.reverse(0).flatten(), {{0, 12}});
      CHECK(runs == std::vector<std::vector<Interval>>{{{8, 12}, {4, 8}, {0, 4}}});
      views.check();
    });
  }
}
