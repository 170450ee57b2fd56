// Elementwise expressions with types: what an expr::Expr becomes before it is planned and emitted.
#pragma once

#include <popops/Expr.hpp>
#include <popops/impl/ConstValue.hpp>

#include <codelets/popops/MapProgram.hpp>
#include <poplar/Type.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::popops {

using vertices::MapOp;
using vertices::MapType;

/// A node of a typed expression tree. CAST is an operation like others.
struct Term {
  enum class Kind { INPUT, CONSTANT, OPERATION };

  Kind kind = Kind::INPUT;
  ::poplar::Type type;    ///< of the value; unset while it waits for a neighbour's
  unsigned input = 0;     ///< INPUT: index into the tensors, from 0
  ConstValue constant;    ///< CONSTANT
  ::poplar::Type ownType; ///< CONSTANT: the type it was written with
  MapOp op = MapOp::COPY; ///< OPERATION
  std::vector<Term> args;

  bool isInput() const { return kind == Kind::INPUT; }
  bool isConstant() const { return kind == Kind::CONSTANT; }
  bool isOperation(MapOp which) const { return kind == Kind::OPERATION && op == which; }

  static Term makeInput(unsigned index, ::poplar::Type type) {
    Term term;
    term.input = index;
    term.type = type;
    return term;
  }
  static Term makeOperation(MapOp op, ::poplar::Type type, std::vector<Term> args) {
    Term term;
    term.kind = Kind::OPERATION;
    term.op = op;
    term.type = type;
    term.args = std::move(args);
    return term;
  }
};

/// Gives every node a type: a constant takes that of the operand beside it, through operations that
/// keep the type. \param where  the function whose arguments these are, for messages. \param types
/// element types of the tensors. \throws poputil::poplibs_error  types cannot be found or do not
/// fit, or an operation does not exist for a type; the
///         text has the expression and the tensors' types.
POP_API POP_INLINE Term typedTerm(char const *where, ::popops::expr::Expr const &expr,
                                  std::span<::poplar::Type const> types);

/// Rewrites that keep the value up to rounding: x^2 to square(x), x * 1 to x, x % 8 to x & 7 for
/// unsigned x, and others.
POP_INLINE Term simplified(Term term);

/// The type as programs of vertices know it; nothing for types they do not work on.
POP_INLINE std::optional<MapType> mapTypeOf(::poplar::Type const &type);

/// The bits of a constant as MapOperand::bits.
POP_INLINE std::uint32_t constantBits(ConstValue const &value, MapType type);

/// Marks inputs that a term reads.
POP_INLINE void collectInputs(Term const &term, std::vector<bool> &used);

POP_INLINE std::string operationName(MapOp op);

} // namespace cottonwood::popops
