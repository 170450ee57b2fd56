// Elementwise functions of applications, without the functors' types.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <poplar/impl/codelet/Codelet.hpp>

#include <span>
#include <string>
#include <vector>

namespace cottonwood::popops {

using ::poplar::Tensor;

/// A functor with what its type says.
struct MapFunctorJob {
  char const *where;                 ///< the function that was called, for messages
  std::string suffix;                ///< of its vertices' names: ",float,bool,_4Gelu>"
  std::vector<unsigned> words;       ///< its bytes
  std::vector<::poplar::Type> kinds; ///< of its operands; FLOAT stands for float and half
  ::poplar::Type resultKind;
  std::span<codelet::Codelet const> codelets; ///< its vertices
};

/// \param outType  of the result; an invalid type: what the kinds say.
/// \throws poputil::poplibs_error  operands or an outType that do not fit.
POP_API Tensor mapWithFunctor(::poplar::Graph &graph, MapFunctorJob const &job,
                              std::vector<Tensor> const &operands, ::poplar::Type const &outType,
                              ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext);
/// Into `out`, which may overlap operands.
POP_API void mapWithFunctorTo(::poplar::Graph &graph, MapFunctorJob const &job,
                              std::vector<Tensor> const &operands, Tensor const &out,
                              ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::popops
