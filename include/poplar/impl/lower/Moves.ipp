// Body of Moves.hpp.
#pragma once

#include <poplar/impl/lower/Moves.hpp>

#include <poplar/impl/base/TypeInfo.hpp>

#include <algorithm>

namespace cottonwood::lower::detail {

/// Appends moves to one plan, merging them: runs that follow one another into longer runs, equal
/// runs at constant distances into strided moves, and these again. Moves of a plan have no order,
/// so that those of concatenated tensors, which come in turn, are found among the last few.
class MoveWriter {
public:
  MoveWriter(ExecutableData &out, std::uint64_t elementBytes, Spaces spaces)
      : out_(out), elementBytes_(elementBytes), spaces_(spaces) {
    plan_.first = out.moves.size();
  }
  /// `count` elements with the given distances.
  void row(std::uint64_t src, std::uint64_t dst, std::uint64_t count, std::int64_t srcStride,
           std::int64_t dstStride);
  /// A whole nest, outermost first.
  void nest(std::uint64_t src, std::uint64_t dst, std::span<MoveDim const> dims);
  MovePlan finish();

private:
  /// Rows that may go on.
  static constexpr std::size_t OPEN = 4;
  struct Rows {
    std::uint64_t src, dst, bytes;
    MoveDim inner;          ///< within a row
    MoveDim outer{1, 0, 0}; ///< over equal rows
  };
  /// Nests with equal dims that may go on.
  struct Nests {
    std::uint64_t src = 0, dst = 0, bytes = 0; ///< bytes 0: there are none
    base::SmallVector<MoveDim, 8> dims;        ///< of one
    MoveDim over{1, 0, 0};                     ///< over all
  };
  static bool extend(Rows &rows, std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
                     MoveDim const &inner);
  /// Another of those that are `over` apart, unless its distance is another.
  static bool repeat(MoveDim &over, std::int64_t src, std::int64_t dst);
  void close(Rows const &rows);
  void closeAll();
  void add(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
           std::span<MoveDim const> dims);
  void append(Nests const &nests);

  ExecutableData &out_;
  std::uint64_t elementBytes_;
  Spaces spaces_;
  MovePlan plan_;
  base::SmallVector<Rows, OPEN> open_; ///< the last that went on comes last
  Nests nests_;
};

POP_INLINE bool sameDim(MoveDim const &a, MoveDim const &b) {
  return a.count == b.count &&
         (a.count == 1 || (a.srcStride == b.srcStride && a.dstStride == b.dstStride));
}

POP_INLINE bool MoveWriter::repeat(MoveDim &over, std::int64_t src, std::int64_t dst) {
  auto const last = static_cast<std::int64_t>(over.count - 1);
  src -= last * over.srcStride, dst -= last * over.dstStride;
  if (over.count > 1 && (src != over.srcStride || dst != over.dstStride))
    return false;
  over = {over.count + 1, src, dst};
  return true;
}

POP_INLINE bool MoveWriter::extend(Rows &rows, std::uint64_t src, std::uint64_t dst,
                                   std::uint64_t bytes, MoveDim const &inner) {
  bool const plain = inner.count == 1 && rows.inner.count == 1;
  if (plain && rows.outer.count == 1 && src == rows.src + rows.bytes &&
      dst == rows.dst + rows.bytes) {
    rows.bytes += bytes;
    return true;
  }
  return bytes == rows.bytes && sameDim(inner, rows.inner) &&
         repeat(rows.outer, static_cast<std::int64_t>(src - rows.src),
                static_cast<std::int64_t>(dst - rows.dst));
}

POP_INLINE void MoveWriter::row(std::uint64_t src, std::uint64_t dst, std::uint64_t count,
                                std::int64_t srcStride, std::int64_t dstStride) {
  auto const unit = static_cast<std::int64_t>(elementBytes_);
  std::uint64_t bytes = elementBytes_;
  MoveDim inner{count, srcStride, dstStride};
  if (count == 1 || (srcStride == unit && dstStride == unit)) {
    bytes *= count;
    inner = {1, 0, 0};
  }
  for (std::size_t i = open_.size(); i-- > 0;)
    if (extend(open_[i], src, dst, bytes, inner)) {
      std::rotate(open_.begin() + i, open_.begin() + i + 1, open_.end());
      return;
    }
  if (open_.size() == OPEN) {
    close(open_[0]);
    std::rotate(open_.begin(), open_.begin() + 1, open_.end());
    open_.pop_back();
  }
  open_.push_back({src, dst, bytes, inner});
}

POP_INLINE void MoveWriter::nest(std::uint64_t src, std::uint64_t dst,
                                 std::span<MoveDim const> dims) {
  if (dims.size() <= 1) {
    MoveDim const dim = dims.empty() ? MoveDim{1, 0, 0} : dims[0];
    return row(src, dst, dim.count, dim.srcStride, dim.dstStride);
  }
  closeAll();
  MoveDim const inner = dims.back();
  auto const unit = static_cast<std::int64_t>(elementBytes_);
  if (inner.srcStride == unit && inner.dstStride == unit)
    add(src, dst, elementBytes_ * inner.count, dims.first(dims.size() - 1));
  else
    add(src, dst, elementBytes_, dims);
}

POP_INLINE void MoveWriter::close(Rows const &rows) {
  base::SmallVector<MoveDim, 2> dims;
  if (rows.outer.count > 1)
    dims.push_back(rows.outer);
  if (rows.inner.count > 1)
    dims.push_back(rows.inner);
  add(rows.src, rows.dst, rows.bytes, {dims.data(), dims.size()});
}

POP_INLINE void MoveWriter::closeAll() {
  for (Rows const &rows : open_)
    close(rows);
  open_.clear();
}

POP_INLINE void MoveWriter::add(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
                                std::span<MoveDim const> dims) {
  if (bytes == nests_.bytes &&
      std::equal(dims.begin(), dims.end(), nests_.dims.begin(), nests_.dims.end(), sameDim) &&
      repeat(nests_.over, static_cast<std::int64_t>(src - nests_.src),
             static_cast<std::int64_t>(dst - nests_.dst)))
    return;
  append(nests_);
  nests_ = {src, dst, bytes, {dims.begin(), dims.end()}, {1, 0, 0}};
}

POP_INLINE void MoveWriter::append(Nests const &nests) {
  std::uint64_t total = nests.bytes;
  bool moves = nests.src != nests.dst || spaces_ == Spaces::Different;
  auto const firstDim = static_cast<std::uint32_t>(out_.moveDims.size());
  auto const put = [&](MoveDim const &dim) {
    total *= dim.count;
    moves = moves || dim.srcStride != dim.dstStride;
    out_.moveDims.push_back(dim);
  };
  if (nests.over.count > 1)
    put(nests.over);
  for (MoveDim const &dim : nests.dims)
    put(dim);
  if (total == 0 || !moves) {
    out_.moveDims.resize(firstDim);
    return;
  }
  out_.moves.push_back({nests.src, nests.dst, nests.bytes, firstDim,
                        static_cast<std::uint32_t>(out_.moveDims.size() - firstDim)});
  plan_.totalBytes += total;
}

POP_INLINE MovePlan MoveWriter::finish() {
  closeAll();
  append(nests_);
  plan_.count = out_.moves.size() - plan_.first;
  return plan_;
}

/// The common refinement of two blocks with equal numbers of elements; false if their dims do not
/// divide.
POP_INLINE bool refine(ByteBlock const &a, ByteBlock const &b,
                       base::SmallVector<MoveDim, 8> &dims) {
  dims.clear();
  std::size_t ia = a.dims.size(), ib = b.dims.size();
  ByteBlock::Dim ra{1, 0}, rb{1, 0};
  for (;;) {
    if (ra.count == 1 && ia > 0)
      ra = a.dims[--ia];
    if (rb.count == 1 && ib > 0)
      rb = b.dims[--ib];
    std::uint64_t const count = std::min(ra.count, rb.count);
    if (count == 1)
      break;
    if (ra.count % count != 0 || rb.count % count != 0)
      return false;
    MoveDim const fresh{count, ra.stride, rb.stride};
    // Two levels that step alike on both sides are one.
    if (!dims.empty() &&
        fresh.srcStride == dims.back().srcStride * static_cast<std::int64_t>(dims.back().count) &&
        fresh.dstStride == dims.back().dstStride * static_cast<std::int64_t>(dims.back().count))
      dims.back().count *= count;
    else
      dims.push_back(fresh);
    ra = {ra.count / count, ra.stride * static_cast<std::int64_t>(count)};
    rb = {rb.count / count, rb.stride * static_cast<std::int64_t>(count)};
  }
  std::reverse(dims.begin(), dims.end());
  return ra.count == 1 && rb.count == 1;
}

/// Addresses of variables in the arena.
struct ArenaPlace {
  Context const &context;
  std::uint64_t operator()(graph::VarId var) const { return context.offsets[context.vars.of(var)]; }
};

/// Walks the rows of a layout. A row may be taken in parts.
class RowCursor {
public:
  explicit RowCursor(Layout const &layout) : layout_(layout) { enter(); }
  bool done() const { return block_ == layout_.size(); }
  bool atBlockStart() const { return atStart_; }
  ByteBlock const &block() const { return layout_[block_]; }
  std::uint64_t rowLeft() const { return inner_.count - taken_; }
  std::int64_t stride() const { return inner_.stride; }
  std::uint64_t address() const {
    return row_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(taken_) * inner_.stride);
  }
  void skipBlock() {
    ++block_;
    enter();
  }
  void take(std::uint64_t count) {
    atStart_ = false;
    taken_ += count;
    if (taken_ == inner_.count)
      nextRow();
  }

private:
  void enter() {
    while (block_ < layout_.size() && layout_[block_].elements == 0)
      ++block_;
    atStart_ = true;
    taken_ = 0;
    if (done())
      return;
    ByteBlock const &now = layout_[block_];
    inner_ = now.dims.empty() ? ByteBlock::Dim{1, 0} : now.dims.back();
    index_.clear();
    index_.resize(now.dims.empty() ? 0 : now.dims.size() - 1, 0);
    row_ = now.offset;
  }
  void nextRow() {
    taken_ = 0;
    for (std::size_t d = index_.size(); d-- > 0;) {
      ByteBlock::Dim const dim = layout_[block_].dims[d];
      row_ += static_cast<std::uint64_t>(dim.stride);
      if (++index_[d] < dim.count)
        return;
      row_ -= static_cast<std::uint64_t>(dim.stride * static_cast<std::int64_t>(dim.count));
      index_[d] = 0;
    }
    skipBlock();
  }

  Layout const &layout_;
  std::size_t block_ = 0;
  bool atStart_ = true;
  ByteBlock::Dim inner_{1, 0};
  base::SmallVector<std::uint64_t, 4> index_;
  std::uint64_t row_ = 0, taken_ = 0;
};

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void ByteBlock::pushInner(std::uint64_t count, std::int64_t stride) {
  elements *= count;
  if (count == 1)
    return;
  if (!dims.empty() && dims.back().stride == stride * static_cast<std::int64_t>(count))
    dims.back() = {dims.back().count * count, stride};
  else
    dims.push_back({count, stride});
}

POP_INLINE ByteBlock ByteBlock::packed(std::uint64_t offset, std::uint64_t elements,
                                       std::uint64_t elementBytes) {
  ByteBlock block;
  block.offset = offset;
  block.pushInner(elements, static_cast<std::int64_t>(elementBytes));
  return block;
}

POP_INLINE Layout arenaLayout(Context const &context, graph::View const &view) {
  Layout layout;
  append(layout, view, detail::ArenaPlace{context});
  return layout;
}

POP_INLINE LayoutPair arenaLayouts(Context const &context, graph::View const &first,
                                   graph::View const &second) {
  detail::ArenaPlace const place{context};
  return layoutsOf(first, second, place, place);
}

POP_INLINE LayoutPair bufferLayouts(Context const &context, graph::View const &view,
                                    std::uint64_t address) {
  // The buffer as a variable, the only one of its view: no other is asked for.
  std::size_t const shape[] = {view.numElements()};
  graph::View const buffer = graph::View::whole(view.graph(), 0, view.type(), shape);
  return layoutsOf(view, buffer, detail::ArenaPlace{context},
                   [&](graph::VarId) { return address; });
}

POP_INLINE LayoutPair bufferLayouts(Context const &context, graph::Region const &region,
                                    std::uint64_t address) {
  if (region.view)
    return bufferLayouts(context, *region.view, address);
  std::uint64_t const size = base::sizeOf(context.graph.variable(region.run.var).type);
  std::uint64_t const there = detail::ArenaPlace{context}(region.run.var) + region.run.begin * size;
  return {{ByteBlock::packed(there, region.run.size, size)},
          {ByteBlock::packed(address, region.run.size, size)}};
}

POP_INLINE MovePlan planMoves(ExecutableData &out, Layout const &src, Layout const &dst,
                              std::uint64_t elementBytes, Spaces spaces) {
  detail::MoveWriter writer(out, elementBytes, spaces);
  detail::RowCursor from(src), to(dst);
  base::SmallVector<MoveDim, 8> dims;
  while (!from.done() && !to.done()) {
    if (from.atBlockStart() && to.atBlockStart() && from.block().elements == to.block().elements &&
        detail::refine(from.block(), to.block(), dims)) {
      writer.nest(from.block().offset, to.block().offset, {dims.data(), dims.size()});
      from.skipBlock();
      to.skipBlock();
      continue;
    }
    std::uint64_t const count = std::min(from.rowLeft(), to.rowLeft());
    writer.row(from.address(), to.address(), count, from.stride(), to.stride());
    from.take(count);
    to.take(count);
  }
  return writer.finish();
}

} // namespace cottonwood::lower
