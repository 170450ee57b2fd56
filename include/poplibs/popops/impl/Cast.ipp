#pragma once

#include <popops/Cast.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

using base::TypeId;
using ::poplar::Type;

POP_INLINE bool isOneOf(Type const &type, std::initializer_list<TypeId> ids) {
  return std::find(ids.begin(), ids.end(), type.id()) != ids.end();
}

POP_INLINE bool isLongLong(Type const &type) {
  return isOneOf(type, {TypeId::LongLong, TypeId::UnsignedLongLong});
}

POP_INLINE bool isCastableInteger(Type const &type) {
  return isOneOf(type, {TypeId::Char, TypeId::SignedChar, TypeId::UnsignedChar, TypeId::Short,
                        TypeId::UnsignedShort, TypeId::Int, TypeId::UnsignedInt, TypeId::Bool});
}

POP_INLINE bool isCastable(Type const &from, Type const &to) {
  bool const fromSmall = isCastableInteger(from);
  if (isLongLong(to))
    return fromSmall;
  bool const toFloating = isOneOf(to, {TypeId::Float, TypeId::Half});
  return (fromSmall || isOneOf(from, {TypeId::Float, TypeId::Half})) &&
         (toFloating || isCastableInteger(to));
}

/// Whether the bits are the value in both types.
POP_INLINE bool sameBits(Type const &a, Type const &b) {
  return a == b || (isLongLong(a) && isLongLong(b)) ||
         (isOneOf(a, {TypeId::Int, TypeId::UnsignedInt}) &&
          isOneOf(b, {TypeId::Int, TypeId::UnsignedInt}));
}

POP_INLINE void checkCast(char const *where, Tensor const &src, Type const &to) {
  if (!src.valid())
    base::fail<::poputil::poplibs_error>(where, "the source is an invalid tensor");
  Type const from = src.elementType();
  if (!sameBits(from, to) && !isCastable(from, to))
    base::fail<::poputil::poplibs_error>(
        where, "from ", from, " to ", to,
        "; allowed: float, half, bool and integers of up to 32 bits to each other, the latter two "
        "also to 64-bit integers");
}

POP_INLINE void checkCast(char const *where, Tensor const &src, Tensor const &dst) {
  checkCast(where, src, dst.elementType());
  if (src.shape() != dst.shape())
    base::fail<::poputil::poplibs_error>(where, "the source has shape ",
                                         base::shapeText(src.shape()), ", the destination ",
                                         base::shapeText(dst.shape()), "; they must be equal");
}

POP_INLINE void addCastVertices(::poplar::Graph &graph, Tensor const &src, Tensor const &dst,
                                ::poplar::ComputeSet cs) {
  auto const order = memoryOrder(dst);
  Tensor in = src.dimShuffle(order).flatten(), out = dst.dimShuffle(order).flatten();
  planner::ElementWiseProblem problem;
  problem.elements = out.numElements();
  auto const plan = planner::planElementWise(problem, crewOf(graph.getTarget()));
  std::string const name =
      ::poputil::templateVertex("popops::Cast", in.elementType(), out.elementType());
  for (Share const &share : sharesOf(graph, out, plan)) {
    auto const v =
        graph.addVertex(cs, name, {{"in", partOf(in, share)}, {"out", partOf(out, share)}});
    graph.setTileMapping(v, share.tile);
  }
}

// There is no vertex from a type to itself: the bits go as signed and unsigned integers of their
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
    base::fail<::poputil::poplibs_error>("popops::cast", "from ", src.elementType(), " to ",
                                         dst.elementType(),
                                         " in a compute set; use the form that takes a program");
  }
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE void castWithOutput(poplar::Graph &graph, poplar::Tensor const &src,
                               poplar::Tensor const &dst, poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "castWithOutput");
  prog.add(cast(graph, src, dst, {di}));
}

POP_INLINE poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor const &src,
                               poplar::Type const &dstType, poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkCast("popops::cast", src, dstType);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "cast");
  poplar::Tensor const dst = graph.clone(dstType, src, {di});
  prog.add(cast(graph, src, dst, {di}));
  return dst;
}

POP_INLINE poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src,
                                         poplar::Tensor dst,
                                         poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkCast("popops::cast", src, dst);
  if (detail::sameBits(src.elementType(), dst.elementType()))
    return poplar::program::Copy(src.reinterpret(dst.elementType()), dst, false, debugContext);
  poplar::ComputeSet const cs = graph.addComputeSet(debugContext);
  detail::addCastVertices(graph, src, dst, cs);
  return poplar::program::Sequence({poplar::program::Execute(cs, debugContext)}, debugContext);
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
  cottonwood::popops::detail::checkCast("popops::cast", src, dstType);
  poplar::Tensor const dst = graph.clone(dstType, src, debugContext);
  cast(graph, src, dst, cs);
  return dst;
}

} // namespace popops
