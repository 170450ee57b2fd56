#pragma once
// Tensors without a Graph: views of variables of a graph number.

#include <poplar/Tensor.hpp>
#include <poplar/impl/graph/View.hpp>
#include <vector>

namespace test {

namespace graph = cottonwood::graph;

inline poplar::Tensor variable(std::vector<std::size_t> const &shape, graph::VarId id = 0,
                               poplar::Type type = poplar::FLOAT,
                               graph::GraphId owner = 1'000'003) {
  return graph::makeTensor(graph::View::whole(owner, id, type, shape));
}

inline poplar::Tensor constant(std::vector<std::size_t> const &shape, graph::VarId id = 0,
                               poplar::Type type = poplar::FLOAT) {
  return variable(shape, id | graph::kConstantBit, type);
}

/// The offset of each element in its variable, in row-major order.
inline std::vector<std::uint64_t> offsets(poplar::Tensor const &t) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t k = 0; k != t.numElements(); ++k)
    result.push_back(graph::viewOf(t).locate(k).offset);
  return result;
}

} // namespace test
