// Convolutions of pointwise kernels on CPUs as products of matrices.
#pragma once

#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvOperand.hpp>
#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulOperand.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

/// A kernel of one element in each dimension, on a CPU, with nothing that forces a plan, and groups
/// that are not vectors. Outputs may leave out inputs, but there are none beside these.
POP_INLINE bool isPointwise(::poplar::Target const &target, ConvCheck const &forward,
                            ConvOptions const &options) {
  auto const &p = forward.params;
  auto const all = [](auto const &values, auto wanted) {
    return std::all_of(values.begin(), values.end(), [&](auto v) { return v == wanted; });
  };
  auto const keepsOrder = [&](::poplin::ConvParams::InputTransform const &t) {
    return all(t.dilation, 1U) && all(t.paddingLower, 0U) && all(t.paddingUpper, 0U) &&
           all(t.flip, false);
  };
  auto const &out = p.outputTransform;
  return plansForCpu(target) && options.constraints.empty() && !convolvesChannels(forward) &&
         all(p.kernelShape, std::size_t{1}) && keepsOrder(p.inputTransform) &&
         keepsOrder(p.kernelTransform) && all(out.paddingLower, 0U) && all(out.paddingUpper, 0U);
}

/// Kernels for vectors of at most eight floats, of which those of products keep more of the inputs
/// near.
POP_INLINE bool hasShortVectors() { return isa::vectorBytes(poputil::builtinIsa()) < 64; }

/// Fewer outputs are a product with few columns, which takes longer than copies do.
inline constexpr std::size_t POINTWISE_FIELD = 256;

/// The field lies side by side, channels do not.
POP_INLINE bool isFieldLast(::poplar::Graph const &graph, Tensor const &matrices) {
  auto const strided = stridedOperand(graph, matrices);
  return strided && strided->row == 1 && strided->column != 1 && matrices.dim(2) > 1;
}

} // namespace detail

POP_INLINE Tensor pointwiseInputs(::poplin::ConvParams const &p, Tensor in) {
  auto const &t = p.inputTransform;
  auto const &out = p.outputTransform;
  for (unsigned d = 0; d != p.getNumFieldDims(); ++d) {
    std::size_t const begin = t.truncationLower[d] + out.truncationLower[d];
    std::size_t const end = in.dim(2 + d) - t.truncationUpper[d] - out.truncationUpper[d];
    in = in.slice(begin, end, 2 + d).subSample(out.stride[d], 2 + d);
  }
  return in;
}

POP_INLINE bool isProduct(::poplar::Target const &target, ConvCheck const &check,
                          ConvOptions const &options) {
  auto const &p = check.params;
  return detail::isPointwise(target, check, options) &&
         (p.inputType == ::poplar::HALF || p.getOutputFieldShape() == p.inputFieldShape ||
          detail::hasShortVectors());
}

POP_INLINE planner::MatMulProblem pointwiseProduct(ConvCheck const &check) {
  auto const &p = check.problem;
  planner::MatMulProblem problem;
  problem.g = p.g, problem.m = p.b * p.outputs(), problem.n = p.n, problem.k = p.i;
  problem.input = p.input, problem.output = p.output;
  if (p.n > kernels::MATMUL_PANEL && p.n % kernels::MATMUL_PANEL == 0)
    problem.b = planner::MatMulLayout::PANELS;
  return problem;
}

// Outputs that leave out inputs leave them out of a copy, which pays unless kernels of convolutions
// read floats in place and have few columns.
POP_INLINE bool gradientIsProduct(::poplar::Target const &target, ConvCheck const &forward,
                                  ConvOptions const &options) {
  auto const &p = forward.params;
  return detail::isPointwise(target, forward, options) &&
         (p.inputType == ::poplar::HALF || p.getOutputFieldShape() == p.inputFieldShape ||
          p.numConvGroups > 1 || p.outputChannelsPerConvGroup >= 64);
}

POP_INLINE planner::MatMulProblem gradientProduct(ConvCheck const &forward) {
  auto const &p = forward.problem;
  planner::MatMulProblem problem;
  problem.g = p.g, problem.m = p.i, problem.n = p.n, problem.k = p.b * p.outputs();
  problem.input = p.input, problem.output = p.output;
  problem.a = planner::MatMulLayout::COLUMNS;
  return problem;
}

POP_INLINE MatMulOptions productOptions(ConvOptions const &options) {
  MatMulOptions product;
  product.partials = options.partials;
  product.memoryProportion = options.memoryProportion;
  product.measure = options.measure;
  return product;
}

// [batch * field, C] by [C, O] where channels are last. With a field that lies side by side in the
// input or the result, [field, C] by [C, O] for each of the batch reads and writes columns in
// place, where the kernels of convolutions want copies with channels last. They want floats, too,
// while those of products read halves. Strips of columns have no strides as a left operand, which
// weights are where columns of the result are written: they are copied, or the result is, if it is
// smaller.
POP_INLINE bool emitPointwise(::poplar::Graph &graph, ConvJob const &job,
                              ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext) {
  auto const &params = job.check.params;
  if (job.epilogue || !detail::isPointwise(graph.getTarget(), job.check, job.options))
    return false;
  Tensor const in = pointwiseInputs(params, job.in);
  Tensor const out = job.out.dimRoll(job.out.rank() - 2);
  bool const fieldLast = detail::isFieldLast(graph, fieldMatrices(job.in, params.batchSize)),
             outFieldLast = detail::isFieldLast(graph, fieldMatrices(out, params.batchSize));
  Tensor weights = job.weights.reshape(
      {params.numConvGroups, job.weights.dim(1), params.inputChannelsPerConvGroup});
  std::size_t const outputs = job.check.problem.outputs();
  bool const copies = outFieldLast && !stridedOperand(graph, weights);
  bool const copiesResult = copies && detail::hasShortVectors() &&
                            params.batchSize * outputs < params.inputChannelsPerConvGroup;
  if (fieldLast || outFieldLast) {
    if (!copiesResult && outputs < detail::POINTWISE_FIELD)
      return false;
  } else if (!isProduct(graph.getTarget(), job.check, job.options)) {
    return false;
  }
  std::size_t const parts = !copiesResult && (fieldLast || outFieldLast) ? params.batchSize : 1;
  if (copies && !copiesResult) {
    Tensor const copy =
        graph.addVariable(weights.elementType(), {weights.dim(0), weights.dim(2), weights.dim(1)},
                          {debugContext, "weights"});
    graph.setTileMapping(copy, 0);
    prog.add(::poplar::program::Copy(weights.dimShuffle({0, 2, 1}), copy, false, debugContext));
    weights = copy.dimShuffle({0, 2, 1});
  }
  MatMulJob product;
  product.where = job.where;
  product.a = fieldMatrices(in, parts), product.out = fieldMatrices(out, parts);
  product.b = weights.dimShuffle({0, 2, 1})
                  .expand({1})
                  .broadcast(static_cast<unsigned>(parts), 1)
                  .flatten(0, 2);
  product.options = productOptions(job.options), product.cache = job.cache;
  Tensor const result = product.out;
  if (copiesResult) {
    product.out = graph.addVariable(result.elementType(), result.shape(), {debugContext, "result"});
    graph.setTileMapping(product.out, 0);
  }
  emitMatMul(graph, product, prog, debugContext);
  if (copiesResult)
    prog.add(::poplar::program::Copy(product.out, result, false, debugContext));
  return true;
}

} // namespace cottonwood::poplin
