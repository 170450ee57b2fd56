/// \file CpuFeatures.hpp
/// What this machine can run, and which instruction set the process uses. Standard library only.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace cottonwood::isa {

/// Feature bits that decide between our tags: set only if the CPU has the instructions and the
/// operating system saves the registers they use.
struct CpuFeatures {
  bool avx2 = false;          ///< all that isa::avx2 asks for
  bool avx512 = false;        ///< all that isa::avx512 asks for
  bool avx512fp16 = false;    ///< all that isa::avx512fp16 asks for
  bool amx = false;           ///< all that isa::amx asks for, the system's permission included
  bool amxfp16 = false;       ///< all that isa::amxfp16 asks for
  bool splitsVectors = false; ///< instructions on 512 bits run as two on 256

  /// True if kernels of this tag run here; soft twins run wherever their instructions do.
  bool supports(Isa isa) const {
    switch (isa) {
    case Isa::Scalar:
      return true;
    case Isa::Avx2:
    case Isa::AmxSoft:
    case Isa::AmxFp16Soft:
      return avx2;
    case Isa::Avx512:
    case Isa::Avx512Fp16Soft:
      return avx512;
    case Isa::Avx512Fp16:
      return avx512fp16;
    case Isa::Amx:
      return amx;
    case Isa::AmxFp16:
      return amxfp16;
    }
    return false;
  }
};

#if defined(__x86_64__) || defined(__i386__)
namespace detail {
/// XCR0: which register files the operating system saves (Intel SDM vol. 1, 13.3).
inline std::uint64_t savedRegisters() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

constexpr bool hasAll(std::uint64_t word, std::uint64_t bits) { return (word & bits) == bits; }

/// Asks the system to save tile registers for all threads of this process: Linux enables them on
/// demand only (Documentation/arch/x86/xstate.rst). Harmless where they are enabled already.
/// \returns whether tile instructions may be used
inline bool permitTiles() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long ARCH_PRCTL = 158, ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18;
  long result = ARCH_PRCTL; // the number of the system call, its result afterwards
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(ARCH_REQ_XCOMP_PERM), "S"(XFEATURE_XTILEDATA)
                   : "rcx", "r11", "memory");
  return result == 0;
#else
  return false;
#endif
}
} // namespace detail

/// Asks CPUID and XGETBV. Bit numbers: Intel SDM vol. 2A, table of CPUID leaves 1, 7, 80000001H;
/// 8000001AH, what data paths are wide: AMD64 Architecture Programmer's Manual vol. 3, appendix E.
inline CpuFeatures detectCpuFeatures() {
  using detail::hasAll;
  CpuFeatures found;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return found;
  const unsigned leaf1 = c;
  constexpr unsigned FMA = 1u << 12, POPCNT = 1u << 23, OSXSAVE = 1u << 27, AVX = 1u << 28,
                     F16C = 1u << 29;
  if (!hasAll(leaf1, FMA | POPCNT | OSXSAVE | AVX | F16C))
    return found;
  const std::uint64_t saved = detail::savedRegisters();
  if (!__get_cpuid(0x80000001u, &a, &b, &c, &d))
    return found;
  const bool lzcnt = (c >> 5) & 1u;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return found;
  unsigned a1 = 0, b1 = 0, c1 = 0, d1 = 0;
  if (a >= 1) // the number of the last subleaf
    __cpuid_count(7, 1, a1, b1, c1, d1);
  constexpr unsigned BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8;
  constexpr unsigned F = 1u << 16, DQ = 1u << 17, CD = 1u << 28, BW = 1u << 30, VL = 1u << 31;
  constexpr unsigned AMX_BF16 = 1u << 22, FP16 = 1u << 23, AMX_TILE = 1u << 24;
  constexpr unsigned AMX_FP16 = 1u << 21; // of subleaf 1
  constexpr std::uint64_t YMM = 0x6, ZMM = 0xe6, TILE = 0x60000;
  found.avx2 = lzcnt && hasAll(b, BMI1 | AVX2 | BMI2) && hasAll(saved, YMM);
  found.avx512 = found.avx2 && hasAll(b, F | DQ | CD | BW | VL) && hasAll(saved, ZMM);
  found.avx512fp16 = found.avx512 && hasAll(d, FP16);
  found.amx = found.avx512fp16 && hasAll(d, AMX_BF16 | AMX_TILE) && hasAll(saved, TILE) &&
              detail::permitTiles();
  found.amxfp16 = found.amx && hasAll(a1, AMX_FP16);
  constexpr unsigned FP256 = 1u << 2, FP512 = 1u << 3;
  found.splitsVectors =
      found.avx512 && __get_cpuid(0x8000001au, &a, &b, &c, &d) && (a & (FP256 | FP512)) == FP256;
  return found;
}
#else
inline CpuFeatures detectCpuFeatures() { return {}; }
#endif

/// This machine's features, asked once; where there are tiles, this is also what makes the system
/// permit their use, so that callers of kernels for them have to ask.
inline const CpuFeatures &cpuFeatures() {
  static const CpuFeatures features = detectCpuFeatures();
  return features;
}

/// The set whose kernels without tiles serve a set on this machine: itself, but for twins of tiles,
/// which run where avx512, on which theirs build, may be missing.
inline Isa vectorSet(Isa isa) {
  return tilesOf(isa) != Tiles::None && isSoft(isa) && !cpuFeatures().avx512 ? Isa::Avx2 : isa;
}

/// Bytes of the vectors of a set's kernels without tiles on this machine.
inline int vectorBytes(Isa isa) {
  return withTag(vectorSet(isa), [](auto tag) { return tag.VECTOR_BYTES; });
}

/// The sets that this machine can run, soft twins included, in enum order.
inline std::vector<Isa> availableIsas() {
  std::vector<Isa> found;
  for (Isa isa : ALL_ISAS)
    if (cpuFeatures().supports(isa))
      found.push_back(isa);
  return found;
}

/// The fastest set of this machine; never a software twin.
inline Isa bestIsa() {
  Isa best = Isa::Scalar;
  for (Isa isa : ALL_ISAS)
    if (!isSoft(isa) && cpuFeatures().supports(isa))
      best = isa;
  return best;
}

/// The set that `text` names, which must be one that this machine can run.
/// \throws std::invalid_argument  naming the sets that are available here.
inline Isa parseIsa(std::string_view text) {
  std::string list;
  for (Isa isa : availableIsas()) {
    if (text == name(isa))
      return isa;
    list += (list.empty() ? "" : ", ") + std::string(name(isa));
  }
  bool known = false;
  for (Isa isa : ALL_ISAS)
    known = known || text == name(isa);
  throw std::invalid_argument("POPLAR_ISA: '" + std::string(text) + "' is " +
                              (known ? "not supported by this machine" : "unknown") +
                              "; this machine has " + list);
}

/// The set that built-in codelets use in this process: the environment variable POPLAR_ISA if it
/// is set and not empty, else bestIsa(). Read once; a failing read is repeated at the next call.
/// \throws std::invalid_argument  POPLAR_ISA names a set that this machine lacks.
inline Isa activeIsa() {
  static const Isa active = [] {
    const char *forced = std::getenv("POPLAR_ISA");
    return forced && *forced ? parseIsa(forced) : bestIsa();
  }();
  return active;
}

} // namespace cottonwood::isa
