/// \file Amx.hpp
/// `cottonwood::arch::Tiles<Tag>`: eight matrix tiles of 16 rows of 64 bytes, as AMX has them. The
/// only face of them that kernels see; tags with `_soft` have a twin of equal bits.
///
/// Face, with C, A, B different constants below 8:
///   Tiles<Tag> tiles;                      configures; the destructor gives the tiles back
///   tiles.template zero<C>()               load<C>(p, stride)   store<C>(p, stride)   bytes
///   tiles.template dotBfloat<C, A, B>()    C[i,j] += sum over k < 32 of A[i,k] * B[k,j]
///   tiles.template dotHalf<C, A, B>()      the same for binary16; tags with Tiles::Half alone
///   tiles.keepAwake()                      once per step of a loop without vector arithmetic
///
/// C is [16, 16] float. A is [16, 32]; B holds [32, 16] as 16 rows of pairs: element (k, j) is
/// 16-bit number 2 * j + k % 2 of row k / 2.
///
/// The sums, after the operation sections of TDPBF16PS and TDPFP16PS in the Intel SDM, vol. 2:
/// even and odd k are summed apart, each a chain of float fused multiply-adds from zero over
/// ascending k; then C += even + odd. All of it rounds to nearest even, takes float denormals as
/// zero and flushes denormal results to zero, whatever MXCSR says. bfloat16 denormals count as
/// float denormals; binary16 ones are converted exactly.
#pragma once

#include <codelets/arch/Half.hpp>
#include <codelets/arch/Intrinsics.hpp>
#include <codelets/arch/Isa.hpp>
#include <codelets/arch/Simd.hpp>

#include <cstddef>
#include <cstdint>

namespace cottonwood::arch {

inline constexpr std::size_t TILE_ROWS = 16, TILE_ROW_BYTES = 64, TILE_BYTES = 1024;
/// Values of k that one dot product of two tiles takes.
inline constexpr std::size_t TILE_DEPTH = 32;

template <class Tag> class Tiles;

/// Lane x: low[x] as binary16 in the lower half, high[x] in the upper.
template <class Tag> simd<std::int32_t, Tag> halfPairs(simd<float, Tag> low, simd<float, Tag> high);

#if defined(POP_AMX_FLAGS)

/// The hardware. Instructions are written out since the intrinsics want literal tile numbers,
/// which template arguments are not; AMX-FP16's as bytes, since compilers of 2022 do not know it.
template <isa::TileTag Tag>
requires(!isa::isSoft(Tag::ID)) class Tiles<Tag> {
public:
  POP_SIMD_INLINE Tiles() {
    struct alignas(64) {
      std::uint8_t palette = 1, startRow = 0, reserved[14] = {};
      std::uint16_t rowBytes[16] = {};
      std::uint8_t rows[16] = {};
    } config;
    static_assert(sizeof config == 64);
    for (int t = 0; t < 8; ++t)
      config.rowBytes[t] = TILE_ROW_BYTES, config.rows[t] = TILE_ROWS;
    __asm__ volatile("ldtilecfg %0" ::"m"(config) : "memory");
  }
  POP_SIMD_INLINE ~Tiles() { __asm__ volatile("tilerelease" ::: "memory"); }
  Tiles(const Tiles &) = delete;
  Tiles &operator=(const Tiles &) = delete;

  template <int T> POP_SIMD_INLINE void zero() { __asm__ volatile("tilezero %%tmm%c0" ::"i"(T)); }
  template <int T> POP_SIMD_INLINE void load(const void *p, std::size_t stride) {
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(p), "r"(stride), "i"(T) : "memory");
  }
  template <int T> POP_SIMD_INLINE void store(void *p, std::size_t stride) {
    __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(p), "r"(stride), "i"(T) : "memory");
  }
  template <int C, int A, int B> POP_SIMD_INLINE void dotBfloat() {
    static_assert(C != A && C != B && A != B);
    __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(A), "i"(B));
  }
  template <int C, int A, int B> POP_SIMD_INLINE void dotHalf() {
    static_assert(Tag::TILES == isa::Tiles::Half && C != A && C != B && A != B);
    // TDPFP16PS: VEX.128.F2.0F38.W0 5C /r, C in ModRM.reg, A in ModRM.rm, B in VEX.vvvv.
    __asm__ volatile(".byte 0xc4, 0xe2, %c0, 0x5c, %c1" ::"i"(0x03 | (~B & 15) << 3),
                     "i"(0xc0 | C << 3 | A));
  }
  /// After about 2000 cycles without a 512-bit multiply-add the next store of a tile waits for
  /// about 1000 (measured on a core of the Granite Rapids class): one on zeros prevents it.
  POP_SIMD_INLINE void keepAwake() {
    __m512 zeros = _mm512_setzero_ps();
    __asm__ volatile("vfmadd231ps %0, %0, %0" : "+v"(zeros));
  }
};

#endif

#if defined(__AVX512F__)

template <class Tag>
POP_SIMD_INLINE simd<std::int32_t, Tag> halfPairs(simd<float, Tag> low, simd<float, Tag> high) {
  const __m512i upper = _mm512_cvtepu16_epi32(high.toHalfRegister());
  return simd<std::int32_t, Tag>{
      _mm512_or_si512(_mm512_cvtepu16_epi32(low.toHalfRegister()), _mm512_slli_epi32(upper, 16))};
}

#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

template <class Tag>
POP_SIMD_INLINE simd<std::int32_t, Tag> halfPairs(simd<float, Tag> low, simd<float, Tag> high) {
  using Part = simd<std::int32_t, isa::avx2>;
  const auto widened = [](simd<float, isa::avx2> x) POP_SIMD_LAMBDA {
    return Part{_mm256_cvtepu16_epi32(x.toHalfRegister())};
  };
  const auto pairs = [&](simd<float, isa::avx2> x, simd<float, isa::avx2> y) POP_SIMD_LAMBDA {
    return widened(x) | widened(y).template shiftLeft<16>();
  };
  return simd<std::int32_t, Tag>{{pairs(low.r.low, high.r.low), pairs(low.r.high, high.r.high)}};
}

#endif

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

namespace detail {

/// Round to nearest, flush to zero, denormals are zero, while it lives. Tiles are in memory, which
/// the barriers order: no arithmetic on them leaves the block.
class FlushToZero {
public:
  POP_SIMD_INLINE FlushToZero() {
    __asm__ volatile("stmxcsr %0" : "=m"(before_));
    const std::uint32_t mode = 0x1f80u | 0x8000u | 0x0040u;
    __asm__ volatile("ldmxcsr %0" ::"m"(mode) : "memory");
  }
  POP_SIMD_INLINE ~FlushToZero() { __asm__ volatile("ldmxcsr %0" ::"m"(before_) : "memory"); }
  FlushToZero(const FlushToZero &) = delete;
  FlushToZero &operator=(const FlushToZero &) = delete;

private:
  std::uint32_t before_;
};

/// Even (0) or odd (1) numbers of a row of pairs as floats.
template <class Tag, bool HALF, int ODD>
POP_SIMD_INLINE simd<float, Tag> widenTileRow(const void *row) {
  using V = simd<float, Tag>;
  if constexpr (HALF) {
    half numbers[TILE_DEPTH], chosen[TILE_DEPTH / 2];
    __builtin_memcpy(numbers, row, sizeof numbers);
    for (std::size_t x = 0; x < TILE_DEPTH / 2; ++x)
      chosen[x] = numbers[2 * x + ODD];
    return V::load(chosen);
  } else {
    using Pairs = simd<std::int32_t, Tag>;
    const Pairs pairs = Pairs::load(static_cast<const std::int32_t *>(row));
    return V::fromBits(ODD ? pairs & Pairs::splat(-0x10000) : pairs.template shiftLeft<16>());
  }
}

/// One dot product of tiles; out of line, so that the compiler knows nothing of the tiles. It
/// touches whole tiles alone, by constant places: sanitizers, which would find nothing, do not slow
/// it down.
template <class Tag, bool HALF>
__attribute__((noinline, no_sanitize("address"), no_sanitize("undefined"))) void
tileDot(void *c, const void *a, const void *b) {
  using V = simd<float, Tag>;
  const FlushToZero mode;
  // [row][odd][lane]
  using Floats = float[TILE_ROWS][2][TILE_DEPTH / 2];
  alignas(TILE_ROW_BYTES) Floats left, right;
  const auto widen = [](const void *tile, Floats &to) POP_SIMD_LAMBDA {
    for (std::size_t i = 0; i < TILE_ROWS; ++i) {
      const void *const row = static_cast<const unsigned char *>(tile) + i * TILE_ROW_BYTES;
      widenTileRow<Tag, HALF, 0>(row).store(to[i][0]);
      widenTileRow<Tag, HALF, 1>(row).store(to[i][1]);
    }
  };
  widen(a, left), widen(b, right);
  for (std::size_t i = 0; i < TILE_ROWS; ++i) {
    V even = V::zero(), odd = V::zero();
    for (std::size_t k = 0; k < TILE_DEPTH / 2; ++k) {
      even = V::fma(V::broadcast(&left[i][0][k]), V::load(right[k][0]), even);
      odd = V::fma(V::broadcast(&left[i][1][k]), V::load(right[k][1]), odd);
    }
    float *const sum = static_cast<float *>(c) + i * (TILE_ROW_BYTES / sizeof(float));
    (V::load(sum) + (even + odd)).store(sum);
  }
}

} // namespace detail

/// The twin.
template <isa::TileTag Tag>
requires(isa::isSoft(Tag::ID)) class Tiles<Tag> {
public:
  Tiles() = default;
  Tiles(const Tiles &) = delete;
  Tiles &operator=(const Tiles &) = delete;

  template <int T> POP_SIMD_INLINE void zero() { __builtin_memset(tiles_[T], 0, TILE_BYTES); }
  template <int T> POP_SIMD_INLINE void load(const void *p, std::size_t stride) {
    for (std::size_t i = 0; i < TILE_ROWS; ++i)
      __builtin_memcpy(tiles_[T] + i * TILE_ROW_BYTES,
                       static_cast<const unsigned char *>(p) + i * stride, TILE_ROW_BYTES);
  }
  template <int T> POP_SIMD_INLINE void store(void *p, std::size_t stride) {
    for (std::size_t i = 0; i < TILE_ROWS; ++i)
      __builtin_memcpy(static_cast<unsigned char *>(p) + i * stride, tiles_[T] + i * TILE_ROW_BYTES,
                       TILE_ROW_BYTES);
  }
  template <int C, int A, int B> POP_SIMD_INLINE void dotBfloat() {
    static_assert(C != A && C != B && A != B);
    detail::tileDot<Tag, false>(tiles_[C], tiles_[A], tiles_[B]);
  }
  template <int C, int A, int B> POP_SIMD_INLINE void dotHalf() {
    static_assert(Tag::TILES == isa::Tiles::Half && C != A && C != B && A != B);
    detail::tileDot<Tag, true>(tiles_[C], tiles_[A], tiles_[B]);
  }
  POP_SIMD_INLINE void keepAwake() {}

private:
  alignas(64) unsigned char tiles_[8][TILE_BYTES];
};

#endif

} // namespace cottonwood::arch
