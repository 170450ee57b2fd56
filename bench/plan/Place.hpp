// Tensors that lie on tiles as a problem says.
#pragma once

#include <bench/plan/Shapes.hpp>

#include <poplar/Graph.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <vector>

namespace cottonwood::plan {

inline poplar::Tensor placed(poplar::Graph &graph, poplar::Type const &type,
                             std::vector<std::uint64_t> const &shape, Mapping mapping) {
  poplar::Tensor const t =
      graph.addVariable(type, std::vector<std::size_t>(shape.begin(), shape.end()), "operand");
  unsigned const tiles = graph.getTarget().getNumTiles();
  std::size_t const n = t.numElements(), piece = std::max<std::size_t>(64, n / tiles / 8 + 1);
  switch (mapping) {
  case Mapping::One:
    graph.setTileMapping(t, 0);
    break;
  case Mapping::Linear:
  case Mapping::Turned:
    ::poputil::mapTensorLinearlyWithOffset(graph, t, mapping == Mapping::Turned ? tiles / 2 : 0);
    break;
  case Mapping::Cyclic:
    for (std::size_t begin = 0, i = 0; begin < n; begin += piece, ++i)
      graph.setTileMapping(t.flatten().slice(begin, std::min(begin + piece, n)),
                           static_cast<unsigned>(i % tiles));
    break;
  }
  return t;
}

} // namespace cottonwood::plan
