// Huber's loss and the root of the mean square of its gradient, written in two ways.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

struct Losses {
  poplar::Tensor
      loss; ///< of every element: d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2)
  poplar::Tensor rms; ///< of every row: sqrt(mean of min(|d|, delta)^2)
};

/// One functor and one reduction of the program's own: they are in Loss.cpp.
/// \param x, y  [rows, columns]; d = x - y
Losses ownLosses(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &y,
                 float delta, poplar::program::Sequence &prog);

/// The same as expressions and reductions of popops.
Losses popopsLosses(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &y,
                    float delta, poplar::program::Sequence &prog);
