#pragma once
#include <poplar/impl/graph/Relocation.hpp>

#include <algorithm>
#include <poplar/impl/graph/Blocks.hpp>

namespace cottonwood::graph {

POP_INLINE std::vector<Relocated> usedStorage(View const &view) {
  std::vector<Relocated> used;
  view.forEachBlockUnordered([&](StridedBlock const &block) {
    forEachDenseRun(block, [&](std::uint64_t begin, std::uint64_t size) {
      if (!used.empty() && used.back().var == block.var &&
          used.back().begin + used.back().size == begin)
        used.back().size += size;
      else
        used.push_back({block.var, begin, size, 0, 0});
    });
  });
  std::sort(used.begin(), used.end(), [](Relocated const &a, Relocated const &b) {
    return a.var != b.var ? a.var < b.var : a.begin < b.begin;
  });
  std::size_t numMerged = 0;
  for (Relocated const &next : used) {
    Relocated *const last = numMerged == 0 ? nullptr : &used[numMerged - 1];
    if (last && last->var == next.var && next.begin <= last->begin + last->size)
      last->size = std::max(last->begin + last->size, next.begin + next.size) - last->begin;
    else
      used[numMerged++] = next;
  }
  used.resize(numMerged);
  return used;
}

namespace detail {

/// Hands on the relocated parts of blocks.
class BlockRelocator {
public:
  BlockRelocator(GraphId graph, poplar::Type type, std::vector<Relocated> const &places,
                 MetadataId metadata)
      : graph_(graph), type_(type), metadata_(metadata), places_(places) {}

  void add(StridedBlock const &block) {
    var_ = block.var;
    sizes_.assign(block.sizes);
    strides_.assign(block.strides);
    split(0, static_cast<std::int64_t>(block.offset));
  }
  std::vector<View> take() { return std::move(parts_); }

private:
  Relocated const &placeOf(std::uint64_t element) const {
    auto const after = std::upper_bound(places_.begin(), places_.end(), element,
                                        [&](std::uint64_t e, Relocated const &p) {
                                          return p.var != var_ ? var_ < p.var : e < p.begin;
                                        });
    return *(after - 1);
  }

  /// The part that dimensions from `level` on span at `offset`.
  void split(std::size_t level, std::int64_t offset) {
    std::int64_t low = offset, high = offset;
    for (std::size_t d = level; d < sizes_.size(); ++d) {
      std::int64_t const reach = static_cast<std::int64_t>(sizes_[d] - 1) * strides_[d];
      (reach < 0 ? low : high) += reach;
    }
    Relocated const &place = placeOf(static_cast<std::uint64_t>(low));
    if (static_cast<std::uint64_t>(high) < place.begin + place.size) {
      std::size_t const rank = sizes_.size() - level;
      parts_.push_back(View::ofBlock(
          graph_, type_,
          {place.newVar, static_cast<std::uint64_t>(offset) - place.begin + place.newBegin,
           std::span<std::uint64_t const>(sizes_.data() + level, rank),
           std::span<std::int64_t const>(strides_.data() + level, rank)},
          metadata_));
    } else if (level + 1 == sizes_.size() && strides_[level] == 1) {
      splitRun(static_cast<std::uint64_t>(offset), sizes_[level]);
    } else {
      for (std::uint64_t i = 0; i < sizes_[level]; ++i)
        split(level + 1, offset + static_cast<std::int64_t>(i) * strides_[level]);
    }
  }

  void splitRun(std::uint64_t begin, std::uint64_t size) {
    std::int64_t const one = 1;
    while (size != 0) {
      Relocated const &place = placeOf(begin);
      std::uint64_t const here = std::min(size, place.begin + place.size - begin);
      parts_.push_back(View::ofBlock(graph_, type_,
                                     {place.newVar, begin - place.begin + place.newBegin,
                                      std::span<std::uint64_t const>(&here, 1),
                                      std::span<std::int64_t const>(&one, 1)},
                                     metadata_));
      begin += here;
      size -= here;
    }
  }

  GraphId graph_;
  poplar::Type type_;
  MetadataId metadata_;
  std::vector<Relocated> const &places_;
  VarId var_ = 0;
  base::SmallVector<std::uint64_t, 8> sizes_;
  base::SmallVector<std::int64_t, 8> strides_;
  std::vector<View> parts_;
};

} // namespace detail

POP_INLINE View relocate(View const &view, poplar::Type type, std::vector<Relocated> const &places,
                         MetadataId metadata) {
  detail::BlockRelocator relocator(view.graph(), type, places, metadata);
  view.forEachBlock([&](StridedBlock const &block) { relocator.add(block); });
  std::vector<View> const parts = relocator.take();
  return View::concat(parts, 0).reshape(view.shape());
}

} // namespace cottonwood::graph
