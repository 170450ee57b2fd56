#include <poplin/impl/Config.hpp>
#ifndef POPLIN_MULTI_CONVOLUTION_HPP
#define POPLIN_MULTI_CONVOLUTION_HPP

#include <poplin/Convolution.hpp>

#include <string>
#include <vector>

// Several independent convolutions at once, with the results of the functions of Convolution.hpp,
// in the order of the arguments. Each has its own options, those of a convolution. The options of
// the whole are
//   planType              parallel|serial (parallel)
//   perConvReservedTiles  integer from 0 (50)
//   cycleBackOff          number from 0 (0.1)
// On tiles of an IPU, convolutions run side by side where that takes fewer cycles: the largest is
// planned on the tiles that the others leave it, at least perConvReservedTiles each, and all are
// planned anew on as few tiles as its cycles, and cycleBackOff of them more for each other
// convolution, allow. If they do not fit, or with planType serial, or on CPUs, they run one after
// another, each on all tiles or threads. Operands made by createInput and createWeights with the
// same list and options lie as the plans want them.
//
// All throw as the functions of Convolution.hpp do, and poputil::poplibs_error if options
// insertTransformsCycleCountProgs of the convolutions differ.

namespace poplin {
namespace multiconv {

struct POP_API CreateTensorArgs {
  ConvParams params;
  poplar::OptionFlags options;
  std::string name;
};

/// The weights, or the input, of args[index].
/// \throws poputil::poplibs_error  there is no such element.
POP_API poplar::Tensor createWeights(poplar::Graph &graph,
                                     std::vector<CreateTensorArgs> const &args,
                                     unsigned weightsIndex, poplar::OptionFlags const &options = {},
                                     poplin::PlanningCache *cache = nullptr);
POP_API poplar::Tensor createInput(poplar::Graph &graph, std::vector<CreateTensorArgs> const &args,
                                   unsigned inputIndex, poplar::OptionFlags const &options = {},
                                   poplin::PlanningCache *cache = nullptr);

struct POP_API ConvolutionArgs {
  poplar::Tensor inputs;
  poplar::Tensor weights;
  ConvParams params;
  poplar::OptionFlags options;
};

/// Makes args[i].weights, laid out for args[i].params, from weightsIn[i]: with channels exchanged
/// and every dimension of the kernel reversed.
/// \throws poputil::poplibs_error  the lists differ in length.
POP_API void weightsTransposeChansFlipXY(poplar::Graph &graph, std::vector<ConvolutionArgs> &args,
                                         std::vector<poplar::Tensor> const &weightsIn,
                                         poplar::program::Sequence &prog,
                                         poplar::OptionFlags const &options,
                                         poplar::DebugContext const &debugContext,
                                         poplin::PlanningCache *cache);

POP_API std::vector<poplar::Tensor>
convolution(poplar::Graph &graph, std::vector<ConvolutionArgs> const &args,
            bool transposeAndFlipWeights, poplar::program::Sequence &prog,
            poplar::DebugContext const &debugContext = {}, poplar::OptionFlags const &options = {},
            poplin::PlanningCache *cache = nullptr);

struct POP_API CalculateWeightDeltasArgs {
  poplar::Tensor zDeltas;
  poplar::Tensor activations;
  ConvParams params;
  poplar::OptionFlags options;
};

POP_API std::vector<poplar::Tensor> calculateWeightDeltas(
    poplar::Graph &graph, std::vector<CalculateWeightDeltasArgs> const &args,
    poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},
    poplar::OptionFlags const &options = {}, poplin::PlanningCache *cache = nullptr);

struct POP_API ConvWeightUpdateArgs {
  poplar::Tensor zDeltas;
  poplar::Tensor weights;
  poplar::Tensor activations;
  poplar::Tensor scale;
  ConvParams params;
  poplar::OptionFlags options;
};

struct POP_API ConvWeightUpdateArgsScalar {
  poplar::Tensor zDeltas;
  poplar::Tensor weights;
  poplar::Tensor activations;
  float scale;
  ConvParams params;
  poplar::OptionFlags options;
};

/// \throws poputil::poplibs_error  input and output types of params differ.
POP_API void convolutionWeightUpdate(poplar::Graph &graph,
                                     std::vector<ConvWeightUpdateArgs> const &args,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext = {},
                                     poplar::OptionFlags const &options = {},
                                     poplin::PlanningCache *cache = nullptr);
POP_API void convolutionWeightUpdate(poplar::Graph &graph,
                                     std::vector<ConvWeightUpdateArgsScalar> const &args,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext = {},
                                     poplar::OptionFlags const &options = {},
                                     poplin::PlanningCache *cache = nullptr);

} // namespace multiconv
} // namespace poplin

#endif
