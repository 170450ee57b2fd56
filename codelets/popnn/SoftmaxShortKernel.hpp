/// \file SoftmaxShortKernel.hpp
/// Softmax and log-softmax of short rows: as many at a time as a vector has lanes, with the bits of
/// the same rows one by one. Included by SoftmaxKernel.hpp.
#pragma once

#include <codelets/arch/SimdColumns.hpp>
#include <codelets/popnn/SoftmaxExp.hpp>
#include <codelets/popops/ReduceRows.hpp>

namespace cottonwood::kernels::detail {

/// Rows of up to SHORT_ROW elements, where a vector has more than one lane. One by one, rows of 2,
/// 10 and 31 took 4, 3 and 2 times as long on Zen 3, those of 64 less.
template <class Tag, class T> class ShortSoftmax {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  static constexpr bool EXISTS = W > 1;

  void rows(SoftmaxKind kind, const T *in, T *out, std::size_t rows, std::size_t length) {
    for (std::size_t i = 0; i < rows; i += W) {
      const std::size_t n = rows - i < W ? rows - i : W;
      arch::loadColumns<Tag>(in + i * length, n, length, columns_);
      kind == SoftmaxKind::LOG ? softmax<true>(kind, length) : softmax<false>(kind, length);
      arch::storeColumns<Tag>(out + i * length, n, length, columns_);
    }
  }

private:
  template <bool LOG> POP_SIMD_INLINE void softmax(SoftmaxKind kind, std::size_t length) {
    V least = V::splat(__builtin_inff()), most = V::splat(-__builtin_inff());
    for (std::size_t j = 0; j < length; ++j) {
      least = V::min(columns_[j], least);
      most = V::max(columns_[j], most);
    }
    const bool bounded = kind != SoftmaxKind::PLAIN && (least - most >= V::splat(-86.f)).all();
    const V shift = kind == SoftmaxKind::PLAIN ? V::zero() : most;
    bounded ? exponentials<true, LOG>(shift, length) : exponentials<false, LOG>(shift, length);
    const V sum = sumOfColumns(terms_, length);
    const V factor =
        LOG ? math::log(sum) : V::splat(kind == SoftmaxKind::SCALED ? SOFTMAX_SCALE : 1.f) / sum;
    for (std::size_t j = 0; j < length; ++j)
      columns_[j] = LOG ? columns_[j] - factor : columns_[j] * factor;
  }

  /// Rows that need not have bounded exponentials give the same bits beside others that do.
  template <bool BOUNDED, bool LOG> POP_SIMD_INLINE void exponentials(V shift, std::size_t length) {
    const SoftmaxExp<Tag, BOUNDED, T> e;
    for (std::size_t j = 0; j < length; ++j) {
      const V difference = columns_[j] - shift;
      terms_[j] = e(difference);
      columns_[j] = LOG ? difference : terms_[j];
    }
  }

  V columns_[SHORT_ROW + 1], terms_[SHORT_ROW + 1];
};

template <class Tag, class T>
[[gnu::noinline]] void shortSoftmaxRows(SoftmaxKind kind, const T *in, T *out, std::size_t rows,
                                        std::size_t length) {
  ShortSoftmax<Tag, T>().rows(kind, in, out, rows, length);
}

} // namespace cottonwood::kernels::detail
