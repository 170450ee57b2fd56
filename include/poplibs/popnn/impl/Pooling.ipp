#pragma once

#include <popnn/Pooling.hpp>
#include <popnn/impl/PoolEmit.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Reduce.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/OptionReader.hpp>

#include <limits>
#include <numeric>
#include <ostream>

namespace cottonwood::popnn::detail {

using ::popnn::PoolingType;
using ::popnn::pooling::PoolParams;
using ::poputil::poplibs_error;

POP_INLINE void checkPoolParams(PoolParams const &p) {
  char const *const where = "popnn::pooling";
  base::requireEnumerator<poplibs_error>(where, "PoolingType", p.poolingType,
                                         {"MAX", "AVG", "SUM"});
  std::size_t const dims = p.inputFieldShape.size();
  if (p.kernelShape.size() != dims || p.stride.size() != dims ||
      p.inputTruncationOrPaddingLower.size() != dims ||
      p.inputTruncationOrPaddingUpper.size() != dims)
    base::fail<poplibs_error>(
        where, "Mismatched window dimensions on poplibs pool operation: inputFieldShape has ", dims,
        " dimensions, kernelShape ", p.kernelShape.size(), ", stride ", p.stride.size(),
        ", inputTruncationOrPaddingLower ", p.inputTruncationOrPaddingLower.size(), ", Upper ",
        p.inputTruncationOrPaddingUpper.size());
  for (std::size_t d = 0; d != dims; ++d) {
    if (p.kernelShape[d] == 0 || p.stride[d] == 0)
      base::fail<poplibs_error>(where, "dimension ", d, " of the field has kernel ",
                                p.kernelShape[d], " and stride ", p.stride[d],
                                "; both must be at least 1");
    std::size_t const most = std::numeric_limits<int>::max() / 4;
    if (p.kernelShape[d] > most || p.stride[d] > most || p.inputFieldShape[d] > most)
      base::fail<poplibs_error>(where, "dimension ", d, " of the field has size ",
                                p.inputFieldShape[d], ", kernel ", p.kernelShape[d], " and stride ",
                                p.stride[d], "; each must be at most ", most);
    auto const pads = static_cast<long long>(most);
    for (long long const pad :
         {p.inputTruncationOrPaddingLower[d], p.inputTruncationOrPaddingUpper[d]})
      if (pad < -pads || pad > pads)
        base::fail<poplibs_error>(where, "dimension ", d, " of the field has padding ",
                                  p.inputTruncationOrPaddingLower[d], " and ",
                                  p.inputTruncationOrPaddingUpper[d], "; both must lie between ",
                                  -pads, " and ", pads);
  }
}

/// [N, C, ...field] of the parameters' type.
POP_INLINE void checkPoolTensor(char const *where, char const *name, PoolParams const &params,
                                std::vector<std::size_t> const &field, Tensor const &t) {
  if (!t.valid())
    base::fail<poplibs_error>(where, "'", name, "' is an invalid tensor");
  if (t.rank() < 2)
    base::fail<poplibs_error>(where, "'", name, "' has shape ", base::shapeText(t.shape()),
                              "; it must have at least rank 2: [batch, channels, ...field]");
  std::vector<std::size_t> shape{params.batchSize, params.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  if (t.shape() != shape)
    base::fail<poplibs_error>(where, "'", name, "' has shape ", base::shapeText(t.shape()),
                              "; for these parameters it must be ", base::shapeText(shape));
  if (t.elementType() != ::poplar::FLOAT && t.elementType() != ::poplar::HALF)
    base::fail<poplibs_error>(where, "'", name, "' is of type ", t.elementType(),
                              "; allowed: float, half");
  if (t.elementType() != params.dType)
    base::fail<poplibs_error>(where, "'", name, "' is of type ", t.elementType(),
                              "; for these parameters it must be ", params.dType);
}

POP_INLINE void readPoolOptions(char const *where, ::poplar::OptionFlags const &options) {
  base::OptionReader reader(where, options);
  bool accepted = false;
  reader.flag("poolUseIntrospectiveMapping", accepted);
  reader.flag("optimizeForSpeed", accepted);
  reader.flag("useFloatPartialsWhereBeneficial", accepted);
  reader.finish();
}

/// Whether one window is the whole field, and nothing but it.
POP_INLINE bool poolsWholeField(PoolParams const &p) {
  auto const isZero = [](int padding) { return padding == 0; };
  return p.kernelShape == p.inputFieldShape && !p.kernelShape.empty() &&
         std::all_of(p.inputTruncationOrPaddingLower.begin(), p.inputTruncationOrPaddingLower.end(),
                     isZero) &&
         std::all_of(p.inputTruncationOrPaddingUpper.begin(), p.inputTruncationOrPaddingUpper.end(),
                     isZero);
}

POP_INLINE Tensor poolWholeField(PoolCall const &call, PoolParams const &params, Tensor const &in) {
  std::vector<std::size_t> dims(in.rank() - 2);
  std::iota(dims.begin(), dims.end(), std::size_t{2});
  ::popops::ReduceParams reduction(
      params.poolingType == PoolingType::MAX ? ::popops::Operation::MAX : ::popops::Operation::ADD);
  if (params.poolingType == PoolingType::AVG) {
    double elements = 1;
    for (std::size_t size : params.kernelShape)
      elements *= static_cast<double>(size);
    reduction.useScale = true;
    reduction.scale = call.graph.addConstant(::poplar::FLOAT, {}, static_cast<float>(1 / elements),
                                             {call.debugContext, "scale"});
    call.graph.setTileMapping(reduction.scale, 0);
  }
  Tensor const out =
      ::popops::reduce(call.graph, in, dims, reduction, call.prog, call.debugContext);
  return out.expand(std::vector<std::size_t>(dims.size(), 2));
}

/// The sum over a dimension's outputs of the elements in their windows.
POP_INLINE std::uint64_t windowElements(PoolParams const &p, std::size_t d, std::size_t outputs) {
  kernels::PoolDim dim{};
  dim.acts = static_cast<int>(p.inputFieldShape[d]);
  dim.kernel = static_cast<int>(p.kernelShape[d]);
  dim.stride = static_cast<int>(p.stride[d]);
  dim.padding = p.inputTruncationOrPaddingLower[d];
  std::uint64_t elements = 0;
  for (std::size_t i = 0; i != outputs; ++i)
    elements += static_cast<std::uint64_t>(kernels::poolWindow(dim, static_cast<int>(i)).size());
  return elements;
}

POP_INLINE std::vector<std::size_t> shapeOf(PoolParams const &params,
                                            std::vector<std::size_t> const &field) {
  std::vector<std::size_t> shape{params.batchSize, params.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

} // namespace cottonwood::popnn::detail

namespace popnn {
namespace pooling {

POP_INLINE
PoolParams::PoolParams(popnn::PoolingType poolingType_, std::vector<std::size_t> inputFieldShape_,
                       std::vector<std::size_t> kernelShape_, std::vector<unsigned> stride_,
                       std::vector<int> inputTruncationOrPaddingLower_,
                       std::vector<int> inputTruncationOrPaddingUpper_, std::size_t numChannels_,
                       std::size_t batchSize_, poplar::Type dType_)
    : poolingType(poolingType_), inputFieldShape(std::move(inputFieldShape_)),
      kernelShape(std::move(kernelShape_)), stride(std::move(stride_)),
      inputTruncationOrPaddingLower(std::move(inputTruncationOrPaddingLower_)),
      inputTruncationOrPaddingUpper(std::move(inputTruncationOrPaddingUpper_)),
      numChannels(numChannels_), batchSize(batchSize_), dType(std::move(dType_)) {}

POP_INLINE std::size_t PoolParams::getNumFieldDims() const { return inputFieldShape.size(); }

POP_INLINE std::vector<std::size_t> PoolParams::getOutputFieldShape() const {
  return pooling::getOutputFieldShape(*this);
}

POP_INLINE std::ostream &operator<<(std::ostream &o, PoolParams const &params) {
  auto const list = [&](char const *name, auto const &values) {
    o << name << " {";
    for (std::size_t i = 0; i != values.size(); ++i)
      o << (i == 0 ? "" : ",") << values[i];
    o << "}\n";
  };
  o << "Params: " << asString(params.poolingType) << "\n";
  list("inputFieldShape", params.inputFieldShape);
  list("kernelShape", params.kernelShape);
  list("stride", params.stride);
  list("inputTruncationOrPaddingLower", params.inputTruncationOrPaddingLower);
  list("inputTruncationOrPaddingUpper", params.inputTruncationOrPaddingUpper);
  return o << "numChannels " << params.numChannels << "\nbatchSize " << params.batchSize
           << "\ndType " << params.dType << "\n";
}

POP_INLINE char const *asString(PoolingType const &method) {
  switch (method) {
  case PoolingType::MAX:
    return "max";
  case PoolingType::AVG:
    return "avg";
  case PoolingType::SUM:
    return "sum";
  }
  cottonwood::base::fail<poputil::poplibs_error>(
      "popnn::pooling::asString", "method ", static_cast<int>(method), " is none of MAX, AVG, SUM");
}

POP_INLINE std::vector<std::size_t> getOutputFieldShape(PoolParams const &params) {
  cottonwood::popnn::detail::checkPoolParams(params);
  std::vector<std::size_t> shape;
  for (std::size_t d = 0; d != params.inputFieldShape.size(); ++d) {
    auto const rest = static_cast<long long>(params.inputFieldShape[d]) +
                      params.inputTruncationOrPaddingLower[d] +
                      params.inputTruncationOrPaddingUpper[d] -
                      static_cast<long long>(params.kernelShape[d]);
    shape.push_back(rest < 0 ? 0 : static_cast<std::size_t>(rest / params.stride[d]) + 1);
  }
  return shape;
}

POP_INLINE std::uint64_t getFwdFlops(PoolParams const &params) {
  auto const field = getOutputFieldShape(params);
  std::uint64_t elements = 1, outputs = 1;
  for (std::size_t d = 0; d != field.size(); ++d) {
    elements *= cottonwood::popnn::detail::windowElements(params, d, field[d]);
    outputs *= field[d];
  }
  std::uint64_t const each = elements + (params.poolingType == PoolingType::AVG ? outputs : 0);
  return each * params.batchSize * params.numChannels;
}

POP_INLINE std::uint64_t getBwdFlops(PoolParams const &params) { return getFwdFlops(params); }

POP_INLINE double getFwdPerfectCycleCount(poplar::Graph const &graph, PoolParams const &params) {
  auto const &target = graph.getTarget();
  double const lanes = target.getVectorWidth(params.dType);
  return static_cast<double>(getFwdFlops(params)) / (lanes * target.getNumTiles());
}

POP_INLINE double getBwdPerfectCycleCount(poplar::Graph const &graph, PoolParams const &params) {
  return 2 * getFwdPerfectCycleCount(graph, params);
}

POP_INLINE poplar::Tensor pool(poplar::Graph &graph, PoolParams const &params,
                               poplar::Tensor const &in, poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext,
                               poplar::OptionFlags const &options) {
  namespace impl = cottonwood::popnn;
  using cottonwood::kernels::PoolKind;
  char const *const where = "popnn::pooling::pool";
  auto const field = getOutputFieldShape(params);
  impl::detail::checkPoolTensor(where, "in", params, params.inputFieldShape, in);
  impl::detail::readPoolOptions(where, options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "pool");
  poplar::DebugContext const context(di);
  impl::PoolCall const call{graph, prog, context};
  if (in.numElements() != 0 && impl::detail::poolsWholeField(params))
    return impl::detail::poolWholeField(call, params, in);
  poplar::Tensor const out =
      impl::poolVariable(call, in, impl::detail::shapeOf(params, field), "pooled");
  impl::emitPool(call, params,
                 params.poolingType == PoolingType::MAX   ? PoolKind::MAX
                 : params.poolingType == PoolingType::AVG ? PoolKind::AVERAGE
                                                          : PoolKind::SUM,
                 in, out);
  return out;
}

POP_INLINE poplar::Tensor poolInputGradient(poplar::Graph &graph, PoolParams const &params,
                                            poplar::Tensor const &in, poplar::Tensor const &pooled,
                                            poplar::Tensor const &pooledGradient,
                                            bool useScaledGradient, poplar::program::Sequence &prog,
                                            poplar::DebugContext const &debugContext,
                                            poplar::OptionFlags const &options) {
  namespace impl = cottonwood::popnn;
  using cottonwood::kernels::PoolKind;
  char const *const where = "popnn::pooling::poolInputGradient";
  auto const field = getOutputFieldShape(params);
  impl::detail::checkPoolTensor(where, "in", params, params.inputFieldShape, in);
  impl::detail::checkPoolTensor(where, "pooled", params, field, pooled);
  impl::detail::checkPoolTensor(where, "pooledGradient", params, field, pooledGradient);
  impl::detail::readPoolOptions(where, options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "poolInputGradient");
  poplar::DebugContext const context(di);
  impl::PoolCall const call{graph, prog, context};
  poplar::Tensor const out =
      popops::createOutputForElementWiseOp(graph, {in}, in.elementType(), {context, "gradient"});
  if (params.poolingType != PoolingType::MAX) {
    impl::emitPool(call, params,
                   params.poolingType == PoolingType::AVG ? PoolKind::AVERAGE_GRADIENT
                                                          : PoolKind::SUM_GRADIENT,
                   pooledGradient, out);
    return out;
  }
  poplar::Tensor gradient = pooledGradient;
  if (useScaledGradient) {
    gradient = impl::poolVariable(call, in, pooled.shape(), "scaledGradient");
    impl::emitPoolMaxScale(call, params, in, pooled, pooledGradient, gradient);
  }
  impl::emitPoolMaxGradient(call, params, in, pooled, gradient, out);
  return out;
}

POP_INLINE poplar::Tensor poolInputGradient(poplar::Graph &graph, PoolParams const &params,
                                            unsigned const, poplar::Tensor const &pooledGradient,
                                            poplar::program::Sequence &prog,
                                            poplar::DebugContext const &debugContext,
                                            poplar::OptionFlags const &options) {
  namespace impl = cottonwood::popnn;
  using cottonwood::kernels::PoolKind;
  char const *const where = "popnn::pooling::poolInputGradient";
  if (params.poolingType == PoolingType::MAX)
    cottonwood::base::fail<poputil::poplibs_error>(
        where, "the gradient of MAX needs the input; use the form that takes 'in' and 'pooled'");
  impl::detail::checkPoolTensor(where, "pooledGradient", params, getOutputFieldShape(params),
                                pooledGradient);
  impl::detail::readPoolOptions(where, options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "poolInputGradient");
  poplar::DebugContext const context(di);
  impl::PoolCall const call{graph, prog, context};
  poplar::Tensor const out = impl::poolVariable(
      call, pooledGradient, impl::detail::shapeOf(params, params.inputFieldShape), "gradient");
  impl::emitPool(call, params,
                 params.poolingType == PoolingType::AVG ? PoolKind::AVERAGE_GRADIENT
                                                        : PoolKind::SUM_GRADIENT,
                 pooledGradient, out);
  return out;
}

} // namespace pooling
} // namespace popnn
