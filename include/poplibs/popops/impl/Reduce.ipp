#pragma once

#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/OperationDefUtil.hpp>
#include <popops/Reduce.hpp>
#include <popops/impl/OpNames.hpp>
#include <popops/impl/ReduceEmit.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckApart.hpp>
#include <poputil/impl/CheckWriteable.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>
#include <poputil/impl/ReadOptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>

#include <algorithm>
#include <map>
#include <sstream>

namespace cottonwood::popops {

POP_INLINE std::vector<bool> reducedDims(char const *where, ::poplar::Tensor const &in,
                                         std::vector<std::size_t> const &dims) {
  std::vector<bool> isReduced(in.rank(), false);
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] >= in.rank())
      base::fail<::poputil::poplibs_error>(
          where, "dims[", i, "] = ", dims[i], " is out of range for 'in' of shape ",
          base::shapeText(in.shape()), "; dims must be below ", in.rank());
    isReduced[dims[i]] = true;
  }
  return isReduced;
}

POP_INLINE std::vector<std::size_t> keptShape(::poplar::Tensor const &in,
                                              std::vector<bool> const &isReduced) {
  std::vector<std::size_t> shape;
  for (unsigned d = 0; d != in.rank(); ++d)
    if (!isReduced[d])
      shape.push_back(in.dim(d));
  return shape;
}

namespace detail {
/// Maps what is mapped nowhere.
POP_INLINE void completeMapping(::poplar::Graph &graph, ::poplar::Tensor const &out) {
  bool complete = true;
  ::poplar::Tensor const flat = out.flatten();
  auto const mapping = graph.getTileMapping(flat, &complete);
  if (complete)
    return;
  auto mapped = ::poputil::flattenIntervals(mapping);
  ::poputil::mergeAdjacentRegions(mapped);
  mapped.emplace_back(flat.numElements(), flat.numElements());
  std::size_t at = 0;
  for (::poplar::Interval const &interval : mapped) {
    if (interval.begin() > at)
      ::poputil::mapTensorLinearly(graph, flat.slice(at, interval.begin()));
    at = interval.end();
  }
}

POP_INLINE void checkOutput(char const *where, ReduceJob const &job, ::poplar::Tensor const &out) {
  auto const shape = keptShape(job.in, job.isReduced);
  auto const withoutOnes = [](std::vector<std::size_t> dims) {
    dims.erase(std::remove(dims.begin(), dims.end(), 1U), dims.end());
    return dims;
  };
  if (withoutOnes(out.shape()) != withoutOnes(shape))
    base::fail<::poputil::poplibs_error>(
        where, "the output has shape ", base::shapeText(out.shape()),
        ", but reducing 'in' of shape ", base::shapeText(job.in.shape()), " gives shape ",
        base::shapeText(shape));
  poputil::checkWriteable(where, "the output", out);
}

} // namespace detail

POP_INLINE ::poplar::Tensor reduceOutput(char const *where, ::poplar::Graph &graph,
                                         ReduceJob const &job, ::poplar::Tensor const &out) {
  detail::checkOutput(where, job, out);
  detail::completeMapping(graph, out);
  return out.reshape(keptShape(job.in, job.isReduced));
}

} // namespace cottonwood::popops

namespace cottonwood::popops::detail {

using ::poplar::Tensor;
using ::poplar::Type;
using ::popops::Operation;
using ::popops::ReduceParams;
using ::poputil::poplibs_error;

POP_INLINE std::string operationText(Operation op) {
  std::ostringstream text;
  text << op;
  return text.str();
}

POP_INLINE bool addsUp(Operation op) {
  return op == Operation::ADD || op == Operation::SQUARE_ADD || op == Operation::LOG_ADD;
}

/// Which pairs of types an operation works on.
POP_INLINE bool isSupportedPair(Operation op, Type const &in, Type const &out) {
  bool const floating = (in == ::poplar::FLOAT || in == ::poplar::HALF) &&
                        (out == ::poplar::FLOAT || out == ::poplar::HALF);
  bool const integer = in == out && (in == ::poplar::INT || in == ::poplar::UNSIGNED_INT);
  switch (op) {
  case Operation::ADD:
  case Operation::SQUARE_ADD:
  case Operation::MUL:
    return floating || integer;
  case Operation::MIN:
  case Operation::MAX:
    return (floating && in == out) || integer;
  case Operation::LOG_ADD:
    return floating;
  default:
    return in == out && in == ::poplar::BOOL;
  }
}

POP_INLINE char const *allowedPairs(Operation op) {
  switch (op) {
  case Operation::ADD:
  case Operation::SQUARE_ADD:
  case Operation::MUL:
    return "float or half to float or half, int to int, unsigned int to unsigned int";
  case Operation::MIN:
  case Operation::MAX:
    return "float, half, int and unsigned int to themselves";
  case Operation::LOG_ADD:
    return "float or half to float or half";
  default:
    return "bool to bool";
  }
}

POP_INLINE void checkParams(char const *where, ReduceParams const &params, Type const &in,
                            Type const &out) {
  requireOp<poplibs_error>(where, params.op);
  if (!isSupportedPair(params.op, in, out))
    base::fail<poplibs_error>(where, "operation ", operationText(params.op), " from ", in, " to ",
                              out, "; allowed: ", allowedPairs(params.op));
  if (params.update && !addsUp(params.op))
    base::fail<poplibs_error>(where, "updating with operation ", operationText(params.op),
                              "; allowed: ADD, SQUARE_ADD, LOG_ADD");
  if (!params.useScale)
    return;
  if (!addsUp(params.op) || !in.isFloatingPoint())
    base::fail<poplibs_error>(where, "a scale with operation ", operationText(params.op), " on ",
                              in, "; allowed: ADD, SQUARE_ADD, LOG_ADD on float and half");
  if (!params.scale.valid() || params.scale.elementType() != ::poplar::FLOAT ||
      params.scale.numElements() != 1)
    base::fail<poplibs_error>(
        where, "the scale must be one element of type float",
        params.scale.valid() ? base::textOf(", not shape ", base::shapeText(params.scale.shape()),
                                            " of type ", params.scale.elementType())
                             : std::string(", not an invalid tensor"));
}

POP_INLINE void warnOfSmallPartials(char const *where, char const *option, Type const &type,
                                    Type const &out) {
  if (out == ::poplar::FLOAT && type == ::poplar::HALF &&
      base::logEnabled("POPOPS", base::LogLevel::Warn))
    base::logLine("POPOPS", base::LogLevel::Warn,
                  base::textOf(where, ": ", option,
                               " half is smaller than the type of the output, float, which is used "
                               "instead"));
}

/// The type of results between stages.
POP_INLINE Type partialType(char const *where, Operation op, Type const &out,
                            ::poplar::OptionFlags const &options) {
  std::map<std::string, Type> const types{{"float", ::poplar::FLOAT}, {"half", ::poplar::HALF}};
  bool const accumulates = addsUp(op) || op == Operation::MUL;
  Type interTile = out == ::poplar::HALF && accumulates ? ::poplar::FLOAT : out;
  Type inVertex = interTile;
  if (options.size() != 0) {
    using ::poplibs::OptionHandler;
    ::poplibs::OptionSpec const spec{
        {"accumType.interTile", OptionHandler::createWithEnum(interTile, types)},
        {"accumType.inVertex", OptionHandler::createWithEnum(inVertex, types)}};
    poputil::readOptions(where, spec, options);
  }
  if (!out.isFloatingPoint())
    return out;
  warnOfSmallPartials(where, "accumType.interTile", interTile, out);
  warnOfSmallPartials(where, "accumType.inVertex", inVertex, out);
  return out == ::poplar::FLOAT ? out : interTile;
}

/// A reduction whose arguments were checked, and what is special about it.
struct CheckedReduce {
  ReduceJob job;
  bool nothingReduced = false; ///< all reduced dimensions have size 1
  bool nothingThere = false;   ///< no elements to reduce, but outputs
};

POP_INLINE Type inputType(char const *where, Tensor const &in) {
  if (!in.valid())
    base::fail<poplibs_error>(where, "'in' is an invalid tensor");
  return in.elementType();
}

POP_INLINE CheckedReduce checkReduce(char const *where, Tensor const &in, Type const &outType,
                                     std::vector<std::size_t> const &dims,
                                     ReduceParams const &params,
                                     ::poplar::OptionFlags const &options) {
  Type const inType = inputType(where, in);
  CheckedReduce checked;
  ReduceJob &job = checked.job;
  job.in = in;
  job.isReduced = reducedDims(where, in, dims);
  job.params = params;
  checkParams(where, params, inType, outType);
  job.partialType = partialType(where, params.op, outType, options);
  std::size_t reduced = 1, outputs = 1;
  for (unsigned d = 0; d != in.rank(); ++d)
    (job.isReduced[d] ? reduced : outputs) *= in.dim(d);
  checked.nothingReduced = reduced == 1 && in.numElements() != 0;
  checked.nothingThere = reduced == 0;
  if (params.op == Operation::LOG_ADD && reduced < 2 && outputs != 0)
    base::fail<poplibs_error>(where, "operation LOG_ADD over ", reduced,
                              " elements of 'in' of shape ", base::shapeText(in.shape()),
                              "; it needs at least 2");
  return checked;
}

POP_INLINE Type outputType(char const *where, Tensor const &out) {
  if (!out.valid())
    base::fail<poplibs_error>(where, "'out' is an invalid tensor");
  return out.elementType();
}

POP_INLINE void refuseUpdate(char const *where, ReduceParams const &params) {
  if (params.update)
    base::fail<poplibs_error>(where, "updating needs an output to update; use reduceWithOutput");
}

POP_INLINE Type resultTypeOf(char const *where, ::popops::SingleReduceOp const &reduction) {
  return reduction.useOutType ? reduction.outType : inputType(where, reduction.in);
}

/// \param out  null: to be made
POP_INLINE CheckedReduce checkOneOfMany(char const *where, std::size_t index,
                                        ::popops::SingleReduceOp const &reduction,
                                        Tensor const *out, ::poplar::OptionFlags const &options) {
  if (!out)
    refuseUpdate(where, reduction.params);
  Type const type = out ? outputType(where, *out) : resultTypeOf(where, reduction);
  if (reduction.useOutType && reduction.outType != type)
    base::fail<poplibs_error>(where, "outputs[", index, "] is of type ", type,
                              ", but the type of the result of reduction ", index, " is given as ",
                              reduction.outType, "; they must be equal");
  CheckedReduce checked =
      checkReduce(where, reduction.in, type, reduction.dims, reduction.params, options);
  if (out)
    checkOutput(where, checked.job, *out);
  return checked;
}

POP_INLINE void setOutput(char const *where, ::poplar::Graph &graph, CheckedReduce &checked,
                          Tensor const &out) {
  checked.job.out = reduceOutput(where, graph, checked.job, out);
}

POP_INLINE Tensor createOutput(::poplar::Graph &graph, CheckedReduce &checked, Type const &outType,
                               ::poplar::DebugContext const &debugContext) {
  Tensor const out =
      graph.addVariable(outType, keptShape(checked.job.in, checked.job.isReduced), debugContext);
  checked.job.out = out;
  checked.job.placesOutput = true;
  return out;
}

// Vertices for everything but the cases that need none.
POP_INLINE void emitChecked(::poplar::Graph &graph, CheckedReduce const &checked,
                            std::vector<::poplar::ComputeSet> &css,
                            ::poplar::DebugContext const &debugContext) {
  if (checked.nothingThere) {
    if (checked.job.params.update)
      return;
    ReduceJob identity = checked.job;
    identity.params.useScale = false;
    return emitReduce(graph, identity, css, debugContext);
  }
  emitReduce(graph, checked.job, css, debugContext);
}

// Nothing is reduced and nothing is computed: the values themselves.
POP_INLINE bool isPlainCopy(CheckedReduce const &checked) {
  ReduceParams const &params = checked.job.params;
  return checked.nothingReduced && !params.update && !params.useScale &&
         params.op != Operation::SQUARE_ADD;
}

// The elements of all tensors of a type as one, for each type.
POP_INLINE std::vector<Tensor> joinedByType(std::vector<Tensor> const &tensors) {
  std::map<::poplar::Type, std::vector<Tensor>> byType;
  for (Tensor const &t : tensors)
    byType[t.elementType()].push_back(t.flatten());
  std::vector<Tensor> joined;
  for (auto const &[type, same] : byType)
    joined.push_back(::poplar::concat(same));
  return joined;
}

// What reductions read of outputs of any becomes copies. Where nothing overlaps, all are looked at
// once.
POP_INLINE void readBeforeWrites(::poplar::Graph &graph, std::vector<CheckedReduce> &reductions,
                                 std::vector<Tensor> const &outputs,
                                 ::poplar::program::Sequence &prog,
                                 ::poplar::DebugContext const &debugContext) {
  std::vector<Tensor> operands;
  for (CheckedReduce const &reduction : reductions) {
    operands.push_back(reduction.job.in);
    if (reduction.job.params.useScale)
      operands.push_back(reduction.job.params.scale);
  }
  std::vector<Tensor> const read = joinedByType(operands);
  for (Tensor const &written : joinedByType(outputs))
    if (std::any_of(read.begin(), read.end(),
                    [&](Tensor const &each) { return each.intersectsWith(written); }))
      for (CheckedReduce &reduction : reductions)
        poputil::readBeforeWrites(graph, {&reduction.job.in, &reduction.job.params.scale}, written,
                                  prog, debugContext);
}

POP_INLINE void addReduce(::poplar::Graph &graph, CheckedReduce checked,
                          ::poplar::program::Sequence &prog,
                          ::poplar::DebugContext const &debugContext) {
  ReduceJob &job = checked.job;
  if (isPlainCopy(checked)) {
    if (job.placesOutput)
      ::poputil::mapTensorLinearly(graph, job.out);
    ::popops::castWithOutput(graph, job.in.reshape(job.out.shape()), job.out, prog, debugContext);
    return;
  }
  poputil::readBeforeWrites(graph, {&job.in, &job.params.scale}, job.out, prog, debugContext);
  std::vector<::poplar::ComputeSet> css;
  emitChecked(graph, checked, css, debugContext);
  for (::poplar::ComputeSet const &cs : css)
    prog.add(::poplar::program::Execute(cs, debugContext));
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE ReduceParams::ReduceParams(popops::Operation op_, bool update_)
    : op(op_), update(update_), useScale(false) {}

POP_INLINE ReduceParams::ReduceParams(popops::Operation op_, bool update_, poplar::Tensor scale_)
    : op(op_), update(update_), useScale(true), scale(std::move(scale_)) {}

POP_INLINE poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                                 poplar::Type const &outType, std::vector<std::size_t> const &dims,
                                 ReduceParams params, poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "reduce");
  poplar::DebugContext const context(di);
  detail::refuseUpdate("popops::reduce", params);
  auto checked = detail::checkReduce("popops::reduce", in, outType, dims, params, options);
  poplar::Tensor const out = detail::createOutput(graph, checked, outType, context);
  detail::addReduce(graph, checked, prog, context);
  return out;
}

POP_INLINE poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                                 std::vector<std::size_t> const &dims, ReduceParams params,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options) {
  return reduce(graph, in, cottonwood::popops::detail::inputType("popops::reduce", in), dims,
                params, prog, debugContext, options);
}

POP_INLINE void reduceWithOutput(poplar::Graph &graph, poplar::Tensor const &in,
                                 poplar::Tensor const &out, std::vector<std::size_t> const &dims,
                                 ReduceParams params, poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "reduceWithOutput");
  poplar::DebugContext const context(di);
  char const *const where = "popops::reduceWithOutput";
  auto checked =
      detail::checkReduce(where, in, detail::outputType(where, out), dims, params, options);
  detail::setOutput(where, graph, checked, out);
  detail::addReduce(graph, checked, prog, context);
}

POP_INLINE poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                                 poplar::Type const &outType, std::vector<std::size_t> const &dims,
                                 ReduceParams params, std::vector<poplar::ComputeSet> &css,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "reduce");
  poplar::DebugContext const context(di);
  detail::refuseUpdate("popops::reduce", params);
  auto checked = detail::checkReduce("popops::reduce", in, outType, dims, params, options);
  poplar::Tensor const out = detail::createOutput(graph, checked, outType, context);
  detail::emitChecked(graph, checked, css, context);
  return out;
}

POP_INLINE poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                                 std::vector<std::size_t> const &dims, ReduceParams params,
                                 std::vector<poplar::ComputeSet> &css,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options) {
  return reduce(graph, in, cottonwood::popops::detail::inputType("popops::reduce", in), dims,
                params, css, debugContext, options);
}

POP_INLINE void reduceWithOutput(poplar::Graph &graph, poplar::Tensor const &in,
                                 poplar::Tensor const &out, std::vector<std::size_t> const &dims,
                                 ReduceParams params, std::vector<poplar::ComputeSet> &css,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "reduceWithOutput");
  poplar::DebugContext const context(di);
  char const *const where = "popops::reduceWithOutput";
  auto checked =
      detail::checkReduce(where, in, detail::outputType(where, out), dims, params, options);
  detail::setOutput(where, graph, checked, out);
  detail::emitChecked(graph, checked, css, context);
}

POP_INLINE SingleReduceOp::SingleReduceOp(poplar::Tensor in_, std::vector<std::size_t> dims_,
                                          ReduceParams params_, poplar::Type outType_,
                                          std::string debugName_)
    : in(std::move(in_)), dims(std::move(dims_)), params(std::move(params_)), useOutType(true),
      outType(outType_), debugName(std::move(debugName_)) {}

POP_INLINE SingleReduceOp::SingleReduceOp(poplar::Tensor in_, std::vector<std::size_t> dims_,
                                          ReduceParams params_, std::string debugName_)
    : in(std::move(in_)), dims(std::move(dims_)), params(std::move(params_)), useOutType(false),
      debugName(std::move(debugName_)) {}

POP_INLINE void reduceMany(poplar::Graph &graph, std::vector<SingleReduceOp> const &reductions,
                           std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext,
                           poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "reduceMany");
  poplar::DebugContext const context(di);
  char const *const where = "popops::reduceMany";
  bool const create = outputs.empty();
  if (!create && outputs.size() != reductions.size())
    cottonwood::base::fail<poputil::poplibs_error>(where, outputs.size(), " outputs for ",
                                                   reductions.size(),
                                                   " reductions; give none, or one for each");
  std::vector<detail::CheckedReduce> checked;
  for (std::size_t i = 0; i != reductions.size(); ++i)
    checked.push_back(
        detail::checkOneOfMany(where, i, reductions[i], create ? nullptr : &outputs[i], options));
  cottonwood::poputil::checkApart(where, "outputs", outputs);
  std::vector<poplar::Tensor> outs(outputs);
  outs.resize(reductions.size());
  std::vector<poplar::ComputeSet> css;
  for (std::size_t i = 0; i != reductions.size(); ++i) {
    poplar::DebugContext const name(di, reductions[i].debugName);
    if (create)
      outs[i] =
          detail::createOutput(graph, checked[i], detail::resultTypeOf(where, reductions[i]), name);
    else
      detail::setOutput(where, graph, checked[i], outs[i]);
  }
  if (!create)
    detail::readBeforeWrites(graph, checked, outs, prog, context);
  for (std::size_t i = 0; i != reductions.size(); ++i)
    detail::emitChecked(graph, checked[i], css, {di, reductions[i].debugName});
  outputs = std::move(outs);
  for (poplar::ComputeSet const &cs : css)
    prog.add(poplar::program::Execute(cs, context));
}

POP_INLINE poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext) {
  if (!A.valid())
    cottonwood::base::fail<poputil::poplibs_error>("popops::allTrue", "'A' is an invalid tensor");
  if (A.elementType() != poplar::BOOL)
    cottonwood::base::fail<poputil::poplibs_error>("popops::allTrue", "the tensor is of type ",
                                                   A.elementType(), "; allowed: bool");
  return reduce(graph, A.flatten(), {0}, Operation::LOGICAL_AND, prog, debugContext);
}

} // namespace popops
