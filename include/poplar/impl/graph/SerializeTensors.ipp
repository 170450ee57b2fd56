#pragma once
#include <poplar/Graph.hpp>

#include <algorithm>
#include <istream>
#include <ostream>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/TensorFile.hpp>
#include <poplar/impl/graph/TileTable.hpp>
#include <unordered_map>

// Graph::serializeTensors and deserializeTensors.

namespace cottonwood::graph::detail {

/// Collects tensors with the variables behind them, each once.
class TensorFileBuilder {
public:
  TensorFileBuilder(GraphData const &graph, TileTable const *table)
      : graph_(graph), table_(table) {}

  void add(View const &view) {
    TensorFile::Tensor tensor;
    tensor.type = view.type().toString();
    tensor.shape.assign(view.shape().begin(), view.shape().end());
    view.forEachBlock([&](StridedBlock const &block) {
      std::vector<std::uint64_t> words{numberOf(block.var), block.offset};
      for (std::size_t d = 0; d < block.sizes.size(); ++d) {
        words.push_back(block.sizes[d]);
        words.push_back(static_cast<std::uint64_t>(block.strides[d])); // two's complement
      }
      tensor.blocks.push_back(std::move(words));
    });
    file_.tensors.push_back(std::move(tensor));
  }
  TensorFile take() { return std::move(file_); }

private:
  std::uint64_t numberOf(VarId id) {
    auto const [found, isNew] = numbers_.emplace(id, file_.variables.size());
    if (!isNew)
      return found->second;
    Variable const &from = graph_.variable(id);
    TensorFile::Variable variable;
    variable.type = from.type.toString();
    variable.elements = from.numElements;
    from.tiles.forEach(0, from.numElements,
                       [&](std::uint64_t begin, std::uint64_t end, std::uint32_t topTile) {
                         if (topTile != kNoTile)
                           variable.tiles.push_back({begin, end, tileOf(topTile, id)});
                       });
    file_.variables.push_back(std::move(variable));
    return found->second;
  }
  std::uint64_t tileOf(std::uint32_t topTile, VarId id) const {
    std::uint32_t const tile = table_ ? table_->fromTop(topTile) : topTile;
    if (tile == kNoTile)
      base::fail<poplar::invalid_tile_mapping>(
          "Graph::serializeTensors", graph_.describe(id), " is on tile ", topTile,
          " of the top-level graph, which this virtual graph does not have");
    return tile;
  }

  GraphData const &graph_;
  TileTable const *table_;
  TensorFile file_;
  std::unordered_map<VarId, std::uint64_t> numbers_;
};

[[noreturn]] POP_INLINE void failTensorFile(std::string_view what, std::uint64_t value) {
  base::fail<poplar::parse_error>("Graph::deserializeTensors", what, " (", value, ")");
}

POP_INLINE poplar::Type typeInFile(std::string const &name) {
  poplar::Type const type = base::typeNamed(name);
  if (type == poplar::Type() || type.requiresMetadata())
    base::fail<poplar::parse_error>("Graph::deserializeTensors", "there are no elements of type ",
                                    base::quoted(name));
  return type;
}

/// A block of the file in the variables that were made for it, after checking that it lies within.
POP_INLINE View blockInFile(GraphData const &graph, poplar::Type type,
                            std::vector<std::uint64_t> const &words,
                            std::vector<VarId> const &variables) {
  constexpr std::uint64_t MOST = std::uint64_t{1} << 62;
  if (words.size() < 4 || words.size() % 2 != 0 || words[0] >= variables.size())
    failTensorFile("a block names no variable", words.empty() ? 0 : words[0]);
  Variable const &variable = graph.variable(variables[words[0]]);
  if (base::sizeOf(type) != base::sizeOf(variable.type))
    failTensorFile("a tensor and its variable have elements of other sizes", words[0]);
  std::vector<std::uint64_t> sizes;
  std::vector<std::int64_t> strides;
  auto low = static_cast<std::int64_t>(words[1]), high = low;
  std::uint64_t count = 1;
  bool fits = words[1] < variable.numElements;
  for (std::size_t i = 2; fits && i < words.size(); i += 2) {
    std::uint64_t const size = words[i];
    auto const stride = static_cast<std::int64_t>(words[i + 1]);
    sizes.push_back(size);
    strides.push_back(stride);
    std::int64_t span = 0;
    std::int64_t &end = stride < 0 ? low : high;
    fits = size != 0 && size <= MOST && !__builtin_mul_overflow(count, size, &count) &&
           count <= MOST &&
           !__builtin_mul_overflow(static_cast<std::int64_t>(size - 1), stride, &span) &&
           !__builtin_add_overflow(end, span, &end);
  }
  if (!fits || low < 0 || static_cast<std::uint64_t>(high) >= variable.numElements)
    failTensorFile("a block reaches beyond its variable", words[0]);
  return View::ofBlock(graph.id(), type, {variables[words[0]], words[1], sizes, strides});
}

} // namespace cottonwood::graph::detail

namespace poplar {

POP_INLINE void Graph::serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                                        SerializationFormat format) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::serializeTensors";
  requireFormat(where, format);
  GraphData const &graph = data(where);
  detail::TensorFileBuilder builder(graph, tiles_.get());
  for (Tensor const &tensor : tensors) {
    if (tensor.hasMetadata())
      cottonwood::base::fail<tensor_metadata_error>(
          where, "tensors of type ", tensor.elementType(),
          " cannot be written; their bits can, by Tensor::reinterpret(UNSIGNED_CHAR), and so can "
          "Tensor::getMetadata()");
    builder.add(checkedView(where, "tensors", tensor, graph));
  }
  write(out, builder.take(), format);
}

POP_INLINE std::vector<Tensor> Graph::deserializeTensors(std::istream &in,
                                                         SerializationFormat format) {
  using namespace cottonwood;
  char const *const where = "Graph::deserializeTensors";
  graph::requireFormat(where, format);
  graph::GraphData &graph = data(where);
  std::vector<Tensor> tensors;
  if ((in >> std::ws).peek() == std::istream::traits_type::eof())
    return tensors;
  graph::TensorFile const file = graph::readTensorFile(in, format);
  std::vector<graph::VarId> ids;
  for (graph::TensorFile::Variable const &variable : file.variables) {
    std::size_t const shape[] = {static_cast<std::size_t>(variable.elements)};
    Type const type = graph::detail::typeInFile(variable.type);
    if (variable.elements > (std::uint64_t{1} << 62) / base::sizeOf(type))
      graph::detail::failTensorFile("a variable has too many elements", variable.elements);
    Tensor const made = addVariable(type, shape);
    std::uint64_t last = 0;
    for (std::vector<std::uint64_t> const &tile : variable.tiles) {
      if (tile.size() != 3 || tile[0] < last || tile[0] >= tile[1] || tile[1] > variable.elements)
        graph::detail::failTensorFile("the tiles of a variable are no ascending intervals", last);
      if (tile[2] >= target_.getNumTiles())
        graph::detail::failTensorFile("the graph has no such tile", tile[2]);
      last = tile[1];
      setTileMapping(made.slice(tile[0], tile[1]), static_cast<unsigned>(tile[2]));
    }
    ids.push_back(graph::viewOf(made).numElements() == 0 ? graph::VarId(graph.numVariables() - 1)
                                                         : graph::viewOf(made).locate(0).var);
  }
  for (graph::TensorFile::Tensor const &tensor : file.tensors) {
    Type const type = graph::detail::typeInFile(tensor.type);
    std::vector<std::size_t> const shape(tensor.shape.begin(), tensor.shape.end());
    std::vector<graph::View> blocks;
    for (std::vector<std::uint64_t> const &block : tensor.blocks)
      blocks.push_back(graph::detail::blockInFile(graph, type, block, ids));
    if (blocks.empty() && std::find(shape.begin(), shape.end(), 0u) != shape.end()) {
      tensors.push_back(addVariable(type, shape));
      continue;
    }
    if (blocks.empty())
      graph::detail::failTensorFile("a tensor has no blocks", tensors.size());
    graph::View const view = graph::View::concat(blocks, 0);
    std::uint64_t count = 1;
    for (std::uint64_t const size : tensor.shape)
      if (__builtin_mul_overflow(count, size, &count))
        count = 0;
    if (count != view.numElements())
      graph::detail::failTensorFile("the shape of a tensor has not the elements of its blocks",
                                    tensors.size());
    tensors.push_back(graph::makeTensor(view.reshape(shape)));
  }
  return tensors;
}

} // namespace poplar
