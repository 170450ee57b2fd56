#include <popops/impl/Config.hpp>
#ifndef POPOPS_PAD_HPP
#define POPOPS_PAD_HPP

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

// Padding: paddingLower[d] elements before and paddingUpper[d] after those of dimension d. A
// negative number takes as many elements away. The result is a view: what is not padding aliases t.
//
// All throw poputil::poplibs_error when a vector's length is not the rank, a dimension is out of
// range, or more is taken away than there is: lower + size < 0, upper + size < 0 or lower + upper +
// size < 0.

namespace popops {

namespace padding {

/// Padding made of the tensor's own elements.
enum class Type {
  EDGE,   ///< the first or last element, repeated: a a [a b c] c c
  REFLECT ///< mirrored at the first or last element, which is not repeated: c b [a b c] b a
};

/// Where constant padding lives.
enum class MappingMethod {
  NONE, ///< nowhere: the caller maps it
  ZERO, ///< on tile 0
  EDGE  ///< where the nearest slice of t lives
};

} // namespace padding

/// Pads with a constant of the type of t.
/// \throws poputil::poplibs_error  MappingMethod::EDGE for a dimension of size 0.
POP_API poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                           std::vector<std::ptrdiff_t> const &paddingLower,
                           std::vector<std::ptrdiff_t> const &paddingUpper, float val = 0.0f,
                           padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
POP_API poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                           std::vector<std::ptrdiff_t> const &paddingLower,
                           std::vector<std::ptrdiff_t> const &paddingUpper, int val,
                           padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
/// Pads with one element of the type of t, which the padding aliases. The mapping method is used
/// only if `val` is not mapped yet; for EDGE it then goes to the tile of the first element of t.
/// \throws poputil::poplibs_error  `val` has not one element, or another type than t.
POP_API poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                           std::vector<std::ptrdiff_t> const &paddingLower,
                           std::vector<std::ptrdiff_t> const &paddingUpper,
                           poplar::Tensor const &val,
                           padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);

// The same for one dimension.
POP_API poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                           std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
                           float val = 0.0f,
                           padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
POP_API poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                           std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
                           int val,
                           padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
POP_API poplar::Tensor pad(poplar::Graph &graph, poplar::Tensor const &t,
                           std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
                           poplar::Tensor const &val,
                           padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);

/// Pads with elements of t, dimension after dimension from the first: REFLECT in the second sees
/// what was padded in the first.
/// \throws poputil::poplibs_error  EDGE for a dimension of size 0; REFLECT by the size of the
/// dimension or more.
POP_API poplar::Tensor pad(poplar::Tensor const &t, std::vector<std::ptrdiff_t> const &paddingLower,
                           std::vector<std::ptrdiff_t> const &paddingUpper, padding::Type type);
POP_API poplar::Tensor pad(poplar::Tensor const &t, std::ptrdiff_t paddingLower,
                           std::ptrdiff_t paddingUpper, unsigned dim, padding::Type type);

} // namespace popops

#endif
