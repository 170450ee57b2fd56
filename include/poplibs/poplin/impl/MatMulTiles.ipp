#pragma once

#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <popops/Cast.hpp>
#include <popops/Reduce.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/impl/Math.hpp>

#include <array>

namespace cottonwood::poplin {

namespace detail {

/// The blocks of a plan and the tiles that compute them.
class MatMulBlocks {
public:
  /// Ranges of one block in g, m, n and k, and its tile.
  struct Block {
    std::array<std::size_t, 4> begin, end;
    std::array<std::size_t, 4> part; ///< which part in g, m, n, k
    unsigned tile;
  };

  MatMulBlocks(planner::MatMulProblem const &problem, planner::MatMulPlan const &plan)
      : sizes_{problem.g, problem.m, problem.n, problem.k} {
    std::array<std::size_t, 4> const splits{plan.splitG, plan.splitM, plan.splitN, plan.splitK};
    for (std::size_t d = 0; d != 4; ++d) {
      each_[d] = poputil::ceilDiv(sizes_[d], splits[d]);
      parts_[d] = poputil::ceilDiv(sizes_[d], each_[d]);
    }
  }

  std::array<std::size_t, 4> const &parts() const { return parts_; }

  template <class F> void forEach(F &&f) const {
    for (std::size_t g = 0; g != parts_[0]; ++g)
      for (std::size_t k = 0; k != parts_[3]; ++k)
        for (std::size_t m = 0; m != parts_[1]; ++m)
          for (std::size_t n = 0; n != parts_[2]; ++n)
            f(block({g, m, n, k}));
  }

private:
  /// Columns are innermost: neighbouring tiles, which share a bus, read the same block of A.
  Block block(std::array<std::size_t, 4> const &part) const {
    Block block;
    block.part = part;
    for (std::size_t d = 0; d != 4; ++d) {
      block.begin[d] = part[d] * each_[d];
      block.end[d] = std::min(block.begin[d] + each_[d], sizes_[d]);
    }
    auto const [g, m, n, k] = part;
    block.tile = static_cast<unsigned>(((g * parts_[3] + k) * parts_[1] + m) * parts_[2] + n);
    return block;
  }

  std::array<std::size_t, 4> sizes_, each_{}, parts_{};
};

/// The part of a side that a block reads or writes.
POP_INLINE Tensor partOf(Tensor const &t, MatMulSide side, MatMulBlocks::Block const &block) {
  enum { G, M, N, K };
  auto const cut = [&](std::size_t rows, std::size_t columns) {
    std::array<std::size_t, 3> const begin{block.begin[G], block.begin[rows], block.begin[columns]};
    std::array<std::size_t, 3> const end{block.end[G], block.end[rows], block.end[columns]};
    return t.slice(begin, end);
  };
  return side == MatMulSide::LEFT ? cut(M, K) : side == MatMulSide::RIGHT ? cut(K, N) : cut(M, N);
}

/// Shares of a block are whole vectors of every type.
inline constexpr std::size_t MATMUL_SHARE_GRAIN = 8;

/// Emits one product as blocks on tiles.
class TileMatMulEmitter {
public:
  TileMatMulEmitter(::poplar::Graph &graph, MatMulJob const &job, ::poplar::program::Sequence &prog,
                    ::poplar::DebugContext const &debugContext)
      : graph_(graph), job_(job), prog_(prog), debugContext_(debugContext) {}

  void run() {
    for (Tensor *operand : {&job_.a, &job_.b})
      if (operand->intersectsWith(job_.out))
        *operand = ::poputil::duplicate(graph_, *operand, prog_, {debugContext_, "operand"});
    planner::MatMulProblem problem = job_.problem();
    auto const plan =
        planMatMul(job_.where, graph_.getTarget(), problem, job_.options, job_.cache).plan;
    MatMulBlocks const blocks(problem, plan);
    ::poplar::Type const out = job_.out.elementType();
    bool const halfPartials = partialsFor(problem, job_.options) == planner::MatMulType::HALF;
    ::poplar::Type const partials = halfPartials ? ::poplar::HALF : ::poplar::FLOAT;
    if (blocks.parts()[3] == 1 && partials == out) {
      addVertices(blocks, job_.out.elementType(), [&](MatMulBlocks::Block const &block) {
        return partOf(job_.out, MatMulSide::OUTPUT, block);
      });
      return;
    }
    viaPartials(blocks, partials);
  }

private:
  /// The blocks of each part of K lie one behind another in a row of `sums`, and the result is seen
  /// in the same order: what a tile adds is then one interval.
  void viaPartials(MatMulBlocks const &blocks, ::poplar::Type const &type) {
    std::size_t const parts = blocks.parts()[3];
    Tensor const sums =
        graph_.addVariable(type, {parts, job_.out.numElements()}, {debugContext_, "partials"});
    std::vector<Tensor> ordered;
    std::vector<std::size_t> next(parts, 0); // where the next block of each row begins
    addVertices(blocks, type, [&](MatMulBlocks::Block const &block) {
      Tensor const part = partOf(job_.out, MatMulSide::OUTPUT, block);
      std::size_t const k = block.part[3], begin = next[k];
      next[k] += part.numElements();
      if (k == 0)
        ordered.push_back(part.flatten());
      Tensor const sum = sums[k].slice(begin, next[k]);
      graph_.setTileMapping(sum, block.tile);
      return sum.reshape(part.shape());
    });
    Tensor const out = ::poplar::concat(ordered);
    if (parts == 1)
      ::popops::castWithOutput(graph_, sums[0], out, prog_, {debugContext_, "cast"});
    else
      ::popops::reduceWithOutput(graph_, sums, out, {0}, {::popops::Operation::ADD}, prog_,
                                 {debugContext_, "reduce"});
  }

  /// \param result  result(block): where its vertices write, [g, m, n]
  template <class Result>
  void addVertices(MatMulBlocks const &blocks, ::poplar::Type const &resultType,
                   Result const &result) {
    auto const cs = graph_.addComputeSet(debugContext_);
    auto const type =
        ::poputil::templateVertex("poplin::MatMulPartial", job_.a.elementType(), resultType);
    blocks.forEach([&](MatMulBlocks::Block const &block) {
      Tensor const a = partOf(job_.a, MatMulSide::LEFT, block);
      Tensor const b = partOf(job_.b, MatMulSide::RIGHT, block);
      Tensor const c = result(block);
      for (std::size_t g = 0; g != c.dim(0); ++g) {
        auto const v = graph_.addVertex(
            cs, type, {{"a", a[g].flatten()}, {"b", b[g].flatten()}, {"c", c[g].flatten()}});
        graph_.setInitialValue(v["m"], c.dim(1));
        graph_.setInitialValue(v["n"], c.dim(2));
        graph_.setInitialValue(v["k"], a.dim(2));
        graph_.setTileMapping(v, block.tile);
      }
    });
    prog_.add(::poplar::program::Execute(cs, debugContext_));
  }

  ::poplar::Graph &graph_;
  MatMulJob job_;
  ::poplar::program::Sequence &prog_;
  ::poplar::DebugContext const &debugContext_;
};

} // namespace detail

POP_INLINE void emitMatMulTiles(::poplar::Graph &graph, MatMulJob const &job,
                                ::poplar::program::Sequence &prog,
                                ::poplar::DebugContext const &debugContext) {
  detail::TileMatMulEmitter(graph, job, prog, debugContext).run();
}

// The blocks that want the same part of a side differ in one number only: columns for A, rows for
// B, the part of K for the result. That many tiles share the part.
POP_INLINE void mapForPlan(::poplar::Graph &graph, Tensor const &t, MatMulSide side,
                           planner::MatMulProblem const &problem, planner::MatMulPlan const &plan) {
  detail::MatMulBlocks const blocks(problem, plan);
  std::size_t const sharedDim = side == MatMulSide::LEFT ? 2 : side == MatMulSide::RIGHT ? 1 : 3;
  std::size_t const sharers = blocks.parts()[sharedDim];
  blocks.forEach([&](detail::MatMulBlocks::Block const &block) {
    Tensor const part = detail::partOf(t, side, block).flatten();
    std::size_t const n = part.numElements();
    std::size_t const each =
        poputil::roundUp(poputil::ceilDiv(n, sharers), detail::MATMUL_SHARE_GRAIN);
    std::size_t const begin = std::min(block.part[sharedDim] * each, n);
    std::size_t const end = std::min(begin + each, n);
    if (begin != end)
      graph.setTileMapping(part.slice(begin, end), block.tile);
  });
}

} // namespace cottonwood::poplin
