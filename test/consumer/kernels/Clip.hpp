// An elementwise function and a reduction of the program's own.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <vector>

/// min(x, bound) + 1.
poplar::Tensor clip(poplar::Graph &graph, const poplar::Tensor &x, float bound,
                    poplar::program::Sequence &prog);

/// The sum of squares of each row.
poplar::Tensor squares(poplar::Graph &graph, const poplar::Tensor &x,
                       poplar::program::Sequence &prog);

/// Both on plain memory: the sum of squares of the clipped numbers in rows of n.
std::vector<float> clippedSquares(const std::vector<float> &x, float bound, std::size_t n);
