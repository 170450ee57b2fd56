#pragma once
#include <algorithm>
#include <poplar/impl/graph/ViewOverlap.hpp>
#include <poplar/impl/graph/ViewReach.hpp>

namespace cottonwood::graph {

POP_INLINE void OverlapFinder::add(Box const &box, unsigned side) {
  Item item{box.var, side, {box.offset, box.offset, {}}};
  for (Factor const &f : box.factors) {
    item.where.high += f.reach();
    item.where.factors.push_back(f);
  }
  items_.push_back(item);
}

POP_INLINE bool OverlapFinder::meet(Coordinate const &a, Coordinate const &b) {
  return a.low <= b.high && b.low <= a.high && boxesMeet(a.low, a.factors, b.low, b.factors);
}

POP_INLINE bool OverlapFinder::meet(SplitItem const &a, SplitItem const &b) const {
  // Intervals first: they are cheap and mostly decide.
  for (std::size_t c = 0; c != a.coordinates.size(); ++c)
    if (at(a, c).low > at(b, c).high || at(b, c).low > at(a, c).high)
      return false;
  for (std::size_t c = 0; c != a.coordinates.size(); ++c)
    if (!meet(at(a, c), at(b, c)))
      return false;
  return true;
}

POP_INLINE bool OverlapFinder::any() {
  std::sort(items_.begin(), items_.end(), [](Item const &a, Item const &b) {
    return a.var != b.var ? a.var < b.var : a.where.low < b.where.low;
  });
  // Clusters: items of one variable whose intervals hang together.
  bool found = false;
  for (std::size_t begin = 0, end = 0; begin != items_.size() && !found; begin = end) {
    std::int64_t high = items_[begin].where.high;
    for (end = begin + 1; end != items_.size() && items_[end].var == items_[begin].var &&
                          items_[end].where.low <= high;
         ++end)
      high = std::max(high, items_[end].where.high);
    found = end - begin > 1 && anyInCluster(Items(items_).subspan(begin, end - begin));
  }
  items_.clear();
  return found;
}

/// How many runs of consecutive offsets a box is, at most.
POP_INLINE std::uint64_t OverlapFinder::numRuns(Item const &item) {
  auto const &factors = item.where.factors;
  std::uint64_t const all = countOf(factors);
  return !factors.empty() && factors.back().stride == 1 ? all / factors.back().size : all;
}

/// Compares all runs of the items, in order of offset.
POP_INLINE bool OverlapFinder::anyInRuns(std::span<Item const *const> items) const {
  struct SortedRun {
    std::int64_t low, high;
    unsigned side;
  };
  std::vector<SortedRun> runs;
  for (Item const *item : items) {
    FactorSpan outer = item->where.factors;
    std::int64_t reach = 0;
    if (!outer.empty() && outer.back().stride == 1) {
      reach = outer.back().reach();
      outer = outer.first(outer.size() - 1);
    }
    for (std::uint64_t i = 0; i != countOf(outer); ++i) {
      std::int64_t const low = item->where.low + addressOf(outer, i);
      runs.push_back({low, low + reach, item->side});
    }
  }
  std::sort(runs.begin(), runs.end(),
            [](SortedRun const &a, SortedRun const &b) { return a.low < b.low; });
  std::int64_t high[2] = {-1, -1}; // of the runs so far, by side
  for (SortedRun const &run : runs) {
    unsigned const other = acrossSides_ ? 1 - run.side : run.side;
    if (run.low <= high[other])
      return true;
    high[run.side] = std::max(high[run.side], run.high);
  }
  return false;
}

POP_INLINE bool OverlapFinder::anyInCluster(Items items) {
  if (items.size() == 2) // by far the most common
    return compared(items[0], items[1]) && meet(items[0].where, items[1].where);
  std::uint64_t total = 0;
  std::vector<Item const *> all;
  for (Item const &item : items) {
    total += numRuns(item);
    all.push_back(&item);
  }
  if (total <= 8 * items.size())
    return anyInRuns(all);
  pool_.clear();
  std::vector<SplitItem> split;
  split.reserve(items.size());
  for (Item const &item : items) {
    split.push_back({&item, {}});
    split.back().coordinates.push_back(static_cast<std::uint32_t>(pool_.size()));
    pool_.push_back(item.where);
  }
  return anyInCluster(split, 0);
}

/// \param numTries  how many coordinates in a row did not take the items apart.
POP_INLINE bool OverlapFinder::anyInCluster(SplitItems items, std::size_t numTries) {
  if (items.size() < 2)
    return false;
  std::size_t const numCoordinates = items[0].coordinates.size();
  if (numTries < numCoordinates)
    return anyApart(items, numTries, numTries);
  // No coordinate separates them. Few pairs may be left all the same (a staircase of tiles, say).
  std::size_t const budget = 8 * items.size() + 256;
  for (std::size_t c = 0; c != numCoordinates; ++c) {
    Answer const answer = sweep(items, c, budget);
    if (answer != Answer::TooManyPairs)
      return answer == Answer::Yes;
  }
  for (std::size_t c = 0; c != numCoordinates; ++c)
    if (modulusFor(items, c) != 0)
      return splitAndSearch(items, c);
  return anyPair(items);
}

/// The last resort: all pairs, or all runs if they are fewer.
POP_INLINE bool OverlapFinder::anyPair(SplitItems items) const {
  std::uint64_t total = 0;
  std::vector<Item const *> all;
  for (SplitItem const &item : items) {
    total += numRuns(*item.item);
    all.push_back(item.item);
  }
  if (total / items.size() <= items.size())
    return anyInRuns(all);
  return sweep(items, 0, ~std::size_t{0}) == Answer::Yes;
}

/// Takes the items apart where their intervals in one coordinate leave gaps.
POP_INLINE bool OverlapFinder::anyApart(SplitItems items, std::size_t coordinate,
                                        std::size_t numTries) {
  std::sort(items.begin(), items.end(), [this, coordinate](SplitItem const &a, SplitItem const &b) {
    return at(a, coordinate).low < at(b, coordinate).low;
  });
  for (std::size_t begin = 0, end = 0; begin != items.size(); begin = end) {
    std::int64_t high = at(items[begin], coordinate).high;
    for (end = begin + 1; end != items.size() && at(items[end], coordinate).low <= high; ++end)
      high = std::max(high, at(items[end], coordinate).high);
    bool const isWhole = end - begin == items.size();
    // A part gets a fresh look at the other coordinates.
    if (anyInCluster(items.subspan(begin, end - begin), isWhole ? numTries + 1 : 0))
      return true;
  }
  return false;
}

/// Compares the items whose intervals in one coordinate overlap, up to `budget` pairs.
POP_INLINE OverlapFinder::Answer OverlapFinder::sweep(SplitItems items, std::size_t coordinate,
                                                      std::size_t budget) const {
  std::vector<SplitItem const *> order;
  for (SplitItem const &item : items)
    order.push_back(&item);
  std::sort(order.begin(), order.end(), [this, coordinate](SplitItem const *a, SplitItem const *b) {
    return at(*a, coordinate).low < at(*b, coordinate).low;
  });
  std::vector<SplitItem const *> open; // begun, and possibly not ended
  for (SplitItem const *item : order) {
    std::size_t numOpen = 0;
    for (SplitItem const *other : open) {
      if (at(*other, coordinate).high < at(*item, coordinate).low)
        continue;
      open[numOpen++] = other;
      if (compared(*item->item, *other->item) && meet(*item, *other))
        return Answer::Yes;
    }
    if (numOpen > budget)
      return Answer::TooManyPairs;
    budget -= numOpen;
    open.resize(numOpen);
    open.push_back(item);
  }
  return Answer::No;
}

/// The most frequent largest stride: the distance of rows, where items are parts of rows. 0: none
/// of them has a stride above 1, or rows of that length do not separate anything.
POP_INLINE std::int64_t OverlapFinder::modulusFor(SplitItems items, std::size_t coordinate) const {
  std::vector<std::int64_t> strides;
  for (SplitItem const &item : items)
    if (Coordinate const &c = at(item, coordinate); !c.factors.empty() && c.factors[0].stride > 1)
      strides.push_back(c.factors[0].stride);
  std::sort(strides.begin(), strides.end());
  std::int64_t best = 0;
  std::ptrdiff_t bestCount = 0;
  for (auto first = strides.begin(); first != strides.end();) {
    auto const last = std::upper_bound(first, strides.end(), *first);
    if (last - first >= bestCount) {
      best = *first;
      bestCount = last - first;
    }
    first = last;
  }
  return best;
}

/// Replaces a coordinate x of an item by row x / modulus and column x % modulus. \returns false if
/// a row's part of the item does not fit between two multiples of the modulus: then rows and
/// columns depend on each other.
POP_INLINE bool OverlapFinder::split(SplitItem &item, std::size_t coordinate,
                                     std::int64_t modulus) {
  Coordinate const whole = at(item, coordinate);
  Coordinate row{whole.low / modulus, whole.low / modulus, {}};
  Coordinate column{whole.low % modulus, whole.low % modulus, {}};
  for (Factor f : whole.factors) {
    Coordinate &part = f.stride % modulus == 0 ? row : column;
    if (&part == &row)
      f.stride /= modulus;
    part.high += f.reach();
    part.factors.push_back(f);
  }
  if (column.high >= modulus)
    return false;
  item.coordinates[coordinate] = static_cast<std::uint32_t>(pool_.size());
  item.coordinates.push_back(static_cast<std::uint32_t>(pool_.size() + 1));
  pool_.push_back(row);
  pool_.push_back(column);
  return true;
}

/// Splits a coordinate of all items it can; each of the others is compared with all.
POP_INLINE bool OverlapFinder::splitAndSearch(SplitItems items, std::size_t coordinate) {
  std::int64_t const modulus = modulusFor(items, coordinate);
  std::vector<SplitItem> done;
  std::vector<SplitItem const *> whole,
      odd; // `whole`: those done, by their coordinates before the split
  for (SplitItem const &item : items) {
    done.push_back(item);
    if (split(done.back(), coordinate, modulus)) {
      whole.push_back(&item);
    } else {
      done.pop_back();
      odd.push_back(&item);
    }
  }
  for (SplitItem const *item : odd) {
    for (SplitItem const *other : whole)
      if (compared(*item->item, *other->item) && meet(*item, *other))
        return true;
    whole.push_back(item); // compares the odd ones among each other once
  }
  return anyInCluster(done, 0);
}

} // namespace cottonwood::graph
