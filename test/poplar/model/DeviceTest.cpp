#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <poplar/DeviceManager.hpp>
#include <poplar/exceptions.hpp>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace poplar;

namespace {

/// Sets an environment variable for one case.
struct Environment {
  char const *name;
  Environment(char const *variable, std::string const &value) : name(variable) {
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { unsetenv(name); }
};

/// Runs a function in a child process. \returns what it returned.
template <class F> bool inChild(F const &f) {
  pid_t const child = fork();
  if (child == 0)
    _exit(f() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

TEST_SUITE("poplar/model/Device") {
  TEST_CASE("emulated IPUs come alone and in groups of 2, 4, 8 and 16, with dense ids") {
    auto const devices = DeviceManager().getDevices();
    REQUIRE(devices.size() == 31);
    CHECK(DeviceManager().getNumDevices() == 31);
    std::vector<unsigned> sizes;
    for (unsigned id = 0; id != devices.size(); ++id) {
      CHECK(devices[id].getId() == id);
      CHECK(toString(devices[id].getTarget().getTargetType()) == "IPU");
      CHECK(devices[id].getTarget().getTargetArchString() == "ipu2");
      CHECK(devices[id].getDriverIDs().size() == devices[id].getTarget().getNumIPUs());
      sizes.push_back(devices[id].getTarget().getNumIPUs());
    }
    CHECK(std::is_sorted(sizes.begin(), sizes.end()));
    for (unsigned const size : {1u, 2u, 4u, 8u, 16u})
      CHECK(DeviceManager().getDevices(TargetType::IPU, size).size() == 16 / size);
    CHECK(devices[17].getDriverIDs() == std::vector<unsigned>{2, 3});
  }

  TEST_CASE("nothing that fits is an empty list, and a bad id an error") {
    CHECK(DeviceManager().getDevices(TargetType::IPU, 3).empty());
    CHECK(DeviceManager().getDevices(TargetType::IPU, 32).empty());
    CHECK(DeviceManager().getDevices(TargetType::IPU, 0).empty());
    CHECK(DeviceManager().getDevices(TargetType::CPU, 1).size() == 1);
    auto const models = DeviceManager().getDevices(TargetType::IPU_MODEL, 2);
    REQUIRE(models.size() == 1);
    CHECK(toString(models[0].getTarget().getTargetType()) == "IPU_MODEL");
    CHECK_THROWS_WITH_AS(
        DeviceManager().getDevice(31),
        "poplar::DeviceManager::getDevice: no device has the id 31; there are 31 devices, with ids "
        "from 0",
        poplar_error);
  }

  TEST_CASE("a group knows the devices it is made of") {
    CHECK(DeviceManager().getChildDeviceIds(24) == std::vector<unsigned>{0, 1, 2, 3});
    CHECK(DeviceManager().getChildDeviceIds(24, 2) == std::vector<unsigned>{16, 17});
    CHECK(DeviceManager().getChildDeviceIds(25) == std::vector<unsigned>{4, 5, 6, 7});
    CHECK(DeviceManager().getChildDeviceIds(0, 2).empty());
    CHECK_THROWS_AS(DeviceManager().getChildDeviceIds(99), poplar_error);
  }

  TEST_CASE("emulation can be turned off") {
    Environment const off("POPLAR_EMULATE_IPU", "0");
    CHECK(DeviceManager().getNumDevices() == 0);
    CHECK(DeviceManager().getDevices().empty());
    CHECK(DeviceManager().getDevices(TargetType::IPU, 1).empty());
    CHECK_THROWS_AS(DeviceManager().getDevice(0), poplar_error);
    CHECK(DeviceManager().getDevices(TargetType::CPU, 1).size() == 1);
  }

  TEST_CASE("the emulated machine has as many chips of a generation as the setting says") {
    {
      Environment const few("POPLAR_EMULATE_IPU", "6");
      CHECK(DeviceManager().getNumDevices() == 6 + 3 + 1);
      CHECK(DeviceManager().getDevices(TargetType::IPU, 4).size() == 1);
      CHECK(DeviceManager().getDevices(TargetType::IPU, 8).empty());
      CHECK(DeviceManager().getDevice(8).getDriverIDs() == std::vector<unsigned>{4, 5});
      CHECK(DeviceManager().getDevice(8).getTarget().getTargetArchString() == "ipu2");
      CHECK(DeviceManager().getChildDeviceIds(9, 2) == std::vector<unsigned>{6, 7});
    }
    {
      Environment const other("POPLAR_EMULATE_IPU", "ipu1");
      CHECK(DeviceManager().getNumDevices() == 31);
      CHECK(DeviceManager().getDevice(0).getTarget().getTilesPerIPU() == 1216);
    }
    {
      Environment const both("POPLAR_EMULATE_IPU", "1:ipu21");
      CHECK(DeviceManager().getNumDevices() == 1);
      CHECK(DeviceManager().getDevice(0).getTarget().getTargetArchString() == "ipu21");
    }
    for (char const *bad : {"17", "-1", "ipu3", "ipu2:4", "4:", "4:cpu", ":ipu2", "4x"}) {
      CAPTURE(bad);
      Environment const setting("POPLAR_EMULATE_IPU", bad);
      CHECK_THROWS_WITH_AS(
          DeviceManager().getNumDevices(),
          (std::string("POPLAR_EMULATE_IPU: '") + bad +
           "' must be a number of chips from 0 to 16, one of ipu1, ipu2, ipu21, or both, as in "
           "4:ipu21")
              .c_str(),
          poplar_error);
    }
  }

  TEST_CASE("older names of attachment and remote buffers") {
    auto const device = DeviceManager().getDevice(0);
    CHECK(device.attach());
    device.temporarilyDetach();
    CHECK_FALSE(device.isAttached());
    CHECK(device.supportsGraphStreaming() == device.supportsRemoteBuffers());
  }

  TEST_CASE("attaching takes the chips from every other device until they are given back") {
    auto const first = DeviceManager().getDevice(0);
    auto const again = DeviceManager().getDevice(0);
    auto const second = DeviceManager().getDevice(1);
    auto const pair = DeviceManager().getDevice(16); // chips 0 and 1
    CHECK_FALSE(first.isAttached());
    CHECK(first.attach());
    CHECK(first.attach());
    CHECK(first.isAttached());
    CHECK_FALSE(again.attach());
    CHECK_FALSE(pair.attach());
    CHECK(second.attach());
    first.detach();
    first.detach();
    CHECK_FALSE(pair.attach());
    second.detach();
    CHECK(pair.attach());
    CHECK_FALSE(again.attach());
    pair.detach();
  }

  TEST_CASE("a device that dies gives its chips back, a moved one keeps them") {
    {
      Device kept;
      {
        auto device = DeviceManager().getDevice(30); // all chips
        REQUIRE(device.attach());
        kept = std::move(device);
      }
      CHECK(kept.isAttached());
      CHECK_FALSE(DeviceManager().getDevice(15).attach());
    }
    CHECK(DeviceManager().getDevice(15).attach());
    CHECK(DeviceManager().getDevice(15).attach());
  }

  TEST_CASE("of many threads exactly one gets a chip") {
    std::atomic<int> winners{0};
    std::vector<Device> devices;
    for (int i = 0; i != 8; ++i)
      devices.push_back(DeviceManager().getDevice(3));
    std::vector<std::thread> threads;
    for (auto &device : devices)
      threads.emplace_back([&] { winners += device.attach() ? 1 : 0; });
    for (auto &thread : threads)
      thread.join();
    CHECK(winners == 1);
  }

  TEST_CASE("a lock folder keeps other processes away, and forgets those that end") {
    auto const folder =
        std::filesystem::temp_directory_path() / ("poplar-lock-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    {
      Environment const lock("POPLAR_EMULATE_IPU_LOCK", folder.string());
      CHECK(inChild([] {
        auto const device = DeviceManager().getDevice(16);
        return device.attach(); // and ends without detaching
      }));
      // A chip held here is not taken in the child's own table when the child asks through another
      // id.
      int toChild[2], toParent[2];
      REQUIRE(pipe(toChild) == 0);
      REQUIRE(pipe(toParent) == 0);
      pid_t const child = fork();
      if (child == 0) {
        char byte = 0;
        auto const device = DeviceManager().getDevice(5);
        bool const attached = device.attach();
        byte = attached ? 'y' : 'n';
        if (write(toParent[1], &byte, 1) != 1 || read(toChild[0], &byte, 1) != 1)
          _exit(1);
        _exit(0);
      }
      char byte = 0;
      REQUIRE(read(toParent[0], &byte, 1) == 1);
      CHECK(byte == 'y');
      CHECK_FALSE(DeviceManager().getDevice(5).attach());
      CHECK_FALSE(DeviceManager().getDevice(18).attach()); // chips 4 and 5
      CHECK(DeviceManager().getDevice(4).attach());
      REQUIRE(write(toChild[1], &byte, 1) == 1);
      int status = 0;
      waitpid(child, &status, 0);
      CHECK(DeviceManager().getDevice(18).attach());
      for (int const end : {toChild[0], toChild[1], toParent[0], toParent[1]})
        close(end);
    }
    Environment const missing("POPLAR_EMULATE_IPU_LOCK", (folder / "missing").string());
    CHECK_THROWS_AS(DeviceManager().getDevice(0).attach(), poplar_error);
    std::filesystem::remove_all(folder);
  }

  TEST_CASE("a virtual device has fewer tiles and shares the attachment") {
    auto device = DeviceManager().getDevice(0);
    REQUIRE(device.attach());
    auto const small = device.createVirtualDevice(4);
    CHECK(small.getTarget().getNumTiles() == 4);
    CHECK(small.isAttached());
    CHECK(small.getId() == 0);
    device.detach();
    CHECK_FALSE(small.isAttached());
    CHECK_THROWS_AS(device.createVirtualDevice(0), poplar_error);
    CHECK_THROWS_AS(device.createVirtualDevice(1473), poplar_error);
    CHECK_THROWS_AS(DeviceManager().getDevice(16).createVirtualDevice(3), poplar_error);
  }

  TEST_CASE("CPU devices can always be attached") {
    auto const a = Device::createCPUDevice(), b = Device::createCPUDevice(2);
    CHECK(a.attach());
    CHECK(b.attach());
    CHECK(b.isAttached());
    CHECK(b.getTarget().getNumIPUs() == 2);
    CHECK(b.getDriverIDs() == std::vector<unsigned>{0, 1});
    CHECK(a.getTarget() == Target::createCPUTarget());
    unsigned major = 9, minor = 9, point = 9;
    CHECK_THROWS_WITH_AS(
        a.getDriverVersion(major, minor, point),
        "poplar::Device::getDriverVersion: the device is of type CPU; it must be of type IPU",
        poplar_error);
    CHECK_THROWS_AS(a.reset(), poplar_error);
  }

  TEST_CASE("an emulated device says that it is one") {
    auto const device = DeviceManager().getDevice(16);
    CHECK(device.getAttributes().at("emulated") == "true");
    CHECK(Device::createCPUDevice().getAttributes().at("emulated") == "false");
    unsigned major = 9, minor = 9, point = 9;
    device.getDriverVersion(major, minor, point);
    CHECK(major + minor + point == 0u);
    CHECK(device.supportsRemoteBuffers());
    CHECK_FALSE(device.hasGateway());
    CHECK(device.getNumaTopology() == std::vector<int>{-1, -1});
    CHECK(device.getNumaNodesUsedForIPUs().empty());
    CHECK_THROWS_AS(device.reset(), poplar_error);
    REQUIRE(device.attach());
    device.reset();
    CHECK(device.isAttached());
  }

  TEST_CASE("attributes are told one by one and all together") {
    using Id = IPUAttributes::AttributeId;
    auto const pair = DeviceManager().getDevice(17); // chips 2 and 3
    CHECK(pair.getAttribute(Id::Id) == "17");
    CHECK(pair.getAttribute(Id::BoardIpuIndex) == "2");
    CHECK(pair.getAttribute(Id::BoardType) == "emulated");
    CHECK(pair.getAttribute(Id::Clock) == "1330MHz");
    CHECK(pair.getAttribute(Id::DriverVersion) == "0.0.0");
    CHECK(pair.getAttribute(Id::IpuArchitecture) == "ipu2");
    CHECK(pair.getAttribute(Id::NumaNode) == "-1");
    CHECK(pair.getAttribute(Id::RemoteBuffersSupported) == "1");
    CHECK(pair.getAttribute(Id::AverageDieTemp) == "N/A");
    CHECK(pair.getAttribute(Id::UserProcessId) == "N/A");
    REQUIRE(pair.attach());
    CHECK(pair.getAttribute(Id::UserProcessId) == std::to_string(getpid()));
    auto const all = pair.getAttributes();
    CHECK(all.at("id") == "17");
    CHECK(all.at("board ipu index") == "2");
    CHECK(all.at("ipu architecture") == "ipu2");
    CHECK(all.at("user process id") == std::to_string(getpid()));
    CHECK(all.at("pci id") == "N/A");
    auto const cpu = Device::createCPUDevice();
    CHECK(cpu.getAttribute(::IPUAttributes::AttributeId::BoardType) == "cpu");
    CHECK(cpu.getAttribute(Id::DriverVersion) == "N/A");
    CHECK_THROWS_AS(Device().getAttribute(Id::Id), poplar_error);
  }

  TEST_CASE("a simulator device models its target") {
    auto const device = Device::createSimulatorDevice(Target::createIPUTarget(1, 8, "ipu1"));
    CHECK(toString(device.getTarget().getTargetType()) == "IPU_MODEL");
    CHECK(device.getTarget().getNumTiles() == 8);
    CHECK_THROWS_AS(Device::createSimulatorDevice(Target::createCPUTarget()), poplar_error);
  }

  TEST_CASE("devices are moved, not copied, and an empty one answers nothing") {
    CHECK_FALSE(std::is_copy_constructible_v<Device>);
    CHECK(std::is_nothrow_move_constructible_v<Device>);
    CHECK(std::is_nothrow_move_assignable_v<Device>);
    CHECK_THROWS_AS(Device().attach(), poplar_error);
    CHECK_THROWS_AS(Device().getTarget(), poplar_error);
  }
}
