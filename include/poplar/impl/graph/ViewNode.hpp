#pragma once
// Stages: lists of boxes that together form one address space, for what a single strided box cannot
// say.

#include <atomic>
#include <cstdint>
#include <poplar/impl/graph/ViewBox.hpp>
#include <vector>

namespace cottonwood::graph {

/// An immutable address space of rows x width addresses. Each row is the concatenation of one
/// stretch of every piece:
///
///     row r = piece 0 [r * w_0, (r+1) * w_0), piece 1 [r * w_1, (r+1) * w_1), ...    with w_0 +
///     w_1 + ... = width
///
/// where piece p is a box of rows * w_p elements. One row is a plain concatenation; more rows are a
/// concatenation along an inner dimension, kept without enumerating anything. One row with one
/// piece makes a sequence addressable by its flat index, as a reshape across permuted dimensions
/// needs it.
class POP_API Node {
public:
  /// A piece without the cost of copying it; valid as long as the node.
  struct PieceRef {
    std::uint64_t begin, end; ///< columns
    std::int64_t offset;
    VarId var;
    NodePtr const *node; ///< null: a variable
    FactorSpan factors;

    std::uint64_t width() const { return end - begin; }
    Box box() const;
  };

  std::uint64_t rows() const { return rows_; }
  std::uint64_t width() const { return width_; }
  std::uint64_t size() const { return rows_ * width_; }
  std::size_t numPieces() const { return pieces_.size(); }
  PieceRef piece(std::size_t i) const;
  /// The piece that has column `column`. O(log pieces).
  std::size_t find(std::uint64_t column) const;

  /// Stages lie up to MAX_DEPTH on top of one another: what walks them may call itself for each.
  static constexpr std::uint32_t MAX_DEPTH = 5000;

  bool mayHaveConstant() const { return mayHaveConstant_; }
  bool isAllConstant() const { return isAllConstant_; }

  enum class Aliases : std::uint8_t { Unknown, None, Some };
  /// Whether the whole address space contains a location twice, once somebody found out.
  Aliases knownAliases() const { return aliases_.load(std::memory_order_relaxed); }
  void rememberAliases(bool some) const {
    aliases_.store(some ? Aliases::Some : Aliases::None, std::memory_order_relaxed);
  }

private:
  friend class NodeBuilder;
  struct Record {
    std::uint64_t begin;
    std::int64_t offset;
    VarId var;
    std::uint32_t node; ///< index in nodes_ plus 1; 0: a variable
    std::size_t firstFactor;
  };

  std::uint64_t rows_ = 1, width_ = 0;
  bool mayHaveConstant_ = false, isAllConstant_ = true;
  bool hasStretches_ = false; ///< see NodeBuilder
  std::uint32_t depth_ = 1;   ///< stages on top of one another, this one included
  mutable std::atomic<Aliases> aliases_{Aliases::Unknown};
  std::vector<Record> pieces_;
  std::vector<Factor> factors_; ///< of all pieces, one after another
  std::vector<NodePtr> nodes_;
};

/// A box over a stage that shows consecutive addresses of a single row.
inline bool isRange(Box const &box) {
  return box.node->rows() == 1 && box.factors.size() == 1 && box.factors[0].stride == 1;
}

/// Replaces a box over a stage by the same box over what lies below, if it stays within one piece
/// and is strided there. \returns false, with nothing changed, otherwise. O(log pieces).
bool descend(Box &box);
/// Descends as far as possible.
inline void collapse(Box &box) {
  while (box.node && descend(box)) {
  }
}

/// The variable and offset in it of the element at `address` in the source of `box`. O(stages * log
/// pieces).
struct Location {
  VarId var;
  std::uint64_t offset;
  friend bool operator==(Location const &, Location const &) = default;
};
POP_API Location locate(Box const &box, std::uint64_t flat);

/// The same shape of stages over the same variables, so that boxes with equal numbers show equal
/// sequences.
bool sameStructure(NodePtr const &a, NodePtr const &b);

} // namespace cottonwood::graph
