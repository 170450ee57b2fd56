/// \file PoolCompareRows.hpp
/// Gradients of maxima of planes a row at a time, as PoolRows.hpp.
#pragma once

#include <codelets/popnn/PoolRows.hpp>

namespace cottonwood::kernels::detail {

/// Gradients of maxima to the elements, as PoolCompareRun.
template <class Tag, class T> class PoolSpreadRows {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  PoolSpreadRows(const PoolPlane<Tag> &plane, const T *pooled, const T *gradient)
      : p_(plane), lanes_(plane.column), pooled_(pooled), gradient_(gradient),
        size_(lanes_.size(plane.column)), slots_(slotsOf(size_)), isOne_(lanes_.isOne()) {
    for (std::size_t &line : held_)
      line = ~std::size_t{0};
    for (std::size_t i = 0; i < slots_ * size_; i += W) {
      V::splat(__builtin_nanf("")).store(largest_ + i); // equal to nothing
      V::zero().store(gradients_ + i);
    }
  }
  static bool fits(const PoolPlane<Tag> &plane) {
    const PoolDim &d = plane.row;
    return PoolLanes<Tag>::fits(plane.column) &&
           static_cast<std::size_t>((d.kernel - 1) / d.stride + 1) <=
               slotsOf(PoolLanes<Tag>(plane.column).size(plane.column));
  }

  /// Rows [begin, end) of elements of all planes; own and out are those of the first.
  void run(std::size_t begin, std::size_t end, const T *own, T *out) {
    const std::size_t n = static_cast<std::size_t>(p_.column.out);
    const bool isAll = static_cast<std::size_t>(p_.row.in) <= slots_;
    std::size_t held = ~std::size_t{0};
    forRows(begin, end, p_.row.out, [&](std::size_t plane, int y, std::size_t i) POP_SIMD_LAMBDA {
      if (!isAll) {
        holdRows(plane, p_.rowsOf(y));
      } else if (held != plane) { // long before they are read
        held = plane;
        holdRows(plane, {0, p_.row.in});
      }
      row(p_.rowsOf(y), own + i * n, out + i * n);
    });
  }

private:
  static constexpr std::size_t SLOTS = 128;

  static std::size_t slotsOf(std::size_t size) {
    const std::size_t slots = POOL_MARGINED / size;
    return slots < SLOTS ? slots : SLOTS;
  }

  void holdRows(std::size_t plane, PoolRange rows) {
    for (int i = rows.begin; i < rows.end; ++i)
      hold(slotOf(i), plane * static_cast<std::size_t>(p_.row.in) + static_cast<std::size_t>(i));
  }
  std::size_t slotOf(int row) const {
    const std::size_t i = static_cast<std::size_t>(row);
    return i < slots_ ? i : i % slots_;
  }

  /// A line of windows, in a slot.
  void hold(std::size_t slot, std::size_t line) {
    if (held_[slot] == line)
      return;
    held_[slot] = line;
    const std::size_t n = static_cast<std::size_t>(p_.column.in);
    const std::size_t to = slot * size_ + static_cast<std::size_t>(lanes_.margin());
    for (std::size_t i = 0; i < n; i += W) {
      poolStore(poolLoad<V>(pooled_ + line * n + i, n - i), largest_ + to + i, n - i);
      poolStore(poolLoad<V>(gradient_ + line * n + i, n - i), gradients_ + to + i, n - i);
    }
  }

  void row(PoolRange rows, const T *own, T *out) {
    std::size_t at[SLOTS];
    for (int i = rows.begin; i < rows.end; ++i)
      at[i - rows.begin] = slotOf(i) * size_;
    withConstant<2>(rows.size(), [&](auto n) POP_SIMD_LAMBDA {
      withConstant<2>(isOne_ ? lanes_.back() + 1 : 0,
                      [&](auto k) POP_SIMD_LAMBDA { compare<n, k>(at, rows.size(), own, out); });
    });
  }

  /// \tparam ROWS, COLUMNS  of windows that may hold an element, those of a row in one vector; 0:
  /// any number in as many
  template <int ROWS, int COLUMNS>
  POP_SIMD_INLINE void compare(const std::size_t *at, int rows, const T *own, T *out) {
    const PoolLanes<Tag> lanes = lanes_;
    const int length = p_.column.out;
    const V none = V::splat(__builtin_nanf("")); // equal to nothing
    std::size_t window = static_cast<std::size_t>(lanes.window());
    const std::size_t windowStep = static_cast<std::size_t>(lanes.windowStep());
    for (int x = 0; x < length; x += lanes.step(), window += windowStep) {
      const std::size_t n = static_cast<std::size_t>(length - x);
      const V element = poolLoad<V>(own + x, n);
      V sum = V::zero();
      for (int i = 0; i < (ROWS ? ROWS : rows); ++i) {
        const float *largest = largest_ + at[i] + window, *gradient = gradients_ + at[i] + window;
        for (int k = 0; k < (COLUMNS ? COLUMNS : lanes.back() + 1); ++k) {
          const int apart = COLUMNS ? 0 : k, further = COLUMNS ? k : 0;
          const V l = V::load(largest + apart), g = V::load(gradient + apart);
          const auto isLargest =
              (k == 0 ? lanes.spreadLast(l, none) : lanes.spread(l, further)) == element;
          sum = V::select(isLargest, sum + lanes.spread(g, further), sum);
        }
      }
      poolStore(sum, out + x, n);
    }
  }

  const PoolPlane<Tag> &p_;
  PoolLanes<Tag> lanes_;
  const T *pooled_, *gradient_;
  std::size_t size_, slots_, held_[SLOTS];
  bool isOne_;
  alignas(64) float largest_[POOL_MARGINED + W], gradients_[POOL_MARGINED + W];
};

/// Gradients of maxima over the number of elements that are equal to them.
template <class Tag, class T> class PoolScaleRows {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  PoolScaleRows(const PoolPlane<Tag> &plane, const T *acts) : p_(plane), acts_(acts) {
    for (std::size_t i = 0; i < poolWindowsEnd(plane.column) + 2 * W; i += W)
      V::splat(__builtin_nanf("")).store(line_ + i); // equal to nothing
  }
  static bool fits(const PoolPlane<Tag> &plane) { return arePoolWindowsInLine(plane.column); }

  /// Rows [begin, end) of windows of all planes; pooled, gradient and out are those of the first.
  void run(std::size_t begin, std::size_t end, const T *pooled, const T *gradient, T *out) {
    const std::size_t n = static_cast<std::size_t>(p_.column.out);
    forRows(begin, end, p_.row.out, [&](std::size_t plane, int y, std::size_t line) {
      const T *largest = pooled + line * n;
      for (std::size_t i = 0; i < n; i += W)
        V::zero().store(counts_ + i);
      for (int row = p_.rowsOf(y).begin; row < p_.rowsOf(y).end; ++row) {
        fill(acts_ + plane * p_.inputs() + row * p_.column.in);
        p_.column.stride == 1 ? count<1>(largest) : count<2>(largest);
      }
      for (std::size_t i = 0; i < n; i += W) {
        const V g = poolLoad<V>(gradient + line * n + i, n - i);
        poolStore(poolShareOf(g, V::load(counts_ + i)), out + line * n + i, n - i);
      }
    });
  }

private:
  /// The elements that windows hold, after the padding before them.
  void fill(const T *row) {
    const PoolRange held = poolElementsHeld(p_.column);
    const std::size_t n = static_cast<std::size_t>(held.size());
    for (std::size_t i = 0; i < n; i += W)
      poolStore(poolLoad<V>(row + held.begin + i, n - i),
                line_ + held.begin + p_.column.padding + i, n - i);
  }
  template <std::size_t STRIDE> void count(const T *largest) {
    const std::size_t n = static_cast<std::size_t>(p_.column.out);
    const std::size_t kernel = static_cast<std::size_t>(p_.column.kernel);
    for (std::size_t i = 0; i < n; i += W) {
      const V own = poolLoad<V>(largest + i, n - i);
      V sum = V::load(counts_ + i);
      const auto add = [&](V element) POP_SIMD_LAMBDA {
        sum = V::select(element == own, sum + V::splat(1.f), sum);
      };
      const float *p = line_ + i * STRIDE;
      for (std::size_t k = 0; k < kernel; k += STRIDE) {
        V even = V::load(p + k), odd;
        if constexpr (STRIDE == 2)
          arch::splitPairs(even, V::load(p + k + W), even, odd);
        add(even);
        if constexpr (STRIDE == 2)
          if (k + 1 < kernel)
            add(odd);
      }
      sum.store(counts_ + i);
    }
  }

  const PoolPlane<Tag> &p_;
  const T *acts_;
  alignas(64) float counts_[POOL_LINE + W], line_[POOL_MARGINED];
};

} // namespace cottonwood::kernels::detail
