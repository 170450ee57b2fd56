// Emitting the vertices that draw the elements of a tensor.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace cottonwood::poprand {

using ::poplar::Tensor;

/// Where an operation stands: what its messages begin with, and what it adds to.
struct DrawCall {
  char const *where;
  ::poplar::Graph &graph;
  ::poplar::program::Sequence &prog;
  ::poplar::DebugContext context;
};

/// What an operation draws from; checked.
struct Stream {
  Tensor seed; ///< invalid: the state of the tiles
  std::uint32_t modifier = 0;
};

/// \throws poputil::poplibs_error  the seed is not [2] UNSIGNED_INT, or the reference is invalid.
POP_API POP_INLINE Stream checkedStream(char const *where, Tensor const *seed,
                                        std::uint32_t modifier, Tensor const &reference);

/// Vertices that fill a tensor.
struct Draw {
  std::string vertex; ///< name
  Tensor out;
  Tensor in;                                                  ///< invalid, or of the shape of `out`
  unsigned cyclesPer8;                                        ///< of a CPU, for 8 elements
  std::function<void(::poplar::VertexRef const &)> setFields; ///< those of the distribution
};

/// Appends the programs of a draw: its vertices and, without a seed, the step of the state of their
/// tiles.
POP_API POP_INLINE void emitDraw(DrawCall const &call, Stream const &stream, Draw const &draw);

} // namespace cottonwood::poprand
