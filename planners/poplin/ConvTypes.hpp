// A convolution as planners see it: the problem and the plan.
#pragma once

#include "MatMulTypes.hpp"

#include <codelets/poplin/ConvCost.hpp>
#include <codelets/poplin/WinogradCost.hpp>

#include <array>

namespace cottonwood::planner {

/// One dimension of the field, with its transforms.
struct ConvFieldDim {
  std::uint64_t outputs = 1, taps = 1, inputs = 1;
  std::uint64_t products = 1; ///< pairs of an output and a tap that meet an input
  friend bool operator==(ConvFieldDim const &, ConvFieldDim const &) = default;
};

/// Sizes of a convolution; all above 0. Planned dimensions of the field are the first two; `rest`
/// is the product of the others.
struct ConvProblem {
  static constexpr std::string_view NAME = "conv-problem";
  std::uint64_t g = 1, b = 1, n = 1, i = 1; ///< groups, batch, output and input channels of a group
  std::array<ConvFieldDim, 2> field;
  ConvFieldDim rest;
  std::uint64_t lastOutputs = 1, lastTaps = 1; ///< of the last dimension of the field
  MatMulType input = MatMulType::FLOAT, output = MatMulType::FLOAT, partials = MatMulType::FLOAT;
  /// On CPUs: the most outputs in each dimension of a block of Winograd's minimal filtering, 2 or
  /// 4, which the options allow and whose taps and strides fit; else 0.
  std::uint32_t winograd = 0;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("g", self.g);
    visit("b", self.b);
    visit("n", self.n);
    visit("i", self.i);
    visit("outputs0", self.field[0].outputs);
    visit("outputs1", self.field[1].outputs);
    visit("outputs", self.rest.outputs);
    visit("taps0", self.field[0].taps);
    visit("taps1", self.field[1].taps);
    visit("taps", self.rest.taps);
    visit("lastOutputs", self.lastOutputs);
    visit("lastTaps", self.lastTaps);
    visit("inputs0", self.field[0].inputs);
    visit("inputs1", self.field[1].inputs);
    visit("inputs", self.rest.inputs);
    visit("products0", self.field[0].products);
    visit("products1", self.field[1].products);
    visit("products", self.rest.products);
    visit("input", self.input);
    visit("output", self.output);
    visit("partials", self.partials);
    visit("winograd", self.winograd);
  }
  friend bool operator==(ConvProblem const &, ConvProblem const &) = default;

  std::uint64_t taps() const { return field[0].taps * field[1].taps * rest.taps; }
  std::uint64_t products() const { return field[0].products * field[1].products * rest.products; }
  std::uint64_t outputs() const { return field[0].outputs * field[1].outputs * rest.outputs; }
};

/// How a convolution is cut into vertices. Parts are equal but for the last: part i of s takes the
/// sizes [i * ceil(n / s), ...).
struct ConvPlan {
  static constexpr std::string_view NAME = "conv";
  std::uint64_t splitG = 1, splitB = 1, splitN = 1;
  std::uint64_t splitY0 = 1, splitY1 = 1; ///< outputs in the first two dimensions of the field
  std::uint64_t splitI = 1, splitK0 = 1;  ///< above 1: partial results are added. 1 on CPUs
  std::uint64_t otherSplits = 1;          ///< what constraints may ask for and no plan has: 1
  std::uint32_t depth = 0, enough = 0, pixels = 0;               ///< on CPUs: ConvBlocking
  kernels::MatMulMethod method = kernels::MatMulMethod::BLOCKED; ///< on CPUs
  std::uint32_t setRows = kernels::ConvBlocking().setRows;       ///< on CPUs
  std::uint32_t copyBytes = kernels::ConvBlocking().copyBytes;   ///< on CPUs
  std::uint32_t columns = kernels::ConvBlocking().columns;       ///< on CPUs
  /// On CPUs, 1: an input whose channels do not lie side by side is copied so that they do.
  std::uint32_t packIn = 0;
  /// On CPUs: outputs in each dimension of a block of Winograd's minimal filtering, with `pixels`
  /// blocks at a time; 0: the sums themselves.
  std::uint32_t winograd = 0;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("splitG", self.splitG);
    visit("splitB", self.splitB);
    visit("splitN", self.splitN);
    visit("splitY0", self.splitY0);
    visit("splitY1", self.splitY1);
    visit("splitI", self.splitI);
    visit("splitK0", self.splitK0);
    visit("otherSplits", self.otherSplits);
    visit("depth", self.depth);
    visit("enough", self.enough);
    visit("pixels", self.pixels);
    visit("method", self.method);
    visit("setRows", self.setRows);
    visit("copyBytes", self.copyBytes);
    visit("columns", self.columns);
    visit("packIn", self.packIn);
    visit("winograd", self.winograd);
  }
  friend bool operator==(ConvPlan const &, ConvPlan const &) = default;

  kernels::ConvBlocking blocking() const {
    return {depth, enough, pixels, method, setRows, copyBytes, columns};
  }
  std::uint64_t parts() const {
    return splitG * splitB * splitN * splitY0 * splitY1 * splitI * splitK0;
  }
};

/// A plan with its reasons.
struct ConvChoice {
  ConvPlan plan; ///< on CPUs
  Cost cost;
  std::string explanation; ///< one line a candidate
  TileChoice tiles = {};   ///< on IPUs
};

} // namespace cottonwood::planner
