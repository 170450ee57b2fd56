// Bodies of <poplar/Device.hpp> and <poplar/DeviceManager.hpp>.
#pragma once

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/model/DeviceData.hpp>
#include <poplar/impl/model/TargetData.hpp>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace cottonwood::model::detail {

inline constexpr unsigned kMostEmulatedChips = 16;

/// What POPLAR_EMULATE_IPU asks for.
struct EmulatedMachine {
  unsigned chips = kMostEmulatedChips;
  std::string_view generation = "ipu2";
};

/// `<chips>`, `<generation>` or `<chips>:<generation>`. It is read at every question, so that a
/// program may set it itself.
POP_INLINE EmulatedMachine emulatedMachine() {
  EmulatedMachine machine;
  char const *const setting = std::getenv("POPLAR_EMULATE_IPU");
  if (setting == nullptr || *setting == '\0')
    return machine;
  std::string_view const text(setting);
  std::string_view const first = text.substr(0, text.find(':'));
  auto const [end, error] =
      std::from_chars(first.data(), first.data() + first.size(), machine.chips);
  bool const isCount = error == std::errc() && end == first.data() + first.size();
  std::string_view generation = first;
  if (isCount)
    generation = first.size() == text.size() ? machine.generation : text.substr(first.size() + 1);
  Generation const *const found =
      isCount || first.size() == text.size() ? findGeneration(generation) : nullptr;
  if (found == nullptr || (isCount && machine.chips > kMostEmulatedChips))
    base::fail<poplar::poplar_error>("POPLAR_EMULATE_IPU", base::quoted(setting),
                                     " must be a number of chips from 0 to ", kMostEmulatedChips,
                                     ", one of ", generationNames(), ", or both, as in 4:ipu21");
  machine.generation = found->name;
  if (!isCount)
    machine.chips = kMostEmulatedChips;
  return machine;
}

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

/// The chips of every device by id: each alone, then all aligned pairs, fours, eights, sixteens
/// that there are.
POP_INLINE std::vector<ChipRange> chipsById(unsigned chips) {
  std::vector<ChipRange> devices;
  for (unsigned size = 1; size <= chips; size *= 2)
    for (unsigned first = 0; first + size <= chips; first += size)
      devices.push_back({first, size});
  return devices;
}

POP_INLINE poplar::Device makeDevice(unsigned id, poplar::Target target, ChipRange chips) {
  return poplar::Device(std::make_shared<DeviceData>(
      DeviceData{id, std::move(target), std::make_shared<Attachment>(chips)}));
}

POP_INLINE poplar::Device emulatedDevice(unsigned id, ChipRange chips,
                                         EmulatedMachine const &machine,
                                         poplar::OptionFlags const &options) {
  std::string const generation(machine.generation);
  return makeDevice(id, poplar::Target::createIPUTarget(chips.count, generation, options), chips);
}

/// Of a machine without chips: none.
POP_INLINE ChipRange chipsOfId(char const *where, unsigned id,
                               std::vector<ChipRange> const &devices) {
  if (id >= devices.size())
    base::fail<poplar::poplar_error>(
        where, "no device has the id ", id, "; there are ", devices.size(), " devices",
        devices.empty() ? ", as POPLAR_EMULATE_IPU=0 says" : ", with ids from 0");
  return devices[id];
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

inline constexpr char kNoAttribute[] = "N/A";

/// By IPUAttributes::AttributeId.
inline constexpr char const *kAttributeLabels[] = {
    "id",
    "average board temp",
    "average die temp",
    "board ipu index",
    "board serial number",
    "board type",
    "clock",
    "driver version",
    "firmware version",
    "ipu architecture",
    "ipu power",
    "ipu utilisation",
    "link speed",
    "link width",
    "numa node",
    "pci id",
    "remote buffers supported",
    "total board power",
    "user process id",
};

POP_INLINE char const *boardType(poplar::TargetType type) {
  return type == poplar::TargetType::IPU         ? "emulated"
         : type == poplar::TargetType::IPU_MODEL ? "model"
                                                 : "cpu";
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

POP_INLINE std::string Device::getAttribute(IPUAttributes::AttributeId attributeId) const {
  using Id = IPUAttributes::AttributeId;
  auto const &data = cottonwood::model::detail::deviceOf(*this, "poplar::Device::getAttribute");
  bool const isIPU = data.target.getTargetType() == TargetType::IPU;
  switch (attributeId) {
  case Id::Id:
    return std::to_string(data.id);
  case Id::BoardIpuIndex:
    return std::to_string(getDriverIDs().front());
  case Id::BoardType:
    return cottonwood::model::detail::boardType(data.target.getTargetType());
  case Id::Clock:
    return std::to_string(std::llround(data.target.getTileClockFrequency() / 1e6)) + "MHz";
  case Id::DriverVersion:
    return isIPU ? "0.0.0" : cottonwood::model::detail::kNoAttribute;
  case Id::IpuArchitecture:
    return data.target.getTargetArchString();
  case Id::NumaNode:
    return std::to_string(getNumaTopology().front());
  case Id::RemoteBuffersSupported:
    return supportsRemoteBuffers() ? "1" : "0";
  case Id::UserProcessId:
    return isIPU && isAttached() ? std::to_string(::getpid())
                                 : cottonwood::model::detail::kNoAttribute;
  default:
    return cottonwood::model::detail::kNoAttribute;
  }
}

POP_INLINE std::map<std::string, std::string> Device::getAttributes() const {
  auto const &target = getTarget();
  std::map<std::string, std::string> all{
      {"arch", target.getTargetArchString()},
      {"emulated", target.getTargetType() == TargetType::IPU ? "true" : "false"},
      {"numIPUs", std::to_string(target.getNumIPUs())},
      {"tilesPerIPU", std::to_string(target.getTilesPerIPU())},
      {"type", toString(target.getTargetType())}};
  int id = 0;
  for (char const *const label : cottonwood::model::detail::kAttributeLabels)
    all[label] = getAttribute(static_cast<IPUAttributes::AttributeId>(id++));
  return all;
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
  namespace detail = cottonwood::model::detail;
  return detail::chipsById(detail::emulatedMachine().chips).size();
}

POP_INLINE std::vector<Device> DeviceManager::getDevices(OptionFlags const &opts) const {
  namespace detail = cottonwood::model::detail;
  auto const machine = detail::emulatedMachine();
  std::vector<Device> devices;
  for (auto const &chips : detail::chipsById(machine.chips))
    devices.push_back(
        detail::emulatedDevice(static_cast<unsigned>(devices.size()), chips, machine, opts));
  return devices;
}

POP_INLINE std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned requiredNumIPUs,
                                                         OptionFlags const &opts) const {
  namespace detail = cottonwood::model::detail;
  cottonwood::base::requireEnumerator<poplar_error>(
      "poplar::DeviceManager::getDevices", "TargetType", type, {"IPU", "IPU_MODEL", "CPU"});
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
    auto const machine = detail::emulatedMachine();
    auto const all = detail::chipsById(machine.chips);
    for (unsigned id = 0; id != all.size(); ++id)
      if (all[id].count == requiredNumIPUs)
        devices.push_back(detail::emulatedDevice(id, all[id], machine, opts));
  }
  return devices;
}

POP_INLINE Device DeviceManager::getDevice(unsigned deviceManagerId,
                                           OptionFlags const &opts) const {
  namespace detail = cottonwood::model::detail;
  auto const machine = detail::emulatedMachine();
  auto const chips = detail::chipsOfId("poplar::DeviceManager::getDevice", deviceManagerId,
                                       detail::chipsById(machine.chips));
  return detail::emulatedDevice(deviceManagerId, chips, machine, opts);
}

POP_INLINE std::vector<unsigned>
DeviceManager::getChildDeviceIds(unsigned parentId, unsigned numChildDeviceIpus) const {
  namespace detail = cottonwood::model::detail;
  auto const all = detail::chipsById(detail::emulatedMachine().chips);
  auto const parent = detail::chipsOfId("poplar::DeviceManager::getChildDeviceIds", parentId, all);
  std::vector<unsigned> children;
  for (unsigned id = 0; id != all.size(); ++id)
    if (all[id].count == numChildDeviceIpus && all[id].first >= parent.first &&
        all[id].first + all[id].count <= parent.first + parent.count)
      children.push_back(id);
  return children;
}

} // namespace poplar
