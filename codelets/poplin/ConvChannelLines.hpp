/// \file ConvChannelLines.hpp
/// Convolutions of groups of one channel each, line by line.
#pragma once

#include <codelets/poplin/ConvArgs.hpp>
#include <codelets/poplin/ConvBox.hpp>
#include <codelets/poplin/ConvChannelRow.hpp>
#include <codelets/poplin/ConvRegion.hpp>

namespace cottonwood::kernels::detail {

/// Outputs at the ends of a dimension that lack one tap, which would meet padding.
struct ConvEnds {
  bool first = false, last = false;
  bool any() const { return first || last; }
};

/// If the classes of a dimension are one with all taps and such ends of it, which lie where it
/// would go on, leaves that one and returns the others.
POP_SIMD_INLINE ConvEnds takeConvEnds(ConvChoice &choice, int taps) {
  std::size_t m = 0;
  while (m < choice.count && choice.first[m].tapCount != taps)
    ++m;
  if (m == choice.count || choice.first[m].outCount < 2)
    return {};
  const ConvClass &line = choice.first[m];
  ConvEnds ends;
  for (std::size_t x = 0; x < choice.count; ++x) {
    const ConvClass &c = choice.first[x];
    if (x == m)
      continue;
    if (c.outCount != 1 || c.tapCount != taps - 1 || c.tapStep != line.tapStep ||
        c.inTap != line.inTap)
      return {};
    const bool first = c.out == line.out - line.outStep && c.tap == line.tap + line.tapStep &&
                       c.in == line.in - line.inOut + line.inTap;
    const bool last = c.out == line.out + line.outCount * line.outStep && c.tap == line.tap &&
                      c.in == line.in + line.outCount * line.inOut;
    if (!first && !last)
      return {};
    (first ? ends.first : ends.last) = true;
  }
  choice = {choice.first + m, 1};
  return ends;
}

/// Lines of outputs of boxes with CONV_ROW_TAPS taps a segment, all channels of them.
template <class Tag, class T, class TOut> class ConvChannelLines {
public:
  /// \param column  the first one of the output
  /// \param ends    of each line, beside the outputs of the box: they lack their first or last tap
  /// \param caps    lines before the first and behind the last: they lack their first or last
  ///                segment
  ConvChannelLines(const ConvArgs<T, T, TOut> &args, const T *in, std::size_t column, ConvEnds ends,
                   ConvEnds caps)
      : args_(args), in_(in), column_(column), ends_(ends), caps_(caps) {}

  /// \param rows  the outputs of the box
  void run(const ConvBox &box, ConvRows rows, const ConvTileArgs<T, T> &tile) {
    row_.segments = tile.segments, row_.numSegments = tile.numSegments;
    row_.weights = tile.weights, row_.weightsStep = tile.weightsStep;
    row_.inStep = tile.inStep, row_.columns = tile.columns;
    far_ = static_cast<std::size_t>(tile.inStep) * sizeof(T) % CONV_FAR_BYTES == 0;
    const std::ptrdiff_t apart = distance(tile);
    row_.inOut = rows.inStep();
    length_ = rows.left() + count(ends_);
    piece_ = pieceOf(length_);
    // Two lines at a time if they share inputs.
    pairs_ = apart != 0 && row_.inOut == row_.inStep && rows.numLines() > 1 &&
             rows.nextLineIn() == apart;
    const std::size_t outputs = rows.left() * rows.numLines();
    for (std::size_t left = box.outputs(); left != 0; left -= outputs) {
      runLines(rows, rows.numLines() + count(caps_));
      for (std::size_t n = rows.numLines(); n > 0; --n)
        rows.skip(rows.left());
    }
  }

private:
  using Shape = ConvRowShape<Tag>;

  static std::size_t count(ConvEnds ends) { return (ends.first ? 1U : 0U) + (ends.last ? 1U : 0U); }

  /// Elements of the input between neighbouring segments, if it is the same for all, else 0.
  static std::ptrdiff_t distance(const ConvTileArgs<T, T> &tile) {
    const std::ptrdiff_t first =
        tile.numSegments > 1 ? tile.segments[1].in - tile.segments[0].in : 0;
    for (std::size_t s = 2; s < tile.numSegments; ++s)
      if (tile.segments[s].in - tile.segments[s - 1].in != first)
        return 0;
    return first;
  }

  /// How many outputs of lines of `all` are computed together: equal pieces.
  std::size_t pieceOf(std::size_t all) const {
    if (all < Shape::LEAST || !sharesInputs(row_.inOut, row_.inStep))
      return 1;
    const std::size_t pieces = (all + Shape::MOST - 1) / Shape::MOST;
    return (all + pieces - 1) / pieces;
  }

  /// `all` lines of which that at `rows` is the first with all segments.
  void runLines(const ConvRows &rows, std::size_t all) {
    const ConvSegment *const segments = row_.segments;
    const std::size_t numSegments = row_.numSegments;
    const bool many = rows.numLines() > 1;
    const std::ptrdiff_t lineIn = many ? rows.nextLineIn() : 0;
    lineOut_ = many ? rows.nextLineOut() : 0;
    for (std::size_t y = 0; y < all;) {
      const std::size_t lines = pairs_ && y + 1 < all ? 2 : 1;
      const bool upper = caps_.first && y == 0, lower = caps_.last && y + lines == all;
      row_.nextLine = lines == 2 ? lineIn : 0;
      row_.noUpper = upper, row_.noLower = lower;
      if (lines == 1) {
        row_.segments = segments + (upper ? 1 : 0);
        row_.numSegments = numSegments - (upper ? 1 : 0) - (lower ? 1 : 0);
      }
      const std::ptrdiff_t line = static_cast<std::ptrdiff_t>(y) - (caps_.first ? 1 : 0);
      runLine(rows.in() + line * lineIn, rows.out() + line * lineOut_, rows.outStep());
      row_.segments = segments, row_.numSegments = numSegments;
      y += lines;
    }
  }

  /// The line whose first output with all taps is at `in` and `out`, and maybe the next one.
  void runLine(std::ptrdiff_t in, std::ptrdiff_t out, std::ptrdiff_t outStep) {
    for (std::size_t x = 0; x < length_; x += piece_) {
      // The last few begin early enough to be whole: some are computed twice, alike.
      const std::size_t at = length_ - x < piece_ ? length_ - piece_ : x;
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(at) - (ends_.first ? 1 : 0);
      const T *const from = in_ + (in + first * row_.inOut);
      if (piece_ == 1 || lieEqually(out + first * outStep, outStep))
        runPiece(from, at, piece_, out + first * outStep, outStep);
      else
        for (std::size_t i = 0; i < piece_; ++i) {
          const auto n = static_cast<std::ptrdiff_t>(i);
          runPiece(from + n * row_.inOut, at + i, 1, out + (first + n) * outStep, outStep);
        }
    }
  }

  /// True if the outputs of a piece lie at equal distances, in both lines.
  bool lieEqually(std::ptrdiff_t out, std::ptrdiff_t outStep) const {
    if (!args_.outRows)
      return true;
    const std::ptrdiff_t step = outAt(out + outStep) - outAt(out);
    for (std::size_t line = 0; line < (row_.nextLine != 0 ? 2U : 1U); ++line, out += lineOut_)
      for (std::size_t i = 1; i < piece_; ++i) {
        const std::ptrdiff_t here = out + static_cast<std::ptrdiff_t>(i) * outStep;
        if (outAt(here) - outAt(here - outStep) != step)
          return false;
      }
    return true;
  }

  /// n outputs, of which the first is number `at` of the line.
  void runPiece(const T *in, std::size_t at, std::size_t n, std::ptrdiff_t out,
                std::ptrdiff_t outStep) {
    row_.in = in;
    row_.noFirst = ends_.first && at == 0;
    row_.noLast = ends_.last && at + n == length_;
    row_.out = outAt(out);
    row_.outStep = n > 1 ? outAt(out + outStep) - row_.out : 0;
    row_.nextLineOut = row_.nextLine != 0 ? outAt(out + lineOut_) - row_.out : 0;
    runConvChannelRow<Tag>(n, row_, far_);
  }

  POP_SIMD_INLINE TOut *outAt(std::ptrdiff_t pixel) const {
    return args_.outAt(static_cast<std::size_t>(pixel)) + column_;
  }

  const ConvArgs<T, T, TOut> &args_;
  const T *in_;
  const std::size_t column_;
  const ConvEnds ends_, caps_;
  ConvChannelRow<T, T, TOut> row_{};
  std::size_t length_ = 0, piece_ = 1; ///< outputs of a line and of a piece of it
  std::ptrdiff_t lineOut_ = 0;
  bool far_ = false, pairs_ = false;
};

} // namespace cottonwood::kernels::detail
