#pragma once

#include <popops/PerformanceEstimation.hpp>
#include <popops/impl/CastTypes.hpp>
#include <poputil/exceptions.hpp>

#include <codelets/popops/CastCost.hpp>
#include <codelets/popops/FillCost.hpp>
#include <codelets/popops/ScaledAddCost.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

namespace cottonwood::popops::detail {

using ::poputil::poplibs_error;

POP_INLINE unsigned checkedWorkers(char const *where, unsigned workers) {
  if (workers == 0)
    base::fail<poplibs_error>(where, "numWorkerContexts = 0; it must be at least 1");
  return workers;
}

/// The size of elements that are moved as they are.
POP_INLINE unsigned movedBytes(char const *where, Type const &type) {
  if (!isOneOf(type, {TypeId::Float, TypeId::Half}) && !isCastableInteger(type) &&
      !isLongLong(type))
    base::fail<poplibs_error>(
        where, "elements of type ", type,
        "; allowed: float, half, bool, and integers but long and unsigned long");
  return static_cast<unsigned>(base::sizeOf(type));
}

POP_INLINE vertices::CastKind castKindOf(char const *where, Type const &from, Type const &to) {
  // What is copied as it is has vertices in the forms that take a compute set.
  bool const copied = sameBits(from, to) && base::sizeOf(from) <= 4 && isCastable(from, from);
  if (!copied && !isCastable(from, to))
    base::fail<poplibs_error>(
        where, "from ", from, " to ", to,
        "; allowed: float, half, bool and integers of up to 32 bits to each other, the latter two "
        "also to 64-bit integers");
  auto const end = [](Type const &type) {
    return vertices::CastType{static_cast<unsigned>(base::sizeOf(type)), type == ::poplar::FLOAT,
                              type == ::poplar::HALF};
  };
  return vertices::castKind(end(from), end(to));
}

} // namespace cottonwood::popops::detail

namespace popops {
namespace internal {

POP_INLINE CastTargetParameters::CastTargetParameters(poplar::Target const &target,
                                                      poplar::Type const &fromType,
                                                      poplar::Type const &toType)
    : numWorkerContexts(target.getNumWorkerContexts()), dataPathWidth(target.getDataPathWidth()),
      fromTypeSize(static_cast<unsigned>(target.getTypeSize(fromType))),
      toTypeSize(static_cast<unsigned>(target.getTypeSize(toType))) {}

POP_INLINE std::uint64_t getCast1DSingleWorkerCycleEstimate(CastTargetParameters const &,
                                                            poplar::Type const &fromType,
                                                            poplar::Type const &toType,
                                                            unsigned const numElems) {
  return cottonwood::vertices::castWorkerCycles(
      cottonwood::popops::detail::castKindOf("popops::internal::getCast1DSingleWorkerCycleEstimate",
                                             fromType, toType),
      numElems);
}

POP_INLINE std::uint64_t getCast1DCycleEstimate(CastTargetParameters const &targetParams,
                                                poplar::Type const &fromType,
                                                poplar::Type const &toType,
                                                unsigned const numElems) {
  namespace detail = cottonwood::popops::detail;
  char const *const where = "popops::internal::getCast1DCycleEstimate";
  return cottonwood::vertices::castCycles(
      detail::castKindOf(where, fromType, toType), numElems,
      detail::checkedWorkers(where, targetParams.numWorkerContexts));
}

POP_INLINE std::uint64_t getCast2DCycleEstimate(CastTargetParameters const &targetParams,
                                                poplar::Type const &fromType,
                                                poplar::Type const &toType,
                                                std::vector<unsigned> &elemCounts) {
  std::uint64_t cycles = 0;
  for (unsigned const count : elemCounts)
    cycles += getCast1DSingleWorkerCycleEstimate(targetParams, fromType, toType, count);
  return cycles;
}

POP_INLINE FillTargetParameters::FillTargetParameters(poplar::Target const &target)
    : dataPathWidth(target.getDataPathWidth()) {}

POP_INLINE std::uint64_t getFill1DCycleEstimate(FillTargetParameters const &,
                                                poplar::Type const &type, unsigned const numElems) {
  return cottonwood::vertices::fillCycles(
      cottonwood::popops::detail::movedBytes("popops::internal::getFill1DCycleEstimate", type),
      numElems, 1);
}

POP_INLINE std::uint64_t getFill2DCycleEstimate(FillTargetParameters const &targetParams,
                                                poplar::Type const &type,
                                                std::vector<unsigned> const &numElems) {
  std::uint64_t cycles = 0;
  for (unsigned const count : numElems)
    cycles += getFill1DCycleEstimate(targetParams, type, count);
  return cycles;
}

POP_INLINE
ScaledArithmeticTargetParameters::ScaledArithmeticTargetParameters(poplar::Target const &target,
                                                                   poplar::Type const &dataType)
    : numWorkerContexts(target.getNumWorkerContexts()),
      vectorWidth(target.getVectorWidth(dataType)) {}

POP_INLINE std::uint64_t getScaledArithmeticSupervisorCycleEstimate(
    ScaledArithmeticTargetParameters const &targetParams, poplar::Type const &dataType,
    poplar::Type const &dataBType, bool const, ScaledArithmeticOp const operation,
    poplar::layout::Vector const &, poplar::layout::Vector const &, unsigned const numElems) {
  namespace base = cottonwood::base;
  char const *const where = "popops::internal::getScaledArithmeticSupervisorCycleEstimate";
  auto const isFloating = [](poplar::Type const &type) {
    return type == poplar::FLOAT || type == poplar::HALF;
  };
  bool const integer =
      dataType == dataBType && (dataType == poplar::INT || dataType == poplar::UNSIGNED_INT);
  if (!integer && !(isFloating(dataType) && isFloating(dataBType)))
    base::fail<poputil::poplibs_error>(
        where, "data of types ", dataType, " and ", dataBType,
        "; allowed: float or half each, or both int, or both unsigned int");
  cottonwood::vertices::ScaledAddCostProblem problem;
  problem.elements = numElems;
  problem.bytesOfA = static_cast<unsigned>(base::sizeOf(dataType));
  problem.bytesOfB = static_cast<unsigned>(base::sizeOf(dataBType));
  problem.integer = integer;
  problem.scalesA =
      operation == ScaledArithmeticOp::AXPLUSBY || operation == ScaledArithmeticOp::AXMINUSBY;
  return cottonwood::vertices::scaledAddCycles(
      problem, cottonwood::popops::detail::checkedWorkers(where, targetParams.numWorkerContexts));
}

} // namespace internal
} // namespace popops
