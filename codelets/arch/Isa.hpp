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

// Defined where the compiler's flags allow all that isa::amx asks for; clang's names of the AMX
// macros had no second underscore at first.
#if defined(__AVX512FP16__) && defined(__AVX512VL__) && defined(__AVX512DQ__) &&                   \
    (defined(__AMX_TILE__) || defined(__AMXTILE__)) &&                                             \
    (defined(__AMX_BF16__) || defined(__AMXBF16__))
#define POP_AMX_FLAGS
#endif

namespace cottonwood::isa {

/// One set of instructions, in ascending order of preference; `*Soft` sets are software twins of
/// hardware that most machines lack and are used only when forced.
enum class Isa : std::uint8_t {
  Scalar,
  Avx2,
  Avx512,
  Avx512Fp16,
  Amx,
  AmxFp16,
  Avx512Fp16Soft,
  AmxSoft,
  AmxFp16Soft
};

inline constexpr Isa ALL_ISAS[] = {Isa::Scalar,         Isa::Avx2,    Isa::Avx512,
                                   Isa::Avx512Fp16,     Isa::Amx,     Isa::AmxFp16,
                                   Isa::Avx512Fp16Soft, Isa::AmxSoft, Isa::AmxFp16Soft};

/// What the matrix tiles of a set multiply.
enum class Tiles : std::uint8_t {
  None,
  Bfloat, ///< bfloat16, summed in float: AMX-BF16
  Half    ///< and binary16, summed in float: AMX-FP16
};

/// Baseline x86-64 (or any other machine): one lane, the reference for all others.
struct scalar {
  static constexpr Isa ID = Isa::Scalar;
  static constexpr int VECTOR_BYTES = 4;
  static constexpr bool HALF_ARITHMETIC = false;
  static constexpr Tiles TILES = Tiles::None;
};
/// AVX2, FMA, F16C, BMI1/2, LZCNT, POPCNT.
struct avx2 {
  static constexpr Isa ID = Isa::Avx2;
  static constexpr int VECTOR_BYTES = 32;
  static constexpr bool HALF_ARITHMETIC = false;
  static constexpr Tiles TILES = Tiles::None;
};
/// avx2 and AVX-512 F, BW, DQ, VL, CD.
struct avx512 {
  static constexpr Isa ID = Isa::Avx512;
  static constexpr int VECTOR_BYTES = 64;
  static constexpr bool HALF_ARITHMETIC = false;
  static constexpr Tiles TILES = Tiles::None;
};
/// avx512 and AVX512-FP16: binary16 arithmetic of its own, 32 lanes. Only families that gain from
/// what this and the following sets add have objects for them; the set `Lower` serves all others,
/// and `Halves` those that gain from the arithmetic alone.
struct avx512fp16 {
  static constexpr Isa ID = Isa::Avx512Fp16;
  static constexpr int VECTOR_BYTES = 64;
  static constexpr bool HALF_ARITHMETIC = true;
  static constexpr Tiles TILES = Tiles::None;
  using Lower = avx512;
  using Halves = avx512fp16;
};
/// Bit-exact twin of avx512fp16 on avx512 instructions.
struct avx512fp16_soft {
  static constexpr Isa ID = Isa::Avx512Fp16Soft;
  static constexpr int VECTOR_BYTES = 64;
  static constexpr bool HALF_ARITHMETIC = true;
  static constexpr Tiles TILES = Tiles::None;
  using Lower = avx512;
  using Halves = avx512fp16_soft;
};
/// avx512fp16, AMX-TILE and AMX-BF16.
struct amx : avx512fp16 {
  static constexpr Isa ID = Isa::Amx;
  static constexpr Tiles TILES = Tiles::Bfloat;
};
/// amx and AMX-FP16.
struct amxfp16 : avx512fp16 {
  static constexpr Isa ID = Isa::AmxFp16;
  static constexpr Tiles TILES = Tiles::Half;
};
/// Bit-exact twin of amx: its kernels on tiles are avx2 instructions, vectors of 64 bytes are two.
/// The set's other kernels are those of avx512, or of avx2 where that is all there is.
struct amx_soft : avx512fp16_soft {
  static constexpr Isa ID = Isa::AmxSoft;
  static constexpr Tiles TILES = Tiles::Bfloat;
};
/// Bit-exact twin of amxfp16, as amx_soft.
struct amxfp16_soft : avx512fp16_soft {
  static constexpr Isa ID = Isa::AmxFp16Soft;
  static constexpr Tiles TILES = Tiles::Half;
};

namespace detail {
template <class Tag> struct Levels {
  using Vectors = Tag;
  using Halves = Tag;
};
template <class Tag>
requires requires { typename Tag::Lower; }
struct Levels<Tag> {
  using Vectors = typename Tag::Lower;
  using Halves = typename Tag::Halves;
};
} // namespace detail

/// The tag whose kernels serve families that gain nothing from half arithmetic and tiles.
template <class Tag> using VectorsOf = typename detail::Levels<Tag>::Vectors;
/// The tag whose kernels serve families that gain from half arithmetic, but not from tiles.
template <class Tag> using HalvesOf = typename detail::Levels<Tag>::Halves;

/// Tags whose set has matrix tiles.
template <class Tag>
concept TileTag = Tag::TILES != Tiles::None;

/// True for software twins.
constexpr bool isSoft(Isa isa) { return isa >= Isa::Avx512Fp16Soft; }

/// What a set's tiles multiply.
constexpr Tiles tilesOf(Isa isa) {
  switch (isa) {
  case Isa::Amx:
  case Isa::AmxSoft:
    return Tiles::Bfloat;
  case Isa::AmxFp16:
  case Isa::AmxFp16Soft:
    return Tiles::Half;
  default:
    return Tiles::None;
  }
}

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
  case Isa::Amx:
    return "amx";
  case Isa::AmxFp16:
    return "amxfp16";
  case Isa::Avx512Fp16Soft:
    return "avx512fp16-soft";
  case Isa::AmxSoft:
    return "amx-soft";
  case Isa::AmxFp16Soft:
    return "amxfp16-soft";
  }
  return "unknown";
}

/// f(tag) for the tag of a set. Without x86 there is scalar alone.
template <class F> constexpr decltype(auto) withTag([[maybe_unused]] Isa isa, F &&f) {
#if defined(__x86_64__)
  switch (isa) {
  case Isa::Scalar:
    break;
  case Isa::Avx2:
    return f(avx2());
  case Isa::Avx512:
    return f(avx512());
  case Isa::Avx512Fp16:
    return f(avx512fp16());
  case Isa::Amx:
    return f(amx());
  case Isa::AmxFp16:
    return f(amxfp16());
  case Isa::Avx512Fp16Soft:
    return f(avx512fp16_soft());
  case Isa::AmxSoft:
    return f(amx_soft());
  case Isa::AmxFp16Soft:
    return f(amxfp16_soft());
  }
#endif
  return f(scalar());
}

/// True for sets with binary16 arithmetic of their own.
constexpr bool hasHalfArithmetic(Isa isa) {
  return withTag(isa, [](auto tag) { return decltype(tag)::HALF_ARITHMETIC; });
}

/// The tag that matches the flags this file is compiled with: what header-only code and
/// application functors get.
#if defined(POP_AMX_FLAGS) && defined(__AMX_FP16__)
using native = amxfp16;
#elif defined(POP_AMX_FLAGS)
using native = amx;
#elif defined(__AVX512FP16__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
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
