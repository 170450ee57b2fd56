// What emitters of vertices for CPUs, all on tile 0, have in common.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace cottonwood::poplin::detail {

class CpuEmitter {
protected:
  CpuEmitter(::poplar::Graph &graph, ::poplar::program::Sequence &prog,
             ::poplar::DebugContext const &debugContext)
      : graph_(graph), prog_(prog), debugContext_(debugContext) {}

  /// A new variable on the tile.
  ::poplar::Tensor variable(::poplar::Type const &type, std::vector<std::size_t> const &shape,
                            char const *name) {
    ::poplar::Tensor const t = graph_.addVariable(type, shape, {debugContext_, name});
    graph_.setTileMapping(t, 0);
    return t;
  }

  /// A field that is a number, of any integer type.
  template <class T> void set(::poplar::VertexRef const &v, std::string const &field, T value) {
    graph_.setInitialValue(v[field], static_cast<long long>(value));
  }

  ::poplar::Graph &graph_;
  ::poplar::program::Sequence &prog_;
  ::poplar::DebugContext const &debugContext_;
};

} // namespace cottonwood::poplin::detail
