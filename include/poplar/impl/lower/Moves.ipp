// Body of Moves.hpp.
#pragma once

#include <poplar/impl/lower/Moves.hpp>

#include <poplar/impl/base/TypeInfo.hpp>

#include <algorithm>

namespace cottonwood::lower::detail {

/// Appends moves to one plan, merging neighbours: runs that follow one another into longer runs,
/// equal runs at constant distances into strided moves.
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
  struct Pending {
    std::uint64_t src = 0, dst = 0, bytes = 0; ///< bytes 0: nothing pending
    MoveDim inner{1, 0, 0};                    ///< within a row
    MoveDim outer{1, 0, 0};                    ///< over equal rows
  };
  bool extend(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes, MoveDim const &inner);
  void flush();
  void append(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
              std::span<MoveDim const> dims);

  ExecutableData &out_;
  std::uint64_t elementBytes_;
  Spaces spaces_;
  MovePlan plan_;
  Pending pending_;
};

POP_INLINE bool sameDim(MoveDim const &a, MoveDim const &b) {
  return a.count == b.count &&
         (a.count == 1 || (a.srcStride == b.srcStride && a.dstStride == b.dstStride));
}

POP_INLINE bool MoveWriter::extend(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
                                   MoveDim const &inner) {
  Pending &last = pending_;
  if (last.bytes == 0)
    return false;
  bool const plain = inner.count == 1 && last.inner.count == 1;
  if (plain && last.outer.count == 1 && src == last.src + last.bytes &&
      dst == last.dst + last.bytes) {
    last.bytes += bytes;
    return true;
  }
  if (bytes != last.bytes || !sameDim(inner, last.inner))
    return false;
  auto const lastIndex = static_cast<std::int64_t>(last.outer.count - 1);
  auto const srcStep = static_cast<std::int64_t>(src - last.src) - lastIndex * last.outer.srcStride;
  auto const dstStep = static_cast<std::int64_t>(dst - last.dst) - lastIndex * last.outer.dstStride;
  if (last.outer.count > 1 && (srcStep != last.outer.srcStride || dstStep != last.outer.dstStride))
    return false;
  last.outer = {last.outer.count + 1, srcStep, dstStep};
  return true;
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
  if (extend(src, dst, bytes, inner))
    return;
  flush();
  pending_ = {src, dst, bytes, inner, {1, 0, 0}};
}

POP_INLINE void MoveWriter::nest(std::uint64_t src, std::uint64_t dst,
                                 std::span<MoveDim const> dims) {
  if (dims.size() <= 1) {
    MoveDim const dim = dims.empty() ? MoveDim{1, 0, 0} : dims[0];
    return row(src, dst, dim.count, dim.srcStride, dim.dstStride);
  }
  flush();
  MoveDim const inner = dims.back();
  auto const unit = static_cast<std::int64_t>(elementBytes_);
  if (inner.srcStride == unit && inner.dstStride == unit)
    append(src, dst, elementBytes_ * inner.count, dims.first(dims.size() - 1));
  else
    append(src, dst, elementBytes_, dims);
}

POP_INLINE void MoveWriter::append(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
                                   std::span<MoveDim const> dims) {
  std::uint64_t total = bytes;
  bool moves = src != dst || spaces_ == Spaces::Different;
  for (MoveDim const &dim : dims) {
    total *= dim.count;
    moves = moves || dim.srcStride != dim.dstStride;
  }
  if (!moves)
    return;
  out_.moves.push_back({src, dst, bytes, static_cast<std::uint32_t>(out_.moveDims.size()),
                        static_cast<std::uint32_t>(dims.size())});
  out_.moveDims.insert(out_.moveDims.end(), dims.begin(), dims.end());
  plan_.totalBytes += total;
}

POP_INLINE void MoveWriter::flush() {
  Pending const done = pending_;
  pending_ = {};
  if (done.bytes == 0)
    return;
  base::SmallVector<MoveDim, 2> dims;
  if (done.outer.count > 1)
    dims.push_back(done.outer);
  if (done.inner.count > 1)
    dims.push_back(done.inner);
  append(done.src, done.dst, done.bytes, {dims.data(), dims.size()});
}

POP_INLINE MovePlan MoveWriter::finish() {
  flush();
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
  view.forEachBlock([&](graph::StridedBlock const &from) {
    std::size_t const index = context.vars.of(from.var);
    std::uint64_t const size = base::sizeOf(context.graph.variable(from.var).type);
    ByteBlock block;
    block.offset = context.offsets[index] + from.offset * size;
    for (std::size_t d = 0; d < from.sizes.size(); ++d)
      block.pushInner(from.sizes[d], from.strides[d] * static_cast<std::int64_t>(size));
    layout.push_back(block);
  });
  return layout;
}

POP_INLINE Layout arenaLayout(Context const &context, graph::Region const &region) {
  if (region.view)
    return arenaLayout(context, *region.view);
  std::uint64_t const size = base::sizeOf(context.graph.variable(region.run.var).type);
  return {
      ByteBlock::packed(context.offsets[context.vars.of(region.run.var)] + region.run.begin * size,
                        region.run.size, size)};
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
