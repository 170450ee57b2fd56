#pragma once

#include <popops/SelectScalarFromRows.hpp>
#include <popops/impl/Partition.hpp>
#include <popops/impl/ScalarInRows.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>

namespace popops {

POP_INLINE poplar::Tensor selectScalarFromRows(poplar::Graph &graph, poplar::Tensor const &params,
                                               poplar::Tensor const &indices,
                                               poplar::program::Sequence &prog,
                                               poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkScalarInRows("popops::selectScalarFromRows", params, indices);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "selectScalarFromRows");
  poplar::Tensor const out = graph.addVariable(params.elementType(), {params.dim(0)}, {di});
  // Rows of 0 elements have no tile to work on: a column of zeros gets the masked ones right, but
  // the others must be NaN.
  poplar::Tensor matrix = params;
  if (params.dim(1) == 0) {
    poplar::Tensor const zero = graph.addConstant(params.elementType(), {1, 1}, 0.f, {di});
    graph.setTileMapping(zero, 0);
    matrix = zero.broadcast(static_cast<unsigned>(params.dim(0)), 0);
  }
  constexpr double ROW_CYCLES = 8;
  auto const cs = graph.addComputeSet({di});
  std::string const name =
      poputil::templateVertex("popops::SelectScalarFromRows", params.elementType());
  for (auto const &share : cottonwood::popops::rowSharesOf(graph, matrix, ROW_CYCLES)) {
    auto const &rows = share.intervals.front();
    graph.setTileMapping(out.slice(rows), share.tile);
    auto const v = graph.addVertex(cs, name,
                                   {{"params", matrix.slice(rows).flatten()},
                                    {"indices", indices.slice(rows)},
                                    {"out", out.slice(rows)}});
    graph.setInitialValue(v["columns"], static_cast<unsigned>(params.dim(1)));
    graph.setTileMapping(v, share.tile);
  }
  prog.add(poplar::program::Execute(cs, {di}));
  return out;
}

} // namespace popops
