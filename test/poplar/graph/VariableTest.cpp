#include <poplar/Graph.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

#include "GraphTestUtil.hpp"

#include <cmath>
#include <cstring>
#include <limits>

using namespace poplar;
using cottonwood::graph::GraphData;
using cottonwood::graph::HandleAccess;

namespace {

template <class T> T valueOf(Tensor const &constant) {
  T value{};
  REQUIRE(constant.getConstantValue(&value));
  return value;
}

/// The initial values of a variable as the engine would load them; elements never set are 99.
template <class T> std::vector<T> loaded(Graph const &graph, unsigned variable) {
  auto const &var = HandleAccess::data(graph)->variable(variable);
  std::vector<T> values(var.numElements, T(99));
  if (var.initial)
    for (auto const &piece : var.initial->pieces())
      for (std::uint64_t i = 0; i < piece.size; ++i)
        std::memcpy(&values[piece.begin + i],
                    var.initial->bytes().data() + piece.offset + (piece.splat ? 0 : i * sizeof(T)),
                    sizeof(T));
  return values;
}

} // namespace

TEST_SUITE_BEGIN("poplar/graph/variables");

TEST_CASE("constants convert their values") {
  Graph graph = test::graphWithTiles(2);
  CHECK(valueOf<float>(graph.addConstant(FLOAT, {}, 3)) == 3.0f);
  CHECK(valueOf<float>(graph.addConstant(HALF, {1}, 0.1)) == float(IeeeHalf(0.1f)));
  CHECK(valueOf<int>(graph.addConstant(INT, {}, -2.7f)) == -2);
  CHECK(valueOf<unsigned>(graph.addConstant(UNSIGNED_INT, {}, 4294967295.0)) == 4294967295u);
  CHECK(valueOf<bool>(graph.addConstant(BOOL, {}, 2)));
  CHECK(valueOf<int>(graph.addConstant(SIGNED_CHAR, {}, -128)) == -128);
  CHECK(std::isinf(valueOf<float>(graph.addConstant(HALF, {}, 1e10))));
  CHECK(std::isinf(
      valueOf<float>(graph.addConstant(FLOAT, {}, std::numeric_limits<double>::infinity()))));
  CHECK(std::isnan(
      valueOf<float>(graph.addConstant(HALF, {}, std::numeric_limits<float>::quiet_NaN()))));
  CHECK(valueOf<float>(graph.addConstantHalf(HALF, {}, 0x3c00)) == 1.0f);
  CHECK(valueOf<float>(graph.addConstant(HALF, {}, IeeeHalf(2.0f))) == 2.0f);
  CHECK(valueOf<unsigned long>(graph.addConstant(UNSIGNED_LONGLONG, {}, ~0ul)) == ~0ul);
  CHECK(valueOf<unsigned>(graph.addReplicationIndexConstant()) == 0);
  Tensor list = graph.addConstant<int>(INT, {2, 2}, {1, 2, 3, 4});
  CHECK(valueOf<int>(list[1][0]) == 3);
  CHECK(valueOf<int>(graph.addConstant(INT, {1000000}, 7)[999999]) == 7);
}

TEST_CASE("values that do not fit are overflow errors") {
  Graph graph = test::graphWithTiles(2);
  test::checkThrows<overflow_error>(
      [&] { graph.addConstant(UNSIGNED_INT, {}, -1); },
      "the value -1 does not fit in unsigned int; allowed are 0 to 4294967295");
  test::checkThrows<overflow_error>([&] { graph.addConstant(INT, {}, 2147483648u); }, "2147483648");
  test::checkThrows<overflow_error>([&] { graph.addConstant(INT, {}, 2147483648.0f); }, "int");
  test::checkThrows<overflow_error>([&] { graph.addConstant(CHAR, {}, 128); },
                                    "allowed are -128 to 127");
  test::checkThrows<overflow_error>([&] { graph.addConstant(INT, {}, std::nan("")); }, "nan");
  test::checkThrows<overflow_error>([&] { graph.addConstant(LONGLONG, {}, 9223372036854775808.0); },
                                    "long long");
}

TEST_CASE("bad variables and constants name shape and type") {
  Graph graph = test::graphWithTiles(2);
  test::checkThrows<tensor_creation_error>(
      [&] {
        graph.addConstant<int>(INT, {3}, {1, 2});
      },
      "2 values are given for shape [3], which has 3 elements");
  test::checkThrows<tensor_creation_error>([&] { graph.addVariable(Type(), {1}); }, "unset");
  test::checkThrows<tensor_metadata_error>([&] { graph.addVariable(QUARTER, Tensor(), {1}); },
                                           "elements of type quarter without metadata");
  test::checkThrows<tensor_creation_error>(
      [&] {
        graph.addVariable(FLOAT, {std::size_t{1} << 40, std::size_t{1} << 40});
      },
      "too many elements");
  CHECK(graph.addVariable(FLOAT, {std::size_t{1} << 40, 0, std::size_t{1} << 40}).numElements() ==
        0);
  test::checkThrows<tensor_creation_error>(
      [&] { graph.addConstant(FLOAT, {2}, static_cast<float const *>(nullptr)); }, "null");
}

TEST_CASE("elements of 8 bits have metadata, their own or given") {
  Graph graph = test::graphWithTiles(3);
  Tensor const own = graph.addVariable(QUARTER, {2, 3}, "own");
  CHECK(own.hasMetadata());
  CHECK(own.getMetadata().elementType() == QUARTER_METADATA);
  CHECK(own.getMetadata().numElements() == 1);
  CHECK(graph.getTileMapping(own.getMetadata()).at(0).size() == 1);
  Tensor const constant = graph.addConstant(
      QUARTER_METADATA, {1}, QuarterMetadata(QuarterMetadata::Format::F152, 2).getBinary());
  Tensor const given = graph.addVariable(QUARTER, constant, {4}, VariableMappingMethod::LINEAR);
  CHECK(given.getMetadata() == constant);
  CHECK(own.transpose().flatten().slice(1, 3).reverse(0).broadcast(2, 0).getMetadata() ==
        own.getMetadata());
  CHECK(own.slice(0, 0, 0).getMetadata() == own.getMetadata());
  CHECK(graph.clone(given).getMetadata() == constant);
  CHECK(graph.clone(own.getMetadata(), given).getMetadata() == own.getMetadata());
  CHECK(graph.cloneN(given, 3).getMetadata() == constant);
  CHECK(graph.clone(QUARTER, graph.addVariable(FLOAT, {2})).hasMetadata());
  CHECK_FALSE(graph.clone(HALF, given).hasMetadata());
  CHECK_FALSE(graph.addVariable(FLOAT, given.getMetadata(), {2}).hasMetadata());
  CHECK_FALSE(given.reinterpret(UNSIGNED_CHAR).hasMetadata());
  CHECK_FALSE(Tensor().getMetadata().valid());
  CHECK(concat(given, graph.clone(given)).getMetadata() == constant);

  test::checkThrows<tensor_metadata_error>([&] { concat(given, own.flatten()); },
                                           "another metadata tensor");
  test::checkThrows<tensor_metadata_error>(
      [&] { graph.addVariable(UNSIGNED_CHAR, {1}).reinterpret(QUARTER); }, "no metadata");
  test::checkThrows<tensor_metadata_error>([&] { graph.addVariable(QUARTER, own, {1}); },
                                           "shape [2, 3] of type quarter");
  test::checkThrows<tensor_metadata_error>([&] { graph.addConstant(QUARTER, {1}, 1.0f); },
                                           "without metadata");
}

TEST_CASE("constants of 8 bits convert by constant metadata") {
  Graph graph = test::graphWithTiles(2);
  Tensor const metadata = graph.addConstant(
      QUARTER_METADATA, {}, QuarterMetadata(QuarterMetadata::Format::F143, 1).getBinary());
  float value = 0;
  CHECK(graph.addConstant(QUARTER, metadata, {}, 3.1).getConstantValue(&value));
  CHECK(value == 3.0f);
  Tensor const several = graph.addConstant<int>(QUARTER, metadata, {3}, {1, -33, 1000});
  CHECK(several[1].getConstantValue(&value));
  CHECK(value == -32.0f);
  CHECK(several[2].getConstantValue(&value));
  CHECK(std::isnan(value));
  Tensor const open = graph.addVariable(QUARTER, {2});
  CHECK_NOTHROW(graph.addConstant(QUARTER, open.getMetadata(), {2}, 0));
  CHECK_NOTHROW(graph.setInitialValue(open, 0.0f));
  test::checkThrows<tensor_metadata_error>(
      [&] { graph.addConstant(QUARTER, open.getMetadata(), {2}, 1); }, "may change");
  test::checkThrows<tensor_metadata_error>([&] { graph.setInitialValue(open, 0.5f); },
                                           "may change");
}

TEST_CASE("initial values: the last call that touches an element holds") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(INT, {2, 3});
  graph.setInitialValue(t, 5);
  graph.setInitialValue(t[1][2], 7.0f);
  graph.setInitialValue<int>(t.transpose()[0], {1, 2});
  CHECK(loaded<int>(graph, 0) == std::vector<int>{1, 5, 5, 2, 5, 7});
  Tensor u = graph.addVariable(INT, {3});
  graph.setInitialValue<int>(u.broadcast(2, 0), {1, 2, 3, 4, 5, 6}); // aliases: the last one holds
  CHECK(loaded<int>(graph, 1) == std::vector<int>{4, 5, 6});
  Tensor v = graph.addVariable(INT, {3});
  graph.setInitialValue(v.reverse(0).slice(0, 2), -1);
  CHECK(loaded<int>(graph, 2) == std::vector<int>{99, -1, -1});
  test::checkThrows<tensor_creation_error>(
      [&] {
        graph.setInitialValue<int>(t, {1, 2});
      },
      "2 values are given for a tensor of shape [2, 3]");
  test::checkThrows<poplar_error>(
      [&] { graph.setInitialValue(concat(graph.addConstant(INT, {1}, 0), u), 1); }, "constant");
  test::checkThrows<overflow_error>([&] { graph.setInitialValue(t, 1e20); }, "int");
}

TEST_CASE("many single initial values are kept compactly") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(INT, {100000});
  for (std::size_t i = 0; i < 100000; ++i)
    graph.setInitialValue(t[99999 - i], static_cast<int>(i));
  std::vector<int> const values = loaded<int>(graph, 0);
  bool same = true;
  for (std::size_t i = 0; i < 100000; ++i)
    same = same && values[99999 - i] == static_cast<int>(i);
  CHECK(same);
  CHECK(HandleAccess::data(graph)->variable(0).initial->pieces().size() < 30000);
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("poplar/graph/clone");

TEST_CASE("every method keeps shape and mapping, and shares no storage") {
  std::mt19937 random(3);
  Graph graph = test::graphWithTiles(6);
  std::uniform_int_distribution<unsigned> tiles(0, 5);
  for (unsigned turn = 0; turn < 150; ++turn) {
    CAPTURE(turn);
    Tensor t = graph.addVariable(FLOAT, {4, 3, 5}, "t");
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        graph.setTileMapping(t[i][k], tiles(random));
    std::vector<std::size_t> elements;
    Tensor const view = test::randomView(t, random, elements);
    for (auto const method :
         {TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES, TensorCloneMethod::CREATE_NEW_ORDER,
          TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
          TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES}) {
      CAPTURE(toString(method));
      Tensor const copy = graph.clone(HALF, view, "copy", method);
      CHECK(copy.shape() == view.shape());
      CHECK(copy.elementType() == HALF);
      CHECK(graph.getTileMapping(copy) == graph.getTileMapping(view));
      CHECK_FALSE(copy.intersectsWith(view));
      bool const keepsAliases =
          method == TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES ||
          method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
      CHECK(copy.containsAliases() == (keepsAliases && view.containsAliases()));
    }
  }
}

TEST_CASE("the clone of a transposed view is laid out like it") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(FLOAT, {1u << 14, 1u << 14});
  graph.setTileMapping(t, 1);
  Tensor const copy = graph.clone(t.transpose());
  CHECK(copy.transpose().isContiguous());
  Tensor const fresh = graph.clone(t.transpose(), {}, TensorCloneMethod::CREATE_NEW_ORDER);
  CHECK(fresh.isContiguous());
  CHECK(graph.getTileMapping(fresh)[1].size() == 1);
}

TEST_CASE("the clone of a broadcast with aliases is a broadcast of a smaller variable") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(FLOAT, {3});
  graph.setTileMapping(t, 0);
  Tensor const copy =
      graph.clone(t.broadcast(4, 0), "c", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  CHECK(graph.getVariable(copy.getVarRegions()[0].var).numElements() == 3);
  CHECK(copy == copy.slice(0, 3).broadcast(4, 0));
  Tensor const plain = graph.clone(t.broadcast(4, 0));
  CHECK(plain.isContiguous());
}

TEST_CASE("gathering puts a tile's elements next to each other") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(FLOAT, {6});
  for (unsigned i = 0; i < 6; ++i)
    graph.setTileMapping(t[i], i % 2);
  Tensor const copy =
      graph.clone(t, "g", TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES);
  CHECK(concat(copy.subSample(2, 0), copy.slice(1, 6).subSample(2, 0)).isContiguous());
}

TEST_CASE("cloneN makes N clones along a new dimension") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(FLOAT, {4, 2});
  graph.setTileMapping(t.slice(0, 2), 0);
  graph.setTileMapping(t.slice(2, 4), 1);
  Tensor const outer = graph.cloneN(t, 3);
  CHECK(outer.shape() == std::vector<std::size_t>{3, 4, 2});
  CHECK_FALSE(outer.containsAliases());
  Tensor const near =
      graph.cloneN(t, 3, "n", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES,
                   TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION);
  CHECK_FALSE(near.containsAliases());
  CHECK(near.slice(0, 2, 1).isContiguous()); // the copies of what is on tile 0
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(graph.getTileMapping(near[i]) == graph.getTileMapping(t));
    CHECK(graph.getTileMapping(outer[i]) == graph.getTileMapping(t));
  }
  CHECK(graph.cloneN(t, 0).shape() == std::vector<std::size_t>{0, 4, 2});
  test::checkThrows<poplar_error>(
      [&] {
        graph.cloneN(t, 2, {}, TensorCloneMethod::CREATE_NEW_ORDER,
                     TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION);
      },
      "CREATE_NEW_ORDER");
}

TEST_CASE("a clone of a constant is a variable, unmapped where that is") {
  Graph graph = test::graphWithTiles(2);
  Tensor c = graph.addConstant(INT, {4}, 1);
  graph.setTileMapping(c.slice(0, 2), 1);
  Tensor const copy = graph.clone(c);
  CHECK_FALSE(copy.containsConstant());
  bool complete = true;
  CHECK(graph.getTileMapping(copy, &complete)[1] == std::vector<Interval>{{0, 2}});
  CHECK_FALSE(complete);
  test::checkThrows<poplar_error>([&] { graph.clone(Tensor()); }, "invalid");
  CHECK(graph.clone(graph.addVariable(INT, {0, 2})).shape() == std::vector<std::size_t>{0, 2});
}

TEST_SUITE_END();
