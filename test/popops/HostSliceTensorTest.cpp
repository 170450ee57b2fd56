#include "Harness.hpp"

#include <popops/HostSliceTensor.hpp>

#include <poputil/exceptions.hpp>

#include <algorithm>

TEST_SUITE_BEGIN("popops/hostslicetensor");

using namespace harness;

namespace {
std::vector<std::size_t> elementsPerTile(Run const &run, poplar::Tensor const &t) {
  std::vector<std::size_t> counts;
  for (auto const &intervals : run.graph.getTileMapping(t)) {
    std::size_t n = 0;
    for (auto const &interval : intervals)
      n += interval.size();
    counts.push_back(n);
  }
  return counts;
}
} // namespace

TEST_CASE("packets of 1024 bytes are spread evenly, from the tile of the offset on") {
  Run run([] { return modelOf(10); });
  auto const t = popops::createHostTransferableTensor(run.graph, poplar::FLOAT, {25, 256}, true);
  auto const counts = elementsPerTile(run, t);
  for (std::size_t n : counts)
    CHECK((n == 2 * 256 || n == 3 * 256));
  auto const few =
      popops::createHostTransferableTensor(run.graph, poplar::HALF, {3, 400}, false, 1025);
  CHECK(elementsPerTile(run, few) == std::vector<std::size_t>{0, 0, 512, 512, 176, 0, 0, 0, 0, 0});
  auto const around =
      popops::createHostTransferableTensor(run.graph, poplar::FLOAT, {512}, false, 9 * 1024);
  CHECK(elementsPerTile(run, around) == std::vector<std::size_t>{256, 0, 0, 0, 0, 0, 0, 0, 0, 256});
  CHECK(popops::createHostTransferableTensor(run.graph, poplar::FLOAT, {0}, true).numElements() ==
        0);
}

TEST_CASE("host sliceable tensors come with an index for each row") {
  Run run(model);
  auto const s = popops::createHostSliceableTensor(run.graph, poplar::HALF, {12, 600}, true, 4096);
  CHECK(s.tensor.shape() == Shape{12, 600});
  CHECK(s.tensor.elementType() == poplar::HALF);
  CHECK(s.indices.shape() == Shape{12});
  CHECK(s.indices.elementType() == poplar::UNSIGNED_INT);
  bool complete = false;
  run.graph.getTileMapping(s.tensor, &complete);
  CHECK(complete);
  run.graph.getTileMapping(s.indices, &complete);
  CHECK(complete);
  CHECK_THROWS_WITH_AS(popops::createHostSliceableTensor(run.graph, poplar::HALF, {12}, true),
                       "popops::createHostSliceableTensor: the shape is [12]; its rank must be 2",
                       poputil::poplibs_error);
  poplar::IPUModel ipu;
  ipu.numIPUs = 2;
  ipu.tilesPerIPU = 4;
  poplar::Graph two(ipu.createDevice().getTarget());
  CHECK_THROWS_WITH_AS(popops::createHostSliceableTensor(two, poplar::HALF, {12, 2}, false),
                       "popops::createHostSliceableTensor: the graph has multiple IPUs (2); it "
                       "must have 1",
                       poputil::poplibs_error);
}

TEST_SUITE_END();
