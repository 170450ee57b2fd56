/// \file ConvPlanesKernel.hpp
/// Convolutions of groups of one channel in and out whose field lies side by side, for one core:
/// plane by plane.
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

#include <cstdint>

namespace cottonwood::kernels {

/// Element (y, x) of plane p of the input is in[p * inPlane + y * inRow + x]; of its weights,
/// weights[(first + p) % groups * weightsPlane + y * weightsY + x * weightsX]; of the output, which
/// is dense, out[(p * outputsY + y) * outputsX + x]. Lines of the output have CONV_PLANES_LINE
/// elements or more.
template <class TIn, class TOut> struct ConvPlanesArgs {
  ConvPlanesShape shape;
  std::size_t planes, first, groups;
  const TIn *in;
  std::ptrdiff_t inPlane, inRow;
  const TIn *weights;
  std::ptrdiff_t weightsPlane, weightsY, weightsX;
  TOut *out;
  float *workspace; ///< convPlanesWorkspace() floats
};

namespace detail {

template <class Tag, class TIn, class TOut> class ConvPlanes {
public:
  using Args = ConvPlanesArgs<TIn, TOut>;

  explicit ConvPlanes(const Args &args)
      : args_(args), shape_(args.shape), space_(shape_),
        plane_(reinterpret_cast<float *>((reinterpret_cast<std::uintptr_t>(args.workspace) + 63) &
                                         ~std::uintptr_t{63})) {
    for (std::size_t t = 0; t < shape_.taps(); ++t)
      places_[t] = static_cast<std::ptrdiff_t>(space_.placeOf(shape_, t));
  }

  void run() {
    const ConvPlanePacker<Tag, TIn> packer(shape_, space_, args_.inRow);
    for (std::size_t x = 0; x < space_.plane; ++x)
      plane_[x] = 0;
    const TIn *in = args_.in;
    TOut *out = args_.out;
    std::size_t group = args_.first % args_.groups;
    for (std::size_t p = 0; p < args_.planes; ++p) {
      if (readWeights(args_.weights + static_cast<std::ptrdiff_t>(group) * args_.weightsPlane)) {
        packer.pack(in, plane_);
        compute(out);
      } else {
        computeWithoutPadding(in, out);
      }
      in += args_.inPlane;
      group = group + 1 == args_.groups ? 0 : group + 1;
      out += size(shape_.outputsY) * size(shape_.outputsX);
    }
  }

private:
  using V = simd<float, Tag>;
  using One = simd<float, isa::scalar>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static constexpr unsigned LINES = 4, SIDE = 3;

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// \returns  whether all are finite.
  bool readWeights(const TIn *from) {
    constexpr std::int32_t EXPONENT = 0x7f800000;
    bool finite = true;
    float *to = weights_;
    for (int i = 0; i < shape_.tapsY; ++i)
      for (int j = 0; j < shape_.tapsX; ++j, ++to) {
        const One weight = One::load(from + i * args_.weightsY + j * args_.weightsX);
        weight.store(to);
        finite &= (weight.bits().r & EXPONENT) != EXPONENT;
      }
    return finite;
  }

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
    unroll<SIDE * SIDE>([&](auto t) POP_SIMD_LAMBDA { weight[t] = V::broadcast(weights_ + t); });
    forOutputs(width, [&](std::size_t x, auto store) POP_SIMD_LAMBDA {
      V sum[LINES];
      unroll<LINES>([&](auto i) POP_SIMD_LAMBDA { sum[i] = V::zero(); });
      unroll<LINES + SIDE - 1>([&](auto line) POP_SIMD_LAMBDA {
        unroll<SIDE>([&](auto j) POP_SIMD_LAMBDA {
          const V input = V::load(from + x + line * pitch + places_[j]);
          unroll<SIDE>([&](auto i) POP_SIMD_LAMBDA {
            if constexpr (line >= i && line - i < LINES)
              sum[line - i] = V::fma(input, weight[i * SIDE + j], sum[line - i]);
          });
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
        const V weight = V::broadcast(weights_ + t);
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

  void computeWithoutPadding(const TIn *in, TOut *out) const {
    for (int y = 0; y < shape_.outputsY; ++y)
      for (int x = 0; x < shape_.outputsX; ++x, ++out) {
        One sum = One::zero();
        for (std::size_t t = 0; t < shape_.taps(); ++t) {
          const int atY = shape_.inputY(y, t), atX = shape_.inputX(x, t);
          if (atY >= 0 && atY < shape_.inputsY && atX >= 0 && atX < shape_.inputsX)
            sum = One::fma(One::load(in + atY * args_.inRow + atX), One::load(weights_ + t), sum);
        }
        sum.store(out);
      }
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  const ConvPlanesSpace space_;
  float *const plane_;
  float weights_[CONV_PLANES_MAX_TAPS];
  std::ptrdiff_t places_[CONV_PLANES_MAX_TAPS];
};

} // namespace detail

template <class Tag, class TIn, class TOut>
void convolvePlanes(const ConvPlanesArgs<TIn, TOut> &args) {
  detail::ConvPlanes<Tag, TIn, TOut>(args).run();
}

} // namespace cottonwood::kernels
