#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/TileGather.hpp>
#include <poplin/impl/TileViews.hpp>

namespace cottonwood::poplin {

POP_INLINE TileViews::TileViews(::poplar::Graph &graph, TileJob const &job,
                                ::poplar::DebugContext const &debugContext)
    : graph_(graph), job_(job), debugContext_(debugContext), gathers_(job.seen.gatheredI != 0) {
  if (job.plan.flatten != 0)
    flattened_.emplace(*job.params, job.plan.flatten);
  rows_ =
      job.plan.flat || ((gathers_ || flattened_) && job.seen.taps() == 1 && job.seen.padded() == 0);
}

POP_INLINE TileViews::Product TileViews::product(Block const &block, std::size_t g) {
  Product p;
  if (job_.plan.flat) {
    p.a = job_.tensors.in[block.begin[Block::G] + g]
              .slice(block.begin[Block::Y0], block.end[Block::Y0], 0)
              .slice(block.begin[Block::I], block.end[Block::I], 1);
  } else {
    std::vector<unsigned> firstInput(dims());
    Tensor const in = inputOf(block, g, firstInput);
    p.a = in.flatten(0, in.rank() - 1);
  }
  if (flattened_) {
    Tensor const weights = weightsOf(block, g);
    p.b = weights.flatten(0, weights.rank() - 1);
    return p;
  }
  Tensor const weights = blockWeights(job_.tensors.weights, block)[g]; // [N, ...1, I]
  p.b = weights.reshape({weights.dim(0), weights.numElements() / weights.dim(0)}).transpose();
  return p;
}

POP_INLINE TileViews::Windows TileViews::windows(Block const &block, std::size_t g) {
  std::vector<unsigned> firstInput(dims());
  Tensor const in = inputOf(block, g, firstInput), weights = weightsOf(block, g);
  return {in, weights, tableOf(block, in.shape(), weights.shape(), firstInput)};
}

POP_INLINE unsigned TileViews::dims() const {
  return static_cast<unsigned>(job_.params->getNumFieldDims());
}

/// True if the taps of a dimension are channels.
POP_INLINE bool TileViews::isGathered(unsigned d) const {
  return gathers_ && d < 3 && (job_.plan.expand >> d & 1U) != 0;
}

POP_INLINE IndexRange TileViews::outputsOf(Block const &block, unsigned d) const {
  if (d < cutDims(dims()))
    return {block.begin[Block::Y0 + d], block.end[Block::Y0 + d]};
  return {0, job_.params->getOutputSize(d)};
}

POP_INLINE IndexRange TileViews::tapsOf(Block const &block, unsigned d) const {
  auto const &kernel = job_.params->kernelTransform;
  unsigned const first = kernel.truncationLower[d];
  if (d < cutDims(dims()) && !isGathered(d))
    return {first + block.begin[Block::K0 + d], first + block.end[Block::K0 + d]};
  return {first, job_.params->kernelShape[d] - kernel.truncationUpper[d]};
}

/// [N, ...field, I] of what the block reads. A vertex that reads nothing is given one place.
POP_INLINE Tensor TileViews::inputOf(Block const &block, std::size_t g,
                                     std::vector<unsigned> &firstInput) {
  Tensor in = job_.tensors.in[block.begin[Block::G] + g].slice(block.begin[Block::B],
                                                               block.end[Block::B], 0);
  // The channels of the block among those of all taps that are gathered.
  std::size_t first = block.begin[Block::I], end = block.end[Block::I];
  std::size_t channels = in.dim(in.rank() - 1);
  for (unsigned d = 0; d != dims(); ++d)
    if (isGathered(d))
      channels *= tapsOf(block, d).second - tapsOf(block, d).first;
  bool oneTap = true; // of each dimension before
  for (unsigned d = 0; d != dims(); ++d) {
    if (isFlattened(d))
      continue;
    if (isGathered(d) || rows_) {
      IndexRange taps = tapsOf(block, d);
      if (isGathered(d))
        channels /= taps.second - taps.first;
      if (isGathered(d) && oneTap) {
        auto const skipped = static_cast<unsigned>(first / channels);
        taps = {taps.first + skipped, taps.first + static_cast<unsigned>((end - 1) / channels) + 1};
        first -= skipped * channels, end -= skipped * channels;
        oneTap = taps.second - taps.first == 1;
      }
      in = gatherTaps({*job_.params, d, outputsOf(block, d), taps}, in, zeroOf(in, inZero_));
      continue;
    }
    auto range = ::poplin::getInputRange(d, outputsOf(block, d), tapsOf(block, d), *job_.params);
    if (range.second == 0)
      range = {0, 1};
    firstInput[d] = range.first;
    in = in.slice(range.first, range.second, 1 + d);
  }
  in = in.flatten(1 + dims(), in.rank());
  return in.slice(first, end, 1 + dims());
}

/// Stands for padding of an operand where taps are channels; 8-bit floats have its metadata.
POP_INLINE Tensor const &TileViews::zeroOf(Tensor const &operand, Tensor &zero) {
  if (!zero.valid()) {
    zero = graph_.addConstant(operand.elementType(), operand.getMetadata(), {1}, 0,
                              {debugContext_, "zero"});
    graph_.setTileMapping(zero, static_cast<unsigned>(job_.plan.firstTile));
  }
  return zero;
}

/// [...kernel, I, N]: columns side by side.
POP_INLINE Tensor TileViews::weightsOf(Block const &block, std::size_t g) {
  std::size_t const group = block.begin[Block::G] + g;
  Tensor weights = job_.tensors.weights.slice(group, group + 1, 0);
  if (flattened_)
    weights = flattened_->weights(weights, {block.begin[Block::N], block.end[Block::N]},
                                  {block.begin[Block::I], block.end[Block::I]},
                                  zeroOf(weights, weightsZero_))[0];
  else
    weights = weights[0]
                  .slice(block.begin[Block::N], block.end[Block::N], 0)
                  .slice(block.begin[Block::I], block.end[Block::I], 1 + dims());
  for (unsigned d = 0; d != cutDims(dims()); ++d)
    weights = weights.slice(block.begin[Block::K0 + d], block.end[Block::K0 + d], 1 + d);
  return weights.dimRoll(0, weights.rank() - 1);
}

namespace detail {

POP_INLINE std::vector<std::int64_t> rowMajor(std::vector<std::size_t> const &shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * static_cast<std::int64_t>(shape[d + 1]);
  return strides;
}

} // namespace detail

POP_INLINE ConvTable TileViews::tableOf(Block const &block, std::vector<std::size_t> const &in,
                                        std::vector<std::size_t> const &weights,
                                        std::vector<unsigned> const &firstInput) const {
  auto const inStrides = detail::rowMajor(in), wStrides = detail::rowMajor(weights);
  ConvTable table;
  table.addOutputs(in[0], inStrides[0]);
  for (unsigned d = 0; d != dims(); ++d)
    if (isGathered(d) || isFlattened(d))
      table.addOutputs(in[1 + d], inStrides[1 + d]);
    else
      table.addField(*job_.params, d, outputsOf(block, d), tapsOf(block, d), firstInput[d],
                     inStrides[1 + d], wStrides[d]);
  table.addTaps(in.back(), 1, wStrides[dims()]);
  return table;
}

} // namespace cottonwood::poplin
