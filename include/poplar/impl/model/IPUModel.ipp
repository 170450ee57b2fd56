// Bodies of <poplar/IPUModel.hpp>.
#pragma once

#include <algorithm>
#include <cmath>
#include <poplar/IPUModel.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/model/DeviceData.hpp>
#include <poplar/impl/model/TargetData.hpp>
#include <tuple>
#include <utility>

namespace cottonwood::model::detail {

POP_INLINE Generation const &generationOf(char const *version) {
  if (auto const *generation = version ? findGeneration(version) : nullptr)
    return *generation;
  base::fail<poplar::invalid_machine_model>("poplar::IPUModel", "unknown version ",
                                            base::quoted(version ? version : ""), "; there are ",
                                            generationNames());
}

/// All fields, for comparisons.
POP_INLINE auto fieldsOf(poplar::IPUModel const &m) {
  return std::tuple_cat(
      std::tie(m.IPUVersion, m.numIPUs, m.tilesPerSuperTile, m.tilesPerIPU, m.numWorkerContexts,
               m.memoryBytesPerTile, m.tileClockFrequency, m.exchangeBytesPerCycle,
               m.memcpyBytesPerCycle, m.instructionBytes, m.supportsSuperTileSendReceive,
               m.memoryElementOffsets, m.interleavedMemoryElementIndex),
      std::tie(m.minIPUSyncDelay, m.relativeSyncDelay, m.globalSyncCycles,
               m.globalExchangeConstraints, m.dataPathWidth, m.fp8ConvUnitMaxPipelineDepth,
               m.fp16ConvUnitMaxPipelineDepth, m.fp32ConvUnitMaxPipelineDepth,
               m.fp8ConvUnitInputLoadElemsPerCycle, m.fp16ConvUnitInputLoadElemsPerCycle,
               m.fp32ConvUnitInputLoadElemsPerCycle),
      std::tie(m.fp16InFp16OutConvUnitsPerTile, m.fp16InFp32OutConvUnitsPerTile,
               m.fp32InFp32OutConvUnitsPerTile, m.fp8InFp16OutConvUnitsPerTile,
               m.convUnitCoeffLoadBytesPerCycle, m.rptCountMax, m.numStrideBits,
               m.atomicStoreGranularity, m.compileIPUCode));
}

POP_INLINE void requirePositive(char const *field, unsigned value) {
  if (value == 0)
    base::fail<poplar::invalid_machine_model>("poplar::IPUModel::createDevice", field,
                                              " = 0; it must be at least 1");
}

POP_INLINE void checkModel(poplar::IPUModel const &m) {
  constexpr char const *where = "poplar::IPUModel::createDevice";
  generationOf(m.IPUVersion.c_str());
  requirePositive("numIPUs", m.numIPUs);
  requirePositive("tilesPerIPU", m.tilesPerIPU);
  requirePositive("tilesPerSuperTile", m.tilesPerSuperTile);
  requirePositive("memoryBytesPerTile", m.memoryBytesPerTile);
  requirePositive("exchangeBytesPerCycle", m.exchangeBytesPerCycle);
  requirePositive("memcpyBytesPerCycle", m.memcpyBytesPerCycle);
  requirePositive("atomicStoreGranularity", m.atomicStoreGranularity);
  if (m.numWorkerContexts != 6)
    base::fail<poplar::invalid_machine_model>(where, "numWorkerContexts = ", m.numWorkerContexts,
                                              "; codelets are compiled for 6");
  if (m.dataPathWidth < 64 || m.dataPathWidth % 64 != 0)
    base::fail<poplar::invalid_machine_model>(where, "dataPathWidth = ", m.dataPathWidth,
                                              "; it must be a multiple of 64 bits");
  if (!(m.tileClockFrequency > 0) || !std::isfinite(m.tileClockFrequency))
    base::fail<poplar::invalid_machine_model>(where, "tileClockFrequency = ", m.tileClockFrequency,
                                              "; it must be a positive number of Hz");
  auto const &offsets = m.memoryElementOffsets;
  if (offsets.empty() || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()))
    base::fail<poplar::invalid_machine_model>(
        where, "memoryElementOffsets = ", base::listText(std::span<unsigned const>(offsets)),
        "; they must ascend from 0");
}

POP_INLINE TargetData targetOfModel(poplar::IPUModel const &m) {
  auto target =
      targetOf(generationOf(m.IPUVersion.c_str()), poplar::TargetType::IPU_MODEL, m.numIPUs);
  target.tilesPerIPU = m.tilesPerIPU;
  auto &tile = target.tile;
  tile.workerContexts = m.numWorkerContexts;
  tile.bytesPerTile = m.memoryBytesPerTile;
  tile.clock = m.tileClockFrequency;
  tile.exchangeBytesPerCycle = m.exchangeBytesPerCycle;
  tile.memcpyBytesPerCycle = m.memcpyBytesPerCycle;
  tile.instructionBytes = m.instructionBytes;
  tile.dataPathBits = m.dataPathWidth;
  tile.atomicStoreBytes = m.atomicStoreGranularity;
  tile.rptCountMax = m.rptCountMax;
  tile.strideBits = m.numStrideBits;
  tile.exchangeBusSharing = m.supportsSuperTileSendReceive && m.tilesPerSuperTile > 1;
  tile.tilesPerSharedExchangeBus = m.tilesPerSuperTile;
  tile.memoryElementOffsets = m.memoryElementOffsets;
  std::erase_if(tile.memoryElementOffsets,
                [&](unsigned offset) { return offset >= m.memoryBytesPerTile; });
  tile.interleavedElementIndex = m.interleavedMemoryElementIndex;
  tile.fp8PipelineDepth = m.fp8ConvUnitMaxPipelineDepth;
  tile.fp16PipelineDepth = m.fp16ConvUnitMaxPipelineDepth;
  tile.fp32PipelineDepth = m.fp32ConvUnitMaxPipelineDepth;
  tile.fp8LoadElemsPerCycle = m.fp8ConvUnitInputLoadElemsPerCycle;
  tile.fp16LoadElemsPerCycle = m.fp16ConvUnitInputLoadElemsPerCycle;
  tile.fp32LoadElemsPerCycle = m.fp32ConvUnitInputLoadElemsPerCycle;
  tile.fp16InFp16OutUnits = m.fp16InFp16OutConvUnitsPerTile;
  tile.fp16InFp32OutUnits = m.fp16InFp32OutConvUnitsPerTile;
  tile.fp32InFp32OutUnits = m.fp32InFp32OutConvUnitsPerTile;
  tile.fp8InFp16OutUnits = m.fp8InFp16OutConvUnitsPerTile;
  tile.coeffLoadBytesPerCycle = m.convUnitCoeffLoadBytesPerCycle;
  // The spread of delays over the tiles of this generation stays on top of the chosen minimum.
  unsigned const spread = tile.maxSyncDelay - tile.minSyncDelay;
  tile.minSyncDelay = m.minIPUSyncDelay;
  tile.maxSyncDelay =
      m.minIPUSyncDelay +
      (m.relativeSyncDelay == poplar::IPUModel::RelativeSyncDelayType::AUTO ? spread : 0);
  setNumIPUs(target, m.numIPUs); // once more: the clock may be another
  if (m.globalSyncCycles != 0)
    target.globalSyncCycles = m.globalSyncCycles;
  if (!m.globalExchangeConstraints.empty())
    target.globalExchangeConstraints = m.globalExchangeConstraints;
  return target;
}

} // namespace cottonwood::model::detail

namespace poplar {

POP_INLINE IPUModel::IPUModel(char const *version) {
  auto const &generation = cottonwood::model::detail::generationOf(version);
  auto const &tile = generation.tile;
  IPUVersion = generation.name;
  numIPUs = 1;
  tilesPerSuperTile = tile.tilesPerSharedExchangeBus;
  tilesPerIPU = generation.tilesPerIPU;
  numWorkerContexts = tile.workerContexts;
  memoryBytesPerTile = tile.bytesPerTile;
  tileClockFrequency = tile.clock;
  exchangeBytesPerCycle = tile.exchangeBytesPerCycle;
  memcpyBytesPerCycle = tile.memcpyBytesPerCycle;
  instructionBytes = tile.instructionBytes;
  supportsSuperTileSendReceive = tile.exchangeBusSharing;
  memoryElementOffsets = tile.memoryElementOffsets;
  interleavedMemoryElementIndex = tile.interleavedElementIndex;
  minIPUSyncDelay = tile.minSyncDelay;
  relativeSyncDelay = RelativeSyncDelayType::AUTO;
  globalSyncCycles = 0;
  dataPathWidth = tile.dataPathBits;
  fp8ConvUnitMaxPipelineDepth = tile.fp8PipelineDepth;
  fp16ConvUnitMaxPipelineDepth = tile.fp16PipelineDepth;
  fp32ConvUnitMaxPipelineDepth = tile.fp32PipelineDepth;
  fp8ConvUnitInputLoadElemsPerCycle = tile.fp8LoadElemsPerCycle;
  fp16ConvUnitInputLoadElemsPerCycle = tile.fp16LoadElemsPerCycle;
  fp32ConvUnitInputLoadElemsPerCycle = tile.fp32LoadElemsPerCycle;
  fp16InFp16OutConvUnitsPerTile = tile.fp16InFp16OutUnits;
  fp16InFp32OutConvUnitsPerTile = tile.fp16InFp32OutUnits;
  fp32InFp32OutConvUnitsPerTile = tile.fp32InFp32OutUnits;
  fp8InFp16OutConvUnitsPerTile = tile.fp8InFp16OutUnits;
  convUnitCoeffLoadBytesPerCycle = tile.coeffLoadBytesPerCycle;
  rptCountMax = tile.rptCountMax;
  numStrideBits = tile.strideBits;
  atomicStoreGranularity = tile.atomicStoreBytes;
  compileIPUCode = false;
}

POP_INLINE Device IPUModel::createDevice(OptionFlags const &opts, bool,
                                         unsigned deviceManagerId) const {
  cottonwood::model::detail::checkModel(*this);
  auto target = cottonwood::model::detail::targetOfModel(*this);
  cottonwood::model::readTargetOptions(target, opts);
  bool const hasId = deviceManagerId != std::numeric_limits<unsigned>::max();
  return Device(std::make_shared<cottonwood::model::DeviceData>(cottonwood::model::DeviceData{
      hasId ? deviceManagerId : 0, cottonwood::model::makeTarget(std::move(target)),
      std::make_shared<cottonwood::model::Attachment>(cottonwood::model::ChipRange())}));
}

POP_INLINE bool IPUModel::operator==(IPUModel const &other) const {
  return cottonwood::model::detail::fieldsOf(*this) == cottonwood::model::detail::fieldsOf(other);
}

} // namespace poplar
