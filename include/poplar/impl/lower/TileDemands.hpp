// What vertices ask of the places of variables on tiles.
#pragma once

#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/codelet/Codelet.hpp>
#include <poplar/impl/lower/TilePlaces.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cottonwood::lower {

/// What a field asks of its elements' places beyond what any element has by itself.
POP_API PlaceDemand demandOf(codelet::Field const &field);

/// Some of what a tile holds of a variable, and what is asked of it.
struct TilePart {
  std::uint32_t var, tile;  ///< by VarIndex
  std::uint64_t begin, end; ///< elements that the tile holds of the variable, counted in its order
  PlaceDemand demand;
  friend bool operator==(TilePart const &, TilePart const &) = default;
};

/// The demands of edges. Edges that overlap keep their elements side by side: their parts become
/// one, with the strongest demand of them all.
class POP_API TileDemands {
public:
  /// An edge that asks for something.
  void add(TilePart const &part);
  /// An edge that asks for nothing but that its elements lie side by side; it counts where others
  /// ask for something of the variable.
  void bind(TilePart const &part) {
    if (has(part.var))
      add(part);
  }
  /// Whether an edge asks for something of some variable.
  bool empty() const { return parts_.empty(); }
  bool has(std::uint32_t var) const { return var < has_.size() && has_[var]; }
  /// Joins what overlaps; nothing is added behind it.
  void settle();
  /// Parts of a variable by tile, then in order, apart from each other. Settled.
  std::span<TilePart const> of(std::uint32_t var) const;

private:
  std::vector<TilePart> parts_;
  std::vector<bool> has_;          ///< by VarIndex
  std::vector<std::size_t> first_; ///< by VarIndex, and behind the last
};

/// What a tile holds of a variable side by side, with the space that alignments in it need.
struct TileBlock {
  std::uint64_t bytes = 0; ///< of elements
  std::uint64_t space = 0; ///< from the first element to the last
  PlaceDemand demand;
};

/// Where elements begin that something is asked of, or whose neighbours lie elsewhere.
struct PlacedPart {
  std::uint64_t begin, end; ///< elements, as in TilePart
  bool interleaved;         ///< in which of the blocks
  std::uint64_t at;         ///< bytes from its begin
};

/// The blocks of one variable on one tile: what lies anywhere, and what asks for interleaved
/// memory.
struct POP_API TileBlocks {
  TileBlock anywhere, interleaved;

  /// \param elements  that the tile holds
  /// \param parts     of them, in order
  /// \param placed    gets the parts with their places, if not null
  static TileBlocks of(std::uint64_t elements, std::uint64_t elementBytes,
                       std::span<TilePart const> parts, std::vector<PlacedPart> *placed = nullptr);
};

} // namespace cottonwood::lower
