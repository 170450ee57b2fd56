// What a poplar::Device refers to, and who holds the chips of the emulated IPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <poplar/Target.hpp>
#include <string>
#include <vector>

namespace cottonwood::model {

/// Consecutive chips of the emulated machine; empty for CPU and model devices.
struct ChipRange {
  unsigned first = 0;
  unsigned count = 0;
};

/// The attachment of a device, shared by those made from it with createVirtualDevice. Chips are
/// freed when it dies.
class Attachment {
public:
  explicit Attachment(ChipRange chips) : chips_(chips) {}
  Attachment(Attachment const &) = delete;
  Attachment &operator=(Attachment const &) = delete;
  ~Attachment() { release(); }

  /// \returns false if another attachment holds one of the chips; true if this one does now.
  bool acquire();
  void release() noexcept;
  bool held() const;
  ChipRange chips() const noexcept { return chips_; }

private:
  ChipRange chips_;
  mutable std::mutex mutex_;
  bool held_ = false;
  std::vector<int> lockFiles_; // descriptors, one a chip, when POPLAR_EMULATE_IPU_LOCK is set
};

struct DeviceData {
  unsigned id = 0;
  poplar::Target target;
  std::shared_ptr<Attachment> attachment;
};

/// The device itself, not one that merely models it: attach() is needed before a program is loaded.
inline bool needsAttachment(DeviceData const &device) {
  return device.target.getTargetType() == poplar::TargetType::IPU;
}

} // namespace cottonwood::model
