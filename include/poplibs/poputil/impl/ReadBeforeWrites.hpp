// Operands that share elements with what is written.
#pragma once

#include <poputil/Util.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <initializer_list>

namespace cottonwood::poputil {

/// Each operand that shares elements with `written` becomes a copy of its own, made before it is
/// written: vertices must not read what others of their step write. Invalid ones stay as they are.
inline void readBeforeWrites(::poplar::Graph &graph,
                             std::initializer_list<::poplar::Tensor *> operands,
                             ::poplar::Tensor const &written, ::poplar::program::Sequence &prog,
                             ::poplar::DebugContext const &debugContext) {
  for (::poplar::Tensor *operand : operands)
    if (operand->valid() && operand->intersectsWith(written))
      *operand = ::poputil::duplicate(graph, *operand, prog, debugContext);
}

} // namespace cottonwood::poputil
