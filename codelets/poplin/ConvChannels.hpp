/// \file ConvChannels.hpp
/// Groups of one channel each as columns, all taps at once: a few outputs with all their columns at
/// a time, which streams through memory.
#pragma once

#include <codelets/poplin/ConvArgs.hpp>
#include <codelets/poplin/ConvChannelLines.hpp>
#include <codelets/poplin/Finish.hpp>

namespace cottonwood::kernels::detail {

/// Operands have one type; columns of one tap lie side by side.
template <class Tag, class T, class TOut, class Finish> class ConvChannels {
public:
  /// There is code of its own for lines. It takes the compiler long, so that it is there only where
  /// it matters most.
  static constexpr bool LINES =
      simd<float, Tag>::width > 1 && !Finish::ACTIVE && std::is_same_v<T, TOut>;
  /// Floats may be copied first.
  static constexpr bool COPIES = LINES && std::is_same_v<T, float>;

  /// \param outStride, weightsStep  places between outputs and elements between taps of each
  ///                                dimension
  /// \param classes  room for all classes of the geometry
  /// \param sums     room for the sums of a tile, unless these are the output
  ConvChannels(const ConvArgs<T, T, TOut> &args, const Finish &finish,
               const std::ptrdiff_t *outStride, const std::ptrdiff_t *weightsStep,
               ConvClass *classes, float *sums)
      : args_(args), finish_(finish), outStride_(outStride), weightsStep_(weightsStep),
        classes_(classes), sums_(sums) {}

  /// Parts of the outputs and taps, of which `weights` are those of the first.
  /// \param copy  convCopyFloats() of scratch, or nullptr
  void run(const T *in, const T *weights, const ConvRanges &outputs, const ConvRanges &taps,
           float *copy) {
    ConvChoice choice[CONV_MAX_DIMS];
    restrictConv(args_.geometry, outputs, taps, classes_, choice);
    if constexpr (COPIES)
      if (copy && runCopied(in, weights, choice, taps, copy))
        return;
    in_ = in, weights_ = weights, column_ = 0, columns_ = args_.columns;
    runBoxes(args_.geometry, choice, taps);
  }

private:
  using Tile = ConvTileArgs<T, T>;
  using Shape = ConvChannelTileShape<Tag>;
  using V = simd<float, Tag>;
  static constexpr std::size_t COLUMNS = Shape::COLUMNS;
  static constexpr bool FLOAT_OUT = std::is_same_v<TOut, float>;

  POP_SIMD_INLINE TOut *outAt(std::size_t pixel) const { return args_.outAt(pixel) + column_; }

  /// A few channels after the other, from a copy of the input where they lie side by side; false
  /// if the classes meet too many places of it.
  bool runCopied(const T *in, const T *weights, const ConvChoice *choice, const ConvRanges &taps,
                 float *copy) {
    ConvGeometry near = args_.geometry;
    ConvRange range[CONV_MAX_DIMS];
    std::size_t places = 1;
    for (unsigned d = 0; d < near.dims; ++d) {
      range[d] = convInputs(choice[d].first, choice[d].count);
      places *= static_cast<std::size_t>(range[d].size());
    }
    if (places > CONV_COPY_PLACES)
      return false;
    if (places == 0) // no output of this part meets an input
      return true;
    const std::size_t channels = convCopyChannels(places);
    std::ptrdiff_t origin = 0;
    for (unsigned d = near.dims, step = static_cast<unsigned>(channels); d-- > 0;) {
      near.dim[d].inStride = step, origin += range[d].begin * near.dim[d].inStride;
      step *= static_cast<unsigned>(range[d].size());
    }
    in_ = copy - origin;
    for (column_ = 0; column_ < args_.columns; column_ += columns_) {
      const std::size_t left = args_.columns - column_;
      columns_ = left < channels ? left : channels;
      weights_ = weights + column_;
      copyInputs(in + column_, range, copy, channels);
      runBoxes(near, choice, taps);
    }
    return true;
  }

  /// `columns_` channels of the places in the ranges, to places `step` apart.
  void copyInputs(const float *in, const ConvRange *range, float *to, std::size_t step) const {
    const ConvGeometry &g = args_.geometry;
    unsigned last = g.dims - 1;
    while (last > 0 && range[last].size() == 1)
      --last;
    for (unsigned d = 0; d < g.dims; ++d)
      in += range[d].begin * g.dim[d].inStride;
    const std::ptrdiff_t stride = g.dim[last].inStride;
    const auto line = static_cast<std::size_t>(range[last].size());
    int at[CONV_MAX_DIMS] = {};
    for (;; to += line * step) {
      if (columns_ == step)
        for (std::size_t x = 0; x < line; ++x)
          copyWhole(in + static_cast<std::ptrdiff_t>(x) * stride, to + x * step, step);
      else
        for (std::size_t x = 0; x < line; ++x)
          copyPartial(in + static_cast<std::ptrdiff_t>(x) * stride, to + x * step);
      unsigned d = last;
      for (; d > 0; --d) {
        in += g.dim[d - 1].inStride;
        if (++at[d - 1] < range[d - 1].size())
          break;
        in -= range[d - 1].size() * g.dim[d - 1].inStride;
        at[d - 1] = 0;
      }
      if (d == 0)
        return;
    }
  }
  /// Channels by sixty-four.
  POP_SIMD_INLINE static void copyWhole(const float *in, float *to, std::size_t channels) {
    for (std::size_t j = 0; j < channels; j += 64)
      unroll<64 / V::width>([&](auto v) POP_SIMD_LAMBDA {
        V::load(in + j + v * V::width).store(to + j + v * V::width);
      });
  }
  POP_SIMD_INLINE void copyPartial(const float *in, float *to) const {
    constexpr std::size_t W = static_cast<std::size_t>(V::width);
    std::size_t j = 0;
    for (; j + W <= columns_; j += W)
      V::load(in + j).store(to + j);
    if (j < columns_)
      V::loadPartial(in + j, columns_ - j).storePartial(to + j, columns_ - j);
  }

  /// All boxes; those that differ in the ends of their lines, and in the lines at the ends, are one
  /// where that is possible.
  void runBoxes(const ConvGeometry &geometry, const ConvChoice *all, const ConvRanges &taps) {
    ConvChoice choice[CONV_MAX_DIMS];
    for (unsigned d = 0; d < geometry.dims; ++d)
      choice[d] = all[d];
    unsigned line = geometry.dims - 1; // the dimension of lines; that of several lines is before it
    while (line > 0 && geometry.dim[line].outputs == 1 && geometry.dim[line].taps == 1)
      --line;
    Ends ends{line, {}, {}};
    if constexpr (LINES) {
      ends.ofLine = takeConvEnds(choice[line], CONV_ROW_TAPS);
      if (line > 0 && choice[line].count == 1 && choice[line].first->outCount > 1)
        ends.ofLines = takeConvEnds(choice[line - 1], geometry.dim[line - 1].taps);
    }
    forEachConvBox(geometry, choice, [&](ConvBox box) POP_SIMD_LAMBDA {
      if (runLines(box, taps, ends))
        return;
      const auto apart = [&](unsigned d, ConvEnds taken) {
        return taken.any() ? all[d] : ConvChoice{box.classes[d], 1};
      };
      const ConvChoice xs = apart(line, ends.ofLine);
      const ConvChoice ys = line > 0 ? apart(line - 1, ends.ofLines) : ConvChoice{nullptr, 1};
      for (std::size_t y = 0; y < ys.count; ++y)
        for (std::size_t x = 0; x < xs.count; ++x) {
          box.classes[line] = xs.first + x;
          if (line > 0)
            box.classes[line - 1] = ys.first + y;
          if (!runLines(box, taps, {line, {}, {}}))
            runTiles(box, taps);
        }
    });
  }

  /// What belongs to a box beside its outputs: ends of its lines, which are those of dimension
  /// `line`, and lines at the ends of the dimension before.
  struct Ends {
    unsigned line;
    ConvEnds ofLine, ofLines;
  };

  /// False if taps do not come in runs of lines, or outputs or segments not as the ends want them.
  bool runLines(const ConvBox &box, const ConvRanges &taps, const Ends &ends) {
    if constexpr (LINES) {
      ConvSegment segments[CONV_MAX_SEGMENTS];
      Tile tile;
      setConvRuns(tile, segments, box, weightsStep_, taps);
      if (tile.length != CONV_ROW_TAPS)
        return false;
      const ConvRows rows(box, outStride_);
      const auto differs = [&](unsigned d, std::size_t outputs) {
        return outputs != static_cast<std::size_t>(box.classes[d]->outCount);
      };
      if (ends.ofLine.any() && differs(ends.line, rows.left()))
        return false;
      if (ends.ofLines.any() &&
          (differs(ends.line - 1, rows.numLines()) ||
           tile.numSegments != static_cast<std::size_t>(box.classes[ends.line - 1]->tapCount)))
        return false;
      tile.weights = weights_, tile.columns = static_cast<unsigned>(columns_);
      ConvChannelLines<Tag, T, TOut>(args_, in_, column_, ends.ofLine, ends.ofLines)
          .run(box, rows, tile);
      return true;
    }
    return false;
  }

  void runTiles(const ConvBox &box, const ConvRanges &taps) {
    ConvSegment segments[CONV_MAX_SEGMENTS];
    Tile tile;
    setConvRuns(tile, segments, box, weightsStep_, taps);
    const T *rows[Shape::ROWS];
    TOut *outs[Shape::ROWS];
    float *sums[Shape::ROWS];
    std::size_t pixels[Shape::ROWS];
    tile.rows = rows, tile.sums = sums;
    tile.load = false;
    const std::size_t all = box.outputs(), tiles = (all + Shape::ROWS - 1) / Shape::ROWS;
    const std::size_t height = (all + tiles - 1) / tiles;
    ConvRows row(box, outStride_);
    for (std::size_t i = 0; i < all; i += height) {
      const std::size_t n = all - i < height ? all - i : height;
      row.take(n, [&](std::size_t x, std::ptrdiff_t at, std::ptrdiff_t pixel) POP_SIMD_LAMBDA {
        rows[x] = in_ + at;
        pixels[x] = static_cast<std::size_t>(pixel);
        outs[x] = outAt(pixels[x]);
      });
      for (std::size_t j = 0; j < columns_; j += COLUMNS) {
        tile.columns = static_cast<unsigned>(columns_ - j < COLUMNS ? columns_ - j : COLUMNS);
        tile.weights = weights_ + j;
        for (std::size_t x = 0; x < n; ++x) {
          if constexpr (FLOAT_OUT)
            sums[x] = outs[x] + j;
          else
            sums[x] = sums_ + x * COLUMNS;
        }
        runConvChannelTile<Tag>(static_cast<unsigned>(n), tile);
        for (std::size_t x = 0; x < n; ++x) {
          rows[x] += COLUMNS;
          if constexpr (Finish::ACTIVE || !FLOAT_OUT)
            finish_.template row<Tag>(sums[x], tile.columns, outs[x] + j, 1, pixels[x],
                                      column_ + j);
        }
      }
    }
  }

  const ConvArgs<T, T, TOut> &args_;
  const Finish &finish_;
  const std::ptrdiff_t *const outStride_, *const weightsStep_;
  ConvClass *const classes_;
  float *const sums_;
  const T *in_ = nullptr, *weights_ = nullptr;
  std::size_t column_ = 0, columns_ = 0;
};

} // namespace cottonwood::kernels::detail
