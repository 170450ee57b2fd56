// Functions of few long rows on tiles: steps in which several tiles share a row.
#pragma once

#include <popnn/impl/Config.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <functional>

namespace cottonwood::popnn {

using ::poplar::Tensor;

/// As popnn::Softmax takes it.
enum class RowFunction : unsigned { SOFTMAX, STABLE, SCALED, LOG };

/// What a row of SOFTMAX_SCALED sums to.
inline constexpr float SOFTMAX_SCALING = 62000.f;

/// Where steps go.
struct RowsCall {
  ::poplar::Graph &graph;
  ::poplar::program::Sequence &prog;
  ::poplar::DebugContext const &debugContext;
};

/// Whether tiles are done sooner when they share rows than when each takes whole ones; never on one
/// tile. Depends on the shape, the type and the machine alone. \param wholeCycles  what so many
/// whole rows take a tile.
POP_INLINE bool isSharingRowsBetter(::poplar::Graph const &graph, Tensor const &rows,
                                    std::function<std::uint64_t(std::uint64_t)> const &wholeCycles);

/// out = function(in); `out` may be `in`.
POP_INLINE void emitSharedSoftmax(RowsCall const &call, RowFunction function, Tensor const &in,
                                  Tensor const &out);

/// out = act (gradient - sum(gradient act))
POP_INLINE void emitSharedSoftmaxGradient(RowsCall const &call, Tensor const &act,
                                          Tensor const &gradient, Tensor const &out);

/// UNSIGNED_INT 1 for each row whose first maximum is at its label, else 0, as popnn::CorrectRows.
POP_INLINE Tensor emitSharedCorrectRows(RowsCall const &call, Tensor const &outputs,
                                        Tensor const &labels);

} // namespace cottonwood::popnn
