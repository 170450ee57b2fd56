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

struct Shape {
  std::string name;
  std::optional<Product> product;
  std::optional<Convolution> conv;
  /// Cycles of ipu2's 1,472 tiles with partial sums of half and of float; 0: none were published.
  std::uint64_t publishedHalf = 0, publishedFloat = 0;
  std::optional<Reduction> reduction = std::nullopt;
  std::optional<Embedding> embedding = std::nullopt;
};

/// All of them, products first. Operands and results are half.
std::vector<Shape> const &shapes();

} // namespace cottonwood::plan
