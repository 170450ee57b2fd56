#pragma once
#include <algorithm>
#include <cstdlib>
#include <poplar/impl/graph/ViewPieces.hpp>

namespace cottonwood::graph::viewdetail {

/// Fewer rows are enumerated: cutting costs about as much for each part as they do.
inline constexpr std::uint64_t FEW_ROWS = 8;
/// Stages of one row with more pieces are enumerated, too.
inline constexpr std::size_t MANY_PIECES = 1024;

POP_INLINE bool isWorthCutting(Node const &node) {
  if (node.numPieces() == 1)
    return false;
  if (node.rows() > 1)
    return node.rows() >= FEW_ROWS;
  if (node.numPieces() > MANY_PIECES)
    return false;
  for (std::size_t i = 0; i != node.numPieces(); ++i)
    if (auto const *const below = node.piece(i).node; below && (*below)->rows() >= FEW_ROWS)
      return true;
  return false;
}

/// The digits of a sequence of addresses in rows of `width`: those that go from row to row, and
/// those that go from column to column.
struct PieceDigits {
  LongFactors factors;    ///< outermost first
  std::uint64_t rows = 1; ///< how many the former go to
  std::size_t lead = 0;   ///< of those of columns the one with the largest steps
  bool hasColumns = false;
};

POP_INLINE std::optional<PieceDigits> digitsOf(FactorSpan factors, std::uint64_t width) {
  PieceDigits digits;
  auto const addRows = [&](std::uint64_t size, std::int64_t stride) {
    digits.rows *= size;
    digits.factors.push_back({size, stride});
  };
  auto const addColumns = [&](Factor const &f) {
    auto const isLarger = [&] {
      return std::abs(f.stride) > std::abs(digits.factors[digits.lead].stride);
    };
    if (!digits.hasColumns || isLarger())
      digits.lead = digits.factors.size();
    digits.hasColumns = true;
    digits.factors.push_back(f);
  };
  for (Factor const &f : factors) {
    auto const step = static_cast<std::uint64_t>(std::abs(f.stride));
    std::uint64_t const turn = step != 0 && width % step == 0 ? width / step : f.size;
    if (step % width == 0) {
      addRows(f.size, f.stride);
    } else if (f.size <= turn) {
      addColumns(f);
    } else if (f.size % turn == 0) { // both
      addRows(f.size / turn, f.stride * static_cast<std::int64_t>(turn));
      addColumns({turn, f.stride});
    } else {
      return std::nullopt;
    }
  }
  if (!digits.hasColumns)
    return std::nullopt;
  return digits;
}

/// The cuts of a range of addresses that leave whole rows of `width` in between; none if it begins
/// and ends with rows.
POP_INLINE std::optional<PieceCuts> rowCuts(Box const &box, std::uint64_t width) {
  if (box.factors.size() != 1 || box.factors[0].stride != 1)
    return std::nullopt;
  std::uint64_t const size = box.factors[0].size;
  std::uint64_t const first = (width - static_cast<std::uint64_t>(box.offset) % width) % width;
  if (size < first + FEW_ROWS * width)
    return std::nullopt;
  std::uint64_t const last = size - (size - first) % width;
  if (first == 0 && last == size)
    return std::nullopt;
  PieceCuts cuts{1, size, 1, {}};
  for (std::uint64_t const end : {first, last, size})
    if (end != 0 && (cuts.ends.empty() || end != cuts.ends.back()))
      cuts.ends.push_back(end);
  return cuts;
}

POP_INLINE std::optional<PieceCuts> pieceCuts(View const &view, unsigned depth) {
  Box const &box = view.box();
  if (view.numElements() < 2 * FEW_ROWS || depth == MAX_CUTS_DEPTH || !box.node ||
      !isWorthCutting(*box.node))
    return std::nullopt;
  Node const &node = *box.node;
  if (node.rows() > 1)
    if (auto cuts = rowCuts(box, node.width()))
      return cuts;
  auto const width = static_cast<std::int64_t>(node.width());
  auto const digits = digitsOf(box.factors, node.width());
  if (!digits || (node.rows() > 1 && digits->rows < FEW_ROWS))
    return std::nullopt;
  // The columns [low, high] at step 0 of the leading digit, which all rows stay within.
  std::int64_t low = box.offset % width, high = low;
  PieceCuts cuts{1, digits->factors[digits->lead].size, 1, {}};
  for (std::size_t i = 0; i != digits->factors.size(); ++i) {
    Factor const &f = digits->factors[i];
    if (i == digits->lead)
      continue;
    (i < digits->lead ? cuts.outer : cuts.inner) *= f.size;
    if (f.stride % width != 0)
      (f.stride < 0 ? low : high) += f.reach();
  }
  Factor const lead = digits->factors[digits->lead];
  if (low + std::min<std::int64_t>(lead.reach(), 0) < 0 ||
      high + std::max<std::int64_t>(lead.reach(), 0) >= width)
    return std::nullopt;
  for (std::uint64_t step = 0; step != lead.size;) {
    std::int64_t const at = static_cast<std::int64_t>(step) * lead.stride;
    Node::PieceRef const piece = node.piece(node.find(static_cast<std::uint64_t>(low + at)));
    // How far the columns may go on within the piece.
    std::int64_t const room = lead.stride > 0
                                  ? static_cast<std::int64_t>(piece.end) - 1 - (high + at)
                                  : low + at - static_cast<std::int64_t>(piece.begin);
    bool const within = high + at < static_cast<std::int64_t>(piece.end);
    std::uint64_t const more =
        within ? static_cast<std::uint64_t>(room / std::abs(lead.stride)) : 0;
    step = std::min(lead.size, step + 1 + more);
    cuts.ends.push_back(step);
  }
  if (cuts.ends.size() == 1) // within one piece already
    return std::nullopt;
  return cuts;
}

} // namespace cottonwood::graph::viewdetail
