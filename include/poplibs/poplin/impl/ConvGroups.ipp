// Convolutions of groups of few channels that lie side by side.
#pragma once

#include <codelets/poplin/ConvGroupsCost.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvFieldEmitter.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

/// Emits one convolution as vertices on tile 0 that read and write vectors of channels.
class ConvGroupsEmitter : ConvFieldEmitter {
public:
  ConvGroupsEmitter(::poplar::Graph &graph, ConvJob const &job, ::poplar::program::Sequence &prog,
                    ::poplar::DebugContext const &debugContext)
      : ConvFieldEmitter(graph, job, prog, debugContext) {}

  /// False if the kernel does not know the convolution, or if others are quicker.
  bool run() {
    if (job_.epilogue || !sharesVectors(graph_.getTarget(), job_.check, job_.options) ||
        !choosePhases() || (phased_.taps() == 1 && hasMaps()))
      return false;
    auto const plan =
        planConv(job_.where, graph_.getTarget(), job_.check, job_.options, job_.cache).plan;
    if (!usesVectors(plan))
      return false;
    chooseOutput();
    chooseInput();
    chooseWeights();
    cs_ = graph_.addComputeSet(debugContext_);
    addVertices(plan.parts());
    prog_.add(::poplar::program::Execute(cs_, debugContext_));
    if (copyTo_.valid())
      prog_.add(
          ::poplar::program::Copy(out_.reshape(copyTo_.shape()), copyTo_, false, debugContext_));
    return true;
  }

private:
  bool choosePhases() {
    auto const phased = convPhasedField(job_.check.params);
    if (phased)
      phased_ = *phased, field_ = phased->field;
    share_ = kernels::convGroupsShare(job_.check.params.outputChannelsPerConvGroup, vectorLanes());
    return phased.has_value();
  }
  std::size_t phasesY() const { return phased_.y.phases.size(); }
  std::size_t phasesX() const { return phased_.x.phases.size(); }

  /// Whether the field of both input and output lies side by side: so products read and write them.
  bool hasMaps() const {
    auto const in = stridedTensor(graph_, job_.in);
    return outputMaps().isContiguous() && in && xOf(*in) == 1 && in->strides.back() != 1;
  }
  /// [N, groups, O, ...field]
  Tensor outputMaps() const {
    unsigned const last = job_.out.rank() - 1;
    return job_.out.dimRoll(last, 1).dimRoll(last, 1);
  }

  /// In place if all channels, or the outputs of each, lie side by side.
  void chooseOutput() {
    out_ = job_.out;
    std::size_t const batch = out_.dim(0), channels = job_.check.params.getNumOutputChans(),
                      outputs = out_.numElements() / (batch * channels);
    Tensor const maps = outputMaps();
    outMaps_ = !out_.isContiguous() && maps.isContiguous() && phasesX() == 1;
    if (outMaps_) {
      out_ = maps.reshape({batch, channels, outputs});
      return;
    }
    if (!out_.isContiguous()) {
      copyTo_ = out_;
      out_ = variable(copyTo_.elementType(), copyTo_.shape(), "out");
    }
    out_ = out_.reshape({batch, 1, outputs * channels});
  }

  /// In place if all channels of all groups lie side by side, or at equal distances and the inputs
  /// of each side by side.
  void chooseInput() {
    auto const in = stridedTensor(graph_, job_.in);
    if (in && isReadInPlace(*in) && !in->run.intersectsWith(out_)) {
      in_ = *in;
    } else {
      Tensor const copy =
          convInputVariable(graph_, job_.check, job_.in.elementType(), {debugContext_, "in"});
      prog_.add(::poplar::program::Copy(job_.in, copy, false, debugContext_));
      in_ = *stridedTensor(graph_, copy);
    }
    auto const channels = static_cast<std::int64_t>(job_.check.params.inputChannelsPerConvGroup);
    inChannel_ = in_.strides[0] / channels;
  }
  bool isReadInPlace(StridedTensor const &in) const {
    auto const &p = job_.check.params;
    auto const channels = static_cast<std::int64_t>(p.inputChannelsPerConvGroup),
               group = in.strides[0], x = xOf(in);
    if (group % channels != 0 || (channels != 1 && in.strides.back() != group / channels))
      return false;
    return group == channels ||
           (x == 1 && (!share_ || kernels::convGroupsSpan(p.inputChannelsPerConvGroup,
                                                          p.outputChannelsPerConvGroup,
                                                          vectorLanes()) <= vectorLanes()));
  }

  void chooseWeights() {
    auto const weights = stridedTensor(graph_, job_.weights);
    if (weights && !weights->run.intersectsWith(out_)) {
      weights_ = *weights;
      return;
    }
    Tensor const copy = convWeightsVariable(graph_, job_.check, {debugContext_, "weights"});
    prog_.add(::poplar::program::Copy(job_.weights, copy, false, debugContext_));
    weights_ = *stridedTensor(graph_, copy);
  }

  /// Parts are images, and where these are too few lines of each phase.
  void addVertices(std::size_t parts) {
    std::size_t const batch = job_.check.params.batchSize,
                      lines = static_cast<std::size_t>(field_.shape.outputsY),
                      images = poputil::ceilDiv(batch, std::min(parts, batch)),
                      bands =
                          std::min(poputil::ceilDiv(parts, poputil::ceilDiv(batch, images)), lines),
                      rows = poputil::ceilDiv(lines, bands);
    for (std::size_t b = 0; b < batch; b += images)
      for (std::size_t y = 0; y < lines; y += rows)
        addVertex({b, std::min(b + images, batch)}, {y, std::min(y + rows, lines)});
  }

  using Range = ::poplar::Interval;

  /// \param rows  of each phase
  void addVertex(Range images, Range rows) {
    auto const &p = job_.check.params;
    auto shape = field_.shape;
    shape.outputsY = static_cast<int>(rows.size());
    shape.firstY += static_cast<int>(rows.begin()) * shape.strideY;
    std::size_t const channels = p.inputChannelsPerConvGroup, taps = phased_.taps(),
                      width = static_cast<std::size_t>(phased_.x.outputs),
                      first = rows.begin() * phasesY(),
                      end = std::min(rows.end() * phasesY(),
                                     static_cast<std::size_t>(phased_.y.outputs));
    auto const known = phased_.groupsPhases();
    auto const way =
        kernels::convGroupsWay(shape, known, channels, p.outputChannelsPerConvGroup, vectorLanes());
    auto const v =
        addFieldVertex("poplin::ConvGroups", shape,
                       kernels::convGroupsWorkspace(shape, known, channels, way, taps), strides());
    connectOutput(v, images, {first * width, end * width});
    // [groups, N, ...field, C] and [groups, O, ...kernel, C]
    auto const &in = in_.strides;
    set(v, "inOffset",
        in_.offset + static_cast<std::int64_t>(images.begin()) * in[1] + field_.inY * yOf(in_) +
            field_.inX * xOf(in_));
    set(v, "weightsOffset",
        weights_.offset + field_.tapsY * yOf(weights_) + field_.tapsX * xOf(weights_));
    set(v, "images", images.size()), set(v, "groups", p.numConvGroups);
    set(v, "columns", p.outputChannelsPerConvGroup);
    set(v, "outputs", images.size() * (end - first) * width);
    set(v, "inChannels", channels);
    set(v, "taps", poputil::ceilDiv(taps, phasesY() * phasesX()));
    set(v, "outMaps", outMaps_);
    setPhases(v);
    set(v, "lines", end - first), set(v, "width", width);
    auto const [strip, outputs, lines] = kernels::convGroupsCut(shape, known, channels, way);
    set(v, "strip", strip), set(v, "pieceOutputs", outputs), set(v, "pieceLines", lines);
  }

  void setPhases(::poplar::VertexRef const &v) {
    std::vector<int> numbers;
    for (auto const &[first, taps, weight] : phased_.phases())
      numbers.insert(numbers.end(), {first, taps, weight});
    graph_.setInitialValue(v["phases"], numbers);
    set(v, "phasesY", phasesY()), set(v, "phasesX", phasesX());
  }

  /// \param outputs  of each image
  void connectOutput(::poplar::VertexRef const &v, Range images, Range outputs) {
    std::size_t const channels = job_.check.params.getNumOutputChans(), arrays = out_.dim(1),
                      each = channels / arrays;
    graph_.setFieldSize(v["out"], images.size() * arrays);
    std::size_t next = 0;
    for (std::size_t b = images.begin(); b != images.end(); ++b)
      for (std::size_t n = 0; n != arrays; ++n)
        graph_.connect(v["out"][next++],
                       out_[b][n].slice(outputs.begin() * each, outputs.end() * each));
  }

  std::vector<long long> strides() const {
    auto const &weights = weights_.strides;
    return {in_.strides[1], yOf(in_),       xOf(in_),      inChannel_,   weights[0],
            weights[1],     weights.back(), yOf(weights_), xOf(weights_)};
  }

  ConvPhasedField phased_;
  bool share_ = true; ///< vectors, by groups
  Tensor out_;        ///< [N, arrays, elements of an array]
  Tensor copyTo_;     ///< invalid: the result is written in place
  bool outMaps_ = false;
  std::int64_t inChannel_ = 1; ///< the distance of channels, of all groups
};

/// Whether the kernel is quicker than those of single groups.
inline bool isOfFewChannels(::poplin::ConvParams const &p, ConvPhasedField const &field) {
  std::size_t const in = p.inputChannelsPerConvGroup, out = p.outputChannelsPerConvGroup,
                    lanes = vectorLanes();
  if (2 * out <= lanes)
    return in <= kernels::CONV_GROUPS_CHANNELS;
  auto const &shape = field.field.shape;
  auto const way = kernels::convGroupsWay(shape, field.groupsPhases(), in, out, lanes);
  // Lines store inputs and sums by vectors, which takes twice as long where these are split.
  bool const byLines = kernels::isByLines(way) && !lanesAreSplit();
  bool const neighbours = shape.strideX == 1 || p.inputType == ::poplar::HALF || byLines;
  return lanes > 1 && out <= lanes && in <= kernels::CONV_GROUP_CHANNELS && neighbours &&
         field.taps() > 1;
}

} // namespace detail

POP_INLINE bool sharesVectors(::poplar::Target const &target, ConvCheck const &check,
                              ConvOptions const &options) {
  auto const &p = check.params;
  auto const field = detail::convPhasedField(p);
  // No layout changes a bit.
  bool const sameOrder =
      p.inputChannelsPerConvGroup == 1 || (!detail::addsTapsLast(p) && !updatesGroups(p));
  return plansForCpu(target) && options.constraints.empty() && !convolvesChannels(check) &&
         p.numConvGroups > 1 && sameOrder && field && detail::isOfFewChannels(p, *field) &&
         field->field.shape.taps() <= kernels::CONV_PLANES_MAX_TAPS &&
         field->taps() <= kernels::CONV_PLANES_MAX_TAPS;
}

POP_INLINE bool emitConvGroups(::poplar::Graph &graph, ConvJob const &job,
                               ::poplar::program::Sequence &prog,
                               ::poplar::DebugContext const &debugContext) {
  return detail::ConvGroupsEmitter(graph, job, prog, debugContext).run();
}

} // namespace cottonwood::poplin
