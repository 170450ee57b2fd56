#pragma once

#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/impl/Rows.hpp>
#include <popnn/impl/SharedRows.hpp>
#include <popops/impl/MapEmit.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckMapped.hpp>
#include <poputil/impl/CheckWriteable.hpp>

#include <codelets/popnn/SoftmaxCost.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popnn::detail {

using ::popnn::NonLinearityType;
using popops::MapOp;
using popops::Term;
using ::poputil::poplibs_error;

POP_INLINE void requireType(char const *where, NonLinearityType type) {
  base::requireEnumerator<poplibs_error>(where, "NonLinearityType", type,
                                         {"SIGMOID", "HARD_SIGMOID", "RELU", "TANH", "GELU",
                                          "GELU_ERF", "SWISH", "SOFTMAX", "SOFTMAX_STABLE",
                                          "SOFTMAX_SCALED"});
}

POP_INLINE bool isSoftmax(NonLinearityType type) { return type >= NonLinearityType::SOFTMAX; }

POP_INLINE RowFunction rowFunction(NonLinearityType type) {
  return static_cast<RowFunction>(static_cast<int>(type) -
                                  static_cast<int>(NonLinearityType::SOFTMAX));
}

POP_INLINE float scalingOf(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX_SCALED ? SOFTMAX_SCALING : 1.f;
}

POP_INLINE MapOp forwardOp(NonLinearityType type) {
  static constexpr MapOp OPS[] = {MapOp::SIGMOID, MapOp::HARD_SIGMOID, MapOp::RELU, MapOp::TANH,
                                  MapOp::GELU,    MapOp::GELU_ERF,     MapOp::SWISH};
  return OPS[static_cast<unsigned>(type)];
}

POP_INLINE MapOp gradientOp(NonLinearityType type) {
  static constexpr MapOp OPS[] = {MapOp::SIGMOID_GRADIENT, MapOp::HARD_SIGMOID_GRADIENT,
                                  MapOp::RELU_GRADIENT,    MapOp::TANH_GRADIENT,
                                  MapOp::GELU_GRADIENT,    MapOp::GELU_ERF_GRADIENT,
                                  MapOp::SWISH_GRADIENT};
  return OPS[static_cast<unsigned>(type)];
}

POP_INLINE void checkData(char const *where, char const *what, Tensor const &t) {
  if (!t.valid())
    base::fail<poplibs_error>(where, "'", what, "' is an invalid tensor");
  if (t.elementType() != ::poplar::FLOAT && t.elementType() != ::poplar::HALF)
    base::fail<poplibs_error>(where, "'", what, "' is of type ", t.elementType(),
                              "; allowed: float, half");
}

POP_INLINE void checkRows(char const *where, Tensor const &t) {
  if (t.rank() == 0)
    base::fail<poplibs_error>(where,
                              "the tensor has rank 0; a softmax needs at least one dimension");
}

/// Whether several tiles share a row.
POP_INLINE bool sharesSoftmaxRows(::poplar::Graph const &graph, Tensor const &rows,
                                  RowFunction function, bool gradient) {
  return isSharingRowsBetter(graph, rows, [&](std::uint64_t whole) {
    auto const &target = graph.getTarget();
    return vertices::softmaxCycles({whole, rows.dim(1),
                                    static_cast<unsigned>(target.getTypeSize(rows.elementType())),
                                    function != RowFunction::SOFTMAX, gradient},
                                   target.getNumWorkerContexts());
  });
}

// Appends the softmax of the rows of `in` to `out`, which may be `in`.
POP_INLINE void emitSoftmax(::poplar::Graph &graph, RowFunction function, Tensor const &in,
                            Tensor const &out, ::poplar::program::Sequence &prog,
                            ::poplar::DebugContext const &debugContext) {
  Tensor const inRows = popops::asRows(in), outRows = popops::asRows(out);
  if (sharesSoftmaxRows(graph, outRows, function, false))
    return emitSharedSoftmax({graph, prog, debugContext}, function, inRows, outRows);
  bool const inPlace = in == out;
  std::string const name = ::poputil::templateVertex(
      inPlace ? "popnn::SoftmaxInPlace" : "popnn::Softmax", in.elementType());
  auto const cs = graph.addComputeSet(debugContext);
  for (popops::Share const &share :
       popops::rowSharesOf(graph, outRows, softmaxRowCycles(outRows.dim(1)))) {
    auto const v = graph.addVertex(cs, name);
    if (!inPlace)
      graph.connect(v["in"], rowsOf(inRows, share));
    graph.connect(v[inPlace ? "data" : "out"], rowsOf(outRows, share));
    graph.setInitialValue(v["length"], outRows.dim(1));
    graph.setInitialValue(v["kind"], static_cast<unsigned>(function));
    graph.setTileMapping(v, share.tile);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
}

POP_INLINE Tensor emitSoftmaxGradient(::poplar::Graph &graph, Tensor const &act,
                                      Tensor const &outGradient, ::poplar::program::Sequence &prog,
                                      ::poplar::DebugContext const &debugContext) {
  poputil::checkMapped(graph, outGradient);
  Tensor const gradient = graph.clone(outGradient, debugContext);
  Tensor const actRows = popops::asRows(act), gradRows = popops::asRows(outGradient),
               rows = popops::asRows(gradient);
  if (sharesSoftmaxRows(graph, rows, RowFunction::SOFTMAX, true)) {
    emitSharedSoftmaxGradient({graph, prog, debugContext}, actRows, gradRows, rows);
    return gradient;
  }
  auto const cs = graph.addComputeSet(debugContext);
  for (popops::Share const &share :
       popops::rowSharesOf(graph, rows, softmaxRowCycles(rows.dim(1)))) {
    auto const v =
        graph.addVertex(cs, ::poputil::templateVertex("popnn::SoftmaxGradient", act.elementType()),
                        {{"activation", rowsOf(actRows, share)},
                         {"outGradient", rowsOf(gradRows, share)},
                         {"out", rowsOf(rows, share)}});
    graph.setInitialValue(v["length"], rows.dim(1));
    graph.setTileMapping(v, share.tile);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
  return gradient;
}

POP_INLINE Term forwardTerm(NonLinearityType type, Tensor const &t) {
  return Term::makeOperation(forwardOp(type), t.elementType(),
                             {Term::makeInput(0, t.elementType())});
}

POP_INLINE Term gradientTerm(NonLinearityType type, Tensor const &act) {
  ::poplar::Type const element = act.elementType();
  return Term::makeOperation(gradientOp(type), element,
                             {Term::makeInput(0, element), Term::makeInput(1, element)});
}

POP_INLINE void checkGradient(char const *where, Tensor const &act, Tensor const &outGradient) {
  checkData(where, "act", act);
  checkData(where, "outGradient", outGradient);
  if (act.shape() != outGradient.shape() || act.elementType() != outGradient.elementType())
    base::fail<poplibs_error>(where, "'act' has shape ", base::shapeText(act.shape()), " of type ",
                              act.elementType(), ", 'outGradient' shape ",
                              base::shapeText(outGradient.shape()), " of type ",
                              outGradient.elementType(), "; they must be equal");
}

POP_INLINE void refuseInComputeSet(char const *where, NonLinearityType type) {
  if (isSoftmax(type) || type == NonLinearityType::HARD_SIGMOID)
    base::fail<poplibs_error>(where, ::popnn::asString(type),
                              " in a compute set; use the form that takes a program");
}

} // namespace cottonwood::popnn::detail

namespace popnn {

POP_INLINE void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                    poplar::Tensor t, poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  char const *const where = "popnn::nonLinearityInPlace";
  detail::requireType(where, nonLinearityType);
  detail::checkData(where, "t", t);
  cottonwood::poputil::checkWriteable(where, "the tensor", t);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "nonLinearityInPlace");
  poplar::DebugContext const context(di);
  if (detail::isSoftmax(nonLinearityType)) {
    detail::checkRows(where, t);
    return detail::emitSoftmax(graph, detail::rowFunction(nonLinearityType), t, t, prog, context);
  }
  cottonwood::popops::MapEmitter emitter(where, graph, {t}, prog, context);
  emitter.evaluateTo(detail::forwardTerm(nonLinearityType, t), t);
  emitter.finish();
}

POP_INLINE void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                    poplar::Tensor t, poplar::ComputeSet &cs,
                                    poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  char const *const where = "popnn::nonLinearityInPlace";
  detail::requireType(where, nonLinearityType);
  detail::checkData(where, "t", t);
  cottonwood::poputil::checkWriteable(where, "the tensor", t);
  detail::refuseInComputeSet(where, nonLinearityType);
  cottonwood::popops::MapEmitter emitter(where, graph, {t}, cs, debugContext);
  emitter.evaluateTo(detail::forwardTerm(nonLinearityType, t), t);
}

POP_INLINE void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                    poplar::Tensor t, float &nonLinearityScaling,
                                    poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext) {
  nonLinearityInPlace(graph, nonLinearityType, std::move(t), prog, debugContext);
  nonLinearityScaling = cottonwood::popnn::detail::scalingOf(nonLinearityType);
}

POP_INLINE void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                    poplar::Tensor t, float &nonLinearityScaling,
                                    poplar::ComputeSet &cs,
                                    poplar::DebugContext const &debugContext) {
  nonLinearityInPlace(graph, nonLinearityType, std::move(t), cs, debugContext);
  nonLinearityScaling = cottonwood::popnn::detail::scalingOf(nonLinearityType);
}

POP_INLINE poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                       poplar::Tensor t, poplar::program::Sequence &prog,
                                       poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  char const *const where = "popnn::nonLinearity";
  detail::requireType(where, nonLinearityType);
  detail::checkData(where, "t", t);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "nonLinearity");
  poplar::DebugContext const context(di);
  if (detail::isSoftmax(nonLinearityType)) {
    detail::checkRows(where, t);
    cottonwood::poputil::checkMapped(graph, t);
    poplar::Tensor const out = graph.clone(t, context);
    detail::emitSoftmax(graph, detail::rowFunction(nonLinearityType), t, out, prog, context);
    return out;
  }
  cottonwood::popops::MapEmitter emitter(where, graph, {t}, prog, context);
  poplar::Tensor const out = emitter.evaluate(detail::forwardTerm(nonLinearityType, t));
  emitter.finish();
  return out;
}

POP_INLINE poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                       poplar::Tensor t, float &nonLinearityScaling,
                                       poplar::program::Sequence &prog,
                                       poplar::DebugContext const &debugContext) {
  nonLinearityScaling = cottonwood::popnn::detail::scalingOf(nonLinearityType);
  return nonLinearity(graph, nonLinearityType, std::move(t), prog, debugContext);
}

POP_INLINE poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph,
                                                    NonLinearityType nonLinearityType,
                                                    poplar::Tensor act, poplar::Tensor outGradient,
                                                    poplar::program::Sequence &prog,
                                                    poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  char const *const where = "popnn::nonLinearityInputGradient";
  detail::requireType(where, nonLinearityType);
  detail::checkGradient(where, act, outGradient);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "nonLinearityInputGradient");
  poplar::DebugContext const context(di);
  if (detail::isSoftmax(nonLinearityType)) {
    detail::checkRows(where, act);
    return detail::emitSoftmaxGradient(graph, act, outGradient, prog, context);
  }
  cottonwood::popops::MapEmitter emitter(where, graph, {act, outGradient}, prog, context);
  poplar::Tensor const gradient = emitter.evaluate(detail::gradientTerm(nonLinearityType, act));
  emitter.finish();
  return gradient;
}

POP_INLINE poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph,
                                                    NonLinearityType nonLinearityType,
                                                    poplar::Tensor act, poplar::Tensor outGradient,
                                                    poplar::ComputeSet &cs,
                                                    poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  char const *const where = "popnn::nonLinearityInputGradient";
  detail::requireType(where, nonLinearityType);
  detail::checkGradient(where, act, outGradient);
  detail::refuseInComputeSet(where, nonLinearityType);
  cottonwood::popops::MapEmitter emitter(where, graph, {act, outGradient}, cs, debugContext);
  return emitter.evaluate(detail::gradientTerm(nonLinearityType, act));
}

POP_INLINE void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  char const *const where = "popnn::logSoftmaxInPlace";
  detail::checkData(where, "t", t);
  detail::checkRows(where, t);
  cottonwood::poputil::checkWriteable(where, "the tensor", t);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "logSoftmaxInPlace");
  detail::emitSoftmax(graph, cottonwood::popnn::RowFunction::LOG, t, t, prog, {di});
}

POP_INLINE poplar::Tensor logSoftmax(poplar::Graph &graph, poplar::Tensor t,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  detail::checkData("popnn::logSoftmax", "t", t);
  detail::checkRows("popnn::logSoftmax", t);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "logSoftmax");
  cottonwood::poputil::checkMapped(graph, t);
  poplar::Tensor const out = graph.clone(t, {di});
  detail::emitSoftmax(graph, cottonwood::popnn::RowFunction::LOG, t, out, prog, {di});
  return out;
}

} // namespace popnn
