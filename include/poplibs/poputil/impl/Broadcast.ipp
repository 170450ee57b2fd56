#pragma once

#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/BroadcastShape.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::poputil::detail {

POP_INLINE void addLeadingDims(::poplar::Tensor &t, std::size_t rank) {
  if (t.rank() < rank)
    t = t.expand(Shape(rank - t.rank(), 0));
}

POP_INLINE Shape commonShapeOrThrow(Shape const &a, Shape const &b) {
  auto shape = commonShape(a, b);
  if (!shape)
    base::fail<::poputil::poplibs_error>(
        "poputil::broadcastToMatch", "shapes ", base::shapeText(a), " and ", base::shapeText(b),
        " do not fit; dimensions, counted from the last, must be ", "equal or one of them 1");
  return *shape;
}

} // namespace cottonwood::poputil::detail

namespace poputil {

POP_INLINE void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b) {
  cottonwood::poputil::detail::addLeadingDims(a, b.rank());
  cottonwood::poputil::detail::addLeadingDims(b, a.rank());
}

POP_INLINE void broadcastToMatch(poplar::Tensor &a, std::vector<std::size_t> const &shape) {
  auto common = cottonwood::poputil::commonShape(a.shape(), shape);
  if (!common || *common != shape)
    cottonwood::base::fail<poplibs_error>(
        "poputil::broadcastToMatch", "shape ", cottonwood::base::shapeText(a.shape()),
        " cannot be broadcast to ", cottonwood::base::shapeText(shape),
        "; dimensions, counted from the last, must be equal or 1");
  cottonwood::poputil::detail::addLeadingDims(a, shape.size());
  for (unsigned i = 0; i != shape.size(); ++i)
    if (a.dim(i) != shape[i])
      a = a.broadcast(static_cast<unsigned>(shape[i]), i);
}

POP_INLINE void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b) {
  auto shape = cottonwood::poputil::detail::commonShapeOrThrow(a.shape(), b.shape());
  broadcastToMatch(a, shape);
  broadcastToMatch(b, shape);
}

POP_INLINE void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c) {
  namespace detail = cottonwood::poputil::detail;
  auto shape =
      detail::commonShapeOrThrow(detail::commonShapeOrThrow(a.shape(), b.shape()), c.shape());
  broadcastToMatch(a, shape);
  broadcastToMatch(b, shape);
  broadcastToMatch(c, shape);
}

POP_INLINE bool canBroadcastToMatch(poplar::Tensor const &a, poplar::Tensor const &b) {
  return cottonwood::poputil::commonShape(a.shape(), b.shape()).has_value();
}

} // namespace poputil
