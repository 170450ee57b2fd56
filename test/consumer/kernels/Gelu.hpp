// What the program asks of the file that is compiled for every instruction set.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <string>
#include <vector>

/// gelu(a * b + bias).
poplar::Tensor geluProduct(poplar::Graph &graph, const poplar::Tensor &a, const poplar::Tensor &b,
                           const poplar::Tensor &bias, poplar::program::Sequence &prog);

/// The same on plain memory, for a [m, k] and b [k, n].
std::vector<float> geluProduct(const std::vector<float> &a, const std::vector<float> &b,
                               const std::vector<float> &bias, std::size_t m);

/// The instruction set that functors of this file run with.
std::string functorIsa();
