#pragma once

#include <popops/ElementWise.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/impl/MapEmit.hpp>
#include <popops/impl/OpNames.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/ReadOptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <ostream>
#include <variant>

namespace cottonwood::popops {

POP_INLINE MapOptions mapOptions(char const *where, ::poplar::OptionFlags const &options) {
  MapOptions result;
  if (options.size() == 0)
    return result;
  bool generate = true, force = false, vectorBroadcasts = true;
  using ::poplibs::OptionHandler;
  ::poplibs::OptionSpec const spec{
      {"enableGenerateCodelet", OptionHandler::createWithBool(generate)},
      {"forceGenerateCodelet", OptionHandler::createWithBool(force)},
      {"enableVectorBroadcastOptimisations", OptionHandler::createWithBool(vectorBroadcasts)},
      {"enableExpressionOptimizations", OptionHandler::createWithBool(result.simplify)}};
  poputil::readOptions(where, spec, options);
  result.expandBroadcasts = !vectorBroadcasts;
  return result;
}

namespace detail {

namespace expr = ::popops::expr;

POP_INLINE std::vector<::poplar::Type> typesOf(char const *where, std::vector<Tensor> const &ts) {
  std::vector<::poplar::Type> types;
  for (Tensor const &t : ts) {
    if (!t.valid())
      base::fail<::poputil::poplibs_error>(where, "operand _", types.size() + 1,
                                           " is an invalid tensor");
    types.push_back(t.elementType());
  }
  return types;
}

// The variance conversions take one epsilon for all elements.
POP_INLINE void checkEpsilon(char const *where, Term const &term, std::vector<Tensor> const &ts) {
  for (Term const &arg : term.args)
    checkEpsilon(where, arg, ts);
  if (!term.isOperation(MapOp::VARIANCE_TO_INV_STD_DEV) &&
      !term.isOperation(MapOp::INV_STD_DEV_TO_VARIANCE))
    return;
  if (term.args[1].isInput() && ts[term.args[1].input].numElements() != 1)
    base::fail<::poputil::poplibs_error>(where, operationName(term.op),
                                         " takes an epsilon of one element, not of shape ",
                                         base::shapeText(ts[term.args[1].input].shape()));
}

// HALF times one FLOAT number, the one product whose operands may differ in type: computed in
// float, rounded once.
POP_INLINE std::optional<Term> mixedProduct(expr::Expr const &expression,
                                            std::vector<Tensor> const &ts, bool eitherOrder) {
  auto const *product = expression.getAs<expr::BinaryOp>();
  if (!product || product->getOpType() != expr::BinaryOpType::MULTIPLY || ts.size() < 2 ||
      !product->getLHS().deepEquals(expr::PlaceHolder(1)) ||
      !product->getRHS().deepEquals(expr::PlaceHolder(2)))
    return std::nullopt;
  auto const isPair = [&](unsigned data, unsigned scale) {
    return ts[data].elementType() == ::poplar::HALF && ts[scale].elementType() == ::poplar::FLOAT &&
           ts[scale].numElements() == 1;
  };
  if (!isPair(0, 1) && !(eitherOrder && isPair(1, 0)))
    return std::nullopt;
  unsigned const data = isPair(0, 1) ? 0 : 1;
  Term wide =
      Term::makeOperation(MapOp::CAST, ::poplar::FLOAT, {Term::makeInput(data, ::poplar::HALF)});
  Term scaled = Term::makeOperation(MapOp::MULTIPLY, ::poplar::FLOAT,
                                    {std::move(wide), Term::makeInput(1 - data, ::poplar::FLOAT)});
  return Term::makeOperation(MapOp::CAST, ::poplar::HALF, {std::move(scaled)});
}

POP_INLINE Term termOf(char const *where, expr::Expr const &expression,
                       std::vector<Tensor> const &ts, bool mixedInEitherOrder) {
  auto const types = typesOf(where, ts);
  if (auto mixed = mixedProduct(expression, ts, mixedInEitherOrder))
    return *mixed;
  Term term = typedTerm(where, expression, types);
  checkEpsilon(where, term, ts);
  return term;
}

POP_INLINE std::vector<Term> termsOf(char const *where, std::vector<expr::Any> const &expressions,
                                     std::vector<Tensor> const &ts) {
  std::vector<Term> terms;
  for (expr::Expr const &expression : expressions)
    terms.push_back(termOf(where, expression, ts, true));
  return terms;
}

/// outs[i] becomes expression i, for the function `where`, which calls them `names`.
POP_INLINE void mapTo(char const *where, ::poplar::Graph &graph,
                      std::vector<expr::Any> const &expressions, std::vector<Tensor> const &ts,
                      std::vector<Tensor> const &outs, char const *names,
                      ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext,
                      ::poplar::OptionFlags const &options) {
  auto const mapOptions = cottonwood::popops::mapOptions(where, options);
  auto terms = termsOf(where, expressions, ts);
  MapEmitter emitter(where, graph, ts, prog, debugContext, mapOptions);
  emitter.evaluateTo(std::move(terms), outs, names);
  emitter.finish();
}

/// The variance conversions that have a result type.
struct VarianceConversion {
  char const *where;
  expr::BinaryOpType op;
  ::poplar::Type otherType; ///< what the result may be of beside the type of the source
};

POP_INLINE VarianceConversion varianceToInvStdDev() {
  return {"popops::varianceToInvStdDev", expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV,
          ::poplar::HALF};
}

POP_INLINE VarianceConversion invStdDevToVariance() {
  return {"popops::invStdDevToVariance", expr::BinaryOpType::INV_STD_DEV_TO_VARIANCE,
          ::poplar::FLOAT};
}

using Epsilon = std::variant<float, Tensor>;

POP_INLINE void checkVariance(VarianceConversion const &conversion, Tensor const &src,
                              Epsilon const &epsilon, ::poplar::Type const &dstType) {
  using ::poputil::poplibs_error;
  Tensor const *const t = std::get_if<Tensor>(&epsilon);
  if (!src.valid() || (t && !t->valid()))
    base::fail<poplibs_error>(conversion.where, "'", src.valid() ? "epsilon" : "src",
                              "' is an invalid tensor");
  if (t && t->numElements() != 1)
    base::fail<poplibs_error>(conversion.where, "epsilon must have one element, not shape ",
                              base::shapeText(t->shape()));
  if (dstType != src.elementType() && dstType != conversion.otherType)
    base::fail<poplibs_error>(conversion.where, "the result type ", dstType, " is neither ",
                              conversion.otherType, " nor the type of the input, ",
                              src.elementType());
}

// Of halves in float if epsilon or the result is: a half may not hold what that does.
POP_INLINE Tensor convertVariance(VarianceConversion const &conversion, ::poplar::Graph &graph,
                                  Tensor const &src, Epsilon const &epsilon,
                                  ::poplar::Type const &dstType, ::poplar::program::Sequence &prog,
                                  ::poplar::DebugContext const &debugContext) {
  using ::poplar::Type;
  checkVariance(conversion, src, epsilon, dstType);
  ::poputil::PoplibsOpDebugInfo const di(debugContext, {}, conversion.where);
  Tensor const *const t = std::get_if<Tensor>(&epsilon);
  Type const from = src.elementType(), epsilonType = t ? t->elementType() : ::poplar::FLOAT;
  bool const widens =
      from == ::poplar::HALF && (epsilonType == ::poplar::FLOAT || dstType == ::poplar::FLOAT);
  Type const type = widens ? ::poplar::FLOAT : from;
  auto const as = [](expr::Any operand, Type const &is, Type const &wanted) {
    return is == wanted ? operand : expr::Any(expr::Cast(operand, wanted));
  };
  expr::Any const addend = t ? as(expr::PlaceHolder(2), epsilonType, type)
                             : expr::Any(expr::Const(std::get<float>(epsilon)));
  expr::Any const result =
      expr::BinaryOp(conversion.op, as(expr::PlaceHolder(1), from, type), addend);
  return ::popops::map(graph, as(result, type, dstType),
                       t ? std::vector<Tensor>{src, *t} : std::vector<Tensor>{src}, prog, {di});
}

} // namespace detail
} // namespace cottonwood::popops

namespace popops {

POP_INLINE poplar::Tensor map(poplar::Graph &graph, expr::Expr const &expr,
                              std::vector<poplar::Tensor> const &ts,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  auto const mapOptions = cottonwood::popops::mapOptions("popops::map", options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "map");
  poplar::DebugContext const context(di);
  auto term = cottonwood::popops::detail::termOf("popops::map", expr, ts, true);
  cottonwood::popops::MapEmitter emitter("popops::map", graph, ts, prog, context, mapOptions);
  poplar::Tensor const out = emitter.evaluate(std::move(term));
  emitter.finish();
  return out;
}

POP_INLINE std::vector<poplar::Tensor>
map(poplar::Graph &graph, std::vector<expr::Any> const &exprs,
    std::vector<poplar::Tensor> const &ts, poplar::program::Sequence &prog,
    poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  auto const mapOptions = cottonwood::popops::mapOptions("popops::map", options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "map");
  poplar::DebugContext const context(di);
  auto terms = cottonwood::popops::detail::termsOf("popops::map", exprs, ts);
  cottonwood::popops::MapEmitter emitter("popops::map", graph, ts, prog, context, mapOptions);
  std::vector<poplar::Tensor> outs;
  for (auto &term : terms)
    outs.push_back(emitter.evaluate(std::move(term)));
  emitter.finish();
  return outs;
}

POP_INLINE void mapInPlace(poplar::Graph &graph, expr::Expr const &expr,
                           std::vector<poplar::Tensor> const &ts, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext,
                           poplar::OptionFlags const &options) {
  if (ts.empty())
    throw poputil::poplibs_error(
        "popops::mapInPlace: there are no tensors; the first one takes the result");
  auto const mapOptions = cottonwood::popops::mapOptions("popops::mapInPlace", options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "mapInPlace");
  poplar::DebugContext const context(di);
  auto term = cottonwood::popops::detail::termOf("popops::mapInPlace", expr, ts, false);
  cottonwood::popops::MapEmitter emitter("popops::mapInPlace", graph, ts, prog, context,
                                         mapOptions);
  emitter.evaluateTo(std::move(term), ts[0]);
  emitter.finish();
}

POP_INLINE void mapInPlace(poplar::Graph &graph, std::vector<expr::Any> const &exprs,
                           std::vector<poplar::Tensor> const &ts, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext,
                           poplar::OptionFlags const &options) {
  if (exprs.size() > ts.size())
    throw poputil::poplibs_error("popops::mapInPlace: " + std::to_string(exprs.size()) +
                                 " expressions for " + std::to_string(ts.size()) +
                                 " tensors; each expression needs one to write to");
  std::vector<poplar::Tensor> const outs(ts.begin(),
                                         ts.begin() + static_cast<std::ptrdiff_t>(exprs.size()));
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "mapInPlace");
  cottonwood::popops::detail::mapTo("popops::mapInPlace", graph, exprs, ts, outs, "ts", prog, {di},
                                    options);
}

POP_INLINE void mapWithOutput(poplar::Graph &graph, expr::Expr const &expr,
                              std::vector<poplar::Tensor> const &ts, poplar::Tensor const &out,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  auto const mapOptions = cottonwood::popops::mapOptions("popops::mapWithOutput", options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "mapWithOutput");
  poplar::DebugContext const context(di);
  auto term = cottonwood::popops::detail::termOf("popops::mapWithOutput", expr, ts, true);
  cottonwood::popops::MapEmitter emitter("popops::mapWithOutput", graph, ts, prog, context,
                                         mapOptions);
  emitter.evaluateTo(std::move(term), out);
  emitter.finish();
}

POP_INLINE void mapWithOutput(poplar::Graph &graph, std::vector<expr::Any> const &exprs,
                              std::vector<poplar::Tensor> const &ts,
                              std::vector<poplar::Tensor> const &outs,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  if (exprs.size() != outs.size())
    throw poputil::poplibs_error("popops::mapWithOutput: " + std::to_string(exprs.size()) +
                                 " expressions and " + std::to_string(outs.size()) +
                                 " outputs; their numbers must be equal");
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "mapWithOutput");
  cottonwood::popops::detail::mapTo("popops::mapWithOutput", graph, exprs, ts, outs, "outs", prog,
                                    {di}, options);
}

POP_INLINE void outputGeneratedCodelet(poplar::Target const &, expr::Expr const &expr,
                                       std::vector<poplar::Tensor> const &ts,
                                       poplar::OptionFlags const &options, std::ostream &os) {
  cottonwood::popops::mapOptions("popops::outputGeneratedCodelet", options);
  os << "// " << expr.name(ts) << "\n";
  for (std::size_t i = 0; i != ts.size(); ++i)
    os << "//   _" << i + 1 << ": " << ts[i].elementType() << " " << ts[i].shapeToString() << "\n";
  os << "// for each element:\n//   ";
  expr.print(os, 0, false);
  os << "\n";
}

POP_INLINE poplar::Tensor map(poplar::Graph &graph, expr::UnaryOpType op, poplar::Tensor const &t,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  return map(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}

POP_INLINE poplar::Tensor map(poplar::Graph &graph, expr::BinaryOpType op, poplar::Tensor const &a,
                              poplar::Tensor const &b, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}

POP_INLINE poplar::Tensor map(poplar::Graph &graph, expr::TernaryOpType op, poplar::Tensor const &a,
                              poplar::Tensor const &b, poplar::Tensor const &c,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  return map(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog,
             debugContext, options);
}

POP_INLINE void mapInPlace(poplar::Graph &graph, expr::UnaryOpType op, poplar::Tensor const &t,
                           poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext,
                           poplar::OptionFlags const &options) {
  mapInPlace(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}

POP_INLINE void mapInPlace(poplar::Graph &graph, expr::BinaryOpType op, poplar::Tensor const &a,
                           poplar::Tensor const &b, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext,
                           poplar::OptionFlags const &options) {
  mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}

POP_INLINE void mapInPlace(poplar::Graph &graph, expr::TernaryOpType op, poplar::Tensor const &a,
                           poplar::Tensor const &b, poplar::Tensor const &c,
                           poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext,
                           poplar::OptionFlags const &options) {
  mapInPlace(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog,
             debugContext, options);
}

POP_INLINE void mapWithOutput(poplar::Graph &graph, expr::UnaryOpType op, poplar::Tensor const &in,
                              poplar::Tensor const &out, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  mapWithOutput(graph, expr::UnaryOp(op, expr::_1), {in}, out, prog, debugContext, options);
}

POP_INLINE void mapWithOutput(poplar::Graph &graph, expr::BinaryOpType op, poplar::Tensor const &a,
                              poplar::Tensor const &b, poplar::Tensor const &out,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  mapWithOutput(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, out, prog, debugContext,
                options);
}

POP_INLINE void mapWithOutput(poplar::Graph &graph, expr::TernaryOpType op, poplar::Tensor const &a,
                              poplar::Tensor const &b, poplar::Tensor const &c,
                              poplar::Tensor const &out, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options) {
  mapWithOutput(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, out, prog,
                debugContext, options);
}

namespace impl {

POP_INLINE void throwConstantMismatch(char const *where, poplar::Type const &elementType,
                                      char const *constType) {
  cottonwood::base::fail<poputil::poplibs_error>(
      where, "Type mismatch between Binary op Tensor and constant: the tensor is of type ",
      elementType, ", the constant of type ", constType,
      "; give the constant the type of the tensor (float for half)");
}

POP_INLINE poplar::Type typeBesideConstant(char const *where, poplar::Tensor const &operand) {
  if (!operand.valid())
    cottonwood::base::fail<poputil::poplibs_error>(
        where, "the operand beside the constant of a binary op is an invalid tensor");
  return operand.elementType();
}

POP_INLINE poplar::Tensor operandConstant(poplar::Graph &graph, poplar::Type const &type,
                                          void const *value, poplar::TypeTraits const &traits,
                                          poplar::DebugContext const &debugContext) {
  poplar::Tensor const constant = graph.addConstant(type, {}, value, traits, false, debugContext);
  graph.setTileMapping(constant, 0);
  return constant;
}

} // namespace impl

POP_INLINE poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, poplar::Tensor const &src,
                                              poplar::Tensor const &epsilon,
                                              poplar::program::Sequence &prog,
                                              poplar::Type const dstType,
                                              poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  return detail::convertVariance(detail::varianceToInvStdDev(), graph, src, epsilon, dstType, prog,
                                 debugContext);
}

POP_INLINE poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, poplar::Tensor const &src,
                                              float const epsilon, poplar::program::Sequence &prog,
                                              poplar::Type const dstType,
                                              poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  return detail::convertVariance(detail::varianceToInvStdDev(), graph, src, epsilon, dstType, prog,
                                 debugContext);
}

POP_INLINE poplar::Tensor invStdDevToVariance(poplar::Graph &graph, poplar::Tensor const &src,
                                              poplar::Tensor const &epsilon,
                                              poplar::program::Sequence &prog,
                                              poplar::Type const dstType,
                                              poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  return detail::convertVariance(detail::invStdDevToVariance(), graph, src, epsilon, dstType, prog,
                                 debugContext);
}

POP_INLINE poplar::Tensor invStdDevToVariance(poplar::Graph &graph, poplar::Tensor const &src,
                                              float const epsilon, poplar::program::Sequence &prog,
                                              poplar::Type const dstType,
                                              poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  return detail::convertVariance(detail::invStdDevToVariance(), graph, src, epsilon, dstType, prog,
                                 debugContext);
}

} // namespace popops

namespace poputil {

template <> POP_INLINE poplar::ProfileValue toProfileValue(popops::expr::UnaryOpType const &op) {
  return poplar::ProfileValue(std::string(cottonwood::popops::nameOf(op).debug));
}
template <> POP_INLINE poplar::ProfileValue toProfileValue(popops::expr::BinaryOpType const &op) {
  return poplar::ProfileValue(std::string(cottonwood::popops::nameOf(op).debug));
}
template <> POP_INLINE poplar::ProfileValue toProfileValue(popops::expr::TernaryOpType const &op) {
  return poplar::ProfileValue(std::string(cottonwood::popops::nameOf(op).debug));
}
template <> POP_INLINE poplar::ProfileValue toProfileValue(popops::expr::Expr const &) {
  return poplar::ProfileValue("<expr::Expr>");
}
template <> POP_INLINE poplar::ProfileValue toProfileValue(popops::expr::Any const &) {
  return poplar::ProfileValue("<expr::Any>");
}

} // namespace poputil
