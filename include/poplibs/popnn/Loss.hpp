#include <popnn/impl/Config.hpp>
#ifndef POPNN_LOSS_HPP
#define POPNN_LOSS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

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
// - deltasScale, modelOutputScaling: one element each, of the type of modelOutputs or FLOAT.
// - numCorrect: UNSIGNED_INT, one element; the number of rows whose largest output is at the label
//   is *added*.
//
// With h = 1 at the label and 0 elsewhere:
//
// - SUM_SQUARED_LOSS: delta = o - h; loss = sum of delta^2 / 2.
// - CROSS_ENTROPY_LOSS: delta = (s / m) (o - m h); loss = log(m) - log(o[label] + eps).
//
// They return the program; the caller adds it. All throw poputil::poplibs_error on shapes and types
// that do not fit.

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

} // namespace popnn

#endif
