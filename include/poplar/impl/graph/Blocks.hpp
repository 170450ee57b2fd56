#pragma once
// Walking the strided blocks of a view without touching every element.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <poplar/impl/base/SmallVector.hpp>
#include <poplar/impl/graph/TileMap.hpp>
#include <poplar/impl/graph/View.hpp>

namespace cottonwood::graph {

struct BlockDim {
  std::uint64_t size;
  std::int64_t stride;
};
using BlockDims = base::SmallVector<BlockDim, 8>;

namespace detail {

template <class F>
void denseRuns(BlockDims const &dims, std::size_t level, std::uint64_t offset, F &f) {
  if (level == dims.size()) {
    f(offset, std::uint64_t{1});
    return;
  }
  BlockDim const dim = dims[level];
  if (level + 1 == dims.size() && dim.stride == 1) {
    f(offset, dim.size);
    return;
  }
  for (std::uint64_t i = 0; i < dim.size; ++i)
    denseRuns(dims, level + 1, offset + i * static_cast<std::uint64_t>(dim.stride), f);
}

} // namespace detail

/// Calls f(begin, size) for runs that together are the elements of a block, in no promised order:
/// the block is put in storage order first, so that a transposed whole variable is one run.
/// Repeated elements come once.
template <class F> void forEachDenseRun(StridedBlock const &block, F &&f) {
  BlockDims dims;
  std::uint64_t offset = block.offset;
  for (std::size_t d = 0; d < block.sizes.size(); ++d) {
    std::int64_t stride = block.strides[d];
    if (block.sizes[d] == 1 || stride == 0)
      continue;
    if (stride < 0) {
      offset -= (block.sizes[d] - 1) * static_cast<std::uint64_t>(-stride);
      stride = -stride;
    }
    dims.push_back({block.sizes[d], stride});
  }
  std::sort(dims.begin(), dims.end(),
            [](BlockDim const &a, BlockDim const &b) { return a.stride > b.stride; });
  // Neighbours that follow one another without a gap are one dimension.
  BlockDims merged;
  for (BlockDim const &dim : dims) {
    if (!merged.empty() && merged.back().stride == static_cast<std::int64_t>(dim.size) * dim.stride)
      merged.back() = {merged.back().size * dim.size, dim.stride};
    else
      merged.push_back(dim);
  }
  detail::denseRuns(merged, 0, offset, f);
}

/// Walks a block in flat order and splits it until the parts lie on one tile each.
/// \tparam F  f(flatBegin, size, tile)
template <class F> class TileWalk {
public:
  TileWalk(TileMap const &tiles, F &f) : tiles_(tiles), f_(f) {}

  void walk(StridedBlock const &block, std::uint64_t flatBegin) {
    dims_.clear();
    suffixes_.resize(block.sizes.size() + 1);
    suffixes_[block.sizes.size()] = {1, 0, 0};
    for (std::size_t d = 0; d < block.sizes.size(); ++d)
      dims_.push_back({block.sizes[d], block.strides[d]});
    for (std::size_t d = block.sizes.size(); d-- > 0;)
      suffixes_[d] = extended(suffixes_[d + 1], dims_[d].size, dims_[d].stride);
    split(0, 0, dims_[0].size, static_cast<std::int64_t>(block.offset), flatBegin);
  }

private:
  /// Of the inner dimensions: elements, and the offsets of the lowest and highest.
  struct Extent {
    std::uint64_t count;
    std::int64_t low, high;
  };
  static Extent extended(Extent inner, std::uint64_t size, std::int64_t stride) {
    std::int64_t const reach = static_cast<std::int64_t>(size - 1) * stride;
    return {inner.count * size, inner.low + (reach < 0 ? reach : 0),
            inner.high + (reach > 0 ? reach : 0)};
  }

  /// Indices [from, to) of dimension `level`, all inner dimensions whole; `offset` is that of index
  /// 0.
  void split(std::size_t level, std::uint64_t from, std::uint64_t to, std::int64_t offset,
             std::uint64_t flat) {
    BlockDim const dim = dims_[level];
    std::int64_t const start = offset + static_cast<std::int64_t>(from) * dim.stride;
    Extent const extent = extended(suffixes_[level + 1], to - from, dim.stride);
    auto const low = static_cast<std::uint64_t>(start + extent.low);
    auto const high = static_cast<std::uint64_t>(start + extent.high);
    std::uint32_t tile;
    if (tiles_.uniform(low, high + 1, tile)) {
      f_(flat, extent.count, tile);
    } else if (dim.stride == 1 && level + 1 == dims_.size()) {
      tiles_.forEach(low, high + 1, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t on) {
        f_(flat + (begin - low), end - begin, on);
      });
    } else if (to - from > 1) {
      std::uint64_t const middle = from + (to - from) / 2;
      split(level, from, middle, offset, flat);
      split(level, middle, to, offset, flat + (middle - from) * suffixes_[level + 1].count);
    } else {
      split(level + 1, 0, dims_[level + 1].size, start, flat);
    }
  }

  TileMap const &tiles_;
  F &f_;
  BlockDims dims_;
  base::SmallVector<Extent, 8> suffixes_;
};

/// Calls f(flatBegin, size, tile) over all elements of a view in flat order; kNoTile where they are
/// unmapped. \param tilesOf  tilesOf(VarId) is the TileMap of a variable
template <class TilesOf, class F>
void forEachTile(View const &view, TilesOf const &tilesOf, F &&f) {
  if (auto const run = view.asRun()) {
    TileMap const &tiles = tilesOf(run->var);
    tiles.forEach(run->begin, run->begin + run->size,
                  [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                    f(begin - run->begin, end - begin, tile);
                  });
    return;
  }
  std::uint64_t flat = 0;
  view.forEachBlock([&](StridedBlock const &block) {
    TileWalk walk(tilesOf(block.var), f);
    walk.walk(block, flat);
    std::uint64_t count = 1;
    for (std::uint64_t const size : block.sizes)
      count *= size;
    flat += count;
  });
}

} // namespace cottonwood::graph
