#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/Engine.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poputil/util");

using poplar::FLOAT;
using poplar::HALF;
using poplar::Interval;
using poplar::Tensor;
using Intervals = std::vector<Interval>;
using Parts = std::vector<Intervals>;

TEST_CASE("adjacent and overlapping regions merge") {
  Intervals regions{{5, 7}, {0, 2}, {3, 3}, {2, 4}, {6, 9}};
  poputil::mergeAdjacentRegions(regions);
  CHECK(regions == Intervals{{0, 4}, {5, 9}});
}

TEST_CASE("regions split into even parts of whole grains") {
  CHECK(poputil::splitRegions({{0, 10}}, 1, 4) == Parts{{{0, 2}}, {{2, 5}}, {{5, 7}}, {{7, 10}}});
  CHECK(poputil::splitRegions({{0, 10}}, 4, 2) == Parts{{{0, 4}}, {{4, 10}}});
  CHECK(poputil::splitRegions({{0, 3}, {10, 13}}, 1, 2) == Parts{{{0, 3}}, {{10, 13}}});
  CHECK(poputil::splitRegions({{0, 3}, {10, 13}}, 2, 3) ==
        Parts{{{0, 2}}, {{2, 3}, {10, 11}}, {{11, 13}}});
  CHECK(poputil::splitRegions({{0, 10}}, 1, 10, 5) == Parts{{{0, 5}}, {{5, 10}}});
  CHECK(poputil::splitRegions({{0, 10}}, 1, 2, 0, 3).size() == 4);
  CHECK(poputil::splitRegions({{0, 6}}, 1, 1, 0, UINT_MAX, 4) == Parts{{{0, 4}, {4, 6}}});
  std::size_t const many = std::size_t{10} << 32U;
  CHECK(poputil::splitRegions({{0, many}}, 2, 2) == Parts{{{0, many / 2}}, {{many / 2, many}}});
  CHECK(poputil::splitRegions({{0, many}}, 4, 1, 0, 1U << 31U).size() == 20);
  CHECK(poputil::splitRegions(Intervals{}, 1, 4).empty());
  CHECK_THROWS_AS(poputil::splitRegions({{0, 1}}, 0, 4), poputil::poplibs_error);
}

TEST_CASE("sequences of regions keep together") {
  std::vector<Intervals> const sequences{{{0, 2}, {8, 10}}, {{20, 24}}};
  auto const parts = poputil::splitRegions(sequences, 1, 2);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] == Parts{{{0, 2}, {8, 10}}});
  CHECK(parts[1] == Parts{{{20, 24}}});
  CHECK(poputil::intervalSequenceNumElements(sequences) == 8);
}

TEST_CASE("indices convert between forms") {
  std::vector<std::size_t> const shape{2, 3, 4};
  CHECK(poputil::unflattenIndex(shape, 23) == std::vector<std::size_t>{1, 2, 3});
  CHECK(poputil::flattenIndex(shape, {1, 2, 3}) == 23);
  CHECK_THROWS_AS(poputil::unflattenIndex(shape, 24), poputil::poplibs_error);
  CHECK(poputil::balancedPartition(10, 4) == std::vector<int>{3, 3, 2, 2});
}

TEST_CASE("factors move to the back and return") {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  Tensor const t = graph.addVariable(FLOAT, {5, 6, 8});
  Tensor const factored = poputil::factorDims(t, {3, 2}, 1);
  CHECK(factored.shape() == std::vector<std::size_t>{5, 2, 4, 3, 2});
  CHECK(factored.index({4, 1, 2, 2, 1}) == t.index({4, 5, 5}));
  CHECK(poputil::unfactorDims(factored, 2, 1) == t);
  CHECK_THROWS_AS(poputil::factorDims(t, {4}, 1), poputil::poplibs_error);
}

TEST_CASE("whether a number survives as half") {
  auto const target = poplar::Target::createCPUTarget();
  CHECK(poputil::castToDeviceHalfValue(target, 0.1) == doctest::Approx(0.1).epsilon(1e-3));
  CHECK(poputil::checkAccuracyWhenCast(target, 0.5, FLOAT, HALF, 1e-6));
  CHECK_FALSE(poputil::checkAccuracyWhenCast(target, 0.1, FLOAT, HALF, 1e-6));
  CHECK_FALSE(poputil::checkAccuracyWhenCast(target, 1e6, FLOAT, HALF, 1e-6));
  CHECK(poputil::checkAccuracyWhenCast(target, 0.1, HALF, FLOAT, 1e-6));
  CHECK_THROWS_AS(poputil::checkAccuracyWhenCast(target, 0.1, FLOAT, poplar::INT, 1e-6),
                  poputil::poplibs_error);
}

TEST_CASE("metadata of 8-bit numbers are tensors of one byte on tile 0") {
  using Format = poplar::QuarterMetadata::Format;
  auto const device = poplar::Device::createCPUDevice();
  poplar::Graph graph(device.getTarget());
  Tensor const constant = poputil::createConstantMetadataTensor(graph, Format::F143, -3);
  Tensor const variable = poputil::createVariableMetadataTensor(graph, Format::F152, 31);
  CHECK(constant.containsConstant());
  CHECK_FALSE(variable.containsConstant());
  for (Tensor const &t : {constant, variable}) {
    CHECK(t.shape() == std::vector<std::size_t>{1});
    CHECK(t.elementType() == poplar::QUARTER_METADATA);
    CHECK(graph.getTileMapping(t)[0].size() == 1);
  }
  graph.createHostRead("both", poplar::concat(constant, variable));
  poplar::Engine engine(graph, poplar::program::Sequence());
  engine.load(device);
  unsigned char bytes[2];
  engine.readTensor("both", bytes, bytes + 2);
  CHECK(bytes[0] == poplar::QuarterMetadata(Format::F143, -3).getBinary());
  CHECK(bytes[1] == poplar::QuarterMetadata(Format::F152, 31).getBinary());
  CHECK_THROWS_WITH_AS(poputil::createConstantMetadataTensor(graph, Format::F143, 32),
                       "poputil::createConstantMetadataTensor: fp8Scale = 32; it must be in "
                       "[-32, 31]",
                       poputil::poplibs_error);
}

TEST_CASE("intervals that undo a shuffle") {
  CHECK(poputil::calculateUnshufflingIntervals({{4, 6}, {0, 1}, {1, 4}}) ==
        Intervals{{2, 3}, {3, 6}, {0, 2}});
}

TEST_CASE("duplicate copies the contents into a tensor of its own") {
  auto const device = poplar::Device::createCPUDevice();
  poplar::Graph graph(device.getTarget());
  poplar::program::Sequence prog;
  Tensor const t = graph.addVariable(FLOAT, {3}, poplar::VariableMappingMethod::LINEAR);
  graph.setInitialValue(t, poplar::ArrayRef<float>({1, 2, 3}));
  Tensor const copy = poputil::duplicate(graph, t, prog);
  CHECK_FALSE(copy.intersectsWith(t));
  CHECK(poputil::cloneN(graph, t, 4).shape() == std::vector<std::size_t>{4, 3});
  graph.createHostRead("copy", copy);
  poplar::Engine engine(graph, prog);
  engine.load(device);
  engine.run(0);
  std::vector<float> values(3);
  engine.readTensor("copy", gccs::ArrayRef<float>(values));
  CHECK(values == std::vector<float>{1, 2, 3});
}

TEST_SUITE_END();
