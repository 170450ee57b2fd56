/// \file ConvUpdateKernel.hpp
/// Gradients of the weights of groups of few channels, for one core.
///
/// Lanes of a vector are the output channels of neighbouring groups. Some lines of their deltas,
/// and the inputs that these meet, are copied to scratch as vectors of floats. A vector of inputs
/// is permuted for each input channel, so that every lane has that of its own group (where all are
/// of one group the channel is broadcast), and meets the deltas of all outputs of a line that some
/// taps have there. Sums of a few taps and input channels stay in registers over these lines.
///
/// Sums are float, chains of fused multiply-adds over images, lines and columns of the deltas in
/// ascending order, without those that meet padding, rounded once into the output.
#pragma once

#include <codelets/arch/SimdTable.hpp>
#include <codelets/poplin/ConvMapColumns.hpp>
#include <codelets/poplin/ConvUpdateArgs.hpp>
#include <codelets/poplin/ConvUpdateChannels.hpp>
#include <codelets/poplin/MatMulPack.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels {

namespace detail {

/// Where operands of the next lines are in memory, in bytes: of a row's first column of inputs or
/// deltas, from there to the next row, to the next tap in y and to the next column.
struct ConvUpdateAhead {
  const char *at;
  std::ptrdiff_t row, tap, column;
};

/// Lines of deltas and the inputs that one tap of the weights in y has there; all are vectors of
/// floats. Column r of the inputs meets column r - shift[t] of the deltas for tap t in x.
struct ConvUpdateLines {
  const float *in;
  std::ptrdiff_t inRow, inTap, inColumn; ///< to the next line, tap in y, column
  const float *deltas;
  int rows, columns, width;  ///< of deltas; of inputs, of deltas
  const std::int32_t *index; ///< lanes of inputs: a vector an input channel ...
  std::int32_t indexFrom;    ///< ... to which this is added
  int shift[3];
  float *sums[3]; ///< of taps in x; those of the next tap in y and of the next channel follow
  std::ptrdiff_t sumsTap, sumsChannel;
  ConvUpdateAhead aheadIn, aheadDeltas; ///< fetched meanwhile
};

/// The sums of ROWS taps in y, TAPS in x, and CHANNELS input channels.
/// \tparam ALONE  all lanes are of one group: each input channel is a broadcast
template <class Tag, unsigned ROWS, unsigned TAPS, unsigned CHANNELS, bool ALONE>
struct ConvUpdateTile {
  using V = simd<float, Tag>;
  using Int = typename V::Int;
  static constexpr std::ptrdiff_t W = V::width;

  template <class F> POP_SIMD_INLINE static void forSums(F &&f) {
    unroll<ROWS>([&](auto y) POP_SIMD_LAMBDA {
      unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
        unroll<CHANNELS>([&](auto c) POP_SIMD_LAMBDA { f(y, t, c); });
      });
    });
  }

  [[gnu::noinline]] static void run(const ConvUpdateLines &given) {
    const ConvUpdateLines l = given;
    V sum[ROWS][TAPS][CHANNELS];
    Int index[CHANNELS];
    forSums([&](auto y, auto t, auto c) POP_SIMD_LAMBDA {
      sum[y][t][c] = V::load(l.sums[t] + y * l.sumsTap + c * l.sumsChannel);
    });
    if constexpr (!ALONE)
      unroll<CHANNELS>([&](auto c) POP_SIMD_LAMBDA {
        index[c] = Int::load(l.index + c * W) + Int::splat(l.indexFrom);
      });
    // Columns [first, end) meet deltas, those in [from, to) for all taps.
    const auto within = [&](int r) { return r < 0 ? 0 : r < l.columns ? r : l.columns; };
    const int first = within(l.shift[0]), end = within(l.shift[TAPS - 1] + l.width);
    const int begun = within(l.shift[TAPS - 1]), from = begun < end ? begun : end;
    const int last = within(l.shift[0] + l.width), to = last < from ? from : last;
    const float *in = ALONE ? l.in + l.indexFrom : l.in, *deltas = l.deltas;
    const char *aheadIn = l.aheadIn.at, *aheadDeltas = l.aheadDeltas.at;
    // Broadcasts are bound by loads, of which a request where nothing is fetched is one; a branch
    // costs more where vectors are permuted.
    const bool fetches = !ALONE || l.aheadIn.column != 0 || l.aheadDeltas.column != 0;
    for (int row = l.rows; row != 0; --row, in += l.inRow, deltas += l.width * W) {
      const auto step = [&](int r, auto all) POP_SIMD_LAMBDA {
        const auto meets = [&](auto t) POP_SIMD_LAMBDA {
          return all || static_cast<unsigned>(r - l.shift[t]) < static_cast<unsigned>(l.width);
        };
        if (fetches) {
          __builtin_prefetch(aheadDeltas + r * l.aheadDeltas.column, 0, 2);
          unroll<ROWS>([&](auto y) POP_SIMD_LAMBDA {
            __builtin_prefetch(aheadIn + r * l.aheadIn.column + y * l.aheadIn.tap, 0, 2);
          });
        }
        V delta[TAPS];
        unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
          if (meets(t))
            delta[t] = V::loadAligned(deltas + (r - l.shift[t]) * W);
        });
        unroll<ROWS>([&](auto y) POP_SIMD_LAMBDA {
          const float *const inputs = in + r * l.inColumn + y * l.inTap;
          V value[CHANNELS];
          if constexpr (ALONE) {
            unroll<CHANNELS>([&](auto c) POP_SIMD_LAMBDA { value[c] = V::broadcast(inputs + c); });
          } else {
            const V loaded = V::loadAligned(inputs);
            unroll<CHANNELS>(
                [&](auto c) POP_SIMD_LAMBDA { value[c] = arch::permuteLanes(loaded, index[c]); });
          }
          unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
            if (meets(t))
              unroll<CHANNELS>([&](auto c) POP_SIMD_LAMBDA {
                sum[y][t][c] = V::fma(value[c], delta[t], sum[y][t][c]);
              });
          });
        });
      };
      for (int r = first; r < from; ++r)
        step(r, std::false_type{});
      for (int r = from; r < to; ++r)
        step(r, std::true_type{});
      for (int r = to; r < end; ++r)
        step(r, std::false_type{});
      aheadIn += l.aheadIn.row, aheadDeltas += l.aheadDeltas.row;
    }
    forSums([&](auto y, auto t, auto c) POP_SIMD_LAMBDA {
      sum[y][t][c].store(l.sums[t] + y * l.sumsTap + c * l.sumsChannel);
    });
  }
};

template <class Tag, class TIn, class TOut> class ConvUpdate {
public:
  using Args = ConvUpdateArgs<TIn, TOut>;

  explicit ConvUpdate(const Args &args)
      : args_(args), shape_(args.shape), lanes_(args.inChannels, args.outChannels, W),
        vectors_(lanes_.vectors(args.groups)), sumsOfVector_(convUpdateSums(shape_, lanes_)),
        lines_(static_cast<int>(convUpdateLines(shape_, W))), sums_(alignedToLine(args.workspace)),
        deltasPlane_(size(lines_) * size(shape_.tapsX) * W),
        inPlane_(convUpdateInputs(shape_, size(lines_)) * size(shape_.inputsX) * W),
        deltas_(sums_ + vectors_ * sumsOfVector_),
        in_(deltas_ + CONV_UPDATE_VECTORS * deltasPlane_) {
    chooseSets();
    for (int i = 0; i < CONV_UPDATE_TAPS && i < shape_.outputsY; ++i)
      met_[i] = meetingTap(i);
    for (std::size_t c = 0; c < CHANNELS; ++c)
      for (std::size_t i = 0; i < W; ++i)
        index_[c][i] =
            static_cast<std::int32_t>((i < lanes_.lanes ? i / lanes_.out * lanes_.in : 0) + c);
  }

  void run() {
    for (std::size_t x = 0; x < vectors_ * sumsOfVector_; ++x)
      sums_[x] = 0;
    for (std::size_t v = 0; v < vectors_; v += CONV_UPDATE_VECTORS) {
      const std::size_t left = vectors_ - v,
                        n = left < CONV_UPDATE_VECTORS ? left : CONV_UPDATE_VECTORS;
      for (std::size_t b = 0; b < args_.images; ++b)
        for (int y = 0; y < shape_.tapsY; y += lines_)
          addVectors(v, n, b, {y, y + lines_ < shape_.tapsY ? y + lines_ : shape_.tapsY});
    }
    store();
  }

private:
  using V = simd<float, Tag>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  /// Most taps and input channels of a tile; and most sums, which are in registers with deltas,
  /// inputs and their permutations, or, where all lanes are of one group, without the latter.
  static constexpr unsigned ROWS = 3, TAPS = 3,
                            CHANNELS = W == 1    ? 1
                                       : W >= 16 ? 4
                                                 : 3,
                            SUMS = W >= 16 ? 12 : 9, ALONE_SUMS = W >= 16 ? 24 : 9;

  /// Columns whose operands are fetched ahead of time.
  static constexpr std::ptrdiff_t AHEAD = 4;

  /// Taps of weights in x whose deltas lie in the same columns of the input.
  struct Set {
    int taps, tap[TAPS], shift[TAPS];
    int first, columns; ///< of the input
  };
  using Range = ConvUpdateRange;

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  static std::ptrdiff_t at(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

  void chooseSets() {
    const int step = shape_.tapStepX;
    for (int first = 0; first < step; ++first) {
      int taps[CONV_UPDATE_TAPS], n = 0;
      for (int j = 0; j < shape_.outputsX; ++j)
        if (const int in = shape_.inputX(j, 0); in - floorQuotient(in, step) * step == first)
          taps[n++] = j;
      for (int t = 0; t < n;) {
        Set &set = sets_[numSets_++];
        set.first = first, set.columns = (shape_.inputsX - first + step - 1) / step;
        set.taps = firstPart(n - t, TAPS);
        for (int k = 0; k < set.taps; ++k, ++t) {
          set.tap[k] = taps[t];
          set.shift[k] = floorQuotient(shape_.inputX(taps[t], 0), step);
        }
      }
    }
  }

  /// Lines of all deltas that tap i of the weights in y has.
  Range meetingTap(int i) const {
    return meeting(shape_.inputY(i, 0), shape_.tapStepY, shape_.inputsY, {0, shape_.tapsY});
  }
  /// Those among `all`.
  Range linesOf(int i, Range all) const {
    return (i < CONV_UPDATE_TAPS ? met_[i] : meetingTap(i)).within(all);
  }

  /// Lines of the deltas of image b for n vectors from v on.
  void addVectors(std::size_t v, std::size_t n, std::size_t b, Range lines) {
    std::size_t first[CONV_UPDATE_VECTORS];
    for (std::size_t u = 0; u < n; ++u)
      first[u] = lanes_.channelOf(v + u);
    const TIn *const deltas = args_.deltas + at(b) * args_.deltasImage;
    const TIn *const inputs = args_.in + at(b) * args_.inImage;
    copy({deltas + lines.from * args_.deltasRow, args_.deltasRow, args_.deltasColumn,
          args_.deltasChannel, args_.groups * lanes_.out},
         first, n, lines.to - lines.from, shape_.tapsX, deltas_, deltasPlane_);
    const Range met = inputLines(shape_, lines);
    for (std::size_t c = 0; c < lanes_.in; c += lanes_.inputs) {
      for (std::size_t u = 0; u < n; ++u)
        first[u] = lanes_.channelOf(v + u) / lanes_.out * lanes_.in + c;
      copy({inputs + met.from * args_.inRow, args_.inRow, args_.inColumn, args_.inChannel,
            args_.groups * lanes_.in},
           first, n, met.to - met.from, shape_.inputsX, in_, inPlane_);
      const std::size_t last = c + lanes_.inputs < lanes_.in ? c + lanes_.inputs : lanes_.in;
      for (std::size_t u = 0; u < n; ++u)
        for (std::size_t k = c; k < last;) {
          const int channels = firstPart(static_cast<int>(last - k), CHANNELS);
          for (int s = 0; s < numSets_; ++s)
            addSet(v, u, k, channels, static_cast<int>(k - c), sets_[s], lines, met.from,
                   k == c && args_.inChannel == 1 ? inputs + first[u] : nullptr,
                   k == 0 && s == 0 && args_.deltasChannel == 1 ? deltas + lanes_.channelOf(v + u)
                                                                : nullptr);
          k += size(channels);
        }
    }
  }

  /// Lines of all channels in memory.
  struct Lines {
    const TIn *from;
    std::ptrdiff_t row, column, channel;
    std::size_t channels;
  };
  /// Those of n vectors of channels from `first` on, each to its dense plane. Lines of memory are
  /// fetched as they lie there.
  static void copy(Lines lines, const std::size_t *first, std::size_t n, int rows, int columns,
                   float *to, std::size_t plane) {
    const std::size_t all = lines.channels;
    if (lines.channel != 1) {
      for (std::size_t u = 0; u < n; ++u)
        copyMapLines<V>(lines.from + at(first[u]) * lines.channel, lines.channel,
                        all - first[u] < W ? all - first[u] : W, lines.row, rows, columns,
                        to + u * plane, at(W));
      return;
    }
    std::size_t whole = n; // the others end behind all channels
    while (whole != 0 && all - first[whole - 1] < W)
      --whole;
    for (; rows > 0; --rows, lines.from += lines.row, to += columns * at(W)) {
      const TIn *p = lines.from;
      float *q = to;
      for (int x = 0; x < columns; ++x, p += lines.column, q += W) {
        for (std::size_t u = 0; u < whole; ++u) {
          __builtin_prefetch(p + AHEAD * lines.column + first[u]);
          V::load(p + first[u]).storeAligned(q + u * plane);
        }
        for (std::size_t u = whole; u < n; ++u)
          V::loadPartial(p + first[u], all - first[u]).storeAligned(q + u * plane);
      }
    }
  }

  /// All taps in y of a set, for n input channels from c on, which are those from `from` on of
  /// their vector; the copied inputs begin with line `begin`. Meanwhile operands of the next lines
  /// are fetched, from the image's inputs and deltas, unless null.
  void addSet(std::size_t v, std::size_t u, std::size_t c, int n, int from, const Set &set,
              Range lines, int begin, const TIn *inputs, const TIn *deltas) {
    ConvUpdateLines l;
    const std::ptrdiff_t inRow = shape_.inputsX * at(W);
    l.inRow = shape_.tapStepY * inRow, l.inTap = shape_.strideY * inRow;
    l.inColumn = shape_.tapStepX * at(W);
    l.columns = set.columns, l.width = shape_.tapsX;
    l.index = index_[0], l.indexFrom = from;
    l.sumsTap = shape_.outputsX * at(W), l.sumsChannel = at(shape_.outputs() * W);
    float *const sums = sums_ + (v + u) * sumsOfVector_ + c * shape_.outputs() * W;
    const auto add = [&](int i, int taps, Range some) {
      if (some.empty())
        return;
      l.in = in_ + u * inPlane_ +
             (shape_.inputY(i, 0) + some.from * shape_.tapStepY - begin) * inRow +
             set.first * at(W);
      l.deltas = deltas_ + u * deltasPlane_ + (some.from - lines.from) * shape_.tapsX * at(W);
      l.rows = some.to - some.from;
      const int next = some.from + lines_;
      l.aheadIn = l.aheadDeltas = {reinterpret_cast<const char *>(sums), 0, 0, 0};
      if (inputs && i < shape_.tapStepY)
        l.aheadIn = aheadOf(inputs, args_.inRow, args_.inColumn,
                            shape_.inputY(i, 0) + next * shape_.tapStepY, set.first,
                            shape_.tapStepY, shape_.tapStepX, shape_.strideY);
      if (deltas && i == 0)
        l.aheadDeltas =
            aheadOf(deltas, args_.deltasRow, args_.deltasColumn, next, -set.shift[0], 1, 1, 0);
      for (int t = 0; t < set.taps; ++t)
        l.sums[t] = sums + i * l.sumsTap + set.tap[t] * at(W), l.shift[t] = set.shift[t];
      if (alone_)
        pick<ROWS, TAPS, CHANNELS, (W > 1)>(taps, set.taps, n, l);
      else
        pick<ROWS, TAPS, CHANNELS, false>(taps, set.taps, n, l);
    };
    const int each = set.taps * n, most = static_cast<int>(alone_ ? ALONE_SUMS : SUMS) / each;
    for (int i = 0; i < shape_.outputsY;) {
      const int taps = firstPart(shape_.outputsY - i, most < 1 ? 1 : most < 3 ? most : 3);
      // Lines that all of them have, and those before and behind.
      Range common = lines;
      for (int k = i; k < i + taps; ++k)
        common = linesOf(k, common);
      if (common.empty())
        common.from = common.to = lines.to;
      for (int k = i; k < i + taps; ++k)
        add(k, 1, linesOf(k, {lines.from, common.from}));
      add(i, taps, common);
      for (int k = i; k < i + taps; ++k)
        add(k, 1, linesOf(k, {common.to, lines.to}));
      i += taps;
    }
  }

  /// From (y, x) of a plane on: lines, columns and taps so many of its own apart.
  static ConvUpdateAhead aheadOf(const TIn *plane, std::ptrdiff_t row, std::ptrdiff_t column, int y,
                                 int x, int stepY, int stepX, int tap) {
    constexpr auto BYTES = static_cast<std::ptrdiff_t>(sizeof(TIn));
    return {reinterpret_cast<const char *>(plane) + (y * row + x * column) * BYTES,
            stepY * row * BYTES, tap * row * BYTES, stepX * column * BYTES};
  }

  /// The tile of so many taps in y and x and channels, at most the template's.
  template <unsigned Y, unsigned X, unsigned C, bool ALONE>
  static void pick(int y, int x, int c, const ConvUpdateLines &l) {
    if constexpr (Y > 1)
      if (y < static_cast<int>(Y))
        return pick<Y - 1, X, C, ALONE>(y, x, c, l);
    if constexpr (X > 1)
      if (x < static_cast<int>(X))
        return pick<Y, X - 1, C, ALONE>(y, x, c, l);
    if constexpr (C > 1)
      if (c < static_cast<int>(C))
        return pick<Y, X, C - 1, ALONE>(y, x, c, l);
    if constexpr (Y == 1 || Y * X * C <= (ALONE ? ALONE_SUMS : SUMS))
      ConvUpdateTile<Tag, Y, X, C, ALONE>::run(l);
  }

  void store() const {
    const std::size_t taps = shape_.outputs() * lanes_.in;
    const float *from = sums_;
    for (std::size_t v = 0; v < vectors_; ++v) {
      const std::size_t channel = lanes_.channelOf(v);
      const std::size_t left = lanes_.parts > 1 ? lanes_.out - channel % lanes_.out
                                                : args_.groups * lanes_.out - channel;
      const std::size_t n = left < lanes_.lanes ? left : lanes_.lanes;
      for (std::size_t t = 0; t < taps; ++t, from += W)
        V::load(from).storePartial(args_.out[t] + channel, n);
    }
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  const ConvUpdateLanes lanes_;
  const bool alone_ = W > 1 && lanes_.groups == 1; ///< all lanes are of one group
  const std::size_t vectors_, sumsOfVector_;
  const int lines_; ///< of deltas, copied at a time
  float *const sums_;
  const std::size_t deltasPlane_, inPlane_;
  float *const deltas_, *const in_;
  int numSets_ = 0;
  Set sets_[CONV_UPDATE_TAPS];
  Range met_[CONV_UPDATE_TAPS]; ///< meetingTap() of the first ones, which cost divisions
  std::int32_t index_[CHANNELS][W];
};

} // namespace detail

template <class Tag, class TIn, class TOut>
void updateWeights(const ConvUpdateArgs<TIn, TOut> &args) {
  using Channels = detail::ConvUpdateChannels<Tag, TIn, TOut>;
  if (args.inChannels * args.outChannels == 1 && args.groups >= Channels::W)
    return Channels(args).run();
  detail::ConvUpdate<Tag, TIn, TOut>(args).run();
}

} // namespace cottonwood::kernels
