// What the vertices of a plan for tiles read: views of operands.
#pragma once

#include <poplar/Graph.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <poplin/impl/TileEmit.hpp>
#include <poplin/impl/TileFlatten.hpp>

#include <optional>

namespace cottonwood::poplin {

class TileViews {
public:
  using Block = TileBlockRange;

  TileViews(::poplar::Graph &graph, TileJob const &job, ::poplar::DebugContext const &debugContext);

  /// True if each output meets one input with all its channels: vertices compute products.
  bool areRows() const { return rows_; }

  struct Product {
    Tensor a, b; ///< [positions, I], [I, N]
  };
  /// Of group `g` of a block.
  Product product(Block const &block, std::size_t g);

  struct Windows {
    Tensor in;      ///< [B, ...field, I]
    Tensor weights; ///< [...kernel, I, N]
    ConvTable table;
  };
  Windows windows(Block const &block, std::size_t g);

private:
  unsigned dims() const;
  bool isGathered(unsigned d) const;
  bool isFlattened(unsigned d) const { return flattened_ && flattened_->has(d); }
  IndexRange outputsOf(Block const &block, unsigned d) const;
  IndexRange tapsOf(Block const &block, unsigned d) const;
  Tensor inputOf(Block const &block, std::size_t g, std::vector<unsigned> &firstInput);
  Tensor weightsOf(Block const &block, std::size_t g);
  ConvTable tableOf(Block const &block, std::vector<std::size_t> const &in,
                    std::vector<std::size_t> const &weights,
                    std::vector<unsigned> const &firstInput) const;
  Tensor const &zeroOf(Tensor const &operand, Tensor &zero);

  ::poplar::Graph &graph_;
  TileJob const &job_;
  ::poplar::DebugContext const &debugContext_;
  bool gathers_;
  std::optional<FlattenedDims> flattened_;
  bool rows_;
  Tensor inZero_, weightsZero_;
};

} // namespace cottonwood::poplin
