#pragma once
#include <algorithm>
#include <poplar/impl/graph/ViewNode.hpp>

namespace cottonwood::graph {

POP_INLINE Box Node::PieceRef::box() const {
  Box box{node ? *node : NodePtr(), var, offset, {}};
  box.factors.append(factors);
  return box;
}

POP_INLINE Node::PieceRef Node::piece(std::size_t i) const {
  Record const &r = pieces_[i];
  bool const isLast = i + 1 == pieces_.size();
  std::size_t const endFactor = isLast ? factors_.size() : pieces_[i + 1].firstFactor;
  return {r.begin,
          isLast ? width_ : pieces_[i + 1].begin,
          r.offset,
          r.var,
          r.node == 0 ? nullptr : &nodes_[r.node - 1],
          FactorSpan(factors_).subspan(r.firstFactor, endFactor - r.firstFactor)};
}

POP_INLINE std::size_t Node::find(std::uint64_t column) const {
  if (pieces_.size() == 1)
    return 0;
  auto const after = std::upper_bound(pieces_.begin(), pieces_.end(), column,
                                      [](std::uint64_t c, Record const &r) { return c < r.begin; });
  return static_cast<std::size_t>(after - pieces_.begin()) - 1;
}

namespace viewdetail {

/// Maps a box of addresses of `node` to flat indices of one piece. \returns false if it leaves the
/// piece.
POP_INLINE bool enterPiece(Node const &node, Node::PieceRef const &piece, std::int64_t &offset,
                           Factors &factors) {
  if (node.numPieces() == 1)
    return true; // rows of a single piece follow one another
  if (node.rows() != 1)
    return readColumns(node.width(), piece.begin, piece.end, offset, factors);
  std::int64_t low = offset, high = offset;
  for (Factor const &f : factors)
    (f.stride < 0 ? low : high) += f.reach();
  if (low < static_cast<std::int64_t>(piece.begin) || high >= static_cast<std::int64_t>(piece.end))
    return false;
  offset -= static_cast<std::int64_t>(piece.begin);
  return true;
}

} // namespace viewdetail

POP_INLINE bool descend(Box &box) {
  Node const &node = *box.node;
  Node::PieceRef const piece =
      node.piece(node.find(static_cast<std::uint64_t>(box.offset) % node.width()));
  std::int64_t offset = box.offset;
  Factors factors = box.factors;
  if (!viewdetail::enterPiece(node, piece, offset, factors) ||
      !readThrough(piece.factors, offset, factors))
    return false;
  offset += piece.offset;
  box.var = piece.var;
  box.offset = offset;
  box.factors = factors;
  NodePtr below = piece.node ? *piece.node : NodePtr(); // the piece dies with the node
  box.node = std::move(below);
  return true;
}

POP_INLINE Location locate(Box const &box, std::uint64_t flat) {
  std::uint64_t address = static_cast<std::uint64_t>(box.offset + addressOf(box.factors, flat));
  Node const *node = box.node.get();
  VarId var = box.var;
  while (node) {
    std::uint64_t const row = address / node->width(), column = address % node->width();
    Node::PieceRef const piece = node->piece(node->find(column));
    std::int64_t const below = addressOf(piece.factors, row * piece.width() + column - piece.begin);
    address = static_cast<std::uint64_t>(piece.offset + below);
    var = piece.var;
    node = piece.node ? piece.node->get() : nullptr;
  }
  return {var, address};
}

POP_INLINE bool sameStructure(NodePtr const &a, NodePtr const &b) {
  if (a == b)
    return true;
  if (!a || !b || a->rows() != b->rows() || a->width() != b->width() ||
      a->numPieces() != b->numPieces())
    return false;
  for (std::size_t i = 0; i != a->numPieces(); ++i) {
    Node::PieceRef const p = a->piece(i), q = b->piece(i);
    bool const same =
        p.begin == q.begin && p.offset == q.offset && (p.node || q.node || p.var == q.var) &&
        std::equal(p.factors.begin(), p.factors.end(), q.factors.begin(), q.factors.end()) &&
        sameStructure(p.node ? *p.node : NodePtr(), q.node ? *q.node : NodePtr());
    if (!same)
      return false;
  }
  return true;
}

} // namespace cottonwood::graph
