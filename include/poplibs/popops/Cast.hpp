#include <popops/impl/Config.hpp>
#ifndef POPOPS_CAST_HPP
#define POPOPS_CAST_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

// Conversions of the element type. To an integer: truncated towards zero, and to 8 bits saturated.
// What then is no INT gives -2^31, what is no UNSIGNED_INT 2^32 - 1 (numbers below 0 too, and NaN);
// to 16 bits numbers go by way of INT. A wider integer wraps; to BOOL: x != 0; FLOAT to HALF:
// rounded to nearest even, overflow gives infinity. QUARTER converts to and from itself, HALF,
// FLOAT and the 8-bit integers by its metadata: value * 2^scale, rounded to nearest even;
// infinities and what is too large give NaN. All throw poputil::poplibs_error on a pair of types
// that is not supported, shapes that differ, or a destination with aliases or constants.

namespace popops {

/// A new tensor of type dstType, laid out as src.
POP_API poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor const &src,
                            poplar::Type const &dstType, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {});
/// The same with the format and the scale of QUARTER, which the result refers to.
/// \param metadata  of one element of type QUARTER_METADATA for QUARTER; else an invalid tensor.
/// \throws poputil::poplibs_error  metadata that does not belong to dstType, or is of another type
///         or size; QUARTER in the form without metadata.
POP_API poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor const &src,
                            poplar::Type const &dstType, poplar::Tensor const &metadata,
                            poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {});

/// Writes dst, of the shape of src, which may overlap it.
POP_API void castWithOutput(poplar::Graph &graph, poplar::Tensor const &src,
                            poplar::Tensor const &dst, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {});

/// The program that writes dst: a Copy if the types are equal.
POP_API poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                                      poplar::DebugContext const &debugContext = {});

/// Adds vertices to a compute set, also if the types are equal. dst may not overlap src in another
/// order.
POP_API void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                  poplar::ComputeSet cs);
POP_API poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, poplar::Type const &dstType,
                            poplar::ComputeSet cs, poplar::DebugContext const &debugContext = {});
/// The same with metadata, as above.
POP_API poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, poplar::Type const &dstType,
                            poplar::Tensor const &metadata, poplar::ComputeSet cs,
                            poplar::DebugContext const &debugContext = {});

/// Whether a number keeps its value in another type (deprecated):
/// |x| * tolerance > |half(x) - x| from FLOAT to HALF, true from HALF to FLOAT.
/// Computed in float, with the tolerance rounded to float. False for 0, for NaN, for infinities and
/// for what is infinite in HALF.
/// \param input  one element of any shape.
/// \returns      BOOL, shape []: new and mapped as the input; from HALF a constant on tile 0.
/// \throws poputil::poplibs_error  other types, or not exactly one element.
POP_API poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, poplar::Tensor const &input,
                                             poplar::Type outputType, double tolerance,
                                             poplar::program::Sequence &prog,
                                             poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
