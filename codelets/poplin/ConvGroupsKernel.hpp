/// \file ConvGroupsKernel.hpp
/// Convolutions of groups of few channels, for one core: the lanes of a vector are output channels
/// of neighbouring groups.
///
/// For each vector of output channels the inputs of a line or two of outputs are spread to scratch
/// (ConvGroupsSpread.hpp), where neighbouring outputs find them a vector apart. A vector of weights
/// then meets several outputs.
///
/// Sums are float, chains of fused multiply-adds over taps and, for each, input channels, in
/// ascending order, rounded once into the output. Zeros of the padding change none of finite
/// weights; with others the outputs that meet it are computed again without them.
#pragma once

#include <codelets/poplin/ConvGroupsSpread.hpp>

namespace cottonwood::kernels {

namespace detail {

template <class Tag, class TIn, class TOut> class ConvGroups {
public:
  using Args = ConvGroupsArgs<TIn, TOut>;

  explicit ConvGroups(const Args &args)
      : args_(args), shape_(args.shape), columns_(args.groups * args.outChannels),
        spread_(args, alignedToLine(args.workspace)),
        weights_(alignedToLine(args.workspace) + spread_.plane() * args.inChannels) {}

  void run() {
    for (std::size_t column = 0; column < columns_; column += W) {
      lanes_ = {column, columns_, args_.inChannels, args_.outChannels};
      const bool finite = packWeights();
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
  using Spread = ConvGroupsSpread<Tag, TIn>;
  static constexpr std::size_t W = Spread::W;
  static constexpr unsigned OUTPUTS = CONV_GROUPS_OUTPUTS;

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// For each tap and input channel those to all lanes.
  /// \returns  whether all are finite.
  bool packWeights() const {
    constexpr std::int32_t EXPONENT = 0x7f800000;
    bool finite = true;
    float *to = weights_;
    for (int i = 0; i < shape_.tapsY; ++i)
      for (int j = 0; j < shape_.tapsX; ++j)
        for (std::size_t c = 0; c < args_.inChannels; ++c)
          for (std::size_t l = 0; l < W; ++l, ++to) {
            const One weight = l < lanes_.lanes ? One::load(weightAt(l, c, i, j)) : One::zero();
            weight.store(to);
            finite &= (weight.bits().r & EXPONENT) != EXPONENT;
          }
    return finite;
  }

  const TIn *weightAt(std::size_t lane, std::size_t c, int i, int j) const {
    const std::size_t column = lanes_.column + lane;
    const auto group = static_cast<std::ptrdiff_t>(column / args_.outChannels),
               n = static_cast<std::ptrdiff_t>(column % args_.outChannels);
    return args_.weights + group * args_.weightsGroup + n * args_.weightsOut +
           static_cast<std::ptrdiff_t>(c) * args_.weightsIn + i * args_.weightsY +
           j * args_.weightsX;
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

  /// n outputs from x on of each line.
  void runStrip(std::size_t x, std::size_t n) {
    const std::size_t piece = size(convGroupsPiece(shape_)), width = size(shape_.outputsX),
                      lines = size(shape_.outputsY), together = 2 * piece <= OUTPUTS ? 2 : 1;
    static_assert(CONV_GROUPS_LINES == 2);
    for (std::size_t y = 0; y < lines;) {
      const std::size_t some = lines - y < together ? 1 : together;
      spread_.upTo(y + some);
      for (std::size_t k = 0; k < some; ++k)
        spread_.findTaps(y + k, taps_[k]);
      // The last piece begins early enough to be whole.
      forVectors(n, piece,
                 [&](std::size_t i) { runPiece(piece, some == 2, y * width + x + i, i); });
      y += some;
    }
  }

  /// n outputs of a line, of which the first is `output` of the image and x of the strip, or as
  /// many of two lines.
  void runPiece(std::size_t n, bool two, std::size_t output, std::size_t x) const {
    unroll<OUTPUTS>([&](auto k) POP_SIMD_LAMBDA {
      constexpr unsigned N = static_cast<unsigned>(decltype(k)::value) + 1;
      if (n != N)
        return;
      if constexpr (2 * N <= OUTPUTS)
        if (two)
          return runOutputs<N, 2>(output, x);
      runOutputs<N, 1>(output, x);
    });
  }

  template <unsigned N, unsigned LINES>
  __attribute__((noinline)) void runOutputs(std::size_t output, std::size_t x) const {
    V sum[LINES][N];
    unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
      unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[k][i] = V::zero(); });
    });
    const float *weights = weights_, *const in = spread_.places() + x * W;
    const std::size_t taps = shape_.taps(), channels = args_.inChannels, plane = spread_.plane();
    for (std::size_t t = 0; t < taps; ++t) {
      const float *at[LINES];
      unroll<LINES>([&](auto k) POP_SIMD_LAMBDA { at[k] = in + taps_[k][t]; });
      for (std::size_t c = channels; c != 0; --c, weights += W) {
        const V weight = V::load(weights);
        unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
          unroll<N>([&](auto i) POP_SIMD_LAMBDA {
            sum[k][i] = V::fma(V::load(at[k] + i * W), weight, sum[k][i]);
          });
          at[k] += plane;
        });
      }
    }
    unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
      const std::size_t first = output + k * size(shape_.outputsX);
      if (args_.outMaps)
        storeMaps(sum[k], first);
      else
        storeLanes(sum[k], args_.out[image_] + first * columns_ + lanes_.column);
    });
  }

  template <unsigned N> POP_SIMD_INLINE void storeLanes(const V (&sum)[N], TOut *to) const {
    const std::size_t columns = columns_, lanes = lanes_.lanes;
    if (lanes == W)
      unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[i].store(to + i * columns); });
    else
      unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[i].storePartial(to + i * columns, lanes); });
  }

  /// Output `first` of each channel and those behind it.
  template <unsigned N> POP_SIMD_INLINE void storeMaps(const V (&sum)[N], std::size_t first) const {
    TOut *const *const maps = args_.out + image_ * columns_ + lanes_.column;
    constexpr unsigned PARTS = (N + W - 1) / W;
    unroll<PARTS>([&](auto part) POP_SIMD_LAMBDA {
      constexpr std::size_t FROM = static_cast<std::size_t>(decltype(part)::value) * W,
                            SOME = N - FROM < W ? N - FROM : W;
      V v[W];
      unroll<W>([&](auto i) POP_SIMD_LAMBDA {
        v[i] = i < static_cast<std::ptrdiff_t>(SOME) ? sum[(FROM + i) % N] : V::zero();
      });
      arch::transpose(v);
      for (std::size_t l = 0; l < lanes_.lanes; ++l)
        v[l].storePartial(maps[l] + first + FROM, SOME);
    });
  }

  /// The outputs of an image that meet padding, tap by tap without it.
  void repairBorder(const TIn *in) const {
    std::size_t output = 0;
    for (int y = 0; y < shape_.outputsY; ++y)
      for (int x = 0; x < shape_.outputsX; ++x, ++output) {
        if (meetsPadding(shape_, y, x))
          for (std::size_t l = 0; l < lanes_.lanes; ++l)
            definedSum(in, l, y, x).store(outAt(l, output));
      }
  }

  TOut *outAt(std::size_t lane, std::size_t output) const {
    const std::size_t column = lanes_.column + lane;
    return args_.outMaps ? args_.out[image_ * columns_ + column] + output
                         : args_.out[image_] + output * columns_ + column;
  }

  One definedSum(const TIn *in, std::size_t lane, int y, int x) const {
    One sum = One::zero();
    in += (static_cast<std::ptrdiff_t>(lanes_.channel) + lanes_.offset[lane]) * args_.inChannel;
    forInputs(shape_, y, x, [&](std::size_t t, int atY, int atX) POP_SIMD_LAMBDA {
      const TIn *at = in + atY * args_.inY + atX * args_.inX;
      for (std::size_t c = 0; c < args_.inChannels; ++c, at += args_.inChannel)
        sum = One::fma(One::load(at),
                       One::load(weightAt(lane, c, static_cast<int>(t) / shape_.tapsX,
                                          static_cast<int>(t) % shape_.tapsX)),
                       sum);
    });
    return sum;
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  const std::size_t columns_; ///< of all groups
  Spread spread_;
  float *const weights_;
  ConvGroupsLanes<W> lanes_;
  std::size_t image_ = 0;
  std::size_t taps_[CONV_GROUPS_LINES][CONV_PLANES_MAX_TAPS];
};

} // namespace detail

template <class Tag, class TIn, class TOut>
void convolveGroups(const ConvGroupsArgs<TIn, TOut> &args) {
  detail::ConvGroups<Tag, TIn, TOut>(args).run();
}

} // namespace cottonwood::kernels
