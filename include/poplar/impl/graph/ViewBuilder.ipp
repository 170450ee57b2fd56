#pragma once
#include <algorithm>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/ViewBuilder.hpp>

namespace cottonwood::graph {

namespace viewdetail {

struct RowsAndColumns {
  Factors rows, columns;
};

POP_INLINE bool splitRows(FactorSpan factors, std::uint64_t width, RowsAndColumns &parts) {
  Boundary row;
  if (!findBoundary(factors, width, row))
    return false;
  appendSegment(parts.rows, factors, kOutermost, row);
  appendSegment(parts.columns, factors, row, {static_cast<int>(factors.size()) - 1, 1});
  return true;
}

/// The first factor of a column sequence and the rest of it; or, seen another way, one step of the
/// whole.
struct Lead {
  std::uint64_t size;
  std::int64_t stride; ///< arbitrary if size is 1
  FactorSpan rest;
};

POP_INLINE Lead leadOf(FactorSpan columns, bool whole) {
  if (whole || columns.empty())
    return {1, 0, columns};
  return {columns[0].size, columns[0].stride, columns.subspan(1)};
}

/// Joins b behind a, where `distance` lies between their first addresses: their rests must be
/// equal, and the leads form one progression.
POP_INLINE bool joinLeads(Lead const &a, Lead const &b, std::int64_t distance, Factors &joined) {
  if (!std::equal(a.rest.begin(), a.rest.end(), b.rest.begin(), b.rest.end()))
    return false;
  std::int64_t const stride = a.size > 1 ? a.stride : b.size > 1 ? b.stride : distance;
  if ((b.size > 1 && b.stride != stride) || distance != static_cast<std::int64_t>(a.size) * stride)
    return false;
  appendFactor(joined, a.size + b.size, stride);
  appendFactors(joined, a.rest);
  return true;
}

} // namespace viewdetail

POP_INLINE bool joinRows(Box &a, std::uint64_t widthA, Box const &b, std::uint64_t widthB) {
  if (!sameSource(a, b))
    return false;
  viewdetail::RowsAndColumns partsA, partsB;
  if (!viewdetail::splitRows(a.factors, widthA, partsA) ||
      !viewdetail::splitRows(b.factors, widthB, partsB) || !(partsA.rows == partsB.rows))
    return false;
  std::size_t const limit = std::max(a.factors.size(), b.factors.size());
  for (bool const wholeA : {false, true})
    for (bool const wholeB : {false, true}) {
      Factors joined = partsA.rows;
      if (viewdetail::joinLeads(viewdetail::leadOf(partsA.columns, wholeA),
                                viewdetail::leadOf(partsB.columns, wholeB), b.offset - a.offset,
                                joined) &&
          joined.size() <= limit) {
        a.factors = joined;
        return true;
      }
    }
  return false;
}

POP_INLINE void NodeBuilder::add(Box const &box, std::uint64_t width) {
  if (!box.node || !(rows_ == 1 ? addRange(box, Stretches::Keep) : addColumns(box, width)))
    push(box, width);
}

/// The pieces under a range of consecutive addresses of a stage.
POP_INLINE std::size_t NodeBuilder::numPieces(Box const &range) {
  std::uint64_t const begin = static_cast<std::uint64_t>(range.offset);
  return range.node->find(begin + range.count() - 1) - range.node->find(begin) + 1;
}

POP_INLINE bool NodeBuilder::isStretch(Box const &box) {
  return box.node && isRange(box) && !box.node->hasStretches_ && numPieces(box) >= kStretchPieces;
}

/// Takes over the pieces under a range of addresses of a one-row stage.
POP_INLINE bool NodeBuilder::addRange(Box const &box, Stretches stretches) {
  if (!isRange(box))
    return false;
  Node const &node = *box.node;
  if (stretches == Stretches::Keep && isStretch(box))
    return false; // as one
  auto takeOver = [this, stretches](Box const &part) {
    if (stretches == Stretches::Keep || !part.node || !addRange(part, stretches))
      push(part, part.count());
    return true;
  };
  BoxCall sink(takeOver);
  std::uint64_t const end = static_cast<std::uint64_t>(box.offset) + box.count();
  std::uint64_t at = static_cast<std::uint64_t>(box.offset);
  for (std::size_t p = node.find(at); at < end; ++p) {
    Node::PieceRef const piece = node.piece(p);
    std::uint64_t const stop = std::min(end, piece.end);
    cutRange(piece.box(), at - piece.begin, stop - piece.begin, sink);
    at = stop;
  }
  return true;
}

/// Takes over the pieces under a range of columns, in all rows of a stage with as many rows as
/// ours.
POP_INLINE bool NodeBuilder::addColumns(Box const &box, std::uint64_t width) {
  Node const &node = *box.node;
  std::int64_t const rowStride = static_cast<std::int64_t>(node.width());
  std::uint64_t const begin = static_cast<std::uint64_t>(box.offset), end = begin + width;
  Factors expected;
  appendFactor(expected, rows_, rowStride);
  appendFactor(expected, width, 1);
  if (node.rows() != rows_ || end > node.width() || !(box.factors == expected))
    return false;
  std::uint64_t at = begin;
  for (std::size_t p = node.find(at); at < end; ++p) {
    std::uint64_t const stop = std::min(end, node.piece(p).end);
    Box part{box.node, 0, static_cast<std::int64_t>(at), {}};
    appendFactor(part.factors, rows_, rowStride);
    appendFactor(part.factors, stop - at, 1);
    descend(part);
    push(part, stop - at);
    at = stop;
  }
  return true;
}

POP_INLINE void NodeBuilder::push(Box const &box, std::uint64_t width) {
  if (numPending_ != 0) {
    Part &last = pending_[numPending_ - 1];
    if (joinRows(last.box, last.width, box, width)) {
      last.width += width;
      return;
    }
  }
  if (numPending_ == 2) {
    if (joinThird(box, width))
      return;
    store(pending_[0]);
    pending_[0] = std::move(pending_[1]);
    numPending_ = 1;
  }
  pending_[numPending_++] = {box, width};
}

/// Joins three boxes at equal distances, as every second row of a matrix. Two would always be at
/// equal distances; a random order must not become pairs.
POP_INLINE bool NodeBuilder::joinThird(Box const &box, std::uint64_t width) {
  Part &first = pending_[0];
  Part const &second = pending_[1];
  std::int64_t const distance = box.offset - second.box.offset;
  if (first.width != width || second.width != width ||
      second.box.offset - first.box.offset != distance || !sameSource(first.box, box) ||
      !sameSource(second.box, box) || !(first.box.factors == box.factors) ||
      !(second.box.factors == box.factors))
    return false;
  viewdetail::RowsAndColumns parts;
  if (!viewdetail::splitRows(box.factors, width, parts))
    return false;
  first.box.factors = parts.rows;
  appendFactor(first.box.factors, 3, distance);
  appendFactors(first.box.factors, parts.columns);
  first.width = 3 * width;
  numPending_ = 1;
  return true;
}

POP_INLINE void NodeBuilder::store(Part const &part) {
  if (!node_)
    node_ = std::make_shared<Node>();
  Node &node = *node_;
  Box const &box = part.box;
  std::uint32_t below = 0;
  if (box.node) {
    if (box.node->depth_ >= Node::MAX_DEPTH)
      base::fail<poplar::poplar_error>("Tensor", "a view of ", box.node->depth_,
                                       " views on top of one another would get another one, of ",
                                       box.count(), " elements; allowed: up to ", Node::MAX_DEPTH,
                                       "; copy the elements to a variable on the way");
    node.depth_ = std::max(node.depth_, box.node->depth_ + 1);
    // Neighbours often show one stage: store it once.
    if (node.nodes_.empty() || node.nodes_.back() != box.node)
      node.nodes_.push_back(box.node);
    below = static_cast<std::uint32_t>(node.nodes_.size());
  }
  node.hasStretches_ = node.hasStretches_ || (rows_ == 1 && isStretch(box));
  node.mayHaveConstant_ |= box.node ? box.node->mayHaveConstant() : isConstant(box.var);
  node.isAllConstant_ &= box.node ? box.node->isAllConstant() : isConstant(box.var);
  node.pieces_.push_back({node.width_, box.offset, box.var, below, node.factors_.size()});
  node.factors_.insert(node.factors_.end(), box.factors.begin(), box.factors.end());
  node.width_ += part.width;
}

POP_INLINE void NodeBuilder::flush() {
  for (unsigned i = 0; i != numPending_; ++i)
    store(pending_[i]);
  numPending_ = 0;
}

POP_INLINE Box NodeBuilder::finish() {
  return !node_ && numPending_ == 1 ? pending_[0].box : finishStage();
}

POP_INLINE Box NodeBuilder::finishStage() {
  flush();
  if (node_->hasStretches_)
    joinStretches();
  node_->rows_ = rows_;
  Box whole{node_, 0, 0, {}};
  appendFactor(whole.factors, node_->size(), 1);
  return whole;
}

/// One box of the pieces of all parts.
POP_INLINE NodeBuilder::Part NodeBuilder::joined(std::span<Part const> parts) {
  NodeBuilder builder(1);
  std::uint64_t width = 0;
  for (Part const &part : parts) {
    width += part.width;
    if (!part.box.node || !builder.addRange(part.box, Stretches::Dissolve))
      builder.push(part.box, part.width);
  }
  return {builder.finish(), width};
}

/// Joins the last stretches as long as they are of similar size. Each piece is copied O(log pieces)
/// times while a tensor grows.
POP_INLINE void NodeBuilder::joinSimilar(std::vector<Part> &parts) {
  while (parts.size() > 1 && isStretch(parts.back().box) &&
         isStretch(parts[parts.size() - 2].box)) {
    std::size_t const a = numPieces(parts[parts.size() - 2].box), b = numPieces(parts.back().box);
    if (a >= 2 * b || b >= 2 * a)
      return;
    Part both = joined(std::span<Part const>(parts).last(2));
    parts.pop_back();
    parts.back() = std::move(both);
  }
}

/// Replaces node_ by one in which many neighbouring pieces are a stretch, and similar stretches are
/// joined.
POP_INLINE void NodeBuilder::joinStretches() {
  std::shared_ptr<Node> const before = std::exchange(node_, nullptr);
  std::vector<Part> parts;
  parts.reserve(before->numPieces());
  std::size_t numSingle = 0; // parts at the end that are no stretches
  for (std::size_t i = 0; i != before->numPieces(); ++i) {
    Node::PieceRef const piece = before->piece(i);
    parts.push_back({piece.box(), piece.width()});
    numSingle = isStretch(parts.back().box) ? 0 : numSingle + 1;
    if (numSingle == kStretchPieces) {
      Part stretch = joined(std::span<Part const>(parts).last(numSingle));
      parts.resize(parts.size() - numSingle);
      parts.push_back(std::move(stretch));
      numSingle = 0;
    }
    joinSimilar(parts);
  }
  for (Part const &part : parts)
    store(part);
}

POP_INLINE Box stage(Box const &box) {
  if (box.node && isRange(box))
    return box; // addressable already
  NodeBuilder builder(1);
  builder.add(box, box.count());
  return builder.finishStage();
}

} // namespace cottonwood::graph
