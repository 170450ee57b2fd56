/// \file Finish.hpp
/// What kernels do with finished sums: store them, or hand them to an epilogue on the way.
///
/// A Finish has
///   ACTIVE     false if sums that already lie in C as floats can stay as they are
///   row<Tag>(sums, n, to, step, i, j)      to[x * step] = result of sums[x] for element (i, j + x)
///   column<Tag>(sums, n, to, step, i, j)   the same for element (i + x, j)
/// of the part of the result that the kernel was given; `sums` may be `to` itself. Every element is
/// finished once, from a sum that was not rounded to the result's type.
#pragma once

#include <codelets/poplin/MatMulPack.hpp>

namespace cottonwood::kernels {

/// Rounds sums to the type of the result.
struct StoreSums {
  static constexpr bool ACTIVE = false;

  template <class Tag, class TOut>
  POP_SIMD_INLINE void row(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                           std::size_t, std::size_t) const {
    detail::copyFromFloat<Tag>(sums, n, to, step);
  }
  template <class Tag, class TOut>
  POP_SIMD_INLINE void column(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                              std::size_t, std::size_t) const {
    detail::copyFromFloat<Tag>(sums, n, to, step);
  }
};

namespace detail {

/// The finish of the transposed result.
template <class Finish> struct TransposedFinish {
  static constexpr bool ACTIVE = Finish::ACTIVE;
  const Finish &finish;

  template <class Tag, class TOut>
  POP_SIMD_INLINE void row(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                           std::size_t i, std::size_t j) const {
    finish.template column<Tag>(sums, n, to, step, j, i);
  }
  template <class Tag, class TOut>
  POP_SIMD_INLINE void column(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                              std::size_t i, std::size_t j) const {
    finish.template row<Tag>(sums, n, to, step, j, i);
  }
};

} // namespace detail

} // namespace cottonwood::kernels
