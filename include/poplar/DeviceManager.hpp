// Finds devices of type IPU.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_DEVICEMANAGER_HPP
#define POPLAR_DEVICEMANAGER_HPP

#include <cstddef>
#include <poplar/Device.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/TargetType.hpp>
#include <vector>

namespace poplar {

/// Lists emulated IPUs: 16 chips of type ipu2, first each chip alone, then all aligned groups of 2,
/// 4, 8 and 16. Ids are dense from 0 in that order. The environment variable POPLAR_EMULATE_IPU
/// asks for other chips: their number (0 to 16), their type (ipu1, ipu2, ipu21), or both as in
/// `4:ipu21`; with 0 there are no devices, and all members throw poplar_error where it is neither.
/// Options everywhere: those of Target::createIPUTarget. All members may be called from several
/// threads.
class POP_API DeviceManager {
public:
  DeviceManager() = default;

  std::size_t getNumDevices() const;
  std::vector<Device> getDevices(OptionFlags const &opts = {}) const;
  /// For CPU and IPU_MODEL: one new device of that kind. Empty if nothing fits.
  std::vector<Device> getDevices(TargetType type, unsigned requiredNumIPUs,
                                 OptionFlags const &opts = {}) const;
  /// \throws poplar_error  no device has that id.
  Device getDevice(unsigned deviceManagerId, OptionFlags const &opts = {}) const;
  /// The ids of the devices of `numChildDeviceIpus` chips that are part of the parent.
  std::vector<unsigned> getChildDeviceIds(unsigned parentId, unsigned numChildDeviceIpus = 1) const;

  static DeviceManager createDeviceManager() { return DeviceManager(); }
};

} // namespace poplar

#endif
