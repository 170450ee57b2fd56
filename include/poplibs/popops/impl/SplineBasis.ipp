#pragma once

#include <popops/SplineBasis.hpp>
#include <popops/impl/Partition.hpp>
#include <popops/impl/SplineChecks.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/impl/CheckWriteable.hpp>

#include <codelets/popops/SplineBasisKernel.hpp>

namespace cottonwood::popops::detail {

/// \returns  S, the number of splines.
POP_INLINE std::size_t checkSplineBasis(Tensor const &pseudo, Tensor const &kernelSize,
                                        Tensor const &isOpenSpline, Tensor const &basis,
                                        Tensor const &weightIndex, unsigned degree) {
  char const *const where = "popops::splineBasis";
  checkSplineFloating(where, "pseudo", pseudo, 2);
  checkSplineTensor(where, "kernelSize", kernelSize, ::poplar::INT, 1);
  checkSplineTensor(where, "isOpenSpline", isOpenSpline, ::poplar::UNSIGNED_CHAR, 1);
  checkSplineTensor(where, "basis", basis, pseudo.elementType(), 2);
  checkSplineTensor(where, "weightIndex", weightIndex, ::poplar::INT, 2);
  if (degree < 1 || degree > 3)
    base::fail<::poputil::poplibs_error>(where, "'degree' is ", degree, "; allowed: 1, 2, 3");
  std::size_t const edges = pseudo.dim(0), dims = pseudo.dim(1);
  if (dims > kernels::SPLINE_DIMS)
    base::fail<::poputil::poplibs_error>(
        where, "'pseudo' has shape ", base::shapeText(pseudo.shape()),
        "; its second dimension must be at most ", kernels::SPLINE_DIMS);
  std::size_t splines = 1;
  for (std::size_t d = 0; d != dims; ++d)
    splines *= degree + 1;
  checkSplineShape(where, "kernelSize", kernelSize, {dims});
  checkSplineShape(where, "isOpenSpline", isOpenSpline, {dims});
  checkSplineShape(where, "basis", basis, {edges, splines});
  checkSplineShape(where, "weightIndex", weightIndex, {edges, splines});
  poputil::checkWriteable(where, "'basis'", basis);
  poputil::checkWriteable(where, "'weightIndex'", weightIndex);
  return splines;
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE void splineBasis(poplar::Graph &graph, poplar::Tensor const &pseudo,
                            poplar::Tensor const &kernelSize, poplar::Tensor const &isOpenSpline,
                            poplar::Tensor const &basis, poplar::Tensor const &weightIndex,
                            unsigned degree, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext) {
  std::size_t const splines = cottonwood::popops::detail::checkSplineBasis(
      pseudo, kernelSize, isOpenSpline, basis, weightIndex, degree);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "splineBasis");
  if (basis.numElements() == 0)
    return;
  double const rowCycles = static_cast<double>(splines * (4 + 4 * pseudo.dim(1)));
  auto const cs = graph.addComputeSet({di});
  std::string const name = poputil::templateVertex("popops::SplineBasis", pseudo.elementType());
  for (auto const &share : cottonwood::popops::rowSharesOf(graph, basis, rowCycles)) {
    auto const &rows = share.intervals.front();
    auto const v = graph.addVertex(cs, name,
                                   {{"pseudo", pseudo.slice(rows).flatten()},
                                    {"kernelSize", kernelSize},
                                    {"isOpen", isOpenSpline},
                                    {"basis", basis.slice(rows).flatten()},
                                    {"weightIndex", weightIndex.slice(rows).flatten()}});
    graph.setInitialValue(v["dims"], static_cast<unsigned>(pseudo.dim(1)));
    graph.setInitialValue(v["degree"], degree);
    graph.setInitialValue(v["numSplines"], static_cast<unsigned>(splines));
    graph.setTileMapping(v, share.tile);
  }
  prog.add(poplar::program::Execute(cs, {di}));
}

} // namespace popops
