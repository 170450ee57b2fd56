/// \file PoolPlanes.hpp
/// Small planes, as many at a time as a vector has lanes: lane i of a vector belongs to plane i.
/// The rules and fields are those of Pool.hpp.
#pragma once

#include <codelets/arch/SimdColumns.hpp>
#include <codelets/arch/SimdPairs.hpp>
#include <codelets/popnn/PoolPlane.hpp>

namespace cottonwood::kernels::detail {

/// Elements of a plane, before and after pooling.
inline constexpr std::size_t POOL_PLANE = 1024;

template <class Tag> POP_SIMD_INLINE bool isPoolPlaneSmall(const PoolPlane<Tag> &plane) {
  return plane.inputs() <= POOL_PLANE && plane.outputs() <= POOL_PLANE;
}

/// Sums and maxima.
template <class Tag, bool MAX, class T> class PoolPlanesRun {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  PoolPlanesRun(const PoolPlane<Tag> &plane, PoolKind kind) : p_(plane), kind_(kind) {
    if (kind_ == PoolKind::AVERAGE)
      for (int y = 0; y < p_.row.out; ++y)
        for (int x = 0; x < p_.column.out; ++x)
          factors_[y * p_.column.out + x] = p_.factor(p_.rowsOf(y).size(), p_.columnsOf(x).size());
    if (kind_ == PoolKind::AVERAGE_GRADIENT) {
      for (int y = 0; y < p_.row.in; ++y)
        rowWeights_[y] = p_.weight(p_.row, y);
      for (int x = 0; x < p_.column.in; ++x)
        columnWeights_[x] = p_.weight(p_.column, x);
    }
  }

  /// W planes.
  void run(const T *in, T *out) {
    arch::loadColumns<Tag>(in, p_.inputs(), in_);
    V *results = out_;
    for (int y = 0; y < p_.row.out; ++y, results += p_.column.out) {
      addRows(p_.rowsOf(y));
      for (int x = 0; x < p_.column.out; ++x)
        results[x] = window(p_.columnsOf(x));
      if (kind_ == PoolKind::AVERAGE)
        for (int x = 0; x < p_.column.out; ++x)
          results[x] = results[x] * V::splat(factors_[y * p_.column.out + x]);
    }
    arch::storeColumns<Tag>(out, p_.outputs(), out_);
  }

private:
  static constexpr float IDENTITY = MAX ? -__builtin_inff() : 0.f;

  /// line_[x] = all rows combined.
  void addRows(PoolRange rows) {
    if (kind_ == PoolKind::AVERAGE_GRADIENT)
      return addWeighted(rows);
    switch (rows.size()) {
    case 1:
      return addFew<1>(rows);
    case 2:
      return addFew<2>(rows);
    case 3:
      return addFew<3>(rows);
    default:
      break;
    }
    const int n = p_.column.in;
    for (int x = 0; x < n; ++x) {
      V sum = V::splat(IDENTITY);
      for (int y = rows.begin; y < rows.end; ++y)
        sum = poolCombine<MAX>(sum, in_[y * n + x]);
      line_[x] = sum;
    }
  }
  template <int N> void addFew(PoolRange rows) {
    const int n = p_.column.in;
    const V *in = in_ + rows.begin * n;
    for (int x = 0; x < n; ++x) {
      V sum = V::splat(IDENTITY);
      POP_SIMD_UNROLL
      for (int y = 0; y < N; ++y)
        sum = poolCombine<MAX>(sum, in[y * n + x]);
      line_[x] = sum;
    }
  }
  void addWeighted(PoolRange rows) {
    const int n = p_.column.in;
    for (int x = 0; x < n; ++x) {
      V sum = V::zero();
      for (int y = rows.begin; y < rows.end; ++y)
        sum = V::fma(in_[y * n + x], V::splat(rowWeights_[y]), sum);
      line_[x] = sum * V::splat(columnWeights_[x]);
    }
  }

  POP_SIMD_INLINE V window(PoolRange columns) const {
    V sum = V::splat(IDENTITY);
    for (int x = columns.begin; x < columns.end; ++x)
      sum = poolCombine<MAX>(sum, line_[x]);
    return MAX ? V::max(V::splat(sizeof(T) == 2 ? -65504.f : -__builtin_inff()), sum) : sum;
  }

  const PoolPlane<Tag> &p_;
  PoolKind kind_;
  float factors_[POOL_PLANE], rowWeights_[POOL_PLANE], columnWeights_[POOL_PLANE];
  V in_[POOL_PLANE + W], out_[POOL_PLANE + W], line_[POOL_PLANE];
};

/// Gradients of maxima over the number of elements that are equal to them.
template <class Tag, class T> class PoolScalePlanes {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  explicit PoolScalePlanes(const PoolPlane<Tag> &plane) : p_(plane) {}

  /// W planes.
  void run(const T *pooled, const T *acts, const T *gradient, T *out) {
    const std::size_t outputs = p_.outputs();
    arch::loadColumns<Tag>(pooled, outputs, pooled_);
    arch::loadColumns<Tag>(acts, p_.inputs(), acts_);
    arch::loadColumns<Tag>(gradient, outputs, gradient_);
    std::size_t i = 0;
    for (int y = 0; y < p_.row.out; ++y)
      for (int x = 0; x < p_.column.out; ++x, ++i)
        gradient_[i] = poolShareOf(gradient_[i], count(p_.rowsOf(y), p_.columnsOf(x), pooled_[i]));
    arch::storeColumns<Tag>(out, outputs, gradient_);
  }

private:
  POP_SIMD_INLINE V count(PoolRange rows, PoolRange columns, V largest) const {
    const int n = p_.column.in;
    V sum = V::zero();
    for (int y = rows.begin; y < rows.end; ++y)
      for (int x = columns.begin; x < columns.end; ++x)
        sum = V::select(acts_[y * n + x] == largest, sum + V::splat(1.f), sum);
    return sum;
  }

  const PoolPlane<Tag> &p_;
  V acts_[POOL_PLANE + W], pooled_[POOL_PLANE + W], gradient_[POOL_PLANE + W];
};

/// Gradients of maxima to the elements: vectors of neighbouring elements of a plane, of whatever
/// rows. The windows that hold them are neighbours too, no more than a vector has lanes; a table
/// says which, for the first window of each element, the second and so on.
template <class Tag, class T> class PoolSpreadPlanes {
  using V = simd<float, Tag>;
  using Int = simd<std::int32_t, Tag>;
  static constexpr int W = V::width;
  static constexpr int MOST = 512; ///< vectors of the table

public:
  explicit PoolSpreadPlanes(const PoolPlane<Tag> &plane) : p_(plane) {
    int rows = 1, columns = 1;
    for (int y = 0; y < p_.row.out; ++y)
      rows = p_.rowsOf(y).size() > rows ? p_.rowsOf(y).size() : rows;
    for (int x = 0; x < p_.column.out; ++x)
      columns = p_.columnsOf(x).size() > columns ? p_.columnsOf(x).size() : columns;
    vectors_ = (static_cast<int>(p_.outputs()) + W - 1) / W;
    fits_ = p_.outputs() <= POOL_PLANE && rows * columns <= MOST / vectors_;
    if (!fits_)
      return;
    windows_ = rows * columns;
    for (int i = 0; i < windows_; ++i)
      findWindows(i, i / columns, i % columns);
    fits_ = findLoads(columns) || findLoads(1);
  }
  bool fits() const { return fits_; }

  /// Planes [begin, end); own and out are those of the first, the others of plane 0.
  void run(std::size_t begin, std::size_t end, const T *own, const T *pooled, const T *gradient,
           T *out) {
    const std::size_t inputs = p_.inputs(), all = p_.planes() * inputs;
    for (std::size_t plane = begin; plane < end; ++plane) {
      const std::size_t at = plane * inputs;
      if (inputs <= static_cast<std::size_t>(W)) {
        const V largest = poolLoad<V>(pooled + at, inputs);
        const V gradients = poolLoad<V>(gradient + at, inputs);
        spread(own, out,
               [&](std::size_t, V &l, V &g) POP_SIMD_LAMBDA { l = largest, g = gradients; });
      } else if (at + inputs + static_cast<std::size_t>(W) <= all) {
        // Vectors may read what lies behind the plane, but not behind the last.
        spread(own, out, [&](std::size_t i, V &largest, V &g) POP_SIMD_LAMBDA {
          largest = V::load(pooled + at + i), g = V::load(gradient + at + i);
        });
      } else {
        spread(own, out, [&](std::size_t i, V &largest, V &g) POP_SIMD_LAMBDA {
          largest = poolLoad<V>(pooled + at + i, all - at - i);
          g = poolLoad<V>(gradient + at + i, all - at - i);
        });
      }
      own += p_.outputs(), out += p_.outputs();
    }
  }

private:
  /// Fills place `which` of all vectors of the table: windows (i, j) of each element.
  void findWindows(int which, int i, int j) {
    std::int32_t columns[POOL_PLANE + W], places[POOL_PLANE + 2 * W];
    const int n = p_.column.out;
    for (int x = 0; x < n; ++x)
      columns[x] = j < p_.columnsOf(x).size() ? p_.columnsOf(x).begin + j : -1;
    for (int y = 0; y < p_.row.out; ++y) {
      const bool isHeld = i < p_.rowsOf(y).size();
      const Int row = Int::splat((p_.rowsOf(y).begin + i) * p_.column.in), none = Int::splat(-1);
      for (int x = 0; x < n; x += W) {
        const Int column = Int::load(columns + x);
        const Int place = isHeld ? Int::select(column < Int::zero(), none, row + column) : none;
        place.store(places + y * n + x);
      }
    }
    for (int k = static_cast<int>(p_.outputs()); k < vectors_ * W; ++k)
      places[k] = -1;
    for (int v = 0; v < vectors_; ++v)
      lanes_[v * windows_ + which] = Int::load(places + v * W);
  }

  /// Where vectors of windows begin, one for `each` of an element; then the table says which lanes
  /// of them. \returns whether these are enough.
  bool findLoads(int each) {
    const Int *places = lanes_;
    for (int i = 0; i < vectors_ * windows_ / each; ++i, places += each) {
      Int low = Int::splat(0x7fffffff), high = Int::splat(-1);
      for (int k = 0; k < each; ++k) {
        low = Int::min(low, Int::select(places[k] < Int::zero(), low, places[k]));
        high = Int::max(high, places[k]);
      }
      const std::int32_t last = high.reduceMax();
      const bool isOne = static_cast<int>(p_.inputs()) <= W;
      const std::int32_t first = last < 0 || isOne ? 0 : low.reduceMin();
      if (last - first >= W)
        return false;
      first_[i] = static_cast<std::uint32_t>(first);
    }
    loads_ = windows_ / each;
    for (int i = 0; i < vectors_ * windows_; ++i) // lanes from W on are of windows
      lanes_[i] = Int::select(lanes_[i] < Int::zero(), Int::zero(),
                              lanes_[i] - Int::splat(static_cast<int>(first_[i / each]) - W));
    return true;
  }

  template <class Load> POP_SIMD_INLINE void spread(const T *own, T *out, Load load) {
    withConstant<4>(loads_, [&](auto n) POP_SIMD_LAMBDA {
      withConstant<2>(windows_ / loads_,
                      [&](auto each) POP_SIMD_LAMBDA { spreadPlane<n, each>(own, out, load); });
    });
  }
  /// \tparam LOADS  of windows for a vector of elements; 0: `loads_`
  /// \tparam EACH   windows of an element that come of one; 0: any number
  template <int LOADS, int EACH, class Load>
  POP_SIMD_INLINE void spreadPlane(const T *own, T *out, Load load) const {
    const int loads = LOADS ? LOADS : loads_, each = EACH ? EACH : windows_ / loads;
    const int vectors = vectors_;
    const std::uint32_t *first = first_;
    const Int *lanes = lanes_;
    const V none = V::splat(__builtin_nanf("")); // equal to nothing
    std::size_t left = p_.outputs();
    for (int v = 0; v < vectors; ++v, own += W, out += W, left -= W) {
      const V element = poolLoad<V>(own, left);
      V sum = V::zero();
      for (int i = 0; i < loads; ++i, ++first) {
        V largest, gradient;
        load(*first, largest, gradient);
        for (int k = 0; k < each; ++k, ++lanes) {
          const auto isLargest = arch::lanesOfTwo(none, largest, *lanes) == element;
          sum = V::select(isLargest, sum + arch::permuteLanes(gradient, *lanes), sum);
        }
      }
      poolStore(sum, out, left);
    }
  }

  const PoolPlane<Tag> &p_;
  bool fits_;
  int vectors_, windows_ = 0, loads_ = 0;
  std::uint32_t first_[MOST];
  Int lanes_[MOST];
};

/// Calls planes(first, of) for W planes at a time in columns [begin, end), the last ones anew if
/// they are not W, and rest(begin, end) for columns of other planes.
template <class Tag, class Planes, class Rest>
POP_SIMD_INLINE void forPlanes(std::size_t size, std::size_t begin, std::size_t end, Planes planes,
                               Rest rest) {
  constexpr std::size_t W = simd<float, Tag>::width;
  const std::size_t from = (begin + size - 1) / size, to = end / size;
  if (from + W > to)
    return rest(begin, end);
  for (std::size_t plane = from; plane < to; plane += W)
    planes(plane + W <= to ? plane : to - W);
  if (begin < from * size)
    rest(begin, from * size);
  if (to * size < end)
    rest(to * size, end);
}

} // namespace cottonwood::kernels::detail
