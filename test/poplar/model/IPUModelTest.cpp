#include <doctest/doctest.h>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>
#include <string>

using namespace poplar;

TEST_SUITE("poplar/model/IPUModel") {
  TEST_CASE("a model starts from its version, ipu2 by default") {
    IPUModel const model;
    CHECK(model.IPUVersion == "ipu2");
    CHECK(model.numIPUs == 1);
    CHECK(model.tilesPerIPU == 1472);
    CHECK(model.memoryBytesPerTile == 638976);
    CHECK(model.numWorkerContexts == 6);
    CHECK(model.tilesPerSuperTile == 2);
    CHECK_FALSE(model.compileIPUCode);
    CHECK(IPUModel("ipu1").tilesPerIPU == 1216);
    CHECK(IPUModel("ipu21").tileClockFrequency == 1.5e9);
  }

  TEST_CASE("an untouched model makes the target of its version, but for the type") {
    auto const device = IPUModel("ipu21").createDevice();
    auto const &target = device.getTarget();
    CHECK(toString(target.getTargetType()) == "IPU_MODEL");
    auto const same = Device::createSimulatorDevice(Target::createIPUTarget("ipu21"));
    CHECK(target == same.getTarget());
    CHECK(device.attach());
  }

  TEST_CASE("fields set before createDevice show in the target") {
    IPUModel model;
    model.numIPUs = 4;
    model.tilesPerIPU = 8;
    model.minIPUSyncDelay = 0;
    model.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
    model.tileClockFrequency = 1.85e9;
    model.memoryBytesPerTile = 40000;
    model.globalExchangeConstraints.push_back(
        GlobalExchangeConstraint(1e9, {GlobalExchangeFlow(0, 1)}));
    model.fp16InFp32OutConvUnitsPerTile = 16;
    auto const device = model.createDevice({{"ipuLinkTopology", "line"}}, true, 7);
    auto const &target = device.getTarget();
    CHECK(device.getId() == 7);
    CHECK(target.getNumTiles() == 32);
    CHECK(target.getMinIPUSyncDelay() == 0);
    CHECK(target.getMaxIPUSyncDelay() == 0);
    CHECK(target.getTileClockFrequency() == 1.85e9);
    CHECK(target.getGlobalSyncCycles() == 111); // 15 ns, two hops there and back
    CHECK(target.getBytesPerTile() == 40000);
    CHECK(target.getMemoryElementOffsets().back() < 40000);
    CHECK(target.getGlobalExchangeConstraints().size() == 1);
    CHECK(target.getNumConvUnits(HALF, FLOAT) == 16);
    model.globalSyncCycles = 5;
    CHECK(model.createDevice().getTarget().getGlobalSyncCycles() == 5);
  }

  TEST_CASE("models compare field by field") {
    IPUModel a, b;
    CHECK(a == b);
    b.compileIPUCode = true;
    CHECK(a != b);
  }

  TEST_CASE("what no machine can have is an invalid machine model") {
    CHECK_THROWS_WITH_AS(IPUModel("ipu3"),
                         "poplar::IPUModel: unknown version 'ipu3'; there are ipu1, ipu2, ipu21",
                         invalid_machine_model);
    auto const fails = [](auto const &change) {
      IPUModel model;
      change(model);
      CHECK_THROWS_AS(model.createDevice(), invalid_machine_model);
    };
    fails([](IPUModel &m) { m.numWorkerContexts = 4; });
    fails([](IPUModel &m) { m.numIPUs = 0; });
    fails([](IPUModel &m) { m.tilesPerIPU = 0; });
    fails([](IPUModel &m) { m.tileClockFrequency = 0; });
    fails([](IPUModel &m) { m.dataPathWidth = 32; });
    fails([](IPUModel &m) { m.memoryElementOffsets.clear(); });
    fails([](IPUModel &m) { m.IPUVersion = "none"; });
    fails([](IPUModel &m) { m.exchangeBytesPerCycle = 0; });
    CHECK_THROWS_AS(IPUModel().createDevice({{"noSuchOption", "1"}}), invalid_option);
  }
}
