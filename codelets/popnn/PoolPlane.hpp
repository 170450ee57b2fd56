/// \file PoolPlane.hpp
/// Planes of a field of one or two dimensions that lie one behind another; the rules and fields are
/// those of Pool.hpp.
#pragma once

#include <codelets/popnn/PoolLines.hpp>

#include <type_traits>

namespace cottonwood::kernels::detail {

/// Lines that are treated as parts of planes have at most so many elements on either side.
inline constexpr int POOL_LINE = 1024;
/// And planes at most so many rows.
inline constexpr int POOL_ROWS = 1024;

/// Dimensions that no window goes along.
POP_SIMD_INLINE bool isApart(const PoolDim &d) {
  return d.kernel == 1 && d.stride == 1 && d.padding == 0 && d.acts == d.pooled;
}

/// Which rows and columns windows of a plane hold, and windows hold them.
template <class Tag> class PoolPlane {
public:
  explicit PoolPlane(const PoolGeometry &geometry)
      : row{1, 0, 1, 0, 1, 1, 0, 1, 1}, column(geometry.dim(geometry.dims - 1)), g_(geometry) {
    unsigned outer = geometry.dims - 1;
    if (outer != 0 && !isApart(geometry.dim(outer - 1)))
      row = geometry.dim(--outer);
    fits_ = geometry.inner == 1 && isWhole(row, POOL_ROWS) && isWhole(column, POOL_LINE);
    while (fits_ && outer != 0) {
      const PoolDim d = geometry.dim(--outer);
      fits_ = isApart(d) && isWhole(d, 0x7fffffff);
      planes_ *= static_cast<std::size_t>(d.out);
    }
    if (!fits_)
      return;
    for (int i = 0; i < row.out; ++i)
      rows_[i] = range(row, i);
    for (int i = 0; i < column.out; ++i)
      columns_[i] = range(column, i);
  }

  /// Else all else is unset.
  bool fits() const { return fits_; }
  std::size_t planes() const { return planes_; }
  /// Of a plane.
  std::size_t inputs() const { return static_cast<std::size_t>(row.in * column.in); }
  std::size_t outputs() const { return static_cast<std::size_t>(row.out * column.out); }
  /// What outputs of a row or column read.
  PoolRange rowsOf(int y) const { return rows_[y]; }
  PoolRange columnsOf(int x) const { return columns_[x]; }
  /// 1 / elements of window i along a dimension.
  static float weight(const PoolDim &d, int i) {
    return 1 / static_cast<float>(poolWindow(d, i).size());
  }
  /// 1 / elements of windows of so many rows and columns; without elements they stay 0.
  static float factor(int rowsOfWindow, int columnsOfWindow) {
    const float elements = static_cast<float>(rowsOfWindow) * static_cast<float>(columnsOfWindow);
    return elements > 0 ? 1 / elements : 1.f;
  }

  PoolDim row, column;

private:
  bool isWhole(const PoolDim &d, int most) const {
    return d.outBase == 0 && d.inBase == 0 && d.out == (g_.gradient ? d.acts : d.pooled) &&
           d.in == (g_.gradient ? d.pooled : d.acts) && d.in > 0 && d.in <= most && d.out <= most;
  }
  PoolRange range(const PoolDim &d, int i) const {
    const PoolRange r = g_.range(d, i);
    return {r.begin, r.begin + r.size()};
  }

  const PoolGeometry &g_;
  bool fits_;
  std::size_t planes_ = 1;
  PoolRange rows_[POOL_ROWS], columns_[POOL_LINE];
};

/// Calls f with n as a constant if that is at most MOST, else with 0.
template <int MOST, class F> POP_SIMD_INLINE void withConstant(int n, F f) {
  if constexpr (MOST == 0) {
    f(std::integral_constant<int, 0>());
  } else {
    if (n == MOST)
      f(std::integral_constant<int, MOST>());
    else
      withConstant<MOST - 1>(n, f);
  }
}

/// Calls blocks(begin, end) for the whole blocks of `length` columns in [begin, end), and
/// rest(begin, end) for what is left of them.
template <class Blocks, class Rest>
POP_SIMD_INLINE void forWholeBlocks(std::size_t length, std::size_t begin, std::size_t end,
                                    Blocks blocks, Rest rest) {
  const std::size_t from = (begin + length - 1) / length, to = end / length;
  if (from >= to)
    return rest(begin, end);
  if (begin < from * length)
    rest(begin, from * length);
  blocks(from, to);
  if (to * length < end)
    rest(to * length, end);
}

/// Calls rows(begin, end) for the whole rows of outputs in columns [begin, end), if these are taken
/// as rows, and lines(begin, end) for other columns.
template <class Tag, class Rows, class Lines>
POP_SIMD_INLINE void forWholeRows(const PoolPlane<Tag> &plane, bool asRows, std::size_t begin,
                                  std::size_t end, Rows rows, Lines lines) {
  if (!asRows)
    return lines(begin, end);
  forWholeBlocks(static_cast<std::size_t>(plane.column.out), begin, end, rows, lines);
}

} // namespace cottonwood::kernels::detail
