#include <popnn/impl/Config.hpp>
#ifndef POPNN_NON_LINEARITY_HPP
#define POPNN_NON_LINEARITY_HPP

#include <popnn/NonLinearityDef.hpp>

#ifndef __POPC__

#include <popnn/NonLinearityDefUtil.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <utility>

// Activation functions on FLOAT and HALF tensors of any shape. Softmax kinds run over the innermost
// dimension, sums in float; few long rows are shared by tiles, and their sums are in the order of
// popops::reduce. nonLinearityScaling becomes the factor that results carry: 62000 for
// SOFTMAX_SCALED, else 1.
//
// All throw poputil::poplibs_error on another element type, a softmax of a tensor of rank 0, and
// in-place forms on a tensor with aliases or constants.

namespace popnn {

POP_API void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                 poplar::Tensor t, poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext = {});
/// Adds vertices to a compute set. \throws poputil::poplibs_error  also for softmax kinds and
/// HARD_SIGMOID.
POP_API void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                 poplar::Tensor t, poplar::ComputeSet &cs,
                                 poplar::DebugContext const &debugContext = {});
POP_API void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                 poplar::Tensor t, float &nonLinearityScaling,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext = {});
POP_API void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                 poplar::Tensor t, float &nonLinearityScaling,
                                 poplar::ComputeSet &cs,
                                 poplar::DebugContext const &debugContext = {});

/// \returns a new tensor laid out as t.
POP_API poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                    poplar::Tensor t, poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                    poplar::Tensor t, float &nonLinearityScaling,
                                    poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext = {});

/// The gradient with respect to the input. \param act  the function's output; its input for GELU,
/// GELU_ERF, SWISH and HARD_SIGMOID. \param outGradient  of the shape of act. The factor of
/// SOFTMAX_SCALED is the caller's business.
POP_API poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph,
                                                 NonLinearityType nonLinearityType,
                                                 poplar::Tensor act, poplar::Tensor outGradient,
                                                 poplar::program::Sequence &prog,
                                                 poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph,
                                                 NonLinearityType nonLinearityType,
                                                 poplar::Tensor act, poplar::Tensor outGradient,
                                                 poplar::ComputeSet &cs,
                                                 poplar::DebugContext const &debugContext = {});

#define DEF_NONLINEARITY_INPLACE(fn, nlType)                                                       \
  inline void fn##InPlace(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog, \
                          poplar::DebugContext const &debugContext = {}) {                         \
    nonLinearityInPlace(graph, nlType, std::move(t), prog, debugContext);                          \
  }                                                                                                \
  inline void fn##InPlace(poplar::Graph &graph, poplar::Tensor t, float &nonLinearityScaling,      \
                          poplar::program::Sequence &prog,                                         \
                          poplar::DebugContext const &debugContext = {}) {                         \
    nonLinearityInPlace(graph, nlType, std::move(t), nonLinearityScaling, prog, debugContext);     \
  }

#define DEF_NONLINEARITY_(fn, nlType)                                                              \
  inline poplar::Tensor fn(poplar::Graph &graph, poplar::Tensor t,                                 \
                           poplar::program::Sequence &prog,                                        \
                           poplar::DebugContext const &debugContext = {}) {                        \
    return nonLinearity(graph, nlType, std::move(t), prog, debugContext);                          \
  }                                                                                                \
  inline poplar::Tensor fn(poplar::Graph &graph, poplar::Tensor t, float &nonLinearityScaling,     \
                           poplar::program::Sequence &prog,                                        \
                           poplar::DebugContext const &debugContext = {}) {                        \
    return nonLinearity(graph, nlType, std::move(t), nonLinearityScaling, prog, debugContext);     \
  }

#define DEF_NONLINEARITY(fn, nlType)                                                               \
  DEF_NONLINEARITY_INPLACE(fn, nlType)                                                             \
  DEF_NONLINEARITY_(fn, nlType)

DEF_NONLINEARITY(sigmoid, NonLinearityType::SIGMOID)
DEF_NONLINEARITY(relu, NonLinearityType::RELU)
DEF_NONLINEARITY(tanh, NonLinearityType::TANH)
DEF_NONLINEARITY(gelu, NonLinearityType::GELU)
DEF_NONLINEARITY(geluErf, NonLinearityType::GELU_ERF)
DEF_NONLINEARITY(swish, NonLinearityType::SWISH)
DEF_NONLINEARITY(softmax, NonLinearityType::SOFTMAX)
DEF_NONLINEARITY(softmaxStable, NonLinearityType::SOFTMAX_STABLE)
DEF_NONLINEARITY(scaledSoftmaxStable, NonLinearityType::SOFTMAX_SCALED)

} // namespace popnn

#endif // __POPC__

#endif
