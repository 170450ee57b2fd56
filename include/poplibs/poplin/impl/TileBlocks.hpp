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
/// flat, Y0 counts all of them and B, Y1 and Y2 are 1.
struct TileBlockRange {
  enum Dim { G, B, Y0, Y1, Y2, N, I, K0, K1, K2, DIMS };
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
  /// Parts of the output channels, and of the input channels of each of these, one after another.
  std::size_t turnsN() const { return turnsN_; }
  std::size_t turnsI() const { return turnsI_; }
  /// Parts of every sum that are computed at a time; the last turn may have fewer.
  std::size_t sums() const { return parts_[Block::I] * kernelParts(); }
  std::size_t sums(std::size_t turnI) const;
  std::size_t sumOf(Block const &block) const;
  /// The tile of another part of the sum of a block.
  unsigned tileOfSum(Block const &block, std::size_t sum) const;

  /// f(block) for the blocks of one turn; those of one sum in the same order as those of any other.
  template <class F> void forEach(std::size_t turnN, std::size_t turnI, F &&f) const;
  /// Of all turns.
  template <class F> void forEach(F &&f) const {
    for (std::size_t n = 0; n != turnsN_; ++n)
      for (std::size_t i = 0; i != turnsI_; ++i)
        forEach(n, i, f);
  }

private:
  using Part = std::array<std::size_t, Block::DIMS>;

  std::size_t kernelParts() const {
    return parts_[Block::K0] * parts_[Block::K1] * parts_[Block::K2];
  }
  Block block(std::size_t turnN, std::size_t turnI, Part const &part) const;
  unsigned tileOf(Part const &part) const;
  template <class F> void nest(std::size_t at, Part &part, F const &f) const;

  static constexpr Block::Dim ORDER[] = {Block::G, Block::I,  Block::K0, Block::K1, Block::K2,
                                         Block::B, Block::Y0, Block::Y1, Block::Y2, Block::N};

  Part units_{}, grains_{}, sizes_{}, each_{}, parts_{};
  std::size_t turnsN_ = 1, turnsI_ = 1;
  std::array<Block::Dim, Block::DIMS> among_{}; ///< dimensions among tiles, outermost first
  std::size_t firstTile_ = 0;
};

template <class F> void TileBlocks::nest(std::size_t at, Part &part, F const &f) const {
  if (at == Block::DIMS)
    return f();
  for (part[ORDER[at]] = 0; part[ORDER[at]] != parts_[ORDER[at]]; ++part[ORDER[at]])
    nest(at + 1, part, f);
}

template <class F> void TileBlocks::forEach(std::size_t turnN, std::size_t turnI, F &&f) const {
  Part part{};
  nest(0, part, [&] {
    Block const one = block(turnN, turnI, part);
    if (one.begin[Block::N] != one.end[Block::N] && one.begin[Block::I] != one.end[Block::I])
      f(one);
  });
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

/// Operands and result as the blocks of a plan index them.
struct TileOperands {
  Tensor in;      ///< [G, B, ...field, I]; flat: [G, positions, I]
  Tensor weights; ///< [G, N, ...kernel, I] without taps that are truncated, but for dimensions of
                  ///< outputs that are channels; flat: [G, N, I]. Taps that are channels are in I
  Tensor out;     ///< [G, B, ...field, N]; flat: [G, positions, N]
};

/// Dimensions of a field or kernel that blocks cut; where there are more than three the last ones
/// are not.
inline unsigned cutDims(unsigned dims) { return dims > 3 ? 2 : dims; }

/// The elements of a block, in the dimensions of TileOperands.
Tensor blockWeights(Tensor const &weights, TileBlockRange const &block);
Tensor blockOutput(Tensor const &out, TileBlockRange const &block, bool flat);

/// Maps share `which` of `sharers` of a row of elements to a tile.
void mapShare(::poplar::Graph &graph, Tensor const &row, std::size_t which, std::size_t sharers,
              std::size_t grain, unsigned tile);

/// Maps operands and results to the tiles that use them; what several tiles use is divided among
/// them.
void mapTileInput(::poplar::Graph &graph, Tensor const &in, TileBlocks const &blocks,
                  planner::TileProblem const &seen, planner::TilePlan const &plan);
void mapTileWeights(::poplar::Graph &graph, Tensor const &weights, TileBlocks const &blocks,
                    planner::TilePlan const &plan);
void mapTileOutput(::poplar::Graph &graph, Tensor const &out, TileBlocks const &blocks,
                   planner::TileProblem const &seen, planner::TilePlan const &plan);

} // namespace cottonwood::poplin
