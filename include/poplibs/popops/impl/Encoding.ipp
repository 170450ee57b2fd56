#pragma once

#include <popops/Encoding.hpp>
#include <popops/impl/Positions.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckWriteable.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

inline constexpr char const *ONE_HOT = "popops::encodeOneHot";

POP_INLINE void checkOneHot(Tensor const &indices, Tensor const &encoded) {
  if (!indices.valid() || !encoded.valid())
    base::fail<::poputil::poplibs_error>(ONE_HOT, "'", indices.valid() ? "encoded" : "indices",
                                         "' is an invalid tensor");
  if (indices.elementType() != ::poplar::UNSIGNED_INT && indices.elementType() != ::poplar::INT)
    base::fail<::poputil::poplibs_error>(ONE_HOT, "'indices' is of type ", indices.elementType(),
                                         "; allowed: int, unsigned int");
  ::poplar::Type const type = encoded.elementType();
  if (type != ::poplar::FLOAT && type != ::poplar::HALF && type != ::poplar::INT &&
      type != ::poplar::UNSIGNED_INT)
    base::fail<::poputil::poplibs_error>(ONE_HOT, "'encoded' is of type ", type,
                                         "; allowed: float, half, int, unsigned int");
  if (indices.rank() != 1 || encoded.rank() != 2 || encoded.dim(0) != indices.dim(0))
    base::fail<::poputil::poplibs_error>(
        ONE_HOT, "'indices' has shape ", base::shapeText(indices.shape()), " and 'encoded' ",
        base::shapeText(encoded.shape()), "; they must be [N] and [N, C]");
  poputil::checkWriteable(ONE_HOT, "'encoded'", encoded);
}

POP_INLINE void checkOneHotValue(char const *what, Tensor const &value, Tensor const &encoded) {
  if (!value.valid())
    base::fail<::poputil::poplibs_error>(ONE_HOT, "'", what, "' is an invalid tensor");
  if (value.numElements() != 1 || value.elementType() != encoded.elementType())
    base::fail<::poputil::poplibs_error>(
        ONE_HOT, "'", what, "' has shape ", base::shapeText(value.shape()), " of type ",
        value.elementType(), "; it must be one element of the type of 'encoded', ",
        encoded.elementType());
}

/// The same bits as an unsigned integer of their size.
POP_INLINE Tensor asBits(::poplar::Graph const &graph, Tensor const &t) {
  return t.reinterpret(graph.getTarget().getTypeSize(t.elementType()) == 2
                           ? ::poplar::UNSIGNED_SHORT
                           : ::poplar::UNSIGNED_INT);
}

POP_INLINE void emitOneHot(::poplar::Graph &graph, Tensor indices, Tensor const &encoded, Tensor on,
                           Tensor off, ::poplar::program::Sequence &prog,
                           ::poplar::DebugContext const &debugContext) {
  if (encoded.numElements() == 0)
    return;
  poputil::readBeforeWrites(graph, {&indices, &on, &off}, encoded, prog, debugContext);
  auto const shares = positionSharesOf(graph, encoded);
  if (shares.empty()) {
    Tensor const twin = addLinearTwin(graph, encoded, debugContext);
    emitOneHot(graph, indices, twin, on, off, prog, debugContext);
    prog.add(::poplar::program::Copy(twin, encoded, false, debugContext));
    return;
  }
  auto const cs = graph.addComputeSet(debugContext);
  Tensor const flat = asBits(graph, encoded).flatten();
  Tensor const numbers = indices.reinterpret(::poplar::UNSIGNED_INT);
  std::string const name = ::poputil::templateVertex("popops::OneHot", flat.elementType());
  for (PositionShare const &share : shares) {
    auto const v = graph.addVertex(cs, name,
                                   {{"indices", numbers.slice(share.rows)},
                                    {"out", flat.slice(share.elements)},
                                    {"on", asBits(graph, on).flatten()[0]},
                                    {"off", asBits(graph, off).flatten()[0]}});
    graph.setInitialValue(v["columns"], static_cast<unsigned>(encoded.dim(1)));
    graph.setInitialValue(v["column"], share.column);
    graph.setTileMapping(v, share.tile);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
}

POP_INLINE Tensor constantOf(::poplar::Graph &graph, ::poplar::Type const &type, int value,
                             ::poplar::DebugContext const &debugContext) {
  Tensor const constant = graph.addConstant(type, {}, value, debugContext);
  graph.setTileMapping(constant, 0);
  return constant;
}

POP_INLINE void emitIota(::poplar::Graph &graph, Tensor const &t, ::poplar::Type const &type,
                         unsigned start, ::poplar::program::Sequence &prog,
                         ::poplar::DebugContext const &debugContext) {
  char const *const where = "popops::iota";
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "'t' is an invalid tensor");
  if (t.rank() > 1)
    base::fail<::poputil::poplibs_error>(where, "'t' has shape ", base::shapeText(t.shape()),
                                         "; its rank must be 0 or 1");
  if (t.elementType() != type)
    base::fail<::poputil::poplibs_error>(where, "'t' is of type ", t.elementType(),
                                         "; with this 'startInteger' it must be ", type);
  if (t.numElements() == 0)
    return;
  poputil::checkWriteable(where, "'t'", t);
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "iota");
  Tensor const matrix = t.flatten().expand({0});
  auto const shares = positionSharesOf(graph, matrix);
  if (shares.empty()) {
    Tensor const twin = addLinearTwin(graph, matrix, {di});
    emitIota(graph, twin.flatten(), type, start, prog, {di});
    prog.add(::poplar::program::Copy(twin, matrix, false, {di}));
    return;
  }
  auto const cs = graph.addComputeSet({di});
  Tensor const flat = matrix.reinterpret(::poplar::UNSIGNED_INT).flatten();
  for (PositionShare const &share : shares) {
    auto const v = graph.addVertex(cs, "popops::Iota", {{"out", flat.slice(share.elements)}});
    graph.setInitialValue(v["start"], start + static_cast<unsigned>(share.elements.begin()));
    graph.setTileMapping(v, share.tile);
  }
  prog.add(::poplar::program::Execute(cs, {di}));
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE void encodeOneHot(poplar::Graph &graph, poplar::Tensor const &indices,
                             poplar::Tensor const &encoded, poplar::program::Sequence &prog,
                             poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkOneHot(indices, encoded);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "encodeOneHot");
  auto const type = encoded.elementType();
  detail::emitOneHot(graph, indices, encoded, detail::constantOf(graph, type, 1, {di}),
                     detail::constantOf(graph, type, 0, {di}), prog, {di});
}

POP_INLINE void encodeOneHot(poplar::Graph &graph, poplar::Tensor const &indices,
                             poplar::Tensor const &encoded, poplar::program::Sequence &prog,
                             poplar::Tensor const &on, poplar::Tensor const &off,
                             poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkOneHot(indices, encoded);
  detail::checkOneHotValue("on", on, encoded);
  detail::checkOneHotValue("off", off, encoded);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "encodeOneHot");
  detail::emitOneHot(graph, indices, encoded, on, off, prog, {di});
}

POP_INLINE void iota(poplar::Graph &graph, poplar::Tensor const &t, unsigned startInteger,
                     poplar::program::Sequence &prog, poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::emitIota(graph, t, poplar::UNSIGNED_INT, startInteger, prog,
                                       debugContext);
}

POP_INLINE void iota(poplar::Graph &graph, poplar::Tensor const &t, int startInteger,
                     poplar::program::Sequence &prog, poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::emitIota(graph, t, poplar::INT, static_cast<unsigned>(startInteger),
                                       prog, debugContext);
}

} // namespace popops
