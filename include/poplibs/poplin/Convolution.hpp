#include <poplin/impl/Config.hpp>
#ifndef POPLIN_CONVOLUTION_HPP
#define POPLIN_CONVOLUTION_HPP

#include <poplin/ConvParams.hpp>
#include <poplin/PlanningCache.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

// Convolutions as ConvParams.hpp defines them.
//     activations  [batch, groups * input channels of a group, ...field]
//     output       [batch, groups * output channels of a group, ...output field]
//     weights      [groups, output channels of a group, input channels of a group, ...kernel]
//     biases       [output channels]
// Input and weights are FLOAT, HALF or QUARTER, of params.inputType; results are of
// params.outputType, FLOAT or HALF, and HALF for QUARTER, whose metadata may differ between the two
// operands and are read when the program runs. Any size may be 0; without products the result is
// zero. There are at most 8 dimensions of the field.
//
// QUARTER: tiles with units for 8-bit floats (Target::getFp8InFp16OutConvUnitsPerTile() is not 0)
// multiply them as they are, with HALF partial results; for other tiles and for CPUs both operands
// are cast to FLOAT first, which holds them exactly.
//
// Operands may be any views. Those that createInput and createWeights make are laid out and mapped
// as the plan wants them; others with constant strides are read in place on a CPU, or copied first.
// Sums are FLOAT; products with padding are left out. On a CPU the result does not depend on the
// number of threads or cores; on tiles sums may be split, as the plan says.
//
// Options
//   availableMemoryProportion  number from 0 (0.6)  share of a tile's memory for temporaries: the
//                              fastest plan within it is taken; within twice of it if there is
//                              none; else, and for 0, the one with the least temporaries
//   partialsType               float|half (float)   type of partial results between vertices
//   partialsType.interTile     float|half (partialsType)  the same, for those between tiles; not
//                              smaller than the result's
//   pass NONE|NONE_MATMUL|INFERENCE_FWD|TRAINING_FWD|TRAINING_BWD|TRAINING_WU|
//                              FC_INFERENCE_FWD|FC_TRAINING_FWD|FC_TRAINING_BWD|FC_TRAINING_WU
//                              (NONE)
//   planConstraints            JSON object ({})  "0": {"partition": {"convGroupSplit": n,
//                              "batchSplit": n, "fieldSplit": {"0": n, ...}, "kernelSplit":
//                              {"0": n, ...}, "inChanSplit": {"parallel": n, "serial": n},
//                              "outChanSplit": {"parallel": n, "serial": n}}} forces the number of
//                              parts. On tiles "transform", "method" and groups of channels are
//                              forced, too (docs/planning.md); on CPUs they are checked
//   planConstraintsOutputFilename text ("")  on tiles: the plan is written to this file as such
//                              JSON, with _FWD, _BWD or _WU in training and .json behind it
//   use128BitConvUnitLoad      true|false (false)  on tiles: weights are loaded at twice the rate,
//                              from interleaved memory
//   enableMultiStageReduce     true|false (true)   on tiles: partial results may be added in stages
//   planning                   estimate|measure (estimate)  of our own, for CPUs: see Wisdom.hpp
//   useOperandMapping          true|false (false)  ours, on tiles: plans count what moves from
//                              where operands are mapped; not in training
//   winograd                   none|2x2|4x4 (none)  of our own, for CPUs: kernels of 3 x 3 with
//                              strides of 1 may be computed by Winograd's minimal filtering in
//                              blocks of up to so many outputs, where that takes fewer operations:
//                              1.7 (2x2) to 3 (4x4) times as fast, with other rounding: errors
//                              count from the largest products of a block instead of those of one
//                              sum, and an infinity may become NaN (docs/accuracy.md)
//   partialsType.interIPU float|half, enableFastReduce, remapOutputTensor, enableConvDithering,
//   disableTransformations, insertTransformsCycleCountProgs, experimental.convTransformsEstimates,
//   gatherConvOutput, experimental.slicVmac16, disableSRForAMPVertices, enableTileLevelExpandDims
//                              true|false: accepted and checked; plans do not depend on these and
//                              on pass
// A key or value that is not one of these: poplar::invalid_option.
//
// All throw poputil::poplibs_error on params that are not valid, on tensors of other shapes or
// types than the params say, and on planConstraints that no plan satisfies.

namespace poplin {

/// Floating point operations, two a product; products with padding do not count. The gradients have
/// as many.
POP_API std::uint64_t getFwdFlops(ConvParams const &params);
POP_API std::uint64_t getBwdFlops(ConvParams const &params);
POP_API std::uint64_t getWuFlops(ConvParams const &params);

/// Cycles of the target's tiles if nothing but products took time.
POP_API double getFwdPerfectCycleCount(poplar::Graph const &graph, ConvParams const &params);
POP_API double getBwdPerfectCycleCount(poplar::Graph const &graph, ConvParams const &params);
POP_API double getWuPerfectCycleCount(poplar::Graph const &graph, ConvParams const &params);

/// New tensors for weights, input or output, laid out and mapped as the plan wants them.
POP_API poplar::Tensor createWeights(poplar::Graph &graph, ConvParams const &params,
                                     poplar::DebugContext const &debugContext = {},
                                     poplar::OptionFlags const &options = {},
                                     PlanningCache *cache = nullptr);
POP_API poplar::Tensor createInput(poplar::Graph &graph, ConvParams const &params,
                                   poplar::DebugContext const &debugContext = {},
                                   poplar::OptionFlags const &options = {},
                                   PlanningCache *cache = nullptr);
POP_API poplar::Tensor createConvOutput(poplar::Graph &graph, ConvParams const &params,
                                        poplar::DebugContext const &debugContext = {},
                                        poplar::OptionFlags const &options = {},
                                        PlanningCache *cache = nullptr);

/// A new tensor [C] of the type of activations [N, C, ...], mapped linearly.
POP_API poplar::Tensor createBiases(poplar::Graph &graph, poplar::Tensor const &activations,
                                    poplar::DebugContext const &debugContext = {"biases"});
/// The same for activations that are the output of a convolution.
POP_API poplar::Tensor createBiases(poplar::Graph &graph, poplar::Tensor const &activations,
                                    ConvParams const &params,
                                    poplar::DebugContext const &debugContext = {"biases"},
                                    poplar::OptionFlags const &options = {},
                                    PlanningCache *cache = nullptr);

/// The convolution of in and weights as a new tensor. On CPUs channels are best last, as
/// createInput() lays them out. Where the field is last, as in row-major tensors, kernels of one
/// element are read and written as well if it has at least 256 elements, and groups of one channel
/// if it has lines of at least 16. Others are copied.
/// \param transposeAndFlipWeights  weights are those of a forward convolution, [groups, its output
///        channels, its input channels, ...kernel]: they are read with channels exchanged and every
///        dimension of the kernel reversed, as params of getGradientParams want them.
POP_API poplar::Tensor convolution(poplar::Graph &graph, poplar::Tensor const &in,
                                   poplar::Tensor const &weights, ConvParams const &params,
                                   bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext = {},
                                   poplar::OptionFlags const &options = {},
                                   PlanningCache *cache = nullptr);
/// The same into out, which may be any view that vertices can write and may overlap the operands.
/// Elements of `out` that are mapped to no tile get mapped.
POP_API void convolutionWithOutput(poplar::Graph &graph, poplar::Tensor const &in,
                                   poplar::Tensor const &weights, poplar::Tensor const &out,
                                   ConvParams const &params, bool transposeAndFlipWeights,
                                   poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext = {},
                                   poplar::OptionFlags const &options = {},
                                   PlanningCache *cache = nullptr);

/// The pointers must not be null.
using ConvPlanParams =
    std::tuple<const poplar::Target *, const ConvParams, const poplar::OptionFlags *>;

/// Plans convolutions in advance. cache.size() grows by the number of different ones that were not
/// in the cache.
POP_API void preplanConvolutions(std::set<ConvPlanParams> const &convs, PlanningCache &cache);
POP_API void preplanConvolutions(poplar::Graph &graph, std::set<ConvPlanParams> const &convs,
                                 PlanningCache &cache);

/// weightsOut[g, i, o, k] = weightsIn[g, o, i, reversed k]. Metadata of weightsOut, of type
/// QUARTER, become those of weightsIn; where they are constant, weights are rounded to them.
/// \param weightsIn   [groups, O, I, ...kernel]
/// \param weightsOut  [groups, I, O, ...kernel]
POP_API void weightsTransposeChansFlipXY(poplar::Graph &graph, poplar::Tensor const &weightsIn,
                                         poplar::Tensor const &weightsOut,
                                         poplar::program::Sequence &prog,
                                         poplar::DebugContext const &debugContext = {},
                                         poplar::OptionFlags const &options = {});

/// The gradient of the weights of a forward convolution: for each the sum, over the batch and all
/// outputs, of the input it was multiplied by and the output's gradient. Of params.outputType.
/// \param zDeltas      the output's gradient
/// \param activations  the forward input
/// \param params       of the forward convolution
POP_API poplar::Tensor calculateWeightDeltas(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                             poplar::Tensor const &activations,
                                             ConvParams const &params,
                                             poplar::program::Sequence &prog,
                                             poplar::DebugContext const &debugContext = {},
                                             poplar::OptionFlags const &options = {},
                                             PlanningCache *cache = nullptr);

/// weights += scale * gradient, in place. The gradient is rounded to the input's type first.
/// \param scale  a number, or a tensor of one element
POP_API void convolutionWeightUpdate(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                     poplar::Tensor const &weights,
                                     poplar::Tensor const &activations, ConvParams params,
                                     poplar::Tensor const &scale, poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext = {},
                                     poplar::OptionFlags const &options = {},
                                     PlanningCache *cache = nullptr);
POP_API void convolutionWeightUpdate(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                     poplar::Tensor const &weights,
                                     poplar::Tensor const &activations, ConvParams params,
                                     float scale, poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext = {},
                                     poplar::OptionFlags const &options = {},
                                     PlanningCache *cache = nullptr);

/// biases[c] += scale * sum over n and the field of zDeltas[n, c, ...], in place.
/// \param scale    a number, or a FLOAT tensor of one element
/// \param options  those of convolutions: they are checked and have no effect
POP_API void convolutionBiasUpdate(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                   poplar::Tensor const &biases, poplar::Tensor const &scale,
                                   poplar::OptionFlags const &options,
                                   poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext = {});
POP_API void convolutionBiasUpdate(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                   poplar::Tensor const &biases, float scale,
                                   poplar::OptionFlags const &options,
                                   poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext = {});

/// in[n, c, ...] += biases[c], in place.
POP_API void addBias(poplar::Graph &graph, poplar::Tensor const &in, poplar::Tensor const &biases,
                     poplar::program::Sequence &prog,
                     poplar::DebugContext const &debugContext = {});

/// Writes the plan: the problem, the plan, its estimated cost and the candidates. Of a kernel of
/// one element on a CPU these are a product's, for channels that are last.
POP_API void reportPlanInfo(std::ostream &out, poplar::Graph const &graph, ConvParams const &params,
                            poplar::OptionFlags const &options = {},
                            PlanningCache *cache = nullptr);
/// The same for the convolution that gives the weights' gradient.
POP_API void reportWeightUpdatePlanInfo(std::ostream &out, poplar::Graph const &graph,
                                        ConvParams const &fwdParams,
                                        poplar::OptionFlags const &fwdOptions = {},
                                        PlanningCache *cache = nullptr);

/// What a plan is estimated to take: cycles, and bytes of temporaries on a tile.
struct PlanCosts {
  static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
  std::size_t cycles;
  std::size_t memory;
};

POP_API PlanCosts reportPlanEstimatedCosts(poplar::Graph const &graph, ConvParams const &params,
                                           poplar::OptionFlags const &options = {},
                                           PlanningCache *cache = nullptr);

namespace internal {

/// The cost of a plan by its steps. Steps that our plans do not have cost nothing.
struct DetailedPlanCosts {
  std::size_t parallelSplit = 1;
  std::size_t serialSplit = 1;
  PlanCosts broadcast = {};
  PlanCosts rearrangement = {};
  PlanCosts dynamicSlice = {};
  PlanCosts transform = {};
  PlanCosts exchange = {};
  PlanCosts tileLevelTransform = {};
  PlanCosts inputsCast = {};
  PlanCosts compute = {};
  PlanCosts reduction = {};
  PlanCosts dynamicUpdate = {};
  PlanCosts addInPlace = {};
  PlanCosts outputCast = {};
  PlanCosts total = {};

  /// fn(cost) for every step in order, or for those only that a serial split repeats.
  template <typename Function>
  void apply(Function fn, bool includeTotal = true, bool serialSplitOnly = false) const {
    applyTo(*this, fn, includeTotal, serialSplitOnly);
  }
  template <typename Function>
  void apply(Function fn, bool includeTotal = true, bool serialSplitOnly = false) {
    applyTo(*this, fn, includeTotal, serialSplitOnly);
  }

private:
  template <typename Self, typename Function>
  static void applyTo(Self &self, Function &fn, bool includeTotal, bool serialSplitOnly) {
    if (!serialSplitOnly) {
      fn(self.broadcast);
      fn(self.rearrangement);
    }
    fn(self.dynamicSlice);
    fn(self.transform);
    fn(self.exchange);
    fn(self.tileLevelTransform);
    fn(self.inputsCast);
    fn(self.compute);
    fn(self.reduction);
    fn(self.dynamicUpdate);
    fn(self.addInPlace);
    if (!serialSplitOnly)
      fn(self.outputCast);
    if (includeTotal)
      fn(self.total);
  }
};

/// A JSON object on one line, with the names of the members; a cost is an object of cycles and
/// memory, an unknown number is null. Reading it throws poputil::poplibs_error on other texts.
POP_API std::ostream &operator<<(std::ostream &os, DetailedPlanCosts const &c);
POP_API std::istream &operator>>(std::istream &is, DetailedPlanCosts &c);

POP_API DetailedPlanCosts reportDetailedPlanEstimatedCosts(poplar::Graph const &graph,
                                                           ConvParams const &params,
                                                           poplar::OptionFlags const &options = {},
                                                           PlanningCache *cache = nullptr);

} // namespace internal

/// Weights of a convolution over one dimension, as a fully connected layer has them, with input and
/// output channels exchanged, laid out as createWeights does for the params of the backward pass.
POP_API poplar::Tensor fullyConnectedWeightTranspose(poplar::Graph &graph, poplar::Tensor weights,
                                                     ConvParams const &params,
                                                     poplar::program::Sequence &prog,
                                                     poplar::DebugContext const &debugContext = {},
                                                     poplar::OptionFlags const &options = {},
                                                     PlanningCache *cache = nullptr);

/// \throws poplar::invalid_option  an unknown key, or a value that it does not allow.
POP_API void convolutionValidateOptions(poplar::OptionFlags const &options);

} // namespace poplin

#endif
