// The properties of a target, and where the numbers of each IPU generation come from.
#pragma once

#include <compare>
#include <memory>
#include <poplar/Target.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cottonwood::model {

/// What one tile and its connections can do. Sizes in bytes, times in tile cycles.
struct TileModel {
  unsigned workerContexts = 6;
  unsigned bytesPerTile = 0;
  double clock = 0; // Hz
  unsigned exchangeBytesPerCycle = 0;
  unsigned memcpyBytesPerCycle = 0;
  unsigned instructionBytes = 4;
  unsigned dataPathBits = 64;
  unsigned atomicStoreBytes = 4;
  unsigned rptCountMax = 0;
  unsigned strideBits = 0;
  bool exchangeBusSharing = false;
  unsigned tilesPerSharedExchangeBus = 1;
  std::vector<unsigned> memoryElementOffsets;
  unsigned interleavedElementIndex = 0;

  unsigned fp8PipelineDepth = 0;
  unsigned fp16PipelineDepth = 0;
  unsigned fp32PipelineDepth = 0;
  unsigned fp8LoadElemsPerCycle = 0;
  unsigned fp16LoadElemsPerCycle = 0;
  unsigned fp32LoadElemsPerCycle = 0;
  unsigned fp16InFp16OutUnits = 0;
  unsigned fp16InFp32OutUnits = 0;
  unsigned fp32InFp32OutUnits = 0;
  unsigned fp8InFp16OutUnits = 0;
  unsigned coeffLoadBytesPerCycle = 0;

  unsigned minSyncDelay = 0;
  unsigned maxSyncDelay = 0;
  unsigned tilesPerXBContext = 1;
  unsigned contextsPerXB = 1;

  bool operator==(TileModel const &) const = default;
  auto operator<=>(TileModel const &) const = default;
};

/// Everything that makes two targets equal or different.
struct TargetData {
  poplar::TargetType type = poplar::TargetType::CPU;
  std::string system;
  std::string arch;
  unsigned numIPUs = 1;
  unsigned tilesPerIPU = 1;
  TileModel tile;
  unsigned globalSyncCycles = 0;
  std::vector<poplar::GlobalExchangeConstraint> globalExchangeConstraints;
  poplar::IpuLinkConfiguration linkConfiguration = poplar::IpuLinkConfiguration::Default;
  poplar::IpuLinkTopology linkTopology = poplar::IpuLinkTopology::Mesh;
  unsigned linkDomainSize = 1;
  unsigned instanceSize = 1;
  bool gatewayMode = false;
  std::string syncConfiguration = "intraReplicaAndAll";

  bool operator==(TargetData const &) const = default;
  auto operator<=>(TargetData const &) const = default;
};

/// One published kind of IPU.
struct Generation {
  std::string_view name; // system and architecture string
  unsigned tilesPerIPU;
  unsigned globalSyncCycles; // 0: by globalSyncCycles()
  TileModel tile;
};

/// nullptr if there is no generation of that name.
Generation const *findGeneration(std::string_view name);
/// "ipu1, ipu2, ipu21"
std::string generationNames();

/// Cycles for all IPUs to agree: 15 ns a hop there and back, over the longest way in a ladder of
/// pairs.
unsigned globalSyncCycles(unsigned numIPUs, double clock);
/// What shares a bandwidth in a ladder of IPU pairs.
POP_API std::vector<poplar::GlobalExchangeConstraint> ladderConstraints(unsigned numIPUs);

/// A target of the given generation, everything else at its default for so many IPUs.
TargetData targetOf(Generation const &generation, poplar::TargetType type, unsigned numIPUs);
TargetData cpuTarget(unsigned numIPUs);
/// Changes the number of IPUs and all that follows from it.
void setNumIPUs(TargetData &target, unsigned numIPUs);
/// Reads the options of Target::createIPUTarget into the target. \throws poplar::invalid_option
void readTargetOptions(TargetData &target, poplar::OptionFlags const &options);

/// \throws poplar::poplar_error  an unset target; `where` names the caller.
TargetData const &dataOf(poplar::Target const &target, char const *where = "poplar::Target");
inline poplar::Target makeTarget(TargetData data) {
  return poplar::Target(std::make_shared<TargetData const>(std::move(data)));
}

} // namespace cottonwood::model
