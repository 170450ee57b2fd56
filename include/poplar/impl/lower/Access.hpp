// One strided block of elements that a vertex field touches, for exact overlap tests.
#pragma once

#include <poplar/impl/base/SmallVector.hpp>
#include <poplar/impl/graph/GraphData.hpp>

#include <cstdint>
#include <vector>

namespace cottonwood::lower {

/// The elements { lo + sum of i_d * dim[d].stride : 0 <= i_d < dim[d].count } of a variable.
/// Strides are positive and ascend; a dim of stride 0 (a broadcast) is kept only in `repeats`.
struct ElementSet {
  struct Dim {
    std::uint64_t count, stride;
  };
  graph::VarId var = 0;
  std::uint64_t lo = 0, hi = 0; ///< hull: all elements lie in [lo, hi)
  base::SmallVector<Dim, 4> dims;
  bool repeats = false; ///< some element may occur twice

  static ElementSet of(graph::Run const &run) {
    ElementSet set;
    set.var = run.var;
    set.lo = run.begin;
    set.hi = run.begin + run.size;
    set.dims.push_back({run.size, 1});
    return set;
  }
  static ElementSet of(graph::StridedBlock const &block);

  /// Every element of the hull occurs exactly once.
  bool isRun() const { return !repeats && dims.size() == 1 && dims[0].stride == 1; }

  /// Whether the element occurs. O(dims), or O(elements) if the strides interleave.
  bool contains(std::uint64_t element) const;

  /// f(begin, end) for every innermost row, in no particular order; stops when f returns false.
  template <class F> bool forEachRow(F &&f) const { return rows(dims.size(), lo, f); }

private:
  template <class F> bool rows(std::size_t level, std::uint64_t base, F &&f) const;
};

template <class F> bool ElementSet::rows(std::size_t level, std::uint64_t base, F &&f) const {
  if (level == 0)
    return f(base, base + 1);
  Dim const dim = dims[level - 1];
  if (level == 1 && dim.stride == 1)
    return f(base, base + dim.count);
  for (std::uint64_t i = 0; i < dim.count; ++i)
    if (!rows(level - 1, base + i * dim.stride, f))
      return false;
  return true;
}

/// f(ElementSet) for every block of a region. Elements that occur more than once count as often if
/// `repeats` is set.
template <class F> void forEachSet(graph::Region const &region, bool repeats, F &&f) {
  if (!region.view) {
    if (region.run.size != 0)
      f(ElementSet::of(region.run));
    return;
  }
  auto const block = [&](graph::StridedBlock const &from) { f(ElementSet::of(from)); };
  if (!repeats) {
    region.view->forEachBlockUnordered(block);
    return;
  }
  std::vector<ElementSet> sets;
  bool const complete = region.view->forEachBlockUnordered(
      [&](graph::StridedBlock const &from) { sets.push_back(ElementSet::of(from)); });
  if (!complete)
    return region.view->forEachBlock(block);
  for (ElementSet &set : sets)
    f(std::move(set));
}

} // namespace cottonwood::lower
