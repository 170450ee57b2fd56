/// \file SoftmaxExp.hpp
/// The exponentials of SoftmaxKernel.hpp.
#pragma once

#include <codelets/arch/SimdExp.hpp>
#include <codelets/arch/SimdHalfOrder.hpp>
#include <codelets/arch/SimdLookup.hpp>
#include <codelets/arch/SimdPack.hpp>
#include <codelets/popops/ReduceKernel.hpp>

namespace cottonwood::kernels {

enum class SoftmaxKind : std::uint8_t { PLAIN, STABLE, SCALED, LOG };

/// What the elements of a row of SoftmaxKind::SCALED sum to.
inline constexpr float SOFTMAX_SCALE = 62000.f;

/// Rows within so much of zero are not moved by their maximum, unless logarithms are asked for:
/// neither are their exponentials too large or too small for normal numbers nor their sums, and
/// without a difference that is rounded they are more exact.
inline constexpr float SOFTMAX_NEAR = 64;
/// The least difference from the maximum that a bounded exponential takes. Differences are rounded:
/// what is a little below is safe too.
inline constexpr float SOFTMAX_LEAST = -86;

/// What is known of the elements of a row.
enum class SoftmaxRange : std::uint8_t {
  NEAR,    ///< they are within SOFTMAX_NEAR of zero, and nothing is subtracted
  BOUNDED, ///< their differences from what is subtracted are at least SOFTMAX_LEAST
  ANY
};

namespace detail {
/// 2^(k / 32) for k = 0 ... 3, twice.
template <class Tag>
inline constexpr float QUARTERS_OF_EIGHTH[8] = {0x1p+0f,        0x1.059b0ep+0f, 0x1.0b5586p+0f,
                                                0x1.11301ep+0f, 0x1p+0f,        0x1.059b0ep+0f,
                                                0x1.0b5586p+0f, 0x1.11301ep+0f};
/// 2^(k / 16)
template <class Tag>
inline constexpr float SIXTEENTH_POWERS[16] = {
    0x1p+0f,        0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f, 0x1.306fep+0f,  0x1.3dea64p+0f,
    0x1.4bfdaep+0f, 0x1.5ab07ep+0f, 0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f,
    0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};

/// SIXTEENTH_POWERS, or the products of 2^(k / 8) and QUARTERS_OF_EIGHTH. With `ADDED` the bits of
/// the former are less by k / 16 as the first bits behind an exponent: adding n 2^19 for any n
/// makes 2^(n / 16) of the number at n mod 16.
template <class Tag, std::size_t N, bool ADDED> struct PowerTable {
  static_assert(N == 16 || (N == 32 && !ADDED));
  float values[N];

  constexpr PowerTable() : values() {
    for (std::size_t k = 0; k < N; ++k)
      if constexpr (N == 32) {
        values[k] = SIXTEENTH_POWERS<Tag>[k / 4 * 2] * QUARTERS_OF_EIGHTH<Tag>[k % 4];
      } else {
        const auto bits = __builtin_bit_cast(std::uint32_t, SIXTEENTH_POWERS<Tag>[k]);
        values[k] =
            __builtin_bit_cast(float, ADDED ? bits - (static_cast<std::uint32_t>(k) << 19) : bits);
      }
  }
};
template <class Tag, std::size_t N, bool ADDED>
inline constexpr PowerTable<Tag, N, ADDED> POWER_TABLE;

/// From n, whose low bits are enough: 2^(n / N) or, for SCALES, 2^(n / N mod 1).
template <class Tag, std::size_t N, bool SCALES> class SoftmaxPowers {
public:
  template <class I> POP_SIMD_INLINE auto operator()(const I &n) const {
    const auto entry = arch::lookup(table_, n);
    if constexpr (SCALES)
      return entry;
    else
      return entry.fromBits(entry.bits() + n.template shiftLeft<19>());
  }

private:
  arch::Table<Tag, N> table_{POWER_TABLE<Tag, N, !SCALES>.values};
};
/// By two tables of eight: on AVX2 one of 32 takes four permutations and three blends.
template <class Tag> class SoftmaxPowers<Tag, 32, false> {
public:
  template <class I> POP_SIMD_INLINE auto operator()(const I &n) const {
    using math::lookup8; // of packs: found by their arguments
    const auto quarter = lookup8(QUARTERS_OF_EIGHTH<Tag>, n);
    using V = std::remove_const_t<decltype(quarter)>;
    return math::detail::eighthPower<V>(n.template shiftRightArithmetic<2>()) * quarter;
  }
};

/// e^x with the same bits for every tag; 1.1 ulp. For rows of halves up to 2^-14 of it less: what
/// all terms of a row lack makes no difference.
/// \tparam RANGE  unless it is ANY, x is at least SOFTMAX_LEAST and at most 88, or NaN
template <class Tag, SoftmaxRange RANGE, class T> class SoftmaxExp {
  static constexpr bool BOUNDED = RANGE != SoftmaxRange::ANY;
  static constexpr bool OF_HALVES = std::is_same_v<T, half>,
                        SCALES = math::ScalesAtOnce<simd<float, Tag>>;
  static constexpr std::size_t N = OF_HALVES ? 32 : 16; ///< steps of a power of two

public:
  /// What becomes of an element of such a row before.
  template <class V> POP_SIMD_INLINE static V moved(V x, V subtracted) {
    return RANGE == SoftmaxRange::NEAR ? x : x - subtracted;
  }

  /// \tparam V  simd<float, Tag>, or a pack of it
  template <class V> POP_SIMD_INLINE V operator()(V x) const {
    if constexpr (BOUNDED) {
      return ofClamped(x);
    } else {
      // Less than e^-104 is zero. To compute what is subnormal takes a core of the Emerald Rapids
      // class more than a hundred cycles: rows with a half of -10000 took ten times as long so.
      const auto vanishes = x < V::splat(-104.f);
      const V clamped = V::select(vanishes, V::zero(), V::min(V::splat(89.f), x)); // NaN stays
      return V::select(vanishes, V::zero(), ofClamped(clamped));
    }
  }

private:
  /// x = (ln 2) n / N + r with |r| <= ln(2) / 2 N, and so e^x = 2^(n / N) (1 + (e^r - 1)).
  template <class V> POP_SIMD_INLINE V ofClamped(V x) const {
    using I = typename V::Int;
    // The sum has no room for less than 1 / N; its last bits are those of n.
    const V whole = V::splat(math::detail::INTEGERS / N),
            sum = V::fma(x, V::splat(math::detail::LOG2E), whole);
    const V power = sum - whole, p = tail(x, power);
    I n = sum.bits();
    if constexpr (!SCALES && !BOUNDED)
      n = n & I::splat(N - 1);
    const V s = powers_(n), value = V::fma(s, p, s);
    if constexpr (SCALES)
      return V::scale(value, power); // by the integer below
    else if constexpr (BOUNDED)
      return value;
    else
      return math::scaleByPower(value, V::floor(power));
  }

  /// e^r - 1; for halves r, which is less by up to r^2 / 2 < 2^-14.
  template <class V> POP_SIMD_INLINE static V tail(V x, V power) {
    if constexpr (OF_HALVES) {
      return V::fnma(power, V::splat(0x1.62e43p-1f), x);
    } else {
      const V r = V::fnma(power, V::splat(math::detail::LN2_LO),
                          V::fnma(power, V::splat(math::detail::LN2_HI), x));
      return V::fma(r * r, V::fma(r, V::splat(0x1.555556p-3f), V::splat(0x1.00022p-1f)), r);
    }
  }

  SoftmaxPowers<Tag, N, SCALES> powers_;
};

} // namespace detail

} // namespace cottonwood::kernels
