#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <poplin/impl/TileEmit.hpp>
#include <poplin/impl/TileGather.hpp>
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
        blocks_(job.seen, job.plan), flat_(job.plan.flat), gathers_(job.seen.gatheredI != 0),
        rows_(flat_ || (gathers_ && job.seen.taps() == 1 && job.seen.padded() == 0)),
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
    auto const type =
        ::poputil::templateVertex(rows_ ? "poplin::MatMulPartial" : "poplin::ConvPartial",
                                  job_.tensors.in.elementType(), resultType);
    blocks_.forEach(turnN, turnI, [&](Block const &block) {
      Tensor const out = result(block);
      for (std::size_t g = 0; g != block.size(Block::G); ++g)
        if (rows_)
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
    if (!gathers_ || g != 0)
      return cycles;
    std::uint64_t const laidOut =
        block.size(Block::G) * size.positions() * block.size(Block::I) * size.allTaps();
    return cycles + planner::TileVertices::layOutCycles(
                        laidOut, planner::TileVertices::together(job_.seen, plan),
                        planner::detail::bytesOf(job_.seen.input));
  }

  /// Group `g` of a block; `out` is [positions..., N].
  void addProduct(::poplar::ComputeSet const &cs, std::string const &type, Block const &block,
                  std::size_t g, Tensor const &out) {
    Tensor a;
    if (gathers_) {
      std::vector<unsigned> firstInput(dims());
      a = inputOf(block, g, firstInput);
      a = a.flatten(0, a.rank() - 1);
    } else {
      a = job_.tensors.in[block.begin[Block::G] + g]
              .slice(block.begin[Block::Y0], block.end[Block::Y0], 0)
              .slice(block.begin[Block::I], block.end[Block::I], 1);
    }
    Tensor b = blockWeights(job_.tensors.weights, block)[g]; // [N, ...1, I]
    b = b.reshape({b.dim(0), b.numElements() / b.dim(0)}).transpose();
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
    std::vector<unsigned> firstInput(dims());
    Tensor const in = inputOf(block, g, firstInput);
    Tensor const weights = weightsOf(block, g);
    ConvTable const table = tableOf(block, in.shape(), weights.shape(), firstInput);
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

  unsigned dims() const { return static_cast<unsigned>(job_.params->getNumFieldDims()); }
  /// True if the taps of a dimension are channels.
  bool isGathered(unsigned d) const {
    return gathers_ && d < 3 && (job_.plan.expand >> d & 1U) != 0;
  }
  IndexRange outputsOf(Block const &block, unsigned d) const {
    if (d < cutDims(dims()))
      return {block.begin[Block::Y0 + d], block.end[Block::Y0 + d]};
    return {0, job_.params->getOutputSize(d)};
  }
  IndexRange tapsOf(Block const &block, unsigned d) const {
    auto const &kernel = job_.params->kernelTransform;
    unsigned const first = kernel.truncationLower[d];
    if (d < cutDims(dims()) && !isGathered(d))
      return {first + block.begin[Block::K0 + d], first + block.end[Block::K0 + d]};
    return {first, job_.params->kernelShape[d] - kernel.truncationUpper[d]};
  }

  /// [N, ...field, I] of what the block reads. A vertex that reads nothing is given one place.
  Tensor inputOf(Block const &block, std::size_t g, std::vector<unsigned> &firstInput) {
    Tensor in = job_.tensors.in[block.begin[Block::G] + g].slice(block.begin[Block::B],
                                                                 block.end[Block::B], 0);
    for (unsigned d = 0; d != dims(); ++d) {
      if (isGathered(d) || rows_) {
        in = gatherTaps({*job_.params, d, outputsOf(block, d), tapsOf(block, d)}, in, zero());
        continue;
      }
      auto range = ::poplin::getInputRange(d, outputsOf(block, d), tapsOf(block, d), *job_.params);
      if (range.second == 0)
        range = {0, 1};
      firstInput[d] = range.first;
      in = in.slice(range.first, range.second, 1 + d);
    }
    in = in.flatten(1 + dims(), in.rank());
    return in.slice(block.begin[Block::I], block.end[Block::I], 1 + dims());
  }

  /// Stands for padding where taps are channels.
  Tensor const &zero() {
    if (!zero_.valid()) {
      zero_ = graph_.addConstant(job_.tensors.in.elementType(), {1}, 0, {debugContext_, "zero"});
      graph_.setTileMapping(zero_, static_cast<unsigned>(job_.plan.firstTile));
    }
    return zero_;
  }

  /// [...kernel, I, O]: columns side by side.
  Tensor weightsOf(Block const &block, std::size_t g) const {
    Tensor weights = job_.tensors.weights[block.begin[Block::G] + g].slice(block.begin[Block::N],
                                                                           block.end[Block::N], 0);
    for (unsigned d = 0; d != dims(); ++d) {
      auto const taps = isGathered(d) ? IndexRange(0, 1) : tapsOf(block, d);
      weights = weights.slice(taps.first, taps.second, 1 + d);
    }
    weights = weights.slice(block.begin[Block::I], block.end[Block::I], 1 + dims());
    return weights.dimRoll(0, weights.rank() - 1);
  }

  ConvTable tableOf(Block const &block, std::vector<std::size_t> const &in,
                    std::vector<std::size_t> const &weights,
                    std::vector<unsigned> const &firstInput) const {
    std::vector<std::int64_t> const inStrides = rowMajor(in), wStrides = rowMajor(weights);
    ConvTable table;
    table.addOutputs(in[0], inStrides[0]);
    for (unsigned d = 0; d != dims(); ++d)
      if (isGathered(d))
        table.addOutputs(in[1 + d], inStrides[1 + d]);
      else
        table.addField(*job_.params, d, outputsOf(block, d), tapsOf(block, d), firstInput[d],
                       inStrides[1 + d], wStrides[d]);
    table.addTaps(in.back(), 1, wStrides[dims()]);
    return table;
  }

  static std::vector<std::int64_t> rowMajor(std::vector<std::size_t> const &shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size() - 1; d-- > 0;)
      strides[d] = strides[d + 1] * static_cast<std::int64_t>(shape[d + 1]);
    return strides;
  }

  ::poplar::Graph &graph_;
  TileJob const &job_;
  TileSteps &steps_;
  ::poplar::DebugContext const &debugContext_;
  TileBlocks blocks_;
  bool flat_, gathers_;
  bool rows_; ///< each output meets one input with all its channels: vertices compute products
  ::poplar::Type sumType_;
  std::size_t next_ = 0; ///< compute set
  Tensor zero_;
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
