/// \file ConvGeometry.hpp
/// Which outputs, taps and inputs of a convolution meet, in a form that kernels walk through
/// without a test per element.
///
/// A convolution is a product over several dimensions at once. Each has outputs, taps (elements of
/// the kernel) and inputs; the batch is a dimension with one tap, input channels are one with one
/// output. In one dimension the outputs that meet the same taps form a class, and a class is three
/// arithmetic progressions: that is all that strides, dilation, padding, truncation and flips
/// amount to. Choosing one class a dimension gives a box of outputs that share all their taps.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <cstddef>

namespace cottonwood::kernels {

/// Most dimensions: batch, field, and channels as one or two.
inline constexpr unsigned CONV_MAX_DIMS = 11;

/// Output out + i * outStep and tap tap + j * tapStep meet input in + i * inOut + j * inTap, for
/// i < outCount and j < tapCount. The steps of outputs and taps are positive.
struct ConvClass {
  int out, outStep, outCount;
  int tap, tapStep, tapCount;
  int in, inOut, inTap;
};
/// Numbers of a class in a table.
inline constexpr std::size_t CONV_CLASS_INTS = sizeof(ConvClass) / sizeof(int);
/// Numbers of a dimension in a table before its classes: outputs, taps, classes.
inline constexpr std::size_t CONV_DIM_INTS = 3;

/// A half-open range.
struct ConvRange {
  int begin, end;
  POP_SIMD_INLINE int size() const { return end - begin; }
};

struct ConvDim {
  int outputs, taps;
  std::size_t numClasses;
  const ConvClass *classes;
  std::ptrdiff_t inStride;  ///< elements between neighbours of the input ...
  std::ptrdiff_t tapStride; ///< ... and of the kernel
};

namespace detail {

/// Terms of first, first + step, ... (count of them) that lie in a range: [from, to).
POP_SIMD_INLINE ConvRange termsWithin(int first, int step, int count, ConvRange range) {
  const int from = range.begin > first ? (range.begin - first + step - 1) / step : 0;
  const int all = range.end > first ? (range.end - first + step - 1) / step : 0;
  return {from, all < count ? all : count};
}

/// The part of a class within ranges of outputs and taps; false if it is empty.
POP_SIMD_INLINE bool restrictClass(ConvClass &c, ConvRange outputs, ConvRange taps) {
  const ConvRange i = termsWithin(c.out, c.outStep, c.outCount, outputs);
  const ConvRange j = termsWithin(c.tap, c.tapStep, c.tapCount, taps);
  if (i.size() <= 0 || j.size() <= 0)
    return false;
  c.out += i.begin * c.outStep, c.outCount = i.size();
  c.tap += j.begin * c.tapStep, c.tapCount = j.size();
  c.in += i.begin * c.inOut + j.begin * c.inTap;
  return true;
}

/// Appends the outputs of `next` to `last` if they have the same taps and continue both
/// progressions: classes that differ in taps which a restriction removed become one again.
POP_SIMD_INLINE bool joinClass(ConvClass &last, const ConvClass &next) {
  const bool sameTaps =
      last.tap == next.tap && last.tapCount == next.tapCount &&
      (last.tapCount == 1 || (last.tapStep == next.tapStep && last.inTap == next.inTap));
  if (!sameTaps)
    return false;
  const int end = last.outCount - 1;
  const int step = next.out - (last.out + end * last.outStep);
  const int inStep = next.in - (last.in + end * last.inOut);
  if (step <= 0 || (last.outCount > 1 && (step != last.outStep || inStep != last.inOut)) ||
      (next.outCount > 1 && (step != next.outStep || inStep != next.inOut)))
    return false;
  last.outStep = step, last.inOut = inStep;
  last.outCount += next.outCount;
  return true;
}

/// Classes of one dimension within ranges, joined where possible. \returns  how many.
POP_SIMD_INLINE std::size_t restrictClasses(const ConvDim &dim, ConvRange outputs, ConvRange taps,
                                            ConvClass *to) {
  std::size_t n = 0;
  for (std::size_t x = 0; x < dim.numClasses; ++x) {
    ConvClass c = dim.classes[x];
    if (!restrictClass(c, outputs, taps))
      continue;
    if (n == 0 || !joinClass(to[n - 1], c))
      to[n++] = c;
  }
  return n;
}

} // namespace detail

/// All dimensions of one convolution, read from a table: for each dimension CONV_DIM_INTS numbers,
/// then its classes; strides has two numbers a dimension.
struct ConvGeometry {
  unsigned dims;
  ConvDim dim[CONV_MAX_DIMS];

  POP_SIMD_INLINE ConvGeometry(unsigned count, const int *table, const long long *strides)
      : dims(count) {
    for (unsigned d = 0; d < dims; ++d) {
      dim[d].outputs = table[0], dim[d].taps = table[1];
      dim[d].numClasses = static_cast<std::size_t>(table[2]);
      dim[d].classes = reinterpret_cast<const ConvClass *>(table + CONV_DIM_INTS);
      dim[d].inStride = static_cast<std::ptrdiff_t>(strides[2 * d]);
      dim[d].tapStride = static_cast<std::ptrdiff_t>(strides[2 * d + 1]);
      table += CONV_DIM_INTS + dim[d].numClasses * CONV_CLASS_INTS;
    }
  }

  POP_SIMD_INLINE std::size_t numClasses() const {
    std::size_t n = 0;
    for (unsigned d = 0; d < dims; ++d)
      n += dim[d].numClasses;
    return n;
  }

  /// Every output has a product.
  POP_SIMD_INLINE bool covered() const {
    for (unsigned d = 0; d < dims; ++d) {
      int outputs = 0;
      for (std::size_t x = 0; x < dim[d].numClasses; ++x)
        outputs += dim[d].classes[x].outCount;
      if (outputs != dim[d].outputs)
        return false;
    }
    return true;
  }
};

/// Ranges of outputs and taps, one a dimension.
struct ConvRanges {
  ConvRange dim[CONV_MAX_DIMS];

  POP_SIMD_INLINE std::size_t size(unsigned dims) const {
    std::size_t n = 1;
    for (unsigned d = 0; d < dims; ++d)
      n *= static_cast<std::size_t>(dim[d].size());
    return n;
  }
};

/// Walks a range of sizes in steps that keep each part below a limit: the last dimensions whole,
/// one dimension in chunks, those before it one at a time.
class ConvParts {
public:
  /// \param enough  parts of this size are not made larger by another dimension
  POP_SIMD_INLINE ConvParts(unsigned dims, const int *sizes, std::size_t limit, std::size_t enough)
      : dims_(dims), sizes_(sizes) {
    std::size_t inner = 1;
    unsigned level = dims;
    while (level > 0 && inner < enough && inner * size(level - 1) <= limit)
      inner *= size(--level);
    chunked_ = level == 0 ? 0 : level - 1;
    const std::size_t n = size(chunked_);
    std::size_t chunk = level == 0 ? n : inner >= enough ? 1 : limit / inner;
    chunk = chunk == 0 ? 1 : chunk;
    const std::size_t parts = (n + chunk - 1) / chunk;
    chunk_ = static_cast<int>((n + parts - 1) / parts);
    largest_ = level == 0 ? inner : inner * static_cast<std::size_t>(chunk_);
  }

  /// Elements of the largest part.
  POP_SIMD_INLINE std::size_t largest() const { return largest_; }

  POP_SIMD_INLINE std::size_t count() const {
    std::size_t n =
        (size(chunked_) + static_cast<std::size_t>(chunk_) - 1) / static_cast<std::size_t>(chunk_);
    for (unsigned d = 0; d < chunked_; ++d)
      n *= size(d);
    return n;
  }

  POP_SIMD_INLINE ConvRanges first() const {
    ConvRanges r{};
    for (unsigned d = 0; d < dims_; ++d)
      r.dim[d] = {0, d < chunked_ ? 1 : d == chunked_ ? clip(chunk_, d) : sizes_[d]};
    return r;
  }

  /// Goes on to the next part; false after the last.
  POP_SIMD_INLINE bool next(ConvRanges &r) const {
    for (unsigned d = chunked_ + 1; d-- > 0;) {
      const int step = d == chunked_ ? chunk_ : 1;
      if (r.dim[d].end < sizes_[d]) {
        r.dim[d] = {r.dim[d].end, clip(r.dim[d].end + step, d)};
        return true;
      }
      r.dim[d] = {0, clip(step, d)};
    }
    return false;
  }

private:
  POP_SIMD_INLINE std::size_t size(unsigned d) const { return static_cast<std::size_t>(sizes_[d]); }
  POP_SIMD_INLINE int clip(int end, unsigned d) const { return end < sizes_[d] ? end : sizes_[d]; }

  unsigned dims_, chunked_;
  const int *sizes_;
  int chunk_;
  std::size_t largest_;
};

} // namespace cottonwood::kernels
