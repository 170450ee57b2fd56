// What the stages of a reduction on tiles cost.
#pragma once

#include "ReduceTilesTypes.hpp"

#include <algorithm>
#include <limits>

namespace cottonwood::planner {

/// Neighbouring rows (or outputs) that begin on one tile, and what of them lies elsewhere.
struct ReducePiece {
  unsigned tile = 0;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t received = 0, messages = 0; ///< elements, and runs of them
};

/// A stage's operands: [outer, reduced, inner], and in which pieces they lie on tiles.
struct ReduceOperands {
  std::uint64_t outer = 1, reduced = 1, inner = 1;
  unsigned bytes = 4;
  std::uint64_t run = 0;            ///< input: elements that lie together; 0: every one alone
  std::uint64_t parts = 0, cut = 0; ///< partial results: neighbours on one tile, columns of these
  bool first = false;               ///< the operands of the reduction itself
  std::uint64_t outputs() const { return outer * inner; }
};

/// Units of `unit` elements by the tile that they begin on.
inline std::vector<ReducePiece> piecesAtHome(IntervalLayout const &layout, std::uint64_t unit) {
  std::vector<ReducePiece> pieces;
  for (std::size_t i = 0; i != layout.size(); ++i) {
    ReducePiece piece;
    piece.tile = layout[i].tile;
    piece.begin = detail::ceilQuotient(layout[i].begin, unit);
    piece.end = detail::ceilQuotient(layout[i].end, unit);
    if (piece.begin == piece.end)
      continue;
    for (std::size_t k = i + 1; k != layout.size() && layout[k].begin < piece.end * unit; ++k)
      if (layout[k].tile != piece.tile) {
        piece.received += std::min(layout[k].end, piece.end * unit) - layout[k].begin;
        ++piece.messages;
      }
    pieces.push_back(piece);
  }
  return pieces;
}

/// Pieces of rows, cut where the outputs change.
inline std::vector<ReducePiece> cutAtOutputs(std::vector<ReducePiece> const &pieces,
                                             std::uint64_t reduced) {
  std::vector<ReducePiece> cut;
  for (ReducePiece piece : pieces)
    for (std::uint64_t const end = piece.end; piece.begin != end; piece.begin = piece.end) {
      piece.end = std::min(end, (piece.begin / reduced + 1) * reduced);
      cut.push_back(piece);
      piece.received = piece.messages = 0;
    }
  return cut;
}

/// Prices stages of one problem.
class TileReduceCost {
public:
  /// Keeps references to the problem and the layout.
  TileReduceCost(TileReduceProblem const &problem, IntervalLayout const &layout,
                 StepCharges const &charges = {})
      : p_(problem), layout_(layout), charges_(charges) {}

  /// Elements that lie together on most tiles, or 0.
  std::uint64_t run() const {
    return layout_.empty() ? 0 : p_.outer * p_.reduced * p_.inner / layout_.size();
  }
  ReduceOperands operands() const {
    return {p_.outer, p_.reduced, p_.inner, p_.inputBytes, run(), 0, 0, true};
  }

  /// One vertex: `outputs` of `reduced` operands each.
  std::uint64_t vertex(ReduceOperands const &in, std::uint64_t outputs, std::uint64_t reduced,
                       std::uint64_t inner, bool last = false) const {
    vertices::ReduceCostProblem problem;
    problem.outputs = outputs;
    problem.reduced = reduced;
    problem.inner = inner;
    problem.elementBytes = in.bytes;
    problem.logAdd = p_.logAdd;
    problem.update = last && p_.update;
    return vertices::reduceCycles(problem, p_.workers);
  }

  /// Elements of each part where a tile cuts `n` of them into about `parts`: see vertices().
  static std::uint64_t partOf(std::uint64_t n, std::uint64_t parts) {
    return detail::ceilQuotient(n, std::max<std::uint64_t>(1, parts));
  }
  /// The vertices of a tile that reduces n elements for `outputs` outputs in parts: one for the
  /// whole parts, one for a rest.
  std::uint64_t vertices(ReduceOperands const &in, std::uint64_t outputs, std::uint64_t n,
                         std::uint64_t part, std::uint64_t inner) const {
    std::uint64_t cycles = 0;
    if (n / part != 0)
      cycles += vertex(in, outputs * (n / part), part, inner);
    if (n % part != 0)
      cycles += vertex(in, outputs, n % part, inner);
    return cycles;
  }
  /// The size of parts that is cheapest for n elements of `outputs` outputs on one tile.
  std::uint64_t bestPart(ReduceOperands const &in, std::uint64_t outputs, std::uint64_t n,
                         std::uint64_t inner) const {
    std::uint64_t best = n, least = vertices(in, outputs, n, n, inner);
    for (std::uint64_t parts = 2; parts <= p_.workers && parts <= n && outputs < 2 * p_.workers;
         ++parts) {
      std::uint64_t const cycles = vertices(in, outputs, n, partOf(n, parts), inner);
      if (cycles < least)
        best = partOf(n, parts), least = cycles;
    }
    return best;
  }

  /// A stage in blocks.
  std::uint64_t blocks(ReduceOperands const &in, ReduceBlocks const &b) const {
    std::uint64_t const rows = std::min(in.reduced, b.part * b.parts);
    std::uint64_t const outputs = b.outer * b.inner;
    std::uint64_t compute = vertices(in, outputs, rows, b.part, b.inner);
    if (std::uint64_t const rest = in.reduced % (b.part * b.parts); rest != 0)
      compute = std::max(compute, vertices(in, outputs, rest, b.part, b.inner));
    return charges_.exchange(outputs * rows * in.bytes, messages(in, b.outer, rows, b.inner)) +
           charges_.compute(compute) + scatter(in, b);
  }
  /// Bytes of a block with its results.
  std::uint64_t blockBytes(ReduceOperands const &in, ReduceBlocks const &b) const {
    return b.outer * b.inner *
           (std::min(in.reduced, b.part * b.parts) * in.bytes + b.parts * p_.partialBytes);
  }
  static std::uint64_t numBlocks(ReduceOperands const &in, ReduceBlocks const &b) {
    return detail::ceilQuotient(in.outer, b.outer) * detail::ceilQuotient(in.inner, b.inner) *
           detail::ceilQuotient(in.reduced, b.part * b.parts);
  }
  /// The operands of the stage behind it.
  ReduceOperands behind(ReduceOperands const &in, ReduceBlocks const &b) const {
    std::uint64_t const all = detail::ceilQuotient(in.reduced, b.part);
    return {in.outer, all, in.inner, p_.partialBytes, 0, std::min(all, b.parts), b.inner, false};
  }

  /// The last stage, with `outputs` results on a tile.
  std::uint64_t last(ReduceOperands const &in, std::uint64_t outputs) const {
    outputs = std::min(outputs, in.outputs());
    bool const rows = in.inner == 1 || outputs >= in.inner;
    std::uint64_t const outer = rows ? detail::ceilQuotient(outputs, in.inner) : 1;
    std::uint64_t const inner = rows ? in.inner : outputs;
    std::uint64_t elements = outer * inner * in.reduced;
    std::uint64_t runs = messages(in, outer, in.reduced, inner);
    if (outputs == in.outputs() && in.first && !layout_.empty()) { // all go to the first tile
      elements -= std::min(elements, layout_.front().end - layout_.front().begin);
      runs -= std::min<std::uint64_t>(runs, 1);
    }
    return charges_.exchange(elements * in.bytes, runs) +
           charges_.compute(vertex(in, outer * inner, in.reduced, inner, true));
  }

  /// One stage where operands begin.
  std::uint64_t whole() const {
    return atHome(piecesAtHome(layout_, p_.reduced * p_.inner), [&](ReducePiece const &piece) {
      return vertex(operands(), (piece.end - piece.begin) * p_.inner, p_.reduced, p_.inner, true);
    });
  }

  /// A first stage where rows begin, and the operands of the stage behind it.
  struct Home {
    std::uint64_t cycles = 0;
    ReduceOperands behind;
    bool even = true; ///< as many partial results for each output
  };
  Home home() const {
    auto const pieces = cutAtOutputs(piecesAtHome(layout_, p_.inner), p_.reduced);
    Home home;
    std::vector<std::uint64_t> partsOf(p_.outer, 0);
    home.cycles = atHome(pieces, [&](ReducePiece const &piece) {
      std::uint64_t const n = piece.end - piece.begin;
      std::uint64_t const part = bestPart(operands(), p_.inner, n, p_.inner);
      partsOf[piece.begin / p_.reduced] += detail::ceilQuotient(n, part);
      return vertices(operands(), p_.inner, n, part, p_.inner);
    });
    auto const [least, most] = std::minmax_element(partsOf.begin(), partsOf.end());
    home.even = *least == *most;
    home.behind = {p_.outer, *most, p_.inner, p_.partialBytes, 0, 1, p_.inner, false};
    return home;
  }
  /// The last stage behind one at home, where outputs may have different numbers of operands.
  std::uint64_t lastUneven(ReduceOperands const &in, std::uint64_t outputs) const {
    std::uint64_t const columns = std::min(outputs, in.inner);
    std::uint64_t const rows = detail::ceilQuotient(outputs, columns);
    return charges_.exchange(rows * columns * in.reduced * in.bytes,
                             rows * messages(in, 1, in.reduced, columns)) +
           charges_.compute(rows * vertex(in, columns, in.reduced, columns, true));
  }

private:
  /// Results of a block that do not lie side by side.
  std::uint64_t scatter(ReduceOperands const &in, ReduceBlocks const &b) const {
    std::uint64_t const parts = std::min(b.parts, detail::ceilQuotient(in.reduced, b.part));
    bool const wide = b.inner == in.inner; // parts follow each other
    std::uint64_t const piece = wide ? parts * b.inner : b.inner;
    if (b.outer * parts * b.inner == piece || (wide && parts * b.part >= in.reduced))
      return 0;
    return StepCharges::rearrange(b.outer * parts * b.inner * p_.partialBytes,
                                  piece * p_.partialBytes);
  }
  /// Runs of one source that a block of operands arrives in.
  static std::uint64_t messages(ReduceOperands const &in, std::uint64_t outer, std::uint64_t rows,
                                std::uint64_t inner) {
    if (!in.first) {
      if (inner == in.inner && in.cut == in.inner)
        return outer * (detail::ceilQuotient(rows, in.parts) + (rows % in.parts != 0 ? 1 : 0));
      bool const aligned = inner % in.cut == 0 || in.cut % inner == 0;
      return outer * rows * (detail::ceilQuotient(inner, in.cut) + (aligned ? 0 : 1));
    }
    std::uint64_t const length =
        inner == in.inner ? (rows == in.reduced ? outer : 1) * rows * inner : inner;
    std::uint64_t const runs = outer * rows * inner / length;
    if (in.run == 0)
      return outer * rows * inner;
    return runs + runs * (length - 1) / in.run + (runs == 1 && length > in.run ? 1 : 0);
  }

  /// Exchange and computing of pieces on their own tiles.
  template <class F>
  std::uint64_t atHome(std::vector<ReducePiece> const &pieces, F &&cycles) const {
    struct OnTile {
      std::uint64_t received = 0, messages = 0, cycles = 0;
    };
    std::vector<OnTile> tiles(p_.tiles);
    for (ReducePiece const &piece : pieces) {
      OnTile &tile = tiles[piece.tile];
      tile.received += piece.received;
      tile.messages += piece.messages;
      tile.cycles += cycles(piece);
    }
    std::uint64_t exchange = 0, compute = 0;
    for (OnTile const &tile : tiles) {
      exchange =
          std::max(exchange, charges_.exchange(tile.received * p_.inputBytes, tile.messages));
      compute = std::max(compute, tile.cycles);
    }
    return exchange + charges_.compute(compute);
  }

  TileReduceProblem const &p_;
  IntervalLayout const &layout_;
  StepCharges charges_;
};

} // namespace cottonwood::planner
