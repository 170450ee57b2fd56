#include <popops/impl/Config.hpp>
#ifndef POPOPS_CIRC_BUF_HPP
#define POPOPS_CIRC_BUF_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <vector>

namespace popops {

/// The last `size` tensors that were added, the oldest giving way to the newest. Their contents are
/// undefined until as many have been added.
class POP_API CircBuf {
public:
  /// \param size   of the history, at least 1
  /// \param shape  of each tensor
  /// \throws poputil::poplibs_error  size is 0
  CircBuf(poplar::Graph &graph, poplar::Type dataType, unsigned size,
          std::vector<std::size_t> const &shape, poplar::DebugContext const &debugContext = {});

  /// A new tensor of `shape` with the contents of the one added i adds before the last.
  /// \throws poputil::poplibs_error  i is not below size()
  poplar::Tensor prev(unsigned i, poplar::program::Sequence &seq,
                      poplar::DebugContext const &debugContext = {});

  /// Adds t as the newest. \throws poputil::poplibs_error  t has another shape or type
  void add(poplar::Tensor t, poplar::program::Sequence &seq,
           poplar::DebugContext const &debugContext = {});

  /// [1] UNSIGNED_INT: where the newest is; 0 at first.
  poplar::Tensor getIndex() const;
  unsigned size() const;
  /// Of a tensor that is best added, and of what prev() returns.
  poplar::Graph::TileToTensorMapping getTileMapping();

private:
  poplar::Graph &graph_;
  unsigned size_;
  std::vector<std::size_t> shape_;
  poplar::Tensor index_; ///< [1]
  poplar::Tensor hist_;  ///< [size] + shape
};

} // namespace popops

#endif
