/// \file ConvMapsKernel.hpp
/// Convolutions from maps to maps, for one core: the field of input and output lies side by side,
/// and so do outputs in vectors. Neither is transposed to have its channels side by side.
///
/// Inputs of a band of output lines are copied to scratch as planes of ConvPlanesCost.hpp, where
/// output (y, x) finds the inputs of a tap y * pitch + x from a place of the tap. Some vectors of
/// outputs, of some channels each, are computed together: a vector of inputs meets weights of
/// several channels, a weight several vectors.
///
/// Sums are float, chains of fused multiply-adds over taps and, for each, input channels, in
/// ascending order, rounded once into the output. Zeros of the padding change none of finite
/// weights; with others the outputs that meet it are computed again without them.
#pragma once

#include <codelets/arch/SimdAccumulate.hpp>
#include <codelets/poplin/ConvMapsCost.hpp>
#include <codelets/poplin/ConvPlanesPack.hpp>
#include <codelets/poplin/EightLanes.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels {

/// Element (y, x) of channel c of image b of group g of the input is in[g * inGroup + b * inImage +
/// c * inChannel + y * inRow + x]; of the weights to output channel n, weights[g * weightsGroup +
/// n / weightsBlock * weightsBlockStride + n % weightsBlock * weightsOut + c * weightsIn +
/// y * weightsY + x * weightsX]. Channel n of the output is out[(g * images + b) * outChannels +
/// n], dense.
template <class TIn, class TOut> struct ConvMapsArgs {
  ConvPlanesShape shape;
  int lines; ///< of the output in a band: convMapsBand()
  std::size_t groups, images, inChannels, outChannels;
  const TIn *in;
  std::ptrdiff_t inGroup, inImage, inChannel, inRow;
  const TIn *weights;
  std::ptrdiff_t weightsGroup;
  std::size_t weightsBlock;
  std::ptrdiff_t weightsBlockStride, weightsOut, weightsIn, weightsY, weightsX;
  TOut *const *out;
  float *workspace; ///< convMapsWorkspace() floats
};

namespace detail {

/// Vectors and channels of the output that are computed together: their sums, the inputs and a
/// weight are in registers.
template <class Tag> struct ConvMapsTile {
  static constexpr bool WIDE = arch::Avx512Tag<Tag>;
  static constexpr unsigned COLUMNS = WIDE ? 8 : 4;
  static constexpr unsigned vectors(unsigned columns) {
    return simd<float, Tag>::width == 1 ? 1
           : columns >= COLUMNS         ? 3
           : columns == 1               ? 8
           : columns == 2               ? (WIDE ? 6 : 4)
           : columns == 4               ? 5
                                        : (WIDE ? 4 : 3);
  }
};

/// \tparam COLUMNS  channels of the output that are computed together
template <class Tag, class TIn, class TOut, unsigned COLUMNS> class ConvMaps {
public:
  using Args = ConvMapsArgs<TIn, TOut>;

  explicit ConvMaps(const Args &args)
      : args_(args), shape_(args_.shape), planes_(alignedToLine(args.workspace)),
        weights_(planes_ + convMapsInputs(shape_, args.inChannels, args.lines)) {}

  void run() {
    for (std::size_t g = 0; g < args_.groups; ++g) {
      runGroup();
      args_.in += args_.inGroup;
      args_.weights += args_.weightsGroup;
      args_.out += args_.images * args_.outChannels;
    }
  }

private:
  using V = simd<float, Tag>;
  using One = simd<float, isa::scalar>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static constexpr unsigned VECTORS = ConvMapsTile<Tag>::vectors(COLUMNS);
  static_assert(COLUMNS <= CONV_MAPS_FEW || CONV_MAPS_COLUMNS % COLUMNS == 0);

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// The first group of those that are left.
  void runGroup() {
    const bool finite = packWeights();
    const int lines = args_.lines;
    const TIn *in = args_.in;
    for (std::size_t b = 0; b < args_.images; ++b, in += args_.inImage)
      for (int y = 0; y < shape_.outputsY; y += lines) {
        ConvPlanesShape band = shape_;
        band.outputsY = shape_.outputsY - y < lines ? shape_.outputsY - y : lines;
        band.firstY += y * band.strideY;
        TOut *const *const out = args_.out + b * args_.outChannels;
        const std::size_t first = size(y) * size(shape_.outputsX);
        runBand(band, in, out, first);
        if (!finite)
          repairBorder(band, in, out, first);
      }
  }

  /// A vector of a line of outputs: where its inputs are, but for the place of the tap, and where
  /// it goes in a channel of the output.
  struct Cell {
    const float *in;
    std::size_t out;
  };

  /// Blocks of COLUMNS channels one after another; for each tap and input channel the weights of a
  /// block.
  /// \returns  whether all are finite.
  bool packWeights() const {
    constexpr std::int32_t EXPONENT = 0x7f800000;
    bool finite = true;
    float *to = weights_;
    for (std::size_t n = 0; n < args_.outChannels; n += COLUMNS)
      for (int i = 0; i < shape_.tapsY; ++i)
        for (int j = 0; j < shape_.tapsX; ++j)
          for (std::size_t c = 0; c < args_.inChannels; ++c)
            for (std::size_t k = n; k < n + COLUMNS; ++k, ++to) {
              const One weight =
                  k < args_.outChannels ? One::load(weightAt(k, c, i, j)) : One::zero();
              weight.store(to);
              finite &= (weight.bits().r & EXPONENT) != EXPONENT;
            }
    return finite;
  }

  const TIn *weightAt(std::size_t n, std::size_t c, int i, int j) const {
    const auto block = static_cast<std::ptrdiff_t>(n / args_.weightsBlock),
               column = static_cast<std::ptrdiff_t>(n % args_.weightsBlock);
    return args_.weights + block * args_.weightsBlockStride + column * args_.weightsOut +
           static_cast<std::ptrdiff_t>(c) * args_.weightsIn + i * args_.weightsY +
           j * args_.weightsX;
  }

  /// Lines of outputs, which begin at `first` of each channel.
  void runBand(const ConvPlanesShape &band, const TIn *in, TOut *const *out, std::size_t first) {
    const std::size_t channels = args_.inChannels;
    const ConvPlanesSpace space(band);
    const ConvPlanePacker<Tag, TIn> packer(band, space, args_.inRow);
    if (const auto gaps = packer.gaps(); !(gaps == gaps_)) {
      gaps_ = gaps;
      for (std::size_t x = 0; x < space.plane * channels; ++x)
        planes_[x] = 0;
    }
    for (std::size_t c = 0; c < channels; ++c)
      packer.pack(in + static_cast<std::ptrdiff_t>(c) * args_.inChannel, planes_ + c * space.plane);
    for (std::size_t t = 0; t < band.taps(); ++t)
      places_[t] = space.placeOf(band, t);
    plane_ = space.plane;
    forCells(size(band.outputsY), space.pitch, first, [&](const Cell *cells, unsigned n) {
      if (n == VECTORS)
        return runCells<VECTORS>(cells, out);
      for (unsigned v = 0; v < n; ++v)
        runCells<1>(cells + v, out);
    });
  }

  /// f(cells, n) for all vectors of a band, VECTORS or, at last, fewer at a time. The last of a
  /// line may begin within the one before.
  template <class F> void forCells(std::size_t lines, std::size_t pitch, std::size_t out, F &&f) {
    const std::size_t width = size(shape_.outputsX);
    Cell cells[VECTORS];
    unsigned n = 0;
    const float *in = planes_;
    for (; lines != 0; --lines, in += pitch, out += width)
      for (std::size_t x = 0; x < width; x += W) {
        const std::size_t at = width < W || x + W <= width ? x : width - W;
        cells[n++] = {in + at, out + at};
        if (n == VECTORS)
          f(cells, n), n = 0;
      }
    if (n != 0)
      f(cells, n);
  }

  /// N vectors of outputs of all channels.
  template <unsigned N> [[gnu::noinline]] void runCells(const Cell *cells, TOut *const *out) {
    const std::size_t width = size(shape_.outputsX),
                      block = shape_.taps() * args_.inChannels * COLUMNS;
    const float *weights = weights_;
    for (std::size_t n = 0; n < args_.outChannels; n += COLUMNS, weights += block) {
      V sum[COLUMNS][N];
      addProducts<N>(cells, weights, sum);
      unroll<COLUMNS>([&](auto k) POP_SIMD_LAMBDA {
        if (n + k >= args_.outChannels)
          return;
        unroll<N>([&](auto v) POP_SIMD_LAMBDA {
          TOut *const to = out[n + k] + cells[v].out;
          if (width < W)
            sum[k][v].storePartial(to, width);
          else
            sum[k][v].store(to);
        });
      });
    }
  }

  template <unsigned N>
  POP_SIMD_INLINE void addProducts(const Cell *cells, const float *weights,
                                   V (&sum)[COLUMNS][N]) const {
    unroll<COLUMNS>([&](auto k) POP_SIMD_LAMBDA {
      unroll<N>([&](auto v) POP_SIMD_LAMBDA { sum[k][v] = V::zero(); });
    });
    const float *in[N];
    unroll<N>([&](auto v) POP_SIMD_LAMBDA { in[v] = cells[v].in; });
    const std::size_t taps = shape_.taps(), channels = args_.inChannels, plane = plane_;
    for (std::size_t t = 0; t < taps; ++t) {
      std::size_t at = places_[t];
      for (std::size_t c = channels; c != 0; --c, at += plane, weights += COLUMNS) {
        V input[N];
        unroll<N>([&](auto v) POP_SIMD_LAMBDA {
          input[v] = V::load(in[v] + at);
          if constexpr (COLUMNS > 1 && COLUMNS < ConvMapsTile<Tag>::COLUMNS)
            input[v] = arch::inRegister(input[v]); // else loaded again for every column
        });
        unroll<COLUMNS>([&](auto k) POP_SIMD_LAMBDA { accumulateAll(sum[k], weights + k, input); });
      }
    }
  }

  /// The outputs of a band that meet padding, tap by tap without it.
  void repairBorder(const ConvPlanesShape &band, const TIn *in, TOut *const *out,
                    std::size_t first) const {
    for (int y = 0; y < band.outputsY; ++y)
      for (int x = 0; x < band.outputsX; ++x) {
        if (meetsPadding(band, y, x))
          for (std::size_t n = 0; n < args_.outChannels; ++n)
            definedSum(band, in, n, y, x)
                .store(out[n] + first + size(y) * size(band.outputsX) + size(x));
      }
  }

  One definedSum(const ConvPlanesShape &band, const TIn *in, std::size_t n, int y, int x) const {
    One sum = One::zero();
    forInputs(band, y, x, [&](std::size_t t, int atY, int atX) POP_SIMD_LAMBDA {
      const TIn *at = in + atY * args_.inRow + atX;
      for (std::size_t c = 0; c < args_.inChannels; ++c, at += args_.inChannel)
        sum = One::fma(One::load(at),
                       One::load(weightAt(n, c, static_cast<int>(t) / band.tapsX,
                                          static_cast<int>(t) % band.tapsX)),
                       sum);
    });
    return sum;
  }

  Args args_; ///< of the groups that are left
  const ConvPlanesShape &shape_;
  float *const planes_, *const weights_;
  typename ConvPlanePacker<Tag, TIn>::Gaps gaps_{};
  std::size_t plane_ = 0; ///< floats of a plane of the band
  std::size_t places_[CONV_PLANES_MAX_TAPS];
};

} // namespace detail

template <class Tag, class TIn, class TOut> void convolveMaps(const ConvMapsArgs<TIn, TOut> &args);
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
extern template void convolveMaps<isa::avx2>(const ConvMapsArgs<float, float> &);
extern template void convolveMaps<isa::avx2>(const ConvMapsArgs<half, half> &);
extern template void convolveMaps<isa::avx2>(const ConvMapsArgs<half, float> &);
extern template void convolveMaps<isa::avx2>(const ConvMapsArgs<float, half> &);
#endif

template <class Tag, class TIn, class TOut> void convolveMaps(const ConvMapsArgs<TIn, TOut> &args) {
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
  if constexpr (arch::Avx512Tag<Tag>)
    if (detail::eightLanesServe(args.shape))
      return convolveMaps<isa::avx2>(args);
#endif
  constexpr unsigned MOST = detail::ConvMapsTile<Tag>::COLUMNS;
  switch (args.outChannels) {
  case 1:
    return detail::ConvMaps<Tag, TIn, TOut, 1>(args).run();
  case 2:
    return detail::ConvMaps<Tag, TIn, TOut, 2>(args).run();
  case 3:
    return detail::ConvMaps<Tag, TIn, TOut, 3>(args).run();
  case 4:
    return detail::ConvMaps<Tag, TIn, TOut, 4>(args).run();
  default:
    return detail::ConvMaps<Tag, TIn, TOut, MOST>(args).run();
  }
}

} // namespace cottonwood::kernels
