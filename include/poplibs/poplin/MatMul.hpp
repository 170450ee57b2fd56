#include <poplin/impl/Config.hpp>
#ifndef POPLIN_MAT_MUL_HPP
#define POPLIN_MAT_MUL_HPP

#include <poplin/Convolution.hpp>
#include <poplin/PlanningCache.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <iosfwd>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

// Products of matrices:
//     C[i, j] = sum over p of A[i, p] * B[p, j]               A [m, k], B [k, n], C [m, n]
// and, in functions with Grouped in their name, g independent ones: A [g, m, k], B [g, k, n],
// C [g, m, n]. A and B are FLOAT, HALF or QUARTER, both of one type; C is FLOAT or HALF, and HALF
// for QUARTER (Convolution.hpp says how that is multiplied). Any size may be 0: k = 0 gives zeros.
//
// Operands may be any views: transposed (B.transpose()), sliced, broadcast, of constants. On a CPU
// a view with constant strides is read in place, any other is copied first. NaN and infinity
// propagate as in the formula. Sums are FLOAT. On a CPU the result does not depend on the number of
// threads or cores (how exact it is: docs/accuracy.md); on tiles the sum over p may be split, as
// the plan says.
//
// Results are mapped as createMatMulOutput maps them. Temporaries: on tiles the blocks that
// vertices read and, if the sum is split, partial results; on a CPU packed blocks of the operands.
//
// Options
//   availableMemoryProportion  number from 0 (0.6)  share of a tile's memory for temporaries: the
//                              fastest plan within it is taken; within twice of it if there is
//                              none; else, and for 0, the one with the least temporaries
//   partialsType               float|half (float)   type of partial results between vertices; not
//                              smaller than the result's. On a CPU sums stay float; with half, one
//                              with AMX leaves out less than 2^-16 of each product of halves, one
//                              with AVX512-FP16 alone adds up to 64 of them in half before, in
//                              products of 24 rows, 24 columns and 48 values of k or more
//   planConstraints            JSON object ("")     fields that the plan must have, of splitG,
//                              splitM, splitN, splitK; on a CPU method, rows, depth, packA, packB,
//                              columns, panelsA, too. Or the same JSON as of convolutions, see
//                              docs/planning.md
//   planning                   estimate|measure (estimate)   on a CPU: whether plans are tried out,
//                              see Wisdom.hpp (an option of this library alone)
//   fullyConnectedPass         NONE|INFERENCE_FWD|TRAINING_FWD|TRAINING_BWD|TRAINING_WU (NONE)
//                              on tiles, the three products of TRAINING are planned together
//   use128BitConvUnitLoad      true|false (false)  on tiles: weights are loaded at twice the rate,
//                              from interleaved memory
//   enableMultiStageReduce     true|false (true)   on tiles: partial results may be added in stages
//   useOperandMapping          true|false (false)  ours, on tiles: plans count what moves from
//                              where operands are mapped; not in training
//   inputRHSIsPreArranged, enableFastReduce, remapOutputTensor, gatherOutput,
//   disableSRForAMPVertices    true|false
//                              accepted and checked; plans do not depend on these
// A key or value that is not one of these: poplar::invalid_option.
//
// All throw poputil::poplibs_error on operands of other ranks or types, or whose sizes do not fit,
// and on planConstraints that no plan satisfies.

namespace poplin {

/// C = A * B as a new tensor [m, n] of type outputType (by default A's type, or HALF for QUARTER).
POP_API poplar::Tensor matMul(poplar::Graph &graph, poplar::Tensor const &A,
                              poplar::Tensor const &B, poplar::program::Sequence &prog,
                              poplar::Type const &outputType,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {},
                              PlanningCache *cache = nullptr);
POP_API poplar::Tensor matMul(poplar::Graph &graph, poplar::Tensor const &A,
                              poplar::Tensor const &B, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {},
                              PlanningCache *cache = nullptr);
/// C = A * B into out [m, n], which may be any view that vertices can write and may overlap A or B.
/// Elements of `out` that are mapped to no tile get mapped.
POP_API void matMulWithOutput(poplar::Graph &graph, poplar::Tensor const &A_,
                              poplar::Tensor const &B_, poplar::Tensor &out,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options_ = {},
                              PlanningCache *cache = nullptr);

/// C = A * B as a new tensor [g, m, n] of type outputType (by default A's type, or HALF for
/// QUARTER).
POP_API poplar::Tensor matMulGrouped(poplar::Graph &graph, poplar::Tensor const &A,
                                     poplar::Tensor const &B, poplar::program::Sequence &prog,
                                     poplar::Type const &outputType,
                                     poplar::DebugContext const &debugContext = {},
                                     poplar::OptionFlags const &options = {},
                                     PlanningCache *cache = nullptr);
/// C = A * B into out [g, m, n], as matMulWithOutput does.
POP_API void matMulGroupedWithOutput(poplar::Graph &graph, poplar::Tensor const &A_,
                                     poplar::Tensor const &B_, poplar::Tensor &out,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext = {},
                                     poplar::OptionFlags const &options_ = {},
                                     PlanningCache *cache = nullptr);

/// C += k * A * B in place, C [m, n]. The product is computed in C's type and then added.
/// \param k  a number, or a tensor of one element of A's type.
POP_API void matMulAcc(poplar::Graph &graph, poplar::Tensor const &C, float k,
                       poplar::Tensor const &A, poplar::Tensor const &B,
                       poplar::program::Sequence &prog,
                       poplar::DebugContext const &debugContext = {},
                       poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr);
POP_API void matMulAcc(poplar::Graph &graph, poplar::Tensor const &C, poplar::Tensor const &k,
                       poplar::Tensor const &A, poplar::Tensor const &B,
                       poplar::program::Sequence &prog,
                       poplar::DebugContext const &debugContext = {},
                       poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr);
/// The same for C [g, m, n].
POP_API void matMulGroupedAcc(poplar::Graph &graph, poplar::Tensor const &C, float k,
                              poplar::Tensor const &A, poplar::Tensor const &B,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {},
                              PlanningCache *cache = nullptr);
POP_API void matMulGroupedAcc(poplar::Graph &graph, poplar::Tensor const &C,
                              poplar::Tensor const &k, poplar::Tensor const &A,
                              poplar::Tensor const &B, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &options = {},
                              PlanningCache *cache = nullptr);

/// A new tensor for A, of type inputType and shape aShape: each element is mapped to one of the
/// tiles that read it in the product that has these shapes, types and options.
POP_API poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, poplar::Type const &inputType,
                                            poplar::Type const &outputType,
                                            std::vector<std::size_t> const &aShape,
                                            std::vector<std::size_t> const &bShape,
                                            poplar::DebugContext const &debugContext,
                                            poplar::OptionFlags const &options = {},
                                            PlanningCache *cache = nullptr);
/// Both types are dataType; the result is HALF for QUARTER.
POP_API poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, poplar::Type const &dataType,
                                            std::vector<std::size_t> const &aShape,
                                            std::vector<std::size_t> const &bShape,
                                            poplar::DebugContext const &debugContext,
                                            poplar::OptionFlags const &options = {},
                                            PlanningCache *cache = nullptr);
POP_API poplar::Tensor createMatMulGroupedInputLHS(
    poplar::Graph &graph, poplar::Type const &inputType, poplar::Type const &outputType,
    std::vector<std::size_t> const &aShape, std::vector<std::size_t> const &bShape,
    poplar::DebugContext const &debugContext, poplar::OptionFlags const &options = {},
    PlanningCache *cache = nullptr);

/// The same for B, of shape bShape. On a CPU a large B is a view of a variable whose panels of
/// columns the kernels read without packing; it reads, writes and copies like any tensor, but
/// products with its transpose or with parts that begin inside a panel first copy it. With
/// fullyConnectedPass TRAINING_*, where other passes read the same B transposed, and for small
/// products it lies row by row.
POP_API poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, poplar::Type const &inputType,
                                            poplar::Type const &outputType,
                                            std::vector<std::size_t> const &aShape,
                                            std::vector<std::size_t> const &bShape,
                                            poplar::DebugContext const &debugContext,
                                            poplar::OptionFlags const &options = {},
                                            PlanningCache *cache = nullptr);
POP_API poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, poplar::Type const &dataType,
                                            std::vector<std::size_t> const &aShape,
                                            std::vector<std::size_t> const &bShape,
                                            poplar::DebugContext const &debugContext,
                                            poplar::OptionFlags const &options = {},
                                            PlanningCache *cache = nullptr);
POP_API poplar::Tensor createMatMulGroupedInputRHS(
    poplar::Graph &graph, poplar::Type const &inputType, poplar::Type const &outputType,
    std::vector<std::size_t> const &aShape, std::vector<std::size_t> const &bShape,
    poplar::DebugContext const &debugContext, poplar::OptionFlags const &options = {},
    PlanningCache *cache = nullptr);

/// A new tensor for the result, of type outputType and shape [m, n] or [g, m, n]: each element is
/// mapped to the tile that computes it.
POP_API poplar::Tensor
createMatMulOutput(poplar::Graph &graph, poplar::Type const &inputType,
                   poplar::Type const &outputType, std::vector<std::size_t> const &aShape,
                   std::vector<std::size_t> const &bShape, poplar::DebugContext const &debugContext,
                   poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr);
POP_API poplar::Tensor createMatMulOutput(poplar::Graph &graph, poplar::Type const &dataType,
                                          std::vector<std::size_t> const &aShape,
                                          std::vector<std::size_t> const &bShape,
                                          poplar::DebugContext const &debugContext,
                                          poplar::OptionFlags const &options = {},
                                          PlanningCache *cache = nullptr);
POP_API poplar::Tensor
createMatMulGroupedOutput(poplar::Graph &graph, poplar::Type const &inputType,
                          poplar::Type const &outputType, std::vector<std::size_t> const &aShape,
                          std::vector<std::size_t> const &bShape,
                          poplar::DebugContext const &debugContext,
                          poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr);

/// A copy of B, laid out as createMatMulInputRHS lays it out. outputType: by default B's type, or
/// HALF for QUARTER.
POP_API poplar::Tensor
preArrangeMatMulInputRHS(poplar::Graph &graph, std::vector<std::size_t> const &aShape,
                         poplar::Tensor const &B, poplar::program::Sequence &prog,
                         poplar::Type const &outputType,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr);
POP_API poplar::Tensor
preArrangeMatMulInputRHS(poplar::Graph &graph, std::vector<std::size_t> const &aShape,
                         poplar::Tensor const &B, poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext = {},
                         poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr);
POP_API poplar::Tensor preArrangeMatMulGroupedInputRHS(
    poplar::Graph &graph, std::vector<std::size_t> const &aShape, poplar::Tensor const &B,
    poplar::program::Sequence &prog, poplar::Type const &outputType,
    poplar::DebugContext const &debugContext = {}, poplar::OptionFlags const &options = {},
    PlanningCache *cache = nullptr);

/// out[x, j, i] = A[x, i, j]: a view.
POP_API poplar::Tensor transposeGroupedMatrix(poplar::Tensor const &A);

/// Writes the plan of a product of contiguous operands: the problem, the plan, its estimated cost
/// and every candidate with its cost or the reason why it was refused.
POP_API void matMulReportPlan(std::ostream &out, poplar::Graph const &graph,
                              poplar::Type const &inputType, poplar::Type const &outputType,
                              std::vector<std::size_t> const &aShape,
                              std::vector<std::size_t> const &bShape,
                              poplar::OptionFlags const &options = {},
                              PlanningCache *cache = nullptr);
POP_API void matMulGroupedReportPlan(std::ostream &out, poplar::Graph const &graph,
                                     poplar::Type const &inputType, poplar::Type const &outputType,
                                     std::vector<std::size_t> const &aShape,
                                     std::vector<std::size_t> const &bShape,
                                     poplar::OptionFlags const &options = {},
                                     PlanningCache *cache = nullptr);

/// A product without its operands. Shapes have rank 3: [g, m, k] and [g, k, n]; or rank 2.
struct POP_API MatMulParams {
  poplar::Type inputType;
  poplar::Type outputType;
  std::vector<std::size_t> aShape;
  std::vector<std::size_t> bShape;
  friend POP_API bool operator<(MatMulParams const &a, MatMulParams const &b);
};

/// The pointers must not be null.
using MatMulPlanParams =
    std::tuple<const poplar::Target *, const MatMulParams, const poplar::OptionFlags *>;

using MatMulToConvOptions = std::unordered_map<const poplar::OptionFlags *, poplar::OptionFlags>;

/// Every product as a convolution over a field of one place: the rows of A are the batch, its
/// columns the input channels, the columns of B the output channels. The map gets the options of
/// those convolutions, which the result points to; planConstraints are those of products and are
/// left out.
POP_API std::set<ConvPlanParams> matMulGetConvPlanParams(std::set<MatMulPlanParams> const &matmuls,
                                                         MatMulToConvOptions &matmulToConvOpts);

/// Plans products in advance. cache.size() grows by the number of different ones that were not in
/// the cache.
POP_API void preplanMatMuls(std::set<MatMulPlanParams> const &matmuls,
                            matmul::PlanningCache &cache);

/// \throws poplar::invalid_option  an unknown key, or a value that it does not allow.
POP_API void matmulValidateOptions(poplar::OptionFlags const &options);

} // namespace poplin

#endif
