#include <algorithm>
#include <doctest/doctest.h>
#include <poplar/impl/model/Machine.hpp>
#include <thread>

using namespace poplar;
using namespace cottonwood::model;

TEST_SUITE("poplar/model/Machine") {
  TEST_CASE("the machine of a CPU target has this CPU's cores and caches") {
    auto const machine = machineOf(Target::createCPUTarget());
    CHECK(machine.isCpu);
    CHECK(machine.tiles == 1);
    CHECK(machine.workers == 6);
    CHECK(machine.cpu.threads >= 1);
    CHECK(machine.cpu.threads <= std::max(1u, std::thread::hardware_concurrency()));
    CHECK(machine.cpu.cores >= 1);
    CHECK(machine.cpu.cores <= machine.cpu.threads);
    CHECK(machine.cpu.l1Bytes >= 4096);
    CHECK(machine.cpu.l1Bytes < machine.cpu.l2Bytes);
    CHECK(machine.cpu.l2SharedBy >= 1);
    CHECK(machine == machineOf(Target::createCPUTarget(true)));
  }

  TEST_CASE("the machine of an IPU target has the target's numbers") {
    auto const machine = machineOf(Target::createIPUTarget(2, 16, "ipu2"));
    CHECK_FALSE(machine.isCpu);
    CHECK(machine.ipus == 2);
    CHECK(machine.tiles == 32);
    CHECK(machine.tilesPerIPU == 16);
    CHECK(machine.bytesPerTile == 638976);
    CHECK(machine.exchangeBytesPerCycle == 4);
    CHECK(machine.fp16InFp16OutUnits == 16);
    CHECK(machine != machineOf(Target::createIPUTarget(2, 17, "ipu2")));
  }
}
