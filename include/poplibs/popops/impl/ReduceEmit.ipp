#pragma once

#include <popops/impl/Partition.hpp>
#include <popops/impl/ReduceEmit.hpp>
#include <popops/impl/ReduceStages.hpp>
#include <poputil/TileMapping.hpp>

#include <codelets/popops/ReduceFar.hpp>
#include <planners/popops/Reduce.hpp>

#include <algorithm>

namespace cottonwood::popops {

namespace detail {

using ::popops::Operation;

class ReduceEmitter {
public:
  ReduceEmitter(::poplar::Graph &graph, std::vector<::poplar::ComputeSet> &css,
                ::poplar::DebugContext const &debugContext, ReduceFunctorJob const *functor)
      : graph_(graph), debugContext_(debugContext), vertices_(graph, css, debugContext, functor),
        crew_(crewOf(graph.getTarget())) {}

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
      stages({in3, partial, op, false, Tensor(), maps, false, !crew_.oneTile}, job.partialType);
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
            job.params.useScale ? job.params.scale : Tensor(), maps, true, job.placesOutput},
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

  Tensor newTensor(::poplar::Type const &type, std::vector<std::size_t> const &shape) {
    Tensor const t = graph_.addVariable(type, shape, debugContext_);
    if (crew_.oneTile)
      ::poputil::mapTensorLinearly(graph_, t); // otherwise the stage places it
    return t;
  }

  // As planned.
  void stages(ReduceStage stage, ::poplar::Type const &partialType) {
    if (stage.out.numElements() == 0)
      return;
    if (!crew_.oneTile && stage.in.dim(1) != 0)
      return emitTileReduce(vertices_, stage, partialType);
    if (stage.placesOutput)
      ::poputil::mapTensorLinearly(graph_, stage.out);
    if (!crew_.oneTile)
      return identities(stage);
    stage.far = kernels::fetchesReduced(stage.in.numElements() *
                                        graph_.getTarget().getTypeSize(stage.in.elementType()));
    planner::ReduceProblem problem;
    problem.outer = stage.in.dim(0);
    problem.reduced = stage.in.dim(1);
    problem.inner = stage.in.dim(2);
    auto const plan = planner::planReduce(problem);
    finalStage(plan.parts > 1 ? stage.behind(reduceParts(stage, plan, partialType)) : stage);
  }

  // Nothing is reduced: where the outputs are.
  void identities(ReduceStage const &stage) {
    auto const cs = vertices_.nextSet();
    auto const mapping = graph_.getTileMapping(stage.out.flatten());
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (Interval const &interval : mapping[tile])
        vertices_.addInterval(cs, tile, stage, interval);
  }

  // Reduces each part of the reduced dimension. \returns [outer, parts, inner]
  Tensor reduceParts(ReduceStage const &stage, planner::ReducePlan const &plan,
                     ::poplar::Type const &partialType) {
    std::size_t const outer = stage.in.dim(0), reduced = stage.in.dim(1), inner = stage.in.dim(2);
    Tensor const partials =
        graph_.addVariable(partialType, {outer, plan.parts, inner}, debugContext_);
    graph_.setTileMapping(partials, 0);
    auto const cs = vertices_.nextSet();
    if (outer == 1 || reduced % plan.partSize == 0) {
      reduceEvenParts(cs, stage, plan, partials);
      return partials;
    }
    for (std::size_t o = 0; o != outer; ++o)
      for (std::size_t p = 0; p != plan.parts; ++p) {
        std::size_t const begin = p * plan.partSize;
        std::size_t const end = std::min<std::size_t>(begin + plan.partSize, reduced);
        vertices_.add(
            cs, 0, stage.partial(stage.in.slice(o, o + 1, 0).slice(begin, end, 1), partials[o][p]));
      }
    return partials;
  }

  // Parts of the same size, which lie one behind another, are rows of one reduction: a few vertices
  // for all of them. The last part of a single row may be shorter and has a vertex of its own.
  void reduceEvenParts(::poplar::ComputeSet cs, ReduceStage const &stage,
                       planner::ReducePlan const &plan, Tensor const &partials) {
    std::size_t const reduced = stage.in.dim(1), inner = stage.in.dim(2);
    std::size_t const whole = reduced / plan.partSize, rows = stage.in.dim(0) * whole;
    Tensor const outs = partials.reshape({partials.dim(0) * partials.dim(1), inner});
    Tensor const even = stage.in.slice(0, whole * plan.partSize, 1);
    ReduceStage const parts =
        stage.partial(even.reshape({rows, plan.partSize, inner}), outs.slice(0, rows));
    // Enough vertices for the engine to deal out whole ones: contexts beyond the rows do nothing.
    std::size_t const each =
        std::max<std::size_t>(1, (rows + 1) / (4 * std::size_t{crew_.threads}));
    for (std::size_t row = 0; row < rows; row += each)
      vertices_.addRows(cs, 0, parts, row, std::min(row + each, rows));
    if (outs.dim(0) != rows)
      vertices_.add(cs, 0,
                    stage.partial(stage.in.slice(whole * plan.partSize, reduced, 1),
                                  outs.slice(rows, outs.dim(0))));
  }

  // Rows of outputs, as many vertices as come out even.
  void finalStage(ReduceStage const &stage) {
    auto const cs = vertices_.nextSet();
    double const rowCycles = static_cast<double>(stage.in.dim(1) * stage.out.dim(1)) / 4;
    for (Share const &share : rowSharesOf(graph_, stage.out, rowCycles))
      vertices_.addRows(cs, 0, stage, share.intervals[0].begin(), share.intervals[0].end());
  }

  ::poplar::Graph &graph_;
  ::poplar::DebugContext const &debugContext_;
  ReduceVertices vertices_;
  planner::Crew crew_;
};

} // namespace detail

POP_INLINE void emitReduce(::poplar::Graph &graph, ReduceJob const &job,
                           std::vector<::poplar::ComputeSet> &css,
                           ::poplar::DebugContext const &debugContext) {
  if (job.out.numElements() != 0)
    detail::ReduceEmitter(graph, css, debugContext, job.functor).run(job);
}

} // namespace cottonwood::popops
