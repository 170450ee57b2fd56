#pragma once

#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvOperand.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <poplin/impl/CpuEmitter.hpp>
#include <popops/Cast.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>
#include <optional>

namespace cottonwood::poplin {

namespace detail {

using ShapeVector = std::vector<std::size_t>;

/// The dimension of rank `rank` that moves to the place before `to`: an order for dimShuffle.
POP_INLINE std::vector<unsigned> movedTo(unsigned rank, unsigned from, unsigned to) {
  std::vector<unsigned> order;
  for (unsigned d = 0; d != rank; ++d)
    if (d != from)
      order.push_back(d);
  order.insert(order.begin() + to, from);
  return order;
}

/// Emits one convolution as vertices on tile 0 that read their operands in place.
class CpuConvEmitter : CpuEmitter {
public:
  CpuConvEmitter(::poplar::Graph &graph, ConvJob const &job, planner::ConvPlan const &plan,
                 ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext)
      : CpuEmitter(graph, prog, debugContext), job_(job), params_(job.check.params),
        channels_(convolvesChannels(job.check)),
        dims_(static_cast<unsigned>(params_.getNumFieldDims())), plan_(plan) {}

  void run() {
    chooseOutput();
    chooseInput();
    chooseWeights();
    addVertices();
    if (copyTo_.valid())
      prog_.add(::poplar::program::Copy(job_.out, copyTo_, false, debugContext_));
  }

private:
  /// Vertices write the channels of an output side by side.
  void chooseOutput() {
    Tensor const &out = job_.out;
    if (out.isContiguous())
      return;
    copyTo_ = out;
    job_.out = variable(out.elementType(), out.shape(), "out");
  }

  /// Groups in a channel kernel lie side by side, and so do channels for sums in blocks or if the
  /// plan says so; else vertices read floats at any distances.
  void chooseInput() {
    Tensor const &in = job_.in;
    bool const inBlocks = kernels::inMatMulBlocks(plan_.method);
    // Functions of the application know vertices that read floats.
    readsHalves_ = inBlocks && in.elementType() == ::poplar::HALF && !job_.epilogue;
    bool const converted = !channels_ && !readsHalves_ && in.elementType() != ::poplar::FLOAT;
    auto strided = converted ? std::nullopt : stridedTensor(graph_, in);
    bool const channelsLast = inBlocks || (plan_.packIn != 0 && !channels_);
    if (strided && ((channels_ && strided->strides[0] != 1) ||
                    (channelsLast && strided->strides.back() != 1) || leapsLines(*strided)))
      strided.reset();
    if (strided && !strided->run.intersectsWith(job_.out)) {
      in_ = *strided;
      return;
    }
    ::poplar::Type const type = converted ? ::poplar::FLOAT : in.elementType();
    Tensor const copy = convInputVariable(graph_, job_.check, type, {debugContext_, "in"});
    if (type != in.elementType())
      ::popops::castWithOutput(graph_, in, copy, prog_, {debugContext_, "cast"});
    else
      prog_.add(::poplar::program::Copy(in, copy, false, debugContext_));
    in_ = *stridedTensor(graph_, copy);
  }

  /// Whether taps of a line are so far apart that each has cache lines of its own, which neighbours
  /// of the batch would share: as in the gradient of weights of a layer with strides.
  bool leapsLines(StridedTensor const &in) const {
    constexpr std::int64_t LINE = 16;
    constexpr std::size_t WORTH = 64; // outputs that an input meets
    if (channels_ || dims_ == 0 || params_.batchSize == 1)
      return false;
    return params_.kernelTransform.dilation[dims_ - 1] > 1 && in.strides[1] == 1 &&
           in.strides[1 + dims_] >= LINE && params_.outputChannelsPerConvGroup >= WORTH;
  }

  void chooseWeights() {
    if (readWeights(job_.weights) && !weights_.run.intersectsWith(job_.out))
      return;
    Tensor const copy = convWeightsVariable(graph_, job_.check, {debugContext_, "weights"});
    prog_.add(::poplar::program::Copy(job_.weights, copy, false, debugContext_));
    readWeights(copy);
  }

  /// Strides of weights as [groups, blocks of columns, columns of a block, ...kernel, I], or with I
  /// as [blocks, channels of a block]: so lie the forward weights in a backward convolution.
  bool readWeights(Tensor const &weights) {
    std::size_t const columns = weights.dim(1), channels = weights.dim(weights.rank() - 1);
    block_ = channels_ ? columns : convBlockOf(columns);
    channelBlock_ = channels;
    Tensor blocks = weights.reshapePartial(1, 2, {columns / block_, block_});
    auto strided = stridedTensor(graph_, blocks);
    if (!strided && !channels_ && channels % CONV_BLOCK == 0) {
      channelBlock_ = CONV_BLOCK;
      unsigned const last = blocks.rank() - 1;
      strided = stridedTensor(
          graph_, blocks.reshapePartial(last, last + 1, {channels / CONV_BLOCK, CONV_BLOCK}));
    }
    if (!strided || (channels_ && strided->strides[0] != 1))
      return false;
    weights_ = *strided;
    return true;
  }

  /// A part of the output; ranges are [begin, end) of groups, batch, the first two dimensions of
  /// the field, and columns.
  struct Part {
    enum Dim { G, B, Y0, Y1, N };
    std::array<std::size_t, 5> begin, end;
    std::size_t size(Dim d) const { return end[d] - begin[d]; }
  };

  void addVertices() {
    chooseVertex();
    cs_ = graph_.addComputeSet(debugContext_);
    auto const &p = job_.check.problem;
    std::array<std::size_t, 5> const sizes{p.g, p.b, p.field[0].outputs, p.field[1].outputs, p.n};
    std::array<std::size_t, 5> const splits{plan_.splitG, plan_.splitB, plan_.splitY0,
                                            plan_.splitY1, plan_.splitN};
    std::array<std::size_t, 5> each{};
    for (std::size_t d = 0; d != 5; ++d)
      each[d] = poputil::ceilDiv(sizes[d], splits[d]);
    // Blocks of weights are not cut.
    if (block_ != p.n)
      each[Part::N] = poputil::roundUp(each[Part::N], block_);
    // The channels that an epilogue sees lie side by side in the result.
    if (epilogue_ && each[Part::N] < p.n)
      each[Part::G] = 1;
    Part part{};
    addParts(part, 0, sizes, each);
    prog_.add(::poplar::program::Execute(cs_, debugContext_));
  }

  void chooseVertex() {
    auto const in = job_.weights.elementType(), out = job_.out.elementType();
    type_ = ::poputil::templateVertex(channels_      ? "poplin::ConvChannels"
                                      : readsHalves_ ? "poplin::ConvTiles"
                                                     : "poplin::Conv",
                                      in, out);
    if (!job_.epilogue)
      return;
    type_ = epilogueVertex(channels_ ? "poplin::ConvChannelsWith" : "poplin::ConvWith", in, out,
                           *job_.epilogue);
    epilogue_.emplace(graph_, *job_.epilogue, job_.operands, job_.out, prog_, debugContext_);
  }

  /// What kernels::ConvRowsOf reads, and the first channel.
  std::vector<unsigned> placeOf(Part const &part) const {
    auto const &p = job_.check.problem;
    std::vector<unsigned> place;
    auto const add = [&](std::initializer_list<std::size_t> numbers) {
      for (std::size_t number : numbers)
        place.push_back(static_cast<unsigned>(number));
    };
    std::size_t const rest = p.rest.outputs;
    add({part.size(Part::Y0), part.size(Part::Y1), rest});
    add({part.begin[Part::B], part.begin[Part::Y0], part.begin[Part::Y1], 0});
    add({p.b, p.field[0].outputs, p.field[1].outputs, rest});
    add({part.begin[Part::G] * p.n + part.begin[Part::N]});
    return place;
  }

  void addParts(Part &part, std::size_t d, std::array<std::size_t, 5> const &sizes,
                std::array<std::size_t, 5> const &each) {
    if (d == sizes.size())
      return addVertex(part);
    for (std::size_t i = 0; i < sizes[d]; i += each[d]) {
      part.begin[d] = i, part.end[d] = std::min(i + each[d], sizes[d]);
      addParts(part, d + 1, sizes, each);
    }
  }

  void addVertex(Part const &part) {
    ConvTable const table = tableOf(part);
    auto const v = graph_.addVertex(cs_, type_, {{"in", in_.run}, {"weights", weights_.run}});
    connectOutput(v, part, table.outputs());
    auto const blocking = plan_.blocking();
    std::size_t const scratch = table.workspace(blocking, part.size(Part::N));
    graph_.connect(v["workspace"], variable(::poplar::FLOAT, {scratch}, "workspace"));
    graph_.setInitialValue(v["table"], table.table());
    graph_.setInitialValue(v["strides"], table.strides());
    setOperands(v, part);
    // To a channel kernel groups are columns.
    std::size_t const groups = part.size(Part::G), columns = part.size(Part::N);
    set(v, "groups", channels_ ? 1 : groups);
    set(v, "columns", channels_ ? groups : columns);
    set(v, "outPixel", groups * columns);
    set(v, "dims", table.dims());
    set(v, "depth", blocking.depth), set(v, "enough", blocking.enough);
    set(v, "pixels", blocking.pixels), set(v, "method", static_cast<unsigned>(blocking.method));
    set(v, "setRows", blocking.setRows), set(v, "copyBytes", blocking.copyBytes);
    set(v, "blockColumns", blocking.columns);
    set(v, "outputs", table.outputs()), set(v, "inChannels", params_.inputChannelsPerConvGroup);
    set(v, "taps", table.taps() / params_.inputChannelsPerConvGroup);
    if (epilogue_)
      epilogue_->setFields(v, placeOf(part));
    graph_.setTileMapping(v, 0);
  }

  /// Outputs and taps of a part: batch, field, channels.
  ConvTable tableOf(Part const &part) const {
    ConvTable table;
    std::size_t const channels = params_.inputChannelsPerConvGroup;
    bool const ordered = !kernels::inMatMulBlocks(plan_.method);
    bool const imagesFirst = ordered && updatesGroups(params_);
    bool const tapsLast = ordered && !imagesFirst && addsTapsLast(params_);
    auto const inStride = [&](std::size_t d) { return in_.strides[1 + d]; };
    auto const addChannels = [&] {
      auto const block = static_cast<std::int64_t>(channelBlock_);
      if (channelBlock_ != channels)
        table.addTaps(channels / channelBlock_, in_.strides.back() * block,
                      weights_.strides[weights_.strides.size() - 2]);
      table.addTaps(channelBlock_, in_.strides.back(), weights_.strides.back());
    };
    table.addOutputs(part.size(Part::B), inStride(0));
    if (imagesFirst)
      addChannels();
    for (unsigned d = 0; d != dims_; ++d) {
      if (tapsLast && d + 1 == dims_)
        addChannels();
      auto const &kernel = params_.kernelTransform;
      IndexRange const taps{kernel.truncationLower[d],
                            params_.kernelShape[d] - kernel.truncationUpper[d]};
      table.addField(params_, d, outputsOf(part, d), taps, 0, inStride(1 + d),
                     weights_.strides[3 + d]);
    }
    if (!tapsLast && !imagesFirst)
      addChannels();
    return table;
  }

  IndexRange outputsOf(Part const &part, unsigned d) const {
    if (d < 2)
      return {part.begin[Part::Y0 + d], part.end[Part::Y0 + d]};
    return {0, params_.getOutputSize(d)};
  }

  void connectOutput(::poplar::VertexRef const &v, Part const &part, std::size_t pixels) {
    Tensor c = job_.out.slice(part.begin[Part::B], part.end[Part::B], 0);
    for (unsigned d = 0; d < std::min(dims_, 2U); ++d)
      c = c.slice(part.begin[Part::Y0 + d], part.end[Part::Y0 + d], 1 + d);
    c = c.slice(part.begin[Part::G], part.end[Part::G], 1 + dims_);
    c = c.slice(part.begin[Part::N], part.end[Part::N], 2 + dims_);
    if (c.isContiguous()) {
      graph_.setFieldSize(v["out"], 1);
      graph_.connect(v["out"][0], c.flatten());
      return;
    }
    Tensor const rows = c.reshape({pixels, c.numElements() / pixels});
    graph_.setFieldSize(v["out"], pixels);
    for (std::size_t i = 0; i != pixels; ++i)
      graph_.connect(v["out"][i], rows[i]);
  }

  void setOperands(::poplar::VertexRef const &v, Part const &part) {
    auto const at = [](std::size_t x) { return static_cast<std::int64_t>(x); };
    std::int64_t const group = in_.strides[0];
    set(v, "inOffset",
        in_.offset + at(part.begin[Part::G]) * group + at(part.begin[Part::B]) * in_.strides[1]);
    set(v, "inGroup", group);
    auto const &strides = weights_.strides;
    std::size_t const n = part.begin[Part::N];
    std::int64_t weights = weights_.offset + at(part.begin[Part::G]) * strides[0] +
                           at(n / block_) * strides[1] + at(n % block_) * strides[2];
    for (unsigned d = 0; d != dims_; ++d)
      weights += at(params_.kernelTransform.truncationLower[d]) * strides[3 + d];
    set(v, "weightsOffset", weights);
    set(v, "weightsGroup", strides[0]);
    set(v, "weightsColumn", channels_ ? 1 : strides[2]);
    set(v, "weightsBlockStride", strides[1]);
    // Columns of a part count from its first one.
    bool const whole = channels_ || block_ == job_.check.problem.n;
    set(v, "weightsBlock", whole ? std::size_t{1} << 31U : block_);
  }

  ConvJob job_;
  ::poplin::ConvParams const &params_;
  Tensor copyTo_; ///< invalid: the result is written in place
  std::optional<EpilogueEmitter> epilogue_;
  bool const channels_;
  bool readsHalves_ = false;
  unsigned const dims_;
  planner::ConvPlan const plan_;
  StridedTensor in_, weights_;
  std::size_t block_ = 1;        ///< columns of weights that lie at equal distances
  std::size_t channelBlock_ = 1; ///< input channels of weights that do
  std::string type_;
  ::poplar::ComputeSet cs_;
};

} // namespace detail

POP_INLINE void emitConvCpu(::poplar::Graph &graph, ConvJob const &job,
                            ::poplar::program::Sequence &prog,
                            ::poplar::DebugContext const &debugContext) {
  auto const plan = planConv(job.where, graph.getTarget(), job.check, job.options, job.cache).plan;
  if (plan.winograd != 0)
    emitConvWinograd(graph, job, plan, prog, debugContext);
  else
    detail::CpuConvEmitter(graph, job, plan, prog, debugContext).run();
}

// Channels last: what a kernel reads for one tap is then one piece of memory. Where groups are
// vectors they come last.
POP_INLINE Tensor convInputVariable(::poplar::Graph &graph, ConvCheck const &check,
                                    ::poplar::Type const &type,
                                    ::poplar::DebugContext const &debugContext) {
  auto const &p = check.params;
  std::vector<std::size_t> shape{p.batchSize};
  shape.insert(shape.end(), p.inputFieldShape.begin(), p.inputFieldShape.end());
  auto const rank = static_cast<unsigned>(shape.size()) + 2;
  std::vector<std::size_t> channels{p.numConvGroups, p.inputChannelsPerConvGroup};
  bool const groupsLast = convolvesChannels(check);
  if (groupsLast)
    std::swap(channels[0], channels[1]);
  shape.insert(shape.end(), channels.begin(), channels.end());
  Tensor const t = graph.addVariable(type, shape, debugContext);
  graph.setTileMapping(t, 0);
  return t.dimShuffle(detail::movedTo(rank, groupsLast ? rank - 1 : rank - 2, 0));
}

// Strips of columns, each as one stream of memory.
POP_INLINE Tensor convWeightsVariable(::poplar::Graph &graph, ConvCheck const &check,
                                      ::poplar::DebugContext const &debugContext) {
  auto const &p = check.params;
  std::size_t const n = p.outputChannelsPerConvGroup, i = p.inputChannelsPerConvGroup;
  bool const channels = convolvesChannels(check);
  bool const blocked = !channels && n % detail::CONV_BLOCK == 0;
  std::size_t const blocks = blocked ? n / detail::CONV_BLOCK : 1;
  std::size_t const g = p.numConvGroups;
  auto const kernelDims = static_cast<unsigned>(p.kernelShape.size());
  std::vector<std::size_t> shape;
  if (!channels)
    shape = {g, blocks};
  shape.insert(shape.end(), p.kernelShape.begin(), p.kernelShape.end());
  shape.push_back(i);
  if (channels) {
    shape.insert(shape.end(), {g, n});
    Tensor const t = graph.addVariable(p.inputType, shape, debugContext);
    graph.setTileMapping(t, 0);
    // [...kernel, I, G, O]
    std::vector<unsigned> order{kernelDims + 1, kernelDims + 2};
    for (unsigned d = 0; d <= kernelDims; ++d)
      order.push_back(d);
    return t.dimShuffle(order);
  }
  shape.push_back(n / std::max<std::size_t>(blocks, 1));
  Tensor const t = graph.addVariable(p.inputType, shape, debugContext);
  graph.setTileMapping(t, 0);
  // [G, blocks, ...kernel, I, columns of a block]
  unsigned const rank = kernelDims + 4;
  return t.dimShuffle(detail::movedTo(rank, rank - 1, 2)).reshapePartial(1, 3, {n});
}

POP_INLINE Tensor convOutputVariable(::poplar::Graph &graph, ConvCheck const &check,
                                     ::poplar::DebugContext const &debugContext) {
  auto const &p = check.params;
  std::vector<std::size_t> shape{p.batchSize};
  auto const field = p.getOutputFieldShape();
  shape.insert(shape.end(), field.begin(), field.end());
  shape.insert(shape.end(), {p.numConvGroups, p.outputChannelsPerConvGroup});
  Tensor const t = graph.addVariable(p.outputType, shape, debugContext);
  return t;
}

} // namespace cottonwood::poplin
