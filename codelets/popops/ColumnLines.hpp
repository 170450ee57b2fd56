/// \file ColumnLines.hpp
/// Columns that are summed eight rows at a time are read from eight places by turns, which are more
/// than some hardware prefetchers keep track of. Where they come from memory, whole lines are
/// fetched in its order beside the sums.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

/// The lines of n of the `stride` columns of [rows, stride] elements; all, or COLUMNS of them.
template <class In, std::size_t COLUMNS> class ColumnLines {
public:
  /// \param ahead  of lines that are fetched, in elements, where all columns are read; else they
  ///     are those of the next eight rows
  POP_SIMD_INLINE ColumnLines(std::size_t stride, std::size_t n, std::size_t ahead)
      : ahead_(n == stride ? ahead : 8 * stride), gap_((stride - n) * sizeof(In)) {}

  /// Whether they can be fetched.
  POP_SIMD_INLINE static constexpr bool serves(std::size_t stride, std::size_t n) {
    return n == stride || n == COLUMNS;
  }

  /// The share of columns [c, c + width) in the lines of eight rows, of those at `in`, that are
  /// read later.
  /// \tparam LEVEL  3: to the first-level cache, 2: to the second
  template <int LEVEL>
  POP_SIMD_INLINE void fetch(const In *in, std::size_t c, std::size_t width) const {
    constexpr std::size_t LINE = 64;
    const std::size_t at = 8 * sizeof(In) * c, gaps = at / (sizeof(In) * COLUMNS);
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(in + ahead_) + at + gaps * gap_;
#pragma GCC unroll 16
    for (std::size_t b = 0; b < 8 * sizeof(In) * width; b += LINE)
      __builtin_prefetch(reinterpret_cast<const void *>(begin + b), 0, LEVEL);
  }

private:
  std::size_t ahead_, gap_; ///< elements, and bytes between rows that are read
};

} // namespace cottonwood::kernels
