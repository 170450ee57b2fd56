#pragma once

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/impl/CastTypes.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/ElementWiseTiles.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckMapped.hpp>
#include <poputil/impl/CheckWriteable.hpp>

#include <codelets/popops/MapProgram.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

POP_INLINE void checkCast(char const *where, Tensor const &src, Type const &to) {
  if (!src.valid())
    base::fail<::poputil::poplibs_error>(where, "the source is an invalid tensor");
  Type const from = src.elementType();
  if (!sameBits(from, to) && !isCastable(from, to))
    base::fail<::poputil::poplibs_error>(
        where, "from ", from, " to ", to, "; allowed: ", CASTABLE_PAIRS,
        "; quarter to and from itself, float, half and 8-bit integers");
}

POP_INLINE void checkCast(char const *where, Tensor const &src, Tensor const &dst) {
  if (!dst.valid())
    base::fail<::poputil::poplibs_error>(where, "the destination is an invalid tensor");
  checkCast(where, src, dst.elementType());
  if (src.shape() != dst.shape())
    base::fail<::poputil::poplibs_error>(where, "the source has shape ",
                                         base::shapeText(src.shape()), ", the destination ",
                                         base::shapeText(dst.shape()), "; they must be equal");
  poputil::checkWriteable(where, "the destination", dst);
}

/// Of the forms without metadata.
POP_INLINE void checkNeedsNoMetadata(char const *where, Type const &to) {
  if (to.requiresMetadata())
    base::fail<::poputil::poplibs_error>(where, "to ", to,
                                         " without metadata; use the form that takes them");
}

/// Of the forms with metadata, which belongs to QUARTER and to nothing else.
POP_INLINE void checkCastMetadata(char const *where, Type const &to, Tensor const &metadata) {
  using ::poputil::poplibs_error;
  if (!to.requiresMetadata()) {
    if (metadata.valid())
      base::fail<poplibs_error>(where, "'metadata' is given for elements of type ", to,
                                "; they have none: pass an invalid tensor");
    return;
  }
  if (!metadata.valid())
    base::fail<poplibs_error>(where, "to ", to, " without metadata");
  if (metadata.elementType() != ::poplar::QUARTER_METADATA || metadata.numElements() != 1)
    base::fail<poplibs_error>(where, "'metadata' has shape ", base::shapeText(metadata.shape()),
                              " of type ", metadata.elementType(),
                              "; it must be one element of type ", ::poplar::QUARTER_METADATA);
}

POP_INLINE void checkAccuracyArguments(char const *where, Tensor const &input, Type const &to) {
  using ::poputil::poplibs_error;
  if (!input.valid())
    base::fail<poplibs_error>(where, "'input' is an invalid tensor");
  if (input.numElements() != 1)
    base::fail<poplibs_error>(where, "'input' has shape ", base::shapeText(input.shape()),
                              "; it must have one element");
  Type const from = input.elementType();
  if (!(from == ::poplar::FLOAT && to == ::poplar::HALF) &&
      !(from == ::poplar::HALF && to == ::poplar::FLOAT))
    base::fail<poplibs_error>(where, "from ", from, " to ", to,
                              "; allowed: float to half, half to float");
}

/// \param debugContext  names the note on the plan
POP_INLINE void addCastVertices(::poplar::Graph &graph, Tensor const &src, Tensor const &dst,
                                ::poplar::ComputeSet cs,
                                ::poplar::DebugContext const &debugContext = {}) {
  ElementOrder const order = elementOrder(graph, dst, {src}, false);
  Tensor const in = order.flat(src), out = order.flat(dst);
  std::vector<Share> shares;
  planner::TileMapPlan plan;
  if (auto const job = castJob(graph, in, out)) {
    shares = plannedShares(graph, *job, out, debugContext, plan);
  } else {
    planner::ElementWiseProblem problem;
    problem.elements = out.numElements();
    shares = sharesOf(graph, out, planner::planElementWise(problem, crewOf(graph.getTarget())));
  }
  std::string const name =
      ::poputil::templateVertex("popops::Cast", in.elementType(), out.elementType());
  for (Share const &share : shares) {
    auto const v =
        graph.addVertex(cs, name, {{"in", partOf(in, share)}, {"out", partOf(out, share)}});
    graph.setTileMapping(v, share.tile);
  }
}

/// dst = src & src, of 64 bits.
POP_INLINE void addWideCopyVertices(::poplar::Graph &graph, Tensor const &src, Tensor const &dst,
                                    ::poplar::ComputeSet cs) {
  ElementOrder const order = elementOrder(graph, dst, {src}, false);
  Tensor const in = order.flat(src), out = order.flat(dst);
  planner::ElementWiseProblem problem;
  problem.elements = out.numElements();
  problem.bytesPer8 = 8 * 3 * 8;
  auto const plan = planner::planElementWise(problem, crewOf(graph.getTarget()));
  std::string const name = ::poputil::templateVertex("popops::MapWide", ::poplar::LONGLONG);
  for (Share const &share : sharesOf(graph, out, plan)) {
    Tensor const part = partOf(in, share);
    auto const v =
        graph.addVertex(cs, name, {{"a", part}, {"b", part}, {"out", partOf(out, share)}});
    graph.setInitialValue(v["op"], static_cast<unsigned>(vertices::MapOp::BITWISE_AND));
    graph.setInitialValue(v["single"], 0U);
    graph.setTileMapping(v, share.tile);
  }
}

// There is no cast from a type to itself: the bits go as signed and unsigned integers of their
// size.
POP_INLINE void addSameBitsVertices(::poplar::Graph &graph, Tensor const &src, Tensor const &dst,
                                    ::poplar::ComputeSet cs) {
  switch (graph.getTarget().getTypeSize(src.elementType())) {
  case 1:
    return addCastVertices(graph, src.reinterpret(::poplar::SIGNED_CHAR),
                           dst.reinterpret(::poplar::UNSIGNED_CHAR), cs);
  case 2:
    return addCastVertices(graph, src.reinterpret(::poplar::SHORT),
                           dst.reinterpret(::poplar::UNSIGNED_SHORT), cs);
  case 4:
    return addCastVertices(graph, src.reinterpret(::poplar::INT),
                           dst.reinterpret(::poplar::UNSIGNED_INT), cs);
  default:
    return addWideCopyVertices(graph, src.reinterpret(::poplar::LONGLONG),
                               dst.reinterpret(::poplar::LONGLONG), cs);
  }
}

/// Whether writing dst element by element could change what is still to be read of src.
POP_INLINE bool disturbs(Tensor const &dst, Tensor const &src) {
  return src.intersectsWith(dst) && src.getVarRegions() != dst.getVarRegions();
}

/// \param isDisturbed  dst is written when all of src was read
POP_INLINE ::poplar::program::Program castProgram(::poplar::Graph &graph, Tensor const &src,
                                                  Tensor const &dst, bool isDisturbed,
                                                  ::poplar::DebugContext const &debugContext) {
  using namespace ::poplar::program;
  if (sameBits(src.elementType(), dst.elementType()))
    return Copy(src.reinterpret(dst.elementType()), dst, false, debugContext);
  auto const cs = graph.addComputeSet(debugContext);
  Tensor const result = isDisturbed ? graph.clone(dst, debugContext) : dst;
  addCastVertices(graph, src, result, cs, debugContext);
  Sequence prog({Execute(cs, debugContext)}, debugContext);
  if (isDisturbed)
    prog.add(Copy(result, dst, false, debugContext));
  return prog;
}

} // namespace cottonwood::popops::detail

namespace cottonwood::popops {

POP_INLINE std::optional<TileMapJob> castJob(::poplar::Graph const &graph, Tensor const &in,
                                             Tensor const &out) {
  auto job = tileMapJob(graph, out, false);
  if (!job)
    return job;
  job->problem.vertex = planner::ElementVertex::CAST;
  job->problem.cast = detail::castKindOf(in.elementType(), out.elementType());
  job->operands.push_back(tileMapOperand(graph, in));
  return job;
}

} // namespace cottonwood::popops

namespace popops {

POP_INLINE void castWithOutput(poplar::Graph &graph, poplar::Tensor const &src,
                               poplar::Tensor const &dst, poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkCast("popops::castWithOutput", src, dst);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "castWithOutput");
  prog.add(detail::castProgram(graph, src, dst, detail::disturbs(dst, src), {di}));
}

POP_INLINE poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor const &src,
                               poplar::Type const &dstType, poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkNeedsNoMetadata("popops::cast", dstType);
  return cast(graph, src, dstType, poplar::Tensor(), prog, debugContext);
}

POP_INLINE poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor const &src,
                               poplar::Type const &dstType, poplar::Tensor const &metadata,
                               poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkCastMetadata("popops::cast", dstType, metadata);
  cottonwood::popops::detail::checkCast("popops::cast", src, dstType);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "cast");
  cottonwood::poputil::checkMapped(graph, src);
  poplar::Tensor const dst = graph.clone(dstType, metadata, src, {di});
  prog.add(cottonwood::popops::detail::castProgram(graph, src, dst, false, {di}));
  return dst;
}

POP_INLINE poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src,
                                         poplar::Tensor dst,
                                         poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkCast("popops::cast", src, dst);
  return detail::castProgram(graph, src, dst, detail::disturbs(dst, src), debugContext);
}

POP_INLINE void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                     poplar::ComputeSet cs) {
  namespace detail = cottonwood::popops::detail;
  detail::checkCast("popops::cast", src, dst);
  if (!detail::sameBits(src.elementType(), dst.elementType()))
    return detail::addCastVertices(graph, src, dst, cs);
  detail::addSameBitsVertices(graph, src, dst, cs);
}

POP_INLINE poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src,
                               poplar::Type const &dstType, poplar::ComputeSet cs,
                               poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkNeedsNoMetadata("popops::cast", dstType);
  return cast(graph, src, dstType, poplar::Tensor(), cs, debugContext);
}

POP_INLINE poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src,
                               poplar::Type const &dstType, poplar::Tensor const &metadata,
                               poplar::ComputeSet cs, poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkCastMetadata("popops::cast", dstType, metadata);
  cottonwood::popops::detail::checkCast("popops::cast", src, dstType);
  cottonwood::poputil::checkMapped(graph, src);
  poplar::Tensor const dst = graph.clone(dstType, metadata, src, debugContext);
  cast(graph, src, dst, cs);
  return dst;
}

POP_INLINE poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, poplar::Tensor const &input,
                                                poplar::Type outputType, double tolerance,
                                                poplar::program::Sequence &prog,
                                                poplar::DebugContext const &debugContext) {
  namespace pe = expr;
  cottonwood::popops::detail::checkAccuracyArguments("popops::checkAccuracyWhenCast", input,
                                                     outputType);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "checkAccuracyWhenCast");
  poplar::DebugContext const context(di);
  poplar::Tensor const x = input.flatten()[0];
  if (outputType == poplar::FLOAT) {
    poplar::Tensor const always = graph.addConstant(poplar::BOOL, {}, true, context);
    graph.setTileMapping(always, 0);
    return always;
  }
  auto const error =
      pe::Abs(pe::Sub(pe::Cast(pe::Cast(pe::_1, poplar::HALF), poplar::FLOAT), pe::_1));
  auto const allowed = pe::Mul(pe::Abs(pe::_1), pe::Const(static_cast<float>(tolerance)));
  return map(graph, pe::Gt(allowed, error), {x}, prog, context);
}

} // namespace popops
