/// \file ConvDriver.hpp
/// How a convolution on one core is cut into passes over taps and outputs, and these into tiles.
#pragma once

#include <codelets/poplin/ConvArgs.hpp>
#include <codelets/poplin/ConvChannels.hpp>
#include <codelets/poplin/Finish.hpp>
#include <codelets/poplin/MatMulPack.hpp>

namespace cottonwood::kernels {

namespace detail {

/// \tparam CHANNELS  groups of one channel in and out: they are columns, and there is one group
/// \tparam Finish    what becomes of the sums of output i, column j of all groups: see Finish.hpp
template <class Tag, bool CHANNELS, class TIn, class TWeights, class TOut, class Finish = StoreSums>
class ConvDriver {
public:
  using Args = ConvArgs<TIn, TWeights, TOut>;

  explicit ConvDriver(const Args &args, const Finish &finish = {})
      : args_(args), finish_(finish), geometry_(args.geometry), covered_(geometry_.covered()),
        taps_(sizesOf(&ConvDim::taps, tapSizes_)), outputs_(sizesOf(&ConvDim::outputs, outSizes_)),
        tapParts_(geometry_.dims, taps_, args.blocking.depth, args.blocking.enough),
        copies_(CHANNELS && ConvChannels<Tag, TIn, TOut, Finish>::COPIES &&
                convCopyFloats(geometry_, args_.blocking) != 0),
        pixelParts_(geometry_.dims, outputs_, partPixels(), partPixels()) {
    onePass_ = tapParts_.count() == 1;
    std::ptrdiff_t stride = 1;
    for (unsigned d = geometry_.dims; d-- > 0;) {
      outStride_[d] = stride;
      stride *= outSizes_[d];
    }
    const std::size_t first = columnsFrom(0), most = first > COLUMNS ? first : COLUMNS;
    strip_ = alignedToLine(args.workspace);
    sums_ = alignedToLine(strip_ + (CHANNELS ? 0 : tapParts_.largest() * most));
    copy_ = alignedToLine(sums_ + pixelParts_.largest() * most);
    float *const classes =
        copies_ ? alignedToLine(copy_ + convCopyFloats(geometry_, args_.blocking)) : copy_;
    classes_ = reinterpret_cast<ConvClass *>(classes);
  }

  void run() {
    for (std::size_t g = 0; g < args_.groups; ++g) {
      in_ = args_.in + static_cast<std::ptrdiff_t>(g) * args_.inGroup;
      weights_ = args_.weights + static_cast<std::ptrdiff_t>(g) * args_.weightsGroup;
      firstColumn_ = g * args_.columns;
      ConvRanges part = pixelParts_.first();
      firstPixel_ = 0;
      do {
        numPixels_ = part.size(geometry_.dims);
        if (CHANNELS && onePass_)
          runAllColumns(part);
        for (std::size_t j = CHANNELS && onePass_ ? args_.columns : 0; j < args_.columns;
             j += columns_)
          runStrip(part, j, columnsFrom(j));
        firstPixel_ += numPixels_;
      } while (pixelParts_.next(part));
    }
  }

private:
  using Shape = std::conditional_t<CHANNELS, ConvChannelTileShape<Tag>, ConvTileShape<Tag>>;
  using TileWeights = std::conditional_t<CHANNELS, TWeights, float>;
  using TileArgs = ConvTileArgs<TIn, TileWeights>;
  static constexpr std::size_t COLUMNS = Shape::COLUMNS;
  static constexpr std::size_t WIDTH = Shape::WIDTH;
  /// Rows of the input these many elements apart lie in one set of L1.
  static constexpr std::ptrdiff_t SET_SPAN = MATMUL_WAY_BYTES / sizeof(TIn);

  /// Columns of the strip that begins with column j: none after a wide one is wider.
  POP_SIMD_INLINE std::size_t columnsFrom(std::size_t j) const {
    const std::size_t left = args_.columns - j;
    if constexpr (Shape::HAS_WIDE)
      if (args_.blocking.columns >= Shape::WIDE_COLUMNS && left >= Shape::WIDE_COLUMNS)
        return Shape::WIDE_COLUMNS;
    return left < COLUMNS ? left : COLUMNS;
  }
  /// Whether the strip is a wide one.
  POP_SIMD_INLINE bool isWide() const { return Shape::HAS_WIDE && columns_ > COLUMNS; }

  const int *sizesOf(int ConvDim::*member, int *to) const {
    for (unsigned d = 0; d < geometry_.dims; ++d)
      to[d] = geometry_.dim[d].*member;
    return to;
  }

  std::size_t partPixels() const {
    const std::size_t most = args_.blocking.pixels;
    return copies_ && CONV_COPY_OUTPUTS < most ? CONV_COPY_OUTPUTS : most;
  }

  POP_SIMD_INLINE TOut *outAt(std::size_t pixel, std::size_t j) const {
    return args_.outAt(pixel) + firstColumn_ + j;
  }

  /// Columns [j, j + columns) of a part of the outputs.
  void runStrip(const ConvRanges &outputs, std::size_t j, std::size_t columns) {
    constexpr bool FLOAT_OUT = std::is_same_v<TOut, float>;
    near_ = !CHANNELS && onePass_ && covered_ && (Finish::ACTIVE || !FLOAT_OUT);
    direct_ = FLOAT_OUT && onePass_ && !near_;
    column_ = j, columns_ = columns;
    placeSums();
    if (!onePass_ || !covered_)
      clearSums();
    ConvRanges part = tapParts_.first();
    do {
      chooseWeights(part);
      forEachConvBox(geometry_, outputs, part, classes_,
                     [&](const ConvBox &box) POP_SIMD_LAMBDA { runBox(box, part); });
    } while (tapParts_.next(part));
    for (std::size_t i = firstPixel_;
         !near_ && (Finish::ACTIVE || !direct_) && i < firstPixel_ + numPixels_; ++i)
      finish(sumsAt(i), i);
  }

  /// Groups as columns, all taps at once.
  void runAllColumns(const ConvRanges &outputs) {
    const ConvRanges part = tapParts_.first();
    column_ = 0, columns_ = args_.columns;
    chooseWeights(part);
    for (std::size_t i = firstPixel_; !covered_ && i < firstPixel_ + numPixels_; ++i)
      clear(i);
    if constexpr (CHANNELS)
      ConvChannels<Tag, TIn, TOut, Finish>(args_, finish_, outStride_, weightsStep_, classes_,
                                           sums_)
          .run(in_, tileWeights_, outputs, part, copies_ ? copy_ : nullptr);
  }

  /// The columns of a strip of an output whose sums are complete.
  POP_SIMD_INLINE void finish(const float *sums, std::size_t pixel) const {
    finish_.template row<Tag>(sums, columns_, outAt(pixel, column_), 1, pixel,
                              firstColumn_ + column_);
  }

  /// What an output without products becomes.
  void clear(std::size_t pixel) const {
    TOut *const to = outAt(pixel, 0);
    if constexpr (Finish::ACTIVE) {
      static constexpr float ZEROS[COLUMNS] = {};
      for (std::size_t j = 0; j < columns_; j += COLUMNS)
        finish_.template row<Tag>(ZEROS, columns_ - j < COLUMNS ? columns_ - j : COLUMNS, to + j, 1,
                                  pixel, firstColumn_ + j);
    } else {
      for (std::size_t x = 0; x < columns_; ++x)
        simd<float, isa::scalar>::zero().store(to + x);
    }
  }

  POP_SIMD_INLINE float *sumsAt(std::size_t pixel) const {
    if constexpr (std::is_same_v<TOut, float>)
      if (direct_ && args_.outRows)
        return outAt(pixel, column_);
    return sumsBase_ + pixel * sumsStride_;
  }

  /// Sums go straight to the output; or to scratch, near_: those of one tile, row by row.
  void placeSums() {
    sumsStride_ = isWide() ? 2 * COLUMNS : COLUMNS;
    sumsBase_ = near_ ? sums_ : sums_ - firstPixel_ * sumsStride_;
    if constexpr (std::is_same_v<TOut, float>)
      if (direct_)
        sumsBase_ = args_.out + firstColumn_ + column_, sumsStride_ = args_.outPixel;
  }

  void clearSums() {
    for (std::size_t i = 0; i < numPixels_; ++i) {
      float *sums = sumsAt(firstPixel_ + i);
      for (std::size_t x = 0; x < columns_; ++x)
        sums[x] = 0;
    }
  }

  /// Weights of a range of taps: in place where a tile reads them well, else packed; the halves of
  /// a wide strip one after the other.
  void chooseWeights(const ConvRanges &part) {
    const TWeights *at = weights_;
    for (unsigned d = 0; d < geometry_.dims; ++d)
      at += part.dim[d].begin * geometry_.dim[d].tapStride;
    const std::ptrdiff_t first = columnAt(column_);
    const std::size_t columns = isWide() ? COLUMNS : columns_;
    if constexpr (std::is_same_v<TWeights, TileWeights>) {
      const std::ptrdiff_t row = geometry_.dim[geometry_.dims - 1].tapStride;
      if (CHANNELS || (args_.weightsColumn == 1 && columns % WIDTH == 0 && row > 0 &&
                       row <= static_cast<std::ptrdiff_t>(MATMUL_MAX_TILE_COLUMNS))) {
        tileWeights_ = at + first;
        if (isWide())
          weightsPair_ = columnAt(column_ + COLUMNS) - first;
        for (unsigned d = 0; d < geometry_.dims; ++d)
          weightsStep_[d] = geometry_.dim[d].tapStride;
        return;
      }
    }
    if constexpr (!CHANNELS) {
      std::ptrdiff_t step = static_cast<std::ptrdiff_t>((columns + WIDTH - 1) / WIDTH * WIDTH);
      for (unsigned d = geometry_.dims; d-- > 0;) {
        weightsStep_[d] = step;
        step *= part.dim[d].size();
      }
      tileWeights_ = strip_, weightsPair_ = step;
      packWeights(at + first, part, columns, strip_);
      if (isWide())
        packWeights(at + columnAt(column_ + COLUMNS), part, columns, strip_ + step);
    }
  }

  POP_SIMD_INLINE std::ptrdiff_t columnAt(std::size_t j) const {
    return static_cast<std::ptrdiff_t>(j / args_.weightsBlock) * args_.weightsBlockStride +
           static_cast<std::ptrdiff_t>(j % args_.weightsBlock) * args_.weightsColumn;
  }

  void packWeights(const TWeights *at, const ConvRanges &part, std::size_t columns, float *to) {
    const unsigned last = geometry_.dims - 1;
    const auto run = static_cast<std::size_t>(part.dim[last].size());
    const MatMulView<TWeights> view{nullptr, geometry_.dim[last].tapStride, args_.weightsColumn};
    int tap[CONV_MAX_DIMS] = {};
    for (;; to += weightsStep_[last] * part.dim[last].size()) {
      packMatMulPanel<Tag>(MatMulView<TWeights>{at, view.row, view.column}, run,
                           static_cast<unsigned>(columns), to);
      unsigned d = last;
      for (; d > 0; --d) {
        const std::ptrdiff_t stride = geometry_.dim[d - 1].tapStride;
        if (++tap[d - 1] < part.dim[d - 1].size()) {
          at += stride;
          break;
        }
        at -= (part.dim[d - 1].size() - 1) * stride;
        tap[d - 1] = 0;
      }
      if (d == 0)
        return;
    }
  }

  /// Outputs that share their taps, a tile at a time.
  void runBox(const ConvBox &box, const ConvRanges &part) {
    ConvSegment segments[CONV_MAX_SEGMENTS];
    TileArgs tile;
    setConvRuns(tile, segments, box, weightsStep_, part);
    const TIn *rows[Shape::ROWS];
    float *sums[Shape::ROWS];
    std::size_t pixels[Shape::ROWS];
    tile.rows = rows, tile.sums = sums;
    tile.weights = tileWeights_, tile.weightsPair = weightsPair_;
    tile.load = !onePass_;
    tile.columns = static_cast<unsigned>(columns_);
    ConvRows row(box, outStride_);
    std::size_t most = Shape::ROWS;
    if constexpr (Shape::HAS_WIDE)
      most = Shape::rowsOf(columns_);
    if (row.inStep() % SET_SPAN == 0 && args_.blocking.setRows < most)
      most = args_.blocking.setRows;
    const std::size_t all = box.outputs();
    const MatMulHeights heights = matMulHeights(all, most);
    const TIn *in = CHANNELS ? in_ + column_ : in_;
    if constexpr (!CHANNELS)
      if (row.isLine() && tile.numSegments == 1 && !(direct_ && args_.outRows))
        return runProduct(tile, row, all, heights);
    for (std::size_t i = 0, n = 0; i < all; i += n) {
      n = heights.at(i);
      row.take(n, [&](std::size_t x, std::ptrdiff_t at, std::ptrdiff_t pixel) POP_SIMD_LAMBDA {
        rows[x] = in + at;
        pixels[x] = static_cast<std::size_t>(pixel);
        sums[x] = sumsAt(near_ ? x : pixels[x]);
      });
      if constexpr (CHANNELS)
        runConvChannelTile<Tag>(static_cast<unsigned>(n), tile);
      else
        runConvTile<Tag>(static_cast<unsigned>(n), tile);
      for (std::size_t x = 0; near_ && x < n; ++x)
        finish(sums[x], pixels[x]);
    }
  }

  /// The same for a line of outputs and one run of taps: a block of a matrix product.
  void runProduct(const TileArgs &conv, const ConvRows &row, std::size_t all,
                  MatMulHeights heights) {
    const ConvSegment &run = *conv.segments;
    MatMulTileArgs tile{};
    tile.k = conv.length, tile.columns = conv.columns;
    tile.a = in_ + row.in() + run.in;
    tile.aRow = row.inStep(), tile.aColumn = conv.inStep;
    tile.b = conv.weights + run.weights, tile.bRow = conv.weightsStep;
    tile.bPair = conv.weightsPair;
    auto pixel = static_cast<std::size_t>(row.out());
    const auto step = static_cast<std::size_t>(row.outStep());
    tile.cOut = sumsAt(near_ ? 0 : pixel);
    tile.cOutRow = static_cast<std::ptrdiff_t>((near_ ? 1 : step) * sumsStride_);
    tile.cInRow = tile.cOutRow;
    const MatMulRows a = tile.aColumn == 1 ? MatMulRows::LINES : MatMulRows::ANY;
    for (std::size_t i = 0, n = 0; i < all; i += n) {
      n = heights.at(i);
      tile.cIn = conv.load ? tile.cOut : nullptr;
      matMulTileOf<Tag, MatMulSource::FLOAT>(n, conv.columns, a)(tile);
      const auto rows = static_cast<std::ptrdiff_t>(n);
      tile.a += rows * tile.aRow;
      if (!near_)
        tile.cOut += rows * tile.cOutRow;
      for (std::size_t x = 0; near_ && x < n; ++x, pixel += step)
        finish(tile.cOut + x * sumsStride_, pixel);
    }
  }

  const Args &args_;
  [[no_unique_address]] const Finish finish_;
  const ConvGeometry &geometry_;
  const bool covered_;
  int tapSizes_[CONV_MAX_DIMS], outSizes_[CONV_MAX_DIMS];
  const int *taps_, *outputs_;
  ConvParts tapParts_;
  const bool copies_; ///< the input, if all taps are of one part
  ConvParts pixelParts_;
  bool onePass_, direct_ = false;
  bool near_ = false; ///< tiles complete the sums of all outputs, and something becomes of them
  std::ptrdiff_t outStride_[CONV_MAX_DIMS], weightsStep_[CONV_MAX_DIMS];
  float *strip_, *sums_, *copy_;
  float *sumsBase_ = nullptr; ///< of output 0, which may lie before the scratch
  std::size_t sumsStride_ = 0;
  ConvClass *classes_;
  const TIn *in_ = nullptr;
  const TWeights *weights_ = nullptr;
  const TileWeights *tileWeights_ = nullptr;
  std::ptrdiff_t weightsPair_ = 0;
  std::size_t firstColumn_ = 0, firstPixel_ = 0, numPixels_ = 0, column_ = 0, columns_ = 0;
};

} // namespace detail

} // namespace cottonwood::kernels
