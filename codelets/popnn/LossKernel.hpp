/// \file LossKernel.hpp
/// Losses of one row against its label; the rules are those of Loss.hpp.
#pragma once

#include <codelets/arch/SimdColumns.hpp>
#include <codelets/popnn/SoftmaxKernel.hpp>

namespace cottonwood::kernels {

/// The label of a row that does not count.
inline constexpr std::uint32_t MASKED_LABEL = 0xffffffffu;

namespace detail {
/// Keeps the logarithm of a probability 0 finite: the smallest normal float, the smallest half.
template <class T> inline constexpr float LOG_EPSILON = 1.17549435e-38f;
template <> inline constexpr float LOG_EPSILON<half> = 5.9605e-8f;

template <class Tag, class T> POP_SIMD_INLINE void storeOne(T *p, float value) {
  using V = simd<float, Tag>;
  V::splat(value).storePartial(p, 1);
}

template <class Tag, class T> POP_SIMD_INLINE float loadOne(const T *p) {
  return simd<float, Tag>::loadPartial(p, 1).first();
}

template <class Tag, class T> POP_SIMD_INLINE void zeroRow(T *deltas, T *loss, std::size_t n) {
  __builtin_memset(deltas, 0, n * sizeof(T));
  __builtin_memset(loss, 0, sizeof(T));
}
} // namespace detail

/// A label among classes first, first + 1, ...; one beyond all classes stays so.
POP_SIMD_INLINE std::uint32_t labelFrom(std::uint32_t label, std::uint32_t first) {
  return label == MASKED_LABEL ? label : label < first ? MASKED_LABEL - 1 : label - first;
}

template <class Tag, class T>
void crossEntropyRow(const T *outputs, std::uint32_t label, T *deltas, T *loss, std::size_t n,
                     float deltasScale, float outputScaling) {
  using V = simd<float, Tag>;
  if (label == MASKED_LABEL)
    return detail::zeroRow<Tag>(deltas, loss, n);
  const float factor = deltasScale / outputScaling;
  const bool isClass = label < n;
  const float probability = isClass ? detail::loadOne<Tag>(outputs + label) : 0.f;
  detail::transformRow<Tag>(outputs, deltas, n,
                            [&](V x, std::size_t) POP_SIMD_LAMBDA { return x * V::splat(factor); });
  if (!isClass)
    return detail::storeOne<Tag>(loss, 0.f);
  detail::storeOne<Tag>(deltas + label, (probability - outputScaling) * factor);
  const V value = math::log(V::splat(outputScaling)) -
                  math::log(V::splat(probability + detail::LOG_EPSILON<T>));
  value.storePartial(loss, 1);
}

template <class Tag, class T>
void sumSquaredRow(const T *outputs, std::uint32_t label, T *deltas, T *loss, std::size_t n) {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  if (label == MASKED_LABEL)
    return detail::zeroRow<Tag>(deltas, loss, n);
  const I target = I::splat(static_cast<std::int32_t>(label));
  const auto delta = [=](V x, std::size_t i) POP_SIMD_LAMBDA {
    const auto hit = I::iota() + I::splat(static_cast<std::int32_t>(i)) == target;
    return x - V::select(hit, V::splat(1.f), V::zero());
  };
  const float sum = detail::reduceLongRow<Tag, ReduceOp::SQUARE_ADD>(outputs, n, delta);
  detail::transformRow<Tag>(outputs, deltas, n, delta);
  detail::storeOne<Tag>(loss, 0.5f * sum);
}

/// True if the first maximum of the row is at `label`.
template <class Tag, class T>
bool isCorrectRow(const T *outputs, std::uint32_t label, std::size_t n) {
  using V = simd<float, Tag>;
  if (label >= n)
    return false;
  const float largest = detail::boundsOfRow<Tag>(outputs, n).most;
  if (detail::loadOne<Tag>(outputs + label) != largest)
    return false;
  for (std::size_t i = 0; i < label; i += V::width) {
    const std::size_t m = label - i < V::width ? label - i : V::width;
    const auto inside = simd<std::int32_t, Tag>::iota() <
                        simd<std::int32_t, Tag>::splat(static_cast<std::int32_t>(m));
    if (((V::loadPartial(outputs + i, m) == V::splat(largest)) & inside).any())
      return false;
  }
  return true;
}

/// Rows up to this length are taken as many at a time as a vector has lanes by isCorrectColumns().
template <class Tag> inline constexpr std::size_t CORRECT_COLUMNS = 2 * simd<float, Tag>::width;

/// isCorrectRow() of as many rows as a vector has lanes, of 1 to CORRECT_COLUMNS elements.
template <class Tag, class T>
[[gnu::noinline]] void isCorrectColumns(const T *outputs, const std::int32_t *labels, std::size_t n,
                                        std::int32_t *correct) {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  V columns[CORRECT_COLUMNS<Tag>];
  arch::loadColumns<Tag>(outputs, n, columns);
  const V least = V::splat(-__builtin_inff());
  V largest = least;
  I first = I::splat(-1);
  const auto where = [](std::size_t j)
                         POP_SIMD_LAMBDA { return I::splat(static_cast<std::int32_t>(j)); };
  for (std::size_t j = 0; j < n; ++j) {
    first = I::select(columns[j] > largest, where(j), first);
    largest = V::max(columns[j], largest);
  }
  if ((first < I::zero()).any()) // nothing but NaN, or minus infinities among them
    for (std::size_t j = n; j-- != 0;)
      first = I::select((largest == least) & (columns[j] == least), where(j), first);
  const auto hit = (first == I::load(labels)) & (first >= I::zero());
  I::select(hit, I::splat(1), I::zero()).store(correct);
}

} // namespace cottonwood::kernels
