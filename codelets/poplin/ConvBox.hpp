/// \file ConvBox.hpp
/// Walks through the boxes of a convolution: outputs that share all their taps (ConvGeometry.hpp).
#pragma once

#include <codelets/poplin/ConvGeometry.hpp>
#include <codelets/poplin/ConvTile.hpp>

namespace cottonwood::kernels {

/// One class a dimension.
struct ConvBox {
  const ConvGeometry *geometry;
  const ConvClass *classes[CONV_MAX_DIMS];

  POP_SIMD_INLINE unsigned dims() const { return geometry->dims; }
  POP_SIMD_INLINE std::ptrdiff_t inStride(unsigned d) const { return geometry->dim[d].inStride; }

  POP_SIMD_INLINE std::size_t outputs() const {
    std::size_t n = 1;
    for (unsigned d = 0; d < dims(); ++d)
      n *= static_cast<std::size_t>(classes[d]->outCount);
    return n;
  }
};

/// Classes to choose from.
struct ConvChoice {
  const ConvClass *first;
  std::size_t count;
};

/// f(box) for every choice of one class a dimension.
template <class F>
POP_SIMD_INLINE void forEachConvBox(const ConvGeometry &geometry, const ConvChoice *choice, F &&f) {
  std::size_t pick[CONV_MAX_DIMS];
  ConvBox box;
  box.geometry = &geometry;
  for (unsigned d = 0; d < geometry.dims; ++d) {
    if (choice[d].count == 0)
      return;
    box.classes[d] = choice[d].first;
    pick[d] = 0;
  }
  for (;;) {
    f(box);
    unsigned d = geometry.dims;
    while (d > 0 && pick[d - 1] + 1 == choice[d - 1].count) {
      --d;
      pick[d] = 0, box.classes[d] = choice[d].first;
    }
    if (d == 0)
      return;
    box.classes[d - 1] = choice[d - 1].first + ++pick[d - 1];
  }
}

/// f(box) for every box of all outputs and taps.
template <class F> POP_SIMD_INLINE void forEachConvBox(const ConvGeometry &geometry, F &&f) {
  ConvChoice choice[CONV_MAX_DIMS];
  for (unsigned d = 0; d < geometry.dims; ++d)
    choice[d] = {geometry.dim[d].classes, geometry.dim[d].numClasses};
  forEachConvBox(geometry, choice, f);
}

/// The classes within ranges of outputs and taps. `storage` has room for all classes of the
/// geometry.
POP_SIMD_INLINE void restrictConv(const ConvGeometry &geometry, const ConvRanges &outputs,
                                  const ConvRanges &taps, ConvClass *storage, ConvChoice *choice) {
  for (unsigned d = 0; d < geometry.dims; ++d) {
    choice[d] = {storage,
                 detail::restrictClasses(geometry.dim[d], outputs.dim[d], taps.dim[d], storage)};
    storage += choice[d].count;
  }
}

/// f(box) for every box within ranges of outputs and taps.
template <class F>
POP_SIMD_INLINE void forEachConvBox(const ConvGeometry &geometry, const ConvRanges &outputs,
                                    const ConvRanges &taps, ConvClass *storage, F &&f) {
  ConvChoice choice[CONV_MAX_DIMS];
  restrictConv(geometry, outputs, taps, storage, choice);
  forEachConvBox(geometry, choice, f);
}

/// The outputs of a box one by one, the last dimension fastest.
class ConvRows {
public:
  /// \param outStride  places between neighbouring outputs of each dimension
  POP_SIMD_INLINE ConvRows(const ConvBox &box, const std::ptrdiff_t *outStride) {
    for (unsigned d = 0; d < box.dims(); ++d) {
      const ConvClass &c = *box.classes[d];
      in_ += c.in * box.inStride(d), out_ += c.out * outStride[d];
      if (c.outCount == 1)
        continue;
      at_[dims_] = 0, count_[dims_] = c.outCount;
      inStep_[dims_] = c.inOut * box.inStride(d), outStep_[dims_] = c.outStep * outStride[d];
      ++dims_;
      mergeLast();
    }
    if (dims_ == 0) {
      at_[0] = 0, count_[0] = 1, inStep_[0] = outStep_[0] = 0;
      dims_ = 1;
    }
  }

  POP_SIMD_INLINE std::ptrdiff_t in() const { return in_; }   ///< of the first tap
  POP_SIMD_INLINE std::ptrdiff_t out() const { return out_; } ///< place of the output

  /// All outputs lie at equal distances, inStep() and outStep().
  POP_SIMD_INLINE bool isLine() const { return dims_ == 1; }
  /// Between this output and the next of its line.
  POP_SIMD_INLINE std::ptrdiff_t inStep() const { return inStep_[dims_ - 1]; }
  POP_SIMD_INLINE std::ptrdiff_t outStep() const { return outStep_[dims_ - 1]; }
  /// Outputs to the end of the line, this one included.
  POP_SIMD_INLINE std::size_t left() const {
    return static_cast<std::size_t>(count_[dims_ - 1] - at_[dims_ - 1]);
  }
  /// Lines of the dimension before, and the way from one to the next if there are several.
  POP_SIMD_INLINE std::size_t numLines() const {
    return dims_ > 1 ? static_cast<std::size_t>(count_[dims_ - 2]) : 1;
  }
  POP_SIMD_INLINE std::ptrdiff_t nextLineIn() const { return inStep_[dims_ - 2]; }
  POP_SIMD_INLINE std::ptrdiff_t nextLineOut() const { return outStep_[dims_ - 2]; }
  /// Goes on by n <= left() outputs.
  POP_SIMD_INLINE void skip(std::size_t n) { advance(static_cast<int>(n)); }

  /// After the last comes the first.
  POP_SIMD_INLINE void next() { advance(1); }

  /// f(i, in, out) for the next n outputs.
  template <class F> POP_SIMD_INLINE void take(std::size_t n, F &&f) {
    for (std::size_t i = 0; i < n;) {
      const unsigned last = dims_ - 1;
      const auto left = static_cast<std::size_t>(count_[last] - at_[last]);
      const std::size_t run = left < n - i ? left : n - i;
      const std::ptrdiff_t inStep = inStep_[last], outStep = outStep_[last];
      std::ptrdiff_t in = in_, out = out_;
      for (const std::size_t end = i + run; i < end; ++i, in += inStep, out += outStep)
        f(i, in, out);
      advance(static_cast<int>(run));
    }
  }

private:
  /// Two dimensions that go on at equal distances become one.
  POP_SIMD_INLINE void mergeLast() {
    if (dims_ < 2)
      return;
    const unsigned a = dims_ - 2, b = dims_ - 1;
    if (inStep_[a] != count_[b] * inStep_[b] || outStep_[a] != count_[b] * outStep_[b])
      return;
    count_[a] *= count_[b];
    inStep_[a] = inStep_[b], outStep_[a] = outStep_[b];
    --dims_;
  }

  /// Goes on by n outputs, at most to the end of the last dimension.
  POP_SIMD_INLINE void advance(int n) {
    unsigned d = dims_ - 1;
    for (;; n = 1, --d) {
      in_ += n * inStep_[d], out_ += n * outStep_[d];
      if ((at_[d] += n) < count_[d])
        return;
      in_ -= count_[d] * inStep_[d], out_ -= count_[d] * outStep_[d];
      at_[d] = 0;
      if (d == 0)
        return;
    }
  }

  unsigned dims_ = 0; ///< those with more than one output
  int at_[CONV_MAX_DIMS], count_[CONV_MAX_DIMS];
  std::ptrdiff_t inStep_[CONV_MAX_DIMS], outStep_[CONV_MAX_DIMS];
  std::ptrdiff_t in_ = 0, out_ = 0;
};

/// The taps of a box as runs: of the last dimension, and of those before it that continue the run
/// both in the input and in the weights.
class ConvRuns {
public:
  /// \param weightsStep  elements between neighbouring taps of each dimension
  /// \param first        first tap of each dimension that `weights` count from
  POP_SIMD_INLINE ConvRuns(const ConvBox &box, const std::ptrdiff_t *weightsStep,
                           const ConvRanges &first)
      : outer_(box.dims() - 1) {
    for (unsigned d = 0; d <= outer_; ++d) {
      const ConvClass &c = *box.classes[d];
      at_[d] = 0, count_[d] = c.tapCount;
      step_[d] = {c.inTap * box.inStride(d), c.tapStep * weightsStep[d]};
      now_.weights += (c.tap - first.dim[d].begin) * weightsStep[d];
    }
    length_ = static_cast<std::size_t>(count_[outer_]);
    inStep_ = step_[outer_].in, weightsStep_ = step_[outer_].weights;
    while (outer_ > 0 && continues(outer_ - 1))
      length_ *= static_cast<std::size_t>(count_[--outer_]);
  }

  POP_SIMD_INLINE std::size_t length() const { return length_; }
  POP_SIMD_INLINE std::ptrdiff_t inStep() const { return inStep_; }
  POP_SIMD_INLINE std::ptrdiff_t weightsStep() const { return weightsStep_; }
  POP_SIMD_INLINE const ConvSegment &now() const { return now_; }

  /// Goes on to the next run; false after the last.
  POP_SIMD_INLINE bool next() {
    for (unsigned d = outer_; d-- > 0;) {
      if (++at_[d] < count_[d]) {
        now_.in += step_[d].in, now_.weights += step_[d].weights;
        return true;
      }
      now_.in -= (count_[d] - 1) * step_[d].in;
      now_.weights -= (count_[d] - 1) * step_[d].weights;
      at_[d] = 0;
    }
    return false;
  }

private:
  POP_SIMD_INLINE bool continues(unsigned d) {
    const auto n = static_cast<std::ptrdiff_t>(length_);
    if (length_ == 1 && count_[d] > 1) { // nothing to continue: this dimension is the run
      inStep_ = step_[d].in, weightsStep_ = step_[d].weights;
      return true;
    }
    return count_[d] == 1 || (step_[d].in == n * inStep_ && step_[d].weights == n * weightsStep_);
  }

  unsigned outer_; ///< dimensions before this one are walked through
  int at_[CONV_MAX_DIMS], count_[CONV_MAX_DIMS];
  ConvSegment step_[CONV_MAX_DIMS];
  ConvSegment now_{0, 0};
  std::size_t length_;
  std::ptrdiff_t inStep_, weightsStep_;
};

/// The taps of a box as the runs of a tile. \param segments  room for CONV_MAX_SEGMENTS
/// \param weightsStep, first  as of ConvRuns
template <class TIn, class TWeights>
POP_SIMD_INLINE void setConvRuns(ConvTileArgs<TIn, TWeights> &tile, ConvSegment *segments,
                                 const ConvBox &box, const std::ptrdiff_t *weightsStep,
                                 const ConvRanges &first) {
  ConvRuns runs(box, weightsStep, first);
  std::size_t n = 0;
  do
    segments[n++] = runs.now();
  while (runs.next());
  tile.segments = segments, tile.numSegments = n;
  tile.length = runs.length(), tile.inStep = runs.inStep();
  tile.weightsStep = runs.weightsStep();
}

} // namespace cottonwood::kernels
