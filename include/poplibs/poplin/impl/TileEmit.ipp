#pragma once

#include <poplin/impl/TileEmit.hpp>
#include <poplin/impl/TileVertexNames.hpp>
#include <poplin/impl/TileViews.hpp>
#include <popops/Operation.hpp>
#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

class TileEmitter {
public:
  using Block = TileBlockRange;

  TileEmitter(::poplar::Graph &graph, TileJob const &job, TileSteps &steps,
              ::poplar::DebugContext const &debugContext)
      : graph_(graph), job_(job), steps_(steps), debugContext_(debugContext),
        blocks_(job.seen, job.plan), views_(graph, job, debugContext), flat_(job.plan.flat),
        sumType_(job.seen.partials == planner::MatMulType::HALF ? ::poplar::HALF
                                                                : ::poplar::FLOAT) {}

  void run() {
    for (std::size_t n = 0; n != blocks_.turnsN(); ++n) {
      Tensor soFar;
      for (std::size_t i = 0; i != blocks_.turnsI(); ++i)
        soFar = runTurn(n, i, soFar);
    }
  }

private:
  struct Sums {
    Block block;       ///< of its first part
    std::size_t begin; ///< of its elements in each row
    Tensor out;        ///< where they end
  };

  ::poplar::ComputeSet nextSet(char const *name) { return steps_.at(next_++, name); }

  /// One turn. \param soFar  sums of earlier turns of these output channels, if there are any
  /// \returns  the sums with this turn's, or nothing after the last turn
  Tensor runTurn(std::size_t turnN, std::size_t turnI, Tensor const &soFar) {
    bool const end = turnI + 1 == blocks_.turnsI();
    std::size_t const count = blocks_.sums(turnI);
    if (blocks_.turnsI() == 1 && count == 1 && sumType_ == job_.tensors.out.elementType()) {
      addVertices(turnN, turnI, sumType_,
                  [&](Block const &block) { return blockOutput(job_.tensors.out, block, flat_); });
      return {};
    }
    // The blocks of each part of the sums lie one behind another in a row.
    std::vector<Sums> sums;
    std::size_t elements = 0;
    blocks_.forEach(turnN, turnI, [&](Block const &block) {
      if (blocks_.sumOf(block) != 0)
        return;
      Tensor const out = blockOutput(job_.tensors.out, block, flat_);
      sums.push_back({block, elements, out});
      elements += out.numElements();
    });
    Tensor const rows =
        graph_.addVariable(sumType_, {count, elements}, {debugContext_, "partials"});
    std::vector<std::size_t> next(count, 0);
    addVertices(turnN, turnI, sumType_, [&](Block const &block) {
      std::size_t const sum = blocks_.sumOf(block), index = next[sum]++;
      Tensor const &out = sums[index].out;
      Tensor const part = rows[sum].slice(sums[index].begin, sums[index].begin + out.numElements());
      graph_.setTileMapping(part, block.tile);
      return part.reshape(out.shape());
    });
    if (!end && count == 1 && !soFar.valid())
      return rows[0];
    return addUp(sums, rows, soFar, end);
  }

  /// Adds rows of sums in stages, and what earlier turns made in the last one.
  Tensor addUp(std::vector<Sums> const &sums, Tensor rows, Tensor const &soFar, bool end) {
    std::size_t const grain = sumsGrain(job_.seen.partials), count = rows.dim(0);
    std::vector<std::vector<SharedSums>> shared;
    for (Sums const &one : sums)
      shared.push_back(wholeBlock(one, count));
    for (std::uint64_t const left : planner::rowsAfterStages(count, job_.plan.stages)) {
      bool const last = left == 1;
      Tensor const results = last && end ? Tensor()
                                         : graph_.addVariable(sumType_, {left, rows.dim(1)},
                                                              {debugContext_, "partials"});
      auto const cs = nextSet("reduce");
      for (std::size_t b = 0; b != sums.size(); ++b) {
        if (count > 1)
          shared[b] = sharedAfterStage(shared[b], left, grain);
        for (SharedSums const &piece : shared[b])
          for (std::size_t row = 0; row != left; ++row)
            addStage(cs, {sums[b], piece, row, left}, rows, last ? soFar : Tensor(), results);
      }
      rows = results;
      if (last)
        break;
    }
    return rows.valid() ? rows[0] : rows;
  }

  static std::vector<SharedSums> wholeBlock(Sums const &one, std::size_t count) {
    std::vector<std::size_t> holders(count);
    for (std::size_t i = 0; i != count; ++i)
      holders[i] = i;
    return {{0, one.out.numElements(), std::move(holders)}};
  }

  /// Some elements of rows that become row `row` of `left`.
  struct Stage {
    Sums const &sums;
    SharedSums const &piece;
    std::size_t row, left;
  };

  /// One vertex: rows, and what there is so far, become a row of `results`, or the end.
  void addStage(::poplar::ComputeSet const &cs, Stage const &stage, Tensor const &rows,
                Tensor const &soFar, Tensor const &results) {
    SharedSums const &piece = stage.piece;
    auto const [first, end] = rowsOfStage(rows.dim(0), stage.left, stage.row);
    std::size_t const elements = piece.end - piece.begin, at = stage.sums.begin + piece.begin;
    unsigned const tile = blocks_.tileOfSum(stage.sums.block, piece.holders[stage.row]);
    Tensor out;
    if (results.valid()) {
      out = results[stage.row].slice(at, at + elements);
      graph_.setTileMapping(out, tile);
    } else {
      out = stage.sums.out.flatten().slice(piece.begin, piece.end);
    }
    Tensor in = rows.slice(first, end, 0).slice(at, at + elements, 1).flatten();
    std::size_t const count = end - first + (soFar.valid() ? 1 : 0);
    if (soFar.valid())
      in = ::poplar::concat(in, soFar.slice(at, at + elements));
    auto const v = graph_.addVertex(
        cs, ::poputil::templateVertex("popops::Reduce", sumType_, out.elementType()),
        {{"in", in}, {"out", out}});
    graph_.setInitialValue(v["op"], static_cast<unsigned>(::popops::Operation::ADD));
    graph_.setInitialValue(v["reduced"], count);
    graph_.setInitialValue(v["inner"], elements);
    bool const halfIn = sumType_ == ::poplar::HALF, halfOut = out.elementType() == ::poplar::HALF;
    std::uint64_t const cycles =
        count > 1 ? kernels::addPartialsCycles(job_.amp.workers, count, elements, halfIn, halfOut)
                  : kernels::castPartialsCycles(job_.amp.workers, elements, halfIn, halfOut);
    graph_.setPerfEstimate(v, cycles, (count - 1) * elements);
    graph_.setTileMapping(v, tile);
  }

  /// \param result  result(block): where its vertices write, in the dimensions of blockOutput()
  template <class Result>
  void addVertices(std::size_t turnN, std::size_t turnI, ::poplar::Type const &resultType,
                   Result const &result) {
    auto const cs = nextSet("");
    std::string const name(tileVertexName(job_.plan.method, views_.areRows()));
    ::poplar::Type const &inType = job_.tensors.in.elementType();
    auto const type = job_.wideLoads && loadsWide(job_.plan)
                          ? ::poputil::templateVertex(name, inType, resultType, true)
                          : ::poputil::templateVertex(name, inType, resultType);
    blocks_.forEach(turnN, turnI, [&](Block const &block) {
      Tensor const out = result(block);
      for (std::size_t g = 0; g != block.size(Block::G); ++g)
        if (views_.areRows())
          addProduct(cs, type, block, g, out[g]);
        else
          addConv(cs, type, block, g, out[g]);
    });
  }

  /// Cycles of the vertex of group `g` of a block: of groups that are computed at a time the first
  /// one has those of all, and the first one has those of laying taps out as channels.
  std::uint64_t cyclesOf(Block const &block, std::size_t g) const {
    using planner::detail::ceilDiv;
    planner::TilePlan const &plan = job_.plan;
    bool const forAll = planner::TileVertices::isForAllGroups(plan);
    if (g % plan.convGroup != 0 || (forAll && g != 0))
      return 0;
    planner::TileBlock size;
    size.inGroups = ceilDiv(block.size(Block::I) * plan.convGroup, plan.inGroup);
    size.outGroups = ceilDiv(block.size(Block::N) * plan.convGroup, plan.outGroup);
    size.b = block.size(Block::B);
    size.outputs = {block.size(Block::Y0), block.size(Block::Y1), block.size(Block::Y2)};
    size.taps = {block.size(Block::K0), block.size(Block::K1), block.size(Block::K2)};
    std::uint64_t const units = forAll ? ceilDiv(block.size(Block::G), plan.convGroup) : 1;
    std::uint64_t const cycles =
        planner::TileVertices::vertexCycles(job_.seen, job_.amp, plan, size, units);
    return g == 0 ? cycles + layOutCycles(block) : cycles;
  }

  /// Cycles of laying out taps as channels, and weights of outputs that are channels.
  std::uint64_t layOutCycles(Block const &block) const {
    using planner::TileVertices;
    planner::TileProblem const &seen = job_.seen;
    std::uint64_t const channels = block.size(Block::G) * block.size(Block::I);
    std::uint64_t const taps =
        block.size(Block::K0) * block.size(Block::K1) * block.size(Block::K2);
    std::uint64_t const positions = block.size(Block::B) * block.size(Block::Y0) *
                                    block.size(Block::Y1) * block.size(Block::Y2);
    std::uint64_t const bytes = planner::detail::bytesOf(seen.input);
    std::uint64_t cycles = 0;
    if (seen.gatheredI != 0)
      cycles += TileVertices::layOutCycles(channels * positions * taps,
                                           TileVertices::together(seen, job_.plan), bytes);
    if (TileVertices::laysOutWeights(seen, job_.plan))
      cycles += TileVertices::layOutCycles(channels * block.size(Block::N) * taps,
                                           TileVertices::weightsTogether(seen, job_.plan), bytes);
    return cycles;
  }

  /// Group `g` of a block; `out` is [positions..., N].
  void addProduct(::poplar::ComputeSet const &cs, std::string const &type, Block const &block,
                  std::size_t g, Tensor const &out) {
    auto const [a, b] = views_.product(block, g);
    auto const v =
        graph_.addVertex(cs, type, {{"a", a.flatten()}, {"b", b.flatten()}, {"c", out.flatten()}});
    std::size_t const positions = a.dim(0), depth = a.dim(1), columns = b.dim(1);
    graph_.setInitialValue(v["m"], positions);
    graph_.setInitialValue(v["n"], columns);
    graph_.setInitialValue(v["k"], depth);
    graph_.setPerfEstimate(v, cyclesOf(block, g), 2 * positions * depth * columns);
    graph_.setTileMapping(v, block.tile);
  }

  /// Group `g` of a block; `out` is [B, ...field, N].
  void addConv(::poplar::ComputeSet const &cs, std::string const &type, Block const &block,
               std::size_t g, Tensor const &out) {
    auto const [in, weights, table] = views_.windows(block, g);
    auto const v = graph_.addVertex(
        cs, type, {{"in", in.flatten()}, {"weights", weights.flatten()}, {"out", out.flatten()}});
    std::size_t const columns = block.size(Block::N), channels = block.size(Block::I);
    std::size_t const taps = table.taps() / channels;
    graph_.setInitialValue(v["table"], table.table());
    graph_.setInitialValue(v["strides"], table.strides());
    graph_.setInitialValue(v["dims"], table.dims());
    graph_.setInitialValue(v["columns"], columns);
    graph_.setInitialValue(v["outputs"], table.outputs());
    graph_.setInitialValue(v["inChannels"], channels);
    graph_.setInitialValue(v["taps"], taps);
    graph_.setPerfEstimate(v, cyclesOf(block, g), 2 * table.outputs() * columns * channels * taps);
    graph_.setTileMapping(v, block.tile);
  }

  ::poplar::Graph &graph_;
  TileJob const &job_;
  TileSteps &steps_;
  ::poplar::DebugContext const &debugContext_;
  TileBlocks blocks_;
  TileViews views_;
  bool flat_;
  ::poplar::Type sumType_;
  std::size_t next_ = 0; ///< compute set
};

} // namespace detail

POP_INLINE ::poplar::ComputeSet TileSteps::at(std::size_t index, char const *name) {
  if (index == sets_.size())
    sets_.emplace_back(*name == 0 ? graph_.addComputeSet(debugContext_)
                                  : graph_.addComputeSet({debugContext_, name}),
                       name);
  return sets_[index].first;
}

POP_INLINE void TileSteps::addTo(::poplar::program::Sequence &prog) const {
  for (auto const &[set, name] : sets_)
    prog.add(*name == 0 ? ::poplar::program::Execute(set, debugContext_)
                        : ::poplar::program::Execute(set, {debugContext_, name}));
}

POP_INLINE void emitTiles(::poplar::Graph &graph, TileJob const &job, TileSteps &steps,
                          ::poplar::DebugContext const &debugContext) {
  detail::TileEmitter(graph, job, steps, debugContext).run();
}

POP_INLINE void emitTiles(::poplar::Graph &graph, TileJob const &job,
                          ::poplar::program::Sequence &prog,
                          ::poplar::DebugContext const &debugContext) {
  TileSteps steps(graph, debugContext);
  emitTiles(graph, job, steps, debugContext);
  steps.addTo(prog);
}

} // namespace cottonwood::poplin
