// Bodies of <poplar/Device.hpp> and <poplar/DeviceManager.hpp>.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/model/DeviceData.hpp>
#include <poplar/impl/model/TargetData.hpp>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace cottonwood::model::detail {

inline constexpr unsigned kEmulatedChips = 16;

/// Which chips of the emulated machine are held by an attachment of this process.
struct ChipTable {
  std::mutex mutex;
  std::uint32_t taken = 0; // one bit a chip

  static ChipTable &instance() {
    static ChipTable *const table =
        new ChipTable; // never destroyed: devices may outlive other statics
    return *table;
  }
};

POP_INLINE std::uint32_t maskOf(ChipRange chips) noexcept {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << chips.count) - 1) << chips.first);
}

POP_INLINE void closeAll(std::vector<int> &files) noexcept {
  for (int const file : files)
    ::close(file); // frees the lock; so does the end of the process, however it ends
  files.clear();
}

/// Locks a file of the folder for each chip. \returns false, with nothing locked, if another
/// process has one.
POP_INLINE bool lockChips(std::string const &folder, ChipRange chips, std::vector<int> &files) {
  for (unsigned chip = chips.first; chip != chips.first + chips.count; ++chip) {
    auto const path = folder + "/ipu" + std::to_string(chip) + ".lock";
    int const file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
      int const reason = errno;
      closeAll(files);
      base::fail<poplar::poplar_error>("poplar::Device::attach", "cannot open the lock file ",
                                       base::quoted(path), ": ", std::strerror(reason),
                                       "; POPLAR_EMULATE_IPU_LOCK must name a writable folder");
    }
    files.push_back(file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      closeAll(files);
      return false;
    }
  }
  return true;
}

/// The chips of the device of that id: each alone, then all aligned pairs, fours, eights, sixteens.
POP_INLINE ChipRange chipsOfId(unsigned id) noexcept {
  for (unsigned size = 1; size <= kEmulatedChips; size *= 2) {
    unsigned const groups = kEmulatedChips / size;
    if (id < groups)
      return {id * size, size};
    id -= groups;
  }
  return {};
}

POP_INLINE bool emulationIsOn() {
  char const *const setting = std::getenv("POPLAR_EMULATE_IPU");
  return setting == nullptr || std::string_view(setting) != "0";
}

POP_INLINE unsigned numEmulatedDevices() { return emulationIsOn() ? 2 * kEmulatedChips - 1 : 0; }

POP_INLINE poplar::Device makeDevice(unsigned id, poplar::Target target, ChipRange chips) {
  return poplar::Device(std::make_shared<DeviceData>(
      DeviceData{id, std::move(target), std::make_shared<Attachment>(chips)}));
}

POP_INLINE poplar::Device emulatedDevice(unsigned id, poplar::OptionFlags const &options) {
  auto const chips = chipsOfId(id);
  return makeDevice(id, poplar::Target::createIPUTarget(chips.count, "ipu2", options), chips);
}

POP_INLINE poplar::Device modelDevice(poplar::Target const &target, unsigned id) {
  auto data = dataOf(target);
  data.type = poplar::TargetType::IPU_MODEL;
  return makeDevice(id, makeTarget(std::move(data)), {});
}

POP_INLINE DeviceData &deviceOf(poplar::Device const &device, char const *where) {
  if (!device.data())
    base::fail<poplar::poplar_error>(
        where, "the device is empty; take one from a DeviceManager, an IPUModel or "
               "Device::createCPUDevice");
  return *device.data();
}

/// For members that only mean something with an IPU behind them.
POP_INLINE DeviceData &ipuOf(poplar::Device const &device, char const *where) {
  auto &data = deviceOf(device, where);
  if (auto const type = data.target.getTargetType(); type != poplar::TargetType::IPU)
    base::fail<poplar::poplar_error>(where, "the device is of type ", poplar::toString(type),
                                     "; it must be of type IPU");
  return data;
}

} // namespace cottonwood::model::detail

namespace cottonwood::model {

POP_INLINE bool Attachment::acquire() {
  std::lock_guard const lock(mutex_);
  if (held_)
    return true;
  auto &table = detail::ChipTable::instance();
  std::lock_guard const tableLock(table.mutex);
  auto const mask = detail::maskOf(chips_);
  if ((table.taken & mask) != 0)
    return false;
  char const *const folder = std::getenv("POPLAR_EMULATE_IPU_LOCK");
  if (folder != nullptr && *folder != '\0' && !detail::lockChips(folder, chips_, lockFiles_))
    return false;
  table.taken |= mask;
  return held_ = true;
}

POP_INLINE void Attachment::release() noexcept {
  std::lock_guard const lock(mutex_);
  if (!held_)
    return;
  auto &table = detail::ChipTable::instance();
  std::lock_guard const tableLock(table.mutex);
  table.taken &= ~detail::maskOf(chips_);
  detail::closeAll(lockFiles_);
  held_ = false;
}

POP_INLINE bool Attachment::held() const {
  std::lock_guard const lock(mutex_);
  return held_;
}

} // namespace cottonwood::model

namespace poplar {

POP_INLINE Device::Device() noexcept = default;
POP_INLINE Device::Device(std::shared_ptr<cottonwood::model::DeviceData> data) noexcept
    : data_(std::move(data)) {}
POP_INLINE Device::Device(Device &&other) noexcept = default;
POP_INLINE Device &Device::operator=(Device &&other) noexcept = default;
POP_INLINE Device::~Device() = default;

POP_INLINE unsigned Device::getId() const {
  return cottonwood::model::detail::deviceOf(*this, "poplar::Device::getId").id;
}
POP_INLINE Target const &Device::getTarget() const {
  return cottonwood::model::detail::deviceOf(*this, "poplar::Device::getTarget").target;
}

POP_INLINE bool Device::attach() const {
  return cottonwood::model::detail::deviceOf(*this, "poplar::Device::attach").attachment->acquire();
}
POP_INLINE bool Device::isAttached() const {
  return cottonwood::model::detail::deviceOf(*this, "poplar::Device::isAttached")
      .attachment->held();
}
POP_INLINE void Device::detach() const {
  cottonwood::model::detail::deviceOf(*this, "poplar::Device::detach").attachment->release();
}

POP_INLINE void Device::getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const {
  cottonwood::model::detail::ipuOf(*this, "poplar::Device::getDriverVersion");
  major = minor = point = 0;
}

POP_INLINE bool Device::supportsRemoteBuffers() const {
  return getTarget().getTargetType() != TargetType::CPU;
}
POP_INLINE bool Device::hasGateway() const { return getTarget().getGatewayMode(); }

POP_INLINE std::map<std::string, std::string> Device::getAttributes() const {
  auto const &target = getTarget();
  return {{"arch", target.getTargetArchString()},
          {"emulated", target.getTargetType() == TargetType::IPU ? "true" : "false"},
          {"numIPUs", std::to_string(target.getNumIPUs())},
          {"tilesPerIPU", std::to_string(target.getTilesPerIPU())},
          {"type", toString(target.getTargetType())}};
}

POP_INLINE std::vector<int> Device::getNumaTopology() const {
  return std::vector<int>(getTarget().getNumIPUs(), -1);
}
POP_INLINE std::vector<int> Device::getNumaNodesUsedForIPUs() const {
  cottonwood::model::detail::deviceOf(*this, "poplar::Device::getNumaNodesUsedForIPUs");
  return {};
}

POP_INLINE std::vector<unsigned> Device::getDriverIDs() const {
  auto const &data = cottonwood::model::detail::deviceOf(*this, "poplar::Device::getDriverIDs");
  std::vector<unsigned> ids(data.target.getNumIPUs());
  for (std::size_t i = 0; i != ids.size(); ++i)
    ids[i] = data.attachment->chips().first + static_cast<unsigned>(i);
  return ids;
}

POP_INLINE void Device::reset() const {
  if (!cottonwood::model::detail::ipuOf(*this, "poplar::Device::reset").attachment->held())
    cottonwood::base::fail<poplar_error>("poplar::Device::reset",
                                         "the device is not attached; call attach() first");
}

POP_INLINE Device Device::createVirtualDevice(unsigned tilesPerIPU) {
  constexpr char const *where = "poplar::Device::createVirtualDevice";
  auto const &data = cottonwood::model::detail::deviceOf(*this, where);
  auto const &target = data.target;
  if (tilesPerIPU == 0 || tilesPerIPU > target.getTilesPerIPU())
    cottonwood::base::fail<poplar_error>(where, tilesPerIPU, " tiles per IPU; allowed are 1 to ",
                                         target.getTilesPerIPU());
  if (target.getTargetType() != TargetType::CPU && target.getNumIPUs() > 1 && tilesPerIPU % 2 != 0)
    cottonwood::base::fail<poplar_error>(where, tilesPerIPU, " tiles on each of ",
                                         target.getNumIPUs(),
                                         " IPUs; with more than one IPU the number must be even");
  return Device(std::make_shared<cottonwood::model::DeviceData>(cottonwood::model::DeviceData{
      data.id, target.createVirtualTarget(target.getNumIPUs(), tilesPerIPU), data.attachment}));
}

POP_INLINE Device Device::createCPUDevice(unsigned numIPUs) {
  return cottonwood::model::detail::makeDevice(0, Target::createCPUTarget(true, numIPUs), {});
}

POP_INLINE Device Device::createSimulatorDevice(Target const &target, OptionFlags const &options) {
  constexpr char const *where = "poplar::Device::createSimulatorDevice";
  auto data = cottonwood::model::dataOf(target, where);
  if (data.type == TargetType::CPU)
    cottonwood::base::fail<poplar_error>(where,
                                         "the target is a CPU; there is nothing to simulate. Use "
                                         "Device::createCPUDevice");
  cottonwood::model::readTargetOptions(data, options);
  return cottonwood::model::detail::modelDevice(cottonwood::model::makeTarget(std::move(data)), 0);
}

POP_INLINE std::size_t DeviceManager::getNumDevices() const {
  return cottonwood::model::detail::numEmulatedDevices();
}

POP_INLINE std::vector<Device> DeviceManager::getDevices(OptionFlags const &opts) const {
  std::vector<Device> devices;
  unsigned const count = cottonwood::model::detail::numEmulatedDevices();
  devices.reserve(count);
  for (unsigned id = 0; id != count; ++id)
    devices.push_back(cottonwood::model::detail::emulatedDevice(id, opts));
  return devices;
}

POP_INLINE std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned requiredNumIPUs,
                                                         OptionFlags const &opts) const {
  std::vector<Device> devices;
  if (requiredNumIPUs == 0)
    return devices;
  if (type == TargetType::CPU) {
    auto ignored = cottonwood::model::cpuTarget(requiredNumIPUs);
    cottonwood::model::readTargetOptions(ignored,
                                         opts); // names and values count, not what they say
    devices.push_back(Device::createCPUDevice(requiredNumIPUs));
  } else if (type == TargetType::IPU_MODEL) {
    devices.push_back(
        Device::createSimulatorDevice(Target::createIPUTarget(requiredNumIPUs, "ipu2", opts)));
  } else {
    for (unsigned id = 0; id != cottonwood::model::detail::numEmulatedDevices(); ++id)
      if (cottonwood::model::detail::chipsOfId(id).count == requiredNumIPUs)
        devices.push_back(cottonwood::model::detail::emulatedDevice(id, opts));
  }
  return devices;
}

POP_INLINE Device DeviceManager::getDevice(unsigned deviceManagerId,
                                           OptionFlags const &opts) const {
  unsigned const count = cottonwood::model::detail::numEmulatedDevices();
  if (deviceManagerId >= count)
    cottonwood::base::fail<poplar_error>(
        "poplar::DeviceManager::getDevice", "no device has the id ", deviceManagerId,
        "; there are ", count, " devices",
        count == 0 ? ", as POPLAR_EMULATE_IPU=0 says" : ", with ids from 0");
  return cottonwood::model::detail::emulatedDevice(deviceManagerId, opts);
}

POP_INLINE std::vector<unsigned>
DeviceManager::getChildDeviceIds(unsigned parentId, unsigned numChildDeviceIpus) const {
  using cottonwood::model::detail::chipsOfId;
  unsigned const count = cottonwood::model::detail::numEmulatedDevices();
  if (parentId >= count)
    cottonwood::base::fail<poplar_error>("poplar::DeviceManager::getChildDeviceIds",
                                         "no device has the id ", parentId, "; there are ", count,
                                         " devices");
  auto const parent = chipsOfId(parentId);
  std::vector<unsigned> children;
  for (unsigned id = 0; id != count; ++id) {
    auto const chips = chipsOfId(id);
    if (chips.count == numChildDeviceIpus && chips.first >= parent.first &&
        chips.first + chips.count <= parent.first + parent.count)
      children.push_back(id);
  }
  return children;
}

} // namespace poplar
