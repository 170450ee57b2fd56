/// \file Isa.hpp
/// The instruction sets that kernels are compiled for, as values and as template tags.
///
/// Kernels are templates over a tag (`isa::avx512`), so that everything emitted into an object
/// compiled with that tag's instructions carries the tag in its name and can never be picked by
/// the linker for baseline code.
#pragma once

#include <cstdint>

/// Marks functions of per-ISA headers: they must vanish into their caller, even at -O0.
#define POP_SIMD_INLINE inline __attribute__((always_inline))

namespace cottonwood::isa {

/// One set of instructions, in ascending order of preference; `*Soft` sets are software twins of
/// hardware that most machines lack and are used only when forced.
enum class Isa : std::uint8_t { Scalar, Avx2, Avx512, Avx512Fp16, Avx512Fp16Soft };

inline constexpr Isa ALL_ISAS[] = {Isa::Scalar, Isa::Avx2, Isa::Avx512, Isa::Avx512Fp16,
                                   Isa::Avx512Fp16Soft};

/// Baseline x86-64 (or any other machine): one lane, the reference for all others.
struct scalar {
  static constexpr Isa ID = Isa::Scalar;
  static constexpr int VECTOR_BYTES = 4;
  static constexpr bool HALF_ARITHMETIC = false;
};
/// AVX2, FMA, F16C, BMI1/2, LZCNT, POPCNT.
struct avx2 {
  static constexpr Isa ID = Isa::Avx2;
  static constexpr int VECTOR_BYTES = 32;
  static constexpr bool HALF_ARITHMETIC = false;
};
/// avx2 and AVX-512 F, BW, DQ, VL, CD.
struct avx512 {
  static constexpr Isa ID = Isa::Avx512;
  static constexpr int VECTOR_BYTES = 64;
  static constexpr bool HALF_ARITHMETIC = false;
};
/// avx512 and AVX512-FP16: binary16 arithmetic of its own, 32 lanes.
struct avx512fp16 {
  static constexpr Isa ID = Isa::Avx512Fp16;
  static constexpr int VECTOR_BYTES = 64;
  static constexpr bool HALF_ARITHMETIC = true;
};
/// Bit-exact twin of avx512fp16 on avx512 instructions.
struct avx512fp16_soft {
  static constexpr Isa ID = Isa::Avx512Fp16Soft;
  static constexpr int VECTOR_BYTES = 64;
  static constexpr bool HALF_ARITHMETIC = true;
};

/// The name by which logs, options and POPLAR_ISA know a set.
constexpr const char *name(Isa isa) {
  switch (isa) {
  case Isa::Scalar:
    return "scalar";
  case Isa::Avx2:
    return "avx2";
  case Isa::Avx512:
    return "avx512";
  case Isa::Avx512Fp16:
    return "avx512fp16";
  case Isa::Avx512Fp16Soft:
    return "avx512fp16-soft";
  }
  return "unknown";
}

/// The tag that matches the flags this file is compiled with: what header-only code and
/// application functors get.
#if defined(__AVX512FP16__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
using native = avx512fp16;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) &&                    \
    defined(__AVX512VL__) && defined(__AVX512CD__) && defined(__FMA__) && defined(__F16C__)
using native = avx512;
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
using native = avx2;
#else
using native = scalar;
#endif

} // namespace cottonwood::isa
