/// \file PoolKernel.hpp
/// Sums and maxima of windows; the rules and fields are those of Pool.hpp.
#pragma once

#include <codelets/arch/SimdPairs.hpp>
#include <codelets/popnn/PoolPlanes.hpp>
#include <codelets/popnn/PoolRows.hpp>

namespace cottonwood::kernels {

namespace detail {
/// Sums and maxima: lines are combined into a buffer, neighbours in the buffer into results.
template <class Tag, bool MAX, class T> class PoolRun {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  PoolRun(const PoolGeometry &geometry, PoolKind kind, const T *in, T *out)
      : g_(geometry), kind_(kind), in_(in), out_(out), lines_(geometry), columns_(geometry) {}

  /// Columns [begin, end) of the flattened [...dims, line]; the first one is out[first].
  void run(std::size_t begin, std::size_t end, std::size_t first) {
    const std::size_t length = static_cast<std::size_t>(columns_.line().out), inner = g_.inner;
    const std::size_t block = inner < POOL_INNER ? inner : POOL_INNER;
    const std::size_t most = POOL_BUFFER / block;
    while (begin < end) {
      const std::size_t at = begin % length;
      std::size_t n = length - at < end - begin ? length - at : end - begin;
      n = n < most ? n : most;
      lines_.seek(begin / length);
      const bool isOther = columns_.seek(static_cast<int>(at), static_cast<int>(n));
      if (kind_ == PoolKind::AVERAGE && (isOther || lines_.count() != factorLines_))
        findFactors(n);
      if (isDirect())
        direct(static_cast<int>(n), out_ + (begin - first));
      else
        for (std::size_t i = 0; i < inner; i += block) {
          const std::size_t m = inner - i < block ? inner - i : block;
          chunk(static_cast<int>(n), i, m);
          finish(n, m, out_ + (begin - first) * inner + i);
        }
      begin += n;
    }
  }

private:
  static constexpr float IDENTITY = MAX ? -__builtin_inff() : 0.f;

  POP_SIMD_INLINE static void combineOne(float &a, float b) { a = MAX ? (b > a ? b : a) : a + b; }

  /// Small windows, a step or two apart, of lines of single elements: straight from the lines to
  /// the output, vectors of neighbouring windows.
  bool isDirect() const {
    const PoolDim &line = columns_.line();
    return g_.inner == 1 && !g_.gradient && line.stride <= 2 && lines_.count() >= 1 &&
           lines_.count() <= POOL_LINES &&
           lines_.count() * static_cast<std::size_t>(line.kernel) <= POOL_SMALL;
  }

  void direct(int n, T *out) {
    const T *lines[POOL_LINES];
    const unsigned count = static_cast<unsigned>(lines_.count());
    for (unsigned k = 0; k < count; ++k, lines_.next())
      lines[k] = in_ + lines_.offset();
    const auto run = count == 1   ? &PoolRun::directLines<1>
                     : count == 2 ? &PoolRun::directLines<2>
                     : count == 3 ? &PoolRun::directLines<3>
                                  : &PoolRun::directLines<0>;
    (this->*run)(lines, count, n, out);
  }

  /// All lines combined, load(p) of each. \tparam N  how many there are; 0: `count`
  template <unsigned N, class Load>
  POP_SIMD_INLINE static V acrossLines(const T *const *lines, unsigned count, std::size_t at,
                                       Load load) {
    V sum = V::splat(IDENTITY);
    if constexpr (N != 0)
      arch::unrolled<N>([&](auto k)
                            POP_SIMD_LAMBDA { sum = poolCombine<MAX>(sum, load(lines[k] + at)); });
    else
      for (unsigned k = 0; k < count; ++k)
        sum = poolCombine<MAX>(sum, load(lines[k] + at));
    return sum;
  }

  template <unsigned N> void directLines(const T *const *lines, unsigned count, int n, T *out) {
    const int first = columns_.first(), last = columns_.last();
    for (int c = 0; c < first; ++c)
      directClipped<N>(lines, count, c, out);
    for (int c = last; c < n; ++c)
      directClipped<N>(lines, count, c, out);
    const PoolDim &line = columns_.line();
    const int windows = last - first;
    if (windows == 0)
      return;
    // The elements of all windows.
    const std::size_t from = static_cast<std::size_t>(columns_.begin(first));
    const std::size_t to =
        from + static_cast<std::size_t>((windows - 1) * line.stride + line.kernel);
    // Vectors may read what lies behind the windows, but not behind the input.
    std::size_t lastLine = 0;
    for (unsigned k = 0; k < count; ++k)
      if (const auto offset = static_cast<std::size_t>(lines[k] - in_); offset > lastLine)
        lastLine = offset;
    const std::size_t reach = static_cast<std::size_t>(line.kernel) + 2 * W;
    for (int c = 0; c < windows; c += static_cast<int>(W)) {
      const std::size_t at = from + static_cast<std::size_t>(c * line.stride);
      V sum;
      if (lastLine + at + reach <= lines_.elements())
        sum = windowsAt<N>(lines, count, at,
                           [](const T *p, std::size_t) POP_SIMD_LAMBDA { return V::load(p); });
      else
        sum = windowsAt<N>(lines, count, at, [&](const T *p, std::size_t i) POP_SIMD_LAMBDA {
          return i >= to ? V::zero() : poolLoad<V>(p, to - i);
        });
      directStore(sum, out, first + c, static_cast<std::size_t>(windows - c));
    }
  }

  /// W windows, the first of which begins at element `at`. load(p, i) is the vector at element i.
  template <unsigned N, class Load>
  POP_SIMD_INLINE V windowsAt(const T *const *lines, unsigned count, std::size_t at,
                              Load load) const {
    const auto elements = [&](std::size_t i) POP_SIMD_LAMBDA {
      return acrossLines<N>(lines, count, i,
                            [&](const T *p) POP_SIMD_LAMBDA { return load(p, i); });
    };
    const int kernel = columns_.line().kernel;
    V sum = V::splat(IDENTITY);
    if (columns_.line().stride == 1) {
      for (int k = 0; k < kernel; ++k)
        sum = poolCombine<MAX>(sum, elements(at + static_cast<std::size_t>(k)));
      return sum;
    }
    for (int k = 0; k < kernel; k += 2) {
      const std::size_t i = at + static_cast<std::size_t>(k);
      V even, odd;
      arch::splitPairs(elements(i), elements(i + W), even, odd);
      sum = poolCombine<MAX>(sum, even);
      if (k + 1 < kernel)
        sum = poolCombine<MAX>(sum, odd);
    }
    return sum;
  }

  /// A column at an end of the line.
  template <unsigned N> void directClipped(const T *const *lines, unsigned count, int c, T *out) {
    V sum = V::splat(IDENTITY);
    for (int k = 0; k < columns_.size(c); ++k)
      sum = poolCombine<MAX>(
          sum, acrossLines<N>(lines, count, static_cast<std::size_t>(columns_.begin(c) + k),
                              [](const T *p) POP_SIMD_LAMBDA { return V::loadPartial(p, 1); }));
    directStore(sum, out, c, 1);
  }

  POP_SIMD_INLINE void directStore(V v, T *out, int c, std::size_t n) {
    if (kind_ == PoolKind::AVERAGE)
      v = v * poolLoad<V>(factors_ + c, n);
    if (MAX)
      v = V::max(V::splat(sizeof(T) == 2 ? -65504.f : -__builtin_inff()), v);
    poolStore(v, out + c, n);
  }

  /// Results of the columns, inner elements [i, i + m).
  void chunk(int n, std::size_t i, std::size_t m) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(n) * m; k += W)
      V::splat(IDENTITY).store(results_ + k);
    if (lines_.count() == 0)
      return;
    const int most = static_cast<int>(POOL_BUFFER / m), high = columns_.high();
    for (int begin = columns_.low(); begin < high; begin += most) {
      const int end = high - begin < most ? high : begin + most;
      combineLines(begin, end, i, m);
      const bool isAll = begin == columns_.low() && end == high;
      if (m >= POOL_SHORT)
        combineNeighbours(begin, end, n, m);
      else if (isAll)
        combineShort(begin, n, m);
      else
        combineClipped(begin, end, 0, n, m);
    }
  }

  /// buffer[column - begin][inner] = all input lines combined.
  void combineLines(int begin, int end, std::size_t i, std::size_t m) {
    const T *lines[POOL_LINES];
    float weights[POOL_LINES];
    const std::size_t columns = static_cast<std::size_t>(end - begin);
    const T *origin = in_ + static_cast<std::size_t>(begin) * g_.inner + i;
    for (std::size_t done = 0; done < lines_.count();) {
      unsigned n = 0;
      for (; n < POOL_LINES && done + n < lines_.count(); ++n, lines_.next()) {
        lines[n] = origin + lines_.offset();
        if (kind_ == PoolKind::AVERAGE_GRADIENT)
          weights[n] = 1 / lines_.windowElements();
      }
      if (m == g_.inner)
        addLines(lines, weights, n, done == 0, columns * m, buffer_);
      else
        for (std::size_t c = 0; c < columns; ++c) {
          addLines(lines, weights, n, done == 0, m, buffer_ + c * m);
          for (unsigned k = 0; k < n; ++k)
            lines[k] += g_.inner;
        }
      done += n;
    }
    if (kind_ == PoolKind::AVERAGE_GRADIENT)
      weighColumns(begin, columns, m);
  }

  void addLines(const T *const *lines, const float *weights, unsigned n, bool isFirst,
                std::size_t length, float *buffer) {
    const bool weighted = kind_ == PoolKind::AVERAGE_GRADIENT;
    if (isFirst && !weighted && n >= 1 && n <= 3)
      return n == 1   ? addFewLines<1>(lines, length, buffer)
             : n == 2 ? addFewLines<2>(lines, length, buffer)
                      : addFewLines<3>(lines, length, buffer);
    for (std::size_t i = 0; i < length; i += W) {
      const std::size_t m = length - i;
      V sum = isFirst ? V::splat(IDENTITY) : poolLoad<V>(buffer + i, m);
      if (!MAX && weighted)
        for (unsigned k = 0; k < n; ++k)
          sum = V::fma(poolLoad<V>(lines[k] + i, m), V::splat(weights[k]), sum);
      else
        for (unsigned k = 0; k < n; ++k)
          sum = poolCombine<MAX>(sum, poolLoad<V>(lines[k] + i, m));
      poolStore(sum, buffer + i, m);
    }
  }

  /// The same for all lines of small windows. Beyond the end lies more buffer.
  template <unsigned N>
  static void addFewLines(const T *const *lines, std::size_t length, float *buffer) {
    const auto add = [&](std::size_t i, auto load) POP_SIMD_LAMBDA {
      V sum = V::splat(IDENTITY);
      arch::unrolled<N>([&](auto k)
                            POP_SIMD_LAMBDA { sum = poolCombine<MAX>(sum, load(lines[k] + i)); });
      sum.store(buffer + i);
    };
    std::size_t i = 0;
    for (; i + W <= length; i += W)
      add(i, [](const T *p) POP_SIMD_LAMBDA { return V::load(p); });
    if (i < length)
      add(i, [&](const T *p) POP_SIMD_LAMBDA { return V::loadPartial(p, length - i); });
  }

  /// Divides windows by the number of their elements along the line.
  void weighColumns(int begin, std::size_t columns, std::size_t m) {
    const PoolDim &line = columns_.line();
    if (weightsBegin_ != begin || weightsCount_ != columns) {
      weightsBegin_ = begin, weightsCount_ = columns;
      for (std::size_t c = 0; c < columns; ++c)
        factors_[c] = 1 / static_cast<float>(
                              poolWindow(line, begin + static_cast<int>(c) + line.inBase).size());
    }
    scaleColumns(buffer_, columns, m);
  }

  void findFactors(std::size_t n) {
    factorLines_ = lines_.count();
    for (std::size_t c = 0; c < n; ++c) {
      const float elements =
          static_cast<float>(factorLines_) * static_cast<float>(columns_.size(static_cast<int>(c)));
      // A window without elements stays 0.
      factors_[c] = elements > 0 ? 1 / elements : 1.f;
    }
  }

  /// Each column times its factor.
  void scaleColumns(float *p, std::size_t columns, std::size_t m) {
    if (m == 1) {
      for (std::size_t c = 0; c < columns; c += W)
        (V::load(p + c) * V::load(factors_ + c)).store(p + c); // beyond the end lies more buffer
      return;
    }
    for (std::size_t c = 0; c < columns; ++c, p += m)
      for (std::size_t i = 0; i < m; i += W)
        poolStore(poolLoad<V>(p + i, m - i) * V::splat(factors_[c]), p + i, m - i);
  }

  /// Many inner elements: vectors of them. The buffer holds inputs [begin, end) of the line.
  void combineNeighbours(int begin, int end, int n, std::size_t m) {
    for (int c = 0; c < n; ++c) {
      const PoolRange r = clipped(c, begin, end);
      const float *p = buffer_ + static_cast<std::size_t>(r.begin - begin) * m;
      float *result = results_ + static_cast<std::size_t>(c) * m;
      for (std::size_t i = 0; i < m && r.size(); i += W) {
        V sum = poolLoad<V>(result + i, m - i);
        for (int k = 0; k < r.size(); ++k)
          sum = poolCombine<MAX>(sum, poolLoad<V>(p + static_cast<std::size_t>(k) * m + i, m - i));
        poolStore(sum, result + i, m - i);
      }
    }
  }

  PoolRange clipped(int c, int begin, int end) const {
    const int from = columns_.begin(c), to = from + columns_.size(c);
    return {from > begin ? from : begin, to < end ? to : end};
  }

  /// Few inner elements: along the line, one place of the windows after another.
  void combineShort(int begin, int n, std::size_t m) {
    if (m == 1 && g_.gradient) {
      const std::size_t step = static_cast<std::size_t>(columns_.line().stride);
      return columns_.forWindows([&](int column, int window, std::size_t count) POP_SIMD_LAMBDA {
        float *results = results_ + column;
        const float *p = buffer_ + (window - begin);
        for (std::size_t k = 0; k < count; ++k)
          combineOne(results[k * step], p[k]);
      });
    }
    const int first = columns_.first(), last = columns_.last();
    const int end = columns_.high();
    combineClipped(begin, end, 0, first, m);
    combineClipped(begin, end, last, n, m);
    if (first == last)
      return;
    const std::size_t count = static_cast<std::size_t>(last - first);
    const std::size_t step = static_cast<std::size_t>(columns_.line().stride) * m;
    float *results = results_ + static_cast<std::size_t>(first) * m;
    const float *p = buffer_ + static_cast<std::size_t>(columns_.begin(first) - begin) * m;
    for (int k = 0; k < columns_.line().kernel; ++k, p += m) {
      if (step == m) {
        // Neighbouring windows are one element further on.
        for (std::size_t c = 0; c < count * m; c += W)
          poolStore(poolCombine<MAX>(poolLoad<V>(results + c, count * m - c),
                                     poolLoad<V>(p + c, count * m - c)),
                    results + c, count * m - c);
      } else if (m == 1) {
        for (std::size_t c = 0; c < count; ++c)
          combineOne(results[c], p[c * step]);
      } else {
        for (std::size_t c = 0; c < count; ++c)
          for (std::size_t i = 0; i < m; ++i)
            combineOne(results[c * m + i], p[c * step + i]);
      }
    }
  }

  /// Columns [first, last), each with its own range.
  void combineClipped(int begin, int end, int first, int last, std::size_t m) {
    for (int c = first; c < last; ++c) {
      const PoolRange r = clipped(c, begin, end);
      float *result = results_ + static_cast<std::size_t>(c) * m;
      const float *p = buffer_ + static_cast<std::size_t>(r.begin - begin) * m;
      for (int k = 0; k < r.size(); ++k)
        for (std::size_t i = 0; i < m; ++i)
          combineOne(result[i], p[static_cast<std::size_t>(k) * m + i]);
    }
  }

  void finish(std::size_t n, std::size_t m, T *out) {
    if (kind_ == PoolKind::AVERAGE)
      scaleColumns(results_, n, m);
    const V least = V::splat(sizeof(T) == 2 ? -65504.f : -__builtin_inff());
    const std::size_t runs = m == g_.inner ? 1 : n, length = m == g_.inner ? n * m : m;
    for (std::size_t r = 0; r < runs; ++r, out += g_.inner)
      for (std::size_t i = 0; i < length; i += W) {
        V v = poolLoad<V>(results_ + r * length + i, length - i);
        if (MAX)
          v = V::max(least, v);
        poolStore(v, out + i, length - i);
      }
  }

  const PoolGeometry &g_;
  PoolKind kind_;
  const T *in_;
  T *out_;
  PoolLines<Tag> lines_;
  PoolColumns<Tag> columns_;
  std::size_t factorLines_ = 0, weightsCount_ = 0;
  int weightsBegin_ = -1;
  // Whole vectors are stored beyond the last element.
  alignas(64) float results_[POOL_BUFFER + 16];
  alignas(64) float buffer_[POOL_BUFFER + 16];
  alignas(64) float factors_[POOL_BUFFER + 16];
};

template <class Tag, bool MAX, class T>
void poolColumns(const PoolGeometry &geometry, PoolKind kind, const T *in, T *out,
                 std::size_t begin, std::size_t end, std::size_t first) {
  const auto lines = [&](std::size_t from, std::size_t to) {
    PoolRun<Tag, MAX, T>(geometry, kind, in, out).run(from, to, first);
  };
  if constexpr (simd<float, Tag>::width > 1)
    if (const PoolPlane<Tag> plane(geometry); plane.fits()) {
      const auto rows = [&](std::size_t from, std::size_t to) {
        using Run = PoolRowsRun<Tag, MAX, T>;
        const std::size_t length = static_cast<std::size_t>(plane.column.out);
        forWholeRows(
            plane, Run::fits(plane, geometry.gradient), from, to,
            [&](std::size_t y, std::size_t yEnd) {
              Run(plane, kind, in).run(y, yEnd, out + (y * length - first));
            },
            lines);
      };
      if (!isPoolPlaneSmall(plane))
        return rows(begin, end);
      PoolPlanesRun<Tag, MAX, T> run(plane, kind);
      return forPlanes<Tag>(
          plane.outputs(), begin, end,
          [&](std::size_t i) {
            run.run(in + i * plane.inputs(), out + (i * plane.outputs() - first));
          },
          rows);
    }
  lines(begin, end);
}
} // namespace detail

/// Columns [begin, end) of the box, the first column of `out` being `first`.
template <class Tag, class T>
void pool(const PoolGeometry &geometry, PoolKind kind, const T *in, T *out, std::size_t begin,
          std::size_t end, std::size_t first) {
  if (begin >= end)
    return;
  if (kind == PoolKind::MAX)
    detail::poolColumns<Tag, true>(geometry, kind, in, out, begin, end, first);
  else
    detail::poolColumns<Tag, false>(geometry, kind, in, out, begin, end, first);
}

} // namespace cottonwood::kernels
