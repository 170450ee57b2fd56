// From typed expressions over tensors to vertices.
#pragma once

#include <popops/impl/ElementWiseTiles.hpp>
#include <popops/impl/MapTerm.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace cottonwood::popops {

/// What the options of elementwise functions say.
struct MapOptions {
  bool simplify = true; ///< rewrite expressions
  bool expandBroadcasts =
      false; ///< broadcast operands as gathered views instead of patterns of the vertex
  planner::Constraints plan; ///< of the plan on several tiles; no option sets them
};

/// \throws poputil::poplibs_error  `out` has not the shape and type of an elementwise function's
///         result, or cannot be written in parallel.
POP_INLINE void checkMapOutput(char const *where, std::vector<std::size_t> const &shape,
                               ::poplar::Type const &type, ::poplar::Tensor const &out);

/// A new tensor for the result, laid out as one of the operands.
POP_INLINE ::poplar::Tensor newMapResult(::poplar::Graph &graph,
                                         std::vector<::poplar::Tensor> const &operands,
                                         std::vector<std::size_t> const &shape,
                                         ::poplar::Type const &type,
                                         ::poplar::DebugContext const &debugContext);

/// Emits terms over one list of tensors. All terms run in one compute set and read the tensors'
/// contents from before it.
class POP_API MapEmitter {
public:
  /// \param where  the function that users called, for messages.
  MapEmitter(char const *where, ::poplar::Graph &graph, std::vector<::poplar::Tensor> tensors,
             ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext,
             MapOptions options = {});
  /// Adds vertices to a given compute set. Only for terms that fit in one vertex, and outputs that
  /// do not overlap operands unless they are operands.
  MapEmitter(char const *where, ::poplar::Graph &graph, std::vector<::poplar::Tensor> tensors,
             ::poplar::ComputeSet cs, ::poplar::DebugContext const &debugContext);

  /// A new tensor that will hold the term's value.
  ::poplar::Tensor evaluate(Term term);
  /// Writes the term's value to `out`, which may be one of the tensors or overlap some of them.
  /// \throws poputil::poplibs_error  the shape or type of `out` is not that of the value.
  void evaluateTo(Term term, ::poplar::Tensor const &out);
  /// Several at once: no output is written before all values are known.
  /// \param names  what the list of outputs is called: "outs"
  /// \throws poputil::poplibs_error  outputs share elements, or as above.
  void evaluateTo(std::vector<Term> terms, std::vector<::poplar::Tensor> const &outs,
                  char const *names);
  /// Appends to the sequence: one compute set (after those for parts of very large terms), then
  /// copies.
  void finish();

  /// What was planned last on several tiles, if anything.
  std::optional<TileMapJob> const &lastJob() const { return job_; }

private:
  std::vector<std::size_t> shapeOf(Term const &term) const;
  void checkOutput(Term const &term, std::vector<std::size_t> const &shape,
                   ::poplar::Tensor const &out) const;
  ::poplar::Tensor newTensor(Term const &term, std::vector<std::size_t> const &shape);
  /// Whether writing `out` element by element could change what the terms read.
  bool disturbs(::poplar::Tensor const &out, Term const &term) const;
  /// Takes parts out of a term until it fits into one vertex program.
  void fit(Term &term);
  /// The term's value into `out` of its shape, directly.
  /// \param isNew  nobody has seen `out`: it may be mapped anew
  void emit(Term term, ::poplar::Tensor const &out, bool isNew = false);
  void emitVertices(Term const &term, ::poplar::Tensor const &out, bool isNew);
  /// A part of a term is computed before the rest.
  void replaceByTensor(Term &part);
  // In MapWide.ipp
  void separateWide(Term &term);
  void emitWide(Term const &term, ::poplar::Tensor const &out);
  void emitWideConstant(Term const &term, ::poplar::Tensor const &out);
  void emitWideCast(Term const &term, ::poplar::Tensor const &out);

  char const *where_;
  ::poplar::Graph &graph_;
  std::vector<::poplar::Tensor> tensors_;
  ::poplar::program::Sequence *prog_;
  ::poplar::DebugContext const &debugContext_;
  MapOptions options_;
  ::poplar::ComputeSet set_;
  bool hasSet_ = false;
  std::optional<TileMapJob> job_;
  std::vector<::poplar::program::Copy> copies_; ///< of tensors into new ones
  std::vector<::poplar::program::Copy>
      results_; ///< of new tensors to where they belong, after all others
};

} // namespace cottonwood::popops
