// Products and convolutions whose sums pass through an epilogue.
#pragma once

#include <codelets/arch/Isa.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/PlanningCache.hpp>

#include <poplar/impl/codelet/Codelet.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cottonwood::poplin {

using ::poplar::Tensor;

/// An epilogue without its type.
struct EpilogueJob {
  std::string name;            ///< of its type, as in the names of its vertices
  std::vector<unsigned> words; ///< the functor's bytes
  std::vector<Tensor> operands;
  /// Its vertices, to be made known to the graph; none if those are among the built-in ones.
  std::span<codelet::Codelet const> codelets;
  std::size_t wanted = 0; ///< number of operands, for the largest index that it was seen to read
};

/// The operands of an epilogue as views of the result's shape, [groups, rows, columns].
using EpilogueViews = std::vector<Tensor>;

/// \param shape  [m, n] or [g, m, n]; operands are broadcast to it as NumPy does.
/// \throws poputil::poplibs_error  operands that do not fit, or too many of them.
POP_API EpilogueViews productOperands(char const *where, EpilogueJob const &epilogue,
                                      std::vector<std::size_t> const &shape);
/// \param shape  [N, channels, ...field]; operands of rank 1 belong to the channels, others are
///               broadcast to it. \returns  views [1, N * field, channels]
POP_API EpilogueViews convOperands(char const *where, EpilogueJob const &epilogue,
                                   std::vector<std::size_t> const &shape);

/// "poplin::MatMulWith<float,half,_4Gelu>"
POP_API std::string epilogueVertex(char const *name, ::poplar::Type const &in,
                                   ::poplar::Type const &out, EpilogueJob const &epilogue);

/// Fills the fields of vertices for CPUs that belong to an epilogue. The operands are read in place
/// where they can be, else copied first.
class EpilogueEmitter {
public:
  /// \param written  what the vertices write
  EpilogueEmitter(::poplar::Graph &graph, EpilogueJob const &epilogue, EpilogueViews const &views,
                  Tensor const &written, ::poplar::program::Sequence &prog,
                  ::poplar::DebugContext const &debugContext);

  void setFields(::poplar::VertexRef const &v, std::vector<unsigned> const &place) const;

private:
  ::poplar::Graph &graph_;
  EpilogueJob const &epilogue_;
  std::vector<Tensor> floats_, halves_;
  std::vector<long long> numbers_;
};

/// out = epilogue(sums), element by element, on the tiles that hold `out`; all of shape
/// [groups, rows, columns].
POP_API void emitFinish(::poplar::Graph &graph, EpilogueJob const &epilogue,
                        EpilogueViews const &views, Tensor const &sums, Tensor const &out,
                        ::poplar::program::Sequence &prog,
                        ::poplar::DebugContext const &debugContext);

/// poplin::matMul or matMulGrouped with an epilogue; into `out` if that is valid.
struct EpilogueProduct {
  char const *where;
  bool grouped;
  Tensor a, b, out;
  ::poplar::Type outputType;
};
POP_API Tensor matMulWithEpilogue(::poplar::Graph &graph, EpilogueProduct const &product,
                                  EpilogueJob const &epilogue, ::poplar::program::Sequence &prog,
                                  ::poplar::DebugContext const &debugContext,
                                  ::poplar::OptionFlags const &options,
                                  ::poplin::PlanningCache *cache);

/// poplin::convolution with an epilogue; into `out` if that is valid.
struct EpilogueConvolution {
  char const *where;
  Tensor in, weights, out;
  ::poplin::ConvParams const &params;
  bool transposeAndFlipWeights;
};
POP_API Tensor convolutionWithEpilogue(::poplar::Graph &graph, EpilogueConvolution const &conv,
                                       EpilogueJob const &epilogue,
                                       ::poplar::program::Sequence &prog,
                                       ::poplar::DebugContext const &debugContext,
                                       ::poplar::OptionFlags const &options,
                                       ::poplin::PlanningCache *cache);

} // namespace cottonwood::poplin
