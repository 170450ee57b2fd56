/// \file Epilogue.hpp
/// Functors that finished sums pass through before they are rounded and stored.
///
/// An epilogue is a trivially copyable class with
///   template <class V> V operator()(V sum, EpilogueAt<V> at) const
/// called with vectors V = simd<float, Tag> of neighbouring sums, and with V of fewer valid lanes
/// at edges: the results of the others are thrown away. The sum is not yet rounded to the result's
/// type; the vector that is returned is.
#pragma once

#include <codelets/poplin/Finish.hpp>

#include <type_traits>

namespace cottonwood::kernels {

/// Most operands of an epilogue.
inline constexpr unsigned EPILOGUE_MAX_OPERANDS = 8;

/// The value for element (i, j) of a result is at data + i * row + j * column.
struct EpilogueOperand {
  const void *data;
  std::ptrdiff_t row, column;
  bool isHalf;
};

/// The operands of an epilogue. Those that were not given are NaN wherever they are read.
class EpilogueOperands {
public:
  POP_SIMD_INLINE EpilogueOperands() {
    for (EpilogueOperand &operand : list_)
      operand = {&nothing_, 0, 0, false};
  }
  EpilogueOperands(const EpilogueOperands &) = delete;
  EpilogueOperands &operator=(const EpilogueOperands &) = delete;

  POP_SIMD_INLINE EpilogueOperand &operator[](std::size_t i) { return list_[i]; }
  /// EPILOGUE_MAX_OPERANDS of them, and one that is never given.
  POP_SIMD_INLINE const EpilogueOperand *data() const { return list_; }

private:
  float nothing_ = __builtin_nanf("");
  EpilogueOperand list_[EPILOGUE_MAX_OPERANDS + 1];
};

/// Where some sums lie in the result, and what else belongs there.
template <class V> class EpilogueAt {
public:
  using Int = typename V::Int;

  /// \param operands  what EpilogueOperands::data gives
  /// \param origin    the column that the operands' data begin with
  POP_SIMD_INLINE EpilogueAt(const EpilogueOperand *operands, std::size_t group, std::size_t row,
                             std::size_t column, std::size_t lanes, bool down,
                             std::size_t origin = 0)
      : operands_(operands), group_(group), row_(row), column_(column), origin_(origin),
        lanes_(lanes), down_(down) {}

  /// The elements of an operand that belong to the sums, as float; other lanes hold anything.
  POP_SIMD_INLINE V operand(unsigned index) const {
    const EpilogueOperand &o =
        operands_[index < EPILOGUE_MAX_OPERANDS ? index : EPILOGUE_MAX_OPERANDS];
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(row_) * o.row +
                                  static_cast<std::ptrdiff_t>(column_ - origin_) * o.column;
    const std::ptrdiff_t step = down_ ? o.row : o.column;
    return o.isHalf ? load(static_cast<const half *>(o.data) + offset, step)
                    : load(static_cast<const float *>(o.data) + offset, step);
  }

  /// Of the first sum: which product of a grouped one, row, and column (output channel).
  POP_SIMD_INLINE std::size_t group() const { return group_; }
  POP_SIMD_INLINE std::size_t row() const { return row_; }
  POP_SIMD_INLINE std::size_t column() const { return column_; }
  /// Of every sum.
  POP_SIMD_INLINE Int rows() const { return indices(row_, down_); }
  POP_SIMD_INLINE Int columns() const { return indices(column_, !down_); }
  /// How many sums there are: the first lanes of the vector.
  POP_SIMD_INLINE std::size_t lanes() const { return lanes_; }

private:
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);

  POP_SIMD_INLINE static Int indices(std::size_t first, bool ascending) {
    const Int base = Int::splat(static_cast<std::int32_t>(first));
    return ascending ? base + Int::iota() : base;
  }

  template <class T> POP_SIMD_INLINE V load(const T *p, std::ptrdiff_t step) const {
    if (step == 0)
      return V::broadcast(p);
    if (step == 1)
      return lanes_ >= W ? V::load(p) : V::loadPartial(p, lanes_);
    float values[W] = {};
    for (std::size_t x = 0; x < lanes_; ++x)
      simd<float, isa::scalar>::load(p + static_cast<std::ptrdiff_t>(x) * step).store(values + x);
    return V::load(values);
  }

  const EpilogueOperand *operands_;
  std::size_t group_, row_, column_, origin_, lanes_;
  bool down_; ///< sums are those of one column
};

/// The row of the result that row i of a part is.
struct RowsFrom {
  std::size_t first;
  POP_SIMD_INLINE std::size_t operator()(std::size_t i) const { return first + i; }
};

/// An epilogue with its operands and the part of the result that a kernel works on: the context of
/// an ErasedFinish.
/// \tparam Rows  row of a part -> row of the result
template <class Epilogue, class Rows = RowsFrom> struct EpilogueContext {
  static_assert(std::is_trivially_copyable_v<Epilogue>,
                "an epilogue is copied into vertices byte by byte: it must be trivially copyable");

  const Epilogue *epilogue;
  const EpilogueOperand *operands; ///< as seen from row 0 and column 0 of the result
  std::size_t group;
  Rows rows;
  std::size_t firstColumn;
  bool transposed; ///< rows of the part are columns of the result, and the other way round

  /// Finishes blocks with the instructions of Tag. Rows of a part below one another must be so in
  /// the result where a block is a column of it.
  template <class Tag> POP_SIMD_INLINE ErasedFinish finish() const { return {this, &run<Tag>}; }

  template <class Tag> static void run(const void *context, const FinishBlock &block) {
    const EpilogueContext &self = *static_cast<const EpilogueContext *>(context);
    if (block.toHalf)
      self.rowsOf<Tag>(block, static_cast<half *>(block.to));
    else
      self.rowsOf<Tag>(block, static_cast<float *>(block.to));
  }

private:
  template <class Tag, class TOut> void rowsOf(const FinishBlock &block, TOut *to) const {
    const float *sums = block.sums;
    for (std::size_t x = 0; x < block.rows; ++x, sums += block.sumsRow, to += block.toRow) {
      const std::size_t i = transposed ? block.j : block.i + x;
      const std::size_t j = transposed ? block.i + x : block.j;
      line<Tag>(sums, block.columns, to, block.toStep, rows(i), firstColumn + j,
                block.down != transposed);
    }
  }

  /// n sums from (i, j) on, along a row or down a column of the result.
  template <class Tag, class TOut>
  POP_SIMD_INLINE void line(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                            std::size_t i, std::size_t j, bool down) const {
    using V = simd<float, Tag>;
    constexpr std::size_t W = static_cast<std::size_t>(V::width);
    const auto at = [&](std::size_t x, std::size_t lanes) POP_SIMD_LAMBDA {
      return EpilogueAt<V>(operands, group, down ? i + x : i, down ? j : j + x, lanes, down);
    };
    const Epilogue &f = *epilogue;
    std::size_t x = 0;
    for (; step == 1 && x + W <= n; x += W)
      V(f(V::load(sums + x), at(x, W))).store(to + x);
    for (; x < n; x += W) {
      const std::size_t lanes = n - x < W ? n - x : W;
      const V result = f(V::loadPartial(sums + x, lanes), at(x, lanes));
      if (step == 1) {
        result.storePartial(to + x, lanes);
        continue;
      }
      float values[W];
      result.store(values);
      TOut *const first = to + static_cast<std::ptrdiff_t>(x) * step;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        simd<float, isa::scalar>::splat(values[lane])
            .store(first + static_cast<std::ptrdiff_t>(lane) * step);
    }
  }
};

/// sum + bias if there is one, then at least 0 if that is wanted: what the libraries offer without
/// templates.
struct BiasActivation {
  unsigned bias; ///< 1: operand 0 is added
  unsigned relu; ///< 1: max(x, 0), as popnn::relu would be: NaN becomes 0

  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V> at) const {
    if (bias != 0)
      sum = sum + at.operand(0);
    return relu != 0 ? V::max(sum, V::zero()) : sum;
  }
};

} // namespace cottonwood::kernels
