#pragma once

#include <popops/Expr.hpp>
#include <popops/impl/ConstValue.hpp>
#include <popops/impl/OpNames.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Half.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <ostream>

namespace cottonwood::popops {
namespace detail {

template <class T> T readAs(char const *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

POP_INLINE ConstValue floatValue(::popops::expr::Const const &constant) {
  ConstValue result;
  result.isFloat = true;
  switch (constant.getTypeTraits().size) {
  case 2:
    result.number =
        static_cast<double>(base::halfToFloat(readAs<std::uint16_t>(constant.getData())));
    break;
  case 4:
    result.number = static_cast<double>(readAs<float>(constant.getData()));
    break;
  case 8:
    result.number = readAs<double>(constant.getData());
    break;
  default:
    result.number = static_cast<double>(readAs<long double>(constant.getData()));
  }
  return result;
}

POP_INLINE std::uint64_t integerBits(::popops::expr::Const const &constant) {
  bool isSigned = constant.getTypeTraits().isSigned;
  auto widen = [&](auto u, auto s) {
    using U = decltype(u);
    using S = decltype(s);
    U bits = readAs<U>(constant.getData());
    return isSigned ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<S>(bits)))
                    : bits;
  };
  switch (constant.getTypeTraits().size) {
  case 1:
    return widen(std::uint8_t{}, std::int8_t{});
  case 2:
    return widen(std::uint16_t{}, std::int16_t{});
  case 4:
    return widen(std::uint32_t{}, std::int32_t{});
  default:
    return widen(std::uint64_t{}, std::int64_t{});
  }
}

// Identifier-safe name of an element type: "float", "uint", "unsigned_char".
POP_INLINE std::string shortTypeName(::poplar::Type const &type) {
  if (type == ::poplar::UNSIGNED_INT)
    return "uint";
  if (type == ::poplar::UNSIGNED_SHORT)
    return "ushort";
  std::string text = type.toString();
  for (char &c : text)
    if (c == ' ')
      c = '_';
  return text;
}

POP_INLINE std::string printReal(double value, bool isFloat) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  std::string text = buffer;
  if (!isFloat || !std::isfinite(value))
    return text;
  bool hasPoint = text.find_first_of(".e") != std::string::npos;
  return text + (hasPoint ? "f" : ".f");
}

POP_INLINE void printIndent(std::ostream &os, unsigned indent, bool pretty) {
  if (pretty)
    os << std::string(indent, ' ');
}

// Name(, the children separated by commas, and the closing bracket.
POP_INLINE void printNode(std::ostream &os, unsigned indent, bool pretty, std::string_view head,
                          std::initializer_list<::popops::expr::Expr const *> children) {
  printIndent(os, indent, pretty);
  os << head;
  char const *separator = "";
  for (::popops::expr::Expr const *child : children) {
    os << separator << (pretty ? "\n" : "");
    child->print(os, indent + 2, pretty);
    separator = ",";
  }
  if (pretty)
    os << "\n" << std::string(indent, ' ');
  os << ")";
}

POP_INLINE std::string opName(std::string_view enumerator, std::string const &arguments) {
  return std::string(enumerator) + "u_" + arguments + "_d";
}

} // namespace detail

POP_INLINE ConstValue valueOf(::popops::expr::Const const &constant) {
  if (constant.getTypeTraits().isFloat)
    return detail::floatValue(constant);
  ConstValue result;
  result.integer = detail::integerBits(constant);
  result.isNegative =
      constant.getTypeTraits().isSigned && static_cast<std::int64_t>(result.integer) < 0;
  result.number = result.isNegative ? static_cast<double>(static_cast<std::int64_t>(result.integer))
                                    : static_cast<double>(result.integer);
  return result;
}

POP_INLINE std::int64_t asSigned(ConstValue const &value) {
  if (!value.isFloat)
    return static_cast<std::int64_t>(value.integer);
  // Out of range and NaN: what the conversion instruction of the CPU gives, but defined.
  if (!(value.number >= -9223372036854775808.0 && value.number < 9223372036854775808.0))
    return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value.number);
}

POP_INLINE std::uint64_t asUnsigned(ConstValue const &value) {
  if (!value.isFloat)
    return value.integer;
  if (value.number >= 9223372036854775808.0 && value.number < 18446744073709551616.0)
    return static_cast<std::uint64_t>(value.number);
  return static_cast<std::uint64_t>(asSigned(value));
}

} // namespace cottonwood::popops

namespace popops::expr {

// Destructors are out of line so that compiled mode has one vtable and one type_info a class.
POP_INLINE Expr::~Expr() = default;
POP_INLINE Const::~Const() = default;
POP_INLINE ConstHalf::~ConstHalf() = default;
POP_INLINE Cast::~Cast() = default;
POP_INLINE PlaceHolder::~PlaceHolder() = default;
POP_INLINE UnaryOp::~UnaryOp() = default;
POP_INLINE BinaryOp::~BinaryOp() = default;
POP_INLINE TernaryOp::~TernaryOp() = default;

POP_INLINE std::ostream &operator<<(std::ostream &os, Expr const &expr) {
  expr.print(os);
  return os;
}

POP_INLINE bool deepEquals(Expr const &a, Expr const &b) { return a.deepEquals(b); }

POP_INLINE Const::Const(poplar::TypeTraits typeTraits_, poplar::Type type_in, char const *data)
    : traits_(typeTraits_), type_(type_in), data_(new char[typeTraits_.size]) {
  std::memcpy(data_.get(), data, traits_.size);
}

POP_INLINE Const::Const(Const const &other)
    : ExprType<Const>(), traits_(other.traits_), type_(other.type_),
      data_(new char[other.traits_.size]) {
  std::memcpy(data_.get(), other.data_.get(), traits_.size);
}

POP_INLINE Const &Const::operator=(Const const &other) { return *this = Const(other); }

POP_INLINE std::string Const::printValue() const {
  cottonwood::popops::ConstValue value = cottonwood::popops::valueOf(*this);
  if (value.isFloat)
    return cottonwood::popops::detail::printReal(value.number, type_ != poplar::HALF);
  return value.isNegative ? std::to_string(static_cast<std::int64_t>(value.integer))
                          : std::to_string(value.integer);
}

POP_INLINE double Const::getDataAsDouble() const {
  cottonwood::popops::ConstValue value = cottonwood::popops::valueOf(*this);
  if (!value.isFloat && traits_.size == 8) {
    // 2^64 as a double would overflow the conversion back: compare below it only.
    bool exact = value.isNegative ? static_cast<std::int64_t>(value.number) ==
                                        static_cast<std::int64_t>(value.integer)
                                  : value.number < 18446744073709551616.0 &&
                                        static_cast<std::uint64_t>(value.number) == value.integer;
    if (!exact)
      throw poputil::poplibs_error(
          "popops::expr::Const::getDataAsDouble: " + printValue() +
          " has no exact representation as double; integers up to 2^53 have");
  }
  return value.number;
}

POP_INLINE std::uint64_t Const::getDataForUnsignedIntegral() const {
  for (poplar::Type const &type :
       {poplar::BOOL, poplar::UNSIGNED_CHAR, poplar::UNSIGNED_SHORT, poplar::UNSIGNED_INT,
        poplar::UNSIGNED_LONG, poplar::UNSIGNED_LONGLONG})
    if (type == type_)
      return cottonwood::popops::asUnsigned(cottonwood::popops::valueOf(*this));
  throw poputil::poplibs_error("popops::expr::Const::getDataForUnsignedIntegral: the constant " +
                               printValue() + " is of type " + std::string(type_.toString()) +
                               "; BOOL and the unsigned integer types are allowed");
}

POP_INLINE std::unique_ptr<Expr> Const::clone() const {
  return std::unique_ptr<Expr>(new Const(*this));
}

POP_INLINE std::string Const::name(std::vector<poplar::Tensor> const &) const {
  std::string text = printValue();
  for (char &c : text)
    c = c == '.' ? 'z' : c == '-' ? 'm' : c == '+' ? 'p' : c;
  return text;
}

POP_INLINE bool Const::deepEquals(Expr const &other) const {
  auto const *o = other.getAs<Const>();
  return o && type_ == o->type_ && traits_.size == o->traits_.size &&
         traits_.isFloat == o->traits_.isFloat &&
         std::memcmp(data_.get(), o->data_.get(), traits_.size) == 0;
}

POP_INLINE void Const::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  cottonwood::popops::detail::printIndent(os, indent, prettyPrint);
  os << "Const(" << printValue() << ")";
}

POP_INLINE ConstHalf operator"" _half(long double x) {
  auto value = static_cast<float>(x);
  if (!std::isfinite(value) && std::isfinite(static_cast<double>(x)))
    throw poputil::poplibs_error("popops::expr::_half: the literal " + std::to_string(x) +
                                 " does not fit a float; allowed: up to 3.4e38");
  return ConstHalf(value);
}

POP_INLINE std::unique_ptr<Expr> Cast::clone() const {
  return std::unique_ptr<Expr>(new Cast(*this));
}

POP_INLINE std::string Cast::name(std::vector<poplar::Tensor> const &inputs) const {
  return "Cast_" + a_p->name(inputs) + "_" + cottonwood::popops::detail::shortTypeName(type_);
}

POP_INLINE bool Cast::deepEquals(Expr const &other) const {
  auto const *o = other.getAs<Cast>();
  return o && type_ == o->type_ && a_p->deepEquals(*o->a_p);
}

POP_INLINE void Cast::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  cottonwood::popops::detail::printNode(os, indent, prettyPrint,
                                        "Cast(" + std::string(type_.toString()) + ",", {a_p.get()});
}

POP_INLINE std::unique_ptr<Expr> PlaceHolder::clone() const {
  return std::unique_ptr<Expr>(new PlaceHolder(*this));
}

POP_INLINE std::string PlaceHolder::name(std::vector<poplar::Tensor> const &inputs) const {
  if (index_ == 0 || index_ > inputs.size())
    throw poputil::poplibs_error("popops::expr::PlaceHolder: _" + std::to_string(index_) +
                                 " stands for none of " + std::to_string(inputs.size()) +
                                 " tensors; they count from _1");
  return cottonwood::popops::detail::shortTypeName(inputs[index_ - 1].elementType()) + "_" +
         std::to_string(index_) + "_";
}

POP_INLINE bool PlaceHolder::deepEquals(Expr const &other) const {
  auto const *o = other.getAs<PlaceHolder>();
  return o && index_ == o->index_;
}

POP_INLINE void PlaceHolder::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  cottonwood::popops::detail::printIndent(os, indent, prettyPrint);
  os << "PlaceHolder(" << index_ << ")";
}

POP_INLINE UnaryOp &UnaryOp::operator=(UnaryOp const &other) { return *this = UnaryOp(other); }

POP_INLINE std::unique_ptr<Expr> UnaryOp::clone() const {
  return std::unique_ptr<Expr>(new UnaryOp(*this));
}

POP_INLINE std::string UnaryOp::name(std::vector<poplar::Tensor> const &inputs) const {
  return cottonwood::popops::detail::opName(cottonwood::popops::nameOf(type_).enumerator,
                                            exprName(inputs));
}

POP_INLINE bool UnaryOp::deepEquals(Expr const &other) const {
  auto const *o = other.getAs<UnaryOp>();
  return o && type_ == o->type_ && a_->deepEquals(*o->a_);
}

POP_INLINE void UnaryOp::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  cottonwood::popops::detail::printNode(os, indent, prettyPrint,
                                        std::string(cottonwood::popops::nameOf(type_).debug) + "(",
                                        {a_.get()});
}

POP_INLINE BinaryOp &BinaryOp::operator=(BinaryOp const &other) { return *this = BinaryOp(other); }

POP_INLINE std::unique_ptr<Expr> BinaryOp::clone() const {
  return std::unique_ptr<Expr>(new BinaryOp(*this));
}

POP_INLINE std::string BinaryOp::name(std::vector<poplar::Tensor> const &inputs) const {
  return cottonwood::popops::detail::opName(cottonwood::popops::nameOf(type_).enumerator,
                                            exprName(inputs));
}

POP_INLINE bool BinaryOp::deepEquals(Expr const &other) const {
  auto const *o = other.getAs<BinaryOp>();
  return o && type_ == o->type_ && a_->deepEquals(*o->a_) && b_->deepEquals(*o->b_);
}

POP_INLINE void BinaryOp::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  cottonwood::popops::detail::printNode(os, indent, prettyPrint,
                                        std::string(cottonwood::popops::nameOf(type_).debug) + "(",
                                        {a_.get(), b_.get()});
}

POP_INLINE TernaryOp &TernaryOp::operator=(TernaryOp const &other) {
  return *this = TernaryOp(other);
}

POP_INLINE std::unique_ptr<Expr> TernaryOp::clone() const {
  return std::unique_ptr<Expr>(new TernaryOp(*this));
}

POP_INLINE std::string TernaryOp::name(std::vector<poplar::Tensor> const &inputs) const {
  return cottonwood::popops::detail::opName(cottonwood::popops::nameOf(type_).enumerator,
                                            exprName(inputs));
}

POP_INLINE bool TernaryOp::deepEquals(Expr const &other) const {
  auto const *o = other.getAs<TernaryOp>();
  return o && type_ == o->type_ && a_->deepEquals(*o->a_) && b_->deepEquals(*o->b_) &&
         c_->deepEquals(*o->c_);
}

POP_INLINE void TernaryOp::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  cottonwood::popops::detail::printNode(os, indent, prettyPrint,
                                        std::string(cottonwood::popops::nameOf(type_).debug) + "(",
                                        {a_.get(), b_.get(), c_.get()});
}

} // namespace popops::expr
