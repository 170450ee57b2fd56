#pragma once

#include <poplin/Convolution.hpp>
#include <poplin/impl/CheckWritten.hpp>
#include <poplin/impl/ConvCheck.hpp>
#include <poplin/impl/ConvOptions.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::poplin::detail {

POP_INLINE void checkConvActivations(char const *where, ::poplar::Tensor const &t,
                                     char const *name) {
  using ::poputil::poplibs_error;
  if (!t.valid())
    base::fail<poplibs_error>(where, "'", name, "' is an invalid tensor");
  if (t.rank() < 2)
    base::fail<poplibs_error>(where, "'", name, "' has shape ", base::shapeText(t.shape()),
                              " of rank ", t.rank(),
                              "; it must have at least rank 2: [batch, channels, ...field]");
}

/// Activations and biases that belong to one another.
POP_INLINE void checkConvBiases(char const *where, ::poplar::Tensor const &acts, char const *name,
                                ::poplar::Tensor const &biases) {
  using ::poputil::poplibs_error;
  checkConvActivations(where, acts, name);
  if (!biases.valid())
    base::fail<poplibs_error>(where, "'biases' is an invalid tensor");
  if (biases.rank() != 1 || biases.dim(0) != acts.dim(1))
    base::fail<poplibs_error>(where, "'biases' has shape ", base::shapeText(biases.shape()),
                              "; for '", name, "' of shape ", base::shapeText(acts.shape()),
                              " it must be [", acts.dim(1), "]");
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE poplar::Tensor createBiases(poplar::Graph &graph, poplar::Tensor const &activations,
                                       poplar::DebugContext const &debugContext) {
  cottonwood::poplin::detail::checkConvActivations("poplin::createBiases", activations,
                                                   "activations");
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createBiases");
  poplar::Tensor const biases =
      graph.addVariable(activations.elementType(), {activations.dim(1)}, {di});
  poputil::mapTensorLinearly(graph, biases);
  return biases;
}

POP_INLINE poplar::Tensor createBiases(poplar::Graph &graph, poplar::Tensor const &activations,
                                       ConvParams const &params,
                                       poplar::DebugContext const &debugContext,
                                       poplar::OptionFlags const &options, PlanningCache *) {
  params.validate();
  cottonwood::poplin::readConvOptions("poplin::createBiases", options);
  return createBiases(graph, activations, debugContext);
}

POP_INLINE void addBias(poplar::Graph &graph, poplar::Tensor const &in,
                        poplar::Tensor const &biases, poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext) {
  char const *const where = "poplin::addBias";
  cottonwood::poplin::detail::checkConvBiases(where, in, "in", biases);
  if (biases.elementType() != in.elementType())
    cottonwood::base::fail<poputil::poplibs_error>(where, "'biases' is of type ",
                                                   biases.elementType(), ", 'in' of type ",
                                                   in.elementType(), "; they must be equal");
  cottonwood::poplin::checkWritten(where, in, "in");
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "addBias");
  // Channels last, as convolutions lay out their results: biases then repeat along memory.
  popops::addInPlace(graph, in.dimRoll(1, in.rank() - 1), biases, prog, {di});
}

POP_INLINE void convolutionBiasUpdate(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                      poplar::Tensor const &biases, poplar::Tensor const &scale,
                                      poplar::OptionFlags const &options,
                                      poplar::program::Sequence &prog,
                                      poplar::DebugContext const &debugContext) {
  char const *const where = "poplin::convolutionBiasUpdate";
  cottonwood::poplin::detail::checkConvBiases(where, zDeltas, "zDeltas", biases);
  for (auto const &[name, t] : {std::pair("zDeltas", &zDeltas), std::pair("biases", &biases)})
    if (t->elementType() != poplar::FLOAT && t->elementType() != poplar::HALF)
      cottonwood::base::fail<poputil::poplibs_error>(where, "'", name, "' is of type ",
                                                     t->elementType(), "; allowed: float, half");
  cottonwood::poplin::checkWritten(where, biases, "biases");
  if (scale.valid() && scale.elementType() != poplar::FLOAT)
    cottonwood::base::fail<poputil::poplibs_error>(where, "'scale' is of type ",
                                                   scale.elementType(), "; it must be float");
  cottonwood::poplin::checkConvScale(where, scale);
  cottonwood::poplin::readConvOptions(where, options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "convolutionBiasUpdate");
  // Channels last, as convolutions lay out their results.
  poplar::Tensor const rows = zDeltas.dimRoll(1, zDeltas.rank() - 1);
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d + 1 < rows.rank(); ++d)
    dims.push_back(d);
  popops::reduceWithOutput(graph, rows, biases, dims, {popops::Operation::ADD, true, scale}, prog,
                           {di});
}

POP_INLINE void convolutionBiasUpdate(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                      poplar::Tensor const &biases, float scale,
                                      poplar::OptionFlags const &options,
                                      poplar::program::Sequence &prog,
                                      poplar::DebugContext const &debugContext) {
  poplar::Tensor const constant =
      graph.addConstant(poplar::FLOAT, {1}, scale, {debugContext, "scale"});
  graph.setTileMapping(constant, 0);
  convolutionBiasUpdate(graph, zDeltas, biases, constant, options, prog, debugContext);
}

} // namespace poplin
