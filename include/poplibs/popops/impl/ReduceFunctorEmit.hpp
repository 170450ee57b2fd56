// Reductions of applications, without the reductions' types.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <poplar/impl/codelet/Codelet.hpp>

#include <span>
#include <string>
#include <vector>

namespace cottonwood::popops {

/// A reduction of the application without its type.
struct ReduceFunctorJob {
  char const *where;           ///< the function that was called, for messages
  std::string name;            ///< of its type, as in the names of its vertices
  std::vector<unsigned> words; ///< its bytes
  ::poplar::Type kind;         ///< of its partial results
  std::span<codelet::Codelet const> codelets;
};

/// Removes the dimensions `dims` of `in` by a reduction of the application: a new tensor of type
/// `outType`, or `out` if that is valid.
/// \throws poputil::poplibs_error  types, dims or an output that do not fit.
POP_API ::poplar::Tensor
reduceWithFunctor(::poplar::Graph &graph, ReduceFunctorJob const &functor,
                  ::poplar::Tensor const &in, ::poplar::Type const &outType,
                  ::poplar::Tensor const &out, std::vector<std::size_t> const &dims,
                  ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::popops
