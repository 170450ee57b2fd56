#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

using namespace poplar;

namespace {

struct Published {
  char const *name;
  unsigned tiles;
  unsigned bytesPerTile;
  double clock;
  unsigned half2half, half2float, float2float, quarter2half;
};

// The table of the API contract.
Published const generations[] = {
    {"ipu1", 1216, 262144, 1.6e9, 8, 8, 8, 0},
    {"ipu2", 1472, 638976, 1.33e9, 16, 8, 16, 0},
    {"ipu21", 1472, 638976, 1.5e9, 16, 8, 16, 16},
};

} // namespace

TEST_SUITE("poplar/model/Target") {
  TEST_CASE("an IPU target has the published numbers of its generation") {
    for (auto const &expected : generations) {
      CAPTURE(expected.name);
      auto const target = Target::createIPUTarget(2, expected.name);
      CHECK(toString(target.getTargetType()) == "IPU");
      CHECK(target.getTargetArchString() == expected.name);
      CHECK(target.getTargetSystemString() == expected.name);
      CHECK(target.getNumIPUs() == 2);
      CHECK(target.getTilesPerIPU() == expected.tiles);
      CHECK(target.getNumTiles() == 2 * expected.tiles);
      CHECK(target.getBytesPerTile() == expected.bytesPerTile);
      CHECK(target.getMemoryBytes() == std::uint64_t{2} * expected.tiles * expected.bytesPerTile);
      CHECK(target.getTileClockFrequency() == expected.clock);
      CHECK(target.getNumWorkerContexts() == 6);
      CHECK(target.getExchangeBytesPerCycle() == 4);
      CHECK(target.getMemcpyBytesPerCycle() == 8);
      CHECK(target.getDataPathWidth() == 64);
      CHECK(target.getFloatVectorWidth() == 2);
      CHECK(target.getHalfVectorWidth() == 4);
      CHECK(target.getQuarterVectorWidth() == 8);
      CHECK(target.getVectorWidth(UNSIGNED_SHORT) == 4);
      CHECK(target.getTilesPerSharedExchangeBus() == 2);
      CHECK(target.supportsExchangeBusSharing());
      CHECK(target.getAtomicStoreGranularity() == 4);
      CHECK(target.getNumConvUnits(HALF, HALF) == expected.half2half);
      CHECK(target.getNumConvUnits(HALF, FLOAT) == expected.half2float);
      CHECK(target.getNumConvUnits(FLOAT, FLOAT) == expected.float2float);
      CHECK(target.getNumConvUnits(QUARTER, HALF) == expected.quarter2half);
      CHECK(target.getNumConvUnits(FLOAT, HALF) == 0);
      CHECK(target.getWeightsPerConvUnit(HALF) == 16);
      CHECK(target.getWeightsPerConvUnit(FLOAT) == 8);
      CHECK(target.getWeightsPerConvUnit(true) == 8);
      CHECK(target.getConvUnitInputLoadElemsPerCycle(false) == 4);
      CHECK(target.getConvUnitMaxPipelineDepth(FLOAT) > 0);
    }
    CHECK(Target::createIPUTarget("ipu1").getRptCountMax() == 4095);
    CHECK(Target::createIPUTarget("ipu2").getRptCountMax() == 65535);
    CHECK(Target::createIPUTarget("ipu21").getGlobalSyncCycles() == 600);
    CHECK(Target::createIPUTarget(2, "ipu2").getGlobalSyncCycles() == 40);
    CHECK(Target::createIPUTarget(4, "ipu2").getGlobalSyncCycles() == 80);
    CHECK(Target::createIPUTarget(16, "ipu2").getGlobalSyncCycles() == 200);
  }

  TEST_CASE("memory elements ascend from 0 within a tile, and the upper ones are interleaved") {
    for (auto const &expected : generations) {
      auto const target = Target::createIPUTarget(expected.name);
      auto const &offsets = target.getMemoryElementOffsets();
      REQUIRE(offsets.size() > 2);
      CHECK(offsets.front() == 0);
      CHECK(std::set<unsigned>(offsets.begin(), offsets.end()).size() == offsets.size());
      CHECK(std::is_sorted(offsets.begin(), offsets.end()));
      CHECK(offsets.back() < target.getBytesPerTile());
      CHECK(target.getInterleavedMemoryElementIndex() < offsets.size());
    }
    auto const ipu2 = Target::createIPUTarget("ipu2");
    CHECK(ipu2.getMemoryElementOffsets()[ipu2.getInterleavedMemoryElementIndex()] == 0x34000);
  }

  TEST_CASE("a CPU target is one tile with six contexts and exact half, on every machine") {
    for (bool const accurateHalf : {false, true}) {
      auto const target = Target::createCPUTarget(accurateHalf);
      CHECK(toString(target.getTargetType()) == "CPU");
      CHECK(target.getTargetArchString() == "cpu");
      CHECK(target.getNumIPUs() == 1);
      CHECK(target.getNumTiles() == 1);
      CHECK(target.getNumWorkerContexts() == 6);
      CHECK(target.getTypeSize(HALF) == 2);
      CHECK(target.getTileClockFrequency() == 1e9);
      CHECK(target.getFloatVectorWidth() == 2);
      CHECK(target.getHalfVectorWidth() == 4);
      CHECK_FALSE(target.supportsExchangeBusSharing());
      CHECK(target.getNumConvUnits(HALF, FLOAT) == 0);
      CHECK(target.getWeightsPerConvUnit(FLOAT) > 0);
      CHECK(target.getInterleavedMemoryElementIndex() >= target.getMemoryElementOffsets().size());
    }
    CHECK(Target::createCPUTarget(true, 4).getNumTiles() == 4);
    CHECK_THROWS_AS(Target::createCPUTarget(true, 0), poplar_error);
  }

  TEST_CASE("targets are values: equal means every property is equal") {
    auto const a = Target::createIPUTarget(1, "ipu2");
    auto const b = Target::createIPUTarget(1, "ipu2");
    auto const c = Target::createIPUTarget(1, "ipu21");
    CHECK(a == b);
    CHECK(a.hash() == b.hash());
    CHECK(a != c);
    CHECK((a < c) != (c < a));
    CHECK_FALSE(a < b);
    CHECK(Target() == Target());
    CHECK(Target() != a);
    CHECK(Target() < a);
    CHECK(a != Target::createIPUTarget(1, "ipu2", {{"gatewayMode", "true"}}));
    CHECK(std::unordered_set<Target>{a, b, c, Target()}.size() == 3);
    CHECK(a.createVirtualTarget(1, 1472) == a);
  }

  TEST_CASE("an unset target answers nothing, and says how to get one") {
    CHECK_THROWS_WITH_AS(
        Target().getNumTiles(),
        "poplar::Target::getNumIPUs: the target is unset; take one from a Device, or from "
        "Target::createCPUTarget or Target::createIPUTarget",
        poplar_error);
  }

  TEST_CASE("a virtual target has the same architecture and other counts") {
    auto const target = Target::createIPUTarget(1, "ipu2").createVirtualTarget(4, 8);
    CHECK(target.getNumIPUs() == 4);
    CHECK(target.getTilesPerIPU() == 8);
    CHECK(target.getTargetArchString() == "ipu2");
    CHECK(target.getGlobalSyncCycles() == 80);
    CHECK(target.getInstanceSize() == 4);
    CHECK_THROWS_AS(target.createVirtualTarget(1, 0), poplar_error);
  }

  TEST_CASE("systems have names, among them virtual ones of many IPUs") {
    CHECK(Target::createIPUTarget("_VIRTUAL_GRAPH_TEST_16").getNumIPUs() == 16);
    CHECK(Target::createIPUTarget("_VIRTUAL_GRAPH_TEST_16").getTargetArchString() == "ipu2");
    CHECK(Target::createIPUTarget(1, 4, "ipu2").getNumTiles() == 4);
    CHECK_THROWS_WITH_AS(
        Target::createIPUTarget("ipu3"),
        "poplar::Target::createIPUTarget: unknown system 'ipu3'; there are ipu1, ipu2, ipu21 and "
        "_VIRTUAL_GRAPH_TEST_<number of IPUs>",
        poplar_error);
    CHECK_THROWS_AS(Target::createIPUTarget("_VIRTUAL_GRAPH_TEST_x"), poplar_error);
    CHECK_THROWS_AS(Target::createIPUTarget(0, "ipu2"), poplar_error);
  }

  TEST_CASE("target options are read, from the environment last") {
    auto const target = Target::createIPUTarget(4, "ipu2",
                                                {{"ipuLinkTopology", "torus"},
                                                 {"ipuLinkConfiguration", "slidingWindow"},
                                                 {"instanceSize", "2"}});
    std::ostringstream text;
    text << target.getIpuLinkTopology() << ' ' << target.getIpuLinkConfiguration();
    CHECK(text.str() == "Torus SlidingWindow");
    CHECK(target.getInstanceSize() == 2);
    CHECK(target.getIpuLinkDomainSize() == 4);
    CHECK_THROWS_AS(Target::createIPUTarget(1, "ipu2", {{"gatewayMode", "maybe"}}), invalid_option);
    CHECK_THROWS_WITH_AS(
        Target::createIPUTarget(1, "ipu2", {{"gatewaymode", "true"}}),
        "Unrecognised option 'gatewaymode' of a target; did you mean 'gatewayMode'?",
        invalid_option);
    setenv("POPLAR_TARGET_OPTIONS", "{\"gatewayMode\": true}", 1);
    CHECK(Target::createIPUTarget(1, "ipu2", {{"gatewayMode", "false"}}).getGatewayMode());
    unsetenv("POPLAR_TARGET_OPTIONS");
    CHECK_FALSE(Target::createIPUTarget(1, "ipu2").getGatewayMode());
  }

  TEST_CASE("type limits are given exactly or not at all") {
    auto const target = Target::createCPUTarget();
    CHECK(target.getTypeLimitsMaxAs<double>(HALF) == 65504.0);
    CHECK(target.getTypeLimitsLowestAs<float>(HALF) == -65504.0f);
    CHECK(target.getTypeLimitsMaxAs<std::uint64_t>(HALF) == 65504u);
    CHECK(target.getTypeLimitsLowestAs<std::int64_t>(HALF) == -65504);
    CHECK_THROWS_AS(target.getTypeLimitsLowestAs<std::uint64_t>(HALF), poplar_error);
    CHECK(target.getTypeLimitsMaxAs<double>(FLOAT) == static_cast<double>(FLT_MAX));
    CHECK_THROWS_AS(target.getTypeLimitsMaxAs<std::uint64_t>(FLOAT), poplar_error);
    CHECK(target.getTypeLimitsMaxAs<unsigned long long>(UNSIGNED_LONGLONG) ==
          std::numeric_limits<unsigned long long>::max());
    CHECK_THROWS_AS(target.getTypeLimitsMaxAs<double>(UNSIGNED_LONGLONG), poplar_error);
    CHECK_THROWS_AS(target.getTypeLimitsMaxAs<std::int64_t>(UNSIGNED_LONGLONG), poplar_error);
    CHECK(target.getTypeLimitsLowestAs<double>(LONGLONG) == -0x1p63);
    CHECK(target.getTypeLimitsLowestAs<std::int64_t>(LONGLONG) ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(target.getTypeLimitsMaxAs<int>(INT) == std::numeric_limits<int>::max());
    CHECK_THROWS_AS(target.getTypeLimitsMaxAs<float>(INT), poplar_error);
    CHECK(target.getTypeLimitsMaxAs<unsigned>(UNSIGNED_CHAR) == 255u);
    CHECK(target.getTypeLimitsLowestAs<int>(CHAR) == -128);
    CHECK(target.getTypeLimitsMaxAs<int>(BOOL) == 1);
    CHECK_THROWS_AS(target.getTypeLimitsMaxAs<double>(QUARTER), poplar_error);
  }

  TEST_CASE("host exchange numbers partition the tiles of each IPU") {
    auto const target = Target::createIPUTarget(2, "ipu2");
    std::set<std::tuple<unsigned, unsigned, unsigned>> places;
    for (unsigned tile = 0; tile != target.getTilesPerIPU(); ++tile)
      places.emplace(target.getTileHostExchangeXB(tile), target.getTileHostExchangeContext(tile),
                     target.getTileHostExchangeContextPosition(tile));
    CHECK(places.size() == target.getTilesPerIPU());
    CHECK(target.getTileHostExchangeXB(1472) == target.getTileHostExchangeXB(0));
    CHECK_THROWS_AS(target.getTileHostExchangeXB(2944), poplar_error);
  }

  TEST_CASE("links of a ladder of IPUs share bandwidth") {
    CHECK(Target::createIPUTarget(1, "ipu2").getGlobalExchangeConstraints().empty());
    auto const pair = Target::createIPUTarget(2, "ipu2").getGlobalExchangeConstraints();
    REQUIRE(pair.size() == 2);
    CHECK(pair[0].flows == std::vector<GlobalExchangeFlow>{GlobalExchangeFlow(0, 1)});
    auto const four = Target::createIPUTarget(4, "ipu2").getGlobalExchangeConstraints();
    CHECK(four.size() == 4 + 4); // within two rungs each way, between them up and down on two sides
    for (auto const &constraint : four)
      CHECK(constraint.bandwidth > 0);
  }

  TEST_CASE("halves are copied to and from unaligned device memory") {
    auto const target = Target::createCPUTarget();
    float const floats[] = {1.0f, 0.1f, 1e6f};
    double const doubles[] = {1.0, 0.1, -2.5};
    char buffer[7] = {};
    float floatBack[3] = {};
    double doubleBack[3] = {};
    copyFloatToDeviceHalf(target, floats, buffer + 1, 3);
    copyDeviceHalfToFloat(target, buffer + 1, floatBack, 3);
    CHECK(floatBack[0] == 1.0f);
    CHECK(floatBack[1] == 0.0999755859375f);
    CHECK(std::isinf(floatBack[2]));
    copyDoubleToDeviceHalf(target, doubles, buffer + 1, 3);
    copyDeviceHalfToDouble(target, buffer + 1, doubleBack, 3);
    CHECK(doubleBack[1] == 0.0999755859375);
    CHECK(doubleBack[2] == -2.5);
  }

  TEST_CASE("type sizes are those of the elements, and the unset type has none") {
    auto const target = Target::createIPUTarget("ipu2");
    CHECK(target.getTypeSize(BOOL) == 1);
    CHECK(target.getTypeSize(QUARTER) == 1);
    CHECK(target.getTypeSize(UNSIGNED_LONGLONG) == 8);
    CHECK_THROWS_AS(target.getTypeSize(Type()), poplar_error);
    CHECK(target.makeFpIctlValue(true, false, true, false, false) == 5u);
    CHECK_THROWS_AS(toString(static_cast<TargetType>(9)), poplar_error);
  }
}
