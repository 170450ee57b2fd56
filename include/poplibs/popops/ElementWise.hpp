#include <popops/impl/Config.hpp>
#ifndef POPOPS_ELEMENT_WISE_HPP
#define POPOPS_ELEMENT_WISE_HPP

#include <popops/Expr.hpp>
#include <popops/ExprOp.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poputil/DebugInfo.hpp>

#include <iosfwd>
#include <string>
#include <vector>

// Elementwise operations. All of them append to `prog` and execute nothing.
//
// Shapes combine by numpy's rules. Operands of one operation have one element type, which is the
// result's as well; comparisons, logical operations and the tests for inf and NaN give BOOL. The
// result is laid out as one of the inputs. An expression runs as one fused vertex a tile:
// intermediate results touch no memory.
//
// The elements are FLOAT, HALF, INT, UNSIGNED_INT and BOOL. Operations on integers of 64 bits
// (arithmetic, bits, shifts, comparisons, Select) and of 16 bits (bits, Equal, NotEqual) and casts
// to and from what popops::cast knows beside these run as one vertex each, also within an
// expression; the rest of it is fused around them.
//
// Options of every function, true|false each:
//
// - enableGenerateCodelet (true): accepted; expressions are fused in any case.
// - forceGenerateCodelet (false): accepted; expressions are fused in any case.
// - enableVectorBroadcastOptimisations (true): false expands broadcast operands before the
//   operation.
// - enableExpressionOptimizations (true): rewrite x^2 to square(x), x * 1 to x and the like.
//
// All throw poputil::poplibs_error when shapes or types do not fit, with the expression and the
// operands in the text; poplar::invalid_option on other options; poplar::unknown_vertex_type if
// popops::addCodelets(graph) was forgotten.

namespace popops {

/// Evaluates an expression over tensors; `_1` is ts[0]. \returns a new tensor.
POP_API poplar::Tensor map(poplar::Graph &graph, expr::Expr const &expr,
                           std::vector<poplar::Tensor> const &ts, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});
/// Several expressions over the same tensors: one result each.
POP_API std::vector<poplar::Tensor> map(poplar::Graph &graph, std::vector<expr::Any> const &exprs,
                                        std::vector<poplar::Tensor> const &ts,
                                        poplar::program::Sequence &prog,
                                        poplar::DebugContext const &debugContext = {},
                                        poplar::OptionFlags const &options = {});

/// Writes the value of the expression to ts[0], whose shape and type the result must have.
POP_API void mapInPlace(poplar::Graph &graph, expr::Expr const &expr,
                        std::vector<poplar::Tensor> const &ts, poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext = {},
                        poplar::OptionFlags const &options = {});
/// Writes the value of exprs[i] to ts[i]; all are computed from the old contents.
/// \throws poputil::poplibs_error  two of these ts share elements.
POP_API void mapInPlace(poplar::Graph &graph, std::vector<expr::Any> const &exprs,
                        std::vector<poplar::Tensor> const &ts, poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext = {},
                        poplar::OptionFlags const &options = {});

/// Writes the value of the expression to `out`, whose shape and type the result must have.
POP_API void mapWithOutput(poplar::Graph &graph, expr::Expr const &expr,
                           std::vector<poplar::Tensor> const &ts, poplar::Tensor const &out,
                           poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});
/// Writes the value of exprs[i] to outs[i]; all are computed from the old contents.
/// \throws poputil::poplibs_error  two outs share elements.
POP_API void mapWithOutput(poplar::Graph &graph, std::vector<expr::Any> const &exprs,
                           std::vector<poplar::Tensor> const &ts,
                           std::vector<poplar::Tensor> const &outs, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});

/// Writes C++ source for the expression, as comments and one loop: for people, nothing reads it
/// back.
POP_API void outputGeneratedCodelet(poplar::Target const &target, expr::Expr const &expr,
                                    std::vector<poplar::Tensor> const &ts,
                                    poplar::OptionFlags const &options, std::ostream &os);

// One operation.
POP_API poplar::Tensor map(poplar::Graph &graph, expr::UnaryOpType op, poplar::Tensor const &t,
                           poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});
POP_API poplar::Tensor map(poplar::Graph &graph, expr::BinaryOpType op, poplar::Tensor const &a,
                           poplar::Tensor const &b, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});
POP_API poplar::Tensor map(poplar::Graph &graph, expr::TernaryOpType op, poplar::Tensor const &a,
                           poplar::Tensor const &b, poplar::Tensor const &c,
                           poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});
POP_API void mapInPlace(poplar::Graph &graph, expr::UnaryOpType op, poplar::Tensor const &t,
                        poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext = {},
                        poplar::OptionFlags const &options = {});
POP_API void mapInPlace(poplar::Graph &graph, expr::BinaryOpType op, poplar::Tensor const &a,
                        poplar::Tensor const &b, poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext = {},
                        poplar::OptionFlags const &options = {});
POP_API void mapInPlace(poplar::Graph &graph, expr::TernaryOpType op, poplar::Tensor const &a,
                        poplar::Tensor const &b, poplar::Tensor const &c,
                        poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext = {},
                        poplar::OptionFlags const &options = {});
POP_API void mapWithOutput(poplar::Graph &graph, expr::UnaryOpType op, poplar::Tensor const &in,
                           poplar::Tensor const &out, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});
POP_API void mapWithOutput(poplar::Graph &graph, expr::BinaryOpType op, poplar::Tensor const &a,
                           poplar::Tensor const &b, poplar::Tensor const &out,
                           poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});
POP_API void mapWithOutput(poplar::Graph &graph, expr::TernaryOpType op, poplar::Tensor const &a,
                           poplar::Tensor const &b, poplar::Tensor const &c,
                           poplar::Tensor const &out, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});

namespace impl {
[[noreturn]] POP_API void throwConstantMismatch(char const *where, poplar::Type const &elementType,
                                                char const *constType);
POP_API poplar::Type typeBesideConstant(char const *where, poplar::Tensor const &operand);
POP_API poplar::Tensor operandConstant(poplar::Graph &graph, poplar::Type const &type,
                                       void const *value, poplar::TypeTraits const &traits,
                                       poplar::DebugContext const &debugContext);
template <class T>
using EnableConstant = typename std::enable_if<poplar::TypeTraits::isSimpleType<T>(), int>::type;

template <class T> struct ConstantCheck {
  static void run(char const *where, poplar::Type const &elementType) {
    poplar::Type const type = poplar::equivalent_device_type<T>().value;
    if (elementType != type)
      throwConstantMismatch(where, elementType, type.toString().cloneAsString().c_str());
  }
};
inline void checkFloatConstant(char const *where, poplar::Type const &elementType,
                               char const *constType) {
  if (elementType != poplar::FLOAT && elementType != poplar::HALF)
    throwConstantMismatch(where, elementType, constType);
}
template <> struct ConstantCheck<float> {
  static void run(char const *where, poplar::Type const &elementType) {
    checkFloatConstant(where, elementType, "float");
  }
};
template <> struct ConstantCheck<double> {
  static void run(char const *where, poplar::Type const &elementType) {
    checkFloatConstant(where, elementType, "double");
  }
};
} // namespace impl

/// Checks that a C++ constant may stand beside a tensor of that type: float and double beside FLOAT
/// and HALF, any other type beside tensors of its own device type only. \throws
/// poputil::poplibs_error (a std::runtime_error)  it may not: write 1.f, not 1, beside a FLOAT
/// tensor.
template <typename constType> void checkTypes(poplar::Type elementType, constType) {
  impl::ConstantCheck<constType>::run("popops::checkTypes", elementType);
}

namespace impl {
/// The constant as a tensor of shape {} on tile 0.
template <typename constType>
poplar::Tensor checkedConstant(char const *where, poplar::Graph &graph,
                               poplar::Tensor const &beside, constType value,
                               poplar::DebugContext const &debugContext) {
  poplar::Type const type = typeBesideConstant(where, beside);
  ConstantCheck<constType>::run(where, type);
  return operandConstant(graph, type, &value, poplar::TypeTraits::make<constType>(), debugContext);
}
} // namespace impl

// clang-format off
#define POPOPS_DEFINE_UNARY_OP(name, OP)                                                                               \
  inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor const &A, poplar::program::Sequence &prog,           \
                             poplar::DebugContext const &debugContext = {},                                            \
                             poplar::OptionFlags const &options = {}) {                                                \
    return map(graph, expr::UnaryOpType::OP, A, prog, debugContext, options);                                          \
  }                                                                                                                    \
  inline void name##WithOutput(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &out,               \
                               poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},         \
                               poplar::OptionFlags const &options = {}) {                                              \
    mapWithOutput(graph, expr::UnaryOpType::OP, A, out, prog, debugContext, options);                                  \
  }

#define POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(name, OP)                                                                  \
  POPOPS_DEFINE_UNARY_OP(name, OP)                                                                                     \
  inline void name##InPlace(poplar::Graph &graph, poplar::Tensor const &A, poplar::program::Sequence &prog,            \
                            poplar::DebugContext const &debugContext = {},                                             \
                            poplar::OptionFlags const &options = {}) {                                                 \
    mapInPlace(graph, expr::UnaryOpType::OP, A, prog, debugContext, options);                                          \
  }

// Each with a constant in place of one operand, too; see checkTypes.
#define POPOPS_DEFINE_BINARY_OP(name, OP)                                                                              \
  inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,                   \
                             poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},           \
                             poplar::OptionFlags const &options = {}) {                                                \
    return map(graph, expr::BinaryOpType::OP, A, B, prog, debugContext, options);                                      \
  }                                                                                                                    \
  template <typename constType, impl::EnableConstant<constType> = 0>                                                   \
  inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor const &A, const constType B,                         \
                             poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},           \
                             poplar::OptionFlags const &options = {}) {                                                \
    auto const constant =                                                                                              \
        impl::checkedConstant("popops::" #name, graph, A, B, debugContext);                                            \
    return map(graph, expr::BinaryOpType::OP, A, constant, prog, debugContext, options);                               \
  }                                                                                                                    \
  template <typename constType, impl::EnableConstant<constType> = 0>                                                   \
  inline poplar::Tensor name(poplar::Graph &graph, const constType A, poplar::Tensor const &B,                         \
                             poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},           \
                             poplar::OptionFlags const &options = {}) {                                                \
    auto const constant =                                                                                              \
        impl::checkedConstant("popops::" #name, graph, B, A, debugContext);                                            \
    return map(graph, expr::BinaryOpType::OP, constant, B, prog, debugContext, options);                               \
  }                                                                                                                    \
  inline void name##InPlace(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,                    \
                            poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},            \
                            poplar::OptionFlags const &options = {}) {                                                 \
    mapInPlace(graph, expr::BinaryOpType::OP, A, B, prog, debugContext, options);                                      \
  }                                                                                                                    \
  template <typename constType, impl::EnableConstant<constType> = 0>                                                   \
  inline void name##InPlace(poplar::Graph &graph, poplar::Tensor const &A, const constType B,                          \
                            poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},            \
                            poplar::OptionFlags const &options = {}) {                                                 \
    auto const constant =                                                                                              \
        impl::checkedConstant("popops::" #name "InPlace", graph, A, B, debugContext);                                  \
    mapInPlace(graph, expr::BinaryOpType::OP, A, constant, prog, debugContext, options);                               \
  }                                                                                                                    \
  inline void name##WithOutput(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,                 \
                               poplar::Tensor const &out, poplar::program::Sequence &prog,                             \
                               poplar::DebugContext const &debugContext = {},                                          \
                               poplar::OptionFlags const &options = {}) {                                              \
    mapWithOutput(graph, expr::BinaryOpType::OP, A, B, out, prog, debugContext, options);                              \
  }                                                                                                                    \
  template <typename constType, impl::EnableConstant<constType> = 0>                                                   \
  inline void name##WithOutput(poplar::Graph &graph, poplar::Tensor const &A, const constType B,                       \
                               poplar::Tensor const &out, poplar::program::Sequence &prog,                             \
                               poplar::DebugContext const &debugContext = {},                                          \
                               poplar::OptionFlags const &options = {}) {                                              \
    auto const constant =                                                                                              \
        impl::checkedConstant("popops::" #name "WithOutput", graph, A, B, debugContext);                               \
    mapWithOutput(graph, expr::BinaryOpType::OP, A, constant, out, prog, debugContext, options);                       \
  }                                                                                                                    \
  template <typename constType, impl::EnableConstant<constType> = 0>                                                   \
  inline void name##WithOutput(poplar::Graph &graph, const constType A, poplar::Tensor const &B,                       \
                               poplar::Tensor const &out, poplar::program::Sequence &prog,                             \
                               poplar::DebugContext const &debugContext = {},                                          \
                               poplar::OptionFlags const &options = {}) {                                              \
    auto const constant =                                                                                              \
        impl::checkedConstant("popops::" #name "WithOutput", graph, B, A, debugContext);                               \
    mapWithOutput(graph, expr::BinaryOpType::OP, constant, B, out, prog, debugContext, options);                       \
  }

// name, nameInPlace and nameWithOutput of each.
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(abs, ABSOLUTE)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(inv, INVERSE)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(logicalNot, LOGICAL_NOT)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(neg, NEGATE)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(signum, SIGNUM)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(bitwiseNot, BITWISE_NOT)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(countLeadingZeros, COUNT_LEADING_ZEROS)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(popcount, POPCOUNT)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(ceil, CEIL)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(floor, FLOOR)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(round, ROUND)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(nearbyint, NEARBY_INT)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(cbrt, CBRT)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(exp, EXPONENT)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(exp2, EXPONENT2)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(expm1, EXPONENT_MINUS_ONE)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(log, LOGARITHM)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(log1p, LOGARITHM_ONE_PLUS)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(sqrt, SQRT)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(square, SQUARE)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(rsqrt, RSQRT)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(sigmoid, SIGMOID)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(asin, ASIN)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(cos, COS)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(sin, SIN)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(tan, TAN)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(tanh, TANH)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(geluErf, GELU_ERF)
POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE(erf, ERF)
POPOPS_DEFINE_UNARY_OP(isFinite, IS_FINITE)

POPOPS_DEFINE_BINARY_OP(add, ADD)
POPOPS_DEFINE_BINARY_OP(sub, SUBTRACT)
POPOPS_DEFINE_BINARY_OP(mul, MULTIPLY)
POPOPS_DEFINE_BINARY_OP(div, DIVIDE)
POPOPS_DEFINE_BINARY_OP(pow, POWER)
POPOPS_DEFINE_BINARY_OP(rem, REMAINDER)
POPOPS_DEFINE_BINARY_OP(bitwiseAnd, BITWISE_AND)
POPOPS_DEFINE_BINARY_OP(bitwiseOr, BITWISE_OR)
POPOPS_DEFINE_BINARY_OP(bitwiseXor, BITWISE_XOR)
POPOPS_DEFINE_BINARY_OP(bitwiseXnor, BITWISE_XNOR)
POPOPS_DEFINE_BINARY_OP(shiftLeft, SHIFT_LEFT)
POPOPS_DEFINE_BINARY_OP(shiftRight, SHIFT_RIGHT)
POPOPS_DEFINE_BINARY_OP(shiftRightSignExtend, SHIFT_RIGHT_SIGN_EXTEND)
POPOPS_DEFINE_BINARY_OP(logicalAnd, LOGICAL_AND)
POPOPS_DEFINE_BINARY_OP(logicalOr, LOGICAL_OR)
POPOPS_DEFINE_BINARY_OP(eq, EQUAL)
POPOPS_DEFINE_BINARY_OP(neq, NOT_EQUAL)
POPOPS_DEFINE_BINARY_OP(gteq, GREATER_THAN_EQUAL)
POPOPS_DEFINE_BINARY_OP(gt, GREATER_THAN)
POPOPS_DEFINE_BINARY_OP(lteq, LESS_THAN_EQUAL)
POPOPS_DEFINE_BINARY_OP(lt, LESS_THAN)
POPOPS_DEFINE_BINARY_OP(max, MAXIMUM)
POPOPS_DEFINE_BINARY_OP(min, MINIMUM)
POPOPS_DEFINE_BINARY_OP(atan2, ATAN2)
POPOPS_DEFINE_BINARY_OP(invStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
POPOPS_DEFINE_BINARY_OP(varianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)

#undef POPOPS_DEFINE_UNARY_OP
#undef POPOPS_DEFINE_UNARY_OP_AND_IN_PLACE
#undef POPOPS_DEFINE_BINARY_OP
// clang-format on

/// 1 / sqrt(src + epsilon), in dstType: HALF or the type of src; computed in float and rounded once
/// if any of src, epsilon and dstType is FLOAT. \param epsilon  one element.
POP_API poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, poplar::Tensor const &src,
                                           poplar::Tensor const &epsilon,
                                           poplar::program::Sequence &prog,
                                           poplar::Type const dstType = poplar::HALF,
                                           poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, poplar::Tensor const &src,
                                           float const epsilon, poplar::program::Sequence &prog,
                                           poplar::Type const dstType = poplar::HALF,
                                           poplar::DebugContext const &debugContext = {});

/// 1 / (src * src) - epsilon, in dstType: FLOAT or the type of src; computed in float and rounded
/// once if any of src, epsilon and dstType is FLOAT. \param epsilon  one element.
POP_API poplar::Tensor invStdDevToVariance(poplar::Graph &graph, poplar::Tensor const &src,
                                           poplar::Tensor const &epsilon,
                                           poplar::program::Sequence &prog,
                                           poplar::Type const dstType = poplar::FLOAT,
                                           poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor invStdDevToVariance(poplar::Graph &graph, poplar::Tensor const &src,
                                           float const epsilon, poplar::program::Sequence &prog,
                                           poplar::Type const dstType = poplar::FLOAT,
                                           poplar::DebugContext const &debugContext = {});

/// conditions ? A : B.
inline poplar::Tensor select(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
                             poplar::Tensor const &conditions, poplar::program::Sequence &prog,
                             poplar::DebugContext const &debugContext = {},
                             poplar::OptionFlags const &options = {}) {
  return map(graph, expr::TernaryOpType::SELECT, A, B, conditions, prog, debugContext, options);
}
/// Writes A.
inline void selectInPlace(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
                          poplar::Tensor const &conditions, poplar::program::Sequence &prog,
                          poplar::DebugContext const &debugContext = {},
                          poplar::OptionFlags const &options = {}) {
  mapInPlace(graph, expr::TernaryOpType::SELECT, A, B, conditions, prog, debugContext, options);
}
inline void selectWithOutput(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
                             poplar::Tensor const &conditions, poplar::Tensor const &out,
                             poplar::program::Sequence &prog,
                             poplar::DebugContext const &debugContext = {},
                             poplar::OptionFlags const &options = {}) {
  mapWithOutput(graph, expr::TernaryOpType::SELECT, A, B, conditions, out, prog, debugContext,
                options);
}

/// min(max(values, minimums), maximums).
inline poplar::Tensor clamp(poplar::Graph &graph, poplar::Tensor const &values,
                            poplar::Tensor const &minimums, poplar::Tensor const &maximums,
                            poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {},
                            poplar::OptionFlags const &options = {}) {
  return map(graph, expr::TernaryOpType::CLAMP, values, minimums, maximums, prog, debugContext,
             options);
}
/// Writes values.
inline void clampInPlace(poplar::Graph &graph, poplar::Tensor const &values,
                         poplar::Tensor const &minimums, poplar::Tensor const &maximums,
                         poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {}) {
  mapInPlace(graph, expr::TernaryOpType::CLAMP, values, minimums, maximums, prog, debugContext,
             options);
}
inline void clampWithOutput(poplar::Graph &graph, poplar::Tensor const &values,
                            poplar::Tensor const &minimums, poplar::Tensor const &maximums,
                            poplar::Tensor const &out, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {},
                            poplar::OptionFlags const &options = {}) {
  mapWithOutput(graph, expr::TernaryOpType::CLAMP, values, minimums, maximums, out, prog,
                debugContext, options);
}

} // namespace popops

namespace poputil {

/// The name of the operation; a fixed text for expressions.
template <> POP_API poplar::ProfileValue toProfileValue(popops::expr::UnaryOpType const &op);
template <> POP_API poplar::ProfileValue toProfileValue(popops::expr::BinaryOpType const &op);
template <> POP_API poplar::ProfileValue toProfileValue(popops::expr::TernaryOpType const &op);
template <> POP_API poplar::ProfileValue toProfileValue(popops::expr::Expr const &expr);
template <> POP_API poplar::ProfileValue toProfileValue(popops::expr::Any const &expr);

} // namespace poputil

#endif
