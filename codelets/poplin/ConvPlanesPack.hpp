/// \file ConvPlanesPack.hpp
/// Copies of planes of inputs in the form that ConvPlanesCost.hpp describes: padded, and cut into
/// as many phases as outputs are apart.
#pragma once

#include <codelets/arch/SimdPairs.hpp>
#include <codelets/poplin/ConvPlanesCost.hpp>
#include <codelets/poplin/MatMulPack.hpp>

#include <cstdint>

namespace cottonwood::kernels::detail {

/// f(x) for every so many of n >= step places, the last of which may be visited twice: parts of
/// vectors take longer.
template <class F> POP_SIMD_INLINE void forVectors(std::size_t n, std::size_t step, F &&f) {
  std::size_t x = 0;
  for (; x + step <= n; x += step)
    f(x);
  if (x < n)
    f(n - step);
}

/// f(tap, y, x) for each tap of output (y, x) that meets an input, which is at (y, x), in ascending
/// order.
template <class F>
POP_SIMD_INLINE void forInputs(const ConvPlanesShape &shape, int y, int x, F &&f) {
  for (std::size_t t = 0; t < shape.taps(); ++t) {
    const int atY = shape.inputY(y, t), atX = shape.inputX(x, t);
    if (atY >= 0 && atY < shape.inputsY && atX >= 0 && atX < shape.inputsX)
      f(t, atY, atX);
  }
}

/// Whether some tap of output (y, x) meets none.
POP_SIMD_INLINE bool meetsPadding(const ConvPlanesShape &shape, int y, int x) {
  std::size_t inputs = 0;
  forInputs(shape, y, x, [&](std::size_t, int, int) POP_SIMD_LAMBDA { ++inputs; });
  return inputs != shape.taps();
}

/// Copies planes of one shape.
template <class Tag, class TIn> class ConvPlanePacker {
public:
  /// \param inRow  the distance of rows of the input
  ConvPlanePacker(const ConvPlanesShape &shape, const ConvPlanesSpace &space, std::ptrdiff_t inRow)
      : shape_(shape), space_(space), inRow_(inRow),
        ys_(inputsWithin(shape.inputsY, space.lowY, space.rows * size(shape.strideY))),
        xs_(inputsWithin(shape.inputsX, space.lowX, space.pitch * size(shape.strideX))) {}

  /// Where inputs lie in a plane of `rows` lines; none in one of no rows.
  struct Gaps {
    std::size_t rows = 0;
    int firstY = 0, endY = 0, firstX = 0, endX = 0;
    friend bool operator==(const Gaps &, const Gaps &) = default;
  };
  Gaps gaps() const {
    return {space_.rows, ys_.from - space_.lowY, ys_.to - space_.lowY, xs_.from - space_.lowX,
            xs_.to - space_.lowX};
  }

  /// The inputs of a plane to their places; what lies between, which is the same for all planes,
  /// stays.
  void pack(const TIn *from, float *plane) const {
    if (ys_.from >= ys_.to || xs_.from >= xs_.to)
      return;
    const std::size_t strideY = size(shape_.strideY), strideX = size(shape_.strideX);
    from += ys_.from * inRow_ + xs_.from;
    const std::size_t first = size(ys_.from - space_.lowY), at = size(xs_.from - space_.lowX);
    const std::size_t n = size(xs_.to - xs_.from), lines = size(ys_.to - ys_.from);
    if (strideX == 1 && strideY == 1)
      return packDense(from, lines, n, plane + first * space_.pitch + at);
    std::size_t phase = first % strideY, row = first / strideY;
    for (std::size_t y = 0; y < lines; ++y, from += inRow_) {
      packLine(from, at, n, plane + phase * strideX * space_.phase + row * space_.pitch);
      if (++phase == strideY)
        phase = 0, ++row;
    }
  }

private:
  using V = simd<float, Tag>;
  using One = simd<float, isa::scalar>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// Inputs [from, to) of a dimension are those of padded places [from - low, to - low).
  struct Range {
    int from, to;
  };
  static Range inputsWithin(int inputs, int low, std::size_t places) {
    const int end = low + static_cast<int>(places);
    return {low > 0 ? low : 0, inputs < end ? inputs : end};
  }

  /// Lines of n inputs where there is one phase.
  void packDense(const TIn *from, std::size_t lines, std::size_t n, float *to) const {
    const std::size_t pitch = space_.pitch; // else read again for every line
    const std::ptrdiff_t inRow = inRow_;
    if (n < W) // zeros behind are padding, or what the next line overwrites
      for (; lines != 0; --lines, from += inRow, to += pitch)
        V::loadPartial(from, n).store(to);
    else
      for (; lines != 0; --lines, from += inRow, to += pitch)
        forVectors(n, W, [&](std::size_t x) POP_SIMD_LAMBDA { V::load(from + x).store(to + x); });
  }

  /// n inputs to places `at` and on of a line.
  POP_SIMD_INLINE void packLine(const TIn *from, std::size_t at, std::size_t n, float *line) const {
    const std::size_t phases = size(shape_.strideX), distance = space_.phase;
    if (phases == 1 && n < W)
      return copyToFloat<Tag>(from, 1, n, line + at);
    if (phases == 1)
      return forVectors(
          n, W, [&](std::size_t x) POP_SIMD_LAMBDA { V::load(from + x).store(line + at + x); });
    std::size_t phase = at % phases;
    float *to = line + at / phases;
    if (phases == 2 && n <= 2 * W) { // zeros behind are padding, or what is overwritten later
      const V none = V::zero(), first = n < W ? V::loadPartial(from, n) : V::load(from);
      V even, odd;
      arch::splitPairs(first, n > W ? V::loadPartial(from + W, n - W) : none, even, odd);
      even.store(to + phase * distance);
      return odd.store(phase == 0 ? to + distance : to + 1);
    }
    if (phases == 2) {
      if (phase == 1) {
        One::load(from++).store(to++ + distance);
        phase = 0, --n;
      }
      if (n % 2 == 1) {
        --n;
        One::load(from + n).store(to + n / 2);
      }
      return forVectors(n, 2 * W, [&](std::size_t x) POP_SIMD_LAMBDA {
        V even, odd;
        arch::splitPairs(V::load(from + x), V::load(from + x + W), even, odd);
        even.store(to + x / 2), odd.store(to + x / 2 + distance);
      });
    }
    for (; n != 0; --n, ++from) {
      One::load(from).store(to + phase * distance);
      if (++phase == phases)
        phase = 0, ++to;
    }
  }

  const ConvPlanesShape &shape_;
  const ConvPlanesSpace &space_;
  const std::ptrdiff_t inRow_;
  const Range ys_, xs_;
};

} // namespace cottonwood::kernels::detail
