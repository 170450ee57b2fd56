/// \file SoftmaxExp.hpp
/// The exponentials of SoftmaxKernel.hpp.
#pragma once

#include <codelets/arch/SimdHalfOrder.hpp>
#include <codelets/arch/SimdPack.hpp>
#include <codelets/popops/ReduceKernel.hpp>

namespace cottonwood::kernels {

enum class SoftmaxKind : std::uint8_t { PLAIN, STABLE, SCALED, LOG };

/// What the elements of a row of SoftmaxKind::SCALED sum to.
inline constexpr float SOFTMAX_SCALE = 62000.f;

namespace detail {
/// The bits of 2^(k / 16) less those of k / 16 as the first bits behind an exponent: adding n 2^19
/// for any n makes 2^(n / 16) of the number at n mod 16.
template <class Tag>
inline constexpr float SOFTMAX_POWERS[16] = {
    0x1p+0f,        0x1.fb5586p-1f, 0x1.f72b84p-1f, 0x1.f387a6p-1f, 0x1.f06fep-1f,  0x1.edea64p-1f,
    0x1.ebfdaep-1f, 0x1.eab07ep-1f, 0x1.ea09e6p-1f, 0x1.ea1148p-1f, 0x1.eace54p-1f, 0x1.ec4918p-1f,
    0x1.ee89fap-1f, 0x1.f199bep-1f, 0x1.f5818ep-1f, 0x1.fa4afap-1f};

/// e^x with the same bits for every tag; 1.1 ulp, and for rows of halves a relative error below
/// 2^-18.5 while the result is at least a half's least, 2^-24.
/// \tparam BOUNDED  x is at least -86 and at most 88, or NaN
template <class Tag, bool BOUNDED, class T> class SoftmaxExp {
  static constexpr float STEPS = 16 * math::detail::LOG2E; ///< that x has, of ln(2) / 16 each

public:
  SoftmaxExp() : powers_(SOFTMAX_POWERS<Tag>) {}

  /// x = n ln(2) / 16 + r with |r| <= ln(2) / 32, and so e^x = 2^(n / 16) (1 + (e^r - 1)).
  /// \tparam V  simd<float, Tag>, or a pack of it
  template <class V> POP_SIMD_INLINE V operator()(V x) const {
    using I = typename V::Int;
    if constexpr (!BOUNDED)
      x = math::detail::clampKeepNan(x, -104.f, 89.f);
    // The sum has no room for a fraction; its last bits are those of n.
    const V whole = V::splat(0x1.8p23f), sum = V::fma(x, V::splat(STEPS), whole);
    const V n = sum - whole, p = tail(x, n);
    const I power = arch::lookup(powers_, sum.bits()).bits(),
            exponent = sum.bits().template shiftLeft<19>();
    if constexpr (BOUNDED) {
      const V s = V::fromBits(power + exponent);
      return V::fma(s, p, s);
    } else {
      const V s = V::fromBits(power + (exponent & I::splat(0x780000)));
      return math::scaleByPower(V::fma(s, p, s), V::floor(n * V::splat(0x1p-4f)));
    }
  }

private:
  /// e^r - 1
  template <class V> POP_SIMD_INLINE static V tail(V x, V n) {
    if constexpr (std::is_same_v<T, half>) {
      const V t = V::fms(x, V::splat(STEPS), n); // r in steps
      return t * V::fma(t, V::splat(0x1.ebfbep-11f), V::splat(0x1.62e43p-5f));
    } else {
      const V r = V::fnma(n, V::splat(math::detail::LN2_LO / 16),
                          V::fnma(n, V::splat(math::detail::LN2_HI / 16), x));
      return V::fma(r * r, V::fma(r, V::splat(0x1.555556p-3f), V::splat(0x1.00022p-1f)), r);
    }
  }

  arch::Table16<Tag> powers_;
};

} // namespace detail

} // namespace cottonwood::kernels
