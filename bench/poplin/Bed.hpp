// A graph that computes one problem.
#pragma once

#include <bench/race/Problem.hpp>

#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <string>
#include <vector>

namespace cottonwood::bench {

/// Operands are written through the handles "a" and "b", the result is read through "c", all
/// row-major. `arrange` runs once after they were written, `once` computes the problem.
struct Bed {
  poplar::Device device = poplar::Device::createCPUDevice();
  poplar::Graph graph{device.getTarget()};
  poplar::program::Sequence arrange, once;

  poplar::Type typeOf(bool half) const { return half ? poplar::HALF : poplar::FLOAT; }
  /// A row-major variable.
  poplar::Tensor plain(poplar::Type const &type, std::vector<std::size_t> const &shape,
                       char const *name);
};

/// Operands are plain; a constant B is arranged by preArrangeMatMulInputRHS.
void build(Bed &bed, Product const &product, poplar::OptionFlags options = {});
/// Tensors are those of createInput, createWeights and so on, or plain ones as the problem wants.
void build(Bed &bed, Conv const &conv, poplar::OptionFlags const &options = {});
/// Tensors are plain.
void build(Bed &bed, ArrayOp const &op, poplar::OptionFlags const &options = {});

/// What the library reports about its plan.
std::string planReportOf(Product const &product, poplar::OptionFlags const &options);
std::string planReportOf(Conv const &conv, poplar::OptionFlags const &options);
std::string planReportOf(ArrayOp const &op, poplar::OptionFlags const &options); ///< nothing

} // namespace cottonwood::bench
