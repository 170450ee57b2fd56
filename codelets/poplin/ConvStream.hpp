/// \file ConvStream.hpp
/// One convolution without scratch, its outputs shared by the worker contexts of a tile.
#pragma once

#include <codelets/poplin/ConvBox.hpp>
#include <codelets/poplin/MatMulQuarter.hpp>
#include <codelets/poplin/MatMulVector.hpp>

namespace cottonwood::kernels {

/// Input and weights as geometry says, output channels side by side in weights and output.
/// \tparam TIn  float, half, or std::uint8_t: 8-bit floats
template <class TIn, class TOut> struct ConvStreamArgs {
  ConvGeometry geometry;
  std::size_t columns;
  const TIn *in, *weights;
  TOut *out;                                 ///< [outputs, columns]
  QuarterLayout inLayout{}, weightsLayout{}; ///< of 8-bit floats
};

namespace detail {

/// True if an output of a dimension has a tap.
POP_SIMD_INLINE bool hasTap(const ConvDim &dim, int output) {
  for (std::size_t x = 0; x < dim.numClasses; ++x) {
    const ConvClass &c = dim.classes[x];
    const int i = output - c.out;
    if (i >= 0 && i % c.outStep == 0 && i / c.outStep < c.outCount)
      return true;
  }
  return false;
}

template <class Tag, class TIn, class TOut> class ConvStreamer {
public:
  ConvStreamer(const ConvStreamArgs<TIn, TOut> &args, unsigned worker, unsigned workers)
      : args_(args), geometry_(args.geometry), worker_(worker), workers_(workers) {
    std::ptrdiff_t stride = 1;
    for (unsigned d = geometry_.dims; d-- > 0;) {
      outStride_[d] = stride;
      stride *= geometry_.dim[d].outputs;
      tapStride_[d] = geometry_.dim[d].tapStride;
    }
    pixels_ = static_cast<std::size_t>(stride);
  }

  void run() {
    forEachConvBox(geometry_, [&](const ConvBox &box) POP_SIMD_LAMBDA { runBox(box); });
    if (worker_ == 0 && !geometry_.covered())
      clearUncovered();
  }

private:
  static constexpr std::size_t ROWS = MATMUL_STREAMED_ROWS;
  /// 16 KB of sums: a third to a half of L1.
  static constexpr std::size_t SUMS = 4096;

  /// Some outputs at equal distances in the input.
  struct Rows {
    std::ptrdiff_t in, step;
    std::size_t count, out[ROWS];
  };

  void runBox(const ConvBox &box) {
    ConvRows row(box, outStride_);
    std::size_t left = box.outputs();
    while (left != 0) {
      Rows rows{row.in(), 0, 0, {}};
      std::ptrdiff_t last = rows.in;
      do {
        rows.out[rows.count++] = static_cast<std::size_t>(row.out());
        row.next();
        const std::ptrdiff_t step = row.in() - last;
        if (--left == 0 || (rows.count > 1 && step != rows.step))
          break;
        rows.step = step, last = row.in();
      } while (rows.count < ROWS);
      if (next_++ % workers_ == worker_)
        runRows(box, rows);
    }
  }

  void runRows(const ConvBox &box, const Rows &rows) {
    alignas(64) float sums[SUMS];
    const std::size_t block = SUMS / rows.count / 64 * 64;
    for (std::size_t j = 0; j < args_.columns; j += block) {
      const std::size_t columns = args_.columns - j < block ? args_.columns - j : block;
      for (std::size_t x = 0; x < rows.count * block; ++x)
        sums[x] = 0;
      ConvRuns runs(box, tapStride_, ConvRanges{});
      do {
        const MatMulView<TIn> a{args_.in + rows.in + runs.now().in, rows.step, runs.inStep()};
        const MatMulView<TIn> b{args_.weights + runs.now().weights + j, runs.weightsStep(), 1};
        stream(rows.count, a, b, runs.length(), sums, block, columns);
      } while (runs.next());
      for (std::size_t i = 0; i < rows.count; ++i)
        copyFromFloat<Tag>(sums + i * block, columns, args_.out + rows.out[i] * args_.columns + j,
                           1);
    }
  }

  void stream(std::size_t rows, MatMulView<TIn> a, MatMulView<TIn> b, std::size_t k, float *sums,
              std::size_t block, std::size_t columns) const {
    if constexpr (std::is_same_v<TIn, std::uint8_t>)
      streamQuarters<Tag>(rows, {a, args_.inLayout}, {b, args_.weightsLayout}, k, sums, block,
                          columns);
    else
      streamRowsOf<Tag>(std::make_index_sequence<ROWS>{}, rows, a, b, k, sums, block, columns,
                        MATMUL_PAGE);
  }

  void clearUncovered() {
    using One = simd<float, isa::scalar>;
    for (std::size_t p = 0; p < pixels_; ++p) {
      bool covered = true;
      for (unsigned d = 0; d < geometry_.dims; ++d)
        covered =
            covered && hasTap(geometry_.dim[d],
                              static_cast<int>(p / static_cast<std::size_t>(outStride_[d]) %
                                               static_cast<std::size_t>(geometry_.dim[d].outputs)));
      for (std::size_t j = 0; !covered && j < args_.columns; ++j)
        One::zero().store(args_.out + p * args_.columns + j);
    }
  }

  const ConvStreamArgs<TIn, TOut> &args_;
  const ConvGeometry &geometry_;
  unsigned worker_, workers_, next_ = 0;
  std::size_t pixels_;
  std::ptrdiff_t outStride_[CONV_MAX_DIMS], tapStride_[CONV_MAX_DIMS];
};

} // namespace detail

/// The share of one of `workers` worker contexts.
template <class Tag, class TIn, class TOut>
void convolveStreamed(const ConvStreamArgs<TIn, TOut> &args, unsigned worker, unsigned workers) {
  detail::ConvStreamer<Tag, TIn, TOut>(args, worker, workers).run();
}

} // namespace cottonwood::kernels
