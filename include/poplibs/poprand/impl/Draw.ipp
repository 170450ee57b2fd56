#pragma once

#include <poprand/impl/Draw.hpp>
#include <poprand/impl/DrawRuns.hpp>

#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/program/RandomSeed.hpp>

#include <optional>
#include <vector>

namespace cottonwood::poprand {

namespace detail {

/// The order in which vertices go through what they draw: that of dimensions, or on several tiles
/// that of memory where it has neighbours.
class DrawWalk {
public:
  DrawWalk(::poplar::Graph const &graph, Draw const &draw) {
    if (graph.getTarget().getNumTiles() == 1)
      return;
    std::vector<Tensor> operands;
    if (draw.in.valid())
      operands.push_back(draw.in);
    order_ = popops::elementOrder(graph, draw.out, operands, false);
    runs_ = RunsInOrder::of(order_, draw.out.shape());
  }
  Tensor flat(Tensor const &t) const { return runs_ ? order_.flat(t) : t.flatten(); }
  std::vector<RegularRuns> runs(std::vector<Interval> const &intervals) const {
    return runs_ ? runs_->runs(intervals) : regularRuns(intervals);
  }

private:
  popops::ElementOrder order_;
  std::optional<RunsInOrder> runs_;
};

/// The first row of a tile's state: what its vertices draw from.
POP_INLINE Tensor tileStream(Tensor const &state, unsigned tile) { return state[tile][0]; }

POP_INLINE void advanceState(DrawCall const &call, Tensor const &state,
                             std::vector<unsigned> const &tiles) {
  auto const cs = call.graph.addComputeSet({call.context, "advanceSeed"});
  for (unsigned const tile : tiles) {
    auto const v =
        call.graph.addVertex(cs, "poprand::AdvanceSeed", {{"state", state[tile].flatten()}});
    call.graph.setTileMapping(v, tile);
  }
  call.prog.add(::poplar::program::Execute(cs, call.context));
}

} // namespace detail

POP_INLINE Stream checkedStream(char const *where, Tensor const *seed, std::uint32_t modifier,
                                Tensor const &reference) {
  using ::poputil::poplibs_error;
  if (!reference.valid())
    base::fail<poplibs_error>(where, "'reference' is an invalid tensor");
  Stream stream;
  stream.modifier = modifier;
  if (!seed)
    return stream;
  if (!seed->valid())
    base::fail<poplibs_error>(where, "the seed is an invalid tensor");
  if (seed->rank() != 1 || seed->numElements() != 2 ||
      seed->elementType() != ::poplar::UNSIGNED_INT)
    base::fail<poplibs_error>(where, "the seed has shape ", base::shapeText(seed->shape()),
                              " of type ", seed->elementType(),
                              "; it must be [2] of type unsigned int");
  stream.seed = *seed;
  return stream;
}

POP_INLINE void emitDraw(DrawCall const &call, Stream const &stream, Draw const &draw) {
  if (draw.out.numElements() == 0)
    return;
  detail::DrawWalk const walk(call.graph, draw);
  Tensor const out = walk.flat(draw.out), in = draw.in.valid() ? walk.flat(draw.in) : Tensor();
  bool const fromState = !stream.seed.valid();
  Tensor const state = fromState ? program::hwSeedsOf(call.graph) : Tensor();
  planner::ElementWiseProblem problem;
  problem.elements = out.numElements();
  problem.cyclesPer8 = draw.cyclesPer8;
  auto plan = planner::planElementWise(problem, popops::crewOf(call.graph.getTarget()));
  plan.gatherAbove = 0; // all of a tile in one share: its regular runs get a vertex each
  auto const cs = call.graph.addComputeSet(call.context);
  std::vector<unsigned> tiles;
  for (popops::Share const &share : popops::sharesOf(call.graph, out, plan)) {
    for (detail::RegularRuns const &runs : walk.runs(share.intervals)) {
      popops::Share const part{share.tile, runs.intervals};
      auto const v = call.graph.addVertex(
          cs, draw.vertex,
          {{"out", popops::partOf(out, part)},
           {"seed", fromState ? detail::tileStream(state, share.tile) : stream.seed}});
      if (in.valid())
        call.graph.connect(v["in"], popops::partOf(in, part));
      call.graph.setInitialValue(v["modifier"], stream.modifier);
      call.graph.setInitialValue(v["fromState"], fromState ? 1U : 0U);
      call.graph.setInitialValue(v["begin"], runs.begin);
      call.graph.setInitialValue(v["run"], runs.run);
      call.graph.setInitialValue(v["stride"], runs.stride);
      call.graph.setInitialValue(v["width"], runs.width);
      draw.setFields(v);
      call.graph.setTileMapping(v, share.tile);
    }
    if (tiles.empty() || tiles.back() != share.tile)
      tiles.push_back(share.tile);
  }
  call.prog.add(::poplar::program::Execute(cs, call.context));
  if (fromState)
    detail::advanceState(call, state, tiles);
}

} // namespace cottonwood::poprand
