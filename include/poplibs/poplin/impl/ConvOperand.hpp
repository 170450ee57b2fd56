// Tensors of any rank as kernels read them: in place, by strides.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace cottonwood::poplin {

using ::poplar::Tensor;

/// Element (i, j, ...) of a tensor is element offset + i * strides[0] + j * strides[1] + ... of
/// `run`, the shortest run of one variable that holds them all. The stride of a dimension of size 1
/// is 0.
struct StridedTensor {
  Tensor run;
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
};

/// \param t  has elements. \returns  nothing if its places have no constant strides, or if the run
/// has elements that are mapped nowhere.
POP_API std::optional<StridedTensor> stridedTensor(::poplar::Graph const &graph, Tensor const &t);

} // namespace cottonwood::poplin
