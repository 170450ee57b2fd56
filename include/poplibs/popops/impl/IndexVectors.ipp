#pragma once

#include <popops/impl/IndexVectors.hpp>
#include <popops/impl/SliceCall.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

POP_INLINE IndexVectors indexVectors(char const *where, Tensor const &indices,
                                     std::size_t indexVectorDim, std::size_t numDims,
                                     char const *dimsName) {
  using ::poputil::poplibs_error;
  Tensor vectors = unsignedOffsets(where, "indices", indices);
  if (indexVectorDim > vectors.rank())
    base::fail<poplibs_error>(
        where, "indexVectorDim ", indexVectorDim, " is out of range for 'indices' of shape ",
        base::shapeText(vectors.shape()), "; it must be at most ", vectors.rank());
  if (indexVectorDim == vectors.rank())
    vectors = vectors.expand({indexVectorDim});
  vectors = vectors.dimRoll(static_cast<unsigned>(indexVectorDim), vectors.rank() - 1);
  Sizes batch = vectors.shape();
  std::size_t const elements = batch.back();
  batch.pop_back();
  if (elements != numDims)
    base::fail<poplibs_error>(where, "index vectors have ", elements, " elements and ", dimsName,
                              " ", numDims, "; they must have as many");
  return {vectors.reshape({poputil::product(batch), elements}), batch};
}

POP_INLINE void checkOperandDims(char const *where, char const *name, Sizes const &shape,
                                 std::vector<unsigned> const &dims) {
  using ::poputil::poplibs_error;
  for (std::size_t k = 0; k != dims.size(); ++k) {
    if (dims[k] >= shape.size())
      base::fail<poplibs_error>(where, name, "[", k, "] = ", dims[k], " is out of range for shape ",
                                base::shapeText(shape), "; it must be below ", shape.size());
    if (std::find(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(k), dims[k]) !=
        dims.begin() + static_cast<std::ptrdiff_t>(k))
      base::fail<poplibs_error>(where, name, " names dimension ", dims[k], " twice");
  }
}

POP_INLINE void checkAscending(char const *where, char const *name, Sizes const &dims,
                               std::size_t rank) {
  using ::poputil::poplibs_error;
  for (std::size_t k = 0; k != dims.size(); ++k)
    if (dims[k] >= rank || (k != 0 && dims[k] <= dims[k - 1]))
      base::fail<poplibs_error>(where, name, " is ", base::shapeText(dims),
                                "; it must be ascending and below ", rank);
}

} // namespace cottonwood::popops::detail
