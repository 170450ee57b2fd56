#pragma once

#include <codelets/poplin/ActiveKernels.hpp>
#include <planners/poplin/ConvCpu.hpp>
#include <poplin/Kernels.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/RawConv.hpp>
#include <poplin/impl/RawParts.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Half.hpp>

#include <numeric>

namespace cottonwood::poplin {

POP_INLINE RawConv::RawConv(::poplin::ConvParams const &params, unsigned threads)
    : check_(checkConv("poplin::kernels::Convolution", params)),
      channels_(convolvesChannels(check_) && check_.problem.i == 1),
      threads_(threads == 0 ? base::threadBackend().numThreads() : threads) {
  placeOperands(RawWeights::ROWS);
  if (check_.isTrivial())
    return;
  model::Machine machine;
  machine.cpu = model::cpuFacts();
  planner::MatMulCpu cpu = detail::cpuOf(machine);
  cpu.threads = threads_;
  auto const plan = planner::planConvCpu(check_.problem, cpu).plan;
  blocking_ = plan.blocking();
  addParts(plan);
}

POP_INLINE RawConv::RawConv(ConvCheck const &check, unsigned threads, planner::ConvPlan const &plan,
                            RawWeights weights)
    : check_(check), blocking_(plan.blocking()),
      channels_(convolvesChannels(check_) && check_.problem.i == 1), threads_(threads) {
  placeOperands(weights);
  addParts(plan);
}

POP_INLINE void RawConv::placeOperands(RawWeights weights) {
  auto const at = [](std::size_t x) { return static_cast<std::ptrdiff_t>(x); };
  auto const dims = static_cast<unsigned>(check_.params.getNumFieldDims());
  std::ptrdiff_t stride = at(inChannels());
  inStrides_.resize(dims + 1);
  for (unsigned d = dims; d-- > 0;) {
    inStrides_[d + 1] = stride;
    stride *= at(check_.params.inputFieldShape[d]);
  }
  inStrides_[0] = stride;
  constexpr std::size_t STRIP = kernels::MATMUL_MAX_TILE_COLUMNS;
  std::size_t const columns = check_.params.outputChannelsPerConvGroup;
  bool const blocks = weights == RawWeights::BLOCKS && !channels_ && columns % STRIP == 0;
  weightsRow_ = at(blocks ? STRIP : outChannels());
  stride = weightsRow_ * at(check_.params.inputChannelsPerConvGroup);
  kernelStrides_.resize(dims);
  for (unsigned d = dims; d-- > 0;) {
    kernelStrides_[d] = stride;
    stride *= at(check_.params.kernelShape[d]);
  }
  weightsGroup_ = at(columns);
  if (blocks) {
    weightsBlock_ = STRIP, weightsBlockStride_ = stride;
    weightsGroup_ = stride * at(columns / STRIP);
  }
}

POP_INLINE void RawConv::addParts(planner::ConvPlan const &plan) {
  auto const &p = check_.problem;
  std::array<std::size_t, 5> const sizes{p.b, p.field[0].outputs, p.field[1].outputs, p.g, p.n};
  std::array<std::size_t, 5> const splits{plan.splitB, plan.splitY0, plan.splitY1, plan.splitG,
                                          plan.splitN};
  std::array<std::size_t, 5> each{}, begin{}, end{};
  for (std::size_t d = 0; d != 5; ++d) {
    each[d] = planner::detail::ceilDiv(sizes[d], splits[d]);
    if (d == 4 && weightsBlockStride_ != 0) // blocks of weights are not cut
      each[d] = planner::detail::ceilDiv(each[d], weightsBlock_) * weightsBlock_;
    if (d == 3 && splits[4] > 1) // groups of a part lie side by side in the result
      each[d] = 1;
    end[d] = std::min(each[d], sizes[d]);
  }
  for (;;) {
    parts_.push_back(makePart(begin, end));
    std::size_t d = 5;
    while (d > 0 && end[d - 1] == sizes[d - 1]) {
      --d;
      begin[d] = 0, end[d] = std::min(each[d], sizes[d]);
    }
    if (d == 0)
      return;
    begin[d - 1] = end[d - 1];
    end[d - 1] = std::min(begin[d - 1] + each[d - 1], sizes[d - 1]);
  }
}

POP_INLINE RawConvPart RawConv::makePart(std::array<std::size_t, 5> const &begin,
                                         std::array<std::size_t, 5> const &end) const {
  auto const at = [](std::size_t x) { return static_cast<std::ptrdiff_t>(x); };
  auto const &params = check_.params;
  RawConvPart part;
  for (std::size_t d = 0; d != 3; ++d)
    part.begin[d] = begin[d], part.size[d] = end[d] - begin[d];
  part.group = begin[3], part.groups = end[3] - begin[3];
  part.column = begin[4], part.columns = end[4] - begin[4];
  part.inOffset = at(begin[0]) * inStrides_[0] + at(begin[3] * params.inputChannelsPerConvGroup);
  part.weightsOffset = at(begin[3]) * weightsGroup_;
  part.weightsOffset +=
      weightsBlockStride_ == 0 ? at(begin[4]) : at(begin[4] / weightsBlock_) * weightsBlockStride_;
  for (std::size_t d = 0; d != kernelStrides_.size(); ++d)
    part.weightsOffset += at(params.kernelTransform.truncationLower[d]) * kernelStrides_[d];
  addTables(part);
  numberRows(part);
  return part;
}

POP_INLINE void RawConv::addTables(RawConvPart &part) const {
  auto const &params = check_.params;
  part.table.addOutputs(part.size[0], inStrides_[0]);
  for (unsigned d = 0; d != kernelStrides_.size(); ++d) {
    auto const first = d < 2 ? static_cast<unsigned>(part.begin[1 + d]) : 0U;
    auto const count = static_cast<unsigned>(d < 2 ? part.size[1 + d] : params.getOutputSize(d));
    auto const &kernel = params.kernelTransform;
    IndexRange const taps{kernel.truncationLower[d],
                          static_cast<unsigned>(params.kernelShape[d]) - kernel.truncationUpper[d]};
    part.table.addField(params, d, {first, first + count}, taps, 0, inStrides_[1 + d],
                        kernelStrides_[d]);
  }
  part.table.addTaps(params.inputChannelsPerConvGroup, 1, weightsRow_);
}

/// Where the outputs of a part lie in the result.
POP_INLINE void RawConv::numberRows(RawConvPart &part) const {
  auto const &p = check_.problem;
  std::size_t const y0 = p.field[0].outputs, y1 = p.field[1].outputs, rest = p.rest.outputs;
  auto const row = [&](std::size_t b, std::size_t i, std::size_t j) {
    return ((part.begin[0] + b) * y0 + part.begin[1] + i) * y1 * rest + (part.begin[2] + j) * rest;
  };
  part.firstRow = row(0, 0, 0);
  auto const [batches, rows, columns] = part.size;
  std::size_t const outputs = batches * rows * columns * rest;
  if (row(batches - 1, rows - 1, columns - 1) + rest == part.firstRow + outputs)
    return;
  part.rows.reserve(outputs);
  for (std::size_t b = 0; b != batches; ++b)
    for (std::size_t i = 0; i != rows; ++i)
      for (std::size_t j = 0; j != columns; ++j)
        for (std::size_t x = 0; x != rest; ++x)
          part.rows.push_back(row(b, i, j) + x);
}

namespace detail {

POP_INLINE std::vector<float> floatsOf(std::uint16_t const *from, std::size_t n) {
  std::vector<float> to(n);
  for (std::size_t i = 0; i != n; ++i)
    to[i] = base::halfToFloat(from[i]);
  return to;
}

} // namespace detail

POP_INLINE void forEachRawConvPart(RawConv const &conv, RawArray in,
                                   void (*run)(void const *context, RawConvPart const &part,
                                               const void *in, float *workspace),
                                   void const *context) {
  std::vector<float> floats;
  if (in.isHalf && !conv.channels() && !conv.parts().empty()) {
    auto const &p = conv.check().params;
    std::size_t const elements =
        std::accumulate(p.inputFieldShape.begin(), p.inputFieldShape.end(),
                        p.batchSize * conv.inChannels(), std::multiplies<>());
    floats = detail::floatsOf(static_cast<std::uint16_t const *>(in.data), elements);
    in.data = floats.data();
  }
  if (conv.parts().empty())
    return;
  poputil::builtinIsa(); // the error of a set that the machine lacks
  runSlices(conv.parts().size(), conv.threads(), [&](std::size_t i) {
    RawConvPart const &part = conv.parts()[i];
    float *const workspace = threadScratch(part.table.workspace(conv.blocking(), part.columns));
    run(context, part, in.data, workspace);
  });
}

namespace detail {

/// One run of a RawConv without an epilogue.
struct PlainConvRun {
  RawConv const &conv;
  RawArray weights;
  void *out;
  bool halfOut;

  static void call(void const *context, RawConvPart const &part, const void *in, float *workspace) {
    static_cast<PlainConvRun const *>(context)->part(part, in, workspace);
  }

private:
  void part(RawConvPart const &part, const void *in, float *workspace) const {
    kernels::ConvKernels const &t = kernels::activeConvKernels();
    if (conv.channels()) {
      if (weights.isHalf)
        return halfOut ? run(t.channelsHalfToHalf, part, in, workspace)
                       : run(t.channelsHalfToFloat, part, in, workspace);
      return halfOut ? run(t.channelsFloatToHalf, part, in, workspace)
                     : run(t.channelsFloatToFloat, part, in, workspace);
    }
    if (weights.isHalf)
      return halfOut ? run(t.halfToHalf, part, in, workspace)
                     : run(t.halfToFloat, part, in, workspace);
    return halfOut ? run(t.floatToHalf, part, in, workspace)
                   : run(t.floatToFloat, part, in, workspace);
  }

  template <class In, class W, class Out>
  void run(kernels::ConvFunction<In, W, Out> kernel, RawConvPart const &part, const void *in,
           float *workspace) const {
    std::vector<Out *> rows;
    kernel(convArgsOf<In, W, Out>(conv, part, in, weights.data, out, workspace, rows));
  }
};

} // namespace detail

POP_INLINE void runRawConv(RawConv const &conv, RawArray in, RawArray weights, bool halfOut,
                           void *out) {
  detail::PlainConvRun const context{conv, weights, out, halfOut};
  forEachRawConvPart(conv, in, &detail::PlainConvRun::call, &context);
}

namespace detail {

POP_INLINE void checkRawArray(RawArray const &array, char const *name, std::size_t elements,
                              ::poplar::Type const &type) {
  char const *const where = "poplin::kernels::Convolution";
  if (array.isHalf != (type == ::poplar::HALF))
    base::fail<::poplar::poplar_error>(where, "'", name, "' has elements of type ",
                                       array.isHalf ? "half" : "float", ", but the params say ",
                                       type);
  if (!array.data && elements != 0)
    base::fail<::poplar::poplar_error>(where, "'", name, "' is a null pointer; it must have ",
                                       elements, " elements");
}

} // namespace detail

POP_INLINE void checkRawConv(RawConv const &conv, RawArray in, RawArray weights, RawArray out) {
  ConvCheck const &check = conv.check();
  detail::checkRawArray(in, "in", detail::elementsOf(check.inShape()), check.params.inputType);
  detail::checkRawArray(weights, "weights", detail::elementsOf(check.weightsShape(false)),
                        check.params.inputType);
  detail::checkRawArray(out, "out", detail::elementsOf(check.outShape()), check.params.outputType);
}

} // namespace cottonwood::poplin

namespace poplin::kernels {

POP_INLINE Convolution::Convolution(ConvParams const &params, unsigned threads)
    : impl_(std::make_shared<cottonwood::poplin::RawConv const>(params, threads)) {}

POP_INLINE std::size_t Convolution::inElements() const {
  return cottonwood::poplin::detail::elementsOf(impl_->check().inShape());
}
POP_INLINE std::size_t Convolution::weightsElements() const {
  return cottonwood::poplin::detail::elementsOf(impl_->check().weightsShape(false));
}
POP_INLINE std::size_t Convolution::outElements() const {
  return cottonwood::poplin::detail::elementsOf(impl_->check().outShape());
}

POP_INLINE void Convolution::run(cottonwood::poplin::RawArray in,
                                 cottonwood::poplin::RawArray weights,
                                 cottonwood::poplin::RawArray outType, void *out) const {
  using namespace cottonwood::poplin;
  checkRawConv(*impl_, in, weights, outType);
  if (impl_->parts().empty()) { // nothing is multiplied
    std::fill_n(static_cast<char *>(out), outElements() * (outType.isHalf ? 2 : 4), char{0});
    return;
  }
  runRawConv(*impl_, in, weights, outType.isHalf, out);
}

} // namespace poplin::kernels
