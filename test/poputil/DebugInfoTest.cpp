#include <poplar/Graph.hpp>
#include <poputil/DebugInfo.hpp>

#include <doctest/doctest.h>

namespace debugInfoTest {
struct Colour {
  int hue;
};
} // namespace debugInfoTest

namespace poputil {
template <> poplar::ProfileValue toProfileValue(debugInfoTest::Colour const &c) {
  return poplar::ProfileValue(c.hue);
}
} // namespace poputil

TEST_SUITE_BEGIN("poputil/debugInfo");

using poplar::ProfileValue;
using poputil::toProfileValue;

TEST_CASE("values of many types are recorded") {
  CHECK(toProfileValue(3u).asInt() == 3);
  CHECK(toProfileValue(std::string("a")).asString() == "a");
  CHECK(toProfileValue(0.5).asDouble() == 0.5);
  CHECK(toProfileValue(poplar::HALF).asString() == "half");
  CHECK(toProfileValue(debugInfoTest::Colour{7}).asInt() == 7);
  std::vector<debugInfoTest::Colour> const colours{{1}, {2}};
  CHECK(toProfileValue(colours).asVector().size() == 2);
  CHECK(toProfileValue(std::vector<bool>{true}).asVector().size() == 1);
  CHECK(toProfileValue(std::make_pair(1, 2.0)).asVector().size() == 2);
  CHECK(toProfileValue(std::array<int, 3>{{1, 2, 3}}).asVector().size() == 3);
  debugInfoTest::Colour const colour{9};
  debugInfoTest::Colour const *const pointer = &colour, *const none = nullptr;
  CHECK(toProfileValue(pointer).asInt() == 9);
  CHECK(toProfileValue(none).asString() == "<null>");
}

TEST_CASE("tensors are recorded by shape and type") {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  auto const t = graph.addVariable(poplar::INT, {2, 3});
  auto const map = toProfileValue(t).asMap();
  CHECK(map.at("type").asString() == "int");
  CHECK(map.at("shape").asVector().size() == 2);
  CHECK(toProfileValue(poplar::Tensor()).asString() == "<invalid tensor>");
}

TEST_CASE("DI_ARGS names up to 16 arguments") {
  int a = 1, b = 2;
  std::vector<poputil::ArgType> const args = DI_ARGS(a, b);
  REQUIRE(args.size() == 2);
  CHECK(args[1].n == "b");
  CHECK(args[1].pv.asInt() == 2);
  std::vector<poputil::ArgType> const many =
      DI_ARGS(a, b, a, b, a, b, a, b, a, b, a, b, a, b, a, b);
  CHECK(many.size() == 16);
}

TEST_CASE("an operation extends the path it was given") {
  int keep = 1;
  poputil::PoplibsOpDebugInfo di(poplar::DebugContext("layer"), DI_ARGS(keep));
  poplar::DebugContext const inner(di, "step");
  CHECK(inner.getPathName() == "layer/step");
  di.addOutputs(DI_ARGS(keep));
}

TEST_SUITE_END();
