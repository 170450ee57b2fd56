#pragma once
#include <poplar/impl/graph/Relocation.hpp>

#include <algorithm>
#include <optional>
#include <poplar/impl/graph/Blocks.hpp>
#include <poplar/impl/graph/ViewPieces.hpp>

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
  struct NewPlace {
    VarId var;
    std::int64_t offset;
  };

  Relocated const &placeOf(std::uint64_t element) const {
    auto const after = std::upper_bound(places_.begin(), places_.end(), element,
                                        [&](std::uint64_t e, Relocated const &p) {
                                          return p.var != var_ ? var_ < p.var : e < p.begin;
                                        });
    return *(after - 1);
  }

  /// Where the part that dimensions from `level` on span at `offset` goes, if that is one stretch.
  std::optional<NewPlace> placeOfPart(std::size_t level, std::int64_t offset) const {
    std::int64_t low = offset, high = offset;
    for (std::size_t d = level; d < sizes_.size(); ++d) {
      std::int64_t const reach = static_cast<std::int64_t>(sizes_[d] - 1) * strides_[d];
      (reach < 0 ? low : high) += reach;
    }
    Relocated const &place = placeOf(static_cast<std::uint64_t>(low));
    if (static_cast<std::uint64_t>(high) >= place.begin + place.size)
      return std::nullopt;
    return NewPlace{place.newVar, offset - static_cast<std::int64_t>(place.begin) +
                                      static_cast<std::int64_t>(place.newBegin)};
  }

  /// Such parts, `count` of them at distance `stride`.
  void put(NewPlace place, std::uint64_t count, std::int64_t stride, std::size_t level) {
    base::SmallVector<std::uint64_t, 8> sizes;
    base::SmallVector<std::int64_t, 8> strides;
    sizes.push_back(count);
    strides.push_back(stride);
    for (std::size_t d = level; d < sizes_.size(); ++d) {
      sizes.push_back(sizes_[d]);
      strides.push_back(strides_[d]);
    }
    parts_.push_back(View::ofBlock(graph_, type_,
                                   {place.var,
                                    static_cast<std::uint64_t>(place.offset),
                                    {sizes.data(), sizes.size()},
                                    {strides.data(), strides.size()}},
                                   metadata_));
  }

  /// The part that dimensions from `level` on span at `offset`.
  void split(std::size_t level, std::int64_t offset) {
    if (auto const place = placeOfPart(level, offset))
      return put(*place, 1, 0, level);
    if (level + 1 == sizes_.size() && strides_[level] == 1)
      return splitRun(static_cast<std::uint64_t>(offset), sizes_[level]);
    std::int64_t const stride = strides_[level];
    auto const placeOfStep = [&](std::uint64_t i) {
      return placeOfPart(level + 1, offset + static_cast<std::int64_t>(i) * stride);
    };
    for (std::uint64_t i = 0; i < sizes_[level];) {
      auto const first = placeOfStep(i);
      if (!first) {
        split(level + 1, offset + static_cast<std::int64_t>(i) * stride);
        ++i;
        continue;
      }
      // Steps whose new places are as far from each other are one block again.
      std::uint64_t count = 1;
      std::int64_t distance = 0;
      for (std::int64_t last = first->offset; i + count < sizes_[level]; ++count) {
        auto const next = placeOfStep(i + count);
        if (!next || next->var != first->var || (count > 1 && next->offset - last != distance))
          break;
        distance = next->offset - last;
        last = next->offset;
      }
      put(*first, count, distance, level + 1);
      i += count;
    }
  }

  void splitRun(std::uint64_t begin, std::uint64_t size) {
    while (size != 0) {
      Relocated const &place = placeOf(begin);
      std::uint64_t const here = std::min(size, place.begin + place.size - begin);
      put({place.newVar, static_cast<std::int64_t>(begin - place.begin + place.newBegin)}, here, 1,
          sizes_.size());
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

/// What was concatenated along an inner dimension is so again.
POP_INLINE View relocateParts(View const &view, poplar::Type type,
                              std::vector<Relocated> const &places, MetadataId metadata,
                              unsigned depth) {
  std::vector<View> parts;
  if (auto const cuts = viewdetail::pieceCuts(view, depth)) {
    viewdetail::forEachCut(
        *cuts,
        [&](View const &part) {
          parts.push_back(relocateParts(part, type, places, metadata, depth + 1));
        },
        view);
    return View::concat(parts, 1).reshape(view.shape());
  }
  BlockRelocator relocator(view.graph(), type, places, metadata);
  view.forEachBlock([&](StridedBlock const &block) { relocator.add(block); });
  parts = relocator.take();
  return View::concat(parts, 0).reshape(view.shape());
}

} // namespace detail

POP_INLINE View relocate(View const &view, poplar::Type type, std::vector<Relocated> const &places,
                         MetadataId metadata) {
  return detail::relocateParts(view, type, places, metadata, 0);
}

} // namespace cottonwood::graph
