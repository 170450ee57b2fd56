// Gradients of the weights of groups of few channels.
#pragma once

#include <codelets/poplin/ConvUpdateCost.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvFieldEmitter.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

/// Emits one convolution as vertices on tile 0. Its batch are input channels of the forward layer,
/// its input channels the forward batch, its weights the deltas.
class ConvUpdateEmitter : ConvFieldEmitter {
public:
  ConvUpdateEmitter(::poplar::Graph &graph, ConvJob const &job, ::poplar::program::Sequence &prog,
                    ::poplar::DebugContext const &debugContext)
      : ConvFieldEmitter(graph, job, prog, debugContext) {}

  /// False if the kernel does not know the convolution, if channels of a group are more than a
  /// vector, if another kernel is quicker, or if the plan has it on matrix tiles.
  bool run() {
    auto const &p = job_.check.params;
    if (job_.epilogue || !updatesGroups(p) || p.outputChannelsPerConvGroup > vectorLanes())
      return false;
    chooseField();
    if (field_.shape.tapStepX != 1 && isQuickerInTiles())
      return false;
    auto const plan =
        planConv(job_.where, graph_.getTarget(), job_.check, job_.options, job_.cache).plan;
    if (!usesVectors(plan))
      return false;
    in_ = channelsLast(job_.in, "in"), weights_ = channelsLast(job_.weights, "deltas");
    unsigned const rank = job_.out.rank();
    out_ = job_.out.flatten(rank - 2, rank).flatten(0, rank - 2); // [C * kernel, groups * O]
    cs_ = graph_.addComputeSet(debugContext_);
    // Vectors of the widest instruction set are not cut.
    std::size_t const groups = p.numConvGroups,
                      lines = static_cast<std::size_t>(field_.shape.outputsY),
                      vector = kernels::ConvUpdateLanes(p.batchSize, p.outputChannelsPerConvGroup,
                                                        kernels::CONV_UPDATE_CHANNELS)
                                   .groups,
                      vectors = poputil::ceilDiv(groups, vector),
                      cuts = std::min<std::size_t>(plan.parts(), vectors),
                      bands = std::min<std::size_t>(plan.parts() / cuts, lines),
                      each = poputil::ceilDiv(vectors, cuts) * vector,
                      band = poputil::ceilDiv(lines, bands);
    for (std::size_t group = 0; group < groups; group += each)
      for (std::size_t line = 0; line < lines; line += band)
        addVertex({group, std::min(group + each, groups)}, {line, std::min(line + band, lines)});
    prog_.add(::poplar::program::Execute(cs_, debugContext_));
    return true;
  }

private:
  using Range = ::poplar::Interval;

  /// Whether the kernel of other layers is quicker for one with strides: a depthwise one with short
  /// vectors, or one of floats whose groups fill vectors that are split, where transposing fields
  /// that lie side by side takes longer than this kernel gains.
  bool isQuickerInTiles() const {
    auto const &p = job_.check.params;
    if (p.batchSize * p.outputChannelsPerConvGroup == 1)
      return vectorLanes() < 16;
    auto const liesSideBySide = [&](Tensor const &t) {
      auto const s = stridedTensor(graph_, t);
      return s && xOf(*s) == 1 && channelOf(*s, t.dim(1)) != 1;
    };
    return lanesAreSplit() && p.inputType == ::poplar::FLOAT &&
           p.outputChannelsPerConvGroup == vectorLanes() && liesSideBySide(job_.in) &&
           liesSideBySide(job_.weights);
  }

  /// Of an operand [groups, channels, ...field, N]: from a channel to the next one, of the next
  /// group if it was the last.
  static std::int64_t channelOf(StridedTensor const &s, std::size_t channels) {
    return channels == 1 ? s.strides[0] : s.strides[1];
  }

  /// Such an operand, with the channels of all groups equally far apart and they or the columns of
  /// a line side by side: as it is, or copied.
  StridedTensor channelsLast(Tensor const &t, char const *name) {
    auto const size = [&](unsigned d) { return t.dim(d); };
    auto const liesWell = [&](StridedTensor const &s) {
      auto const channel = channelOf(s, size(1));
      return !s.run.intersectsWith(job_.out) &&
             s.strides[0] == static_cast<std::int64_t>(size(1)) * channel &&
             (channel == 1 || (channel > 0 && xOf(s) == 1));
    };
    if (auto strided = stridedTensor(graph_, t); strided && liesWell(*strided))
      return *strided;
    unsigned const last = t.rank() - 1;
    std::vector<std::size_t> shape{size(last)};
    std::vector<unsigned> back{last - 1, last};
    for (unsigned d = 2; d != last; ++d)
      shape.push_back(size(d)), back.push_back(d - 1);
    shape.insert(shape.end(), {size(0), size(1)}), back.push_back(0);
    Tensor const copy = variable(t.elementType(), shape, name).dimShuffle(back);
    prog_.add(::poplar::program::Copy(t, copy, false, debugContext_));
    return *stridedTensor(graph_, copy);
  }

  /// Some groups, and lines of their weights.
  void addVertex(Range groups, Range lines) {
    auto const &p = job_.check.params;
    std::size_t const channels = p.batchSize, columns = p.outputChannelsPerConvGroup;
    auto shape = field_.shape;
    shape.outputsY = static_cast<int>(lines.size());
    shape.firstY += static_cast<int>(lines.begin()) * shape.strideY;
    auto const inChannel = channelOf(in_, channels), outChannel = channelOf(weights_, columns);
    auto const v =
        addFieldVertex("poplin::ConvUpdate", shape,
                       kernels::convUpdateWorkspace(shape, groups.size(), channels, columns),
                       {in_.strides.back(), yOf(in_), xOf(in_), inChannel, weights_.strides.back(),
                        yOf(weights_), xOf(weights_), outChannel});
    std::size_t const width = static_cast<std::size_t>(shape.outputsX),
                      all = static_cast<std::size_t>(field_.shape.outputsY) * width;
    graph_.setFieldSize(v["out"], channels * shape.outputs());
    std::size_t next = 0;
    for (std::size_t c = 0; c != channels; ++c)
      for (std::size_t tap = lines.begin() * width; tap != lines.end() * width; ++tap)
        graph_.connect(v["out"][next++],
                       out_[c * all + tap].slice(groups.begin() * columns, groups.end() * columns));
    auto const at = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    set(v, "inOffset",
        in_.offset + at(groups.begin() * channels) * inChannel + field_.inY * yOf(in_) +
            field_.inX * xOf(in_));
    set(v, "weightsOffset",
        weights_.offset + at(groups.begin() * columns) * outChannel + field_.tapsY * yOf(weights_) +
            field_.tapsX * xOf(weights_));
    set(v, "groups", groups.size()), set(v, "columns", columns), set(v, "channels", channels);
    set(v, "outputs", channels * shape.outputs());
    set(v, "inChannels", p.inputChannelsPerConvGroup), set(v, "taps", shape.taps());
  }

  Tensor out_; ///< [C * kernel, groups * O]
};

} // namespace detail

POP_INLINE bool updatesGroups(::poplin::ConvParams const &p) {
  std::size_t const in = p.batchSize, out = p.outputChannelsPerConvGroup,
                    most = kernels::CONV_UPDATE_CHANNELS;
  if (p.numConvGroups < 2 || in > most || out > most)
    return false;
  auto const field = detail::convField(p);
  if (!field)
    return false;
  auto const &shape = field->shape;
  return shape.outputsX <= kernels::CONV_UPDATE_TAPS && shape.taps() >= 2 * shape.outputs() &&
         shape.tapsX >= 4 && shape.tapStepX > 0 && shape.tapStepY > 0 &&
         2 * kernels::ConvUpdateLanes(in, out, most).lanes >= most;
}

POP_INLINE bool emitConvUpdate(::poplar::Graph &graph, ConvJob const &job,
                               ::poplar::program::Sequence &prog,
                               ::poplar::DebugContext const &debugContext) {
  return detail::ConvUpdateEmitter(graph, job, prog, debugContext).run();
}

} // namespace cottonwood::poplin
