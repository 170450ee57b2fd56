/// \file PoolLines.hpp
/// Which lines and which of their elements windows hold; the rules and fields are those of
/// Pool.hpp.
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
/// Windows of at most so many elements are read from the lines themselves.
inline constexpr std::size_t POOL_SMALL = 32;
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

/// What each of `count` equal elements takes of a gradient; 0 if there are none.
template <class V> POP_SIMD_INLINE V poolShareOf(V gradient, V count) {
  return V::select(count == V::zero(), V::zero(), gradient / V::max(count, V::splat(1.f)));
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
    elements_ = stride;
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
  /// Of the whole input.
  std::size_t elements() const { return elements_; }
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
  std::size_t count_ = 0, elements_ = 0;
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
} // namespace detail

} // namespace cottonwood::kernels
