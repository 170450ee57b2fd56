#pragma once

#include <popops/Cast.hpp>
#include <popops/impl/CastTypes.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/MapEmit.hpp>
#include <popops/impl/MapWide.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/VertexTemplates.hpp>

#include <codelets/popops/MapWideCost.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

// Operations on integers of 16 and 64 bits: programs of map vertices do not know them, so each is a
// vertex of its own.

namespace cottonwood::popops {

POP_INLINE bool isWideOperation(Term const &term) {
  if (term.kind != Term::Kind::OPERATION)
    return false;
  bool wide = !mapTypeOf(term.type);
  for (Term const &arg : term.args)
    wide = wide || !mapTypeOf(arg.type);
  return wide;
}

POP_INLINE bool isWideSupported(MapOp op, ::poplar::Type const &type,
                                ::poplar::Type const &result) {
  if (result.requiresMetadata()) // expressions have none to give
    return false;
  if (op == MapOp::CAST)
    return detail::isCastable(type, result) || detail::sameBits(type, result);
  using base::TypeId;
  return detail::isOneOf(type, {TypeId::LongLong, TypeId::UnsignedLongLong, TypeId::Short,
                                TypeId::UnsignedShort}) &&
         vertices::isWideOp(op, static_cast<unsigned>(base::sizeOf(type)),
                            base::typeInfo(type).isSigned);
}

/// Everything inside a wide operation, and every wide operation inside a narrow one, becomes a
/// tensor.
POP_INLINE void MapEmitter::separateWide(Term &term) {
  bool const wide = isWideOperation(term);
  for (Term &arg : term.args) {
    separateWide(arg);
    if (arg.kind == Term::Kind::OPERATION && (wide || isWideOperation(arg)))
      replaceByTensor(arg);
  }
}

namespace detail {

/// The bits of an integer in a type of that width, as the value that they are there.
POP_INLINE std::int64_t wrappedSigned(std::int64_t value, std::size_t bytes) {
  auto const unused = static_cast<unsigned>(64 - 8 * bytes);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

POP_INLINE std::uint64_t wrappedUnsigned(std::uint64_t value, std::size_t bytes) {
  auto const unused = static_cast<unsigned>(64 - 8 * bytes);
  return value << unused >> unused;
}

POP_INLINE Tensor addWideConstant(::poplar::Graph &graph, Term const &term) {
  ::poplar::Type const &type = term.type;
  ConstValue const &value = term.constant;
  std::size_t const bytes = base::sizeOf(type);
  if (type.isFloatingPoint())
    return graph.addConstant(type, {1}, value.number);
  if (type == ::poplar::BOOL)
    return graph.addConstant(type, {1}, value.number != 0);
  if (base::typeInfo(type).isSigned)
    return graph.addConstant(type, {1}, wrappedSigned(asSigned(value), bytes));
  return graph.addConstant(type, {1}, wrappedUnsigned(asUnsigned(value), bytes));
}

/// A constant of a wide operation as a tensor on that tile.
POP_INLINE Tensor wideConstant(::poplar::Graph &graph, Term const &term, unsigned tile) {
  Tensor const t = addWideConstant(graph, term);
  graph.setTileMapping(t, tile);
  return t;
}

/// An operand of a wide operation, for the elements of a share.
struct WideOperand {
  Term const *term;
  Tensor t;      ///< of an input
  Tensor spread; ///< flat, of as many elements as the result
  bool isSingle() const { return term->isConstant() || t.numElements() == 1; }
  Tensor region(::poplar::Graph &graph, Share const &share) const {
    return term->isConstant() ? wideConstant(graph, *term, share.tile)
           : isSingle()       ? t.flatten()
                              : partOf(spread, share);
  }
};

POP_INLINE std::string wideVertexName(Term const &term) {
  return ::poputil::templateVertex(term.op == MapOp::SELECT      ? "popops::SelectWide"
                                   : term.type == ::poplar::BOOL ? "popops::CompareWide"
                                                                 : "popops::MapWide",
                                   term.args[0].type);
}

} // namespace detail

/// Vertices do not write constants of these types: they are copied.
POP_INLINE void MapEmitter::emitWideConstant(Term const &term, Tensor const &out) {
  Tensor source = detail::wideConstant(graph_, term, 0)[0];
  ::poputil::broadcastToMatch(source, out.shape());
  copies_.emplace_back(source, out, false, debugContext_);
}

POP_INLINE void MapEmitter::emitWideCast(Term const &term, Tensor const &out) {
  Tensor source = term.args[0].isConstant() ? detail::wideConstant(graph_, term.args[0], 0)
                                            : tensors_[term.args[0].input];
  if (source.numElements() == 1)
    source = source.flatten()[0];
  ::poputil::broadcastToMatch(source, out.shape());
  if (detail::sameBits(term.args[0].type, term.type))
    copies_.emplace_back(source.reinterpret(term.type), out, false, debugContext_);
  else
    ::popops::cast(graph_, source, out, set_);
}

/// The operation of a term whose operands are tensors and constants.
POP_INLINE void MapEmitter::emitWide(Term const &term, Tensor const &out) {
  if (!hasSet_) {
    set_ = graph_.addComputeSet(debugContext_);
    hasSet_ = true;
  }
  if (term.op == MapOp::CAST)
    return emitWideCast(term, out);
  ElementOrder const order = elementOrder(graph_, out);
  Tensor const flat = order.flat(out);
  static constexpr char const *FIELDS[] = {"a", "b", "condition"};
  std::vector<detail::WideOperand> operands;
  unsigned single = 0;
  for (Term const &arg : term.args) {
    detail::WideOperand operand{&arg, {}, {}};
    if (arg.isInput()) {
      operand.t = tensors_[arg.input];
      Tensor spread = operand.t.numElements() == 1 ? operand.t.flatten()[0] : operand.t;
      ::poputil::broadcastToMatch(spread, out.shape());
      operand.spread = order.flat(spread);
    }
    single |= operand.isSingle() ? 1U << operands.size() : 0;
    operands.push_back(operand);
  }
  planner::ElementWiseProblem problem;
  problem.elements = flat.numElements();
  problem.bytesPer8 = static_cast<unsigned>(8 * 3 * base::sizeOf(term.args[0].type));
  auto const plan = planner::planElementWise(problem, crewOf(graph_.getTarget()));
  for (Share const &share : sharesOf(graph_, flat, plan)) {
    ::poplar::VertexRef const v = graph_.addVertex(set_, detail::wideVertexName(term));
    for (std::size_t i = 0; i != operands.size(); ++i)
      graph_.connect(v[FIELDS[i]], operands[i].region(graph_, share));
    if (operands.size() == 1) // b is not read
      graph_.connect(v["b"], operands[0].region(graph_, share));
    graph_.connect(v["out"], partOf(flat, share));
    if (term.op != MapOp::SELECT)
      graph_.setInitialValue(v["op"], static_cast<unsigned>(term.op));
    graph_.setInitialValue(v["single"], single);
    graph_.setTileMapping(v, share.tile);
  }
}

} // namespace cottonwood::popops
