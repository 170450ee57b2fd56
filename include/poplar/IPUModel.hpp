// A description of an IPU to plan with: set the fields, then make a device.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_IPUMODEL_HPP
#define POPLAR_IPUMODEL_HPP

#include <limits>
#include <poplar/Device.hpp>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/OptionFlags.hpp>
#include <string>
#include <vector>

namespace poplar {

/// Runs codelets as compiled for the CPU and estimates what the described IPU would take. It never
/// stops because a tile's memory overflows; the profile tells.
struct POP_API IPUModel {
  /// AUTO: tiles hear of a sync at different times, if the model knows any difference. NO_DELAY:
  /// all at once.
  enum class RelativeSyncDelayType { AUTO, NO_DELAY };

  /// \param version  "ipu1", "ipu2" or "ipu21"
  /// \throws invalid_machine_model  any other.
  explicit IPUModel(char const *version = "ipu2");

  std::string IPUVersion;
  unsigned numIPUs;
  unsigned tilesPerSuperTile; ///< tiles that share an exchange bus
  unsigned tilesPerIPU;
  unsigned numWorkerContexts; ///< 6; codelets are compiled for that number
  unsigned memoryBytesPerTile;
  double tileClockFrequency; ///< in Hz
  unsigned exchangeBytesPerCycle;
  unsigned memcpyBytesPerCycle;
  unsigned instructionBytes;
  bool supportsSuperTileSendReceive;
  std::vector<unsigned> memoryElementOffsets;
  unsigned interleavedMemoryElementIndex;
  unsigned minIPUSyncDelay; ///< in cycles, as all delays
  RelativeSyncDelayType relativeSyncDelay;
  /// 0 (the default): computed from the number of IPUs and the clock.
  unsigned globalSyncCycles;
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints;
  unsigned dataPathWidth; ///< in bits
  unsigned fp8ConvUnitMaxPipelineDepth;
  unsigned fp16ConvUnitMaxPipelineDepth;
  unsigned fp32ConvUnitMaxPipelineDepth;
  unsigned fp8ConvUnitInputLoadElemsPerCycle;
  unsigned fp16ConvUnitInputLoadElemsPerCycle;
  unsigned fp32ConvUnitInputLoadElemsPerCycle;
  unsigned fp16InFp16OutConvUnitsPerTile;
  unsigned fp16InFp32OutConvUnitsPerTile;
  unsigned fp32InFp32OutConvUnitsPerTile;
  unsigned fp8InFp16OutConvUnitsPerTile;
  unsigned convUnitCoeffLoadBytesPerCycle;
  unsigned rptCountMax;
  unsigned numStrideBits;
  unsigned atomicStoreGranularity;
  /// Accepted for compatibility; memory figures do not depend on it.
  bool compileIPUCode;

  /// \param opts             those of Target::createIPUTarget
  /// \param accurateHalf     half is IEEE binary16 in any case
  /// \param deviceManagerId  the id that the device shall have
  /// \throws invalid_machine_model  a field has a value that no machine can have; the text names
  /// it.
  Device createDevice(OptionFlags const &opts = {}, bool accurateHalf = false,
                      unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;

  bool operator==(IPUModel const &other) const;
  bool operator!=(IPUModel const &other) const { return !(*this == other); }
};

} // namespace poplar

#endif
