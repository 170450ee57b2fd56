/// \file PoolKernel.hpp
/// Windows over lines: the rules and fields are those of Pool.hpp.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

enum class PoolKind : std::uint8_t {
  MAX,
  SUM,
  AVERAGE,         ///< sum over the window's elements
  SUM_GRADIENT,    ///< windows that hold an element, added
  AVERAGE_GRADIENT ///< each divided by the number of its elements
};

/// One dimension of outputs and inputs. A vertex has a box of both: `out` elements from outBase on,
/// `in` from inBase on.
struct PoolDim {
  int out, outBase, in, inBase;
  int kernel, stride, padding;
  int acts;   ///< size of the whole dimension before pooling
  int pooled; ///< and after
};
inline constexpr unsigned POOL_DIM_WORDS = 9;

struct PoolRange {
  int begin, end; ///< empty if end <= begin
  POP_SIMD_INLINE int size() const { return end > begin ? end - begin : 0; }
};

/// Elements before pooling that are in window i.
POP_SIMD_INLINE PoolRange poolWindow(const PoolDim &d, int i) {
  const int first = i * d.stride - d.padding, last = first + d.kernel;
  return {first > 0 ? first : 0, last < d.acts ? last : d.acts};
}

/// Windows that hold element i before pooling.
POP_SIMD_INLINE PoolRange poolWindowsOf(const PoolDim &d, int i) {
  const int last = i + d.padding, first = last - d.kernel;
  const int begin = first < 0 ? 0 : first / d.stride + 1;
  const int end = last < 0 ? 0 : last / d.stride + 1;
  return {begin, end < d.pooled ? end : d.pooled};
}

/// A block [...dims, line, inner] of memory on both sides; the last of `dims` is the line.
struct PoolGeometry {
  const int *table; ///< POOL_DIM_WORDS for each dimension
  unsigned dims;
  unsigned inner;
  bool gradient; ///< outputs are elements before pooling, inputs are pooled

  POP_SIMD_INLINE PoolDim dim(unsigned d) const {
    const int *w = table + POOL_DIM_WORDS * d;
    return {w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]};
  }
  /// Inputs of the box that output i of the box reads.
  POP_SIMD_INLINE PoolRange range(const PoolDim &d, int i) const {
    const PoolRange r = gradient ? poolWindowsOf(d, i + d.outBase) : poolWindow(d, i + d.outBase);
    return {r.begin - d.inBase, r.end - d.inBase};
  }
};

namespace detail {
inline constexpr unsigned POOL_MAX_DIMS = 32;
/// Floats of a buffer: results and parts of lines stay in L1.
inline constexpr std::size_t POOL_BUFFER = 2048;
/// Inner elements treated at a time.
inline constexpr std::size_t POOL_INNER = 256;
/// Fewer inner elements are treated one by one, along the line.
inline constexpr std::size_t POOL_SHORT = 8;
/// Lines that are combined in one pass over the buffer.
inline constexpr unsigned POOL_LINES = 8;

template <class V, class T> POP_SIMD_INLINE V poolLoad(const T *p, std::size_t n) {
  return n >= static_cast<std::size_t>(V::width) ? V::load(p) : V::loadPartial(p, n);
}
template <class V, class T> POP_SIMD_INLINE void poolStore(V v, T *p, std::size_t n) {
  if (n >= static_cast<std::size_t>(V::width))
    v.store(p);
  else
    v.storePartial(p, n);
}

/// NaN in b leaves a, as in popops::reduce.
template <bool MAX, class V> POP_SIMD_INLINE V poolCombine(V a, V b) {
  return MAX ? V::max(b, a) : a + b;
}

/// Where the outer dimensions stand, and all combinations of inputs that they read.
template <class Tag> class PoolLines {
public:
  explicit PoolLines(const PoolGeometry &geometry) : g_(geometry), outer_(geometry.dims - 1) {
    std::size_t stride = std::size_t{geometry.inner};
    for (unsigned d = geometry.dims; d-- > 0;) {
      strides_[d] = stride;
      stride *= static_cast<std::size_t>(geometry.dim(d).in);
    }
  }

  /// \param line  index of the line among the outputs of the box.
  void seek(std::size_t line) {
    count_ = 1;
    for (unsigned d = outer_; d-- > 0;) {
      const PoolDim dim = g_.dim(d);
      ranges_[d] = g_.range(dim, static_cast<int>(line % static_cast<std::size_t>(dim.out)));
      line /= static_cast<std::size_t>(dim.out);
      count_ *= static_cast<std::size_t>(ranges_[d].size());
      at_[d] = ranges_[d].begin;
    }
  }
  /// Input lines that the outputs of this one read.
  std::size_t count() const { return count_; }
  std::size_t offset() const {
    std::size_t offset = 0;
    for (unsigned d = 0; d < outer_; ++d)
      offset += static_cast<std::size_t>(at_[d]) * strides_[d];
    return offset;
  }
  /// The elements of a window at the current input line.
  float windowElements() const {
    float elements = 1;
    for (unsigned d = 0; d < outer_; ++d) {
      const PoolDim dim = g_.dim(d);
      elements *= static_cast<float>(poolWindow(dim, at_[d] + dim.inBase).size());
    }
    return elements;
  }
  void next() {
    for (unsigned d = outer_; d-- > 0;) {
      if (++at_[d] < ranges_[d].end)
        return;
      at_[d] = ranges_[d].begin;
    }
  }

private:
  const PoolGeometry &g_;
  unsigned outer_;
  std::size_t count_ = 0;
  std::size_t strides_[POOL_MAX_DIMS];
  PoolRange ranges_[POOL_MAX_DIMS];
  int at_[POOL_MAX_DIMS];
};

/// Which inputs of a line the outputs of some columns read. The same for all lines, so that it is
/// computed once for lines that fit.
template <class Tag> class PoolColumns {
public:
  explicit PoolColumns(const PoolGeometry &geometry)
      : g_(geometry), line_(geometry.dim(geometry.dims - 1)) {}

  const PoolDim &line() const { return line_; }
  /// Columns [column, column + n), n <= POOL_BUFFER. \returns whether they are other ones than
  /// before.
  bool seek(int column, int n) {
    if (column == column_ && n == n_)
      return false;
    column_ = column, n_ = n;
    low_ = 0x7fffffff, high_ = 0;
    for (int c = 0; c < n; ++c) {
      const PoolRange r = g_.range(line_, column + c);
      begin_[c] = r.begin, size_[c] = r.size();
      if (size_[c]) {
        low_ = r.begin < low_ ? r.begin : low_;
        high_ = r.end > high_ ? r.end : high_;
      }
    }
    // Columns with whole windows, each a stride behind the one before.
    first_ = 0, last_ = 0;
    if (!g_.gradient) {
      while (first_ < n && size_[first_] != line_.kernel)
        ++first_;
      for (last_ = first_; last_ < n && size_[last_] == line_.kernel;)
        ++last_;
    }
    return true;
  }

  /// For gradients: f(column, window, count) for runs of columns a stride apart and windows next to
  /// each other that hold them. Each column meets its windows in order.
  template <class F> POP_SIMD_INLINE void forWindows(F f) const {
    const int stride = line_.stride;
    for (int c = 0; c < stride && c < n_; ++c) {
      const int place = column_ + c + line_.outBase + line_.padding;
      const int rest = (place % stride + stride) % stride, count = (n_ - c - 1) / stride + 1;
      for (int back = rest < line_.kernel ? (line_.kernel - 1 - rest) / stride : -1; back >= 0;
           --back) {
        const int window = (place - rest) / stride - back;
        const int from = window < 0 ? -window : 0;
        const int to = line_.pooled - window < count ? line_.pooled - window : count;
        if (from < to)
          f(c + from * stride, window + from - line_.inBase, static_cast<std::size_t>(to - from));
      }
    }
  }

  int begin(int c) const { return begin_[c]; }
  int size(int c) const { return size_[c]; }
  /// The range of all inputs.
  int low() const { return low_; }
  int high() const { return high_; }
  /// Columns [first, last) have whole windows; none for gradients.
  int first() const { return first_; }
  int last() const { return last_; }

private:
  const PoolGeometry &g_;
  PoolDim line_;
  int column_ = -1, n_ = -1, low_ = 0, high_ = 0, first_ = 0, last_ = 0;
  int begin_[POOL_BUFFER], size_[POOL_BUFFER];
};

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
    if (COUNT) {
      const V g = poolLoad<V>(gradient_ + at, m);
      sum = V::select(sum == V::zero(), V::zero(), g / sum);
    }
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
} // namespace detail

/// Columns [begin, end) of the box, the first column of `out` being `first`.
template <class Tag, class T>
void pool(const PoolGeometry &geometry, PoolKind kind, const T *in, T *out, std::size_t begin,
          std::size_t end, std::size_t first) {
  if (begin >= end)
    return;
  if (kind == PoolKind::MAX)
    detail::PoolRun<Tag, true, T>(geometry, kind, in, out).run(begin, end, first);
  else
    detail::PoolRun<Tag, false, T>(geometry, kind, in, out).run(begin, end, first);
}

} // namespace cottonwood::kernels
