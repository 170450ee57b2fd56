/// \file PoolRows.hpp
/// Planes a row at a time: vectors along rows with what reaches beyond their ends beside them. The
/// rules and fields are those of Pool.hpp.
#pragma once

#include <codelets/arch/SimdPairs.hpp>
#include <codelets/popnn/PoolPlane.hpp>

namespace cottonwood::kernels::detail {

/// Floats of rows with their margins.
inline constexpr std::size_t POOL_MARGINED = 8192;

/// Runs of rows of one plane after another.
template <class F> POP_SIMD_INLINE void forRows(std::size_t begin, std::size_t end, int rows, F f) {
  const std::size_t n = static_cast<std::size_t>(rows);
  std::size_t plane = begin / n;
  int y = static_cast<int>(begin % n);
  for (std::size_t line = begin; line < end; ++line) {
    f(plane, y, line - begin);
    if (++y == rows)
      y = 0, ++plane;
  }
}

/// Which windows hold the elements of a row: those of a vector, from one of them on, are neighbours
/// of which each holds `stride` lanes.
template <class Tag> class PoolLanes {
  using V = simd<float, Tag>;
  using Int = simd<std::int32_t, Tag>;
  static constexpr int W = V::width;

public:
  explicit PoolLanes(const PoolDim &d)
      : stride_(d.stride), padding_(d.padding), back_((d.kernel - 1) / d.stride),
        step_(W / d.stride * d.stride), windowStep_(W / d.stride), window_(d.padding / d.stride) {
    std::int32_t windows[W], held[W];
    const int phase = padding_ % stride_;
    for (int i = 0; i < W; ++i) {
      windows[i] = W + (phase + i) / stride_;
      held[i] = (phase + i) % stride_ + back_ * stride_ < d.kernel ? windows[i] : 0;
    }
    windows_ = Int::load(windows);
    held_ = Int::load(held);
  }
  static bool fits(const PoolDim &d) {
    return d.stride <= W && d.padding >= 0 && d.padding <= POOL_LINE && d.kernel <= POOL_LINE;
  }

  /// Windows before the first one that may be asked for, and all of them with what lies behind.
  int margin() const { return back_; }
  std::size_t size(const PoolDim &d) const {
    const int last = (d.acts - 1 + padding_) / stride_ + 1;
    return static_cast<std::size_t>(back_ + (last < d.pooled ? d.pooled : last) + W);
  }
  /// Elements that windows are found for at a time, and as many windows.
  int step() const { return step_; }
  int windowStep() const { return windowStep_; }
  /// Whether all windows of a vector of elements are a vector.
  bool isOne() const { return (padding_ % stride_ + W - 1) / stride_ + back_ < W; }
  /// The last window that may hold element 0, and how many before that one may.
  int window() const { return window_; }
  int back() const { return back_; }
  /// What windows give to the elements of a vector. \param further  windows on
  POP_SIMD_INLINE V spread(V windows, int further = 0) const {
    return arch::permuteLanes(windows, windows_ + Int::splat(further));
  }
  /// The same for the windows that are back() behind the last ones: `none` to elements that they do
  /// not hold any more.
  POP_SIMD_INLINE V spreadLast(V windows, V none) const {
    return arch::lanesOfTwo(none, windows, held_);
  }

private:
  int stride_, padding_, back_, step_, windowStep_, window_;
  Int windows_, held_;
};

/// Whether the elements of all windows of a row, with the padding, are a line that windows are read
/// from as vectors, and how many they are.
POP_SIMD_INLINE bool arePoolWindowsInLine(const PoolDim &d) {
  return d.stride <= 2 && d.kernel <= POOL_LINE && d.padding <= POOL_LINE &&
         d.padding >= -POOL_LINE;
}
POP_SIMD_INLINE std::size_t poolWindowsEnd(const PoolDim &d) {
  return static_cast<std::size_t>((d.out - 1) * d.stride + d.kernel);
}
/// Those that are of the row.
POP_SIMD_INLINE PoolRange poolElementsHeld(const PoolDim &d) {
  const int end = static_cast<int>(poolWindowsEnd(d)) - d.padding;
  return {d.padding < 0 ? -d.padding : 0, end < d.in ? end : d.in};
}

/// Sums and maxima.
template <class Tag, bool MAX, class T> class PoolRowsRun {
  using V = simd<float, Tag>;
  using Int = simd<std::int32_t, Tag>;
  static constexpr std::size_t W = V::width;

public:
  PoolRowsRun(const PoolPlane<Tag> &plane, PoolKind kind, const T *in)
      : p_(plane), kind_(kind), lanes_(plane.column), in_(in) {
    const std::size_t size =
        isGradient() ? lanes_.size(p_.column) : poolWindowsEnd(p_.column) + 2 * W;
    for (std::size_t i = 0; i < size; i += W)
      V::splat(IDENTITY).store(line_ + i);
    if (kind_ != PoolKind::AVERAGE_GRADIENT)
      return;
    for (int x = 0; x < p_.column.in; ++x)
      weights_[x] = p_.weight(p_.column, x);
    for (int y = 0; y < p_.row.in; ++y)
      rowWeights_[y] = p_.weight(p_.row, y);
  }
  static bool fits(const PoolPlane<Tag> &plane, bool gradient) {
    return gradient ? PoolLanes<Tag>::fits(plane.column) : arePoolWindowsInLine(plane.column);
  }

  /// Rows [begin, end) of outputs of all planes.
  void run(std::size_t begin, std::size_t end, T *out) {
    const std::size_t n = static_cast<std::size_t>(p_.column.out);
    forRows(begin, end, p_.row.out, [&](std::size_t plane, int y, std::size_t i) POP_SIMD_LAMBDA {
      row(in_ + plane * p_.inputs(), y, out + i * n);
    });
  }

private:
  static constexpr float IDENTITY = MAX ? -__builtin_inff() : 0.f;

  bool isGradient() const { return kind_ >= PoolKind::SUM_GRADIENT; }
  void row(const T *plane, int y, T *out) {
    const PoolRange rows = p_.rowsOf(y);
    if (isGradient()) {
      // Neighbouring rows may be of the same windows.
      const T *in = plane + rows.begin * p_.column.in;
      if (in != lineOf_ || rows.size() != lineRows_)
        addRows(plane, rows, 0, p_.column.in, line_ + lanes_.margin());
      lineOf_ = in, lineRows_ = rows.size();
      withConstant<2>(lanes_.isOne() ? lanes_.back() + 1 : 0,
                      [&](auto n) POP_SIMD_LAMBDA { spread<n>(out); });
      return;
    }
    const PoolDim &d = p_.column;
    if (kind_ == PoolKind::AVERAGE && rows.size() != factorRows_)
      findFactors(rows.size());
    if (isPairs(d) || isSliding(d)) {
      const T *in = plane + rows.begin * d.in;
      withConstant<3>(rows.size(), [&](auto n) POP_SIMD_LAMBDA {
        if (d.stride == 2)
          pairs<n>(in, rows.size(), out);
        else
          d.kernel == 2 ? slide<n, 2>(in, rows.size(), out) : slide<n, 3>(in, rows.size(), out);
      });
      return;
    }
    // The elements that windows hold, after the padding before them.
    const PoolRange held = poolElementsHeld(d);
    addRows(plane, rows, held.begin, held.end, line_ + held.begin + d.padding);
    if (d.stride == 1)
      withConstant<3>(d.kernel, [&](auto n) POP_SIMD_LAMBDA { windows<1, n>(out); });
    else
      withConstant<3>(d.kernel, [&](auto n) POP_SIMD_LAMBDA { windows<2, n>(out); });
  }

  /// to[x - begin] = all rows combined.
  void addRows(const T *plane, PoolRange rows, int begin, int end, float *to) {
    if (end <= begin)
      return;
    const T *in = plane + rows.begin * p_.column.in + begin;
    if (kind_ == PoolKind::AVERAGE_GRADIENT)
      return addWeighted(in, rows, end - begin, to);
    withConstant<3>(rows.size(), [&](auto n) POP_SIMD_LAMBDA {
      addRows<n>(in, rows.size(), static_cast<std::size_t>(end - begin), to);
    });
  }
  /// \tparam N  number of rows; 0: `rows`
  template <int N>
  POP_SIMD_INLINE void addRows(const T *in, int rows, std::size_t length, float *to) {
    const auto add = [&](std::size_t i, auto load)
                         POP_SIMD_LAMBDA { return acrossRows<N>(in + i, rows, load); };
    std::size_t i = 0;
    for (; i + W <= length; i += W)
      add(i, [](const T *p) POP_SIMD_LAMBDA { return V::load(p); }).store(to + i);
    if (const std::size_t n = length - i; n != 0)
      add(i, [&](const T *p) POP_SIMD_LAMBDA {
        return V::loadPartial(p, n);
      }).storePartial(to + i, n);
  }
  /// load(p) of an element of all rows, combined.
  template <int N, class Load>
  POP_SIMD_INLINE V acrossRows(const T *in, int rows, Load load) const {
    const std::size_t distance = static_cast<std::size_t>(p_.column.in);
    V sum = V::splat(IDENTITY);
    if constexpr (N != 0) {
      POP_SIMD_UNROLL
      for (std::size_t y = 0; y < N; ++y)
        sum = poolCombine<MAX>(sum, load(in + y * distance));
    } else {
      for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y)
        sum = poolCombine<MAX>(sum, load(in + y * distance));
    }
    return sum;
  }
  void addWeighted(const T *in, PoolRange rows, int length, float *to) {
    for (int i = 0; i < length; i += static_cast<int>(W)) {
      const std::size_t n = static_cast<std::size_t>(length - i);
      V sum = V::zero();
      const T *p = in + i;
      for (int y = rows.begin; y < rows.end; ++y, p += p_.column.in)
        sum = V::fma(poolLoad<V>(p, n), V::splat(rowWeights_[y]), sum);
      poolStore(sum * V::load(weights_ + i), to + i, n);
    }
  }

  /// Windows of a pair of elements, or of the element before it too: rows stay in registers.
  static bool isPairs(const PoolDim &d) {
    return d.stride == 2 && (d.padding == 0 || d.padding == 1) && d.kernel == d.padding + 2;
  }
  template <int N> POP_SIMD_INLINE void pairs(const T *in, int rows, T *out) {
    const std::size_t length = static_cast<std::size_t>(p_.column.out);
    const std::size_t elements = static_cast<std::size_t>(p_.column.in);
    const bool isPadded = p_.column.padding != 0;
    V before = V::splat(IDENTITY);
    const auto next = [&](V a, V b) POP_SIMD_LAMBDA {
      V even, odd, sum = V::splat(IDENTITY);
      arch::splitPairs(a, b, even, odd);
      if (isPadded)
        sum = poolCombine<MAX>(sum, arch::lanesOfTwo(before, odd, oneBefore_));
      before = odd;
      return poolCombine<MAX>(poolCombine<MAX>(sum, even), odd);
    };
    std::size_t i = 0;
    for (; i + W <= length && 2 * (i + W) <= elements; i += W, in += 2 * W) {
      const auto whole = [](const T *p) POP_SIMD_LAMBDA { return V::load(p); };
      const V a = acrossRows<N>(in, rows, whole), b = acrossRows<N>(in + W, rows, whole);
      finish(next(a, b), i).store(out + i);
    }
    for (; i < length; i += W, in += 2 * W) {
      const std::size_t left = elements > 2 * i ? elements - 2 * i : 0;
      const V a = someAcrossRows<N>(in, rows, left);
      const V b = left > W ? someAcrossRows<N>(in + W, rows, left - W) : V::splat(IDENTITY);
      poolStore(finish(next(a, b), i), out + i, length - i);
    }
  }
  /// Windows of two or three elements, one further on each, where lanes of two vectors take one
  /// permutation.
  static bool isSliding(const PoolDim &d) {
    return W == 16 && d.stride == 1 && (d.kernel == 2 || d.kernel == 3) && d.padding >= 0 &&
           d.padding < d.kernel;
  }
  template <int N, int KERNEL> POP_SIMD_INLINE void slide(const T *in, int rows, T *out) {
    const std::size_t length = static_cast<std::size_t>(p_.column.out);
    const std::size_t elements = static_cast<std::size_t>(p_.column.in);
    const int padding = p_.column.padding;
    const auto at = [&](std::size_t i) POP_SIMD_LAMBDA {
      if (i + W <= elements)
        return acrossRows<N>(in + i, rows, [](const T *p) POP_SIMD_LAMBDA { return V::load(p); });
      return i < elements ? someAcrossRows<N>(in + i, rows, elements - i) : V::splat(IDENTITY);
    };
    V before = V::splat(IDENTITY), here = at(0);
    for (std::size_t i = 0; i < length; i += W) {
      const V next = at(i + W);
      V sum = V::splat(IDENTITY);
      for (int k = -padding; k < KERNEL - padding; ++k) {
        const Int from = Int::iota() + Int::splat(k < 0 ? k + static_cast<int>(W) : k);
        sum = poolCombine<MAX>(sum,
                               arch::lanesOfTwo(k < 0 ? before : here, k < 0 ? here : next, from));
      }
      poolStore(finish(sum, i), out + i, length - i);
      before = here, here = next;
    }
  }
  /// Nothing beyond the first n elements.
  template <int N> POP_SIMD_INLINE V someAcrossRows(const T *in, int rows, std::size_t n) const {
    const V sum =
        acrossRows<N>(in, rows, [&](const T *p) POP_SIMD_LAMBDA { return poolLoad<V>(p, n); });
    const auto isLeft = Int::iota() < Int::splat(static_cast<std::int32_t>(n < W ? n : W));
    return V::select(isLeft, sum, V::splat(IDENTITY));
  }

  void findFactors(int rows) {
    factorRows_ = rows;
    for (int x = 0; x < p_.column.out; ++x)
      factors_[x] = p_.factor(rows, p_.columnsOf(x).size());
  }

  /// Results of windows from a line. \tparam N  elements of a window; 0: kernel
  template <int STRIDE, int N> POP_SIMD_INLINE void windows(T *out) {
    const std::size_t length = static_cast<std::size_t>(p_.column.out);
    std::size_t i = 0;
    for (; i + W <= length; i += W)
      finish(windowsAt<STRIDE, N>(i), i).store(out + i);
    if (i < length)
      finish(windowsAt<STRIDE, N>(i), i).storePartial(out + i, length - i);
  }
  POP_SIMD_INLINE V finish(V v, std::size_t i) const {
    if constexpr (MAX)
      v = V::max(V::splat(sizeof(T) == 2 ? -65504.f : -__builtin_inff()), v);
    else if (kind_ == PoolKind::AVERAGE)
      v = v * V::load(factors_ + i);
    return v;
  }
  template <int STRIDE, int N> POP_SIMD_INLINE V windowsAt(std::size_t i) const {
    const std::size_t kernel = static_cast<std::size_t>(N ? N : p_.column.kernel);
    const float *p = line_ + i * STRIDE;
    V sum = V::splat(IDENTITY);
    const auto add = [&](std::size_t k) POP_SIMD_LAMBDA {
      if constexpr (STRIDE == 1) {
        sum = poolCombine<MAX>(sum, V::load(p + k));
      } else {
        V even, odd;
        arch::splitPairs(V::load(p + k), V::load(p + k + W), even, odd);
        sum = poolCombine<MAX>(sum, even);
        if (k + 1 < kernel)
          sum = poolCombine<MAX>(sum, odd);
      }
    };
    if constexpr (N != 0) {
      POP_SIMD_UNROLL
      for (std::size_t k = 0; k < N; k += STRIDE)
        add(k);
    } else {
      for (std::size_t k = 0; k < kernel; k += STRIDE)
        add(k);
    }
    return sum;
  }

  /// Windows that hold an element, added. \tparam N  at most so many do, those of a vector of
  /// elements in one; 0: any number in as many
  template <int N> POP_SIMD_INLINE void spread(T *out) {
    const PoolLanes<Tag> lanes = lanes_;
    const int length = p_.column.out;
    const float *p = line_ + lanes.window();
    for (int x = 0; x < length; x += lanes.step(), p += lanes.windowStep()) {
      V sum = V::zero();
      const int n = N ? N : lanes.back() + 1;
      for (int k = 0; k < n; ++k) {
        const V windows = V::load(p + (N ? 0 : k));
        sum = sum +
              (k == 0 ? lanes.spreadLast(windows, V::zero()) : lanes.spread(windows, N ? k : 0));
      }
      poolStore(sum, out + x, static_cast<std::size_t>(length - x));
    }
  }

  const PoolPlane<Tag> &p_;
  PoolKind kind_;
  PoolLanes<Tag> lanes_;
  const T *in_;
  Int oneBefore_ = Int::iota() + Int::splat(static_cast<std::int32_t>(W) - 1); ///< of two vectors
  const T *lineOf_ = nullptr; ///< the rows whose sums are in the line
  int lineRows_ = -1, factorRows_ = -1;
  float factors_[POOL_LINE + W], weights_[POOL_LINE + W], rowWeights_[POOL_ROWS];
  alignas(64) float line_[POOL_MARGINED];
};

} // namespace cottonwood::kernels::detail
