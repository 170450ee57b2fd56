#pragma once

#include <poplin/MeshGrid.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

#include <limits>

namespace poplin {

POP_INLINE poplar::Tensor linspace(poplar::Graph &graph, poplar::Type const &type, float left,
                                   float right, std::size_t count,
                                   poplar::DebugContext const &debugContext) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    cottonwood::base::fail<poplar::poplar_error>("poplin::linspace", "type is ", type,
                                                 "; allowed: float, half");
  if (count > std::numeric_limits<unsigned>::max())
    cottonwood::base::fail<poplar::poplar_error>("poplin::linspace", "count is ", count,
                                                 "; it must be at most 4294967295");
  std::vector<float> values(count);
  float const step = count > 1 ? (right - left) / static_cast<float>(count - 1) : 0.f;
  float next = left;
  for (float &value : values) {
    value = next;
    next += step;
  }
  poplar::Tensor const t = graph.addConstant(type, {count}, values.data(), debugContext);
  graph.setTileMapping(t, 0);
  return t;
}

POP_INLINE std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &, poplar::Tensor x,
                                                  poplar::Tensor y) {
  namespace base = cottonwood::base;
  char const *const where = "poplin::meshgrid2d";
  for (poplar::Tensor const *t : {&x, &y})
    if (!t->valid() || t->rank() != 1)
      base::fail<poplar::poplar_error>(where, "'", t == &x ? "x" : "y", "' ",
                                       t->valid() ? "has shape " + base::shapeText(t->shape())
                                                  : std::string("is an invalid tensor"),
                                       "; it must have rank 1");
  if (x.elementType() != y.elementType())
    base::fail<poplar::poplar_error>(where, "'x' is of type ", x.elementType(), ", 'y' of type ",
                                     y.elementType(), "; they must be equal");
  auto const nx = static_cast<unsigned>(x.numElements());
  auto const ny = static_cast<unsigned>(y.numElements());
  return {x.expand({0}).broadcast(ny, 0), y.expand({1}).broadcast(nx, 1)};
}

} // namespace poplin
