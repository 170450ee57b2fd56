#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_BROADCAST_HPP
#define POPUTIL_BROADCAST_HPP

#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace poputil {

/// Gives the tensor of lower rank leading dimensions of size 1, until the ranks are equal.
POP_API void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b);

/// Makes `a` a view of the given shape by numpy's rules: leading dimensions of size 1 are added,
/// then every dimension of size 1 is repeated as often as needed. \throws poplibs_error  the shapes
/// do not fit.
POP_API void broadcastToMatch(poplar::Tensor &a, std::vector<std::size_t> const &shape);

/// Makes both views of their common shape by numpy's rules. \throws poplibs_error  the shapes do
/// not fit.
POP_API void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b);
POP_API void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c);

/// Whether broadcastToMatch(a, b) would succeed.
POP_API bool canBroadcastToMatch(poplar::Tensor const &a, poplar::Tensor const &b);

} // namespace poputil

#endif
