/// \file ConvGroupLines.hpp
/// Convolutions of groups of few channels, those of a vector of 16 outputs in one of inputs,
/// several lines of outputs at a time.
///
/// A line of taps is added to all sums of a block of lines (ConvLinesPass.hpp) before the next one;
/// meanwhile sums that no tap meets are in scratch.
///
/// Chains are those of ConvGroupsKernel.hpp. What lies in the padding is left out.
#pragma once

#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/ConvGroupsWeights.hpp>
#include <codelets/poplin/ConvLinesPass.hpp>
#include <codelets/poplin/ConvMapColumns.hpp>
#include <codelets/poplin/MatMulPack.hpp>

namespace cottonwood::kernels::detail {

/// \tparam SHARED  vectors of output channels are those of several groups
template <class Tag, class TIn, class TOut, bool SHARED> class ConvGroupLines {
public:
  using Args = ConvGroupsArgs<TIn, TOut>;

  explicit ConvGroupLines(const Args &args)
      : args_(args), shape_(args.shape), phases_(args.allPhases()),
        space_(args.shape, phases_, args.cut), columns_(args.groups * args.outChannels),
        channels_(args.inChannels), inputs_(alignedToLine(args.workspace)),
        sums_(inputs_ + space_.places * space_.rows * W), weights_(args, sums_ + space_.sums * W) {
    int tapsY = 0;
    for (std::size_t phase = 0; phase < args.phasesY; ++phase)
      tapsY += args.phases[phase].taps;
    for (std::ptrdiff_t y = 0; y < tapsY; ++y)
      for (std::ptrdiff_t x = 0; x < phases_.tapsX; ++x)
        weights_.addTap(y * args.weightsY + x * args.weightsX);
    while (args.phases[args.phasesY + size(firstPhase_)].weight != 0)
      ++firstPhase_;
  }

  void run() {
    const std::size_t each = SHARED ? W : args_.outChannels;
    for (std::size_t column = 0; column < columns_; column += each) {
      lanes_ = {column, SHARED ? columns_ : column + each, channels_, args_.outChannels};
      packed_ = weights_.packedOrOwn(lanes_);
      in_ = args_.in + static_cast<std::ptrdiff_t>(lanes_.channel) * args_.inChannel;
      for (image_ = 0; image_ < args_.images; ++image_, in_ += args_.inImage)
        for (int x = 0; x < shape_.outputsX; x += args_.cut.strip)
          runStrip(x, std::min(args_.cut.strip, shape_.outputsX - x));
    }
  }

private:
  using V = simd<float, Tag>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// n outputs from x on of each line and phase.
  void runStrip(int x, int n) {
    const int stride = shape_.strideX, low = shape_.firstX, phasesX = phases_.x;
    firstX_ = std::max(x * stride + low, 0);
    endX_ = std::min((x + n - 1) * stride + low + shape_.tapsX, shape_.inputsX);
    step_ = (firstX_ - low) / stride, endStep_ = (endX_ - low + stride - 1) / stride;
    copied_ = INT32_MIN;
    const int outputs = std::min(n * phasesX, static_cast<int>(args_.width) - x * phasesX);
    for (int y = 0; y < shape_.outputsY; y += args_.cut.lines) {
      const int lines = std::min(args_.cut.lines, shape_.outputsY - y);
      copyInputs(y, lines);
      for (std::size_t i = 0; i < args_.phasesY; ++i) {
        const auto count = static_cast<int>((args_.lines - i + args_.phasesY - 1) / args_.phasesY);
        if (y < count)
          runLines({args_.phases[i], i}, y, std::min(lines, count - y), x * phasesX, outputs);
      }
    }
  }

  /// Those of lines from y on, but for those that the lines before have met.
  void copyInputs(int y, int lines) {
    const int low = lowest(y), end = std::min(low + (lines - 1) * shape_.strideY + 1 +
                                                  static_cast<int>(space_.reach),
                                              shape_.inputsY);
    int from = std::max(low, 0);
    if (copied_ > from) {
      keepInputs(size(from - low_), size(from - low), size(copied_ - from));
      from = copied_;
    }
    low_ = low, copied_ = std::max(end, from);
    for (; from < end; ++from)
      copyLine(from, inputs_ + size(from - low) * W);
  }
  /// The first input line that output line y of a phase meets, in the padding maybe.
  int lowest(int y) const {
    return y * shape_.strideY + shape_.firstY + std::min((shape_.tapsY - 1) * shape_.tapStepY, 0);
  }
  void keepInputs(std::size_t from, std::size_t to, std::size_t lines) const {
    float *place = inputs_;
    for (int x = firstX_; x < endX_; ++x, place += space_.rows * W)
      for (std::size_t i = 0; i < lines; ++i)
        V::load(place + (from + i) * W).store(place + (to + i) * W);
  }

  void copyLine(int y, float *to) const {
    const TIn *from = in_ + y * args_.inY + firstX_ * args_.inX;
    const std::size_t n = size(endX_ - firstX_), step = space_.rows * W, span = lanes_.span;
    if (args_.inChannel == 1) {
      for (std::size_t x = 0; x < n; ++x, from += args_.inX, to += step)
        (span == W ? V::load(from) : V::loadPartial(from, span)).store(to);
      return;
    }
    eachMapColumn<V>(from, args_.inChannel, span, n,
                     [&](std::size_t x, V v) POP_SIMD_LAMBDA { v.store(to + x * step); });
  }

  /// Of lines: line y is y * phases + at of all.
  struct Phase {
    ConvPhase taps;
    std::size_t at;
  };
  std::size_t lineOf(const Phase &phase, int y) const { return size(y) * args_.phasesY + phase.at; }
  /// Lines [from, to) of those from y on, which meet an input at a line of all phases' taps.
  struct Lines {
    int from, to;
  };
  Lines linesOf(int tapY, int y, int lines) const {
    const int row = rowOf(tapY, y), stride = shape_.strideY;
    const int end = shape_.inputsY - row;
    return {row < 0 ? (stride - 1 - row) / stride : 0,
            end <= 0 ? 0 : std::min(lines, (end + stride - 1) / stride)};
  }
  int rowOf(int tapY, int y) const {
    return y * shape_.strideY + shape_.firstY + tapY * shape_.tapStepY;
  }

  /// The outputs of lines of a phase from y on, n from x on of each.
  void runLines(const Phase &phase, int y, int lines, int x, int n) const {
    const int first = phase.taps.first, taps = phase.taps.taps;
    const Lines none{0, 0};
    const Lines behind = taps == 0 ? none : linesOf(first + taps - 1, y, lines);
    clearLines(taps == 0 ? none : linesOf(first, y, lines), lines);
    // The first outputs that all taps of a line are added to are not those of the strip.
    const int skip = reachX() - (step_ * phases_.x + firstPhase_ - x);
    for (int tap = 0; tap < taps; ++tap) {
      const Lines some = linesOf(first + tap, y, lines);
      if (some.from >= some.to)
        continue;
      ConvLinesPass pass = passOf(phase, tap, y, some.from, skip);
      pass.first = tap == 0;
      const int at = y + some.from, count = some.to - some.from;
      const bool last = tap + 1 == taps && !args_.outMaps;
      fetchInputs(pass, first + tap == 0);
      if (last) {
        ConvLinesEnd<TOut> end = outputs(lineOf(phase, at), x - skip);
        end.skip = size(skip), end.count = size(n);
        fetchOutputs(pass, end);
        addLines(pass, count, end);
      } else {
        float *const to = pass.sums - size(reachX()) * step();
        addLines(pass, count,
                 ConvLinesEnd<float>{to, static_cast<std::ptrdiff_t>(step()), W, W, 0, SIZE_MAX});
      }
    }
    const int done =
        args_.outMaps ? 0 : std::min(std::max((endStep_ - step_) * phases_.x - skip, 0), n);
    for (int l = 0; l < lines; ++l)
      storeLine(lineOf(phase, y + l), x, n, sums_ + size(reachX()) * step() + size(l) * W,
                l >= behind.from && l < behind.to ? done : 0);
  }
  /// Sums of lines that the first line of taps is not added to.
  void clearLines(Lines added, int lines) const {
    for (int l = 0; l < lines; ++l)
      for (std::size_t i = 0; i < space_.outputs && (l < added.from || l >= added.to); ++i)
        V::zero().store(sums_ + i * step() + size(l) * W);
  }
  ConvLinesPass passOf(const Phase &phase, int tap, int y, int line, int skip) const {
    const std::size_t tapsX = size(phases_.tapsX), output = size(2 * reachX() - skip),
                      tapY = size(phase.taps.weight) + size(tap) * args_.phasesY;
    ConvLinesPass pass{};
    const int before = firstX_ - shape_.firstX - step_ * shape_.strideX;
    pass.inPlace = space_.rows * W, pass.steps = size(endStep_ - step_);
    pass.before = before, pass.last = endX_ - shape_.firstX - (endStep_ - 1) * shape_.strideX;
    pass.in = inputs_ + size(rowOf(phase.taps.first + tap, y) + line * shape_.strideY - low_) * W -
              size(before) * pass.inPlace;
    pass.weights = packed_ + tapY * tapsX * channels_ * W, pass.channels = channels_;
    pass.channel = lanes_.offset;
    pass.sums = sums_ + output * step() + size(line) * W, pass.sumsOutput = step();
    return pass;
  }
  /// Outputs behind the one that an input meets at its first tap.
  int reachX() const { return (phases_.tapsX - 1) / shape_.strideX; }
  /// Floats from the sums of one output to those of the next.
  std::size_t step() const { return size(args_.cut.lines) * W; }

  /// Those of a phase from (y, x) of all on, of channels side by side.
  ConvLinesEnd<TOut> outputs(std::size_t y, int x) const {
    const auto columns = static_cast<std::ptrdiff_t>(columns_),
               line = columns * static_cast<std::ptrdiff_t>(args_.width);
    return {args_.out[image_] + static_cast<std::ptrdiff_t>(y) * line + x * columns + lanes_.column,
            columns,
            line * static_cast<std::ptrdiff_t>(args_.phasesY),
            lanes_.lanes,
            0,
            0};
  }

  /// Inputs of the next lines, or nothing.
  void fetchInputs(ConvLinesPass &pass, bool inputs) const {
    if (inputs && args_.inChannel == 1)
      fetch(pass, in_ + copied_ * args_.inY + firstX_ * args_.inX, args_.inX * shape_.strideX, 0,
            args_.inY);
    else
      fetch(pass, pass.in, 0, 0, 0);
  }
  void fetchOutputs(ConvLinesPass &pass, const ConvLinesEnd<TOut> &end) const {
    fetch(pass, end.to, end.toOutput * phases_.x, end.toOutput, end.toLine);
  }
  template <class T>
  static void fetch(ConvLinesPass &pass, const T *at, std::ptrdiff_t place, std::ptrdiff_t phase,
                    std::ptrdiff_t line) {
    constexpr auto BYTES = static_cast<std::ptrdiff_t>(sizeof(T));
    pass.ahead = reinterpret_cast<const char *>(at);
    pass.aheadPlace = place * BYTES, pass.aheadPhase = phase * BYTES, pass.aheadLine = line * BYTES;
  }

  template <class T>
  void addLines(const ConvLinesPass &pass, int lines, const ConvLinesEnd<T> &end) const {
    if (phases_.x != 1)
      return addLines<1, 2, 3>(pass, lines, end);
    if (shape_.strideX != 1)
      return addLines<2, 1, 3>(pass, lines, end);
    unroll<CONV_LINES_TAPS - 1>([&](auto k) POP_SIMD_LAMBDA {
      constexpr int TAPS = static_cast<int>(decltype(k)::value) + 2;
      if (phases_.tapsX == TAPS)
        addLines<1, 1, TAPS>(pass, lines, end);
    });
  }
  template <int STRIDE, int PHASES, int TAPS, class T>
  void addLines(const ConvLinesPass &pass, int lines, const ConvLinesEnd<T> &end) const {
    unroll<convLinesMost(TAPS, STRIDE, SHARED)>([&](auto l) POP_SIMD_LAMBDA {
      constexpr int LINES = static_cast<int>(decltype(l)::value) + 1;
      if (lines == LINES)
        addConvLines<Tag, SHARED, STRIDE, PHASES, TAPS, LINES>(pass, end);
    });
  }

  /// n outputs from (y, x) on, whose sums are from `sums` on, but for the first ones that are done.
  void storeLine(std::size_t y, int x, int n, const float *sums, int done) const {
    if (args_.outMaps)
      return storeMaps(sums, size(n), y * args_.width + size(x));
    TOut *to = outputs(y, x + done).to;
    sums += size(done) * step();
    for (int i = done; i < n; ++i, sums += step(), to += columns_)
      V::load(sums).storePartial(to, lanes_.lanes);
  }
  /// n of each channel, from `first` on.
  void storeMaps(const float *sums, std::size_t n, std::size_t first) const {
    TOut *const *const maps = args_.out + image_ * columns_ + lanes_.column;
    for (std::size_t x = 0; x < n; x += W) {
      const std::size_t some = std::min(n - x, W);
      V v[W];
      for (std::size_t i = 0; i < W; ++i, sums += step())
        v[i] = i < some ? V::load(sums) : V::zero();
      arch::transpose(v);
      for (std::size_t l = 0; l < lanes_.lanes; ++l)
        v[l].storePartial(maps[l] + first + x, some);
    }
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  const ConvGroupsPhases phases_;
  const ConvLinesSpace space_;
  const std::size_t columns_, channels_; ///< of all groups; of inputs
  float *const inputs_, *const sums_;    ///< by places or outputs, and lines
  ConvGroupsWeights<Tag, TIn, TOut, SHARED> weights_;
  ConvGroupsLanes<W> lanes_;
  const float *packed_ = nullptr; ///< weights
  const TIn *in_ = nullptr;       ///< of an image and group
  std::size_t image_ = 0;
  int firstX_ = 0, endX_ = 0;  ///< inputs of a line
  int step_ = 0, endStep_ = 0; ///< the same by strides: outputs that meet them at the first taps
  int firstPhase_ = 0;         ///< which such outputs are of, of a line
  int low_ = 0, copied_ = 0;   ///< the first line in scratch, and the end of those
};

} // namespace cottonwood::kernels::detail
