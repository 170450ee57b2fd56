#include <popops/impl/Config.hpp>
#ifndef POPOPS_REDUCE_HPP
#define POPOPS_REDUCE_HPP

#include <popops/Operation.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <string>
#include <vector>

// Reductions over dimensions:
//
//     out[kept] = scale * (op over all reduced indices of in[kept, reduced])  (+ out[kept])
//
// The last term is there when updating. SQUARE_ADD adds squares, LOG_ADD is log(sum(exp(in)))
// (there the scale is added, and updating is a LOG_ADD too).
//
// Types of input and output:
//
// - ADD, SQUARE_ADD, MUL: float and half to float or half, int to int, unsigned to unsigned.
// - LOG_ADD: float and half to float or half.
// - MIN, MAX: float, half, int, unsigned to themselves.
// - LOGICAL_AND, LOGICAL_OR: bool.
//
// HALF input is accumulated in float. Without elements the result is the identity of the operation.
//
// MIN, MAX (but for the sign of a zero), the logical operations and operations on integers give the
// same in any order. Sums and products of floats round, and not in the order of a simple loop:
//
// - On a CPU the order is a function of the shape and of the order in which dimensions of the input
//   lie in memory. Results do not depend on the number of threads.
// - On several tiles it is a function of the plan, which also depends on the number of tiles and on
//   where input and output lie on them: with another tile mapping, or views in another order, a
//   result may be rounded otherwise. A program computes the same in every run.
//
// Options: accumType.interTile and accumType.inVertex (float|half): the type of partial results
// between the stages and inside them; default float for ADD, SQUARE_ADD, MUL and LOG_ADD, else the
// output type. A type smaller than the output's is ignored; POPLIBS_POPOPS_LOG_LEVEL=WARN tells.
//
// All throw poputil::poplibs_error on a dimension out of range, types not listed above, a scale
// that is not one FLOAT element or an operation that does not take one, LOG_ADD of fewer than two
// elements, and outputs with aliases or constants.

namespace popops {

struct POP_API ReduceParams {
  ReduceParams() = default;
  ReduceParams(popops::Operation op, bool update = false);
  /// \param scale  FLOAT, one element. Only for ADD, SQUARE_ADD and LOG_ADD, as is `update`.
  ReduceParams(popops::Operation op, bool update, poplar::Tensor scale);
  /// A constant scale must be given as a tensor.
  ReduceParams(popops::Operation op, float constantScale, bool update = false) = delete;

  popops::Operation op;
  bool update;
  bool useScale;
  poplar::Tensor scale;
};

/// Removes the dimensions `dims` of `in`. \returns a new tensor of type outType (by default the
/// type of `in`).
POP_API poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                              poplar::Type const &outType, std::vector<std::size_t> const &dims,
                              ReduceParams params, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {});
POP_API poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                              std::vector<std::size_t> const &dims, ReduceParams params,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {});

/// Writes to `out`, whose shape is that of the result up to dimensions of size 1. Elements of `out`
/// that are mapped to no tile get mapped. The input and the scale may overlap `out`.
POP_API void reduceWithOutput(poplar::Graph &graph, poplar::Tensor const &in,
                              poplar::Tensor const &out, std::vector<std::size_t> const &dims,
                              ReduceParams params, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {});

// Older forms: vertices are added to css[0], css[1], ..., new compute sets are appended as needed,
// and the caller executes them in order. Several reductions given the same vector run side by side.
POP_API poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                              poplar::Type const &outType, std::vector<std::size_t> const &dims,
                              ReduceParams params, std::vector<poplar::ComputeSet> &css,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {});
POP_API poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                              std::vector<std::size_t> const &dims, ReduceParams params,
                              std::vector<poplar::ComputeSet> &css,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {});
POP_API void reduceWithOutput(poplar::Graph &graph, poplar::Tensor const &in,
                              poplar::Tensor const &out, std::vector<std::size_t> const &dims,
                              ReduceParams params, std::vector<poplar::ComputeSet> &css,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {});

/// One reduction of reduceMany.
struct POP_API SingleReduceOp {
  poplar::Tensor in;
  std::vector<std::size_t> dims;
  ReduceParams params;
  bool useOutType; ///< false: the type of `in`
  poplar::Type outType;
  std::string debugName;

  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims, ReduceParams params,
                 poplar::Type outType, std::string debugName = "");
  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims, ReduceParams params,
                 std::string debugName = "");
};

/// Several reductions side by side: as few steps as the deepest of them needs. Inputs and scales
/// may overlap outputs.
///
/// \param outputs  empty: filled with new tensors; else one a reduction, written, and of type
///        outType where that is given; they share no elements. Left as they are by what throws.
POP_API void reduceMany(poplar::Graph &graph, std::vector<SingleReduceOp> const &reductions,
                        std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext = {},
                        poplar::OptionFlags const &options = {});

} // namespace popops

#endif
