// Index vectors of gathers and scatters.
#pragma once

#include <popops/impl/SliceLayout.hpp>

namespace cottonwood::popops::detail {

struct IndexVectors {
  Tensor offsets; ///< [N, elements of a vector] UNSIGNED_INT
  Sizes batch;    ///< the shape of the N vectors
};

/// \param numDims, dimsName  what each element of a vector belongs to
/// \throws poputil::poplibs_error  indices not INT or UNSIGNED_INT; another number of elements
POP_API POP_INLINE IndexVectors indexVectors(char const *where, Tensor const &indices,
                                             std::size_t indexVectorDim, std::size_t numDims,
                                             char const *dimsName);

/// \throws poputil::poplibs_error  a dimension out of range, or named twice
POP_API POP_INLINE void checkOperandDims(char const *where, char const *name, Sizes const &shape,
                                         std::vector<unsigned> const &dims);

/// \throws poputil::poplibs_error  a dimension not below `rank`, or not above the one before it
POP_API POP_INLINE void checkAscending(char const *where, char const *name, Sizes const &dims,
                                       std::size_t rank);

} // namespace cottonwood::popops::detail
