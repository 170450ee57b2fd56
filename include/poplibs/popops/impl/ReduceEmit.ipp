#pragma once

#include <popops/impl/Partition.hpp>
#include <popops/impl/ReduceEmit.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>

#include <codelets/popops/ReduceFunctor.hpp>
#include <planners/popops/Reduce.hpp>
#include <poplar/impl/codelet/Registry.hpp>

#include <algorithm>

namespace cottonwood::popops {

namespace detail {

using ::popops::Operation;

/// One stage as the vertices see it: out[outer, inner] from in[outer, reduced, inner].
struct ReduceStage {
  Tensor in;  ///< [outer, reduced, inner]
  Tensor out; ///< [outer, inner]
  Operation op;
  bool update = false;
  Tensor scale;          ///< invalid: none
  bool maps = true;      ///< the first stage: a functor's map() applies
  bool finishes = false; ///< the last one
};

class ReduceEmitter {
public:
  ReduceEmitter(::poplar::Graph &graph, std::vector<::poplar::ComputeSet> &css,
                ::poplar::DebugContext const &debugContext, ReduceFunctorJob const *functor)
      : graph_(graph), css_(css), debugContext_(debugContext), functor_(functor),
        crew_(crewOf(graph.getTarget())) {
    if (functor_)
      codelet::addToGraph(graph_, functor_->codelets);
  }

  void run(ReduceJob const &job) {
    Tensor in = job.in, out = job.out;
    std::vector<bool> isReduced = job.isReduced;
    toMemoryOrder(in, out, isReduced);
    Operation op = job.params.op;
    bool maps = true;
    mergeDims(in, isReduced);
    // All runs of reduced dimensions but the outermost, innermost first: each is contiguous in its
    // turn.
    while (std::count(isReduced.begin(), isReduced.end(), true) > 1) {
      auto const run = static_cast<unsigned>(
          std::find(isReduced.rbegin(), isReduced.rend(), true).base() - isReduced.begin() - 1);
      Tensor const in3 = around(in, run);
      Tensor const partial = newTensor(job.partialType, {in3.dim(0), in3.dim(2)});
      stages({in3, partial, op, false, Tensor(), maps}, job.partialType);
      auto shape = in.shape();
      shape.erase(shape.begin() + run);
      isReduced.erase(isReduced.begin() + run);
      in = partial.reshape(shape);
      mergeDims(in, isReduced);
      op = afterFirstStage(op);
      maps = false;
    }
    auto const at = std::find(isReduced.begin(), isReduced.end(), true);
    Tensor const in3 = at == isReduced.end()
                           ? in.reshape({in.numElements(), 1, 1})
                           : around(in, static_cast<unsigned>(at - isReduced.begin()));
    stages({in3, out.reshape({in3.dim(0), in3.dim(2)}), op, job.params.update,
            job.params.useScale ? job.params.scale : Tensor(), maps, true},
           job.partialType);
  }

private:
  static Operation afterFirstStage(Operation op) {
    return op == Operation::SQUARE_ADD ? Operation::ADD : op;
  }

  // Permutes the dimensions so that `in` is read in the order of memory, `out` in the same way.
  static void toMemoryOrder(Tensor &in, Tensor &out, std::vector<bool> &isReduced) {
    auto const order = memoryOrder(in);
    std::vector<unsigned> position(order.size(), 0); // among the kept dimensions
    unsigned kept = 0;
    for (unsigned d = 0; d != order.size(); ++d)
      if (!isReduced[d])
        position[d] = kept++;
    std::vector<unsigned> outOrder;
    std::vector<bool> flags;
    for (unsigned d : order) {
      flags.push_back(isReduced[d]);
      if (!isReduced[d])
        outOrder.push_back(position[d]);
    }
    in = in.dimShuffle(order);
    out = out.dimShuffle(outOrder);
    isReduced = flags;
  }

  // Joins neighbouring dimensions of one kind and drops those of size 1.
  static void mergeDims(Tensor &in, std::vector<bool> &isReduced) {
    std::vector<std::size_t> shape;
    std::vector<bool> flags;
    for (unsigned d = 0; d != isReduced.size(); ++d) {
      if (in.dim(d) == 1)
        continue;
      if (!flags.empty() && flags.back() == isReduced[d]) {
        shape.back() *= in.dim(d);
      } else {
        shape.push_back(in.dim(d));
        flags.push_back(isReduced[d]);
      }
    }
    in = in.reshape(shape);
    isReduced = flags;
  }

  // [all dimensions before, this one, all after]
  static Tensor around(Tensor const &in, unsigned dim) {
    return in.flatten(dim + 1, in.rank()).flatten(0, dim);
  }

  ::poplar::ComputeSet nextSet() {
    if (stage_ == css_.size())
      css_.push_back(graph_.addComputeSet(debugContext_));
    return css_[stage_++];
  }

  Tensor newTensor(::poplar::Type const &type, std::vector<std::size_t> const &shape) {
    Tensor const t = graph_.addVariable(type, shape, debugContext_);
    ::poputil::mapTensorLinearly(graph_, t);
    return t;
  }

  // One or two stages, as planned.
  void stages(ReduceStage stage, ::poplar::Type const &partialType) {
    if (stage.out.numElements() == 0)
      return;
    planner::ReduceProblem problem;
    problem.outer = stage.in.dim(0);
    problem.reduced = stage.in.dim(1);
    problem.inner = stage.in.dim(2);
    problem.tiles = graph_.getTarget().getTargetType() == ::poplar::TargetType::CPU
                        ? 0
                        : graph_.getTarget().getNumTiles();
    auto const plan = planner::planReduce(problem);
    if (plan.parts > 1) {
      stage.in = reduceParts(stage, plan, partialType);
      stage.op = afterFirstStage(stage.op);
      stage.maps = false;
    }
    finalStage(stage);
  }

  // Reduces each part of the reduced dimension. \returns [outer, parts, inner]
  Tensor reduceParts(ReduceStage const &stage, planner::ReducePlan const &plan,
                     ::poplar::Type const &partialType) {
    std::size_t const outer = stage.in.dim(0), reduced = stage.in.dim(1), inner = stage.in.dim(2);
    Tensor const partials =
        graph_.addVariable(partialType, {outer, plan.parts, inner}, debugContext_);
    auto const cs = nextSet();
    if (crew_.oneTile && (outer == 1 || reduced % plan.partSize == 0)) {
      reduceEvenParts(cs, stage, plan, partials);
      return partials;
    }
    auto const tiles = tilesOfParts(stage, plan);
    for (std::size_t o = 0; o != outer; ++o)
      for (std::size_t p = 0; p != plan.parts; ++p) {
        std::size_t const begin = p * plan.partSize;
        std::size_t const end = std::min<std::size_t>(begin + plan.partSize, reduced);
        Tensor const out = partials[o][p];
        unsigned const tile = tiles[o * plan.parts + p];
        graph_.setTileMapping(out, tile);
        addVertex(cs, tile,
                  {stage.in.slice(o, o + 1, 0).slice(begin, end, 1), out, stage.op, false, Tensor(),
                   stage.maps});
      }
    return partials;
  }

  // Parts of the same size, which lie one behind another, are rows of one reduction: a few vertices
  // for all of them. The last part of a single row may be shorter and has a vertex of its own.
  void reduceEvenParts(::poplar::ComputeSet cs, ReduceStage const &stage,
                       planner::ReducePlan const &plan, Tensor const &partials) {
    std::size_t const reduced = stage.in.dim(1), inner = stage.in.dim(2);
    std::size_t const whole = reduced / plan.partSize, rows = stage.in.dim(0) * whole;
    graph_.setTileMapping(partials, 0);
    Tensor const outs = partials.reshape({partials.dim(0) * partials.dim(1), inner});
    ReduceStage even = stage;
    even.in = stage.in.slice(0, whole * plan.partSize, 1).reshape({rows, plan.partSize, inner});
    even.out = outs.slice(0, rows);
    even.update = even.finishes = false;
    even.scale = Tensor();
    // Enough vertices for the engine to deal out whole ones: contexts beyond the rows do nothing.
    std::size_t const each =
        std::max<std::size_t>(1, (rows + 1) / (4 * std::size_t{crew_.threads}));
    for (std::size_t row = 0; row < rows; row += each)
      addRows(cs, 0, even, row, std::min(row + each, rows));
    if (outs.dim(0) == rows)
      return;
    even.in = stage.in.slice(whole * plan.partSize, reduced, 1);
    even.out = outs.slice(rows, outs.dim(0));
    addVertex(cs, 0, even);
  }

  // Each part goes to the tile that holds its first element.
  std::vector<unsigned> tilesOfParts(ReduceStage const &stage,
                                     planner::ReducePlan const &plan) const {
    std::size_t const outer = stage.in.dim(0);
    std::vector<unsigned> tiles(outer * plan.parts, 0);
    if (crew_.oneTile)
      return tiles;
    Tensor const firsts =
        stage.in.subSample(static_cast<unsigned>(plan.partSize), 1).slice(0, 1, 2).flatten();
    auto const mapping = graph_.getTileMapping(firsts);
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (Interval const &interval : mapping[tile])
        std::fill(tiles.begin() + static_cast<std::ptrdiff_t>(interval.begin()),
                  tiles.begin() + static_cast<std::ptrdiff_t>(interval.end()), tile);
    return tiles;
  }

  void finalStage(ReduceStage const &stage) {
    auto const cs = nextSet();
    std::size_t const inner = stage.out.dim(1);
    if (crew_.oneTile)
      return addShares(cs, stage);
    auto const mapping = graph_.getTileMapping(stage.out.flatten());
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (Interval const &interval : mapping[tile])
        addInterval(cs, tile, stage, interval, inner);
  }

  // Rows of outputs, as many vertices as come out even; where all is on one tile.
  void addShares(::poplar::ComputeSet cs, ReduceStage const &stage) {
    double const rowCycles = static_cast<double>(stage.in.dim(1) * stage.in.dim(2)) / 4;
    for (Share const &share : rowSharesOf(graph_, stage.out, rowCycles))
      addRows(cs, 0, stage, share.intervals[0].begin(), share.intervals[0].end());
  }

  // Outputs that lie one behind another: whole rows in one vertex, parts of rows in one each.
  void addInterval(::poplar::ComputeSet cs, unsigned tile, ReduceStage const &stage,
                   Interval const &interval, std::size_t inner) {
    for (std::size_t at = interval.begin(); at != interval.end();) {
      std::size_t const row = at / inner, column = at % inner, rest = interval.end() - at;
      if (column == 0 && rest >= inner) {
        addRows(cs, tile, stage, row, row + rest / inner);
        at += rest / inner * inner;
        continue;
      }
      std::size_t const end = std::min(inner, column + rest);
      ReduceStage part = stage;
      part.in = stage.in.slice(row, row + 1, 0).slice(column, end, 2);
      part.out = stage.out[row].slice(column, end);
      addVertex(cs, tile, part);
      at += end - column;
    }
  }

  void addRows(::poplar::ComputeSet cs, unsigned tile, ReduceStage const &stage, std::size_t begin,
               std::size_t end) {
    ReduceStage part = stage;
    part.in = stage.in.slice(begin, end, 0);
    part.out = stage.out.slice(begin, end, 0);
    addVertex(cs, tile, part);
  }

  void addVertex(::poplar::ComputeSet cs, unsigned tile, ReduceStage const &part) {
    if (functor_)
      return addFunctorVertex(cs, tile, part);
    bool const useScale = part.scale.valid();
    std::string name = "popops::Reduce";
    name += useScale ? "Scale" : "";
    name += part.update ? "Update" : "";
    auto const v = graph_.addVertex(
        cs, ::poputil::templateVertex(name, part.in.elementType(), part.out.elementType()),
        {{"in", part.in.flatten()}, {"out", part.out.flatten()}});
    if (useScale)
      graph_.connect(v["scale"], part.scale);
    graph_.setInitialValue(v["op"], static_cast<unsigned>(part.op));
    graph_.setInitialValue(v["reduced"], part.in.dim(1));
    graph_.setInitialValue(v["inner"], part.in.dim(2));
    graph_.setTileMapping(v, tile);
  }

  void addFunctorVertex(::poplar::ComputeSet cs, unsigned tile, ReduceStage const &part) {
    std::string name = ::poputil::templateVertex("popops::ReduceWith", part.in.elementType(),
                                                 part.out.elementType());
    name.back() = ',';
    auto const v = graph_.addVertex(cs, name + functor_->name + ">",
                                    {{"in", part.in.flatten()}, {"out", part.out.flatten()}});
    graph_.setInitialValue(v["reduced"], part.in.dim(1));
    graph_.setInitialValue(v["inner"], part.in.dim(2));
    graph_.setInitialValue(v["stage"], (part.maps ? vertices::REDUCE_MAPS : 0U) |
                                           (part.finishes ? vertices::REDUCE_FINISHES : 0U));
    graph_.setInitialValue(v["functor"], functor_->words);
    graph_.setTileMapping(v, tile);
  }

  ::poplar::Graph &graph_;
  std::vector<::poplar::ComputeSet> &css_;
  ::poplar::DebugContext const &debugContext_;
  ReduceFunctorJob const *functor_;
  planner::Crew crew_;
  std::size_t stage_ = 0;
};

} // namespace detail

POP_INLINE void emitReduce(::poplar::Graph &graph, ReduceJob const &job,
                           std::vector<::poplar::ComputeSet> &css,
                           ::poplar::DebugContext const &debugContext) {
  if (job.out.numElements() != 0)
    detail::ReduceEmitter(graph, css, debugContext, job.functor).run(job);
}

} // namespace cottonwood::popops
