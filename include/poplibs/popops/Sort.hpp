#include <popops/impl/Config.hpp>
#ifndef POPOPS_SORT_HPP
#define POPOPS_SORT_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

// Ascending sorts along one dimension, by the order of <popops/TopK.hpp>, which is the newer
// interface. Types are FLOAT, HALF, INT and UNSIGNED_INT.
//
// All throw poputil::poplibs_error on a dimension out of range, other types, or keys and values of
// different shapes.

namespace popops {

/// \returns  a new tensor with the elements of t sorted along `dim`.
POP_API poplar::Tensor sort(poplar::Graph &graph, poplar::Tensor const &t, unsigned dim,
                            poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {});
POP_API void sortInPlace(poplar::Graph &graph, poplar::Tensor const &t, unsigned dim,
                         poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext = {});

/// \returns  a new tensor with the elements of v in the order that sorts k along `dim`.
POP_API poplar::Tensor sortKeyValue(poplar::Graph &graph, poplar::Tensor const &k,
                                    poplar::Tensor const &v, unsigned dim,
                                    poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext = {});
/// Sorts k, and v in the same way.
/// \throws poputil::poplibs_error  k and v differ and share elements.
POP_API void sortKeyValueInPlace(poplar::Graph &graph, poplar::Tensor const &k,
                                 poplar::Tensor const &v, unsigned dim,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
