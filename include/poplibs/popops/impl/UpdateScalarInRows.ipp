#pragma once

#include <popops/UpdateScalarInRows.hpp>
#include <popops/impl/Positions.hpp>
#include <popops/impl/ScalarInRows.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/impl/CheckWriteable.hpp>

namespace popops {

POP_INLINE void updateScalarInRows(poplar::Graph &graph, poplar::Tensor const &params,
                                   poplar::Tensor const &indices,
                                   poplar::program::Sequence &program,
                                   poplar::DebugContext const &debugContext) {
  char const *const where = "popops::updateScalarInRows";
  cottonwood::popops::detail::checkScalarInRows(where, params, indices);
  cottonwood::poputil::checkWriteable(where, "'params'", params);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "updateScalarInRows");
  if (params.numElements() == 0)
    return;
  auto const shares = cottonwood::popops::positionSharesOf(graph, params);
  if (shares.empty()) {
    poplar::Tensor const twin = cottonwood::popops::addLinearTwin(graph, params, {di});
    program.add(poplar::program::Copy(params, twin, false, {di}));
    updateScalarInRows(graph, twin, indices, program, {di});
    program.add(poplar::program::Copy(twin, params, false, {di}));
    return;
  }
  auto const cs = graph.addComputeSet({di});
  std::string const name =
      poputil::templateVertex("popops::UpdateScalarInRows", params.elementType());
  poplar::Tensor const flat = params.flatten();
  for (auto const &share : shares) {
    auto const v = graph.addVertex(
        cs, name, {{"params", flat.slice(share.elements)}, {"indices", indices.slice(share.rows)}});
    graph.setInitialValue(v["columns"], static_cast<unsigned>(params.dim(1)));
    graph.setInitialValue(v["column"], share.column);
    graph.setTileMapping(v, share.tile);
  }
  program.add(poplar::program::Execute(cs, {di}));
}

} // namespace popops
