#pragma once

#include <poplin/impl/TileFlatten.hpp>
#include <poplin/impl/TileOrders.hpp>

#include <set>

namespace cottonwood::poplin {

POP_INLINE FlattenedDims::FlattenedDims(::poplin::ConvParams const &params, unsigned dims)
    : dims_(dims), params_(params) {
  for (unsigned d = 0; d != params.getNumFieldDims(); ++d) {
    if (!has(d))
      continue;
    Dim dim;
    dim.dim = d;
    dim.outputs = static_cast<unsigned>(params.getOutputSize(d));
    dim.inputs = static_cast<unsigned>(params.getTruncatedInputSize(d));
    dim.taps.assign(std::size_t{dim.outputs} * dim.inputs, NONE);
    dim.isFirst.assign(dim.taps.size(), false);
    ConvMeeting const meeting(params, d);
    std::set<unsigned> known;
    for (unsigned o = 0; o != dim.outputs; ++o) {
      MetTaps const met = meeting.taps(o, {0, NONE});
      for (unsigned i = 0; i != met.count; ++i) {
        unsigned const tap = met.tap + i * met.tapStep;
        auto const input = static_cast<std::size_t>(met.in + i * met.inStep);
        std::size_t const at =
            std::size_t{o} * dim.inputs + input - params.inputTransform.truncationLower[d];
        dim.taps[at] = tap;
        dim.isFirst[at] = known.insert(tap).second;
      }
    }
    list_.push_back(std::move(dim));
  }
}

POP_INLINE Tensor FlattenedDims::toChannels(Tensor const &t) const {
  Tensor result = t;
  for (Dim const &dim : list_) {
    result = result.expand({2 + dim.dim});
    result = result.dimRoll(3 + dim.dim, result.rank() - 2);
  }
  return result.flatten(t.rank() - 1, result.rank());
}

POP_INLINE Tensor FlattenedDims::inputs(Tensor in) const {
  for (Dim const &dim : list_) {
    unsigned const first = params_.inputTransform.truncationLower[dim.dim];
    in = in.slice(first, first + dim.inputs, 2 + dim.dim);
  }
  return toChannels(in);
}

POP_INLINE bool FlattenedDims::truncatesInputs() const {
  auto const &in = params_.inputTransform;
  for (Dim const &dim : list_)
    if (in.truncationLower[dim.dim] != 0 || in.truncationUpper[dim.dim] != 0)
      return true;
  return false;
}

POP_INLINE Tensor FlattenedDims::toField(Tensor const &t,
                                         std::vector<std::size_t> const &field) const {
  unsigned const last = t.rank() - 1;
  std::vector<std::size_t> sizes;
  std::size_t channels = t.dim(last);
  for (Dim const &dim : list_) {
    sizes.push_back(field[dim.dim]);
    channels /= field[dim.dim];
  }
  sizes.push_back(channels);
  Tensor result = t.reshapePartial(last, last + 1, sizes);
  for (Dim const &dim : list_) // each time the first of these
    result = result.dimRoll(last, 3 + dim.dim).flatten(2 + dim.dim, 4 + dim.dim);
  return result;
}

POP_INLINE Tensor FlattenedDims::weights(Tensor const &weights, IndexRange n, IndexRange i,
                                         Tensor const &zero) const {
  unsigned const last = weights.rank() - 1;
  std::vector<Tensor> rows, row;
  auto const endRow = [&] {
    if (!row.empty())
      rows.push_back(::poplar::concat(row, last));
    row.clear();
  };
  forEachPair(weights, n, i, [&](Pair const &pair) {
    if (pair.startsRow)
      endRow();
    if (pair.tap) {
      row.push_back(pair.weights);
      return;
    }
    auto shape = weights.shape();
    shape[1] = pair.weights.dim(1), shape[last] = pair.weights.dim(last);
    std::size_t elements = 1;
    for (Dim const &dim : list_)
      shape[2 + dim.dim] = 1;
    for (std::size_t const size : shape)
      elements *= size;
    row.push_back(zero.broadcast(static_cast<unsigned>(elements), 0).reshape(shape));
  });
  endRow();
  return ::poplar::concat(rows, 1);
}

POP_INLINE void mapFlattenedWeights(::poplar::Graph &graph, Tensor const &weights,
                                    FlattenedDims const &dims, TileBlocks const &blocks,
                                    planner::TilePlan const &plan) {
  using B = TileBlockRange;
  blocks.forEach([&](B const &block) {
    std::size_t which = 0, sharers = 1;
    for (B::Dim const d : {B::B, B::Y0, B::Y1, B::Y2}) {
      which = which * blocks.parts(d) + block.part[d];
      sharers *= blocks.parts(d);
    }
    Tensor part = weights.slice(block.begin[B::G], block.end[B::G], 0);
    for (unsigned d = 0; d != cutDims(weights.rank() - 3); ++d)
      if (!dims.has(d))
        part = part.slice(block.begin[B::K0 + d], block.end[B::K0 + d], 2 + d);
    std::vector<Tensor> pieces;
    auto const range = [&](B::Dim d) {
      return IndexRange(static_cast<unsigned>(block.begin[d]), static_cast<unsigned>(block.end[d]));
    };
    dims.forEachNewWeights(part, range(B::N), range(B::I), [&](Tensor const &some) {
      pieces.push_back(inWeightOrder(some, plan.outGroup, plan.inGroup));
    });
    if (!pieces.empty())
      mapShare(graph, ::poplar::concat(pieces), which, sharers, plan.inGroup, block.tile);
  });
}

} // namespace cottonwood::poplin
