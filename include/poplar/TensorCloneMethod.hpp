// How Graph::clone lays out the storage of a copy.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_TENSORCLONEMETHOD_HPP
#define POPLAR_TENSORCLONEMETHOD_HPP

#include <string>

namespace poplar {

enum class TensorCloneMethod {
  PRESERVE_ORDER_AND_ALIASES, ///< new variables mirror the storage: what was one element stays one
                              ///< element
  CREATE_NEW_ORDER,           ///< one variable in row-major order, without aliases
  PRESERVE_ORDER_UNLESS_ALIASES, ///< the first if the original has no aliases, else the second
  /// per tile, the elements in use there become one contiguous region; aliases are kept
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};

/// How Graph::cloneN arranges its N copies.
enum class TensorCloneDuplicationMethod {
  DUPLICATE_BY_OUTER_DIMENSION,       ///< N clones, concatenated in dimension 0
  DUPLICATE_BY_TILE_CONTIGUOUS_REGION ///< the N copies of each contiguous region of a tile side by
                                      ///< side
};

/// The name of the enumerator.
POP_API std::string toString(TensorCloneMethod const &method);
POP_API std::string toString(TensorCloneDuplicationMethod const &method);

} // namespace poplar

#endif
