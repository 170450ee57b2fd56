#pragma once

#include <poplin/impl/TileBlocks.hpp>
#include <poplin/impl/TileOrders.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>
#include <numeric>

namespace cottonwood::poplin {

// ---- blocks -----------------------------------------------------------------------------------

namespace detail {

/// Which dimensions are next to one another among tiles, outermost first.
POP_INLINE std::array<TileBlockRange::Dim, TileBlockRange::DIMS>
dimsAmongTiles(planner::TileOrder order) {
  using B = TileBlockRange;
  std::array<B::Dim, B::DIMS> dims{B::G};
  std::size_t at = 1;
  for (char const kind : planner::EnumNames<planner::TileOrder>::names[static_cast<int>(order)])
    for (B::Dim const d : kind == 'i'   ? std::vector<B::Dim>{B::I, B::K0, B::K1, B::K2}
                          : kind == 'y' ? std::vector<B::Dim>{B::B, B::Y0, B::Y1, B::Y2}
                                        : std::vector<B::Dim>{B::N})
      dims[at++] = d;
  return dims;
}

} // namespace detail

POP_INLINE TileBlocks::TileBlocks(planner::TileProblem const &seen, planner::TilePlan const &plan)
    : among_(detail::dimsAmongTiles(plan.order)), firstTile_(plan.firstTile) {
  bool const flat = plan.flat;
  grains_.fill(1);
  grains_[Block::G] = plan.convGroup;
  grains_[Block::Y0] = flat ? plan.grain : 1;
  bool const together = plan.convGroup > 1 || plan.method == planner::TileMethod::SLIC;
  grains_[Block::N] = together ? seen.n : plan.outGroup; // then channels are not cut
  grains_[Block::I] = together ? seen.i : plan.inGroup;
  auto const &field = seen.field;
  sizes_ = {seen.g,
            flat ? 1 : seen.b,
            flat ? seen.positions() : field[0].outputs,
            flat ? 1 : field[1].outputs,
            flat ? 1 : field[2].outputs,
            seen.n,
            seen.i,
            field[0].taps,
            field[1].taps,
            field[2].taps};
  Part const splits{plan.splitG,
                    plan.splitB,
                    plan.splitY0,
                    plan.splitY1,
                    plan.splitY2,
                    plan.splitN * plan.serialN,
                    plan.splitI * plan.serialI,
                    plan.splitK0,
                    plan.splitK1,
                    plan.splitK2};
  for (std::size_t d = 0; d != Block::DIMS; ++d) {
    units_[d] = poputil::ceilDiv(sizes_[d], grains_[d]);
    each_[d] = poputil::ceilDiv(units_[d], splits[d]);
    parts_[d] = poputil::ceilDiv(units_[d], each_[d]);
  }
  // The parts of channels one after another: as many at a time as the plan says.
  auto const turns = [&](Block::Dim d, std::size_t split) {
    std::size_t const parts = parts_[d];
    parts_[d] = std::min(parts, split);
    return poputil::ceilDiv(parts, parts_[d]);
  };
  turnsN_ = turns(Block::N, plan.splitN);
  turnsI_ = turns(Block::I, plan.splitI);
}

POP_INLINE unsigned TileBlocks::tileOf(Part const &part) const {
  std::size_t tile = 0;
  for (Block::Dim const d : among_)
    tile = tile * parts_[d] + part[d];
  return static_cast<unsigned>(firstTile_ + tile);
}

POP_INLINE std::size_t TileBlocks::sums(std::size_t turnI) const {
  std::size_t const all = poputil::ceilDiv(units_[Block::I], each_[Block::I]);
  return std::min(parts_[Block::I], all - turnI * parts_[Block::I]) * kernelParts();
}

POP_INLINE std::size_t TileBlocks::sumOf(Block const &block) const {
  std::size_t sum = block.part[Block::I];
  for (Block::Dim const d : {Block::K0, Block::K1, Block::K2})
    sum = sum * parts_[d] + block.part[d];
  return sum;
}

POP_INLINE unsigned TileBlocks::tileOfSum(Block const &block, std::size_t sum) const {
  auto part = block.part;
  for (Block::Dim const d : {Block::K2, Block::K1, Block::K0}) {
    part[d] = sum % parts_[d];
    sum /= parts_[d];
  }
  part[Block::I] = sum;
  return tileOf(part);
}

POP_INLINE TileBlocks::Block TileBlocks::block(std::size_t turnN, std::size_t turnI,
                                               Part const &part) const {
  Block block;
  block.part = part;
  block.tile = tileOf(part);
  for (std::size_t d = 0; d != Block::DIMS; ++d) {
    std::size_t const turn = d == Block::N ? turnN : d == Block::I ? turnI : 0;
    std::size_t const unit = std::min((part[d] + turn * parts_[d]) * each_[d], units_[d]);
    block.begin[d] = unit * grains_[d];
    block.end[d] = std::min(std::min(unit + each_[d], units_[d]) * grains_[d], sizes_[d]);
    block.begin[d] = std::min(block.begin[d], block.end[d]);
  }
  return block;
}

// ---- sums -------------------------------------------------------------------------------------

POP_INLINE std::vector<SharedSums> sharedAfterStage(std::vector<SharedSums> const &before,
                                                    std::size_t left, std::size_t grain) {
  std::vector<SharedSums> after;
  for (SharedSums const &piece : before) {
    std::size_t const rows = piece.holders.size(), elements = piece.end - piece.begin;
    std::size_t const each = poputil::roundUp(poputil::ceilDiv(elements, rows / left), grain);
    for (std::size_t at = 0, share = 0; at < elements; at += each, ++share) {
      SharedSums part{piece.begin + at, piece.begin + std::min(at + each, elements), {}};
      for (std::size_t row = 0; row != left; ++row)
        part.holders.push_back(piece.holders[rowsOfStage(rows, left, row).first + share]);
      after.push_back(std::move(part));
    }
  }
  return after;
}

POP_INLINE std::vector<SharedSums> sharedResult(std::size_t elements, std::size_t sums,
                                                std::size_t stages, std::size_t grain) {
  std::vector<std::size_t> holders(sums);
  std::iota(holders.begin(), holders.end(), std::size_t{0});
  std::vector<SharedSums> shared{{0, elements, std::move(holders)}};
  if (sums > 1)
    for (std::uint64_t const left : planner::rowsAfterStages(sums, stages))
      shared = sharedAfterStage(shared, left, grain);
  return shared;
}

// ---- parts of operands ------------------------------------------------------------------------

POP_INLINE Tensor blockWeights(Tensor const &weights, TileBlockRange const &block) {
  using Block = TileBlockRange;
  Tensor part = weights.slice(block.begin[Block::G], block.end[Block::G], 0)
                    .slice(block.begin[Block::N], block.end[Block::N], 1);
  for (unsigned d = 0; d != cutDims(weights.rank() - 3); ++d)
    part = part.slice(block.begin[Block::K0 + d], block.end[Block::K0 + d], 2 + d);
  return part.slice(block.begin[Block::I], block.end[Block::I], weights.rank() - 1);
}

POP_INLINE Tensor blockOutput(Tensor const &out, TileBlockRange const &block, bool flat) {
  using Block = TileBlockRange;
  Tensor part = out.slice(block.begin[Block::G], block.end[Block::G], 0);
  unsigned const last = out.rank() - 1;
  if (flat) {
    part = part.slice(block.begin[Block::Y0], block.end[Block::Y0], 1);
  } else {
    part = part.slice(block.begin[Block::B], block.end[Block::B], 1);
    for (unsigned d = 0; d != cutDims(last - 2); ++d)
      part = part.slice(block.begin[Block::Y0 + d], block.end[Block::Y0 + d], 2 + d);
  }
  return part.slice(block.begin[Block::N], block.end[Block::N], last);
}

POP_INLINE void mapShare(::poplar::Graph &graph, Tensor const &row, std::size_t which,
                         std::size_t sharers, std::size_t grain, unsigned tile) {
  std::size_t const n = row.numElements();
  std::size_t const each = poputil::roundUp(poputil::ceilDiv(n, sharers), grain);
  std::size_t const begin = std::min(which * each, n), end = std::min(begin + each, n);
  if (begin != end)
    graph.setTileMapping(row.slice(begin, end), tile);
}

namespace detail {

/// The part of the input of a block, disjoint from those of blocks of other outputs: inputs are
/// divided as the outputs are. \param gathered  tiles lay taps out as channels: all input channels
POP_INLINE Tensor inputShare(Tensor const &in, TileBlockRange const &block,
                             TileBlocks const &blocks, bool flat, bool gathered) {
  using Block = TileBlockRange;
  Tensor part = in.slice(block.begin[Block::G], block.end[Block::G], 0);
  if (!gathered)
    part = part.slice(block.begin[Block::I], block.end[Block::I], in.rank() - 1);
  if (flat)
    return part.slice(block.begin[Block::Y0], block.end[Block::Y0], 1);
  part = part.slice(block.begin[Block::B], block.end[Block::B], 1);
  for (unsigned d = 0; d != cutDims(in.rank() - 3); ++d) {
    auto const dim = static_cast<Block::Dim>(Block::Y0 + d);
    std::size_t const size = in.dim(2 + d), each = poputil::ceilDiv(size, blocks.parts(dim));
    std::size_t const begin = std::min(block.part[dim] * each, size);
    part = part.slice(begin, std::min(begin + each, size), 2 + d);
  }
  return part;
}

} // namespace detail

POP_INLINE void mapTileInput(::poplar::Graph &graph, Tensor const &in, TileBlocks const &blocks,
                             planner::TileProblem const &seen, planner::TilePlan const &plan) {
  using B = TileBlockRange;
  bool const gathered = seen.gatheredI != 0;
  std::size_t const kernel = blocks.parts(B::K0) * blocks.parts(B::K1) * blocks.parts(B::K2);
  std::size_t const sums = gathered ? blocks.sums() : kernel;
  for (std::size_t turn = 0; turn != (gathered ? 1 : blocks.turnsI()); ++turn)
    blocks.forEach(0, turn, [&](B const &block) {
      Tensor const part = detail::inputShare(in, block, blocks, plan.flat, gathered);
      std::size_t const sum = blocks.sumOf(block) % sums;
      if (part.numElements() != 0)
        mapShare(graph, inChannelOrder(part, plan.inGroup, plan.convGroup),
                 block.part[B::N] * sums + sum, blocks.parts(B::N) * sums, plan.inGroup,
                 block.tile);
    });
}

POP_INLINE void mapTileWeights(::poplar::Graph &graph, Tensor const &weights,
                               TileBlocks const &blocks, planner::TilePlan const &plan) {
  using B = TileBlockRange;
  blocks.forEach([&](B const &block) {
    std::size_t which = 0, sharers = 1;
    for (B::Dim const d : {B::B, B::Y0, B::Y1, B::Y2}) {
      which = which * blocks.parts(d) + block.part[d];
      sharers *= blocks.parts(d);
    }
    mapShare(graph, inWeightOrder(blockWeights(weights, block), plan.outGroup, plan.inGroup), which,
             sharers, plan.inGroup, block.tile);
  });
}

POP_INLINE void mapTileOutput(::poplar::Graph &graph, Tensor const &out, TileBlocks const &blocks,
                              planner::TileProblem const &seen, planner::TilePlan const &plan) {
  std::size_t const grain = sumsGrain(seen.partials);
  for (std::size_t turn = 0; turn != blocks.turnsN(); ++turn)
    blocks.forEach(turn, 0, [&](TileBlockRange const &block) {
      if (blocks.sumOf(block) != 0)
        return;
      Tensor const part = blockOutput(out, block, plan.flat).flatten();
      for (SharedSums const &shared :
           sharedResult(part.numElements(), blocks.sums(), plan.stages, grain))
        graph.setTileMapping(part.slice(shared.begin, shared.end),
                             blocks.tileOfSum(block, shared.holders.front()));
    });
}

} // namespace cottonwood::poplin
