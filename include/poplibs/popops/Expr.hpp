#include <popops/impl/Config.hpp>
#ifndef POPOPS_EXPR_HPP
#define POPOPS_EXPR_HPP

#include <popops/ExprOp.hpp>

#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace popops {
namespace expr {

/// A node of an elementwise expression over tensors. Expressions are values: building a larger one
/// copies its parts. Functions that compute them take up to 1000 nested operations.
class POP_API Expr {
public:
  Expr() {}
  Expr(Expr const &) {}
  Expr &operator=(Expr const &) { return *this; }
  virtual ~Expr();

  template <class T> bool isA() const { return dynamic_cast<T const *>(this) != nullptr; }
  /// The node as a T, or null if it is none.
  template <class T> T *getAs() { return dynamic_cast<T *>(this); }
  template <class T> T const *getAs() const { return dynamic_cast<T const *>(this); }

  virtual std::unique_ptr<Expr> clone() const = 0;

  /// A text that is an identifier and differs for different expressions over differently typed
  /// inputs. \param inputs  the tensors that placeholders stand for. \throws poputil::poplibs_error
  /// too few of them.
  virtual std::string name(std::vector<poplar::Tensor> const &inputs) const = 0;

  /// Whether both are the same tree: same operations, placeholders, types, and bytes of constants.
  virtual bool deepEquals(Expr const &other) const = 0;

  /// One node a line, children indented by two; everything on one line if `prettyPrint` is false.
  virtual void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const = 0;
};

POP_API std::ostream &operator<<(std::ostream &os, Expr const &expr);
POP_API bool deepEquals(Expr const &a, Expr const &b);

/// Base of the concrete node classes.
template <class T> class ExprType : public Expr {
public:
  ExprType() {}
};

/// Holds any expression by value, for variables and containers: `Any e = _1; e = Add(e, _2);`.
class POP_API Any {
public:
  Any(Expr const &expr) : expr_(expr.clone()) {}
  Any(Any const &expr) : expr_(expr.expr_->clone()) {}
  Any(Any &&) = default;
  Any &operator=(Any const &other) {
    expr_ = other.expr_->clone();
    return *this;
  }
  Any &operator=(Any &&other) = default;

  operator Expr &() { return *expr_; }
  operator Expr const &() const { return *expr_; }
  std::string name(std::vector<poplar::Tensor> const &inputs) const { return expr_->name(inputs); }

private:
  std::unique_ptr<Expr> expr_;
};

namespace impl {

/// The device type of a C++ constant. double has none of its own: it is a FLOAT until the
/// expression says otherwise.
template <class T> struct ConstantType {
  static poplar::Type get() { return poplar::equivalent_device_type<T>().value; }
};
template <> struct ConstantType<double> {
  static poplar::Type get() { return poplar::FLOAT; }
};

} // namespace impl

/// A constant. In an expression it takes the type of the operand beside it; the value is converted.
class POP_API Const : public ExprType<Const> {
public:
  template <typename T,
            typename = typename std::enable_if<poplar::TypeTraits::isSimpleType<T>(), T>::type>
  Const(T x)
      : Const(poplar::TypeTraits::make<T>(), impl::ConstantType<T>::get(),
              reinterpret_cast<char const *>(&x)) {}
  /// \param typeTraits_  how the bytes at data_ represent the value; \param type_  its type on the
  /// device.
  Const(poplar::TypeTraits typeTraits_, poplar::Type type_, char const *data_);
  Const(Const &&) = default;
  Const &operator=(Const &&) = default;
  Const(Const const &other);
  Const &operator=(Const const &other);
  ~Const() override;

  char *getData() const { return data_.get(); }
  poplar::TypeTraits const &getTypeTraits() const { return traits_; }
  poplar::Type const &getType() const { return type_; }
  /// FLOAT with up to 9 significant digits and suffix f, HALF without suffix, integers and BOOL in
  /// decimal.
  std::string printValue() const;
  /// \throws poputil::poplibs_error  a 64-bit integer that double cannot represent exactly.
  double getDataAsDouble() const;
  /// \throws poputil::poplibs_error  the type is neither BOOL nor an unsigned integer.
  std::uint64_t getDataForUnsignedIntegral() const;

  std::unique_ptr<Expr> clone() const override;
  std::string name(std::vector<poplar::Tensor> const &) const override;
  bool deepEquals(Expr const &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  poplar::TypeTraits traits_;
  poplar::Type type_;
  std::unique_ptr<char[]> data_;
};

/// A constant of type HALF, given as float.
class POP_API ConstHalf : public Const {
public:
  ConstHalf(float x)
      : Const(poplar::TypeTraits::make<float>(), poplar::HALF, reinterpret_cast<char const *>(&x)) {
  }
  ConstHalf(ConstHalf &&) = default;
  ConstHalf &operator=(ConstHalf &&) = default;
  ConstHalf(ConstHalf const &other) : Const(other) {}
  ConstHalf &operator=(ConstHalf const &other) {
    Const::operator=(other);
    return *this;
  }
  ~ConstHalf() override;
};

/// `1.5_half`. \throws poputil::poplibs_error  the value does not fit a float.
POP_API ConstHalf operator"" _half(long double x);

/// Conversion of the element type.
class POP_API Cast : public ExprType<Cast> {
public:
  Cast(Expr const &a_, poplar::Type const bType_) : a_p(a_.clone()), type_(bType_) {}
  Cast(Cast &&) = default;
  Cast &operator=(Cast &&) = default;
  Cast(Cast const &other) : ExprType<Cast>(), a_p(other.a_p->clone()), type_(other.type_) {}
  Cast &operator=(Cast const &other) {
    a_p = other.a_p->clone();
    type_ = other.type_;
    return *this;
  }
  ~Cast() override;

  Expr const &getLHS() const { return *a_p; }
  poplar::Type const &getRHSType() const { return type_; }

  std::unique_ptr<Expr> clone() const override;
  std::string name(std::vector<poplar::Tensor> const &inputs) const override;
  bool deepEquals(Expr const &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  std::unique_ptr<Expr> a_p;
  poplar::Type type_;
};

/// The tensor of that number, counted from 1.
class POP_API PlaceHolder : public ExprType<PlaceHolder> {
public:
  PlaceHolder(unsigned index) : index_(index) {}
  PlaceHolder(PlaceHolder &&) = default;
  PlaceHolder &operator=(PlaceHolder &&) = default;
  PlaceHolder(PlaceHolder const &other) : ExprType<PlaceHolder>(), index_(other.index_) {}
  PlaceHolder &operator=(PlaceHolder const &other) {
    index_ = other.index_;
    return *this;
  }
  ~PlaceHolder() override;

  unsigned getIndex() const { return index_; }

  std::unique_ptr<Expr> clone() const override;
  std::string name(std::vector<poplar::Tensor> const &inputs) const override;
  bool deepEquals(Expr const &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  unsigned index_;
};

const PlaceHolder _1(1);
const PlaceHolder _2(2);
const PlaceHolder _3(3);
const PlaceHolder _4(4);
const PlaceHolder _5(5);
const PlaceHolder _6(6);
const PlaceHolder _7(7);
const PlaceHolder _8(8);
const PlaceHolder _9(9);
const PlaceHolder _10(10);
const PlaceHolder _11(11);
const PlaceHolder _12(12);
const PlaceHolder _13(13);
const PlaceHolder _14(14);
const PlaceHolder _15(15);
const PlaceHolder _16(16);
const PlaceHolder _17(17);
const PlaceHolder _18(18);
const PlaceHolder _19(19);
const PlaceHolder _20(20);

class POP_API UnaryOp : public ExprType<UnaryOp> {
public:
  UnaryOp(UnaryOpType type, Expr const &a) : type_(type), a_(a.clone()) {}
  UnaryOp(UnaryOp &&) = default;
  UnaryOp &operator=(UnaryOp &&) = default;
  UnaryOp(UnaryOp const &other) : ExprType<UnaryOp>(), type_(other.type_), a_(other.a_->clone()) {}
  UnaryOp &operator=(UnaryOp const &other);
  ~UnaryOp() override;

  UnaryOpType getOpType() const { return type_; }
  Expr const &getArg() const { return *a_; }

  std::unique_ptr<Expr> clone() const override;
  std::string name(std::vector<poplar::Tensor> const &inputs) const override;
  /// The names of the arguments, without the operation's own.
  std::string exprName(std::vector<poplar::Tensor> const &inputs) const { return a_->name(inputs); }
  bool deepEquals(Expr const &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  UnaryOpType type_;
  std::unique_ptr<Expr> a_;
};

class POP_API BinaryOp : public ExprType<BinaryOp> {
public:
  BinaryOp(BinaryOpType type, Expr const &a, Expr const &b)
      : type_(type), a_(a.clone()), b_(b.clone()) {}
  BinaryOp(BinaryOp &&) = default;
  BinaryOp &operator=(BinaryOp &&) = default;
  BinaryOp(BinaryOp const &other)
      : ExprType<BinaryOp>(), type_(other.type_), a_(other.a_->clone()), b_(other.b_->clone()) {}
  BinaryOp &operator=(BinaryOp const &other);
  ~BinaryOp() override;

  BinaryOpType getOpType() const { return type_; }
  Expr const &getLHS() const { return *a_; }
  Expr const &getRHS() const { return *b_; }

  std::unique_ptr<Expr> clone() const override;
  std::string name(std::vector<poplar::Tensor> const &inputs) const override;
  /// The names of the arguments, without the operation's own.
  std::string exprName(std::vector<poplar::Tensor> const &inputs) const {
    return a_->name(inputs) + "_" + b_->name(inputs);
  }
  bool deepEquals(Expr const &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  BinaryOpType type_;
  std::unique_ptr<Expr> a_;
  std::unique_ptr<Expr> b_;
};

class POP_API TernaryOp : public ExprType<TernaryOp> {
public:
  TernaryOp(TernaryOpType type, Expr const &a, Expr const &b, Expr const &c)
      : type_(type), a_(a.clone()), b_(b.clone()), c_(c.clone()) {}
  TernaryOp(TernaryOp &&) = default;
  TernaryOp &operator=(TernaryOp &&) = default;
  TernaryOp(TernaryOp const &other)
      : ExprType<TernaryOp>(), type_(other.type_), a_(other.a_->clone()), b_(other.b_->clone()),
        c_(other.c_->clone()) {}
  TernaryOp &operator=(TernaryOp const &other);
  ~TernaryOp() override;

  TernaryOpType getOpType() const { return type_; }
  Expr const &getArg0() const { return *a_; }
  Expr const &getArg1() const { return *b_; }
  Expr const &getArg2() const { return *c_; }

  std::unique_ptr<Expr> clone() const override;
  std::string name(std::vector<poplar::Tensor> const &inputs) const override;
  /// The names of the arguments, without the operation's own.
  std::string exprName(std::vector<poplar::Tensor> const &inputs) const {
    return a_->name(inputs) + "_" + b_->name(inputs) + "_" + c_->name(inputs);
  }
  bool deepEquals(Expr const &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  TernaryOpType type_;
  std::unique_ptr<Expr> a_;
  std::unique_ptr<Expr> b_;
  std::unique_ptr<Expr> c_;
};

namespace impl {

/// Whether T can stand as a constant beside an expression in `expr + T` or `T + expr`.
template <class T> struct IsOperand {
  static constexpr bool value =
      poplar::TypeTraits::isSimpleType<T>() && !std::is_base_of<Expr, T>::value;
};
template <class T> using EnableOperand = typename std::enable_if<IsOperand<T>::value, int>::type;

} // namespace impl

#define POPLIBS_DEFINE_EXPR_UNARY_OP(Name, Op)                                                     \
  class Name : public UnaryOp {                                                                    \
  public:                                                                                          \
    Name(Expr const &a) : UnaryOp(UnaryOpType::Op, a) {}                                           \
  };

#define POPLIBS_DEFINE_EXPR_UNARY_OP_AND_SYMBOL(Name, Op, Sym)                                     \
  POPLIBS_DEFINE_EXPR_UNARY_OP(Name, Op)                                                           \
  inline Name operator Sym(Expr const &a) { return Name(a); }

#define POPLIBS_DEFINE_EXPR_BINARY_OP(Name, Op)                                                    \
  class Name : public BinaryOp {                                                                   \
  public:                                                                                          \
    Name(Expr const &a, Expr const &b) : BinaryOp(BinaryOpType::Op, a, b) {}                       \
  };

#define POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Name, Op, Sym)                                    \
  POPLIBS_DEFINE_EXPR_BINARY_OP(Name, Op)                                                          \
  inline Name operator Sym(Expr const &a, Expr const &b) { return Name(a, b); }                    \
  template <typename T, impl::EnableOperand<T> = 0>                                                \
  inline Name operator Sym(T const &a, Expr const &b) {                                            \
    return Name(Const(a), b);                                                                      \
  }                                                                                                \
  template <typename T, impl::EnableOperand<T> = 0>                                                \
  inline Name operator Sym(Expr const &a, T const &b) {                                            \
    return Name(a, Const(b));                                                                      \
  }

#define POPLIBS_DEFINE_EXPR_TERNARY_OP(Name, Op)                                                   \
  class Name : public TernaryOp {                                                                  \
  public:                                                                                          \
    Name(Expr const &a, Expr const &b, Expr const &c) : TernaryOp(TernaryOpType::Op, a, b, c) {}   \
  };

POPLIBS_DEFINE_EXPR_UNARY_OP(Abs, ABSOLUTE)
POPLIBS_DEFINE_EXPR_UNARY_OP(Asin, ASIN)
POPLIBS_DEFINE_EXPR_UNARY_OP_AND_SYMBOL(BitwiseNot, BITWISE_NOT, ~)
POPLIBS_DEFINE_EXPR_UNARY_OP(Cbrt, CBRT)
POPLIBS_DEFINE_EXPR_UNARY_OP(Erf, ERF)
POPLIBS_DEFINE_EXPR_UNARY_OP(Ceil, CEIL)
POPLIBS_DEFINE_EXPR_UNARY_OP(Cos, COS)
POPLIBS_DEFINE_EXPR_UNARY_OP(Exp, EXPONENT)
POPLIBS_DEFINE_EXPR_UNARY_OP(Expm1, EXPONENT_MINUS_ONE)
POPLIBS_DEFINE_EXPR_UNARY_OP(Exp2, EXPONENT2)
POPLIBS_DEFINE_EXPR_UNARY_OP(Floor, FLOOR)
POPLIBS_DEFINE_EXPR_UNARY_OP(GeluErf, GELU_ERF)
POPLIBS_DEFINE_EXPR_UNARY_OP(Inv, INVERSE)
POPLIBS_DEFINE_EXPR_UNARY_OP(IsFinite, IS_FINITE)
POPLIBS_DEFINE_EXPR_UNARY_OP(IsInf, IS_INF)
POPLIBS_DEFINE_EXPR_UNARY_OP(IsNaN, IS_NAN)
POPLIBS_DEFINE_EXPR_UNARY_OP(Log, LOGARITHM)
POPLIBS_DEFINE_EXPR_UNARY_OP(Log1p, LOGARITHM_ONE_PLUS)
POPLIBS_DEFINE_EXPR_UNARY_OP_AND_SYMBOL(Not, LOGICAL_NOT, !)
POPLIBS_DEFINE_EXPR_UNARY_OP_AND_SYMBOL(Neg, NEGATE, -)
POPLIBS_DEFINE_EXPR_UNARY_OP(NearbyInt, NEARBY_INT)
POPLIBS_DEFINE_EXPR_UNARY_OP(Signum, SIGNUM)
POPLIBS_DEFINE_EXPR_UNARY_OP(Sin, SIN)
POPLIBS_DEFINE_EXPR_UNARY_OP(Tan, TAN)
POPLIBS_DEFINE_EXPR_UNARY_OP(Tanh, TANH)
POPLIBS_DEFINE_EXPR_UNARY_OP(Round, ROUND)
POPLIBS_DEFINE_EXPR_UNARY_OP(Trunc, TRUNC)
POPLIBS_DEFINE_EXPR_UNARY_OP(Sqrt, SQRT)
POPLIBS_DEFINE_EXPR_UNARY_OP(Square, SQUARE)
POPLIBS_DEFINE_EXPR_UNARY_OP(Sigmoid, SIGMOID)
POPLIBS_DEFINE_EXPR_UNARY_OP(Rsqrt, RSQRT)

POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Add, ADD, +)
POPLIBS_DEFINE_EXPR_BINARY_OP(Atan2, ATAN2)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(BitwiseAnd, BITWISE_AND, &)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(BitwiseOr, BITWISE_OR, |)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(BitwiseXor, BITWISE_XOR, ^)
POPLIBS_DEFINE_EXPR_BINARY_OP(BitwiseXnor, BITWISE_XNOR)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Divide, DIVIDE, /)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Equal, EQUAL, ==)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Gte, GREATER_THAN_EQUAL, >=)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Gt, GREATER_THAN, >)
POPLIBS_DEFINE_EXPR_BINARY_OP(InvStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Lte, LESS_THAN_EQUAL, <=)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(And, LOGICAL_AND, &&)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Or, LOGICAL_OR, ||)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Lt, LESS_THAN, <)
POPLIBS_DEFINE_EXPR_BINARY_OP(Max, MAXIMUM)
POPLIBS_DEFINE_EXPR_BINARY_OP(Min, MINIMUM)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Mul, MULTIPLY, *)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(NotEqual, NOT_EQUAL, !=)
POPLIBS_DEFINE_EXPR_BINARY_OP(Pow, POWER)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Rem, REMAINDER, %)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Shl, SHIFT_LEFT, <<)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Shr, SHIFT_RIGHT, >>)
POPLIBS_DEFINE_EXPR_BINARY_OP(ShrSE, SHIFT_RIGHT_SIGN_EXTEND)
POPLIBS_DEFINE_EXPR_BINARY_OP_AND_SYMBOL(Sub, SUBTRACT, -)
POPLIBS_DEFINE_EXPR_BINARY_OP(VarianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)

/// Select(a, b, condition) is condition ? a : b.
POPLIBS_DEFINE_EXPR_TERNARY_OP(Select, SELECT)
/// Clamp(value, low, high).
POPLIBS_DEFINE_EXPR_TERNARY_OP(Clamp, CLAMP)

} // namespace expr
} // namespace popops

#endif
