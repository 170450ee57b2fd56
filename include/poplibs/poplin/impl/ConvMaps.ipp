// Convolutions from maps to maps.
#pragma once

#include <codelets/poplin/ConvMapsCost.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvFieldEmitter.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

/// Emits one convolution as vertices on tile 0 that read and write maps in place.
class ConvMapsEmitter : ConvFieldEmitter {
public:
  ConvMapsEmitter(::poplar::Graph &graph, ConvJob const &job, ::poplar::program::Sequence &prog,
                  ::poplar::DebugContext const &debugContext)
      : ConvFieldEmitter(graph, job, prog, debugContext) {}

  /// False if the kernel does not know the convolution, would not find maps, or if others are
  /// quicker.
  bool run() {
    auto const &p = job_.check.params;
    if (job_.epilogue || convolvesChannels(job_.check) || !chooseShape() || !chooseMaps())
      return false;
    auto const plan =
        planConv(job_.where, graph_.getTarget(), job_.check, job_.options, job_.cache).plan;
    if (plan.winograd != 0 || kernels::onMatMulTiles(plan.method))
      return false;
    cs_ = graph_.addComputeSet(debugContext_);
    auto const lines = static_cast<std::size_t>(field_.shape.outputsY);
    // In one dimension the plan's first of the field is the line itself.
    std::size_t const bands = p.getNumFieldDims() == 1 ? 1 : plan.splitY0;
    // Blocks of weights are not cut.
    std::size_t const channels = p.outputChannelsPerConvGroup,
                      grain = block_ == channels ? 1 : block_;
    for (std::size_t group = 0; group != p.numConvGroups; ++group)
      forParts(p.batchSize, plan.splitB, 1, [&](Range images) {
        forParts(lines, bands, 1, [&](Range rows) {
          forParts(channels, plan.splitN, grain,
                   [&](Range columns) { addVertex(group, images, rows, columns); });
        });
      });
    prog_.add(::poplar::program::Execute(cs_, debugContext_));
    return true;
  }

private:
  using Range = ::poplar::Interval;

  bool chooseShape() {
    if (!chooseField())
      return false;
    auto const &p = job_.check.params;
    auto const &shape = field_.shape;
    // No layout changes a bit.
    bool const sameOrder =
        p.inputChannelsPerConvGroup == 1 || (!addsTapsLast(p) && !updatesGroups(p));
    return sameOrder && shape.outputsX >= kernels::CONV_MAPS_LINE &&
           shape.taps() <= kernels::CONV_PLANES_MAX_TAPS &&
           p.inputChannelsPerConvGroup <= kernels::CONV_MAPS_CHANNELS &&
           p.outputChannelsPerConvGroup >= kernels::CONV_MAPS_COLUMNS;
  }

  /// Lines of the input and the whole result lie side by side; weights as createWeights() puts
  /// them, or at any distances.
  bool chooseMaps() {
    unsigned const rank = job_.out.rank();
    out_ = job_.out.dimRoll(rank - 1, 1).dimRoll(rank - 1, 1); // [N, groups, O, ...field]
    std::size_t const columns = job_.weights.dim(1);
    block_ = convBlockOf(columns);
    if (!chooseOperands(job_.weights.reshapePartial(1, 2, {columns / block_, block_}), out_))
      return false;
    std::size_t const channels = out_.dim(0) * out_.dim(1) * out_.dim(2);
    out_ = out_.reshapePartial(3, rank, {out_.numElements() / channels});
    return true;
  }

  /// f(range) for equal parts of n, of a multiple of `grain` each.
  template <class F>
  static void forParts(std::size_t n, std::size_t parts, std::size_t grain, F &&f) {
    std::size_t const each = poputil::roundUp(poputil::ceilDiv(n, parts), grain);
    for (std::size_t i = 0; i < n; i += each)
      f(Range{i, std::min(i + each, n)});
  }

  void addVertex(std::size_t group, Range images, Range rows, Range columns) {
    auto shape = field_.shape;
    shape.outputsY = static_cast<int>(rows.size());
    shape.firstY += static_cast<int>(rows.begin()) * shape.strideY;
    auto const width = static_cast<std::size_t>(shape.outputsX);
    std::size_t const channels = job_.check.params.inputChannelsPerConvGroup;
    auto const v =
        addFieldVertex("poplin::ConvMaps", shape,
                       kernels::convMapsWorkspace(shape, channels, columns.size()), strides());
    graph_.setFieldSize(v["out"], images.size() * columns.size());
    std::size_t next = 0;
    for (std::size_t b = images.begin(); b != images.end(); ++b)
      for (std::size_t n = columns.begin(); n != columns.end(); ++n)
        graph_.connect(v["out"][next++],
                       out_[b][group][n].slice(rows.begin() * width, rows.end() * width));
    setOperands(v, group, images.begin(), columns.begin());
    set(v, "lines", kernels::convMapsBand(shape, channels));
    set(v, "images", images.size()), set(v, "columns", columns.size());
    set(v, "outputs", images.size() * rows.size() * width);
    set(v, "inChannels", channels), set(v, "taps", shape.taps());
  }

  /// Of the field's first dimension, if there are two, and its last, of the input and weights.
  struct FieldStrides {
    std::int64_t inY, inX, weightsY, weightsX;
  };
  FieldStrides fieldStrides() const {
    auto const &in = in_.strides, &weights = weights_.strides;
    bool const plane = in.size() == 5;
    return {plane ? in[2] : 0, in[in.size() - 2], plane ? weights[3] : 0,
            weights[weights.size() - 2]};
  }
  std::vector<long long> strides() const {
    auto const &in = in_.strides, &weights = weights_.strides;
    auto const [inY, inX, weightsY, weightsX] = fieldStrides();
    return {in[1], in.back(), inY, weights[1], weights[2], weights.back(), weightsY, weightsX};
  }

  /// Where a part finds its input, [groups, N, ...field, C], and its weights, [groups, blocks,
  /// columns of a block, ...kernel, C].
  void setOperands(::poplar::VertexRef const &v, std::size_t group, std::size_t image,
                   std::size_t column) {
    auto const &in = in_.strides, &weights = weights_.strides;
    auto const [inY, inX, weightsY, weightsX] = fieldStrides();
    set(v, "weightsBlock", block_);
    auto const at = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    set(v, "inOffset",
        in_.offset + at(group) * in[0] + at(image) * in[1] + field_.inY * inY + field_.inX * inX);
    set(v, "weightsOffset",
        weights_.offset + at(group) * weights[0] + at(column / block_) * weights[1] +
            at(column % block_) * weights[2] + field_.tapsY * weightsY + field_.tapsX * weightsX);
  }

  std::size_t block_ = 1; ///< output channels of weights that lie at equal distances
  Tensor out_;            ///< [N, groups, O, field]
};

} // namespace detail

POP_INLINE bool emitConvMaps(::poplar::Graph &graph, ConvJob const &job,
                             ::poplar::program::Sequence &prog,
                             ::poplar::DebugContext const &debugContext) {
  return detail::ConvMapsEmitter(graph, job, prog, debugContext).run();
}

} // namespace cottonwood::poplin
