#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <popops/Cast.hpp>
#include <popops/Reduce.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>
#include <array>

namespace cottonwood::poplin {

namespace detail {

/// One block of a plan: ranges in every dimension that is split, and its tile.
struct ConvTileBlock {
  enum Dim { G, B, Y0, Y1, N, I, K0, DIMS };
  std::array<std::size_t, DIMS> begin, end;
  std::array<std::size_t, DIMS> part; ///< which part of each
  unsigned tile;

  std::size_t size(Dim d) const { return end[d] - begin[d]; }
};

/// The blocks of a plan and the tiles that compute them.
class ConvTileBlocks {
public:
  using Block = ConvTileBlock;

  ConvTileBlocks(ConvCheck const &check, planner::ConvPlan const &plan) {
    auto const &p = check.problem;
    first_.fill(0);
    sizes_ = {p.g, p.b, p.field[0].outputs, p.field[1].outputs, p.n, p.i, p.field[0].taps};
    if (check.params.getNumFieldDims() != 0)
      first_[Block::K0] = check.params.kernelTransform.truncationLower[0];
    std::array<std::size_t, Block::DIMS> const splits{plan.splitG,  plan.splitB, plan.splitY0,
                                                      plan.splitY1, plan.splitN, plan.splitI,
                                                      plan.splitK0};
    for (std::size_t d = 0; d != Block::DIMS; ++d) {
      each_[d] = poputil::ceilDiv(sizes_[d], splits[d]);
      parts_[d] = poputil::ceilDiv(sizes_[d], each_[d]);
    }
  }

  std::size_t parts(Block::Dim d) const { return parts_[d]; }
  /// Parts of every sum.
  std::size_t sums() const { return parts_[Block::I] * parts_[Block::K0]; }
  static std::size_t sumOf(Block const &block, ConvTileBlocks const &blocks) {
    return block.part[Block::I] * blocks.parts(Block::K0) + block.part[Block::K0];
  }

  /// f(block), those of one sum in the same order as those of any other. Columns are innermost:
  /// neighbouring tiles, which share a bus, read the same inputs.
  template <class F> void forEach(F &&f) const {
    constexpr std::array<Block::Dim, Block::DIMS> ORDER{Block::G,  Block::I,  Block::K0, Block::B,
                                                        Block::Y0, Block::Y1, Block::N};
    Block block{};
    walk(block, ORDER, 0, f);
  }

private:
  template <class F>
  void walk(Block &block, std::array<Block::Dim, Block::DIMS> const &order, std::size_t level,
            F &f) const {
    if (level == order.size()) {
      f(static_cast<Block const &>(block));
      ++block.tile;
      return;
    }
    Block::Dim const d = order[level];
    for (std::size_t i = 0; i != parts_[d]; ++i) {
      block.part[d] = i;
      block.begin[d] = first_[d] + i * each_[d];
      block.end[d] = first_[d] + std::min((i + 1) * each_[d], sizes_[d]);
      walk(block, order, level + 1, f);
    }
  }

  std::array<std::size_t, Block::DIMS> sizes_, each_{}, parts_{}, first_{};
};

/// The outputs [N, ...field, groups, O] of a block.
POP_INLINE Tensor convOutputPart(Tensor const &out, ConvTileBlock const &block) {
  using Block = ConvTileBlock;
  unsigned const dims = out.rank() - 3;
  Tensor part = out.slice(block.begin[Block::B], block.end[Block::B], 0);
  for (unsigned d = 0; d != std::min(dims, 2U); ++d)
    part = part.slice(block.begin[Block::Y0 + d], block.end[Block::Y0 + d], 1 + d);
  part = part.slice(block.begin[Block::G], block.end[Block::G], 1 + dims);
  return part.slice(block.begin[Block::N], block.end[Block::N], 2 + dims);
}

/// The weights [groups, O, ...kernel, I] of a block.
POP_INLINE Tensor convWeightsPart(Tensor const &weights, ConvTileBlock const &block) {
  using Block = ConvTileBlock;
  Tensor part = weights.slice(block.begin[Block::G], block.end[Block::G], 0)
                    .slice(block.begin[Block::N], block.end[Block::N], 1);
  if (weights.rank() > 3)
    part = part.slice(block.begin[Block::K0], block.end[Block::K0], 2);
  return part.slice(block.begin[Block::I], block.end[Block::I], weights.rank() - 1);
}

/// Emits one convolution as blocks on tiles.
class TileConvEmitter {
public:
  using Block = ConvTileBlock;

  TileConvEmitter(::poplar::Graph &graph, ConvJob const &job, ::poplar::program::Sequence &prog,
                  ::poplar::DebugContext const &debugContext)
      : graph_(graph), job_(job), params_(job_.check.params), prog_(prog),
        debugContext_(debugContext), dims_(static_cast<unsigned>(params_.getNumFieldDims())) {}

  void run() {
    for (Tensor *operand : {&job_.in, &job_.weights})
      if (operand->intersectsWith(job_.out))
        *operand = ::poputil::duplicate(graph_, *operand, prog_, {debugContext_, "operand"});
    auto const plan =
        planConv(job_.where, graph_.getTarget(), job_.check, job_.options, job_.cache).plan;
    ConvTileBlocks const blocks(job_.check, plan);
    ::poplar::Type const out = job_.out.elementType();
    bool const halfPartials =
        out == ::poplar::HALF && job_.options.interTile == planner::MatMulType::HALF;
    ::poplar::Type const partials = halfPartials ? ::poplar::HALF : ::poplar::FLOAT;
    if (blocks.sums() != 1 || partials != out)
      return viaPartials(blocks, partials);
    addVertices(blocks, out, [&](Block const &block) { return convOutputPart(job_.out, block); });
  }

private:
  /// The blocks of each part of the sums lie one behind another in a row, and the result is seen in
  /// the same order: what a tile adds is then one interval.
  void viaPartials(ConvTileBlocks const &blocks, ::poplar::Type const &type) {
    std::size_t const sums = blocks.sums();
    Tensor const rows =
        graph_.addVariable(type, {sums, job_.out.numElements()}, {debugContext_, "partials"});
    std::vector<Tensor> ordered;
    std::vector<std::size_t> next(sums, 0); // where the next block of each row begins
    addVertices(blocks, type, [&](Block const &block) {
      Tensor const part = convOutputPart(job_.out, block);
      std::size_t const s = ConvTileBlocks::sumOf(block, blocks), begin = next[s];
      next[s] += part.numElements();
      if (s == 0)
        ordered.push_back(part.flatten());
      Tensor const sum = rows[s].slice(begin, next[s]);
      graph_.setTileMapping(sum, block.tile);
      return sum.reshape(part.shape());
    });
    Tensor const out = ::poplar::concat(ordered);
    if (sums == 1)
      ::popops::castWithOutput(graph_, rows[0], out, prog_, {debugContext_, "cast"});
    else
      ::popops::reduceWithOutput(graph_, rows, out, {0}, {::popops::Operation::ADD}, prog_,
                                 {debugContext_, "reduce"});
  }

  /// \param result  result(block): where its vertices write, [N, ...field, groups, O]
  template <class Result>
  void addVertices(ConvTileBlocks const &blocks, ::poplar::Type const &resultType,
                   Result const &result) {
    auto const cs = graph_.addComputeSet(debugContext_);
    auto const type =
        ::poputil::templateVertex("poplin::ConvPartial", job_.in.elementType(), resultType);
    blocks.forEach([&](Block const &block) {
      Tensor const out = result(block);
      for (std::size_t g = 0; g != block.size(Block::G); ++g)
        addVertex(cs, type, block, g, out);
    });
    prog_.add(::poplar::program::Execute(cs, debugContext_));
  }

  /// Group `g` of a block.
  void addVertex(::poplar::ComputeSet const &cs, std::string const &type, Block const &block,
                 std::size_t g, Tensor const &blockOut) {
    std::vector<unsigned> firstInput(dims_);
    Tensor const in = inputOf(block, g, firstInput);
    Tensor const weights = weightsOf(block, g);
    Tensor const out = blockOut.slice(g, g + 1, 1 + dims_);
    ConvTable const table = tableOf(block, in.shape(), weights.shape(), firstInput);
    auto const v = graph_.addVertex(
        cs, type, {{"in", in.flatten()}, {"weights", weights.flatten()}, {"out", out.flatten()}});
    graph_.setInitialValue(v["table"], table.table());
    graph_.setInitialValue(v["strides"], table.strides());
    graph_.setInitialValue(v["dims"], table.dims());
    graph_.setInitialValue(v["columns"], block.size(Block::N));
    graph_.setInitialValue(v["outputs"], table.outputs());
    graph_.setInitialValue(v["inChannels"], block.size(Block::I));
    graph_.setInitialValue(v["taps"], table.taps() / block.size(Block::I));
    graph_.setTileMapping(v, block.tile);
  }

  IndexRange outputsOf(Block const &block, unsigned d) const {
    if (d < 2)
      return {block.begin[Block::Y0 + d], block.end[Block::Y0 + d]};
    return {0, params_.getOutputSize(d)};
  }
  IndexRange tapsOf(Block const &block, unsigned d) const {
    if (d == 0)
      return {block.begin[Block::K0], block.end[Block::K0]};
    auto const &kernel = params_.kernelTransform;
    return {kernel.truncationLower[d], params_.kernelShape[d] - kernel.truncationUpper[d]};
  }

  /// [N, ...field, I] of what the block reads. A vertex that reads nothing is given one place.
  Tensor inputOf(Block const &block, std::size_t g, std::vector<unsigned> &firstInput) const {
    Tensor in =
        job_.in[block.begin[Block::G] + g].slice(block.begin[Block::B], block.end[Block::B], 0);
    for (unsigned d = 0; d != dims_; ++d) {
      auto range = ::poplin::getInputRange(d, outputsOf(block, d), tapsOf(block, d), params_);
      if (range.second == 0)
        range = {0, 1};
      firstInput[d] = range.first;
      in = in.slice(range.first, range.second, 1 + d);
    }
    return in.slice(block.begin[Block::I], block.end[Block::I], 1 + dims_);
  }

  /// [...kernel, I, O]: columns side by side.
  Tensor weightsOf(Block const &block, std::size_t g) const {
    Tensor weights = convWeightsPart(job_.weights, block)[g]; // [O, ...kernel, I]
    for (unsigned d = 1; d < dims_; ++d) {
      auto const taps = tapsOf(block, d);
      weights = weights.slice(taps.first, taps.second, 1 + d);
    }
    std::vector<unsigned> order;
    for (unsigned d = 1; d < weights.rank(); ++d)
      order.push_back(d);
    order.push_back(0);
    return weights.dimShuffle(order);
  }

  ConvTable tableOf(Block const &block, std::vector<std::size_t> const &in,
                    std::vector<std::size_t> const &weights,
                    std::vector<unsigned> const &firstInput) const {
    std::vector<std::int64_t> const inStrides = rowMajor(in), wStrides = rowMajor(weights);
    ConvTable table;
    table.addOutputs(in[0], inStrides[0]);
    for (unsigned d = 0; d != dims_; ++d)
      table.addField(params_, d, outputsOf(block, d), tapsOf(block, d), firstInput[d],
                     inStrides[1 + d], wStrides[d]);
    table.addTaps(in.back(), 1, wStrides[dims_]);
    return table;
  }

  static std::vector<std::int64_t> rowMajor(std::vector<std::size_t> const &shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size() - 1; d-- > 0;)
      strides[d] = strides[d + 1] * static_cast<std::int64_t>(shape[d + 1]);
    return strides;
  }

  ::poplar::Graph &graph_;
  ConvJob job_;
  ::poplin::ConvParams const &params_;
  ::poplar::program::Sequence &prog_;
  ::poplar::DebugContext const &debugContext_;
  unsigned const dims_;
};

/// Shares of a block are whole vectors of every type.
inline constexpr std::size_t CONV_SHARE_GRAIN = 8;

/// Maps share `which` of `sharers` of a part to a tile.
POP_INLINE void mapConvShare(::poplar::Graph &graph, Tensor const &t, std::size_t which,
                             std::size_t sharers, unsigned tile) {
  Tensor const part = t.flatten();
  std::size_t const n = part.numElements();
  std::size_t const each = poputil::roundUp(poputil::ceilDiv(n, sharers), CONV_SHARE_GRAIN);
  std::size_t const begin = std::min(which * each, n), end = std::min(begin + each, n);
  if (begin != end)
    graph.setTileMapping(part.slice(begin, end), tile);
}

/// The share of the input of a block, disjoint from that of blocks of other outputs: inputs are
/// divided as the outputs are.
POP_INLINE Tensor convInputShare(Tensor const &in, ConvTileBlock const &block,
                                 ConvTileBlocks const &blocks) {
  using Block = ConvTileBlock;
  Tensor part = in.slice(block.begin[Block::G], block.end[Block::G], 0)
                    .slice(block.begin[Block::B], block.end[Block::B], 1)
                    .slice(block.begin[Block::I], block.end[Block::I], in.rank() - 1);
  unsigned const dims = in.rank() - 3;
  for (unsigned d = 0; d != std::min(dims, 2U); ++d) {
    auto const dim = static_cast<Block::Dim>(Block::Y0 + d);
    std::size_t const size = in.dim(2 + d), each = poputil::ceilDiv(size, blocks.parts(dim));
    std::size_t const begin = std::min(block.part[dim] * each, size);
    part = part.slice(begin, std::min(begin + each, size), 2 + d);
  }
  return part;
}

} // namespace detail

POP_INLINE void emitConvTiles(::poplar::Graph &graph, ConvJob const &job,
                              ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext) {
  detail::TileConvEmitter(graph, job, prog, debugContext).run();
}

// What several blocks use is divided among their tiles.
POP_INLINE void mapForPlan(::poplar::Graph &graph, Tensor const &t, ConvSide side,
                           ConvCheck const &check, planner::ConvPlan const &plan) {
  using detail::ConvTileBlock;
  detail::ConvTileBlocks const blocks(check, plan);
  graph.setTileMapping(t, 0); // what no block uses
  blocks.forEach([&](ConvTileBlock const &block) {
    auto const &part = block.part;
    auto const parts = [&](ConvTileBlock::Dim d) { return blocks.parts(d); };
    using B = ConvTileBlock;
    if (side == ConvSide::INPUT)
      detail::mapConvShare(graph, detail::convInputShare(t, block, blocks),
                           part[B::N] * parts(B::K0) + part[B::K0], parts(B::N) * parts(B::K0),
                           block.tile);
    else if (side == ConvSide::WEIGHTS)
      detail::mapConvShare(graph, detail::convWeightsPart(t, block),
                           (part[B::B] * parts(B::Y0) + part[B::Y0]) * parts(B::Y1) + part[B::Y1],
                           parts(B::B) * parts(B::Y0) * parts(B::Y1), block.tile);
    else
      detail::mapConvShare(graph, detail::convOutputPart(t, block),
                           detail::ConvTileBlocks::sumOf(block, blocks), blocks.sums(), block.tile);
  });
}

} // namespace cottonwood::poplin
