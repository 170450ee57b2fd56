// Facts about the IPUs of a device.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_IPUATTRIBUTES_HPP
#define POPLAR_IPUATTRIBUTES_HPP

/// What Device::getAttribute tells. The labels are the published names of attributes, as
/// Device::getAttributes lists them; the published interface has the enumeration, but does not say
/// how its enumerators are written.
struct IPUAttributes {
  enum class AttributeId {
    Id,                     ///< "id": the number of the device in the DeviceManager
    AverageBoardTemp,       ///< "average board temp"
    AverageDieTemp,         ///< "average die temp"
    BoardIpuIndex,          ///< "board ipu index": of the first chip
    BoardSerialNumber,      ///< "board serial number"
    BoardType,              ///< "board type": "emulated", "model" or "cpu"
    Clock,                  ///< "clock": as in "1330MHz"
    DriverVersion,          ///< "driver version"
    FirmwareVersion,        ///< "firmware version"
    IpuArchitecture,        ///< "ipu architecture": as Target::getTargetArchString
    IpuPower,               ///< "ipu power"
    IpuUtilisation,         ///< "ipu utilisation"
    LinkSpeed,              ///< "link speed"
    LinkWidth,              ///< "link width"
    NumaNode,               ///< "numa node": of the first chip
    PciId,                  ///< "pci id"
    RemoteBuffersSupported, ///< "remote buffers supported": "1" or "0"
    TotalBoardPower,        ///< "total board power"
    UserProcessId           ///< "user process id": of this process, if the device is attached
  };
};

namespace poplar {
using ::IPUAttributes;
} // namespace poplar

#endif
