/// \file ConvPlanesKernel.hpp
/// Convolutions of groups of one channel in and out whose field lies side by side, for one core:
/// plane by plane. Short lines and strided ones go other ways, with the same bits
/// (ConvPlanesShort.hpp, ConvPlanesStrided.hpp).
///
/// A plane is copied to scratch as floats, with zeros where it is padded, and cut into as many
/// phases as the outputs are apart. There the inputs of one tap lie side by side: output (y, x)
/// finds them y * pitch + x from a place of the tap.
///
/// Sums are float, chains of fused multiply-adds over the taps in ascending order, rounded once
/// into the output. Zeros of the padding change none of finite weights; with others a plane is
/// computed tap by tap without them.
#pragma once

#include <codelets/poplin/ConvPlanesPack.hpp>
#include <codelets/poplin/ConvPlanesShort.hpp>
#include <codelets/poplin/ConvPlanesStrided.hpp>
#include <codelets/poplin/EightLanes.hpp>

#include <cstdint>

namespace cottonwood::kernels {

namespace detail {

template <class Tag, class TIn, class TOut> class ConvPlanes {
public:
  using Args = ConvPlanesArgs<TIn, TOut>;

  explicit ConvPlanes(const Args &args)
      : args_(args), shape_(args.shape), space_(shape_), plane_(alignedToLine(args.workspace)) {
    for (std::size_t t = 0; t < shape_.taps(); ++t)
      places_[t] = static_cast<std::ptrdiff_t>(space_.placeOf(shape_, t));
  }

  void run() {
    const ConvPlanePacker<Tag, TIn> packer(shape_, space_, args_.inRow);
    for (std::size_t x = 0; x < space_.plane; ++x)
      plane_[x] = 0;
    const TIn *in = args_.in;
    TOut *out = args_.out;
    ConvPlanesWeights<Tag, TIn> weights(args_);
    for (std::size_t p = 0; p < args_.planes; ++p) {
      weights_ = weights.of(p);
      if (weights.areFinite(p)) {
        packer.pack(in, plane_);
        compute(out);
      } else {
        convolvePlaneWithoutPadding<Tag>(args_, in, weights_, out);
      }
      in += args_.inPlane;
      out += size(shape_.outputsY) * size(shape_.outputsX);
    }
  }

private:
  using V = simd<float, Tag>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static constexpr unsigned LINES = W > 1 ? 4 : 1, SIDE = 3;

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// f(x, store) for every vector of a line of outputs; store(sums, to) stores those of the line.
  template <class F> POP_SIMD_INLINE static void forOutputs(std::size_t width, F &&f) {
    if (width < W)
      f(0, [&](V sums, TOut *to) POP_SIMD_LAMBDA { sums.storePartial(to, width); });
    else
      forVectors(width, W, [&](std::size_t x) POP_SIMD_LAMBDA {
        f(x, [](V sums, TOut *to) POP_SIMD_LAMBDA { sums.store(to); });
      });
  }

  void compute(TOut *out) const {
    const std::size_t width = size(shape_.outputsX), lines = size(shape_.outputsY);
    const bool sharing =
        shape_.tapsY == SIDE && shape_.tapsX == SIDE && shape_.strideY == 1 && shape_.tapStepY == 1;
    const float *from = plane_;
    std::size_t y = 0;
    for (; y + LINES <= lines; y += LINES, from += LINES * space_.pitch, out += LINES * width)
      if (sharing)
        computeSharing(from, out);
      else
        computeLines<LINES>(from, out);
    for (; y < lines; ++y, from += space_.pitch, out += width)
      computeLines<1>(from, out);
  }

  /// Some lines of 3 x 3 taps, which share most of their inputs.
  void computeSharing(const float *from, TOut *out) const {
    const auto pitch = static_cast<std::ptrdiff_t>(space_.pitch);
    const std::size_t width = size(shape_.outputsX);
    V weight[SIDE * SIDE];
    unroll<SIDE * SIDE>([&](auto t) POP_SIMD_LAMBDA {
      weight[t] = V::broadcast(weights_ + t * CONV_PLANES_CHUNK);
    });
    forOutputs(width, [&](std::size_t x, auto store) POP_SIMD_LAMBDA {
      V sum[LINES];
      unroll<LINES>([&](auto i) POP_SIMD_LAMBDA { sum[i] = V::zero(); });
      unroll<LINES + SIDE - 1>([&](auto line) POP_SIMD_LAMBDA {
        unroll<SIDE>([&](auto j) POP_SIMD_LAMBDA {
          const V input = V::load(from + x + line * pitch + places_[j]);
          addToLines<SIDE, 1>(sum, weight, input, line, j);
        });
      });
      unroll<LINES>([&](auto i) POP_SIMD_LAMBDA {
        store(sum[i], out + static_cast<std::size_t>(i) * width + x);
      });
    });
  }

  /// Some lines, any taps.
  template <unsigned N> void computeLines(const float *from, TOut *out) const {
    const auto pitch = static_cast<std::ptrdiff_t>(space_.pitch);
    const std::size_t width = size(shape_.outputsX);
    forOutputs(width, [&](std::size_t x, auto store) POP_SIMD_LAMBDA {
      V sum[N];
      unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[i] = V::zero(); });
      for (std::size_t t = 0; t < shape_.taps(); ++t) {
        const V weight = V::broadcast(weights_ + t * CONV_PLANES_CHUNK);
        const float *const at = from + x + places_[t];
        unroll<N>([&](auto i) POP_SIMD_LAMBDA {
          sum[i] = V::fma(V::load(at + i * pitch), weight, sum[i]);
        });
      }
      unroll<N>([&](auto i) POP_SIMD_LAMBDA {
        store(sum[i], out + static_cast<std::size_t>(i) * width + x);
      });
    });
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  const ConvPlanesSpace space_;
  float *const plane_;
  const float *weights_ = nullptr; ///< as ConvPlanesWeights::of()
  std::ptrdiff_t places_[CONV_PLANES_MAX_TAPS];
};

} // namespace detail

template <class Tag, class TIn, class TOut>
void convolvePlanes(const ConvPlanesArgs<TIn, TOut> &args);
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
extern template void convolvePlanes<isa::avx2>(const ConvPlanesArgs<float, float> &);
extern template void convolvePlanes<isa::avx2>(const ConvPlanesArgs<half, half> &);
extern template void convolvePlanes<isa::avx2>(const ConvPlanesArgs<half, float> &);
extern template void convolvePlanes<isa::avx2>(const ConvPlanesArgs<float, half> &);
#endif

template <class Tag, class TIn, class TOut>
void convolvePlanes(const ConvPlanesArgs<TIn, TOut> &args) {
  if constexpr (arch::Avx512Tag<Tag>) {
    if (convPlanesShort(args.shape))
      return 2 * args.shape.outputsX <= CONV_SHORT_LANES
                 ? detail::ShortConvPlanes<Tag, TIn, TOut, 2>(args).run()
                 : detail::ShortConvPlanes<Tag, TIn, TOut, 1>(args).run();
    if (convPlanesStrided(args.shape))
      return args.shape.firstX == 0 ? detail::StridedConvPlanes<Tag, TIn, TOut, 0>(args).run()
                                    : detail::StridedConvPlanes<Tag, TIn, TOut, -1>(args).run();
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
    if (detail::eightLanesServe(args.shape))
      return convolvePlanes<isa::avx2>(args);
#endif
  }
  detail::ConvPlanes<Tag, TIn, TOut>(args).run();
}

} // namespace cottonwood::kernels
