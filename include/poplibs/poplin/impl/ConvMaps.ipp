// Convolutions from maps to maps, and of few output channels.
#pragma once

#include <codelets/poplin/ConvMapsCost.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvFieldEmitter.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

/// Emits one convolution as vertices on tile 0 that read and write maps in place.
class ConvMapsEmitter : protected ConvFieldEmitter {
public:
  ConvMapsEmitter(::poplar::Graph &graph, ConvJob const &job, ::poplar::program::Sequence &prog,
                  ::poplar::DebugContext const &debugContext)
      : ConvFieldEmitter(graph, job, prog, debugContext) {}

  /// False if the kernel does not know the convolution, would not find maps, or if others are
  /// quicker.
  bool run() {
    if (job_.epilogue || convolvesChannels(job_.check) || !chooseShape() || !chooseMaps())
      return false;
    auto const plan =
        planConv(job_.where, graph_.getTarget(), job_.check, job_.options, job_.cache).plan;
    if (!usesVectors(plan))
      return false;
    cs_ = graph_.addComputeSet(debugContext_);
    addVertices(plan);
    prog_.add(::poplar::program::Execute(cs_, debugContext_));
    return true;
  }

protected:
  using Range = ::poplar::Interval;

  void addVertices(planner::ConvPlan const &plan) {
    auto const &p = job_.check.params;
    auto const lines = static_cast<std::size_t>(field_.shape.outputsY);
    // In one dimension the plan's first of the field is the line itself.
    std::size_t const bands = p.getNumFieldDims() == 1 ? 1 : plan.splitY0;
    // Blocks of weights are not cut.
    std::size_t const channels = p.outputChannelsPerConvGroup,
                      grain = block_ == channels ? 1 : block_;
    forParts(p.numConvGroups, plan.splitG, 1, [&](Range groups) {
      forParts(p.batchSize, plan.splitB, 1, [&](Range images) {
        forParts(lines, bands, 1, [&](Range rows) {
          forParts(channels, plan.splitN, grain,
                   [&](Range columns) { addVertex(groups, images, rows, columns); });
        });
      });
    });
  }

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
           (p.outputChannelsPerConvGroup >= kernels::CONV_MAPS_COLUMNS ||
            p.outputChannelsPerConvGroup <= kernels::CONV_MAPS_FEW);
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

  void addVertex(Range groups, Range images, Range rows, Range columns) {
    auto shape = field_.shape;
    shape.outputsY = static_cast<int>(rows.size());
    shape.firstY += static_cast<int>(rows.begin()) * shape.strideY;
    auto const width = static_cast<std::size_t>(shape.outputsX);
    std::size_t const channels = job_.check.params.inputChannelsPerConvGroup;
    auto const v =
        addFieldVertex("poplin::ConvMaps", shape,
                       kernels::convMapsWorkspace(shape, channels, columns.size()), strides());
    graph_.setFieldSize(v["out"], groups.size() * images.size() * columns.size());
    std::size_t next = 0;
    for (std::size_t g = groups.begin(); g != groups.end(); ++g)
      for (std::size_t b = images.begin(); b != images.end(); ++b)
        for (std::size_t n = columns.begin(); n != columns.end(); ++n)
          graph_.connect(v["out"][next++],
                         out_[b][g][n].slice(rows.begin() * width, rows.end() * width));
    setOperands(v, groups.begin(), images.begin(), columns.begin());
    set(v, "lines", kernels::convMapsBand(shape, channels));
    set(v, "groups", groups.size()), set(v, "images", images.size());
    set(v, "columns", columns.size());
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
    return {in[0],
            in[1],
            in.back(),
            inY,
            weights[0],
            weights[1],
            weights[2],
            weights.back(),
            tapStepY_ * weightsY,
            tapStepX_ * weightsX};
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

  std::size_t block_ = 1;           ///< output channels of weights that lie at equal distances
  int tapStepY_ = 1, tapStepX_ = 1; ///< taps of the weights from one of a vertex to the next
  Tensor out_;                      ///< [N, groups, O, field]
};

/// The same for few output channels, with copies of what does not lie in maps. An input dilated by
/// s is met by every s-th tap only, and other ones for each of s neighbouring outputs: outputs
/// whose taps are the same are a convolution of their own.
class ConvFewEmitter : ConvMapsEmitter {
public:
  using ConvMapsEmitter::ConvMapsEmitter;

  /// False if the kernel does not know the convolution, or if others are quicker.
  bool run() {
    auto const &p = job_.check.params;
    if (job_.epilogue || convolvesChannels(job_.check) || vectorLanes() == 1 || !choosePhases())
      return false;
    auto const plan =
        planConv(job_.where, graph_.getTarget(), job_.check, job_.options, job_.cache).plan;
    if (!usesVectors(plan))
      return false;
    chooseInput();
    chooseWeights();
    cs_ = graph_.addComputeSet(debugContext_);
    std::vector<Tensor> results;
    for (ConvPlanesDim const &y : phases_[0])
      for (ConvPlanesDim const &x : phases_[1]) {
        choose(y, x);
        out_ = variable(
            job_.out.elementType(),
            {p.batchSize, p.numConvGroups, p.outputChannelsPerConvGroup, field_.shape.outputs()},
            "maps");
        results.push_back(out_);
        addVertices(plan);
      }
    prog_.add(::poplar::program::Execute(cs_, debugContext_));
    copyResults(results);
    return true;
  }

private:
  /// Groups and phases of a convolution.
  static constexpr std::size_t MOST_CONVOLUTIONS = 16;

  /// The phases of a dimension as dimensions of their own; none if one has no taps.
  std::vector<ConvPlanesDim> phasesOf(unsigned d) const {
    auto const dim = convPhasedDim(job_.check.params, d);
    std::vector<ConvPlanesDim> phases;
    for (std::size_t n = 0; dim && n != dim->phases.size(); ++n) {
      kernels::ConvPhase const &phase = dim->phases[n];
      if (phase.taps == 0)
        return {};
      ConvPlanesDim one = dim->all;
      one.outputs = dim->outputsOf(n);
      one.taps = phase.taps;
      one.first += phase.first;
      one.tapsTruncated += phase.weight;
      phases.push_back(one);
    }
    return phases;
  }

  bool choosePhases() {
    auto const &p = job_.check.params;
    auto const dims = static_cast<unsigned>(p.getNumFieldDims());
    if (p.outputChannelsPerConvGroup >= kernels::CONV_MAPS_FEW || dims == 0 || dims > 2 ||
        addsTapsLast(p) || updatesGroups(p))
      return false;
    phases_[0] = dims == 2 ? phasesOf(0) : std::vector<ConvPlanesDim>(1);
    phases_[1] = phasesOf(dims - 1);
    if (phases_[0].empty() || phases_[1].empty())
      return false;
    // Each has vertices and scratch of its own; many groups of few channels are not for planes.
    std::size_t const convolutions = p.numConvGroups * phases_[0].size() * phases_[1].size();
    if (convolutions > MOST_CONVOLUTIONS ||
        (p.numConvGroups > 1 && p.inputChannelsPerConvGroup < kernels::CONV_MAPS_CHANNELS))
      return false;
    auto const least = phases_[1].back().outputs;
    return least >= kernels::CONV_MAPS_LINE && convTaps(p) <= kernels::CONV_PLANES_MAX_TAPS &&
           convTaps(p) * p.outputChannelsPerConvGroup >= kernels::CONV_MAPS_PRODUCTS;
  }
  static std::size_t convTaps(::poplin::ConvParams const &p) {
    std::size_t taps = 1;
    for (std::size_t k : p.kernelShape)
      taps *= k;
    return taps;
  }

  void choose(ConvPlanesDim const &y, ConvPlanesDim const &x) {
    field_ = convField(y, x);
    tapStepY_ = static_cast<int>(phases_[0].size()),
    tapStepX_ = static_cast<int>(phases_[1].size());
  }

  /// Maps: in place, or copied.
  void chooseInput() {
    Tensor const &t = job_.in; // [groups, N, ...field, C]
    if (auto const in = stridedTensor(graph_, t);
        in && in->strides[in->strides.size() - 2] == 1 && !in->run.intersectsWith(job_.out)) {
      in_ = *in;
      return;
    }
    unsigned const last = t.rank() - 1;
    Tensor const turned = t.dimRoll(last, 2);
    Tensor const copy = variable(t.elementType(), turned.shape(), "maps");
    prog_.add(::poplar::program::Copy(turned, copy, false, debugContext_));
    in_ = *stridedTensor(graph_, copy.dimRoll(2, last));
  }

  void chooseWeights() {
    std::size_t const columns = job_.weights.dim(1);
    block_ = columns;
    auto const blocks = [&](Tensor const &t) { return t.reshapePartial(1, 2, {1, columns}); };
    if (auto const weights = stridedTensor(graph_, blocks(job_.weights));
        weights && !weights->run.intersectsWith(job_.out)) {
      weights_ = *weights;
      return;
    }
    Tensor const copy = variable(job_.weights.elementType(), job_.weights.shape(), "weights");
    prog_.add(::poplar::program::Copy(job_.weights, copy, false, debugContext_));
    weights_ = *stridedTensor(graph_, blocks(copy));
  }

  /// Results of phases to their places.
  void copyResults(std::vector<Tensor> const &results) {
    unsigned const rank = job_.out.rank();
    bool const plane = rank == 5;
    Tensor const out = job_.out.dimRoll(rank - 1, 1).dimRoll(rank - 1, 1); // [N, groups, O, field]
    std::size_t next = 0;
    auto const stepY = static_cast<unsigned>(phases_[0].size()),
               stepX = static_cast<unsigned>(phases_[1].size());
    for (unsigned y = 0; y != stepY; ++y)
      for (unsigned x = 0; x != stepX; ++x) {
        Tensor part = out.slice(x, out.dim(rank - 1), rank - 1).subSample(stepX, rank - 1);
        if (plane)
          part = part.slice(y, out.dim(3), 3).subSample(stepY, 3);
        prog_.add(::poplar::program::Copy(results[next++].reshape(part.shape()), part, false,
                                          debugContext_));
      }
  }

  std::vector<ConvPlanesDim> phases_[2]; ///< of y and x
};

} // namespace detail

POP_INLINE bool emitConvMaps(::poplar::Graph &graph, ConvJob const &job,
                             ::poplar::program::Sequence &prog,
                             ::poplar::DebugContext const &debugContext) {
  return detail::ConvMapsEmitter(graph, job, prog, debugContext).run() ||
         detail::ConvFewEmitter(graph, job, prog, debugContext).run();
}

} // namespace cottonwood::poplin
