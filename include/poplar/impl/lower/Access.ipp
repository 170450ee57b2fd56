// Body of Access.hpp.
#pragma once

#include <poplar/impl/lower/Access.hpp>

#include <algorithm>

namespace cottonwood::lower {

POP_INLINE ElementSet ElementSet::of(graph::StridedBlock const &block) {
  ElementSet set;
  set.var = block.var;
  set.lo = block.offset;
  for (std::size_t d = 0; d < block.sizes.size(); ++d) {
    std::uint64_t const count = block.sizes[d];
    std::int64_t const stride = block.strides[d];
    if (count == 1)
      continue;
    if (stride == 0) {
      set.repeats = true;
      continue;
    }
    // A descending dim covers the same elements upwards from its far end.
    if (stride < 0)
      set.lo -= (count - 1) * static_cast<std::uint64_t>(-stride);
    set.dims.push_back({count, static_cast<std::uint64_t>(stride < 0 ? -stride : stride)});
  }
  std::sort(set.dims.begin(), set.dims.end(),
            [](Dim const &a, Dim const &b) { return a.stride < b.stride; });
  std::uint64_t span = 1;
  std::size_t kept = 0;
  for (Dim const dim : set.dims) {
    set.repeats = set.repeats || dim.stride < span;
    span += (dim.count - 1) * dim.stride;
    // Rows that follow one another without a gap are one longer row.
    if (kept > 0 && dim.stride == set.dims[kept - 1].count * set.dims[kept - 1].stride)
      set.dims[kept - 1].count *= dim.count;
    else
      set.dims[kept++] = dim;
  }
  set.dims.resize(kept);
  if (set.dims.empty())
    set.dims.push_back({1, 1});
  set.hi = set.lo + span;
  return set;
}

POP_INLINE bool ElementSet::contains(std::uint64_t element) const {
  if (element < lo || element >= hi)
    return false;
  if (repeats)
    return !forEachRow(
        [&](std::uint64_t begin, std::uint64_t end) { return element < begin || element >= end; });
  std::uint64_t rest = element - lo;
  for (std::size_t d = dims.size(); d-- > 0;)
    rest -= std::min(rest / dims[d].stride, dims[d].count - 1) * dims[d].stride;
  return rest == 0;
}

} // namespace cottonwood::lower
