#pragma once

#include <popops/SplineWeighting.hpp>
#include <popops/Zero.hpp>
#include <popops/impl/Partition.hpp>
#include <popops/impl/SplineChecks.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>

namespace cottonwood::popops::detail {

POP_INLINE void checkSplineWeighting(Tensor const &input, Tensor const &weight, Tensor const &basis,
                                     Tensor const &weightIndex) {
  char const *const where = "popops::splineWeighting";
  checkSplineFloating(where, "input", input, 2);
  checkSplineTensor(where, "weight", weight, input.elementType(), 3);
  checkSplineTensor(where, "basis", basis, input.elementType(), 2);
  checkSplineTensor(where, "weightIndex", weightIndex, ::poplar::INT, 2);
  checkSplineShape(where, "weight", weight, {weight.dim(0), input.dim(1), weight.dim(2)});
  checkSplineShape(where, "basis", basis, {input.dim(0), basis.dim(1)});
  checkSplineShape(where, "weightIndex", weightIndex, basis.shape());
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor splineWeighting(poplar::Graph &graph, poplar::Tensor const &input,
                                          poplar::Tensor const &weight, poplar::Tensor const &basis,
                                          poplar::Tensor const &weightIndex,
                                          poplar::program::Sequence &prog,
                                          poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkSplineWeighting(input, weight, basis, weightIndex);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "splineWeighting");
  std::size_t const edges = input.dim(0), products = basis.dim(1) * input.dim(1) * weight.dim(2);
  poplar::Tensor const out = graph.addVariable(input.elementType(), {edges, weight.dim(2)}, {di});
  if (products == 0 || weight.dim(0) == 0 || edges == 0) {
    poputil::mapTensorLinearly(graph, out);
    zero(graph, out, prog, {di});
    return out;
  }
  auto const cs = graph.addComputeSet({di});
  std::string const name = poputil::templateVertex("popops::SplineWeighting", input.elementType());
  for (auto const &share :
       cottonwood::popops::rowSharesOf(graph, input, 20 + static_cast<double>(products) / 8)) {
    auto const &rows = share.intervals.front();
    graph.setTileMapping(out.slice(rows), share.tile);
    auto const v = graph.addVertex(cs, name,
                                   {{"input", input.slice(rows).flatten()},
                                    {"weight", weight.flatten()},
                                    {"basis", basis.slice(rows).flatten()},
                                    {"weightIndex", weightIndex.slice(rows).flatten()},
                                    {"out", out.slice(rows).flatten()}});
    graph.setInitialValue(v["kernels"], static_cast<unsigned>(weight.dim(0)));
    graph.setInitialValue(v["inChannels"], static_cast<unsigned>(weight.dim(1)));
    graph.setInitialValue(v["outChannels"], static_cast<unsigned>(weight.dim(2)));
    graph.setInitialValue(v["splines"], static_cast<unsigned>(basis.dim(1)));
    graph.setTileMapping(v, share.tile);
  }
  prog.add(poplar::program::Execute(cs, {di}));
  return out;
}

} // namespace popops
