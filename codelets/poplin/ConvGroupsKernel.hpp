/// \file ConvGroupsKernel.hpp
/// Convolutions of groups of few channels, for one core: the lanes of a vector are output channels
/// of neighbouring groups, or of one group that fills most of them.
///
/// For each vector of output channels the inputs of a line or two of outputs are spread to scratch
/// (ConvGroupsSpread.hpp), where neighbouring outputs find them a vector apart. A vector of weights
/// then meets several outputs; one of a single group meets single inputs. Phases of a dilated input
/// (ConvPlanesCost.hpp), as in the gradient of a layer with strides, share what is spread. Others
/// that ConvGroupLines.hpp knows are computed there.
///
/// Sums are float, chains of fused multiply-adds over taps and, for each, input channels, in
/// ascending order, rounded once into the output. Zeros of the padding change none of finite
/// weights; with others the outputs that meet it are computed again without them.
#pragma once

#include <codelets/poplin/ConvGroupLines.hpp>
#include <codelets/poplin/ConvGroupsSpread.hpp>
#include <codelets/poplin/ConvGroupsTile.hpp>
#include <codelets/poplin/ConvGroupsWeights.hpp>

namespace cottonwood::kernels {

namespace detail {

/// \tparam SHARED  vectors of output channels are those of several groups
template <class Tag, class TIn, class TOut, bool SHARED> class ConvGroups {
public:
  using Args = ConvGroupsArgs<TIn, TOut>;

  explicit ConvGroups(const Args &args)
      : args_(args), shape_(args.shape), columns_(args.groups * args.outChannels),
        spread_(args, alignedToLine(args.workspace)),
        weights_(args, alignedToLine(args.workspace) + spread_.floats()) {
    const ConvPhase *const ys = args.phases, *const xs = ys + args.phasesY;
    for (std::size_t y = 0; y < args.phasesY; ++y)
      for (std::size_t x = 0; x < args.phasesX; ++x)
        addTaps(ys[y], xs[x]);
  }

  void run() {
    const std::size_t each = SHARED ? W : args_.outChannels;
    for (std::size_t column = 0; column < columns_; column += each) {
      lanes_ = {column, SHARED ? columns_ : column + each, args_.inChannels, args_.outChannels};
      weights_.pack(lanes_);
      const bool finite = weights_.areFinite();
      const TIn *in = args_.in;
      for (image_ = 0; image_ < args_.images; ++image_, in += args_.inImage) {
        runImage(in);
        if (!finite)
          repairBorder(in);
      }
    }
  }

private:
  using V = simd<float, Tag>;
  using One = simd<float, isa::scalar>;
  using Spread = ConvGroupsSpread<Tag, TIn, SHARED>;
  static constexpr std::size_t W = Spread::W;

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// Outputs y * phasesY + atY, x * phasesX + atX.
  struct Phase {
    std::size_t atY, atX, lines, width;
    std::size_t first, taps; ///< of all phases' taps
  };
  template <class F> POP_SIMD_INLINE void forPhases(F &&f) const {
    const std::size_t phasesY = args_.phasesY, phasesX = args_.phasesX;
    Phase phase{};
    for (phase.atY = 0; phase.atY < phasesY; ++phase.atY) {
      phase.lines = (args_.lines - phase.atY + phasesY - 1) / phasesY;
      for (phase.atX = 0; phase.atX < phasesX; ++phase.atX) {
        phase.width = (args_.width - phase.atX + phasesX - 1) / phasesX;
        phase.taps = size(args_.phases[phase.atY].taps * args_.phases[phasesY + phase.atX].taps);
        f(phase);
        phase.first += phase.taps;
      }
    }
  }
  /// Which output is (y, x) of a phase.
  std::size_t outputOf(const Phase &phase, std::size_t y, std::size_t x) const {
    return (y * args_.phasesY + phase.atY) * args_.width + x * args_.phasesX + phase.atX;
  }

  /// Those of a phase.
  void addTaps(const ConvPhase &y, const ConvPhase &x) {
    const auto stepY = static_cast<std::ptrdiff_t>(args_.phasesY),
               stepX = static_cast<std::ptrdiff_t>(args_.phasesX);
    for (int i = 0; i < y.taps; ++i)
      for (int j = 0; j < x.taps; ++j, ++numTaps_) {
        taps_[numTaps_] = size((y.first + i) * shape_.tapsX + x.first + j);
        // Neighbours of a line whose inputs lie side by side.
        run_[numTaps_] = shape_.tapStepX == 1 && shape_.strideX == 1 ? size(x.taps - j) : 1;
        weights_.addTap((y.weight + i * stepY) * args_.weightsY +
                        (x.weight + j * stepX) * args_.weightsX);
      }
  }

  /// Strip by strip. The last one begins early enough to be whole, if the image is as wide.
  void runImage(const TIn *in) {
    const std::size_t width = size(shape_.outputsX), strip = spread_.width();
    for (std::size_t x = 0; x < width; x += strip) {
      const std::size_t first = x + strip <= width || width < strip ? x : width - strip;
      spread_.begin(in, lanes_, first);
      runStrip(first, width < strip ? width : strip);
    }
  }

  /// n outputs from x on of each line, of all phases.
  void runStrip(std::size_t x, std::size_t n) {
    const std::size_t piece = size(args_.cut.outputs), together = size(args_.cut.lines),
                      lines = size(shape_.outputsY);
    static_assert(CONV_GROUPS_LINES == 2);
    for (std::size_t y = 0; y < lines;) {
      const std::size_t some = lines - y < together ? 1 : together;
      spread_.upTo(y + some);
      for (std::size_t k = 0; k < some; ++k)
        spread_.findTaps(y + k, taps_, numTaps_, places_[k]);
      forPhases([&](const Phase &phase) {
        if (y < phase.lines && x < phase.width)
          runLines(phase, y, x, piece, n < phase.width - x ? n : phase.width - x, some);
      });
      y += some;
    }
  }

  /// n outputs from (y, x) on of so many lines, if the phase has them. The last piece begins early
  /// enough to be whole.
  void runLines(const Phase &phase, std::size_t y, std::size_t x, std::size_t piece, std::size_t n,
                std::size_t lines) const {
    const std::size_t some = n < piece ? n : piece, output = outputOf(phase, y, x);
    const bool two = lines == 2 && y + 1 < phase.lines;
    const ConvGroupsTile<TOut> tile = tileOf(phase);
    forVectors(n, some, [&](std::size_t i) {
      convGroupsSums<Tag, SHARED>(tile, static_cast<unsigned>(some), two,
                                  spread_.places() + i * spread_.each(),
                                  output + i * args_.phasesX);
    });
  }
  ConvGroupsTile<TOut> tileOf(const Phase &phase) const {
    ConvGroupsTile<TOut> tile{};
    tile.weights = weights_.packed() + phase.first * args_.inChannels * W;
    tile.taps = phase.taps, tile.channels = args_.inChannels, tile.plane = spread_.plane();
    for (std::size_t k = 0; k < CONV_GROUPS_LINES; ++k)
      tile.places[k] = places_[k] + phase.first;
    tile.run = run_ + phase.first;
    tile.lanes = lanes_.lanes, tile.columns = columns_;
    if (args_.outMaps)
      tile.maps = args_.out + image_ * columns_ + lanes_.column;
    else
      tile.out = args_.out[image_] + lanes_.column;
    tile.stepX = args_.phasesX, tile.stepY = args_.phasesY * args_.width;
    return tile;
  }

  /// The outputs of an image that meet padding, tap by tap without it.
  void repairBorder(const TIn *in) const {
    forPhases([&](const Phase &phase) {
      for (std::size_t y = 0; y < phase.lines; ++y)
        for (std::size_t x = 0; x < phase.width; ++x) {
          std::size_t inputs = 0;
          forTaps(phase, y, x, [&](std::size_t, int, int) { ++inputs; });
          for (std::size_t l = 0; l < lanes_.lanes && inputs != phase.taps; ++l)
            definedSum(in, l, phase, y, x).store(outAt(l, outputOf(phase, y, x)));
        }
    });
  }
  /// f(tap, y, x) for each tap of an output of a phase that meets an input, which is at (y, x).
  template <class F> void forTaps(const Phase &phase, std::size_t y, std::size_t x, F &&f) const {
    for (std::size_t t = phase.first; t < phase.first + phase.taps; ++t) {
      const int atY = shape_.inputY(static_cast<int>(y), taps_[t]),
                atX = shape_.inputX(static_cast<int>(x), taps_[t]);
      if (atY >= 0 && atY < shape_.inputsY && atX >= 0 && atX < shape_.inputsX)
        f(t, atY, atX);
    }
  }

  TOut *outAt(std::size_t lane, std::size_t output) const {
    const std::size_t column = lanes_.column + lane;
    return args_.outMaps ? args_.out[image_ * columns_ + column] + output
                         : args_.out[image_] + output * columns_ + column;
  }

  One definedSum(const TIn *in, std::size_t lane, const Phase &phase, std::size_t y,
                 std::size_t x) const {
    One sum = One::zero();
    in += (static_cast<std::ptrdiff_t>(lanes_.channel) + lanes_.offset[lane]) * args_.inChannel;
    forTaps(phase, y, x, [&](std::size_t t, int atY, int atX) {
      const TIn *at = in + atY * args_.inY + atX * args_.inX;
      for (std::size_t c = 0; c < args_.inChannels; ++c, at += args_.inChannel)
        sum = One::fma(One::load(at), One::load(weights_.at(lanes_, lane, c, t)), sum);
    });
    return sum;
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  const std::size_t columns_; ///< of all groups
  Spread spread_;
  ConvGroupsWeights<Tag, TIn, TOut, SHARED> weights_;
  ConvGroupsLanes<W> lanes_;
  std::size_t image_ = 0;
  std::size_t numTaps_ = 0;                ///< of all phases, one after another
  std::size_t taps_[CONV_PLANES_MAX_TAPS]; ///< which they are of the shape's
  std::size_t run_[CONV_PLANES_MAX_TAPS];  ///< taps from this one on that are one run
  std::size_t places_[CONV_GROUPS_LINES][CONV_PLANES_MAX_TAPS];
};

} // namespace detail

template <class Tag, class TIn, class TOut>
void convolveGroups(const ConvGroupsArgs<TIn, TOut> &args) {
  constexpr std::size_t W = static_cast<std::size_t>(simd<float, Tag>::width);
  const ConvGroupsWay way =
      convGroupsWay(args.shape, args.allPhases(), args.inChannels, args.outChannels, W);
  if constexpr (W == CONV_GROUPS_LANES) {
    if (way == ConvGroupsWay::SHARED_LINES)
      return detail::ConvGroupLines<Tag, TIn, TOut, true>(args).run();
    if (way == ConvGroupsWay::SINGLE_LINES)
      return detail::ConvGroupLines<Tag, TIn, TOut, false>(args).run();
  }
  if (isShared(way))
    detail::ConvGroups<Tag, TIn, TOut, true>(args).run();
  else
    detail::ConvGroups<Tag, TIn, TOut, false>(args).run();
}

} // namespace cottonwood::kernels
