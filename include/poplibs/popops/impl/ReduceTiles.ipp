#pragma once

#include <popops/impl/Layouts.hpp>
#include <popops/impl/ReduceStages.hpp>
#include <poputil/TileMapping.hpp>

#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/model/Machine.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

using planner::ReduceFirst;
using ::poplar::Interval;
using ::poplar::Tensor;

/// Where all stages of one reduction go.
class TileReduceEmitter {
public:
  TileReduceEmitter(ReduceVertices &vertices, ReduceStage const &stage,
                    ::poplar::Type const &partialType)
      : vertices_(vertices), stage_(stage), partialType_(partialType),
        tiles_(vertices.graph().getTarget().getNumTiles()),
        layout_(intervalLayout(vertices.graph(), stage.in.flatten())),
        problem_(tileReduceProblem(vertices.graph(), stage, partialType)),
        cost_(problem_, layout_) {
    if (!layout_.empty())
      firstTile_ = layout_.front().tile;
  }

  void run() {
    planner::TileReduceChoice const choice = planner::planTileReduce(problem_, layout_);
    planner::TileReducePlan const &plan = choice.plan;
    note(choice);
    switch (plan.first) {
    case ReduceFirst::WHOLE:
      return whole();
    case ReduceFirst::HOME:
      home();
      break;
    case ReduceFirst::BLOCKS:
      blocks(plan.blocks);
      break;
    case ReduceFirst::DIRECT:
      break;
    }
    if (plan.middle.part != 0)
      blocks(plan.middle);
    last(plan.outputs);
  }

private:
  void note(planner::TileReduceChoice const &choice) {
    graph::HandleAccess::data(vertices_.graph())
        ->addNote(vertices_.debug().getPathName(),
                  planner::toText(choice.plan) + ": " + std::to_string(choice.terms.total()) +
                      " cycles (" + std::to_string(choice.terms.first) + " first, " +
                      std::to_string(choice.terms.middle) + " middle, " +
                      std::to_string(choice.terms.last) + " last), " +
                      std::to_string(choice.cost.temporaryBytes) + " bytes of temporaries" +
                      (choice.exceedsMemory ? "; no plan fits" : ""));
  }

  Tensor newPartials(std::vector<std::size_t> const &shape) {
    return vertices_.graph().addVariable(partialType_, shape, {vertices_.debug(), "partials"});
  }

  /// The vertices of a tile for part[outer, n, inner] in parts of `size`, and the place of their
  /// results, out[outer, parts, inner].
  void addParts(::poplar::ComputeSet cs, unsigned tile, Tensor const &part, std::size_t size,
                Tensor const &out) {
    std::size_t const outer = part.dim(0), n = part.dim(1), inner = part.dim(2);
    std::size_t const whole = n / size;
    vertices_.graph().setTileMapping(out, tile);
    if (whole != 0)
      vertices_.add(
          cs, tile,
          stage_.partial(part.slice(0, whole * size, 1).reshape({outer * whole, size, inner}),
                         out.slice(0, whole, 1).reshape({outer * whole, inner})));
    if (n % size != 0)
      vertices_.add(cs, tile,
                    stage_.partial(part.slice(whole * size, n, 1),
                                   out.slice(whole, whole + 1, 1).reshape({outer, inner})));
  }

  void blocks(planner::ReduceBlocks const &b) {
    std::size_t const outer = stage_.in.dim(0), reduced = stage_.in.dim(1),
                      inner = stage_.in.dim(2);
    Tensor const partials = newPartials({outer, (reduced + b.part - 1) / b.part, inner});
    auto const cs = vertices_.nextSet();
    unsigned tile = firstTile_;
    for (std::size_t o = 0; o < outer; o += b.outer)
      for (std::size_t i = 0; i < inner; i += b.inner)
        for (std::size_t r = 0; r < reduced; r += b.part * b.parts) {
          auto const cut = [&](Tensor const &t, std::size_t begin, std::size_t end) {
            return t.slice(o, std::min<std::size_t>(o + b.outer, outer), 0)
                .slice(begin, end, 1)
                .slice(i, std::min<std::size_t>(i + b.inner, inner), 2);
          };
          std::size_t const end = std::min<std::size_t>(r + b.part * b.parts, reduced);
          addParts(cs, tile++ % tiles_, cut(stage_.in, r, end), b.part,
                   cut(partials, r / b.part, (end + b.part - 1) / b.part));
        }
    stage_ = stage_.behind(partials);
  }

  void whole() {
    auto const cs = vertices_.nextSet();
    for (planner::ReducePiece const &piece :
         planner::piecesAtHome(layout_, problem_.reduced * problem_.inner)) {
      vertices_.graph().setTileMapping(stage_.out.slice(piece.begin, piece.end, 0), piece.tile);
      vertices_.addRows(cs, piece.tile, stage_, piece.begin, piece.end);
    }
  }

  void home() {
    std::size_t const outer = problem_.outer, reduced = problem_.reduced, inner = problem_.inner;
    auto const pieces = planner::cutAtOutputs(planner::piecesAtHome(layout_, inner), reduced);
    struct Placed {
      std::size_t part, at; ///< size of its parts; the first one in all partial results
    };
    std::vector<Placed> placed;
    firstPart_.assign(outer + 1, 0);
    std::size_t at = 0;
    for (planner::ReducePiece const &piece : pieces) { // ascending
      std::size_t const n = piece.end - piece.begin;
      std::size_t const part = cost_.bestPart(cost_.operands(), inner, n, inner);
      placed.push_back({part, at});
      at += (n + part - 1) / part;
      firstPart_[piece.begin / reduced + 1] = at;
    }
    Tensor const partials = newPartials({1, at, inner});
    Tensor const rows = stage_.in.reshape({1, outer * reduced, inner});
    auto const cs = vertices_.nextSet();
    for (std::size_t p = 0; p != pieces.size(); ++p)
      addParts(cs, pieces[p].tile, rows.slice(pieces[p].begin, pieces[p].end, 1), placed[p].part,
               partials.slice(placed[p].at, p + 1 == pieces.size() ? at : placed[p + 1].at, 1));
    bool even = true;
    for (std::size_t o = 0; o != outer; ++o)
      even = even && firstPart_[o + 1] - firstPart_[o] == at / outer;
    stage_ = stage_.behind(even ? partials.reshape({outer, at / outer, inner}) : partials);
    if (even)
      firstPart_.clear();
  }

  /// What of the results goes to which tile; maps them if they are mapped nowhere.
  std::vector<std::pair<unsigned, Interval>> outputPlaces(std::size_t outputs) {
    std::vector<std::pair<unsigned, Interval>> places;
    Tensor const flat = stage_.out.flatten();
    std::size_t const all = flat.numElements(), inner = stage_.out.dim(1);
    if (outputs == 0) {
      auto const mapping = vertices_.graph().getTileMapping(flat);
      for (unsigned tile = 0; tile != mapping.size(); ++tile)
        for (Interval const &interval : mapping[tile])
          places.emplace_back(tile, interval);
      return places;
    }
    unsigned tile = firstTile_;
    for (std::size_t at = 0; at != all;) {
      std::size_t const rowEnd = outputs >= inner ? all : (at / inner + 1) * inner;
      std::size_t const end = std::min(at + outputs, rowEnd);
      places.emplace_back(tile++ % tiles_, Interval(at, end));
      vertices_.graph().setTileMapping(flat.slice(at, end), places.back().first);
      at = end;
    }
    return places;
  }

  void last(std::size_t outputs) {
    auto const places = outputPlaces(outputs);
    auto const cs = vertices_.nextSet();
    for (auto const &[tile, interval] : places)
      if (firstPart_.empty())
        vertices_.addInterval(cs, tile, stage_, interval);
      else
        lastUneven(cs, tile, interval);
  }

  /// Each row of outputs by itself: they have different numbers of partial results.
  void lastUneven(::poplar::ComputeSet cs, unsigned tile, Interval const &interval) {
    std::size_t const inner = stage_.out.dim(1);
    for (std::size_t at = interval.begin(); at != interval.end();) {
      std::size_t const row = at / inner, column = at % inner;
      std::size_t const end = std::min(inner, column + interval.end() - at);
      ReduceStage part = stage_;
      part.in = stage_.in.slice(firstPart_[row], firstPart_[row + 1], 1).slice(column, end, 2);
      part.out = stage_.out[row].slice(column, end);
      vertices_.add(cs, tile, part);
      at += end - column;
    }
  }

  ReduceVertices &vertices_;
  ReduceStage stage_;
  ::poplar::Type partialType_;
  unsigned tiles_, firstTile_ = 0;
  planner::IntervalLayout layout_;
  planner::TileReduceProblem problem_;
  planner::TileReduceCost cost_;
  std::vector<std::size_t> firstPart_; ///< by output row, where they have different numbers of them
};

} // namespace cottonwood::popops::detail

namespace cottonwood::popops {

POP_INLINE planner::TileReduceProblem tileReduceProblem(::poplar::Graph const &graph,
                                                        ReduceStage const &stage,
                                                        ::poplar::Type const &partialType) {
  ::poplar::Target const &target = graph.getTarget();
  planner::TileReduceProblem problem;
  problem.outer = stage.in.dim(0);
  problem.reduced = stage.in.dim(1);
  problem.inner = stage.in.dim(2);
  problem.tiles = target.getNumTiles();
  problem.workers = target.getNumWorkerContexts();
  problem.bytesPerTile = target.getBytesPerTile();
  problem.inputBytes = static_cast<unsigned>(target.getTypeSize(stage.in.elementType()));
  problem.partialBytes = static_cast<unsigned>(target.getTypeSize(partialType));
  problem.logAdd = stage.op == ::popops::Operation::LOG_ADD;
  problem.update = stage.update;
  if (!stage.placesOutput)
    for (auto const &intervals : graph.getTileMapping(stage.out.flatten())) {
      std::uint64_t outputs = 0;
      for (::poplar::Interval const &interval : intervals)
        outputs += interval.size();
      problem.outputsOnTile = std::max(problem.outputsOnTile, outputs);
    }
  return problem;
}

POP_INLINE void emitTileReduce(ReduceVertices &vertices, ReduceStage const &stage,
                               ::poplar::Type const &partialType) {
  detail::TileReduceEmitter(vertices, stage, partialType).run();
}

} // namespace cottonwood::popops
