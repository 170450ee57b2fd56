#pragma once

#include <poplin/MatMul.hpp>
#include <poplin/MeshGrid.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/DebugInfo.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popnn::detail {

POP_INLINE void checkFields(::poplar::Tensor const &fields) {
  char const *const where = "popnn::spatialSoftMax2D";
  using ::poplar::poplar_error;
  if (!fields.valid())
    base::fail<poplar_error>(where, "'fields' is an invalid tensor");
  if (fields.rank() != 3)
    base::fail<poplar_error>(where, "'fields' has shape ", base::shapeText(fields.shape()),
                             "; it must have rank 3: [fields, height, width]");
  auto const type = fields.elementType();
  if (type != ::poplar::FLOAT && type != ::poplar::HALF)
    base::fail<poplar_error>(where, "'fields' is of type ", type, "; allowed: float, half");
}

/// [height * width, 2]: coordinates of each place, y first.
POP_INLINE ::poplar::Tensor coordinates(::poplar::Graph &graph, ::poplar::Tensor const &fields,
                                        ::poplar::DebugContext const &debugContext) {
  auto const type = fields.elementType();
  auto const y = ::poplin::linspace(graph, type, -1.f, 1.f, fields.dim(1), {debugContext, "y"});
  auto const x = ::poplin::linspace(graph, type, -1.f, 1.f, fields.dim(2), {debugContext, "x"});
  auto const mesh = ::poplin::meshgrid2d(graph, x, y);
  return ::poplar::concat(mesh[1].flatten().expand({1}), mesh[0].flatten().expand({1}), 1);
}

} // namespace cottonwood::popnn::detail

namespace popnn {

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
spatialSoftMax2D(poplar::Graph &graph, poplar::program::Sequence &prog,
                 poplar::Tensor const &fields, float temperature, bool disableSoftmax,
                 poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  detail::checkFields(fields);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "spatialSoftMax2D");
  poplar::DebugContext const context(di);
  poplar::Tensor const scale =
      graph.addVariable(fields.elementType(), {}, {context, "temperature"});
  graph.setTileMapping(scale, 0);
  graph.setInitialValue(scale, temperature);
  poplar::Tensor const rows = popops::div(graph, fields, scale, prog, context).flatten(1, 3);
  if (!disableSoftmax && rows.numElements() != 0)
    nonLinearityInPlace(graph, NonLinearityType::SOFTMAX_STABLE, rows, prog, context);
  poplar::Tensor const grid = detail::coordinates(graph, fields, context);
  return {poplin::matMul(graph, rows, grid, prog, context), scale};
}

} // namespace popnn
