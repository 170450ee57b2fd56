#include <popops/impl/Config.hpp>
#ifndef POPOPS_PERFORMANCE_ESTIMATION_HPP
#define POPOPS_PERFORMANCE_ESTIMATION_HPP

#include <popops/ExprOp.hpp>
#include <popops/Operation.hpp>

#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

// What vertices of this library cost a tile of an IPU, before there is a graph: the estimates that
// profiles show and planners use are computed by the same functions.
//
// - Cycles are those of the tile for a vertex whose workers share its elements: all workers times
//   the slowest of them, and the supervisor that starts them. Where "of one worker" is said it is
//   one worker's cycles alone.
// - Every vertex here takes one region; what a tile holds of a tensor is one region of one vertex.
//   Estimates of several regions are those of one worker that takes them in turn, at the cost of
//   a region that it has for itself.
// - W is the number of worker contexts of a tile. A cost counts 64 bits a load or store.
// - Some arguments tell apart variants that other implementations have. They change nothing where
//   the text says so.
//
// All throw poputil::poplibs_error for types and operations that the vertex does not exist for, and
// for 0 workers or vectors of 0 elements.

namespace popops {
namespace internal {

/// Cycles of the supervisor for a vertex of an elementwise operation: it starts the workers and
/// waits for them.
/// \param isScaledPtr64Type  changes nothing: all pointers are full ones.
POP_API std::uint64_t basicOpSupervisorOverhead(bool const isScaledPtr64Type = false);

/// ceil(numElems / vectorSize) * cyclesPerVector: a loop of one worker, without what surrounds it.
POP_API std::uint64_t basicOpLoopCycles(unsigned const numElems, unsigned const vectorSize,
                                        unsigned const cyclesPerVector);

/// ceil(numElems / v) * (cyclesPerVector + overheadPerLoop), v = target.getVectorWidth(type) if
/// vectorize, else 1: a loop of one worker. (A vertex of several fused operations pays the overhead
/// once for all of them; getBinaryOp1DInPlaceEstimate gives the whole vertex of one.)
POP_API std::uint64_t binaryOpInnerLoopCycles(poplar::Target const &target,
                                              poplar::Type const &type,
                                              unsigned const cyclesPerVector, bool const vectorize,
                                              unsigned const numElems,
                                              std::uint64_t const overheadPerLoop);

/// A slice of numSubElements rows of regionSize elements each, out of a tensor on the same tile
/// (popops::MultiSlice with one offset).
POP_API std::uint64_t getDynamicSlice1DEstimate(poplar::Target const &target,
                                                poplar::Type const &type, unsigned const regionSize,
                                                unsigned const numSubElements);

/// a[i] = op(a[i], b[i]) for numElems elements (popops::MapInPlace).
/// \param type  FLOAT, HALF, INT, UNSIGNED_INT or BOOL.
/// \throws poputil::poplibs_error  also if the result is of another type, as of comparisons.
POP_API std::uint64_t getBinaryOp1DInPlaceEstimate(poplar::Target const &target,
                                                   poplar::Type const &type,
                                                   popops::expr::BinaryOpType const op,
                                                   unsigned const numElems);

/// What getMultiSliceCycleEstimate asks about the target and elements, to ask it once.
struct POP_API MultiSliceTargetParameters {
  MultiSliceTargetParameters(poplar::Target const &target, poplar::Type const &type);
  unsigned atomicWriteSize; ///< bytes; not used
  unsigned dataPathWidth;   ///< bits; not used
  unsigned bytesPerElem;
  unsigned numWorkerContexts;
};

/// Lookups of slices of one row (popops::MultiSlice), or rows overwritten with slices
/// (popops::MultiUpdate).
/// \param elemsPerSlice               elements of a row.
/// \param numOffsets                  of the vertex.
/// \param numOffsetsInRangePerWorker  those of them in the rows that the vertex holds, for each
///                                    worker; W times as many, at most all, are in range together.
///                                    A lookup writes zeros for the others.
/// \param offsetsPerDictEntry, indicesAreSorted, splitSingleRegion  change nothing: workers share
///                                    the elements, in whatever order offsets are.
/// \throws poputil::poplibs_error     also for more offsets in range than there are.
POP_API std::uint64_t getMultiSliceCycleEstimate(
    MultiSliceTargetParameters const &targetParams, unsigned const elemsPerSlice,
    unsigned const numOffsets, unsigned const numOffsetsInRangePerWorker,
    unsigned const offsetsPerDictEntry, bool const isUpdate = false,
    bool const indicesAreSorted = false, bool const splitSingleRegion = false);

/// The same for getMultiUpdateOpCycleEstimate.
struct POP_API MultiUpdateOpTargetParameters {
  MultiUpdateOpTargetParameters(poplar::Target const &target, poplar::Type const &type);
  unsigned atomicWriteSize; ///< bytes; not used
  unsigned numWorkerContexts;
  unsigned bytesPerElem;
};

/// Rows of a table combined with slices (popops::MultiUpdateOp). The first arguments are those of
/// getMultiSliceCycleEstimate.
/// \param op  ADD, MAX or MUL, which cost the same.
/// \param subWordWritesRequired, offsetsPerDictEntry, scaled, scaleHigherPrecisionThanData,
///        indicesAreSorted  change nothing: every sum is scaled, HALF is computed in float, and
///        workers share the elements of a row, 64 bits at a time.
POP_API std::uint64_t
getMultiUpdateOpCycleEstimate(MultiUpdateOpTargetParameters const &targetParams,
                              bool subWordWritesRequired, unsigned const elemsPerSlice,
                              unsigned const numOffsets, unsigned const numOffsetsInRangePerWorker,
                              unsigned const offsetsPerDictEntry, Operation const op,
                              bool const scaled, bool const scaleHigherPrecisionThanData = false,
                              bool const indicesAreSorted = false);

/// What the estimates of casts ask about the target and types. The types are given again with each
/// call, and decide.
struct POP_API CastTargetParameters {
  CastTargetParameters(poplar::Target const &target, poplar::Type const &fromType,
                       poplar::Type const &toType);
  unsigned numWorkerContexts;
  unsigned dataPathWidth; ///< bits; not used
  unsigned fromTypeSize;  ///< bytes; not used
  unsigned toTypeSize;    ///< bytes; not used
};

/// The sum of getCast1DSingleWorkerCycleEstimate over regions of these numbers of elements.
/// \param elemCounts  not changed.
POP_API std::uint64_t getCast2DCycleEstimate(CastTargetParameters const &targetParams,
                                             poplar::Type const &fromType,
                                             poplar::Type const &toType,
                                             std::vector<unsigned> &elemCounts);

/// The part of one worker that converts numElems elements (popops::Cast).
/// \throws poputil::poplibs_error  popops::cast has no vertices for the types; those of equal bits,
///                                 which it copies, are cast in compute sets, up to 32 bits.
POP_API std::uint64_t getCast1DSingleWorkerCycleEstimate(CastTargetParameters const &targetParams,
                                                         poplar::Type const &fromType,
                                                         poplar::Type const &toType,
                                                         unsigned const numElems);

/// Conversion of numElems elements by all workers (popops::Cast).
/// \throws poputil::poplibs_error  as above.
POP_API std::uint64_t getCast1DCycleEstimate(CastTargetParameters const &targetParams,
                                             poplar::Type const &fromType,
                                             poplar::Type const &toType, unsigned const numElems);

/// What the estimates of fills ask about the target.
struct POP_API FillTargetParameters {
  FillTargetParameters(poplar::Target const &target);
  unsigned dataPathWidth; ///< bits; not used
};

/// popops::Fill of one worker for numElems elements of any type that popops::fill takes.
POP_API std::uint64_t getFill1DCycleEstimate(FillTargetParameters const &targetParams,
                                             poplar::Type const &type, unsigned const numElems);

/// The sum of getFill1DCycleEstimate over regions of these numbers of elements.
POP_API std::uint64_t getFill2DCycleEstimate(FillTargetParameters const &targetParams,
                                             poplar::Type const &type,
                                             std::vector<unsigned> const &numElems);

/// a += s b, a -= s b, a = r a + s b, a = r a - s b. Signs change no cost.
enum class ScaledArithmeticOp { ADD, SUBTRACT, AXPLUSBY, AXMINUSBY };

/// What getScaledArithmeticSupervisorCycleEstimate asks about the target and the type of a.
struct POP_API ScaledArithmeticTargetParameters {
  ScaledArithmeticTargetParameters(poplar::Target const &target, poplar::Type const &dataType);
  unsigned numWorkerContexts;
  unsigned vectorWidth; ///< elements; not used
};

/// popops::ScaledAdd or popops::Axpby, of numElems elements.
/// \param dataType, dataBType  of a and b: FLOAT or HALF each, or both INT, or both UNSIGNED_INT.
/// \param memConstrained, aLayout, bLayout  change nothing: operands may be anywhere in the tile's
///        memory, and all pointers are full ones.
POP_API std::uint64_t getScaledArithmeticSupervisorCycleEstimate(
    ScaledArithmeticTargetParameters const &targetParams, poplar::Type const &dataType,
    poplar::Type const &dataBType, bool const memConstrained, ScaledArithmeticOp const operation,
    poplar::layout::Vector const &aLayout, poplar::layout::Vector const &bLayout,
    unsigned const numElems);

/// out[i] = op(in[i], b), b one element of the type of in, for dataSize elements (popops::Map;
/// popops::MapInPlace if inPlace). flops is the number of elements.
/// \param outType  that of the result of op: BOOL of comparisons and logical operations, else
///                 inType; or another one that the result is cast to in the same vertex.
/// \throws poputil::poplibs_error  also for inPlace with types that differ.
POP_API poplar::VertexPerfEstimate
broadcastArithmetic1DCycleEstimate(poplar::Target const &target, popops::expr::BinaryOpType op,
                                   poplar::Type const &inType, poplar::Type const &outType,
                                   bool inPlace, std::size_t dataSize);

/// The same of one worker, over regions of `data` elements each.
/// \param uniformScalar  changes nothing: whether all regions have the same b.
POP_API poplar::VertexPerfEstimate
broadcastArithmeticCycleEstimate(poplar::Target const &target, popops::expr::BinaryOpType op,
                                 poplar::Type const &inType, poplar::Type const &outType,
                                 bool inPlace, bool uniformScalar,
                                 std::vector<std::size_t> const &data);

} // namespace internal
} // namespace popops

#endif
