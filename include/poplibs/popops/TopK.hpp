#include <popops/impl/Config.hpp>
#ifndef POPOPS_TOP_K_HPP
#define POPOPS_TOP_K_HPP

#include <popops/SortOrder.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <iosfwd>
#include <utility>
#include <vector>

// The k largest or smallest elements along the innermost dimension.
//
// Keys and values are FLOAT, HALF, INT or UNSIGNED_INT. Of floating numbers -0 is below +0, and NaN
// is above infinity. Ties are always in order of index, and of elements that tie for the last place
// those of lower index are taken; so results do not depend on tiles or threads.
//
// All throw poputil::poplibs_error when k exceeds the innermost dimension, the rank is 0, or a type
// is none of those above. Without rows or with k = 0 the results are empty.

namespace popops {

struct POP_API TopKParams {
  unsigned k;
  bool largest;
  /// NONE: in any order; if k is the whole dimension, in that of the input.
  SortOrder sortOrder;
  /// Ties in ascending order of index: they are so in any case.
  bool stableSort;

  TopKParams(unsigned k, bool largest, SortOrder sortOrder, bool stableSort = false) noexcept;
};

/// Writes the fields, for messages.
POP_API std::ostream &operator<<(std::ostream &os, TopKParams const &p);

/// An input for topK, mapped as suits it: whole rows to tiles if there are rows enough.
/// \throws poputil::poplibs_error  the shape is empty, or as above.
POP_API poplar::Tensor createTopKInput(poplar::Graph &graph, poplar::Type const &type,
                                       std::vector<std::size_t> const &shape,
                                       TopKParams const &params,
                                       poplar::DebugContext const &debugContext = {});

/// \param t  [..., N].
/// \returns  [..., k]: the elements.
POP_API poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog,
                            poplar::Tensor const &t, TopKParams const &params,
                            poplar::DebugContext const &debugContext = {});

/// \param keys    [..., N].
/// \param values  of the shape of keys, of any of the types.
/// \returns  keys and the values at their places, [..., k] each.
/// \throws poputil::poplibs_error  also for other shapes of values, and for stableSort with an
/// order.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog, poplar::Tensor const &keys,
             poplar::Tensor const &values, TopKParams const &params,
             poplar::DebugContext const &debugContext = {});

/// \param t  [..., N].
/// \returns  elements and their indices in the innermost dimension, UNSIGNED_INT, [..., k] each.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog, poplar::Tensor const &t,
                    TopKParams const &params, poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
