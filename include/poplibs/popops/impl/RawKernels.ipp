#pragma once

#include <popops/impl/OpNames.hpp>
#include <popops/impl/RawKernels.hpp>

#include <codelets/popops/ActiveKernels.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <popops/Operation.hpp>

#include <sstream>

namespace cottonwood::popops {

namespace detail {

static_assert(static_cast<int>(RawType::BOOL) == static_cast<int>(vertices::MapType::BOOL));
static_assert(static_cast<int>(RawType::HALF) == static_cast<int>(vertices::MapType::HALF));

using ::poplar::poplar_error;

POP_INLINE vertices::MapType mapType(RawType type) { return static_cast<vertices::MapType>(type); }

POP_INLINE char const *rawName(RawType type) {
  static constexpr char const *NAMES[] = {"float", "half", "int", "unsigned int", "bool"};
  return NAMES[static_cast<unsigned>(type)];
}

/// Messages are made out of line: calls with small arrays are short.
[[noreturn, gnu::cold, gnu::noinline]] POP_INLINE void
failOfPointer(char const *where, char const *name, std::size_t n) {
  base::fail<poplar_error>(where, "'", name, "' is a null pointer; it must have ", n, " elements");
}
POP_INLINE void checkPointer(char const *where, void const *data, char const *name, std::size_t n) {
  if (!data && n != 0)
    failOfPointer(where, name, n);
}

POP_INLINE std::string rawOperationName(RawOperation op) {
  using namespace ::popops::expr;
  return std::string(op.numOperands == 1   ? nameOf(static_cast<UnaryOpType>(op.index)).debug
                     : op.numOperands == 2 ? nameOf(static_cast<BinaryOpType>(op.index)).debug
                                           : nameOf(static_cast<TernaryOpType>(op.index)).debug);
}

POP_INLINE void checkRawOperation(RawOperation op) {
  using namespace ::popops::expr;
  char const *const where = "popops::kernels::map";
  if (op.numOperands == 1)
    requireOp<poplar_error>(where, static_cast<UnaryOpType>(op.index));
  else if (op.numOperands == 2)
    requireOp<poplar_error>(where, static_cast<BinaryOpType>(op.index));
  else
    requireOp<poplar_error>(where, static_cast<TernaryOpType>(op.index));
}

[[noreturn, gnu::cold, gnu::noinline]] POP_INLINE void failOfOperands(RawOperation op,
                                                                      RawArray const *in) {
  std::string types;
  for (unsigned i = 0; i != op.numOperands; ++i)
    types += std::string(i == 0                    ? ""
                         : i + 1 == op.numOperands ? " and "
                                                   : ", ") +
             rawName(in[i].type);
  base::fail<poplar_error>("popops::kernels::map", rawOperationName(op),
                           " does not exist for operands of type ", types);
}
[[noreturn, gnu::cold, gnu::noinline]] POP_INLINE void
failOfResult(RawOperation op, RawType outType, RawType type, RawType result) {
  base::fail<poplar_error>("popops::kernels::map", "'out' has elements of type ", rawName(outType),
                           ", but ", rawOperationName(op), " of ", rawName(type), " gives ",
                           rawName(result));
}

POP_INLINE void checkRawMap(RawOperation op, vertices::MapOp mapOp, RawType outType,
                            RawArray const *in) {
  RawType const type = in[0].type;
  bool fits = vertices::isSupported(mapOp, mapType(type));
  for (unsigned i = 1; i != op.numOperands; ++i) {
    bool const isCondition = mapOp == vertices::MapOp::SELECT && i == 2;
    fits = fits && in[i].type == (isCondition ? RawType::BOOL : type);
  }
  if (!fits)
    failOfOperands(op, in);
  RawType const result = vertices::givesBool(mapOp) ? RawType::BOOL : type;
  if (outType != result)
    failOfResult(op, outType, type, result);
}

} // namespace detail

POP_INLINE void rawMap(RawOperation op, void *out, RawType outType, std::size_t n,
                       RawArray const *in) {
  detail::checkRawOperation(op);
  auto const mapOp = op.numOperands == 1   ? vertices::unaryMapOp(static_cast<int>(op.index))
                     : op.numOperands == 2 ? vertices::binaryMapOp(static_cast<int>(op.index))
                                           : vertices::ternaryMapOp(static_cast<int>(op.index));
  detail::checkRawMap(op, mapOp, outType, in);
  detail::checkPointer("popops::kernels::map", out, "out", n);
  void const *data[3] = {in[0].data, in[0].data, in[0].data};
  for (unsigned i = 0; i != op.numOperands; ++i) {
    static constexpr char const *NAMES[] = {"a", "b", "c"};
    detail::checkPointer("popops::kernels::map", in[i].data, op.numOperands == 1 ? "in" : NAMES[i],
                         n);
    data[i] = in[i].data;
  }
  auto const &kernels = kernels::activeMapKernels();
  auto const type = detail::mapType(in[0].type);
  auto const kernel = kernels.operation(mapOp, type);
  if (n != 0)
    kernel(out, data[0], data[1], data[2], n, kernels::Walk::NEAR);
}

POP_INLINE void rawCast(void *out, RawType outType, std::size_t n, RawArray in) {
  detail::checkPointer("popops::kernels::cast", out, "out", n);
  detail::checkPointer("popops::kernels::cast", in.data, "in", n);
  if (n != 0)
    kernels::activeMapKernels().cast(detail::mapType(in.type), detail::mapType(outType))(
        out, in.data, in.data, in.data, n, kernels::Walk::NEAR);
}

POP_INLINE void rawFill(void *out, void const *value, std::size_t bytes, std::size_t n) {
  detail::checkPointer("popops::kernels::fill", out, "out", n);
  auto const &kernels = kernels::activeFillKernels();
  if (n != 0)
    (bytes == 1   ? kernels.bytes1
     : bytes == 2 ? kernels.bytes2
                  : kernels.bytes4)(out, value, n, false);
}

namespace detail {

POP_INLINE std::string rawOperationName(::popops::Operation op) {
  std::ostringstream name;
  name << op;
  return name.str();
}

/// \throws poplar_error  the numbers of elements wrap around.
POP_INLINE void checkRawSizes(char const *where, RawReduction const &r) {
  std::size_t outputs = 0, elements = 0;
  if (__builtin_mul_overflow(r.outer, r.inner, &outputs) ||
      __builtin_mul_overflow(outputs, r.reduced, &elements))
    base::fail<poplar_error>(where, "the shape [", r.outer, ", ", r.reduced, ", ", r.inner,
                             "] has too many elements");
}

POP_INLINE void checkRawReduce(RawReduction const &r) {
  using ::popops::Operation;
  char const *const where = "popops::kernels::reduce";
  auto const isFloating = [](RawType type) {
    return type == RawType::FLOAT || type == RawType::HALF;
  };
  requireOp<poplar_error>(where, r.op);
  bool const floating = isFloating(r.in.type) && isFloating(r.outType);
  bool const same = r.in.type == r.outType;
  bool const logical = r.op == Operation::LOGICAL_AND || r.op == Operation::LOGICAL_OR;
  bool const onBool = r.in.type == RawType::BOOL;
  bool const addsUp =
      r.op == Operation::ADD || r.op == Operation::SQUARE_ADD || r.op == Operation::LOG_ADD;
  if (!(floating || same) || logical != onBool || (r.op == Operation::LOG_ADD && !floating))
    base::fail<poplar_error>(where, "operation ", rawOperationName(r.op), " from ",
                             rawName(r.in.type), " to ", rawName(r.outType),
                             " does not exist; numbers are reduced to their own type, float and "
                             "half to either, bool by LOGICAL_AND and LOGICAL_OR, LOG_ADD takes "
                             "float and half");
  if (r.scale && !(addsUp && floating))
    base::fail<poplar_error>(where, "a scale with operation ", rawOperationName(r.op), " on ",
                             rawName(r.in.type),
                             "; allowed: ADD, SQUARE_ADD, LOG_ADD on float and half");
  if (r.update && !addsUp)
    base::fail<poplar_error>(where, "updating with operation ", rawOperationName(r.op),
                             "; allowed: ADD, SQUARE_ADD, LOG_ADD");
  checkRawSizes(where, r);
  checkPointer(where, r.out, "out", r.outer * r.inner);
  checkPointer(where, r.in.data, "in", r.outer * r.reduced * r.inner);
}

} // namespace detail

POP_INLINE void rawReduce(RawReduction const &reduction) {
  detail::checkRawReduce(reduction);
  kernels::ErasedReduce args;
  args.op = static_cast<kernels::ReduceOp>(reduction.op);
  args.in = reduction.in.data;
  args.out = reduction.out;
  args.reduced = reduction.reduced;
  args.inner = reduction.inner;
  args.outputs = reduction.outer * reduction.inner;
  args.scale = reduction.scale;
  args.update = reduction.update;
  auto const in = static_cast<unsigned>(reduction.in.type);
  auto const out = static_cast<unsigned>(reduction.outType);
  if (args.outputs != 0)
    kernels::activeReduceKernels().kernels[in][out](args);
}

} // namespace cottonwood::popops
