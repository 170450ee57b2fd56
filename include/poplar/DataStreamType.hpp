// Direction and kind of a data stream.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_DATASTREAMTYPE_HPP
#define POPLAR_DATASTREAMTYPE_HPP

namespace poplar {

/// The ...Buffer values are the two halves of a remote buffer.
enum class DataStreamType {
  HostToDeviceFIFO,
  DeviceToHostFIFO,
  HostToDeviceBuffer,
  DeviceToHostBuffer
};

inline bool isDeviceToHost(DataStreamType type) {
  return type == DataStreamType::DeviceToHostFIFO || type == DataStreamType::DeviceToHostBuffer;
}
inline bool isHostToDevice(DataStreamType type) { return !isDeviceToHost(type); }
inline bool isRemoteBuffer(DataStreamType type) {
  return type == DataStreamType::HostToDeviceBuffer || type == DataStreamType::DeviceToHostBuffer;
}

} // namespace poplar

#endif
