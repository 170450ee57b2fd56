// Something that programs run on.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_DEVICE_HPP
#define POPLAR_DEVICE_HPP

#include <map>
#include <memory>
#include <poplar/IPUAttributes.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <string>
#include <vector>

namespace cottonwood {
namespace model {
struct DeviceData; // impl/model/DeviceData.hpp
} // namespace model
} // namespace cottonwood

namespace poplar {

/// A handle that is moved, not copied. The members of a default-constructed one throw poplar_error.
///
/// A device of type IPU is emulated: there is no hardware behind it. Its chips exist once in a
/// process, and it can be loaded while it is attached, which no two devices that share a chip can
/// be at once. With the environment variable POPLAR_EMULATE_IPU_LOCK=<folder> that also holds
/// between all processes that name the same folder. CPU and model devices are not limited:
/// attaching to them always succeeds.
class POP_API Device {
public:
  Device() noexcept;
  explicit Device(std::shared_ptr<cottonwood::model::DeviceData> data) noexcept;
  Device(Device const &) = delete;
  Device &operator=(Device const &) = delete;
  Device(Device &&other) noexcept;
  Device &operator=(Device &&other) noexcept;
  /// Detaches, unless something loaded on the device still lives.
  ~Device();

  /// The number it has in the DeviceManager.
  unsigned getId() const;
  Target const &getTarget() const;

  /// \returns false if a chip is taken; true if the device is attached now, or was already.
  bool attach() const;
  bool isAttached() const;
  void detach() const;
  /// An older name of detach().
  void temporarilyDetach() const { detach(); }

  /// 0.0.0 on an emulated IPU, which has no driver. \throws poplar_error  not of type IPU.
  void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const;
  bool supportsRemoteBuffers() const;
  /// An older name of supportsRemoteBuffers().
  bool supportsGraphStreaming() const { return supportsRemoteBuffers(); }
  bool hasGateway() const;
  /// One fact; "N/A" where there is nothing to tell, as there is no hardware.
  std::string getAttribute(IPUAttributes::AttributeId attributeId) const;
  /// All of these by their labels, and others, such as "emulated".
  std::map<std::string, std::string> getAttributes() const;
  /// One entry an IPU: the NUMA node it is nearest to, -1 as an emulated one is near to all.
  std::vector<int> getNumaTopology() const;
  /// The nodes of getNumaTopology(), each once; none is unknown.
  std::vector<int> getNumaNodesUsedForIPUs() const;
  /// One entry an IPU: the chips of the DeviceManager, or 0, 1, 2, …
  std::vector<unsigned> getDriverIDs() const;
  /// Back to the state after attach(). \throws poplar_error  not of type IPU, or not attached.
  void reset() const;

  /// The same device with fewer tiles on each IPU; it shares this one's attachment.
  /// \throws poplar_error  more tiles than there are, none, or an odd number on more than one IPU.
  Device createVirtualDevice(unsigned tilesPerIPU);

  static Device createCPUDevice(unsigned numIPUs = 1);
  /// A model of the target, as IPUModel makes. \throws poplar_error  a CPU target.
  static Device createSimulatorDevice(Target const &target, OptionFlags const &options = {});

  /// The shared data; nullptr for an empty handle. For use inside the library.
  std::shared_ptr<cottonwood::model::DeviceData> const &data() const noexcept { return data_; }

private:
  std::shared_ptr<cottonwood::model::DeviceData> data_;
};

} // namespace poplar

#endif
