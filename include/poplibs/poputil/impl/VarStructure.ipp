#pragma once

#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <numeric>

namespace cottonwood::poputil::detail {

using ::poplar::Tensor;

/// The gcd of `group` and of all positions in t at which a run of memory on one tile begins or
/// ends; they are multiples of `least`.
POP_INLINE std::size_t narrowGrouping(::poplar::Graph const &graph, Tensor const &t,
                                      std::size_t group, std::size_t least) {
  auto const cut = [&](std::size_t at) {
    if (at % group != 0)
      group = std::gcd(group, at);
  };
  auto const regions = t.getVarRegions();
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < regions.size() && group != least; ++i) {
    at += regions[i].interval.size();
    bool const follows = regions[i].var == regions[i + 1].var &&
                         regions[i].interval.end() == regions[i + 1].interval.begin();
    if (!follows)
      cut(at);
  }
  if (group == least)
    return group;
  for (auto const &tile : graph.getTileMapping(t, false))
    for (auto const &interval : tile) {
      cut(interval.begin());
      cut(interval.end());
    }
  return group;
}

/// Of [..., n]: the largest length such that all aligned runs of it in all rows are contiguous and
/// on one tile.
/// \param least  a length that is known to be such; divides n.
POP_INLINE std::size_t groupingOfRows(::poplar::Graph const &graph, Tensor const &t,
                                      std::size_t least) {
  if (t.numElements() == 0)
    return 1;
  std::size_t const columns = t.dim(t.rank() - 1), rows = t.numElements() / columns;
  Tensor const matrix = t.reshape({rows, columns});
  // The last row first: with one of the first rows it mostly shows that there are no groups. Rows
  // are taken a few at first, then by the million elements, for lists of bounded length.
  std::size_t const most = std::max<std::size_t>(1, (std::size_t(1) << 20) / columns);
  std::size_t group = narrowGrouping(graph, matrix[rows - 1], columns, least);
  for (std::size_t begin = 0, n = 1; begin + 1 < rows && group != least; begin += n, n *= 8) {
    n = std::min({n, most, rows - 1 - begin});
    group = narrowGrouping(graph, matrix.slice(begin, begin + n).flatten(), group, least);
  }
  return group;
}

POP_INLINE void checkPartitions(char const *where, std::vector<std::size_t> const &shape,
                                std::vector<std::size_t> const &nPartitions) {
  if (shape.size() != nPartitions.size())
    base::fail<::poputil::poplibs_error>(where, "'nPartitions' has ", nPartitions.size(),
                                         " elements; for the shape ", base::shapeText(shape),
                                         " it must have ", shape.size());
  for (std::size_t parts : nPartitions)
    if (parts == 0)
      base::fail<::poputil::poplibs_error>(where, "'nPartitions' is ", base::shapeText(nPartitions),
                                           "; no number may be 0");
}

/// Part `index` of n elements.
POP_INLINE ::poplar::Interval partitionOf(std::size_t n, std::size_t parts, std::size_t index) {
  std::size_t const each = ceilDiv(n, parts);
  return {std::min(index * each, n), std::min((index + 1) * each, n)};
}

/// The partitions within `sizes`, of which dimensions below `dim` are one partition's; takes their
/// elements from the front of `flat`.
POP_INLINE Tensor assemblePartitions(Tensor const &flat, std::size_t &taken,
                                     std::vector<std::size_t> &sizes,
                                     std::vector<std::size_t> const &nPartitions, unsigned dim) {
  if (dim == sizes.size()) {
    std::size_t const n =
        std::accumulate(sizes.begin(), sizes.end(), std::size_t(1), std::multiplies<>());
    taken += n;
    return flat.slice(taken - n, taken).reshape(sizes);
  }
  std::size_t const whole = sizes[dim];
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i != nPartitions[dim]; ++i) {
    sizes[dim] = partitionOf(whole, nPartitions[dim], i).size();
    if (sizes[dim] != 0 || i == 0)
      parts.push_back(assemblePartitions(flat, taken, sizes, nPartitions, dim + 1));
  }
  sizes[dim] = whole;
  return ::poplar::concat(parts, dim);
}

} // namespace cottonwood::poputil::detail

namespace poputil {

POP_INLINE unsigned detectInnermostGrouping(poplar::Graph const &graph, poplar::Tensor const &t) {
  if (t.rank() == 0)
    cottonwood::base::fail<poplibs_error>("poputil::detectInnermostGrouping",
                                          "'t' has rank 0; it must have a dimension");
  return static_cast<unsigned>(cottonwood::poputil::detail::groupingOfRows(graph, t, 1));
}

POP_INLINE std::vector<GroupingInfo> detectDimGroupings(poplar::Graph const &graph,
                                                        poplar::Tensor const &t) {
  std::vector<GroupingInfo> groupings;
  if (t.numElements() == 0)
    return groupings;
  // Dimension i of t, less what is in groups already, is dimension i of `rest`, whose last one
  // runs over the elements of a group.
  poplar::Tensor rest = t.expand({t.rank()});
  for (bool found = true; found;) {
    found = false;
    std::size_t const inGroup = rest.dim(t.rank());
    for (unsigned d = t.rank(); d-- != 0 && !found;) {
      if (rest.dim(d) == 1)
        continue;
      poplar::Tensor const beside = rest.dimRoll(d, t.rank() - 1);
      std::size_t const group = cottonwood::poputil::detail::groupingOfRows(
                                    graph, beside.flatten(t.rank() - 1, t.rank() + 1), inGroup) /
                                inGroup;
      if (group < 2)
        continue;
      groupings.emplace_back(d, static_cast<unsigned>(group));
      // The group's elements join the last dimension.
      auto const split =
          beside.reshapePartial(t.rank() - 1, t.rank() + 1, {rest.dim(d) / group, group * inGroup});
      rest = split.dimRoll(t.rank() - 1, d);
      found = true;
    }
  }
  return groupings;
}

POP_INLINE poplar::Tensor createPartitionableTensor(poplar::Graph &graph, poplar::Type const &type,
                                                    std::vector<std::size_t> const &shape,
                                                    std::vector<std::size_t> const &nPartitions,
                                                    poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::poputil::detail;
  detail::checkPartitions("poputil::createPartitionableTensor", shape, nPartitions);
  std::size_t const n =
      std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
  poplar::Tensor const flat = graph.addVariable(type, {n}, debugContext);
  if (n == 0)
    return flat.reshape(shape);
  std::size_t taken = 0;
  auto sizes = shape;
  return detail::assemblePartitions(flat, taken, sizes, nPartitions, 0);
}

POP_INLINE void iterateTensorPartitions(
    poplar::Tensor const &t, std::vector<std::size_t> const &nPartitions,
    std::function<void(std::vector<std::size_t> const &i, poplar::Tensor const &s)> const &f) {
  namespace detail = cottonwood::poputil::detail;
  char const *const where = "poputil::iterateTensorPartitions";
  detail::checkPartitions(where, t.shape(), nPartitions);
  if (!f)
    cottonwood::base::fail<poplibs_error>(where,
                                          "'f' is empty; it must be a function of a partition");
  std::vector<std::size_t> indices(nPartitions.size(), 0);
  for (;;) {
    poplar::Tensor slice = t;
    for (unsigned d = 0; d != indices.size(); ++d)
      slice = slice.slice(detail::partitionOf(t.dim(d), nPartitions[d], indices[d]), d);
    f(indices, slice);
    std::size_t d = indices.size();
    while (d != 0 && ++indices[d - 1] == nPartitions[d - 1])
      indices[--d] = 0;
    if (d == 0)
      return;
  }
}

} // namespace poputil
