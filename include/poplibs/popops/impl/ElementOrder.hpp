// In which order vertices go through the elements of tensors of one shape; shared by all operations
// that run over elements.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace cottonwood::popops {

/// The dimensions of a shape, cut into factors, in another order. Blocked layouts, such as
/// [C / 16, N, H, W, 16] of activations [N, C, H, W], are orders of this kind.
class POP_API ElementOrder {
public:
  using Tensor = ::poplar::Tensor;

  struct Factor {
    unsigned dim;     ///< that it is a factor of
    std::size_t size; ///< how many steps it takes
    std::size_t step; ///< what index a step adds in that dimension
    friend bool operator==(Factor const &, Factor const &) = default;
  };

  ElementOrder() = default;
  /// \param factors  from the outermost on; those of one dimension multiply to its size.
  explicit ElementOrder(std::vector<Factor> factors);

  std::vector<Factor> const &factors() const { return factors_; }
  std::vector<std::size_t> shape() const;
  /// The factors as dimensions. \param t  dimensions are those of the shape or 1; leading ones may
  /// be missing.
  Tensor ordered(Tensor const &t) const;
  Tensor flat(Tensor const &t) const { return ordered(t).flatten(); }
  /// The shape again of a tensor whose dimensions are the factors.
  Tensor restored(Tensor const &ordered) const;

  friend bool operator==(ElementOrder const &a, ElementOrder const &b) {
    return a.factors_ == b.factors_;
  }

private:
  std::vector<Factor> factors_;
  std::vector<unsigned> rowMajor_; ///< the factors in the order of dimensions
  std::vector<unsigned> permutation_;
  unsigned rank_ = 0;
};

/// The order of memory: on one tile a permutation of dimensions, if `t` is contiguous in one; on
/// several that of storage, if the view is one block of it, or that of its first block if the whole
/// lies in fewer pieces so. Else the order of `t` itself.
POP_API POP_INLINE ElementOrder elementOrder(::poplar::Graph const &graph,
                                             ::poplar::Tensor const &t);

/// The same for vertices that go through `out` and operands. On several tiles: that order of one of
/// them in which tiles copy least to lay together what their vertices use.
/// \param inPlace  vertices read `out` as well
POP_API POP_INLINE ElementOrder elementOrder(::poplar::Graph const &graph,
                                             ::poplar::Tensor const &out,
                                             std::vector<::poplar::Tensor> const &operands,
                                             bool inPlace);

} // namespace cottonwood::popops
