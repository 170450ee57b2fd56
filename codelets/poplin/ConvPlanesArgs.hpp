/// \file ConvPlanesArgs.hpp
/// What convolutions of planes compute, their weights, and the sums by their definition.
#pragma once

#include <codelets/poplin/ConvPlanesPack.hpp>
#include <codelets/poplin/MatMulTile.hpp>

#include <cstdint>

namespace cottonwood::kernels {

/// Element (y, x) of plane p of the input is in[p * inPlane + y * inRow + x]; of its weights,
/// weights[(first + p) % groups * weightsPlane + y * weightsY + x * weightsX]; of the output, which
/// is dense, out[(p * outputsY + y) * outputsX + x].
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

/// Planes whose weights are read together: those of neighbouring groups mostly lie side by side.
inline constexpr std::size_t CONV_PLANES_CHUNK = 16;

/// Weights of the planes of a part, in ascending order of planes.
template <class Tag, class TIn> class ConvPlanesWeights {
public:
  template <class TOut>
  explicit ConvPlanesWeights(const ConvPlanesArgs<TIn, TOut> &args)
      : shape_(args.shape), from_(args.weights), plane_(args.weightsPlane), y_(args.weightsY),
        x_(args.weightsX), planes_(args.planes), groups_(args.groups),
        group_(args.first % args.groups) {
    for (std::size_t i = 0; i < shape_.taps() * CONV_PLANES_CHUNK; ++i)
      weights_[i] = 0; // of planes that a short chunk does not have
  }

  /// Weight t of plane p is of(p)[t * CONV_PLANES_CHUNK], until of() reads the next chunk.
  POP_SIMD_INLINE const float *of(std::size_t p) {
    if (p == end_)
      read();
    return weights_ + p % CONV_PLANES_CHUNK;
  }
  /// After of(p).
  POP_SIMD_INLINE bool areFinite(std::size_t p) const {
    return (notFinite_ >> p % CONV_PLANES_CHUNK & 1) == 0;
  }

private:
  void read() {
    const std::size_t left = planes_ - end_,
                      n = left < CONV_PLANES_CHUNK ? left : CONV_PLANES_CHUNK;
    float none[CONV_PLANES_CHUNK] = {}; // NaN where a weight is not finite
    float *to = weights_;
    for (int i = 0; i < shape_.tapsY; ++i)
      for (int j = 0; j < shape_.tapsX; ++j, to += CONV_PLANES_CHUNK) {
        readTap(from_ + i * y_ + j * x_, n, to);
        for (std::size_t k = 0; k < CONV_PLANES_CHUNK; k += W)
          V::fma(V::load(to + k), V::zero(), V::load(none + k)).store(none + k);
      }
    notFinite_ = 0;
    for (std::size_t k = 0; k < n; ++k)
      notFinite_ |= static_cast<std::uint32_t>(none[k] != none[k]) << k;
    group_ = (group_ + n) % groups_;
    end_ += n;
  }

  /// Of n planes, whose groups may begin again.
  POP_SIMD_INLINE void readTap(const TIn *from, std::size_t n, float *to) const {
    std::size_t group = group_;
    for (std::size_t k = 0; k < n; group = 0) {
      const std::size_t together = n - k < groups_ - group ? n - k : groups_ - group;
      copyToFloat<Tag>(from + static_cast<std::ptrdiff_t>(group) * plane_, plane_, together,
                       to + k);
      k += together;
    }
  }

  using V = simd<float, Tag>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static_assert(CONV_PLANES_CHUNK % W == 0);

  const ConvPlanesShape &shape_;
  const TIn *const from_;
  const std::ptrdiff_t plane_, y_, x_;
  const std::size_t planes_, groups_;
  std::size_t group_, end_ = 0; ///< of the next chunk: its first group and plane
  std::uint32_t notFinite_ = 0; ///< a bit a plane of the chunk
  float weights_[CONV_PLANES_MAX_TAPS * CONV_PLANES_CHUNK];
};

/// Adds to the sums of lines of outputs, which are STRIDE lines of inputs apart, what taps (i, J)
/// of SIDE x SIDE make of input line Line, where there is such a line of outputs; Line and J are
/// integral constants.
template <int SIDE, int STRIDE, class V, std::size_t LINES, class Line, class J>
POP_SIMD_INLINE void addToLines(V (&sum)[LINES], const V (&weight)[SIDE * SIDE], V input, Line,
                                J j) {
  unroll<SIDE>([&](auto i) POP_SIMD_LAMBDA {
    constexpr std::ptrdiff_t above = Line::value - decltype(i)::value;
    if constexpr (above >= 0 && above % STRIDE == 0 &&
                  above / STRIDE < static_cast<std::ptrdiff_t>(LINES))
      sum[above / STRIDE] = V::fma(input, weight[i * SIDE + j], sum[above / STRIDE]);
  });
}

/// A plane, tap by tap without its padding.
/// \param weights  as ConvPlanesWeights::of()
template <class Tag, class TIn, class TOut>
void convolvePlaneWithoutPadding(const ConvPlanesArgs<TIn, TOut> &args, const TIn *in,
                                 const float *weights, TOut *out) {
  using One = simd<float, isa::scalar>;
  const ConvPlanesShape &shape = args.shape;
  for (int y = 0; y < shape.outputsY; ++y)
    for (int x = 0; x < shape.outputsX; ++x, ++out) {
      One sum = One::zero();
      forInputs(shape, y, x, [&](std::size_t t, int atY, int atX) POP_SIMD_LAMBDA {
        sum = One::fma(One::load(in + atY * args.inRow + atX),
                       One::load(weights + t * CONV_PLANES_CHUNK), sum);
      });
      sum.store(out);
    }
}

} // namespace detail
} // namespace cottonwood::kernels
