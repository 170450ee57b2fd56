// What planners know of the machine behind a target.
#pragma once

#include <codelets/arch/Isa.hpp>
#include <compare>
#include <cstdint>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/Target.hpp>
#include <vector>

namespace cottonwood::model {

/// The CPU that this process runs on. Sizes in bytes; a size that cannot be found out is a common
/// one.
struct CpuFacts {
  isa::Isa isa = isa::Isa::Scalar; ///< the instruction set whose kernels are used
  unsigned threads = 1;            ///< hardware threads that engines may use
  unsigned cores = 1;              ///< physical cores among them
  std::uint64_t l1Bytes = 0;       ///< data cache of one core
  std::uint64_t l2Bytes = 0;       ///< one L2 cache
  std::uint64_t l3Bytes = 0;       ///< one L3 cache; 0: there is none
  unsigned l2SharedBy = 1;         ///< hardware threads of one L2 cache
  unsigned l3SharedBy = 1;         ///< hardware threads of one L3 cache

  bool operator==(CpuFacts const &) const = default;
  auto operator<=>(CpuFacts const &) const = default;
};

/// A value: everything a plan may depend on besides the problem and its options. What changes
/// rounding may depend on `isCpu`, the tiles and `cpu.isa` alone.
struct Machine {
  bool isCpu = true;
  unsigned ipus = 1;
  unsigned tiles = 1; ///< of all IPUs
  unsigned tilesPerIPU = 1;
  unsigned workers = 6; ///< worker contexts of a tile
  std::uint64_t bytesPerTile = 0;
  double clock = 0; ///< tile cycles a second
  unsigned exchangeBytesPerCycle = 4;
  unsigned memcpyBytesPerCycle = 8;
  unsigned dataPathBits = 64;
  unsigned floatVectorWidth = 2;
  unsigned halfVectorWidth = 4;
  unsigned tilesPerSharedExchangeBus = 1;
  unsigned minSyncDelay = 0;
  unsigned globalSyncCycles = 0;
  std::vector<poplar::GlobalExchangeConstraint> links; ///< what flows between IPUs share
  unsigned fp8InFp16OutUnits = 0;
  unsigned fp16InFp16OutUnits = 0;
  unsigned fp16InFp32OutUnits = 0;
  unsigned fp32InFp32OutUnits = 0;
  unsigned fp16LoadElemsPerCycle = 4;
  unsigned fp32LoadElemsPerCycle = 2;
  unsigned coeffLoadBytesPerCycle = 8;
  CpuFacts cpu; ///< also of the host that emulates an IPU, which runs the same kernels

  bool operator==(Machine const &) const = default;
  auto operator<=>(Machine const &) const = default;
};

/// Found out once per process.
POP_API CpuFacts const &cpuFacts();
POP_API Machine machineOf(poplar::Target const &target);

} // namespace cottonwood::model
