#pragma once

#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvOperand.hpp>
#include <poplin/impl/CpuEmitter.hpp>
#include <popops/Cast.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>
#include <optional>

namespace cottonwood::poplin {

namespace detail {

/// Emits one convolution by Winograd's minimal filtering on tile 0: a compute set that transforms
/// the weights, and one that does the rest.
class WinogradEmitter : CpuEmitter {
public:
  WinogradEmitter(::poplar::Graph &graph, ConvJob const &job, planner::ConvPlan const &plan,
                  ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext)
      : CpuEmitter(graph, prog, debugContext), job_(job), problem_(job_.check.problem), plan_(plan),
        strips_(kernels::winogradStrips(problem_.n)),
        stripFloats_(kernels::winogradWeights(plan.winograd, problem_.i)) {}

  void run() {
    Tensor const out = job_.out;
    if (!out.isContiguous())
      job_.out = variable(out.elementType(), out.shape(), "out");
    transformWeights();
    chooseInput();
    addParts();
    if (!out.isContiguous())
      prog_.add(::poplar::program::Copy(job_.out, out, false, debugContext_));
  }

private:
  /// createWeights() puts so many columns side by side.
  static constexpr std::size_t COLUMNS = kernels::MATMUL_MAX_TILE_COLUMNS;

  /// Weights as [groups, blocks of columns, columns of a block, y, x, blocks of channels, channels
  /// of a block], as kernels find them.
  struct Weights {
    StridedTensor at;
    std::size_t columnBlock = 1, channelBlock = 1;
  };

  /// Nothing if the weights do not lie at constant distances, not even in blocks.
  std::optional<Weights> readWeights(Tensor const &weights) const {
    std::size_t const n = problem_.n, i = problem_.i;
    for (std::size_t channelBlock : {i, COLUMNS})
      for (std::size_t columnBlock : {n, COLUMNS}) {
        if (n % columnBlock != 0 || i % channelBlock != 0)
          continue;
        Tensor const blocks = weights.reshapePartial(4, 5, {i / channelBlock, channelBlock})
                                  .reshapePartial(1, 2, {n / columnBlock, columnBlock});
        if (auto at = stridedTensor(graph_, blocks))
          return Weights{*std::move(at), columnBlock, channelBlock};
      }
    return std::nullopt;
  }

  void transformWeights() {
    auto weights = readWeights(job_.weights);
    if (!weights) {
      Tensor const copy = convWeightsVariable(graph_, job_.check, {debugContext_, "weights"});
      prog_.add(::poplar::program::Copy(job_.weights, copy, false, debugContext_));
      weights = readWeights(copy);
    }
    std::size_t const groups = problem_.g;
    weights_ = variable(::poplar::FLOAT, {groups, strips_, stripFloats_}, "transformed");
    ::poplar::ComputeSet const cs = graph_.addComputeSet({debugContext_, "transform"});
    std::size_t const parts =
        std::min<std::size_t>(strips_, poputil::ceilDiv(plan_.parts(), groups));
    std::size_t const each = poputil::ceilDiv(strips_, parts);
    for (std::size_t g = 0; g != groups; ++g)
      for (std::size_t s = 0; s < strips_; s += each)
        addTransform(cs, *weights, g, s, std::min(s + each, strips_));
    prog_.add(::poplar::program::Execute(cs, debugContext_));
  }

  /// Strips [begin, end) of a group.
  void addTransform(::poplar::ComputeSet const &cs, Weights const &weights, std::size_t g,
                    std::size_t begin, std::size_t end) {
    std::size_t const first = begin * kernels::WINOGRAD_STRIP;
    auto const v = graph_.addVertex(
        cs, ::poputil::templateVertex("poplin::WinogradWeights", job_.weights.elementType()),
        {{"in", weights.at.run}, {"out", weights_[g].slice(begin, end).flatten()}});
    // [groups, blocks of columns, columns, y, x, blocks of channels, channels]
    auto const &s = weights.at.strides;
    graph_.setInitialValue(v["strides"],
                           std::vector<long long>{s[3], s[4], s[6], s[5], s[2], s[1]});
    set(v, "offset", weights.at.offset + static_cast<std::int64_t>(g) * s[0]);
    set(v, "m", plan_.winograd);
    set(v, "channels", problem_.i), set(v, "channelBlock", weights.channelBlock);
    set(v, "columns", std::min<std::size_t>(end * kernels::WINOGRAD_STRIP, problem_.n) - first);
    set(v, "columnBlock", weights.columnBlock), set(v, "firstColumn", first);
    graph_.setTileMapping(v, 0);
  }

  /// Channels lie side by side, as floats, and are not written meanwhile.
  void chooseInput() {
    Tensor const &in = job_.in;
    bool const isFloat = in.elementType() == ::poplar::FLOAT;
    auto at = isFloat ? stridedTensor(graph_, in) : std::nullopt;
    if (at && (problem_.i == 1 || at->strides.back() == 1) && !at->run.intersectsWith(job_.out)) {
      in_ = *at;
      return;
    }
    Tensor const copy =
        convInputVariable(graph_, job_.check, ::poplar::FLOAT, {debugContext_, "in"});
    if (isFloat)
      prog_.add(::poplar::program::Copy(in, copy, false, debugContext_));
    else
      ::popops::castWithOutput(graph_, in, copy, prog_, {debugContext_, "cast"});
    in_ = *stridedTensor(graph_, copy);
  }

  using Interval = std::pair<std::size_t, std::size_t>;
  static std::size_t sizeOf(Interval i) { return i.second - i.first; }
  struct Part {
    Interval g, b, y, n;
  };

  /// f of each of the parts of [0, size), whose sizes are multiples of `grain`.
  template <class F>
  static void forParts(std::size_t size, std::size_t splits, std::size_t grain, F const &f) {
    std::size_t const each = poputil::roundUp(poputil::ceilDiv(size, splits), grain);
    for (std::size_t i = 0; i < size; i += each)
      f(Interval{i, std::min(i + each, size)});
  }

  void addParts() {
    ::poplar::ComputeSet const cs = graph_.addComputeSet(debugContext_);
    forParts(problem_.g, plan_.splitG, 1, [&](Interval g) {
      forParts(problem_.b, plan_.splitB, 1, [&](Interval b) {
        forParts(problem_.field[0].outputs, plan_.splitY0, plan_.winograd, [&](Interval y) {
          forParts(problem_.n, plan_.splitN, kernels::WINOGRAD_STRIP, [&](Interval n) {
            addPart(cs, {g, b, y, n});
          });
        });
      });
    });
    prog_.add(::poplar::program::Execute(cs, debugContext_));
  }

  void addPart(::poplar::ComputeSet const &cs, Part const &part) {
    auto const &params = job_.check.params;
    auto const v =
        graph_.addVertex(cs, ::poputil::templateVertex("poplin::Winograd", job_.out.elementType()),
                         {{"in", in_.run}, {"weights", weightsOf(part)}});
    connectOutput(v, part);
    std::size_t const floats = kernels::winogradWorkspace(plan_.winograd, problem_.i, plan_.pixels);
    graph_.connect(v["workspace"], variable(::poplar::FLOAT, {floats}, "workspace"));
    auto const &s = in_.strides;
    graph_.setInitialValue(v["strides"], std::vector<long long>{s[0], s[1], s[2], s[3]});
    set(v, "offset",
        in_.offset + static_cast<std::int64_t>(part.g.first) * s[0] +
            static_cast<std::int64_t>(part.b.first) * s[1]);
    auto const padding = [&](unsigned d) {
      return static_cast<long long>(params.inputTransform.paddingLower[d]);
    };
    set(v, "firstY", static_cast<long long>(part.y.first) - padding(0));
    set(v, "firstX", -padding(1));
    set(v, "m", plan_.winograd);
    set(v, "inputsY", params.inputFieldShape[0]), set(v, "inputsX", params.inputFieldShape[1]);
    set(v, "batch", sizeOf(part.b)), set(v, "groups", sizeOf(part.g));
    set(v, "outputsY", sizeOf(part.y)), set(v, "outputsX", problem_.field[1].outputs);
    set(v, "channels", problem_.i), set(v, "columns", sizeOf(part.n));
    set(v, "blocks", plan_.pixels);
    graph_.setTileMapping(v, 0);
  }

  /// Parts of the columns begin with a strip.
  Tensor weightsOf(Part const &part) const {
    std::size_t const end = kernels::winogradStrips(part.n.second);
    return weights_.slice(part.g.first, part.g.second, 0)
        .slice(part.n.first / kernels::WINOGRAD_STRIP, end, 1)
        .flatten();
  }

  void connectOutput(::poplar::VertexRef const &v, Part const &part) {
    Tensor const out = job_.out.slice(part.b.first, part.b.second, 0)
                           .slice(part.y.first, part.y.second, 1)
                           .slice(part.g.first, part.g.second, 3)
                           .slice(part.n.first, part.n.second, 4);
    std::size_t const pixels =
        out.isContiguous() ? 1 : sizeOf(part.b) * sizeOf(part.y) * problem_.field[1].outputs;
    Tensor const rows = out.reshape({pixels, out.numElements() / pixels});
    graph_.setFieldSize(v["out"], pixels);
    for (std::size_t i = 0; i != pixels; ++i)
      graph_.connect(v["out"][i], rows[i]);
  }

  ConvJob job_;
  planner::ConvProblem const &problem_;
  planner::ConvPlan const &plan_;
  std::size_t const strips_, stripFloats_; ///< of a group; of a strip
  Tensor weights_;                         ///< [groups, strips, floats of a strip]
  StridedTensor in_;                       ///< [groups, N, y, x, C]
};

} // namespace detail

POP_INLINE void emitConvWinograd(::poplar::Graph &graph, ConvJob const &job,
                                 planner::ConvPlan const &plan, ::poplar::program::Sequence &prog,
                                 ::poplar::DebugContext const &debugContext) {
  detail::WinogradEmitter(graph, job, plan, prog, debugContext).run();
}

} // namespace cottonwood::poplin
