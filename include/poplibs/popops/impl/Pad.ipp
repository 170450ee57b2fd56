#pragma once

#include <popops/Pad.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace cottonwood::popops::detail {

using ::poplar::Tensor;
using ::popops::padding::MappingMethod;

inline constexpr char const *PAD = "popops::pad";

/// Elements before and after those of a dimension; negative: to be taken away.
struct PadWidths {
  std::ptrdiff_t lower, upper;
};

/// Makes the padding on one side of a dimension, of the given shape. `nearest` is the slice of t
/// beside it; invalid if t has none.
using PadMaker =
    std::function<Tensor(std::vector<std::size_t> const &shape, Tensor const &nearest)>;

POP_INLINE void requireMappingMethod(MappingMethod method) {
  base::requireEnumerator<::poputil::poplibs_error>(PAD, "MappingMethod", method,
                                                    {"NONE", "ZERO", "EDGE"});
}

POP_INLINE void requirePadType(::popops::padding::Type type) {
  base::requireEnumerator<::poputil::poplibs_error>(PAD, "padding::Type", type,
                                                    {"EDGE", "REFLECT"});
}

POP_INLINE void checkPad(Tensor const &t, unsigned dim, PadWidths widths) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(PAD, "'t' is an invalid tensor");
  if (dim >= t.rank())
    base::fail<::poputil::poplibs_error>(PAD, "'dim' = ", dim, " is out of range for 't' of shape ",
                                         base::shapeText(t.shape()), "; dimensions must be below ",
                                         t.rank());
  auto const size = static_cast<std::ptrdiff_t>(t.dim(dim));
  if (widths.lower + size < 0 || widths.upper + size < 0 || widths.lower + widths.upper + size < 0)
    base::fail<::poputil::poplibs_error>(PAD, "padding of ", widths.lower, " and ", widths.upper,
                                         " in dimension ", dim, " of 't' of shape ",
                                         base::shapeText(t.shape()),
                                         " takes away more elements than there are");
}

POP_INLINE void checkPadLists(Tensor const &t, std::vector<std::ptrdiff_t> const &lower,
                              std::vector<std::ptrdiff_t> const &upper) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(PAD, "'t' is an invalid tensor");
  if (lower.size() != t.rank() || upper.size() != t.rank())
    base::fail<::poputil::poplibs_error>(
        PAD, "'paddingLower' has ", lower.size(), " elements and 'paddingUpper' ", upper.size(),
        "; for 't' of shape ", base::shapeText(t.shape()), " both must have ", t.rank());
}

POP_INLINE Tensor takeAway(Tensor const &t, unsigned dim, PadWidths widths) {
  auto const begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(-widths.lower, 0));
  auto const less = static_cast<std::size_t>(std::max<std::ptrdiff_t>(-widths.upper, 0));
  return begin + less == 0 ? t : t.slice(begin, t.dim(dim) - less, dim);
}

POP_INLINE Tensor padOne(Tensor const &t, unsigned dim, PadWidths widths, PadMaker const &make) {
  checkPad(t, dim, widths);
  std::vector<Tensor> parts;
  auto const side = [&](std::ptrdiff_t width, bool first) {
    if (width <= 0)
      return;
    auto shape = t.shape();
    std::size_t const size = shape[dim];
    shape[dim] = static_cast<std::size_t>(width);
    std::size_t const at = first || size == 0 ? 0 : size - 1;
    parts.push_back(make(shape, size == 0 ? Tensor() : t.slice(at, at + 1, dim)));
  };
  side(widths.lower, true);
  parts.push_back(takeAway(t, dim, widths));
  side(widths.upper, false);
  return parts.size() == 1 ? parts[0] : ::poplar::concat(parts, dim);
}

POP_INLINE Tensor padAll(Tensor t, std::vector<std::ptrdiff_t> const &lower,
                         std::vector<std::ptrdiff_t> const &upper,
                         std::function<Tensor(Tensor const &, unsigned, PadWidths)> const &one) {
  checkPadLists(t, lower, upper);
  for (unsigned d = 0; d != lower.size(); ++d)
    t = one(t, d, {lower[d], upper[d]});
  return t;
}

POP_INLINE void mapLikeNearest(::poplar::Graph &graph, Tensor const &padding, Tensor const &nearest,
                               unsigned dim) {
  if (padding.numElements() == 0)
    return;
  if (!nearest.valid())
    base::fail<::poputil::poplibs_error>(PAD, "MappingMethod::EDGE in dimension ", dim,
                                         " of size 0; it needs a slice to take the mapping of");
  auto const mapping = graph.getTileMapping(nearest, false);
  for (std::size_t i = 0; i != padding.dim(dim); ++i)
    graph.setTileMapping(padding.slice(i, i + 1, dim), mapping);
}

template <class Value>
Tensor padConstant(::poplar::Graph &graph, Tensor const &t, unsigned dim, PadWidths widths,
                   Value value, MappingMethod method) {
  requireMappingMethod(method);
  return padOne(
      t, dim, widths, [&](std::vector<std::size_t> const &shape, Tensor const &nearest) -> Tensor {
        Tensor const padding = graph.addConstant(t.elementType(), t.getMetadata(), shape, value);
        if (method == MappingMethod::ZERO)
          graph.setTileMapping(padding, 0);
        else if (method == MappingMethod::EDGE)
          mapLikeNearest(graph, padding, nearest, dim);
        return padding;
      });
}

/// Takes away first, so that no constants are made but those of the result; with EDGE, where all
/// are mapped, in order, because their nearest slices may be taken away.
template <class Value>
Tensor padConstants(::poplar::Graph &graph, Tensor t, std::vector<std::ptrdiff_t> lower,
                    std::vector<std::ptrdiff_t> upper, Value value, MappingMethod method) {
  requireMappingMethod(method);
  checkPadLists(t, lower, upper);
  for (unsigned d = 0; d != lower.size() && method != MappingMethod::EDGE; ++d) {
    checkPad(t, d, {lower[d], upper[d]});
    t = takeAway(t, d, {lower[d], upper[d]});
    lower[d] = std::max<std::ptrdiff_t>(lower[d], 0);
    upper[d] = std::max<std::ptrdiff_t>(upper[d], 0);
  }
  return padAll(t, lower, upper, [&](Tensor const &part, unsigned dim, PadWidths widths) {
    return padConstant(graph, part, dim, widths, value, method);
  });
}

POP_INLINE void checkPadValue(Tensor const &t, Tensor const &value) {
  if (!value.valid())
    base::fail<::poputil::poplibs_error>(PAD, "'val' is an invalid tensor");
  if (value.numElements() != 1)
    base::fail<::poputil::poplibs_error>(PAD, "'val' has shape ", base::shapeText(value.shape()),
                                         "; it must have one element");
  if (t.valid() && value.elementType() != t.elementType())
    base::fail<::poputil::poplibs_error>(PAD, "'val' is of type ", value.elementType(),
                                         "; it must be that of 't', ", t.elementType());
}

POP_INLINE void mapPadValue(::poplar::Graph &graph, Tensor const &t, Tensor const &value,
                            MappingMethod method) {
  requireMappingMethod(method);
  bool isMapped = false;
  graph.getTileMapping(value, &isMapped);
  if (isMapped || method == MappingMethod::NONE)
    return;
  unsigned tile = 0;
  if (method == MappingMethod::EDGE) {
    if (t.numElements() == 0)
      base::fail<::poputil::poplibs_error>(PAD, "MappingMethod::EDGE for 't' of shape ",
                                           base::shapeText(t.shape()),
                                           "; it needs elements to take the mapping of");
    auto const mapping = graph.getTileMapping(t.flatten().slice(0, 1), false);
    for (unsigned i = 0; i != mapping.size(); ++i)
      if (!mapping[i].empty())
        tile = i;
  }
  graph.setTileMapping(value, tile);
}

POP_INLINE Tensor padWithTensor(Tensor const &t, unsigned dim, PadWidths widths,
                                Tensor const &value) {
  return padOne(t, dim, widths, [&](std::vector<std::size_t> const &shape, Tensor const &) {
    Tensor padding = value.reshape(std::vector<std::size_t>(shape.size(), 1));
    for (unsigned d = 0; d != shape.size(); ++d)
      padding = padding.broadcast(static_cast<unsigned>(shape[d]), d);
    return padding;
  });
}

/// The mirror image of `count` elements beside the edge.
POP_INLINE Tensor reflected(Tensor const &t, unsigned dim, std::size_t count, bool lower) {
  std::size_t const size = t.dim(dim);
  if (count >= size)
    base::fail<::poputil::poplibs_error>(PAD, "Type::REFLECT with ", count, " in dimension ", dim,
                                         " of 't' of shape ", base::shapeText(t.shape()),
                                         "; it must be less than the dimension");
  Tensor const part = lower ? t.slice(1, count + 1, dim) : t.slice(size - 1 - count, size - 1, dim);
  return part.reverse(dim);
}

POP_INLINE Tensor padWithOwn(Tensor const &t, unsigned dim, PadWidths widths,
                             ::popops::padding::Type type) {
  requirePadType(type);
  bool lower = widths.lower > 0; // sides are made in order
  return padOne(
      t, dim, widths, [&](std::vector<std::size_t> const &shape, Tensor const &nearest) -> Tensor {
        bool const isLower = std::exchange(lower, false);
        if (type == ::popops::padding::Type::REFLECT)
          return reflected(t, dim, shape[dim], isLower);
        if (!nearest.valid())
          base::fail<::poputil::poplibs_error>(PAD, "Type::EDGE in dimension ", dim,
                                               " of 't' of shape ", base::shapeText(t.shape()),
                                               "; the dimension must have an element");
        return nearest.broadcast(static_cast<unsigned>(shape[dim]), dim);
      });
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                              std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
                              unsigned dim, float val, padding::MappingMethod mappingMethod) {
  return cottonwood::popops::detail::padConstant(graph, t, dim, {paddingLower, paddingUpper}, val,
                                                 mappingMethod);
}

POP_INLINE poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                              std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
                              unsigned dim, int val, padding::MappingMethod mappingMethod) {
  return cottonwood::popops::detail::padConstant(graph, t, dim, {paddingLower, paddingUpper}, val,
                                                 mappingMethod);
}

POP_INLINE poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                              std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
                              unsigned dim, poplar::Tensor const &val,
                              padding::MappingMethod mappingMethod) {
  namespace detail = cottonwood::popops::detail;
  detail::checkPad(t, dim, {paddingLower, paddingUpper});
  detail::checkPadValue(t, val);
  detail::mapPadValue(graph, t, val, mappingMethod);
  return detail::padWithTensor(t, dim, {paddingLower, paddingUpper}, val);
}

POP_INLINE poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                              std::vector<std::ptrdiff_t> const &paddingLower,
                              std::vector<std::ptrdiff_t> const &paddingUpper, float val,
                              padding::MappingMethod mappingMethod) {
  return cottonwood::popops::detail::padConstants(graph, t, paddingLower, paddingUpper, val,
                                                  mappingMethod);
}

POP_INLINE poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                              std::vector<std::ptrdiff_t> const &paddingLower,
                              std::vector<std::ptrdiff_t> const &paddingUpper, int val,
                              padding::MappingMethod mappingMethod) {
  return cottonwood::popops::detail::padConstants(graph, t, paddingLower, paddingUpper, val,
                                                  mappingMethod);
}

POP_INLINE poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                              std::vector<std::ptrdiff_t> const &paddingLower,
                              std::vector<std::ptrdiff_t> const &paddingUpper,
                              poplar::Tensor const &val, padding::MappingMethod mappingMethod) {
  namespace detail = cottonwood::popops::detail;
  detail::checkPadLists(t, paddingLower, paddingUpper);
  detail::checkPadValue(t, val);
  detail::mapPadValue(graph, t, val, mappingMethod);
  return detail::padAll(t, paddingLower, paddingUpper,
                        [&](poplar::Tensor const &part, unsigned dim, detail::PadWidths widths) {
                          return detail::padWithTensor(part, dim, widths, val);
                        });
}

POP_INLINE poplar::Tensor pad(poplar::Tensor const &t, std::ptrdiff_t paddingLower,
                              std::ptrdiff_t paddingUpper, unsigned dim, padding::Type type) {
  return cottonwood::popops::detail::padWithOwn(t, dim, {paddingLower, paddingUpper}, type);
}

POP_INLINE poplar::Tensor pad(poplar::Tensor const &t,
                              std::vector<std::ptrdiff_t> const &paddingLower,
                              std::vector<std::ptrdiff_t> const &paddingUpper, padding::Type type) {
  namespace detail = cottonwood::popops::detail;
  detail::requirePadType(type);
  return detail::padAll(t, paddingLower, paddingUpper,
                        [&](poplar::Tensor const &part, unsigned dim, detail::PadWidths widths) {
                          return detail::padWithOwn(part, dim, widths, type);
                        });
}

} // namespace popops
