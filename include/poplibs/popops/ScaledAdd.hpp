#include <popops/impl/Config.hpp>
#ifndef POPOPS_SCALED_ADD_HPP
#define POPOPS_SCALED_ADD_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

// A += scaleB * B and relatives, in place. A and B have one shape; A must be writeable in parallel.
// Scales are numbers or tensors of one element. Types: FLOAT, HALF, INT, UNSIGNED_INT; with any
// FLOAT among A, B and the scales, products are computed in float and rounded once to A's type; the
// sum has A's type.
//
// Options:
//
// - optimizeForSpeed, true|false (false): accepted; the fast form is always taken.
// - scaleFloatToHalfTolerance, a number (1e-6): for HALF data, the relative error below which a
//   scale counts as a half.
//
// All throw poputil::poplibs_error on invalid tensors, shapes that differ, types not listed,
// aliases or constants in A, or a scale of more than one element.

namespace popops {

/// X_MINUS_AX_PLUS_BY: A = A - scaleA * A + scaleB * B.
enum class ScaledAddSpecialisation { DEFAULT, X_MINUS_AX_PLUS_BY };

/// A += scaleB * B.
POP_API void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B, float scaleB,
                         poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {});
POP_API void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B,
                         poplar::Tensor scaleB, poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {});

/// A -= scaleB * B.
POP_API void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B,
                                float scaleB, poplar::program::Sequence &prog,
                                poplar::DebugContext const &debugContext = {},
                                poplar::OptionFlags const &options = {});
POP_API void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B,
                                poplar::Tensor scaleB, poplar::program::Sequence &prog,
                                poplar::DebugContext const &debugContext = {},
                                poplar::OptionFlags const &options = {});

/// A = scaleA * A + scaleB * B.
POP_API void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA,
                         poplar::Tensor B, poplar::Tensor scaleB, poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {});
POP_API void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA,
                         poplar::Tensor B, poplar::Tensor scaleB, poplar::program::Sequence &prog,
                         ScaledAddSpecialisation const speciality,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {});
POP_API void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B,
                         float scaleB, poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {});
POP_API void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B,
                         float scaleB, poplar::program::Sequence &prog,
                         ScaledAddSpecialisation const speciality,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {});

/// A = scaleA * A - scaleB * B.
POP_API void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA,
                                poplar::Tensor B, poplar::Tensor scaleB,
                                poplar::program::Sequence &prog,
                                poplar::DebugContext const &debugContext = {},
                                poplar::OptionFlags const &options = {});
POP_API void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, float scaleA,
                                poplar::Tensor B, float scaleB, poplar::program::Sequence &prog,
                                poplar::DebugContext const &debugContext = {},
                                poplar::OptionFlags const &options = {});

} // namespace popops

#endif
