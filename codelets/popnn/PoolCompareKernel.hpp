/// \file PoolCompareKernel.hpp
/// Gradients of the maxima of windows; the rules and fields are those of Pool.hpp.
#pragma once

#include <codelets/popnn/PoolCompareRows.hpp>
#include <codelets/popnn/PoolPlanes.hpp>

namespace cottonwood::kernels::detail {

/// Comparisons of elements with their windows' maxima. COUNT: out = gradient / number of elements
/// equal to the maximum, for windows; else the sum of gradients of windows whose maximum an element
/// is, for elements.
template <class Tag, bool COUNT, class T> class PoolCompareRun {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  /// \param own    of the outputs: elements before pooling, or maxima if COUNT
  /// \param other  of the inputs: the others of them
  /// \param gradient  of windows
  PoolCompareRun(const PoolGeometry &geometry, const T *own, const T *other, const T *gradient,
                 T *out)
      : g_(geometry), own_(own), other_(other), gradient_(gradient), out_(out), lines_(geometry),
        columns_(geometry) {}

  /// As PoolRun::run; `own` and, if COUNT, `gradient` begin where `out` does.
  void run(std::size_t begin, std::size_t end, std::size_t first) {
    const std::size_t length = static_cast<std::size_t>(columns_.line().out), inner = g_.inner;
    const std::size_t most = inner < POOL_SHORT ? POOL_BUFFER / POOL_SHORT : POOL_BUFFER;
    while (begin < end) {
      const std::size_t at = begin % length;
      std::size_t n = length - at < end - begin ? length - at : end - begin;
      n = n < most ? n : most;
      lines_.seek(begin / length);
      columns_.seek(static_cast<int>(at), static_cast<int>(n));
      if (inner < POOL_SHORT)
        shortColumns(n, (begin - first) * inner);
      else
        for (std::size_t c = 0; c < n; ++c)
          column(static_cast<int>(c), (begin - first + c) * inner);
      begin += n;
    }
  }

private:
  /// Many inner elements: vectors of them, over all windows.
  void column(int c, std::size_t own) {
    for (std::size_t i = 0; i < g_.inner; i += W) {
      const std::size_t m = g_.inner - i;
      const V x = poolLoad<V>(own_ + own + i, m);
      V sum = V::zero();
      for (std::size_t k = 0; k < lines_.count(); ++k, lines_.next()) {
        std::size_t at =
            lines_.offset() + i + static_cast<std::size_t>(columns_.begin(c)) * g_.inner;
        for (int j = 0; j < columns_.size(c); ++j, at += g_.inner) {
          const V term = COUNT ? V::splat(1.f) : poolLoad<V>(gradient_ + at, m);
          sum = sum + V::select(poolLoad<V>(other_ + at, m) == x, term, V::zero());
        }
      }
      store(sum, own + i, m);
    }
  }

  /// Few inner elements: along the line, one place of the windows after another.
  void shortColumns(std::size_t n, std::size_t own) {
    const std::size_t inner = g_.inner, all = n * inner;
    copy(own_ + own, all, x_);
    for (std::size_t i = 0; i < all; i += W)
      V::zero().store(sums_ + i);
    constexpr int MOST = static_cast<int>(POOL_BUFFER / POOL_SHORT);
    for (std::size_t k = 0; k < lines_.count(); ++k, lines_.next())
      for (int begin = columns_.low(); begin < columns_.high(); begin += MOST) {
        const int end = columns_.high() - begin < MOST ? columns_.high() : begin + MOST;
        const std::size_t at = lines_.offset() + static_cast<std::size_t>(begin) * inner;
        copy(other_ + at, static_cast<std::size_t>(end - begin) * inner, others_);
        if (!COUNT)
          copy(gradient_ + at, static_cast<std::size_t>(end - begin) * inner, gradients_);
        const bool isAll = begin == columns_.low() && end == columns_.high();
        if (!COUNT && inner == 1 && isAll)
          compareWindows(begin);
        else
          for (std::size_t c = 0; c < n; ++c)
            compare(static_cast<int>(c), begin, end);
      }
    for (std::size_t i = 0; i < all; i += W)
      store(V::load(sums_ + i), own + i, all - i);
  }

  /// One inner element, for gradients: windows that are a stride apart side by side.
  void compareWindows(int begin) {
    const std::size_t step = static_cast<std::size_t>(columns_.line().stride);
    columns_.forWindows([&](int column, int window, std::size_t count) POP_SIMD_LAMBDA {
      float *sums = sums_ + column;
      const float *x = x_ + column, *largest = others_ + (window - begin);
      const float *gradients = gradients_ + (window - begin);
      for (std::size_t k = 0; k < count; ++k)
        sums[k * step] += largest[k] == x[k * step] ? gradients[k] : 0.f;
    });
  }

  POP_SIMD_INLINE void compare(int c, int begin, int end) {
    const std::size_t inner = g_.inner;
    const int from = columns_.begin(c), to = from + columns_.size(c);
    for (int j = from > begin ? from : begin; j < (to < end ? to : end); ++j)
      for (std::size_t i = 0; i < inner; ++i) {
        const std::size_t own = static_cast<std::size_t>(c) * inner + i;
        const std::size_t other = static_cast<std::size_t>(j - begin) * inner + i;
        const float term = COUNT ? 1.f : gradients_[other];
        sums_[own] += others_[other] == x_[own] ? term : 0.f;
      }
  }

  void copy(const T *from, std::size_t n, float *to) {
    for (std::size_t i = 0; i < n; i += W)
      poolLoad<V>(from + i, n - i).store(to + i);
  }

  void store(V sum, std::size_t at, std::size_t m) {
    if (COUNT)
      sum = poolShareOf(poolLoad<V>(gradient_ + at, m), sum);
    poolStore(sum, out_ + at, m);
  }

  const PoolGeometry &g_;
  const T *own_, *other_, *gradient_;
  T *out_;
  PoolLines<Tag> lines_;
  PoolColumns<Tag> columns_;
  alignas(64) float x_[POOL_BUFFER + 16], sums_[POOL_BUFFER + 16];
  alignas(64) float others_[POOL_BUFFER + 16], gradients_[POOL_BUFFER + 16];
};

/// What COUNT gives columns [begin, end) that belong to planes; lines(begin, end) takes others.
template <class Tag, class T, class Lines>
void poolScalePlanes(const PoolPlane<Tag> &plane, const T *pooled, const T *acts, const T *gradient,
                     T *out, std::size_t begin, std::size_t end, std::size_t first, Lines lines) {
  const auto rows = [&](std::size_t from, std::size_t to) {
    using Run = PoolScaleRows<Tag, T>;
    const std::size_t length = static_cast<std::size_t>(plane.column.out);
    const auto whole = [&](std::size_t y, std::size_t yEnd) {
      const std::size_t at = y * length - first;
      Run(plane, acts).run(y, yEnd, pooled + at, gradient + at, out + at);
    };
    forWholeRows(plane, Run::fits(plane), from, to, whole, lines);
  };
  if (!isPoolPlaneSmall(plane))
    return rows(begin, end);
  PoolScalePlanes<Tag, T> run(plane);
  const auto planes = [&](std::size_t i) {
    const std::size_t at = i * plane.outputs() - first;
    run.run(pooled + at, acts + i * plane.inputs(), gradient + at, out + at);
  };
  forPlanes<Tag>(plane.outputs(), begin, end, planes, rows);
}

/// The same for the gradients of elements.
template <class Tag, class T, class Lines>
void poolSpreadPlanes(const PoolPlane<Tag> &plane, const T *acts, const T *pooled,
                      const T *gradient, T *out, std::size_t begin, std::size_t end,
                      std::size_t first, Lines lines) {
  const std::size_t length = static_cast<std::size_t>(plane.column.out);
  const auto rows = [&](std::size_t from, std::size_t to) {
    using Run = PoolSpreadRows<Tag, T>;
    const auto whole = [&](std::size_t y, std::size_t yEnd) {
      const std::size_t at = y * length - first;
      Run(plane, pooled, gradient).run(y, yEnd, acts + at, out + at);
    };
    forWholeRows(plane, Run::fits(plane), from, to, whole, lines);
  };
  PoolSpreadPlanes<Tag, T> run(plane);
  if (!run.fits())
    return rows(begin, end);
  const auto whole = [&](std::size_t i, std::size_t iEnd) {
    const std::size_t at = i * plane.outputs() - first;
    run.run(i, iEnd, acts + at, pooled, gradient, out + at);
  };
  forWholeBlocks(plane.outputs(), begin, end, whole, rows);
}

/// Columns [begin, end) of the box, `own`, `out` and, if COUNT, `gradient` being those of column
/// `first` on.
template <class Tag, bool COUNT, class T>
void poolCompare(const PoolGeometry &geometry, const T *own, const T *other, const T *gradient,
                 T *out, std::size_t begin, std::size_t end, std::size_t first) {
  if (begin >= end)
    return;
  const auto lines = [&](std::size_t from, std::size_t to) {
    PoolCompareRun<Tag, COUNT, T>(geometry, own, other, gradient, out).run(from, to, first);
  };
  if constexpr (simd<float, Tag>::width > 1)
    if (const PoolPlane<Tag> plane(geometry); plane.fits()) {
      if constexpr (COUNT)
        poolScalePlanes(plane, own, other, gradient, out, begin, end, first, lines);
      else
        poolSpreadPlanes(plane, own, other, gradient, out, begin, end, first, lines);
      return;
    }
  lines(begin, end);
}

} // namespace cottonwood::kernels::detail
