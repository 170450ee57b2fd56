// Exceptions, debug contexts, targets, devices, IPU Models.
#include "Conformance.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <poplar/DebugContext.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <unordered_map>

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

namespace {

std::string pathOf(DebugContext const &context) { return context.getPathName(); }

class Step : public DebugInfo {
public:
  explicit Step(DebugContext const &context) : DebugInfo(context, "conformance") {
    setValue("kind", "step");
  }
};

} // namespace

TEST_SUITE("conformance/devices") {
  TEST_CASE("every exception is a poplar_error that knows its class") {
    try {
      throw recoverable_runtime_error(RecoveryAction::PARTITION_RESET, "link lost");
    } catch (poplar_error const &e) {
      CHECK(e.type == "recoverable_runtime_error");
      CHECK(std::string(e.what()).find("link lost") != std::string::npos);
      auto const *recoverable = dynamic_cast<recoverable_runtime_error const *>(&e);
      REQUIRE(recoverable);
      CHECK(toString(recoverable->getRecoveryAction()) == "PARTITION_RESET");
      CHECK(dynamic_cast<poplar::runtime_error const *>(&e));
    }
    CHECK(link_error("unresolved", "ld: x").output == "ld: x");
    CHECK(link_error("unresolved").type == "link_error");
    CHECK(std::string(unknown_field("f", "V").what()).find("f") != std::string::npos);
    CHECK(profiling_disabled().type == "profiling_disabled");
    CHECK_THROWS_AS(throw invalid_option("x"), std::runtime_error);
    CHECK(errorCodeFromString(errorCodeToString(ErrorCode::HOST_SYNC_TIMEOUT)) ==
          ErrorCode::HOST_SYNC_TIMEOUT);
    std::ostringstream stream;
    stream << RecoveryAction::FULL_RESET;
    CHECK(stream.str() == "FULL_RESET");
  }

  TEST_CASE("names of things are paths") {
    std::string const suffix = "2";
    CHECK(pathOf("conv") == "conv");
    CHECK(pathOf("conv" + suffix) == "conv2");
    CHECK(pathOf({}) == "");
    DebugContext const layer("layer");
    Step const step(layer);
    CHECK(step.getPathName() == "layer");
    CHECK(pathOf({step, "weights"}) == "layer/weights");
    CHECK(pathOf(step) == "layer");
    DebugNameAndId const name(step, "inner");
    CHECK(name.getPathName() == "layer/inner");
    CHECK(pathOf({name, "x"}) == "layer/inner/x");
    CHECK(pathOf({name}) == "layer/inner");
    CHECK(pathOf({{"outer", step.getId()}, "n"}) == "outer/n");
    std::ostringstream stream;
    stream << DebugContext{"main"} << ' ' << name;
    CHECK(stream.str() == "main layer/inner");
    SourceLocation const here = SourceLocation::Current();
    CHECK(here.isValid());
    CHECK(std::string(here.getFileName()).find("DevicesTest") != std::string::npos);
    CHECK_FALSE(SourceLocation().isValid());
  }

  TEST_CASE("a debug info takes a value once") {
    DebugInfo info("x", "layer");
    CHECK(info.setValue("a", 1));
    CHECK_FALSE(info.setValue("a", 2));
    CHECK(DebugInfo("y", "layer").getId() != info.getId());
  }

  TEST_CASE("targets of the three generations") {
    struct Row {
      char const *system;
      unsigned tiles, bytes, half16, half32, float32, quarter;
      double clock;
    };
    Row const rows[] = {{"ipu1", 1216, 262144, 8, 8, 8, 0, 1.6e9},
                        {"ipu2", 1472, 638976, 16, 8, 16, 0, 1.33e9},
                        {"ipu21", 1472, 638976, 16, 8, 16, 16, 1.5e9}};
    for (Row const &row : rows) {
      CAPTURE(row.system);
      Target const target = Target::createIPUTarget(2, row.system);
      CHECK((target.getTargetType() == TargetType::IPU));
      CHECK(target.getTargetArchString() == row.system);
      CHECK(target.getNumIPUs() == 2);
      CHECK(target.getTilesPerIPU() == row.tiles);
      CHECK(target.getNumTiles() == 2 * row.tiles);
      CHECK(target.getBytesPerTile() == row.bytes);
      CHECK(target.getMemoryBytes() == std::uint64_t{2} * row.tiles * row.bytes);
      CHECK(target.getTileClockFrequency() == row.clock);
      CHECK(target.getNumWorkerContexts() == 6);
      CHECK(target.getExchangeBytesPerCycle() == 4);
      CHECK(target.getDataPathWidth() == 64);
      CHECK(target.getFloatVectorWidth() == 2);
      CHECK(target.getHalfVectorWidth() == 4);
      CHECK(target.getVectorWidth(FLOAT) == 2);
      CHECK(target.getTypeSize(HALF) == 2);
      CHECK(target.getTypeSize(LONGLONG) == 8);
      CHECK(target.getAtomicStoreGranularity() == 4);
      CHECK(target.getFp16InFp16OutConvUnitsPerTile() == row.half16);
      CHECK(target.getFp16InFp32OutConvUnitsPerTile() == row.half32);
      CHECK(target.getFp32InFp32OutConvUnitsPerTile() == row.float32);
      CHECK(target.getNumConvUnits(HALF, FLOAT) == row.half32);
      CHECK(target.getNumConvUnits(QUARTER, HALF) == row.quarter);
      CHECK(target.getWeightsPerConvUnit(HALF) == 16);
      CHECK(target.getWeightsPerConvUnit(FLOAT) == 8);
      CHECK(target.getTilesPerSharedExchangeBus() == 2);
      CHECK(target.supportsExchangeBusSharing());
      auto const &elements = target.getMemoryElementOffsets();
      REQUIRE_FALSE(elements.empty());
      CHECK(elements.front() == 0);
      CHECK(std::is_sorted(elements.begin(), elements.end()));
      CHECK(elements.back() < row.bytes);
    }
    CHECK(Target::createIPUTarget("_VIRTUAL_GRAPH_TEST_16").getNumIPUs() == 16);
  }

  TEST_CASE("a CPU target is the same on every machine") {
    Target const target = Target::createCPUTarget();
    CHECK((target.getTargetType() == TargetType::CPU));
    CHECK(toString(target.getTargetType()) == "CPU");
    CHECK(target.getTargetArchString() == "cpu");
    CHECK(target.getNumTiles() == 1);
    CHECK(target.getNumWorkerContexts() == 6);
    CHECK(target.getTypeSize(HALF) == 2);
    CHECK(target.getFloatVectorWidth() == 2);
    CHECK(target.getHalfVectorWidth() == 4);
    CHECK(target.getTileClockFrequency() == 1e9);
    CHECK_FALSE(target.supportsExchangeBusSharing());
    CHECK(Target::createCPUTarget(false, 3).getNumIPUs() == 3);
    CHECK(target.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_SHORT) == 65535);
    CHECK(target.getTypeLimitsLowestAs<std::int64_t>(INT) == -2147483648LL);
    CHECK(target.getTypeLimitsMaxAs<double>(HALF) == 65504.0);
    CHECK_THROWS_AS(target.getTypeLimitsLowestAs<std::uint64_t>(INT), poplar_error);
  }

  TEST_CASE("targets are values: compared, hashed, and changed in their counts") {
    Target const a = Target::createIPUTarget(1, 8, "ipu2"),
                 b = Target::createIPUTarget(1, 8, "ipu2");
    CHECK(a == b);
    CHECK(a != Target::createIPUTarget(1, 16, "ipu2"));
    std::unordered_map<Target, int> counts;
    ++counts[a];
    ++counts[b];
    CHECK(counts.size() == 1);
    Target const other = a.createVirtualTarget(2, 4);
    CHECK(other.getNumTiles() == 8);
    CHECK(other.getTargetArchString() == "ipu2");
    Target const wired =
        Target::createIPUTarget(1, "ipu2", {{"ipuLinkTopology", "torus"}, {"gatewayMode", "true"}});
    CHECK(wired.getIpuLinkTopology() == IpuLinkTopology::Torus);
    CHECK(wired.getGatewayMode());
    CHECK_THROWS_AS(Target::createIPUTarget(1, "ipu2", {{"noSuchOption", "1"}}), invalid_option);
    std::ostringstream text;
    text << IpuLinkTopology::Line << ' ' << IpuLinkConfiguration::SlidingWindow;
    CHECK(text.str() == "Line SlidingWindow");
  }

  TEST_CASE("an IPU Model is described by fields") {
    IPUModel model("ipu1");
    CHECK(model.tilesPerIPU == 1216);
    CHECK(model.memoryBytesPerTile == 262144);
    CHECK(model.numWorkerContexts == 6);
    CHECK(model == IPUModel("ipu1"));
    model.numIPUs = 2;
    model.tilesPerIPU = 4;
    model.minIPUSyncDelay = 0;
    model.tileClockFrequency = 1e6;
    model.memoryBytesPerTile = 1000;
    model.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
    model.globalExchangeConstraints.push_back(
        GlobalExchangeConstraint(1e9, {GlobalExchangeFlow(0, 1)}));
    CHECK(model != IPUModel("ipu1"));
    Device const device = model.createDevice();
    Target const &target = device.getTarget();
    CHECK((target.getTargetType() == TargetType::IPU_MODEL));
    CHECK(target.getTargetArchString() == "ipu1");
    CHECK(target.getNumTiles() == 8);
    CHECK(target.getMinIPUSyncDelay() == 0);
    CHECK(target.getTileClockFrequency() == 1e6);
    CHECK(target.getBytesPerTile() == 1000);
    CHECK(device.attach());
    CHECK_THROWS_AS(IPUModel("ipu99"), invalid_machine_model);
    model.numWorkerContexts = 4;
    CHECK_THROWS_AS(model.createDevice(), invalid_machine_model);
    CHECK(IPUModel().IPUVersion == "ipu2");
  }

  TEST_CASE(
      "the device manager lists single IPUs and groups, which are attached to one at a time") {
    DeviceManager const manager = DeviceManager::createDeviceManager();
    CHECK(manager.getNumDevices() == manager.getDevices().size());
    auto pairs = manager.getDevices(TargetType::IPU, 2);
    REQUIRE(pairs.size() >= 2);
    auto found =
        std::find_if(pairs.begin(), pairs.end(), [](Device &device) { return device.attach(); });
    REQUIRE(found != pairs.end());
    Device const device = std::move(*found);
    CHECK(device.isAttached());
    CHECK(device.getTarget().getNumIPUs() == 2);
    CHECK(device.getDriverIDs().size() == 2);
    auto const children = manager.getChildDeviceIds(device.getId());
    REQUIRE(children.size() == 2);
    Device const child = manager.getDevice(children[1]);
    CHECK_FALSE(child.attach());
    device.detach();
    CHECK(child.attach());
    child.detach();
    unsigned major = 9, minor = 9, point = 9;
    device.getDriverVersion(major, minor, point);
    CHECK(major != 9);
    CHECK_THROWS_AS(Device::createCPUDevice().getDriverVersion(major, minor, point), poplar_error);
    CHECK_THROWS_AS(manager.getDevice(9999), poplar_error);
    CHECK(manager.getDevices(TargetType::IPU, 5).empty());
  }

  TEST_CASE("devices with fewer tiles, models of targets, and empty handles") {
    Device device = smallModel(8, 2);
    CHECK(device.createVirtualDevice(4).getTarget().getNumTiles() == 8);
    CHECK_THROWS_AS(device.createVirtualDevice(3), poplar_error);
    CHECK_THROWS_AS(device.createVirtualDevice(9), poplar_error);
    Device const simulator = Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu21"));
    CHECK((simulator.getTarget().getTargetType() == TargetType::IPU_MODEL));
    CHECK(Device::createCPUDevice(2).getTarget().getNumIPUs() == 2);
    Device empty;
    CHECK_THROWS_AS(empty.getId(), poplar_error);
    empty = Device::createCPUDevice();
    CHECK(empty.attach());
    CHECK(empty.getAttributes().size() > 0);
  }

  TEST_CASE("metadata tensors of quarters") {
    onDevices([](Device const &device) {
      using Format = QuarterMetadata::Format;
      Graph graph(device);
      Tensor const fixed = createConstantMetadataTensor(graph, Format::F143, -3);
      Tensor const preset = createVariableMetadataTensor(graph, Format::F152, 7);
      Tensor const scale = variable(graph, INT, {}, "scale");
      Sequence prog;
      Tensor const computed =
          createVariableMetadataTensor(graph, Format::F152, scale, prog, "computed");
      setMetadataTensor(graph, Format::F143, scale, preset, prog);
      CHECK(fixed.elementType() == QUARTER_METADATA);
      CHECK(computed.numElements() == 1);
      graph.createHostRead("all", concat({fixed.flatten(), preset.flatten(), computed.flatten()}));
      Engine engine(graph, prog);
      engine.load(device);
      auto const bytes = [&] { return get<unsigned char>(engine, "all", 3); };
      CHECK(bytes()[0] == QuarterMetadata(Format::F143, -3).getBinary());
      CHECK(bytes()[1] == QuarterMetadata(Format::F152, 7).getBinary());
      put<int>(engine, "scale", {-32});
      engine.run();
      CHECK(bytes()[1] == QuarterMetadata(Format::F143, -32).getBinary());
      CHECK(bytes()[2] == QuarterMetadata(Format::F152, -32).getBinary());
      put<int>(engine, "scale", {32});
      CHECK_THROWS_AS(engine.run(), application_runtime_error);
      CHECK_THROWS_AS(createConstantMetadataTensor(graph, Format::F143, 32), poplar_error);
      CHECK_THROWS_AS(setMetadataTensor(graph, Format::F143, fixed, preset, prog), poplar_error);
    });
  }

  TEST_CASE("an executable serves several engines, and outlives its graph") {
    onDevices([](Device const &device) {
      Executable exe;
      {
        Graph graph(device);
        Tensor const x = variable(graph, INT, {2}, "x");
        exe = compileGraph(graph, {Sequence{Copy(constant<int>(graph, INT, {2}, {4, 5}), x)}});
      }
      Executable const copy = exe;
      Engine first(copy), second(std::move(exe));
      first.load(device);
      first.run();
      CHECK(get<int>(first, "x", 2) == std::vector<int>{4, 5});
      second.loadAndRun(device);
      CHECK(get<int>(second, "x", 2) == std::vector<int>{4, 5});
    });
  }
}
