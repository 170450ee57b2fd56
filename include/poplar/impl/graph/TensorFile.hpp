#pragma once
// The structure of tensors as a file: shapes, places in variables, and the tiles of those; no data.
//
// JSON:    {"version": 1, "variables": [{"type", "elements", "tiles": [[begin, end, tile], ...]}],
//           "tensors": [{"type", "shape", "blocks": [[variable, offset, size, stride, ...], ...]}]}
//          with the members in this order.
// Binary:  "cwtensor", and the same in the same order: numbers as 8 bytes, low byte first; lists
// and
//          texts behind their length.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <poplar/SerializationFormat.hpp>
#include <poplar/impl/base/Config.hpp>

namespace cottonwood::graph {

struct TensorFile {
  /// Tiles are numbered as in the graph at hand; elements in no interval have none.
  struct Variable {
    std::string type;
    std::uint64_t elements = 0;
    std::vector<std::vector<std::uint64_t>> tiles; ///< begin, end, tile
  };
  struct Tensor {
    std::string type;
    std::vector<std::uint64_t> shape;
    std::vector<std::vector<std::uint64_t>> blocks; ///< variable, offset, then (size, stride)s
  };
  std::uint64_t version = 1;
  std::vector<Variable> variables;
  std::vector<Tensor> tensors;
};

void write(std::ostream &out, TensorFile const &file, poplar::SerializationFormat format);
/// \throws poplar::parse_error  the text is not such a file.
TensorFile readTensorFile(std::istream &in, poplar::SerializationFormat format);

} // namespace cottonwood::graph
