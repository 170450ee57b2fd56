/// \file ConvUpdateChannels.hpp
/// Gradients of the weights of depthwise layers: groups of one input and one output channel, at
/// least a vector of them.
///
/// Lanes of vectors are groups. Inputs and deltas are read strip by strip of one or two vectors, in
/// place if channels lie side by side, else from copies of some lines, in which they do. The sums
/// of a few taps in y and x stay in registers over some lines of deltas: each input of a line meets
/// all taps in x, or, where outputs of the layer are strides apart, each delta meets all inputs of
/// its taps. The last vector begins within the one before it if groups are not whole vectors.
///
/// Sums are float, chains of fused multiply-adds as those of ConvUpdateKernel.hpp.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/poplin/ConvMapColumns.hpp>
#include <codelets/poplin/ConvUpdateArgs.hpp>
#include <codelets/poplin/MatMulPack.hpp>

namespace cottonwood::kernels::detail {

/// Lines of deltas and of the inputs that some taps in y and x of the weights meet there. Tap t in
/// x has columns low[t] to high[t], which both ascend, or descend; there column k of the inputs is
/// in[k * inStep + t * inTapX], that of the deltas deltas[k * deltasStep + t * deltasTap].
template <class TIn> struct ConvUpdateStrip {
  static constexpr unsigned TAPS = 5;

  const TIn *in;
  std::ptrdiff_t inRow, inTapY, inTapX, inStep; ///< to the next line, tap in y and x, column
  const TIn *deltas;
  std::ptrdiff_t deltasRow, deltasTap, deltasStep;
  int rows, low[TAPS], high[TAPS];
  float *sums;
  std::ptrdiff_t sumsTap, sumsVector; ///< to the next tap in y, and vector
};

/// The sums of ROWS taps in y and TAPS in x of VECTORS vectors.
/// \tparam SHARED  taps in x meet the same inputs; else the same deltas
/// \tparam SLIDING  deltas that a tap meets stay in registers for the tap behind, which meets them
/// in the next column
template <class Tag, class TIn, unsigned ROWS, unsigned TAPS, unsigned VECTORS, bool SHARED,
          bool SLIDING>
struct ConvUpdateStripTile {
  using V = simd<float, Tag>;
  static constexpr std::ptrdiff_t W = V::width;

  template <class F> POP_SIMD_INLINE static void forSums(F &&f) {
    unroll<ROWS>([&](auto y) POP_SIMD_LAMBDA {
      unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
        unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA { f(y, t, v); });
      });
    });
  }

  [[gnu::noinline]] static void run(const ConvUpdateStrip<TIn> &given) {
    const ConvUpdateStrip<TIn> s = given;
    V sum[ROWS][TAPS][VECTORS];
    forSums([&](auto y, auto t, auto v) POP_SIMD_LAMBDA {
      sum[y][t][v] = V::load(s.sums + y * s.sumsTap + t * W + v * s.sumsVector);
    });
    // Columns [first, end) are of some taps, those in [from, to) of all.
    constexpr unsigned LEFT = SHARED ? 0 : TAPS - 1, RIGHT = TAPS - 1 - LEFT;
    const int first = s.low[LEFT], end = s.high[RIGHT];
    const int from = s.low[RIGHT] < end ? s.low[RIGHT] : end;
    const int to = s.high[LEFT] < from ? from : s.high[LEFT];
    const TIn *inLine = s.in, *deltasLine = s.deltas;
    for (int row = s.rows; row != 0; --row, inLine += s.inRow, deltasLine += s.deltasRow) {
      const TIn *in = inLine + first * s.inStep, *deltas = deltasLine + first * s.deltasStep;
      V delta[SHARED ? TAPS : 1][VECTORS];
      const auto step = [&](int k, auto all) POP_SIMD_LAMBDA {
        const auto meets = [&](auto t)
                               POP_SIMD_LAMBDA { return all || (k >= s.low[t] && k < s.high[t]); };
        if constexpr (SHARED) {
          unroll<TAPS>([&](auto i) POP_SIMD_LAMBDA {
            constexpr std::ptrdiff_t T = static_cast<std::ptrdiff_t>(TAPS) - 1 - decltype(i)::value;
            if (SLIDING && all && T > 0)
              unroll<VECTORS>([&](auto v)
                                  POP_SIMD_LAMBDA { delta[T][v] = delta[T > 0 ? T - 1 : 0][v]; });
            else if (meets(T))
              unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
                delta[T][v] = V::load(deltas + T * s.deltasTap + v * W);
              });
          });
          unroll<ROWS>([&](auto y) POP_SIMD_LAMBDA {
            unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
              const V value = V::load(in + y * s.inTapY + v * W);
              unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
                if (meets(t))
                  sum[y][t][v] = V::fma(value, delta[t][v], sum[y][t][v]);
              });
            });
          });
        } else {
          unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA { delta[0][v] = V::load(deltas + v * W); });
          unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
            if (meets(t))
              unroll<ROWS>([&](auto y) POP_SIMD_LAMBDA {
                unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
                  const V value = V::load(in + y * s.inTapY + t * s.inTapX + v * W);
                  sum[y][t][v] = V::fma(value, delta[0][v], sum[y][t][v]);
                });
              });
          });
        }
        in += s.inStep, deltas += s.deltasStep;
      };
      int k = first;
      for (; k < from; ++k)
        step(k, std::false_type{});
      if constexpr (SLIDING)
        if (k < to)
          unroll<TAPS - 1>([&](auto t) POP_SIMD_LAMBDA {
            unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
              delta[t][v] = V::load(deltas + (t + 1) * s.deltasTap + v * W);
            });
          });
      for (; k < to; ++k)
        step(k, std::true_type{});
      for (; k < end; ++k)
        step(k, std::false_type{});
    }
    forSums([&](auto y, auto t, auto v) POP_SIMD_LAMBDA {
      sum[y][t][v].store(s.sums + y * s.sumsTap + t * W + v * s.sumsVector);
    });
  }
};

template <class Tag, class TIn, class TOut> class ConvUpdateChannels {
public:
  using Args = ConvUpdateArgs<TIn, TOut>;
  using V = simd<float, Tag>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);

  /// \param args  at least W groups of one input and one output channel
  explicit ConvUpdateChannels(const Args &args)
      : args_(args), shape_(args.shape), vectors_((args.groups + W - 1) / W),
        taps_(shape_.outputs()), sums_(alignedToLine(args.workspace)),
        copies_(sums_ + vectors_ * taps_ * W), shared_(shape_.tapStepX == 1) {}

  void run() {
    for (std::size_t x = 0; x < vectors_ * taps_ * W; ++x)
      sums_[x] = 0;
    const bool inPlace = args_.inChannel == 1 && args_.deltasChannel == 1;
    const int band = inPlace ? lines() : copiedLines();
    for (std::size_t b = 0; b < args_.images; ++b)
      for (int y = 0; y < shape_.tapsY; y += band)
        for (std::size_t v = 0; v < vectors_; v += VECTORS)
          addStrip(b, v, {y, y + band < shape_.tapsY ? y + band : shape_.tapsY}, inPlace);
    for (std::size_t v = 0; v < vectors_; ++v)
      for (std::size_t t = 0; t < taps_; ++t)
        V::load(sums_ + (v * taps_ + t) * W).store(args_.out[t] + channelOf(v));
  }

private:
  /// The first line and column of both operands of some vectors, and those behind them.
  template <class T> struct Operands {
    const T *in;
    std::ptrdiff_t inRow, inColumn;
    const T *deltas;
    std::ptrdiff_t deltasRow, deltasColumn;
    int inLine = 0, deltasLine = 0; ///< which their first lines are
  };
  /// Most taps and sums of a tile, which are in registers with deltas and an input.
  static constexpr unsigned VECTORS = W >= 16 ? 2 : 1, ROWS = W > 1 ? 3 : 1, TAPS = 3;

  using Range = ConvUpdateRange;

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  static std::ptrdiff_t at(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }
  static int within(int n, int most) { return n < 0 ? 0 : n < most ? n : most; }

  std::size_t channelOf(std::size_t v) const {
    return v * W + W <= args_.groups ? v * W : args_.groups - W;
  }

  /// Lines of deltas that all strips meet together: L2 keeps them and their inputs.
  int lines() const {
    constexpr std::size_t BYTES = 128 * 1024;
    const std::size_t line = args_.groups * sizeof(TIn) *
                             (size(shape_.inputsX) * size(shape_.tapStepY) + size(shape_.tapsX));
    const std::size_t most = BYTES / line;
    return most < 1 ? 1 : most < size(shape_.tapsY) ? static_cast<int>(most) : shape_.tapsY;
  }

  /// Those whose copies fill the scratch, which has room for CONV_UPDATE_VECTORS vectors of some.
  int copiedLines() const {
    const std::size_t most = CONV_UPDATE_VECTORS / VECTORS * convUpdateLines(shape_, W);
    return most < size(shape_.tapsY) ? static_cast<int>(most) : shape_.tapsY;
  }

  void addStrip(std::size_t b, std::size_t v, Range lines, bool inPlace) {
    // The last vector begins within the one before it.
    const bool pair = VECTORS > 1 && v + 1 < vectors_ && channelOf(v + 1) == channelOf(v) + W;
    const auto some = [&](std::size_t first, unsigned n) {
      const std::ptrdiff_t channel = at(channelOf(first));
      const Operands<TIn> operands{
          .in = args_.in + at(b) * args_.inImage + channel * args_.inChannel,
          .inRow = args_.inRow,
          .inColumn = args_.inColumn,
          .deltas = args_.deltas + at(b) * args_.deltasImage + channel * args_.deltasChannel,
          .deltasRow = args_.deltasRow,
          .deltasColumn = args_.deltasColumn};
      if (inPlace)
        add(operands, first, n, lines);
      else
        add(copied(operands, n, lines), first, n, lines);
    };
    some(v, pair ? VECTORS : 1);
    if (VECTORS > 1 && !pair && v + 1 < vectors_)
      some(v + 1, 1);
  }

  /// Those of n vectors that some lines of deltas need, in scratch with the vectors side by side.
  Operands<float> copied(const Operands<TIn> &from, unsigned n, Range lines) const {
    const Range met = inputLines(shape_, lines);
    const std::ptrdiff_t step = at(n * W);
    float *const in = copies_ + (lines.to - lines.from) * shape_.tapsX * step;
    for (unsigned v = 0; v < n; ++v) {
      copyLines(from.deltas + lines.from * from.deltasRow, from.deltasRow, from.deltasColumn,
                args_.deltasChannel, v, lines.to - lines.from, shape_.tapsX, copies_, step);
      copyLines(from.in + met.from * from.inRow, from.inRow, from.inColumn, args_.inChannel, v,
                met.to - met.from, shape_.inputsX, in, step);
    }
    return {.in = in,
            .inRow = shape_.inputsX * step,
            .inColumn = step,
            .deltas = copies_,
            .deltasRow = shape_.tapsX * step,
            .deltasColumn = step,
            .inLine = met.from,
            .deltasLine = lines.from};
  }

  /// Of vector v of those from `from` on.
  static void copyLines(const TIn *from, std::ptrdiff_t row, std::ptrdiff_t column,
                        std::ptrdiff_t channel, unsigned v, int rows, int columns, float *to,
                        std::ptrdiff_t step) {
    from += v * at(W) * channel, to += v * at(W);
    if (channel != 1)
      return copyMapLines<V>(from, channel, W, row, rows, columns, to, step);
    for (; rows > 0; --rows, from += row, to += columns * step)
      for (int x = 0; x < columns; ++x)
        V::load(from + x * column).storeAligned(to + x * step);
  }

  template <class T>
  void add(const Operands<T> &operands, std::size_t v, unsigned vectors, Range lines) {
    for (int j = 0; j < shape_.outputsX;) {
      const int tapsX = firstPart(shape_.outputsX - j, TAPS);
      ConvUpdateStrip<T> s;
      const ColumnsFrom from = setColumns(operands, s, j, tapsX);
      for (int i = 0; i < shape_.outputsY;) {
        const int tapsY = firstPart(shape_.outputsY - i, ROWS);
        s.sumsTap = shape_.outputsX * at(W), s.sumsVector = at(taps_ * W);
        // Lines that the same of these taps have.
        for (int y = lines.from, end; y < lines.to; y = end) {
          const Range some = tapsOf(y, i, tapsY);
          for (end = y + 1; end < lines.to; ++end)
            if (const Range next = tapsOf(end, i, tapsY);
                next.from != some.from || next.to != some.to)
              break;
          if (some.empty())
            continue;
          s.in = operands.in + from.in +
                 (shape_.inputY(some.from, 0) + y * shape_.tapStepY - operands.inLine) *
                     operands.inRow;
          s.deltas = operands.deltas + from.deltas + (y - operands.deltasLine) * operands.deltasRow;
          s.rows = end - y;
          s.sums = sums_ + v * taps_ * W + size(some.from * shape_.outputsX + j) * W;
          pick<ROWS, TAPS, VECTORS>(some.to - some.from, tapsX, vectors, s);
        }
        i += tapsY;
      }
      j += tapsX;
    }
  }

  /// Taps in y of n from i on whose inputs exist for line y of the deltas.
  Range tapsOf(int y, int i, int n) const {
    const int first = shape_.inputY(0, 0) + y * shape_.tapStepY;
    return meeting(first, shape_.strideY, shape_.inputsY, {i, i + n});
  }

  /// Where the column numbered 0 lies, from the first one of a line.
  struct ColumnsFrom {
    std::ptrdiff_t in, deltas;
  };
  /// Columns of n taps in x from j on.
  template <class T>
  ColumnsFrom setColumns(const Operands<T> &operands, ConvUpdateStrip<T> &s, int j, int n) const {
    s.inRow = shape_.tapStepY * operands.inRow, s.inTapY = shape_.strideY * operands.inRow;
    s.deltasRow = operands.deltasRow, s.deltasStep = operands.deltasColumn;
    const int first = shape_.inputX(j, 0);
    if (shared_) {
      s.inStep = operands.inColumn, s.inTapX = 0;
      s.deltasTap = -shape_.strideX * operands.deltasColumn;
      for (int t = 0; t < n; ++t) {
        const int shift = first + t * shape_.strideX;
        s.low[t] = within(shift, shape_.inputsX);
        s.high[t] = within(shift + shape_.tapsX, shape_.inputsX);
      }
      return {0, -first * operands.deltasColumn};
    } else {
      s.inStep = shape_.tapStepX * operands.inColumn;
      s.inTapX = shape_.strideX * operands.inColumn;
      s.deltasTap = 0;
      for (int t = 0; t < n; ++t) {
        const Range r =
            meeting(first + t * shape_.strideX, shape_.tapStepX, shape_.inputsX, {0, shape_.tapsX});
        s.low[t] = r.from, s.high[t] = r.to;
      }
      return {first * operands.inColumn, 0};
    }
  }

  template <unsigned Y, unsigned X, unsigned C, class T>
  void pick(int y, int x, unsigned c, const ConvUpdateStrip<T> &s) {
    if constexpr (Y > 1)
      if (y < static_cast<int>(Y))
        return pick<Y - 1, X, C>(y, x, c, s);
    if constexpr (X > 1)
      if (x < static_cast<int>(X))
        return pick<Y, X - 1, C>(y, x, c, s);
    if constexpr (C > 1)
      if (c < C)
        return pick<Y, X, C - 1>(y, x, c, s);
    // Short vectors need fewer loads than there are.
    constexpr bool SLIDING = W >= 16 && X > 1;
    if (SLIDING && shared_ && shape_.strideX == 1)
      ConvUpdateStripTile<Tag, T, Y, X, C, true, SLIDING>::run(s);
    else if (shared_)
      ConvUpdateStripTile<Tag, T, Y, X, C, true, false>::run(s);
    else
      ConvUpdateStripTile<Tag, T, Y, X, C, false, false>::run(s);
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  const std::size_t vectors_, taps_;
  float *const sums_, *const copies_;
  const bool shared_;
};

} // namespace cottonwood::kernels::detail
