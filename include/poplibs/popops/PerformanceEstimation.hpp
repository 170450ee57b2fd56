#include <popops/impl/Config.hpp>
#ifndef POPOPS_PERFORMANCE_ESTIMATION_HPP
#define POPOPS_PERFORMANCE_ESTIMATION_HPP

#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <poplar/VertexIntrospector.hpp>

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

} // namespace internal
} // namespace popops

#endif
