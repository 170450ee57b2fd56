// The blocks of a plan for tiles, and what of each operand and result belongs to whom.
#pragma once

#include <planners/poplin/TileCost.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <array>
#include <utility>
#include <vector>

namespace cottonwood::poplin {

using ::poplar::Tensor;

/// One block of a plan: ranges in every dimension that is split, and its tile. Where positions are
/// flat, Y0 counts all of them and B and Y1 are 1.
struct TileBlockRange {
  enum Dim { G, B, Y0, Y1, N, I, K0, DIMS };
  std::array<std::size_t, DIMS> begin{}, end{};
  std::array<std::size_t, DIMS> part{}; ///< which part of each
  unsigned tile = 0;

  std::size_t size(Dim d) const { return end[d] - begin[d]; }
};

/// The blocks of a plan and the tiles that compute them.
class TileBlocks {
public:
  using Block = TileBlockRange;

  /// \param seen  the problem as the plan sees it
  TileBlocks(planner::TileProblem const &seen, planner::TilePlan const &plan);

  std::size_t parts(Block::Dim d) const { return parts_[d]; }
  std::size_t serialParts() const { return serialParts_; }
  /// Parts of every sum.
  std::size_t sums() const { return parts_[Block::I] * parts_[Block::K0]; }
  std::size_t sumOf(Block const &block) const {
    return block.part[Block::I] * parts_[Block::K0] + block.part[Block::K0];
  }
  /// The tile of another part of the sum of a block.
  unsigned tileOfSum(Block const &block, std::size_t sum) const;

  /// f(block) for the blocks of one serial part; those of one sum in the same order as those of any
  /// other. Output channels are innermost: neighbouring tiles, which share a bus, read the same
  /// inputs.
  template <class F> void forEach(std::size_t serial, F &&f) const;
  /// Of all serial parts.
  template <class F> void forEach(F &&f) const {
    for (std::size_t serial = 0; serial != serialParts_; ++serial)
      forEach(serial, f);
  }

private:
  Block block(std::size_t serial, std::array<std::size_t, Block::DIMS> const &part) const;
  unsigned tileOf(std::array<std::size_t, Block::DIMS> const &part) const;

  std::array<std::size_t, Block::DIMS> units_{}, grains_{}, sizes_{}, each_{}, parts_{};
  std::size_t serialParts_ = 1;
};

template <class F> void TileBlocks::forEach(std::size_t serial, F &&f) const {
  std::array<std::size_t, Block::DIMS> p{};
  for (p[Block::G] = 0; p[Block::G] != parts_[Block::G]; ++p[Block::G])
    for (p[Block::I] = 0; p[Block::I] != parts_[Block::I]; ++p[Block::I])
      for (p[Block::K0] = 0; p[Block::K0] != parts_[Block::K0]; ++p[Block::K0])
        for (p[Block::B] = 0; p[Block::B] != parts_[Block::B]; ++p[Block::B])
          for (p[Block::Y0] = 0; p[Block::Y0] != parts_[Block::Y0]; ++p[Block::Y0])
            for (p[Block::Y1] = 0; p[Block::Y1] != parts_[Block::Y1]; ++p[Block::Y1])
              for (p[Block::N] = 0; p[Block::N] != parts_[Block::N]; ++p[Block::N]) {
                Block const one = block(serial, p);
                if (one.begin[Block::N] != one.end[Block::N])
                  f(one);
              }
}

/// Elements [begin, end) of a block's result with the tiles that hold a partial sum of them.
struct SharedSums {
  std::size_t begin, end;
  std::vector<std::size_t> holders; ///< of each remaining row of sums, the part of the sum
};

/// A stage of the addition after which `left` rows remain: rows are divided evenly among these, and
/// the tiles of the rows share the elements.
std::vector<SharedSums> sharedAfterStage(std::vector<SharedSums> const &before, std::size_t left,
                                         std::size_t grain);
/// Rows [first, second) become row `row` of `left`.
inline std::pair<std::size_t, std::size_t> rowsOfStage(std::size_t rows, std::size_t left,
                                                       std::size_t row) {
  return {row * rows / left, (row + 1) * rows / left};
}
/// Who holds the elements of a result after all stages.
std::vector<SharedSums> sharedResult(std::size_t elements, std::size_t sums, std::size_t stages,
                                     std::size_t grain);

/// Elements that a tile adds up are whole words of 8 bytes.
inline std::size_t sumsGrain(planner::MatMulType partials) {
  return 8 / planner::detail::bytesOf(partials);
}

/// A tensor [groups, ..., channels] as one row in the order [groups, groups of channels, ...,
/// channels of a group], or with several groups at a time [groups / convGroup, ..., convGroup,
/// channels].
Tensor inChannelOrder(Tensor const &t, std::size_t group, std::size_t convGroup);
/// Weights [groups, N, ...kernel, I] as one row in the order [groups, groups of N, groups of I,
/// ...kernel, N of a group, I of a group].
Tensor inWeightOrder(Tensor const &t, std::size_t outGroup, std::size_t inGroup);

/// New variables in these orders, in the shape that their callers use.
Tensor channelVariable(::poplar::Graph &graph, ::poplar::Type const &type,
                       std::vector<std::size_t> const &shape, std::size_t group,
                       std::size_t convGroup, ::poplar::DebugContext const &debugContext);
Tensor weightVariable(::poplar::Graph &graph, ::poplar::Type const &type,
                      std::vector<std::size_t> const &shape, std::size_t outGroup,
                      std::size_t inGroup, ::poplar::DebugContext const &debugContext);

/// Operands and result as the blocks of a plan index them.
struct TileOperands {
  Tensor in;      ///< [G, B, ...field, I]; flat: [G, positions, I]
  Tensor weights; ///< [G, N, ...kernel, I]; flat: [G, N, I]
  Tensor out;     ///< [G, B, ...field, N]; flat: [G, positions, N]
};

/// The elements of a block, in the dimensions of TileOperands.
Tensor blockWeights(Tensor const &weights, TileBlockRange const &block);
Tensor blockOutput(Tensor const &out, TileBlockRange const &block, bool flat);

/// Maps operands and results to the tiles that use them; what several tiles use is divided among
/// them.
void mapTileInput(::poplar::Graph &graph, Tensor const &in, TileBlocks const &blocks,
                  planner::TilePlan const &plan);
void mapTileWeights(::poplar::Graph &graph, Tensor const &weights, TileBlocks const &blocks,
                    planner::TilePlan const &plan);
void mapTileOutput(::poplar::Graph &graph, Tensor const &out, TileBlocks const &blocks,
                   planner::TileProblem const &seen, planner::TilePlan const &plan);

} // namespace cottonwood::poplin
