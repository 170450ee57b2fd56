#pragma once

#include <popops/impl/CastTypes.hpp>
#include <popops/impl/MapTerm.hpp>
#include <popops/impl/MapWide.hpp>
#include <popops/impl/OpNames.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Half.hpp>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace cottonwood::popops {

POP_INLINE std::optional<MapType> mapTypeOf(::poplar::Type const &type) {
  switch (type.id()) {
  case base::TypeId::Float:
    return MapType::FLOAT;
  case base::TypeId::Half:
    return MapType::HALF;
  case base::TypeId::Int:
    return MapType::INT;
  case base::TypeId::UnsignedInt:
    return MapType::UNSIGNED_INT;
  case base::TypeId::Bool:
    return MapType::BOOL;
  default:
    return std::nullopt;
  }
}

POP_INLINE std::uint32_t constantBits(ConstValue const &value, MapType type) {
  switch (type) {
  case MapType::FLOAT: {
    // From the integer, not its double: one rounding.
    float const number = value.isFloat ? static_cast<float>(value.number)
                         : value.isNegative
                             ? static_cast<float>(static_cast<std::int64_t>(value.integer))
                             : static_cast<float>(value.integer);
    std::uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  }
  case MapType::HALF:
    return base::doubleToHalf(value.number);
  case MapType::INT:
    return static_cast<std::uint32_t>(asSigned(value));
  case MapType::UNSIGNED_INT:
    return static_cast<std::uint32_t>(asUnsigned(value));
  default:
    return value.isFloat ? value.number != 0 : value.integer != 0;
  }
}

POP_INLINE void collectInputs(Term const &term, std::vector<bool> &used) {
  if (term.isInput())
    used.at(term.input) = true;
  for (Term const &arg : term.args)
    collectInputs(arg, used);
}

POP_INLINE std::string operationName(MapOp op) {
  using namespace ::popops::expr;
  auto const i = static_cast<unsigned>(op);
  if (i <= static_cast<unsigned>(UnaryOpType::TRUNC))
    return std::string(nameOf(static_cast<UnaryOpType>(i)).debug);
  auto const b = i - static_cast<unsigned>(vertices::FIRST_BINARY_MAP_OP);
  if (op >= vertices::FIRST_BINARY_MAP_OP &&
      b <= static_cast<unsigned>(BinaryOpType::VARIANCE_TO_INV_STD_DEV))
    return std::string(nameOf(static_cast<BinaryOpType>(b)).debug);
  if (op >= vertices::FIRST_TERNARY_MAP_OP)
    return std::string(nameOf(static_cast<TernaryOpType>(
                                  i - static_cast<unsigned>(vertices::FIRST_TERNARY_MAP_OP)))
                           .debug);
  return op == MapOp::CAST ? "Cast" : op == MapOp::COPY ? "Copy" : "operation " + std::to_string(i);
}

namespace detail {

using ::poplar::Type;
namespace expr = ::popops::expr;

class TermTyper {
public:
  TermTyper(char const *where, expr::Expr const &root, std::span<Type const> types)
      : where_(where), root_(root), types_(types) {}

  Term run() {
    Term term = build(root_);
    require(term, "the expression");
    checkSupport(term);
    return term;
  }

private:
  [[noreturn]] void fail(std::string const &what) const {
    std::ostringstream text;
    text << where_ << ": " << what << ", in the expression\n" << root_ << "\nwith ";
    for (std::size_t i = 0; i != types_.size(); ++i)
      text << (i ? ", " : "") << "_" << i + 1 << " of type "
           << types_[i].toString().cloneAsString();
    if (types_.empty())
      text << "no tensors";
    throw ::poputil::poplibs_error(text.str());
  }

  static bool typed(Term const &term) { return term.type != Type(); }

  // Sets the type of a subtree that has none yet.
  static void assign(Term &term, Type const &type) {
    if (typed(term))
      return;
    term.type = type;
    if (term.kind == Term::Kind::OPERATION)
      for (std::size_t i = 0; i != term.args.size(); ++i)
        assign(term.args[i], type);
  }

  // Constants that nothing else gives a type keep their own, where Select allows it.
  static Type ownType(Term const &term) {
    if (typed(term))
      return term.type;
    if (term.isConstant())
      return term.ownType;
    if (term.isOperation(MapOp::SELECT)) {
      Type const a = ownType(term.args[0]);
      return a == ownType(term.args[1]) ? a : Type();
    }
    return Type();
  }

  void require(Term &term, char const *what) {
    if (!typed(term) && term.isOperation(MapOp::SELECT))
      assign(term, ownType(term));
    if (!typed(term))
      fail(std::string("the type of ") + what + " cannot be inferred: it has constants only");
  }

  // The common type of two operands: one gives it to the other.
  void unify(Term &a, Term &b, MapOp op) {
    if (typed(a))
      assign(b, a.type);
    else if (typed(b))
      assign(a, b.type);
    if (a.type != b.type)
      fail("the operands of " + operationName(op) + " must have same type, but they are of " +
           a.type.toString().cloneAsString() + " and " + b.type.toString().cloneAsString());
  }

  // What walks terms calls itself for each level.
  static constexpr unsigned MAX_DEPTH = 1000;

  Term build(expr::Expr const &e) {
    if (++depth_ > MAX_DEPTH)
      base::fail<::poputil::poplibs_error>(where_, "the expression is nested deeper than ",
                                           MAX_DEPTH,
                                           " operations; compute parts of it on their own");
    Term term = buildNode(e);
    --depth_;
    return term;
  }

  Term buildNode(expr::Expr const &e) {
    if (auto const *node = e.getAs<expr::PlaceHolder>())
      return buildInput(*node);
    if (auto const *node = e.getAs<expr::Const>())
      return buildConstant(*node);
    if (auto const *node = e.getAs<expr::Cast>()) {
      Term arg = build(node->getLHS());
      require(arg, "the operand of Cast");
      return Term::makeOperation(MapOp::CAST, node->getRHSType(), {std::move(arg)});
    }
    if (auto const *node = e.getAs<expr::UnaryOp>())
      return buildUnary(*node);
    if (auto const *node = e.getAs<expr::BinaryOp>())
      return buildBinary(*node);
    if (auto const *node = e.getAs<expr::TernaryOp>())
      return buildTernary(*node);
    fail("it has a node of an unknown class");
  }

  Term buildInput(expr::PlaceHolder const &node) {
    unsigned const index = node.getIndex();
    if (index == 0 || index > types_.size())
      fail("placeholder _" + std::to_string(index) + " stands for none of " +
           std::to_string(types_.size()) + " tensors; they count from _1");
    return Term::makeInput(index - 1, types_[index - 1]);
  }

  static Term buildConstant(expr::Const const &node) {
    Term term;
    term.kind = Term::Kind::CONSTANT;
    term.constant = valueOf(node);
    term.ownType = node.getType();
    return term;
  }

  // The expression cannot be printed: the operation has no name.
  template <class Op> void requireOp(Op op, Op last, char const *type) const {
    if (static_cast<int>(op) < 0 || op > last)
      base::fail<::poputil::poplibs_error>(where_, "the expression has an operation of ", type, " ",
                                           static_cast<int>(op), "; allowed: 0 to ",
                                           static_cast<int>(last));
  }

  Term buildUnary(expr::UnaryOp const &node) {
    requireOp(node.getOpType(), expr::UnaryOpType::TRUNC, "UnaryOpType");
    MapOp const op = vertices::unaryMapOp(static_cast<int>(node.getOpType()));
    Term arg = build(node.getArg());
    if (vertices::givesBool(op))
      require(arg, ("the operand of " + operationName(op)).c_str());
    Type const type = vertices::givesBool(op) ? ::poplar::BOOL : arg.type;
    return Term::makeOperation(op, type, {std::move(arg)});
  }

  Term buildBinary(expr::BinaryOp const &node) {
    requireOp(node.getOpType(), expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV, "BinaryOpType");
    MapOp const op = vertices::binaryMapOp(static_cast<int>(node.getOpType()));
    Term a = build(node.getLHS());
    Term b = build(node.getRHS());
    unify(a, b, op);
    if (vertices::givesBool(op) && !typed(a))
      fail("the types of the operands of " + operationName(op) +
           " cannot be inferred: both are constants");
    Type const type = vertices::givesBool(op) ? ::poplar::BOOL : a.type;
    return Term::makeOperation(op, type, {std::move(a), std::move(b)});
  }

  Term buildTernary(expr::TernaryOp const &node) {
    requireOp(node.getOpType(), expr::TernaryOpType::SELECT, "TernaryOpType");
    return node.getOpType() == expr::TernaryOpType::SELECT ? buildSelect(node) : buildClamp(node);
  }

  Term buildSelect(expr::TernaryOp const &node) {
    Term a = build(node.getArg0());
    Term b = build(node.getArg1());
    Term condition = build(node.getArg2());
    unify(a, b, MapOp::SELECT);
    if (!typed(condition))
      assign(condition, ownType(condition));
    if (condition.type != ::poplar::BOOL)
      fail("the condition of Select must be bool, but it is of " +
           condition.type.toString().cloneAsString());
    Type const type = a.type;
    return Term::makeOperation(MapOp::SELECT, type,
                               {std::move(a), std::move(b), std::move(condition)});
  }

  Term buildClamp(expr::TernaryOp const &node) {
    Term value = build(node.getArg0());
    Term low = build(node.getArg1());
    Term high = build(node.getArg2());
    require(value, "the value of Clamp");
    unify(value, low, MapOp::CLAMP);
    unify(value, high, MapOp::CLAMP);
    Type const type = value.type;
    return Term::makeOperation(MapOp::CLAMP, type,
                               {std::move(value), std::move(low), std::move(high)});
  }

  void checkSupport(Term const &term) const {
    for (Term const &arg : term.args)
      checkSupport(arg);
    if (term.kind != Term::Kind::OPERATION)
      return;
    auto const type = mapTypeOf(term.args[0].type);
    bool const supported = isWideOperation(term)
                               ? isWideSupported(term.op, term.args[0].type, term.type)
                               : vertices::isSupported(term.op, *type);
    if (!supported)
      fail(operationName(term.op) + " does not exist for elements of type " +
           term.args[0].type.toString().cloneAsString() +
           (term.op == MapOp::CAST ? " to " + term.type.toString().cloneAsString() : "") +
           "; allowed: " + (term.op == MapOp::CAST ? CASTABLE_PAIRS : allowedTypes(term.op)));
  }

  static std::string allowedTypes(MapOp op) {
    std::string text;
    for (Type const &type :
         {::poplar::FLOAT, ::poplar::HALF, ::poplar::INT, ::poplar::UNSIGNED_INT, ::poplar::BOOL})
      if (vertices::isSupported(op, *mapTypeOf(type)))
        text += (text.empty() ? "" : ", ") + type.toString().cloneAsString();
    for (Type const &type : {::poplar::SHORT, ::poplar::UNSIGNED_SHORT, ::poplar::LONGLONG,
                             ::poplar::UNSIGNED_LONGLONG})
      if (isWideSupported(op, type, type))
        text += ", " + type.toString().cloneAsString();
    return text;
  }

  char const *where_;
  expr::Expr const &root_;
  std::span<Type const> types_;
  unsigned depth_ = 0;
};

POP_INLINE bool isNumber(Term const &term, double value) {
  return term.isConstant() && term.constant.number == value;
}

// log2 of an unsigned constant that is a power of two.
POP_INLINE std::optional<unsigned> powerOfTwo(Term const &term) {
  if (!term.isConstant() || term.type != ::poplar::UNSIGNED_INT)
    return std::nullopt;
  auto const bits = static_cast<std::uint32_t>(asUnsigned(term.constant));
  if (bits == 0 || (bits & (bits - 1)) != 0)
    return std::nullopt;
  return static_cast<unsigned>(__builtin_ctz(bits));
}

POP_INLINE Term unsignedConstant(std::uint32_t value) {
  Term term;
  term.kind = Term::Kind::CONSTANT;
  term.type = term.ownType = ::poplar::UNSIGNED_INT;
  term.constant.integer = value;
  term.constant.number = static_cast<double>(value);
  return term;
}

POP_INLINE Term simplifiedPower(Term term) {
  Term const &exponent = term.args[1];
  bool const floating = term.type.isFloatingPoint();
  auto unary = [&](MapOp op) {
    return Term::makeOperation(op, term.type, {std::move(term.args[0])});
  };
  if (isNumber(exponent, 1))
    return std::move(term.args[0]);
  if (isNumber(exponent, 2))
    return unary(MapOp::SQUARE);
  if (floating && isNumber(exponent, 0.5))
    return unary(MapOp::SQRT);
  if (floating && isNumber(exponent, -0.5))
    return unary(MapOp::RSQRT);
  if (floating && isNumber(exponent, -1))
    return unary(MapOp::INVERSE);
  return term;
}

POP_INLINE Term simplifiedByPowerOfTwo(Term term) {
  auto const shift = powerOfTwo(term.args[1]);
  if (!shift)
    return term;
  bool const remainder = term.op == MapOp::REMAINDER;
  term.op = remainder ? MapOp::BITWISE_AND : MapOp::SHIFT_RIGHT;
  term.args[1] = unsignedConstant(remainder ? (1U << *shift) - 1 : *shift);
  return term;
}

// Operations that a constant operand makes the identity of the other one.
POP_INLINE bool isNeutral(MapOp op, Term const &constant, bool onTheLeft) {
  switch (op) {
  case MapOp::ADD:
    return isNumber(constant, 0);
  case MapOp::MULTIPLY:
    return isNumber(constant, 1);
  case MapOp::SUBTRACT:
  case MapOp::SHIFT_LEFT:
  case MapOp::SHIFT_RIGHT:
    return !onTheLeft && isNumber(constant, 0);
  case MapOp::DIVIDE:
    return !onTheLeft && isNumber(constant, 1);
  default:
    return false;
  }
}

POP_INLINE Term simplifiedBinary(Term term) {
  if (term.op == MapOp::POWER)
    return simplifiedPower(std::move(term));
  if (isNeutral(term.op, term.args[1], false))
    return std::move(term.args[0]);
  if (isNeutral(term.op, term.args[0], true))
    return std::move(term.args[1]);
  if (term.op == MapOp::REMAINDER || term.op == MapOp::DIVIDE)
    return simplifiedByPowerOfTwo(std::move(term));
  return term;
}

} // namespace detail

POP_INLINE Term typedTerm(char const *where, ::popops::expr::Expr const &expr,
                          std::span<::poplar::Type const> types) {
  return detail::TermTyper(where, expr, types).run();
}

POP_INLINE Term simplified(Term term) {
  for (Term &arg : term.args)
    arg = simplified(std::move(arg));
  if (term.kind != Term::Kind::OPERATION)
    return term;
  if (term.op == MapOp::SELECT && term.args[2].isConstant()) {
    bool const condition = term.args[2].constant.number != 0;
    return std::move(term.args[condition ? 0 : 1]);
  }
  if (vertices::arity(term.op) == 2)
    return detail::simplifiedBinary(std::move(term));
  return term;
}

} // namespace cottonwood::popops
