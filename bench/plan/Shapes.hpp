// The problems of the plan table: products and convolutions of well-known networks, with the
// figures that were published for planners of IPUs.
#pragma once

#include <planners/poplin/TileTypes.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cottonwood::plan {

struct Product {
  std::uint64_t g = 1, m = 1, k = 1, n = 1;
};

/// Up to three dimensions of the field, equal in every dimension where one number is given.
struct Convolution {
  std::uint64_t batch = 1, inChannels = 1, outChannels = 1, groups = 1;
  std::vector<std::uint64_t> field, kernel, stride, padding, dilation;
};

/// Sums over the middle dimension of [outer, reduced, inner].
struct Reduction {
  std::uint64_t outer = 1, reduced = 1, inner = 1;
};

/// Rows of a table by their indices.
struct Embedding {
  std::uint64_t entries = 1, columns = 1, indices = 1;
  bool update = false; ///< added to instead of looked up
};

/// Where a tensor lies on tiles.
enum class Mapping {
  Linear, ///< in order, as much on each
  One,    ///< all on the first
  Turned, ///< linear, half of all tiles further on
  Cyclic  ///< pieces of 64 elements or more, around and around, at most nine on a tile
};

/// An operation on each element of tensors.
struct Elements {
  std::vector<std::uint64_t> shape;
  std::string op;
  std::vector<std::uint64_t> other; ///< shape of the second operand; empty: as the first
  Mapping mapping = Mapping::Linear, otherMapping = Mapping::Linear;
  bool inPlace = false;
};

/// Elements of another type.
struct Conversion {
  std::vector<std::uint64_t> shape;
  std::string from, to;
  Mapping mapping = Mapping::Linear;
  std::optional<Mapping> resultMapping = std::nullopt; ///< none: as the operand
};

/// Elements elsewhere, perhaps with the last two dimensions in the other order.
struct Movement {
  std::vector<std::uint64_t> shape;
  bool transposed = false;
  Mapping mapping = Mapping::Linear;
  std::optional<Mapping> resultMapping = std::nullopt; ///< none: transposed, where that is cheapest
};

struct Shape {
  std::string name;
  std::optional<Product> product;
  std::optional<Convolution> conv;
  /// Cycles of ipu2's 1,472 tiles with partial sums of half and of float; 0: none were published.
  std::uint64_t publishedHalf = 0, publishedFloat = 0;
  std::optional<Reduction> reduction = std::nullopt;
  std::optional<Embedding> embedding = std::nullopt;
  std::optional<Elements> elements = std::nullopt;
  std::optional<Conversion> conversion = std::nullopt;
  std::optional<Movement> movement = std::nullopt;
  bool isArray() const { return reduction || embedding || elements || conversion || movement; }
};

/// All of them, products first. Operands and results are half.
std::vector<Shape> const &shapes();

} // namespace cottonwood::plan
