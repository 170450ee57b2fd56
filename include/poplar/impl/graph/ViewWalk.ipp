#pragma once
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <poplar/impl/graph/ViewWalk.hpp>

namespace cottonwood::graph {

namespace viewdetail {

/// Walks `count` flat indices of one piece that begin at `at` and follow each other at distance
/// `stride`.
POP_INLINE bool walkInPiece(Box const &piece, std::int64_t at, std::int64_t stride,
                            std::uint64_t count, BoxSink &sink) {
  if (stride == 1) {
    auto below = [&sink](Box const &part) { return walk(part, sink); };
    BoxCall call(below);
    return cutRange(piece, static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(at) + count,
                    call);
  }
  Box part{piece.node, piece.var, at, {}};
  appendFactor(part.factors, count, stride);
  if (readThrough(piece.factors, part.offset, part.factors)) {
    part.offset += piece.offset;
    return walk(part, sink);
  }
  while (count != 0) {
    std::int64_t mapped = 0;
    std::uint64_t const steps = stepsWithoutCarry(piece.factors, at, stride, count, mapped);
    part.offset = piece.offset + addressOf(piece.factors, static_cast<std::uint64_t>(at));
    part.factors.clear();
    appendFactor(part.factors, steps, mapped);
    if (!walk(part, sink))
      return false;
    at += static_cast<std::int64_t>(steps) * stride;
    count -= steps;
  }
  return true;
}

/// Walks one arithmetic progression of addresses of a stage: piece by piece.
POP_INLINE bool walkLine(Box const &box, BoxSink &sink) {
  Node const &node = *box.node;
  std::uint64_t left = box.count();
  std::int64_t const stride = box.factors.empty() ? 0 : box.factors[0].stride;
  std::uint64_t const speed = static_cast<std::uint64_t>(std::abs(stride));
  bool const onePiece = node.numPieces() == 1;
  for (std::int64_t at = box.offset; left != 0;) {
    std::uint64_t const address = static_cast<std::uint64_t>(at);
    std::uint64_t const row = address / node.width(), column = address % node.width();
    Node::PieceRef const piece = node.piece(node.find(column));
    std::uint64_t steps = left;
    if (!onePiece && speed != 0)
      steps =
          std::min(left, (stride > 0 ? piece.end - 1 - column : column - piece.begin) / speed + 1);
    std::uint64_t const flat = row * piece.width() + column - piece.begin;
    if (!walkInPiece(piece.box(), static_cast<std::int64_t>(flat), stride, steps, sink))
      return false;
    at += static_cast<std::int64_t>(steps) * stride;
    left -= steps;
  }
  return true;
}

/// Walks the steps [begin, end) of the first factor: all at once if they are strided below, else by
/// halves. That finds the stretches that stay within one piece with at most two tries a box handed
/// out.
POP_INLINE bool walkSteps(Box const &box, std::uint64_t begin, std::uint64_t end, BoxSink &sink) {
  Factor const lead = box.factors[0];
  Box part{box.node, 0, box.offset + static_cast<std::int64_t>(begin) * lead.stride, {}};
  appendFactor(part.factors, end - begin, lead.stride);
  appendFactors(part.factors, FactorSpan(box.factors).subspan(1));
  if (end - begin == 1 || part.factors.size() == 1)
    return walk(part, sink);
  if (descend(part))
    return walk(part, sink);
  std::uint64_t const middle = begin + (end - begin) / 2;
  return walkSteps(box, begin, middle, sink) && walkSteps(box, middle, end, sink);
}

} // namespace viewdetail

POP_INLINE bool walk(Box const &box, BoxSink &sink) {
  if (!box.node)
    return sink(box);
  Box below = box;
  if (descend(below))
    return walk(below, sink);
  if (box.factors.size() <= 1)
    return viewdetail::walkLine(box, sink);
  return viewdetail::walkSteps(box, 0, box.factors[0].size, sink);
}

namespace viewdetail {

/// Drops strides of 0 and orders the rest: what remains are the same addresses, each once per
/// address without the repetition.
POP_INLINE void normalise(Box &box, bool &repeats) {
  LongFactors sorted;
  for (Factor f : box.factors) {
    if (f.stride == 0) {
      repeats = true;
      continue;
    }
    if (f.stride < 0) {
      box.offset += f.reach();
      f.stride = -f.stride;
    }
    sorted.push_back(f);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](Factor const &a, Factor const &b) { return a.stride > b.stride; });
  box.factors.clear();
  appendFactors(box.factors, sorted);
}

POP_INLINE std::int64_t reachOf(FactorSpan factors) {
  std::int64_t reach = 0;
  for (Factor const &f : factors)
    reach += f.reach();
  return reach;
}

/// Splits a set of addresses into parts that lie within one cell each; cells are intervals of
/// addresses. Strides are positive and do not increase. \param cellEnd  end of the cell that an
/// address lies in. \param sink  takes the offset and factors of a part and returns false to stop.
template <class CellEnd, class Sink>
bool partition(std::int64_t offset, FactorSpan factors, CellEnd const &cellEnd, Sink const &sink) {
  std::int64_t const end = cellEnd(offset);
  if (offset + reachOf(factors) < end)
    return sink(offset, factors);
  Factor const lead = factors[0]; // exists: a single address lies in a cell
  FactorSpan const rest = factors.subspan(1);
  std::int64_t const reach = reachOf(rest);
  for (std::uint64_t i = 0; i != lead.size;) {
    std::int64_t const first = offset + static_cast<std::int64_t>(i) * lead.stride;
    std::int64_t const room = cellEnd(first) - 1 - (first + reach);
    if (room < 0) {
      if (!partition(first, rest, cellEnd, sink))
        return false;
      ++i;
      continue;
    }
    std::uint64_t const steps =
        std::min(lead.size - i, static_cast<std::uint64_t>(room / lead.stride) + 1);
    LongFactors part;
    appendFactor(part, steps, lead.stride);
    appendFactors(part, rest);
    if (!sink(first, FactorSpan(part)))
      return false;
    i += steps;
  }
  return true;
}

/// Splits a set of addresses so that each factor either keeps the column in rows of `width`
/// addresses ("rider") or runs for less than a period, after which it would return to a column. A
/// stride s returns after width / gcd(s, width) steps. \param sink  takes riders, columns (factors)
/// and the offset, and returns false to stop.
template <class Sink>
bool splitRiders(std::int64_t offset, FactorSpan todo, std::uint64_t width, LongFactors riders,
                 LongFactors columns, Sink const &sink) {
  if (todo.empty())
    return sink(offset, riders, columns);
  Factor const f = todo[0];
  std::uint64_t const stride = static_cast<std::uint64_t>(f.stride);
  std::uint64_t const period = width / std::gcd(stride, width);
  if (period == 1) {
    riders.push_back(f);
    return splitRiders(offset, todo.subspan(1), width, std::move(riders), std::move(columns), sink);
  }
  if (f.size < period) {
    columns.push_back(f);
    return splitRiders(offset, todo.subspan(1), width, std::move(riders), std::move(columns), sink);
  }
  std::uint64_t const turns = f.size / period, left = f.size % period;
  LongFactors turnRiders = riders, turnColumns = columns;
  if (turns > 1)
    turnRiders.push_back({turns, f.stride * static_cast<std::int64_t>(period)});
  turnColumns.push_back({period, f.stride});
  if (!splitRiders(offset, todo.subspan(1), width, turnRiders, turnColumns, sink))
    return false;
  if (left == 0)
    return true;
  if (left > 1)
    columns.push_back({left, f.stride});
  return splitRiders(offset + static_cast<std::int64_t>(turns * period) * f.stride, todo.subspan(1),
                     width, std::move(riders), std::move(columns), sink);
}

POP_INLINE void sortFactors(LongFactors &factors) {
  std::sort(factors.begin(), factors.end(),
            [](Factor const &a, Factor const &b) { return a.stride > b.stride; });
}

/// A set of flat indices of a piece, translated one digit after the other from the fastest on.
struct PieceCover {
  Box const &piece;
  BoxSink &sink;
  bool &repeats;

  /// \param numDigits  digits not yet translated. \param offset, factors  in units of the last of
  /// them. \param done  translated factors. \param base  translated offset.
  bool digits(std::size_t numDigits, std::int64_t offset, FactorSpan factors,
              LongFactors const &done, std::int64_t base) const {
    Factor const digit = piece.factors[numDigits - 1];
    if (numDigits == 1)
      return emit(base + offset * digit.stride, factors, digit.stride, done);
    auto const withinRow = [&](std::int64_t at, LongFactors const &riders, LongFactors columns) {
      sortFactors(columns);
      std::int64_t const width = static_cast<std::int64_t>(digit.size);
      return partition(
          at, columns, [width](std::int64_t a) { return a - a % width + width; },
          [&](std::int64_t first, FactorSpan part) {
            LongFactors fixed = done, upper;
            for (Factor const &f : part)
              fixed.push_back({f.size, f.stride * digit.stride});
            for (Factor const &f : riders)
              upper.push_back({f.size, f.stride / width});
            return digits(numDigits - 1, first / width, upper, fixed,
                          base + first % width * digit.stride);
          });
    };
    return splitRiders(offset, factors, digit.size, {}, {}, withinRow);
  }

  bool emit(std::int64_t offset, FactorSpan factors, std::int64_t scale,
            LongFactors const &done) const {
    Box box{piece.node, piece.var, piece.offset + offset, {}};
    for (Factor const &f : factors)
      box.factors.push_back({f.size, f.stride * scale});
    box.factors.append({done.data(), done.size()});
    return cover(std::move(box), sink, repeats);
  }
};

POP_INLINE bool coverInPiece(Box const &piece, std::int64_t offset, FactorSpan factors,
                             BoxSink &sink, bool &repeats) {
  Box below{piece.node, piece.var, offset, {}};
  below.factors.append(factors);
  if (readThrough(piece.factors, below.offset, below.factors)) {
    below.offset += piece.offset;
    return cover(std::move(below), sink, repeats);
  }
  return PieceCover{piece, sink, repeats}.digits(piece.factors.size(), offset, factors, {}, 0);
}

/// A set of addresses of a stage with several pieces. What repeats from row to row is split off,
/// the rest cut at the pieces' ends.
POP_INLINE bool coverPieces(Box const &box, BoxSink &sink, bool &repeats) {
  Node const &node = *box.node;
  std::int64_t const width = static_cast<std::int64_t>(node.width());
  auto const cellEnd = [&node, width](std::int64_t a) {
    std::int64_t const column = a % width;
    return a - column +
           static_cast<std::int64_t>(node.piece(node.find(static_cast<std::uint64_t>(column))).end);
  };
  auto const withinRows = [&](std::int64_t offset, LongFactors const &riders, LongFactors columns) {
    sortFactors(columns);
    return partition(offset, columns, cellEnd, [&](std::int64_t first, FactorSpan part) {
      std::int64_t const column = first % width;
      Node::PieceRef const piece = node.piece(node.find(static_cast<std::uint64_t>(column)));
      std::int64_t const rowStride = static_cast<std::int64_t>(piece.width());
      LongFactors inPiece;
      for (Factor const &f : riders)
        inPiece.push_back({f.size, f.stride / width * rowStride});
      inPiece.append(part);
      sortFactors(inPiece);
      Factors merged;
      appendFactors(merged, inPiece);
      std::int64_t const flat =
          first / width * rowStride + column - static_cast<std::int64_t>(piece.begin);
      return coverInPiece(piece.box(), flat, merged, sink, repeats);
    });
  };
  return splitRiders(box.offset, box.factors, node.width(), {}, {}, withinRows);
}

} // namespace viewdetail

POP_INLINE bool cover(Box box, BoxSink &sink, bool &repeats) {
  viewdetail::normalise(box, repeats);
  while (box.node && descend(box))
    viewdetail::normalise(box, repeats);
  if (!box.node)
    return sink(box);
  if (box.node->numPieces() == 1)
    return viewdetail::coverInPiece(box.node->piece(0).box(), box.offset, box.factors, sink,
                                    repeats);
  return viewdetail::coverPieces(box, sink, repeats);
}

namespace viewdetail {

/// Reads boxes over variables as arithmetic progressions that can be cut anywhere.
class ProgressionReader {
public:
  explicit ProgressionReader(std::span<Box const> boxes) : boxes_(boxes) {}

  bool atEnd() const { return box_ == boxes_.size(); }
  bool atBoxBegin() const { return flat_ == 0; }
  Box const &box() const { return boxes_[box_]; }
  VarId var() const { return box().var; }
  std::int64_t offset() const { return box().offset + addressOf(box().factors, flat_); }
  std::int64_t stride() const { return box().factors.empty() ? 0 : box().factors.back().stride; }
  /// Elements of the progression that are left.
  std::uint64_t size() const {
    std::uint64_t const whole = box().factors.empty() ? 1 : box().factors.back().size;
    return whole - flat_ % whole;
  }
  void skip(std::uint64_t elements) {
    flat_ += elements;
    if (flat_ == box().count())
      skipBox();
  }
  void skipBox() {
    ++box_;
    flat_ = 0;
  }

private:
  std::span<Box const> boxes_;
  std::size_t box_ = 0;
  std::uint64_t flat_ = 0;
};

/// The boxes over variables that show the elements [begin, end) of `box`.
POP_INLINE std::vector<Box> boxesOfRange(Box const &box, std::uint64_t begin, std::uint64_t end) {
  std::vector<Box> boxes;
  auto collect = [&boxes](Box const &part) {
    boxes.push_back(part);
    return true;
  };
  BoxCall collector(collect);
  auto descendInto = [&collector](Box const &part) { return walk(part, collector); };
  BoxCall walker(descendInto);
  cutRange(box, begin, end, walker);
  return boxes;
}

POP_INLINE bool sameProgressions(std::span<Box const> boxesA, std::span<Box const> boxesB) {
  ProgressionReader a(boxesA), b(boxesB);
  while (!a.atEnd()) {
    if (a.atBoxBegin() && b.atBoxBegin() && identical(a.box(), b.box())) {
      a.skipBox();
      b.skipBox();
      continue;
    }
    std::uint64_t const common = std::min(a.size(), b.size());
    if (a.var() != b.var() || a.offset() != b.offset() || (common > 1 && a.stride() != b.stride()))
      return false;
    a.skip(common);
    b.skip(common);
  }
  return true;
}

} // namespace viewdetail

POP_INLINE bool sameSequence(Box const &a, Box const &b, std::uint64_t count) {
  if (!a.node && !b.node)
    return identical(a, b); // canonical
  if (a.offset == b.offset && a.factors == b.factors && sameStructure(a.node, b.node))
    return true;
  // Unequal sequences mostly differ early: compare stretches that grow as long as they hold few
  // boxes.
  std::uint64_t stretch = 256;
  for (std::uint64_t begin = 0; begin != count;) {
    std::uint64_t const end = begin + std::min(stretch, count - begin);
    std::vector<Box> const boxesA = viewdetail::boxesOfRange(a, begin, end);
    std::vector<Box> const boxesB = viewdetail::boxesOfRange(b, begin, end);
    if (!viewdetail::sameProgressions(boxesA, boxesB))
      return false;
    if (boxesA.size() + boxesB.size() < 1024)
      stretch *= 4;
    begin = end;
  }
  return true;
}

} // namespace cottonwood::graph
