#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <poplin/impl/TileEmit.hpp>
#include <popops/Operation.hpp>
#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

class TileEmitter {
public:
  using Block = TileBlockRange;

  TileEmitter(::poplar::Graph &graph, TileJob const &job, ::poplar::program::Sequence &prog,
              ::poplar::DebugContext const &debugContext)
      : graph_(graph), job_(job), prog_(prog), debugContext_(debugContext),
        blocks_(job.seen, job.plan), flat_(job.plan.method == planner::TileMethod::AMP_1X1),
        sumType_(job.seen.partials == planner::MatMulType::HALF ? ::poplar::HALF
                                                                : ::poplar::FLOAT) {}

  void run() {
    for (std::size_t serial = 0; serial != blocks_.serialParts(); ++serial)
      runPart(serial);
  }

private:
  struct Sums {
    Block block;       ///< of its first part
    std::size_t begin; ///< of its elements in each row
    Tensor out;        ///< where they end
  };

  void runPart(std::size_t serial) {
    if (blocks_.sums() == 1 && sumType_ == job_.tensors.out.elementType()) {
      addVertices(serial, sumType_,
                  [&](Block const &block) { return blockOutput(job_.tensors.out, block, flat_); });
      return;
    }
    // The blocks of each part of the sums lie one behind another in a row.
    std::vector<Sums> sums;
    std::size_t elements = 0;
    blocks_.forEach(serial, [&](Block const &block) {
      if (blocks_.sumOf(block) != 0)
        return;
      Tensor const out = blockOutput(job_.tensors.out, block, flat_);
      sums.push_back({block, elements, out});
      elements += out.numElements();
    });
    Tensor const rows =
        graph_.addVariable(sumType_, {blocks_.sums(), elements}, {debugContext_, "partials"});
    std::vector<std::size_t> next(blocks_.sums(), 0);
    addVertices(serial, sumType_, [&](Block const &block) {
      std::size_t const sum = blocks_.sumOf(block), index = next[sum]++;
      Tensor const &out = sums[index].out;
      Tensor const part = rows[sum].slice(sums[index].begin, sums[index].begin + out.numElements());
      graph_.setTileMapping(part, block.tile);
      return part.reshape(out.shape());
    });
    addUp(sums, rows);
  }

  /// Adds rows of sums in stages.
  void addUp(std::vector<Sums> const &sums, Tensor rows) {
    std::size_t const grain = sumsGrain(job_.seen.partials);
    std::vector<std::vector<SharedSums>> shared;
    for (Sums const &one : sums)
      shared.push_back(wholeBlock(one));
    for (std::uint64_t const left : planner::rowsAfterStages(blocks_.sums(), job_.plan.stages)) {
      Tensor const results = left == 1 ? Tensor()
                                       : graph_.addVariable(sumType_, {left, rows.dim(1)},
                                                            {debugContext_, "partials"});
      auto const cs = graph_.addComputeSet({debugContext_, "reduce"});
      for (std::size_t b = 0; b != sums.size(); ++b) {
        if (blocks_.sums() > 1)
          shared[b] = sharedAfterStage(shared[b], left, grain);
        for (SharedSums const &piece : shared[b])
          for (std::size_t row = 0; row != left; ++row)
            addStage(cs, sums[b], piece, row, left, rows, results);
      }
      prog_.add(::poplar::program::Execute(cs, {debugContext_, "reduce"}));
      rows = results;
    }
  }

  std::vector<SharedSums> wholeBlock(Sums const &one) const {
    std::vector<std::size_t> holders(blocks_.sums());
    for (std::size_t i = 0; i != holders.size(); ++i)
      holders[i] = i;
    return {{0, one.out.numElements(), std::move(holders)}};
  }

  /// One vertex: rows become row `row` of `left` results, or the end.
  void addStage(::poplar::ComputeSet const &cs, Sums const &one, SharedSums const &piece,
                std::size_t row, std::size_t left, Tensor const &rows, Tensor const &results) {
    auto const [first, end] = rowsOfStage(rows.dim(0), left, row);
    std::size_t const count = end - first, elements = piece.end - piece.begin;
    std::size_t const at = one.begin + piece.begin;
    unsigned const tile = blocks_.tileOfSum(one.block, piece.holders[row]);
    Tensor out;
    if (results.valid()) {
      out = results[row].slice(at, at + elements);
      graph_.setTileMapping(out, tile);
    } else {
      out = one.out.flatten().slice(piece.begin, piece.end);
    }
    Tensor const in = rows.slice(first, end, 0).slice(at, at + elements, 1).flatten();
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
  void addVertices(std::size_t serial, ::poplar::Type const &resultType, Result const &result) {
    auto const cs = graph_.addComputeSet(debugContext_);
    auto const type =
        ::poputil::templateVertex(flat_ ? "poplin::MatMulPartial" : "poplin::ConvPartial",
                                  job_.tensors.in.elementType(), resultType);
    blocks_.forEach(serial, [&](Block const &block) {
      Tensor const out = result(block);
      for (std::size_t g = 0; g != block.size(Block::G); ++g)
        if (flat_)
          addProduct(cs, type, block, g, out[g]);
        else
          addConv(cs, type, block, g, out[g]);
    });
    prog_.add(::poplar::program::Execute(cs, debugContext_));
  }

  /// Cycles of the vertex of group `g` of a block: of groups that are computed at a time the first
  /// one has those of all.
  std::uint64_t cyclesOf(Block const &block, std::size_t g) const {
    using planner::detail::ceilDiv;
    planner::TilePlan const &plan = job_.plan;
    bool const slic = plan.method == planner::TileMethod::SLIC;
    if (g % plan.convGroup != 0 || (slic && g != 0))
      return 0;
    planner::TileBlock size;
    size.inGroups = ceilDiv(block.size(Block::I) * plan.convGroup, plan.inGroup);
    size.outGroups = ceilDiv(block.size(Block::N) * plan.convGroup, plan.outGroup);
    size.b = block.size(Block::B);
    size.outputs = {block.size(Block::Y0), block.size(Block::Y1),
                    flat_ ? 1 : job_.seen.field[2].outputs};
    size.taps = {block.size(Block::K0), job_.seen.field[1].taps, job_.seen.field[2].taps};
    std::uint64_t const units = slic ? ceilDiv(block.size(Block::G), plan.convGroup) : 1;
    return planner::TileCost::vertexCycles(job_.seen, job_.amp, plan, size, units);
  }

  /// Group `g` of a block; `out` is [positions, N].
  void addProduct(::poplar::ComputeSet const &cs, std::string const &type, Block const &block,
                  std::size_t g, Tensor const &out) {
    Tensor const a = job_.tensors.in[block.begin[Block::G] + g]
                         .slice(block.begin[Block::Y0], block.end[Block::Y0], 0)
                         .slice(block.begin[Block::I], block.end[Block::I], 1);
    Tensor const b = blockWeights(job_.tensors.weights, block)[g].transpose(); // [I, N]
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
  IndexRange outputsOf(Block const &block, unsigned d) const {
    if (d < 2)
      return {block.begin[Block::Y0 + d], block.end[Block::Y0 + d]};
    return {0, job_.params->getOutputSize(d)};
  }
  IndexRange tapsOf(Block const &block, unsigned d) const {
    auto const &kernel = job_.params->kernelTransform;
    unsigned const first = kernel.truncationLower[d];
    if (d == 0)
      return {first + block.begin[Block::K0], first + block.end[Block::K0]};
    return {first, job_.params->kernelShape[d] - kernel.truncationUpper[d]};
  }

  /// [N, ...field, I] of what the block reads. A vertex that reads nothing is given one place.
  Tensor inputOf(Block const &block, std::size_t g, std::vector<unsigned> &firstInput) const {
    Tensor in = job_.tensors.in[block.begin[Block::G] + g].slice(block.begin[Block::B],
                                                                 block.end[Block::B], 0);
    for (unsigned d = 0; d != dims(); ++d) {
      auto range = ::poplin::getInputRange(d, outputsOf(block, d), tapsOf(block, d), *job_.params);
      if (range.second == 0)
        range = {0, 1};
      firstInput[d] = range.first;
      in = in.slice(range.first, range.second, 1 + d);
    }
    return in.slice(block.begin[Block::I], block.end[Block::I], 1 + dims());
  }

  /// [...kernel, I, O]: columns side by side.
  Tensor weightsOf(Block const &block, std::size_t g) const {
    Tensor weights = job_.tensors.weights[block.begin[Block::G] + g].slice(block.begin[Block::N],
                                                                           block.end[Block::N], 0);
    for (unsigned d = 0; d != dims(); ++d) {
      auto const taps = tapsOf(block, d);
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
  ::poplar::program::Sequence &prog_;
  ::poplar::DebugContext const &debugContext_;
  TileBlocks blocks_;
  bool flat_;
  ::poplar::Type sumType_;
};

} // namespace detail

POP_INLINE void emitTiles(::poplar::Graph &graph, TileJob const &job,
                          ::poplar::program::Sequence &prog,
                          ::poplar::DebugContext const &debugContext) {
  detail::TileEmitter(graph, job, prog, debugContext).run();
}

} // namespace cottonwood::poplin
