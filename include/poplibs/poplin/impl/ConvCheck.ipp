#pragma once

#include <codelets/poplin/ConvGeometry.hpp>
#include <poplin/impl/CheckWritten.hpp>
#include <poplin/impl/ConvCheck.hpp>
#include <poplin/impl/ConvMeeting.hpp>
#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/View.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

inline constexpr std::size_t CONV_MAX_FIELD_DIMS = kernels::CONV_MAX_DIMS - 3;

POP_INLINE planner::ConvFieldDim convFieldDim(::poplin::ConvParams const &params, unsigned d) {
  return {params.getOutputSize(d), params.getTruncatedKernelSize(d),
          params.getTruncatedInputSize(d), ConvMeeting(params, d).products()};
}

} // namespace detail

POP_INLINE bool ConvCheck::isEmpty() const {
  auto const shape = outShape();
  return std::find(shape.begin(), shape.end(), 0U) != shape.end();
}

POP_INLINE bool ConvCheck::isTrivial() const {
  bool products = params.inputChannelsPerConvGroup != 0;
  for (unsigned d = 0; d != params.getNumFieldDims(); ++d)
    products =
        products && params.getTruncatedKernelSize(d) != 0 && params.getTruncatedInputSize(d) != 0;
  return !products || isEmpty();
}

POP_INLINE std::vector<std::size_t> ConvCheck::inShape() const {
  std::vector<std::size_t> shape{params.batchSize, params.getNumInputChans()};
  shape.insert(shape.end(), params.inputFieldShape.begin(), params.inputFieldShape.end());
  return shape;
}

POP_INLINE std::vector<std::size_t> ConvCheck::outShape() const {
  std::vector<std::size_t> shape{params.batchSize, params.getNumOutputChans()};
  auto const field = params.getOutputFieldShape();
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

POP_INLINE std::vector<std::size_t> ConvCheck::weightsShape(bool exchanged) const {
  std::vector<std::size_t> shape{params.numConvGroups, params.outputChannelsPerConvGroup,
                                 params.inputChannelsPerConvGroup};
  if (exchanged)
    std::swap(shape[1], shape[2]);
  shape.insert(shape.end(), params.kernelShape.begin(), params.kernelShape.end());
  return shape;
}

namespace detail {

POP_INLINE ConvCheck checkConvOf(char const *where, ::poplin::ConvParams const &params,
                                 planner::MatMulType input) {
  checkProductTypes(where, "input and weights", params.inputType, "the output", params.outputType);
  ConvCheck check;
  check.problem.input = input;
  check.problem.output = plannerType(params.outputType);
  check.params = params.canonicalize();
  std::size_t const dims = params.getNumFieldDims();
  if (dims > detail::CONV_MAX_FIELD_DIMS)
    base::fail<::poputil::poplibs_error>(where, "the field has ", dims, " dimensions; it may have ",
                                         detail::CONV_MAX_FIELD_DIMS);
  planner::ConvProblem &p = check.problem;
  p.g = params.numConvGroups, p.b = params.batchSize;
  p.n = params.outputChannelsPerConvGroup, p.i = params.inputChannelsPerConvGroup;
  for (unsigned d = 0; d != dims; ++d) {
    auto const dim = detail::convFieldDim(check.params, d);
    planner::ConvFieldDim &to = d < 2 ? p.field[d] : p.rest;
    to.outputs *= dim.outputs, to.taps *= dim.taps, to.inputs *= dim.inputs;
    to.products *= dim.products;
    p.lastOutputs = dim.outputs, p.lastTaps = dim.taps;
  }
  return check;
}

} // namespace detail

POP_INLINE ConvCheck checkConv(char const *where, ::poplin::ConvParams const &params) {
  if (params.inputType == ::poplar::QUARTER)
    base::fail<::poputil::poplibs_error>(where, "the type of input and weights is ",
                                         params.inputType, "; it must be float or half");
  return detail::checkConvOf(where, params, plannerType(params.inputType));
}

POP_INLINE ConvCheck checkConv(char const *where, ::poplin::ConvParams const &params,
                               ::poplar::Target const &target) {
  return detail::checkConvOf(where, params, operandType(target, params.inputType));
}

POP_INLINE void checkConvTensor(char const *where, Tensor const &t, char const *name,
                                ::poplar::Type const &type, std::vector<std::size_t> const &shape,
                                char const *dims, Tensor const *other) {
  using ::poputil::poplibs_error;
  if (!t.valid())
    base::fail<poplibs_error>(where, "'", name, "' is an invalid tensor");
  if (t.elementType() != type)
    base::fail<poplibs_error>(where, "'", name, "' is of type ", t.elementType(),
                              ", but the params say ", type);
  if (t.shape() != shape)
    base::fail<poplibs_error>(where, "'", name, "' has shape ", base::shapeText(t.shape()),
                              ", but the params say ", base::shapeText(shape), ": ", dims);
  if (other && other->valid() && graph::viewOf(*other).graph() != graph::viewOf(t).graph())
    base::fail<poplibs_error>(where, "'", name,
                              "' and another operand are tensors of different graphs");
}

POP_INLINE void checkConvOperands(char const *where, ConvCheck const &check, Tensor const &in,
                                  Tensor const &weights, bool transposeAndFlip) {
  checkConvTensor(where, in, "in", check.params.inputType, check.inShape(),
                  "[batch, input channels, ...field]");
  checkConvTensor(where, weights, "weights", check.params.inputType,
                  check.weightsShape(transposeAndFlip),
                  transposeAndFlip ? "[groups, input channels, output channels, ...kernel]"
                                   : "[groups, output channels, input channels, ...kernel]",
                  &in);
}

POP_INLINE void checkConvOutput(char const *where, ConvCheck const &check, Tensor const &out) {
  checkConvTensor(where, out, "out", check.params.outputType, check.outShape(),
                  "[batch, output channels, ...field]");
  checkWritten(where, out, "out");
}

POP_INLINE void checkConvScale(char const *where, Tensor const &scale) {
  if (!scale.valid())
    base::fail<::poputil::poplibs_error>(where, "'scale' is an invalid tensor");
  if (scale.numElements() != 1)
    base::fail<::poputil::poplibs_error>(
        where, "'scale' has shape ", base::shapeText(scale.shape()), "; it must have one element");
  if (scale.elementType() != ::poplar::FLOAT && scale.elementType() != ::poplar::HALF)
    base::fail<::poputil::poplibs_error>(where, "'scale' is of type ", scale.elementType(),
                                         "; it must be float or half");
}

POP_INLINE Tensor convActivations(Tensor const &t, std::size_t groups) {
  std::size_t const channels = groups == 0 ? 0 : t.dim(1) / groups;
  Tensor const split = t.reshapePartial(1, 2, {groups, channels});
  std::vector<unsigned> order{1, 0};
  for (unsigned d = 3; d < split.rank(); ++d)
    order.push_back(d);
  order.push_back(2);
  return split.dimShuffle(order);
}

POP_INLINE Tensor fieldMatrices(Tensor const &t, std::size_t parts) {
  std::size_t const channels = t.dim(t.rank() - 1), matrices = t.dim(0) * parts;
  return t.reshape({matrices, t.numElements() / matrices / channels, channels});
}

POP_INLINE Tensor convRows(Tensor const &t, std::size_t groups) {
  Tensor const split = convActivations(t, groups); // [G, N, ...field, C]
  std::vector<unsigned> order;
  for (unsigned d = 1; d + 1 < split.rank(); ++d)
    order.push_back(d);
  order.push_back(0);
  order.push_back(split.rank() - 1);
  return split.dimShuffle(order);
}

POP_INLINE Tensor convWeights(Tensor const &t, bool transposeAndFlip) {
  Tensor weights = t;
  std::vector<unsigned> order{0, transposeAndFlip ? 2U : 1U};
  for (unsigned d = 3; d < t.rank(); ++d) {
    order.push_back(d);
    if (transposeAndFlip)
      weights = weights.reverse(d);
  }
  order.push_back(transposeAndFlip ? 1U : 2U);
  return weights.dimShuffle(order);
}

} // namespace cottonwood::poplin
