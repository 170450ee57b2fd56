/// \file SoftmaxShortKernel.hpp
/// Softmax and log-softmax of short rows: as many at a time as a vector has lanes, with the bits of
/// the same rows one by one. Included by SoftmaxKernel.hpp.
#pragma once

#include <codelets/arch/SimdColumns.hpp>
#include <codelets/popnn/SoftmaxExp.hpp>
#include <codelets/popops/ReduceRows.hpp>

namespace cottonwood::kernels::detail {

/// Gives the NaN of a row of nothing else one sign. That of other NaN is the first operand's, where
/// compilers may swap operands: which way a row was computed would show.
template <class T> POP_SIMD_INLINE void settleNan(T *row, std::size_t length) {
  using One = simd<float, isa::scalar>;
  for (std::size_t i = 0; i < length; ++i)
    if (const float x = One::load(row + i).r; x == x)
      return;
  for (std::size_t i = 0; i < length; ++i)
    One::splat(-__builtin_nanf("")).store(row + i);
}

/// Rows of up to SHORT_ROW elements, where a vector has more than one lane. One by one, rows of 2,
/// 10 and 31 took 4, 3 and 2 times as long on Zen 3, those of 64 less.
template <class Tag, class T> class ShortSoftmax {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  static constexpr bool EXISTS = W > 1;

  /// \returns how many rows were computed: those of whole blocks of W
  std::size_t rows(SoftmaxKind kind, const T *in, T *out, std::size_t rows, std::size_t length) {
    std::size_t i = 0;
    for (; i + W <= rows; i += W) {
      arch::loadColumns<Tag>(in + i * length, length, columns_);
      const bool anyNan =
          kind == SoftmaxKind::LOG ? softmax<true>(kind, length) : softmax<false>(kind, length);
      arch::storeColumns<Tag>(out + i * length, length, columns_);
      for (std::size_t r = 0; anyNan && r < W; ++r)
        settleNan(out + (i + r) * length, length);
    }
    return i;
  }

private:
  /// True if the sum of a row is NaN.
  template <bool LOG> POP_SIMD_INLINE bool softmax(SoftmaxKind kind, std::size_t length) {
    V least = V::splat(__builtin_inff()), most = V::splat(-__builtin_inff());
    for (std::size_t j = 0; j < length; ++j) {
      least = V::min(columns_[j], least);
      most = V::max(columns_[j], most);
    }
    const bool plain = kind == SoftmaxKind::PLAIN;
    V shift = plain ? V::zero() : most;
    bool near = false;
    if constexpr (!LOG) {
      const auto isNear = V::max(most, V::zero() - least) <= V::splat(SOFTMAX_NEAR);
      shift = V::select(isNear, V::zero(), shift);
      near = isNear.all();
    }
    if (near)
      exponentials<SoftmaxRange::NEAR, LOG>(shift, length);
    else if (!plain && (least - shift >= V::splat(SOFTMAX_LEAST)).all())
      exponentials<SoftmaxRange::BOUNDED, LOG>(shift, length);
    else
      exponentials<SoftmaxRange::ANY, LOG>(shift, length);
    const V sum = sumOfColumns(terms_, length);
    const V factor =
        LOG ? math::log(sum) : V::splat(kind == SoftmaxKind::SCALED ? SOFTMAX_SCALE : 1.f) / sum;
    for (std::size_t j = 0; j < length; ++j)
      columns_[j] = LOG ? columns_[j] - factor : columns_[j] * factor;
    return (sum != sum).any();
  }

  /// Rows that need not have bounded exponentials give the same bits beside others that do.
  template <SoftmaxRange RANGE, bool LOG>
  POP_SIMD_INLINE void exponentials(V shift, std::size_t length) {
    const SoftmaxExp<Tag, RANGE, T> e;
    for (std::size_t j = 0; j < length; ++j) {
      const V moved = e.moved(columns_[j], shift);
      terms_[j] = e(moved);
      columns_[j] = LOG ? moved : terms_[j];
    }
  }

  V columns_[SHORT_ROW + 1], terms_[SHORT_ROW + 1];
};

template <class Tag, class T>
[[gnu::noinline]] std::size_t shortSoftmaxRows(SoftmaxKind kind, const T *in, T *out,
                                               std::size_t rows, std::size_t length) {
  ShortSoftmax<Tag, T> softmax; // whose columns are not set to zero
  return softmax.rows(kind, in, out, rows, length);
}

} // namespace cottonwood::kernels::detail
