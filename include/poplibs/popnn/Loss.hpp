#include <popnn/impl/Config.hpp>
#ifndef POPNN_LOSS_HPP
#define POPNN_LOSS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <utility>

namespace popnn {

enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

// Losses of a batch of model outputs against labels, their gradients, and the count of correct
// answers.
//
// - modelOutputs: [B, C] FLOAT or HALF; for CROSS_ENTROPY_LOSS probabilities (a softmax), times
//   modelOutputScaling.
// - expected: [B] UNSIGNED_INT or INT: the label of each row. MASKED_LABEL_CODE (-1): the row takes
//   no part.
// - loss: [B] of the type of modelOutputs, written.
// - deltas: [B, C] of the type of modelOutputs, written: the gradient with respect to the model's
//   outputs before the softmax, times deltasScale / modelOutputScaling.
// - deltasScale, modelOutputScaling: one element each, FLOAT or HALF.
// - numCorrect: UNSIGNED_INT, one element; the number of rows whose first largest output is at the
//   label is *added*. NaN is passed over: a row of nothing else is not correct.
//
// With h = 1 at the label and 0 elsewhere:
//
// - SUM_SQUARED_LOSS: delta = o - h; loss = sum of delta^2 / 2.
// - CROSS_ENTROPY_LOSS: delta = (s / m) (o - m h); loss = log(m) - log(o[label] + eps).
//
// What is written may lie in what is read; deltas may be modelOutputs themselves. They return the
// program; the caller adds it. All throw poputil::poplibs_error on shapes and types that do not
// fit, and where elements of loss and deltas are constant or the same.

/// \throws poputil::poplibs_error  also for SUM_SQUARED_LOSS, which has no scaling.
POP_API poplar::program::Program
calcLoss(poplar::Graph &graph, poplar::Tensor const &modelOutputs, poplar::Tensor const &expected,
         poplar::Tensor const &loss, poplar::Tensor const &deltas,
         poplar::Tensor const &deltasScale, poplar::Tensor const &modelOutputScaling,
         LossType lossType, poplar::DebugContext const &debugContext = {});
POP_API poplar::program::Program calcLoss(poplar::Graph &graph, poplar::Tensor const &modelOutputs,
                                          poplar::Tensor const &expected,
                                          poplar::Tensor const &loss, poplar::Tensor const &deltas,
                                          LossType lossType,
                                          poplar::DebugContext const &debugContext = {});
POP_API poplar::program::Program calcLoss(poplar::Graph &graph, poplar::Tensor const &modelOutputs,
                                          poplar::Tensor const &expected,
                                          poplar::Tensor const &loss, poplar::Tensor const &deltas,
                                          poplar::Tensor const &deltasScale,
                                          poplar::Tensor const &modelOutputScaling,
                                          poplar::Tensor const &numCorrect, LossType lossType,
                                          poplar::DebugContext const &debugContext = {});
POP_API poplar::program::Program calcLoss(poplar::Graph &graph, poplar::Tensor const &modelOutputs,
                                          poplar::Tensor const &expected,
                                          poplar::Tensor const &loss, poplar::Tensor const &deltas,
                                          poplar::Tensor const &numCorrect, LossType lossType,
                                          poplar::DebugContext const &debugContext = {});

/// Adds the number of correct rows to numCorrect.
POP_API poplar::program::Program calcAccuracy(poplar::Graph &graph,
                                              poplar::Tensor const &modelOutputs,
                                              poplar::Tensor const &expected,
                                              poplar::Tensor const &numCorrect,
                                              poplar::DebugContext const &debugContext = {});

// Where the largest and smallest elements of rows are.
//
// - input: [B, C], any tile mapping.
// - Indices are UNSIGNED_INT. Of equal elements, which -0 and +0 are, the one of the lowest index
//   counts. NaN is above infinity: argMax finds it, argMin finds it in rows of nothing else.
//
// All throw poputil::poplibs_error unless the input has rank 2 and is of a type that is named, and
// poplar::unknown_vertex_type if popops::addCodelets(graph) was forgotten.

/// i[b] = the lowest c with input[b, c] = max over k of input[b, k].
/// \param input  FLOAT, HALF, INT or UNSIGNED_INT.
/// \returns      [B].
/// \throws poputil::poplibs_error  also without columns.
POP_API poplar::Tensor argMax(poplar::Graph &graph, poplar::Tensor const &input,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {});
/// \returns  the largest elements, of the type of the input (a zero is +0), and their indices; [B]
///           each. Else as argMax.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
maxAndArgMax(poplar::Graph &graph, poplar::Tensor const &input, poplar::program::Sequence &prog,
             poplar::DebugContext const &debugContext = {});

/// i[b] = the lowest c with input[b, c] = min over k of input[b, k]. Else as argMax.
POP_API poplar::Tensor argMin(poplar::Graph &graph, poplar::Tensor const &input,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {});
/// \returns  the smallest elements and their indices, as of maxAndArgMax.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
minAndArgMin(poplar::Graph &graph, poplar::Tensor const &input, poplar::program::Sequence &prog,
             poplar::DebugContext const &debugContext = {});

/// The K largest elements of each row, as popops::topK has them, which tells -0 from +0.
/// \param input    FLOAT, HALF, INT, UNSIGNED_INT or BOOL.
/// \param indices  set to a new tensor [B, 1, K]: where the elements were.
/// \param sort     largest first, equal ones in order of index; else in any order.
/// \returns        [B, 1, K] of the type of the input.
/// \throws poputil::poplibs_error  also if K exceeds the number of columns.
POP_API poplar::Tensor topK(poplar::Graph &graph, poplar::Tensor const &input,
                            poplar::Tensor &indices, unsigned K, bool sort,
                            poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {});

} // namespace popnn

#endif
