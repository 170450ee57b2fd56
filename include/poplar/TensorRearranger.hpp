// A fixed order of the elements of tensors, made by Graph::getSimplifyingRearranger.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_TENSORREARRANGER_HPP
#define POPLAR_TENSORREARRANGER_HPP

#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>
#include <utility>
#include <vector>

namespace cottonwood {
namespace graph {
struct Rearrangement; // impl/graph/StorageOrder.ipp
} // namespace graph
} // namespace cottonwood

namespace poplar {

/// A permutation p of the flat indices of the tensor it was made from, which puts that tensor's
/// elements into the order of storage. It serves all tensors of as many elements. A cheap value; a
/// default-constructed one is not valid(), and all else throws poplar_error.
class POP_API TensorRearranger {
public:
  TensorRearranger() = default;
  explicit TensorRearranger(
      std::shared_ptr<cottonwood::graph::Rearrangement const> rearrangement) noexcept
      : rearrangement_(std::move(rearrangement)) {}

  /// [n], out[i] = t.flatten()[p(i)]. \throws poplar_error  another number of elements.
  Tensor rearrange(Tensor const &t) const;
  /// [n], out[p(i)] = t.flatten()[i]. \throws poplar_error  another number of elements.
  Tensor undoRearrangement(Tensor const &t) const;
  /// Where the elements of these flat indices are after rearrange(): ascending, merged intervals.
  /// \throws index_error  an index is out of range.
  std::vector<Interval> rearrange(ArrayRef<Interval> is) const;
  /// Where the elements of these indices are after undoRearrangement().
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> is) const;
  bool valid() const noexcept { return rearrangement_ != nullptr; }

private:
  std::shared_ptr<cottonwood::graph::Rearrangement const> rearrangement_;
};

} // namespace poplar

#endif
