#pragma once

#include <popops/OperationDefUtil.hpp>
#include <popops/PerformanceEstimation.hpp>
#include <popops/impl/CastTypes.hpp>
#include <popops/impl/MapTerm.hpp>
#include <popops/impl/OpNames.hpp>
#include <poputil/exceptions.hpp>

#include <codelets/popops/CastCost.hpp>
#include <codelets/popops/FillCost.hpp>
#include <codelets/popops/MapCost.hpp>
#include <codelets/popops/MultiSliceCost.hpp>
#include <codelets/popops/ScaledAddCost.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

#include <algorithm>
#include <string>

namespace cottonwood::popops::detail {

using ::popops::expr::BinaryOpType;
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

// ---- Maps of one binary operation

struct BinaryMap {
  BinaryOpType op;
  Type in, out;
  bool inPlace, broadcast;
};

POP_INLINE std::string typesOfOperands(vertices::MapOp op) {
  std::string text;
  for (Type const &type :
       {::poplar::FLOAT, ::poplar::HALF, ::poplar::INT, ::poplar::UNSIGNED_INT, ::poplar::BOOL})
    if (vertices::isSupported(op, *mapTypeOf(type)))
      text += (text.empty() ? "" : ", ") + type.toString().cloneAsString();
  return text;
}

POP_INLINE unsigned binaryMapCyclesPer8(char const *where, BinaryMap const &map) {
  popops::requireOp<poplibs_error>(where, map.op);
  auto const op = vertices::binaryMapOp(static_cast<int>(map.op));
  auto const in = mapTypeOf(map.in), out = mapTypeOf(map.out);
  if (!in || !vertices::isSupported(op, *in))
    base::fail<poplibs_error>(where, popops::operationName(op),
                              " does not exist for elements of type ", map.in,
                              "; allowed: ", typesOfOperands(op));
  if (!out)
    base::fail<poplibs_error>(where, "the result is of type ", map.out,
                              "; allowed: float, half, int, unsigned int, bool");
  if (map.inPlace && (*out != *in || (vertices::givesBool(op) && *in != MapType::BOOL)))
    base::fail<poplibs_error>(where, popops::operationName(op), " in place on elements of type ",
                              map.in, " with a result of type ",
                              vertices::givesBool(op) ? ::poplar::BOOL : map.out,
                              "; the types must be equal");
  vertices::MapProgramBuilder builder;
  auto const a = map.inPlace ? builder.output(*in) : builder.input(*in, 0);
  auto const b =
      builder.input(*in, map.inPlace ? 0 : 1,
                    map.broadcast ? vertices::MapPattern::scalar() : vertices::MapPattern());
  auto value = builder.apply(op, a, b);
  if (builder.type(value) != *out)
    value = builder.cast(value, *out);
  return vertices::mapCyclesPer8(builder.finish(value).data());
}

// ---- Slices

/// How many of the offsets are in range for all workers together.
POP_INLINE vertices::SliceCostProblem rowsProblem(char const *where, unsigned elementBytes,
                                                  unsigned elemsPerSlice, unsigned numOffsets,
                                                  unsigned inRangePerWorker, unsigned workers) {
  if (inRangePerWorker > numOffsets)
    base::fail<poplibs_error>(where, "numOffsetsInRangePerWorker = ", inRangePerWorker,
                              " of numOffsets = ", numOffsets, "; it must not exceed them");
  vertices::SliceCostProblem problem;
  problem.offsets = problem.size = numOffsets;
  problem.rows = std::min<std::uint64_t>(std::uint64_t(inRangePerWorker) * workers, numOffsets);
  problem.inner = elemsPerSlice;
  problem.elementBytes = elementBytes;
  return problem;
}

// ---- Casts

POP_INLINE vertices::CastKind castKindOf(char const *where, Type const &from, Type const &to) {
  // What is copied as it is has vertices in the forms that take a compute set.
  bool const copied = sameBits(from, to) && base::sizeOf(from) <= 4 && isCastable(from, from);
  if (!copied && !isCastable(from, to))
    base::fail<poplibs_error>(
        where, "from ", from, " to ", to,
        "; allowed: float, half, bool and integers of up to 32 bits to each other, the latter two "
        "also to 64-bit integers");
  return castKindOf(from, to);
}

} // namespace cottonwood::popops::detail

namespace popops {
namespace internal {

POP_INLINE std::uint64_t basicOpSupervisorOverhead(bool const) {
  return cottonwood::vertices::MAP_SUPERVISOR_CYCLES;
}

POP_INLINE std::uint64_t basicOpLoopCycles(unsigned const numElems, unsigned const vectorSize,
                                           unsigned const cyclesPerVector) {
  if (vectorSize == 0)
    cottonwood::base::fail<poputil::poplibs_error>("popops::internal::basicOpLoopCycles",
                                                   "vectorSize = 0; it must be at least 1");
  return (std::uint64_t(numElems) + vectorSize - 1) / vectorSize * cyclesPerVector;
}

POP_INLINE std::uint64_t binaryOpInnerLoopCycles(poplar::Target const &target,
                                                 poplar::Type const &type,
                                                 unsigned const cyclesPerVector,
                                                 bool const vectorize, unsigned const numElems,
                                                 std::uint64_t const overheadPerLoop) {
  std::uint64_t const turns =
      basicOpLoopCycles(numElems, vectorize ? target.getVectorWidth(type) : 1, 1);
  return turns * (cyclesPerVector + overheadPerLoop);
}

POP_INLINE std::uint64_t getDynamicSlice1DEstimate(poplar::Target const &target,
                                                   poplar::Type const &type,
                                                   unsigned const regionSize,
                                                   unsigned const numSubElements) {
  cottonwood::vertices::SliceCostProblem problem;
  problem.offsets = 1;
  problem.rows = problem.size = problem.sliceRows = numSubElements;
  problem.inner = regionSize;
  problem.elementBytes =
      cottonwood::popops::detail::movedBytes("popops::internal::getDynamicSlice1DEstimate", type);
  return cottonwood::vertices::multiSliceCycles(problem, true, target.getNumWorkerContexts());
}

POP_INLINE std::uint64_t getBinaryOp1DInPlaceEstimate(poplar::Target const &target,
                                                      poplar::Type const &type,
                                                      popops::expr::BinaryOpType const op,
                                                      unsigned const numElems) {
  unsigned const cyclesPer8 = cottonwood::popops::detail::binaryMapCyclesPer8(
      "popops::internal::getBinaryOp1DInPlaceEstimate", {op, type, type, true, false});
  return cottonwood::vertices::mapCycles(numElems, cyclesPer8, target.getNumWorkerContexts());
}

POP_INLINE MultiSliceTargetParameters::MultiSliceTargetParameters(poplar::Target const &target,
                                                                  poplar::Type const &type)
    : atomicWriteSize(static_cast<unsigned>(target.getAtomicStoreGranularity())),
      dataPathWidth(target.getDataPathWidth()),
      bytesPerElem(cottonwood::popops::detail::movedBytes(
          "popops::internal::MultiSliceTargetParameters", type)),
      numWorkerContexts(target.getNumWorkerContexts()) {}

POP_INLINE std::uint64_t getMultiSliceCycleEstimate(MultiSliceTargetParameters const &targetParams,
                                                    unsigned const elemsPerSlice,
                                                    unsigned const numOffsets,
                                                    unsigned const numOffsetsInRangePerWorker,
                                                    unsigned const, bool const isUpdate, bool const,
                                                    bool const) {
  namespace detail = cottonwood::popops::detail;
  char const *const where = "popops::internal::getMultiSliceCycleEstimate";
  unsigned const workers = detail::checkedWorkers(where, targetParams.numWorkerContexts);
  return cottonwood::vertices::multiSliceCycles(
      detail::rowsProblem(where, targetParams.bytesPerElem, elemsPerSlice, numOffsets,
                          numOffsetsInRangePerWorker, workers),
      !isUpdate, workers);
}

POP_INLINE
MultiUpdateOpTargetParameters::MultiUpdateOpTargetParameters(poplar::Target const &target,
                                                             poplar::Type const &type)
    : atomicWriteSize(static_cast<unsigned>(target.getAtomicStoreGranularity())),
      numWorkerContexts(target.getNumWorkerContexts()),
      bytesPerElem(static_cast<unsigned>(target.getTypeSize(type))) {
  using namespace poplar;
  if (type != FLOAT && type != HALF && type != INT && type != UNSIGNED_INT)
    cottonwood::base::fail<poputil::poplibs_error>(
        "popops::internal::MultiUpdateOpTargetParameters", "elements of type ", type,
        "; allowed: float, half, int, unsigned int");
}

POP_INLINE std::uint64_t
getMultiUpdateOpCycleEstimate(MultiUpdateOpTargetParameters const &targetParams, bool,
                              unsigned const elemsPerSlice, unsigned const numOffsets,
                              unsigned const numOffsetsInRangePerWorker, unsigned const,
                              Operation const op, bool const, bool const, bool const) {
  namespace detail = cottonwood::popops::detail;
  char const *const where = "popops::internal::getMultiUpdateOpCycleEstimate";
  if (op != Operation::ADD && op != Operation::MAX && op != Operation::MUL)
    cottonwood::base::fail<poputil::poplibs_error>(where, "op = ", poputil::asString(op),
                                                   "; allowed: Add, Max, Mul");
  unsigned const workers = detail::checkedWorkers(where, targetParams.numWorkerContexts);
  return cottonwood::vertices::multiUpdateOpCycles(
      detail::rowsProblem(where, targetParams.bytesPerElem, elemsPerSlice, numOffsets,
                          numOffsetsInRangePerWorker, workers),
      workers);
}

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
  base::requireEnumerator<poputil::poplibs_error>(where, "ScaledArithmeticOp", operation,
                                                  {"ADD", "SUBTRACT", "AXPLUSBY", "AXMINUSBY"});
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

POP_INLINE poplar::VertexPerfEstimate
broadcastArithmetic1DCycleEstimate(poplar::Target const &target, popops::expr::BinaryOpType op,
                                   poplar::Type const &inType, poplar::Type const &outType,
                                   bool inPlace, std::size_t dataSize) {
  unsigned const cyclesPer8 = cottonwood::popops::detail::binaryMapCyclesPer8(
      "popops::internal::broadcastArithmetic1DCycleEstimate", {op, inType, outType, inPlace, true});
  return {cottonwood::vertices::mapCycles(dataSize, cyclesPer8, target.getNumWorkerContexts()),
          dataSize};
}

POP_INLINE poplar::VertexPerfEstimate
broadcastArithmeticCycleEstimate(poplar::Target const &, popops::expr::BinaryOpType op,
                                 poplar::Type const &inType, poplar::Type const &outType,
                                 bool inPlace, bool, std::vector<std::size_t> const &data) {
  unsigned const cyclesPer8 = cottonwood::popops::detail::binaryMapCyclesPer8(
      "popops::internal::broadcastArithmeticCycleEstimate", {op, inType, outType, inPlace, true});
  poplar::VertexPerfEstimate estimate;
  for (std::size_t const elements : data) {
    estimate.cycles += cottonwood::vertices::mapWorkerCycles(elements, cyclesPer8);
    estimate.flops += elements;
  }
  return estimate;
}

} // namespace internal
} // namespace popops
