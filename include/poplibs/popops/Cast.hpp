#include <popops/impl/Config.hpp>
#ifndef POPOPS_CAST_HPP
#define POPOPS_CAST_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

// Conversions of the element type. To an integer: truncated towards zero, and to 8 bits saturated;
// a wider integer wraps; to BOOL: x != 0; FLOAT to HALF: rounded to nearest even, overflow gives
// infinity. All throw poputil::poplibs_error on a pair of types that is not supported, or shapes
// that differ.

namespace popops {

/// A new tensor of type dstType, laid out as src.
POP_API poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor const &src,
                            poplar::Type const &dstType, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {});

/// Writes dst, of the shape of src.
POP_API void castWithOutput(poplar::Graph &graph, poplar::Tensor const &src,
                            poplar::Tensor const &dst, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {});

/// The program that writes dst: a Copy if the types are equal.
POP_API poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                                      poplar::DebugContext const &debugContext = {});

/// Adds vertices to a compute set, also if the types are equal.
POP_API void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                  poplar::ComputeSet cs);
POP_API poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, poplar::Type const &dstType,
                            poplar::ComputeSet cs, poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
