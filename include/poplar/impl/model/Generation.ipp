// The numbers of the IPU generations, each with its source, and targets made from them.
//
// Sources: [C] the published C++ API's own documentation and the programs that ask it; [D]
// Graphcore's public documents and reports printed by its tools; [O] measurements on a C600
// published in osmarks/ipu-stack; [P] constants in PopLibs' public tests; [W] our own choice where
// nothing is published, with the reason.
#pragma once

#include <array>
#include <cmath>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/OptionReader.hpp>
#include <poplar/impl/model/TargetData.hpp>
#include <span>
#include <utility>

namespace cottonwood::model::detail {

/// Elements of 16 KiB below the interleaved region, pairs of them within it [O].
POP_INLINE void setMemoryElements(TileModel &tile, unsigned bytes, unsigned interleavedBegin) {
  constexpr unsigned elementBytes = 16384;
  tile.bytesPerTile = bytes;
  for (unsigned at = 0; at < interleavedBegin; at += elementBytes)
    tile.memoryElementOffsets.push_back(at);
  tile.interleavedElementIndex = static_cast<unsigned>(tile.memoryElementOffsets.size());
  for (unsigned at = interleavedBegin; at < bytes; at += 2 * elementBytes)
    tile.memoryElementOffsets.push_back(at);
}

/// What all generations share.
POP_INLINE TileModel commonTile() {
  TileModel tile;
  tile.workerContexts = 6;            // [D]
  tile.exchangeBytesPerCycle = 4;     // [D]
  tile.memcpyBytesPerCycle = 8;       // [O]
  tile.instructionBytes = 4;          // [D]
  tile.dataPathBits = 64;             // [D]
  tile.atomicStoreBytes = 4;          // [P]
  tile.strideBits = 10;               // [W] three strides packed into one 32-bit register
  tile.exchangeBusSharing = true;     // [D]
  tile.tilesPerSharedExchangeBus = 2; // [D]
  tile.fp16LoadElemsPerCycle = 4;     // [D] one 64-bit word
  tile.fp32LoadElemsPerCycle = 2;     // [D]
  tile.fp16PipelineDepth = 4; // [W] weights of a unit (16, 8 and 32) over elements loaded a cycle
  tile.fp32PipelineDepth = 4; // [W]
  tile.coeffLoadBytesPerCycle = 8; // [W] one 64-bit word; 16 needs interleaved memory
  tile.minSyncDelay =
      83; // [W] two a step make the 166 cycles published for lattice-Boltzmann codes
  tile.maxSyncDelay = 83;      // [W] no spread between tiles is known
  tile.tilesPerXBContext = 32; // [W] any fixed partition serves; 1216 and 1472 are multiples of 64
  tile.contextsPerXB = 2;      // [W]
  return tile;
}

POP_INLINE Generation makeIpu1() {
  Generation ipu1{"ipu1", 1216, 0, commonTile()}; // tiles [D]
  setMemoryElements(ipu1.tile, 262144,
                    131072);        // [D] 256 KiB; a report shows half of it interleaved
  ipu1.tile.clock = 1.6e9;          // [D]
  ipu1.tile.rptCountMax = 4095;     // [C] 12 bits
  ipu1.tile.fp16InFp16OutUnits = 8; // [C]
  ipu1.tile.fp16InFp32OutUnits = 8; // [C]
  ipu1.tile.fp32InFp32OutUnits = 8; // [C]
  return ipu1;
}

POP_INLINE Generation makeIpu2() {
  Generation ipu2{"ipu2", 1472, 0, commonTile()}; // tiles [D]
  setMemoryElements(ipu2.tile, 638976, 212992);   // [D] 624 KiB; geometry as ipu21's [O]
  ipu2.tile.clock = 1.33e9;                       // [D] 6,681,766 cycles take 5,023.9 us
  ipu2.tile.rptCountMax = 65535;                  // [C] 16 bits
  ipu2.tile.fp16InFp16OutUnits = 16;              // [C]
  ipu2.tile.fp16InFp32OutUnits = 8;               // [C]
  ipu2.tile.fp32InFp32OutUnits = 16;              // [C]
  return ipu2;
}

POP_INLINE Generation makeIpu21() {
  Generation ipu21 = makeIpu2();
  ipu21.name = "ipu21";
  ipu21.globalSyncCycles = 600;        // [O]
  ipu21.tile.clock = 1.5e9;            // [O] 280 TFLOP/s over 188,416 FLOP a cycle give 1.486e9
  ipu21.tile.fp8InFp16OutUnits = 16;   // [C]
  ipu21.tile.fp8LoadElemsPerCycle = 8; // [C]
  ipu21.tile.fp8PipelineDepth = 4;     // [W] as above
  return ipu21;
}

POP_INLINE std::span<Generation const> generations() {
  // Never destroyed: graphs may be made in destructors of static objects.
  static auto const *const all = new std::array{makeIpu1(), makeIpu2(), makeIpu21()};
  return *all;
}

} // namespace cottonwood::model::detail

namespace cottonwood::model {

POP_INLINE Generation const *findGeneration(std::string_view name) {
  for (auto const &generation : detail::generations())
    if (generation.name == name)
      return &generation;
  return nullptr;
}

POP_INLINE std::string generationNames() {
  std::string names;
  for (auto const &generation : detail::generations())
    names += base::textOf(names.empty() ? "" : ", ", generation.name);
  return names;
}

POP_INLINE unsigned globalSyncCycles(unsigned numIPUs, double clock) {
  unsigned const hops = 1 + numIPUs / 2 / 2;                           // [P]
  return static_cast<unsigned>(std::ceil(15e-9 * clock * hops * 2.0)); // [P]
}

POP_INLINE std::vector<poplar::GlobalExchangeConstraint> ladderConstraints(unsigned numIPUs) {
  constexpr double linkBitsPerSecond =
      128.0 * 1024 * 1024 * 1024 * 0.85; // [P] one link at its efficiency
  using poplar::GlobalExchangeFlow;
  std::vector<poplar::GlobalExchangeConstraint> constraints;
  auto const rungOf = [](unsigned ipu) { return ipu / 2; };
  // The two IPUs of a rung are joined by four links.
  for (unsigned ipu = 0; ipu < numIPUs; ++ipu)
    if (unsigned const partner = ipu ^ 1u; partner < numIPUs)
      constraints.emplace_back(4 * linkBitsPerSecond,
                               std::vector<GlobalExchangeFlow>{GlobalExchangeFlow(ipu, partner)});
  // Between neighbouring rungs every IPU has two links up and two down, and all flows that go past
  // share them. A flow climbs on the side of its source.
  auto const climbers = [&](unsigned lower, unsigned side, bool up) {
    std::vector<GlobalExchangeFlow> flows;
    for (unsigned src = side; src < numIPUs; src += 2)
      for (unsigned dst = 0; dst < numIPUs; ++dst) {
        bool const passes = up ? rungOf(src) <= lower && rungOf(dst) > lower
                               : rungOf(src) > lower && rungOf(dst) <= lower;
        if (passes)
          flows.emplace_back(src, dst);
      }
    return flows;
  };
  for (unsigned lower = 0; lower + 1 < (numIPUs + 1) / 2; ++lower)
    for (unsigned side = 0; side != 2; ++side)
      for (bool const up : {true, false})
        constraints.emplace_back(2 * linkBitsPerSecond, climbers(lower, side, up));
  return constraints;
}

POP_INLINE TargetData targetOf(Generation const &generation, poplar::TargetType type,
                               unsigned numIPUs) {
  TargetData target;
  target.type = type;
  target.system = generation.name;
  target.arch = generation.name;
  target.tilesPerIPU = generation.tilesPerIPU;
  target.tile = generation.tile;
  setNumIPUs(target, numIPUs);
  return target;
}

POP_INLINE void setNumIPUs(TargetData &target, unsigned numIPUs) {
  target.numIPUs = numIPUs;
  target.linkDomainSize = numIPUs;
  target.instanceSize = numIPUs;
  if (target.type == poplar::TargetType::CPU)
    return;
  auto const *generation = findGeneration(target.arch);
  target.globalSyncCycles = generation && generation->globalSyncCycles != 0
                                ? generation->globalSyncCycles
                                : globalSyncCycles(numIPUs, target.tile.clock);
  target.globalExchangeConstraints = ladderConstraints(numIPUs);
}

/// Constants on every machine, so that programs plan alike everywhere: vector widths and contexts
/// as codelets expect them, and one cycle is a nanosecond of host time.
POP_INLINE TargetData cpuTarget(unsigned numIPUs) {
  TargetData target;
  target.type = poplar::TargetType::CPU;
  target.system = "cpu";
  target.arch = "cpu";
  setNumIPUs(target, numIPUs);
  target.tilesPerIPU = 1;
  target.tile.bytesPerTile = 0x80000000u; // 2 GiB; no limit follows from it
  target.tile.clock = 1e9;
  target.tile.exchangeBytesPerCycle = 4;
  target.tile.memcpyBytesPerCycle = 8;
  target.tile.atomicStoreBytes = 1;
  target.tile.rptCountMax = 0xffffffffu;
  target.tile.strideBits = 32;
  target.tile.memoryElementOffsets = {0};
  target.tile.interleavedElementIndex = 1;
  target.tile.fp8LoadElemsPerCycle = 8;
  target.tile.fp16LoadElemsPerCycle = 4;
  target.tile.fp32LoadElemsPerCycle = 2;
  target.tile.fp8PipelineDepth = 4;
  target.tile.fp16PipelineDepth = 4;
  target.tile.fp32PipelineDepth = 4;
  target.tile.coeffLoadBytesPerCycle = 8;
  return target;
}

POP_INLINE void readTargetOptions(TargetData &target, poplar::OptionFlags const &given) {
  using poplar::IpuLinkConfiguration;
  using poplar::IpuLinkTopology;
  poplar::OptionFlags options = given;
  poplar::readJSONFromEnv("POPLAR_TARGET_OPTIONS", options);
  base::OptionReader reader("a target", options);
  reader.choice<IpuLinkConfiguration>("ipuLinkConfiguration", target.linkConfiguration,
                                      {{"default", IpuLinkConfiguration::Default},
                                       {"Default", IpuLinkConfiguration::Default},
                                       {"slidingWindow", IpuLinkConfiguration::SlidingWindow},
                                       {"SlidingWindow", IpuLinkConfiguration::SlidingWindow},
                                       {"barleyTwist", IpuLinkConfiguration::BarleyTwist},
                                       {"BarleyTwist", IpuLinkConfiguration::BarleyTwist}});
  reader.choice<IpuLinkTopology>("ipuLinkTopology", target.linkTopology,
                                 {{"mesh", IpuLinkTopology::Mesh},
                                  {"Mesh", IpuLinkTopology::Mesh},
                                  {"torus", IpuLinkTopology::Torus},
                                  {"Torus", IpuLinkTopology::Torus},
                                  {"line", IpuLinkTopology::Line},
                                  {"Line", IpuLinkTopology::Line}});
  reader.choice<std::string>(
      "syncConfiguration", target.syncConfiguration,
      {{"intraReplicaAndAll", "intraReplicaAndAll"},
       {"ipuAndAll", "ipuAndAll"},
       {"ipuAndInstanceAndIntraReplicaAndAll", "ipuAndInstanceAndIntraReplicaAndAll"},
       {"intraReplicaAndLadder", "intraReplicaAndLadder"}});
  reader.integer("ipuLinkDomainSize", target.linkDomainSize, 1u);
  reader.integer("instanceSize", target.instanceSize, 1u);
  reader.flag("gatewayMode", target.gatewayMode);
  reader.ignore({"sim.accurateTiming", "sim.traceTiming"}); // of a simulator of the hardware
  reader.finish();
}

POP_INLINE TargetData const &dataOf(poplar::Target const &target, char const *where) {
  if (!target.data())
    base::fail<poplar::poplar_error>(where, "the target is unset; take one from a Device, or from "
                                            "Target::createCPUTarget or Target::createIPUTarget");
  return *target.data();
}

} // namespace cottonwood::model
