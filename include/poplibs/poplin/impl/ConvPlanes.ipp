// Convolutions of groups of one channel plane by plane.
#pragma once

#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvFieldEmitter.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

/// Emits one convolution as vertices on tile 0 that read and write planes in place.
class ConvPlanesEmitter : ConvFieldEmitter {
public:
  ConvPlanesEmitter(::poplar::Graph &graph, ConvJob const &job, ::poplar::program::Sequence &prog,
                    ::poplar::DebugContext const &debugContext)
      : ConvFieldEmitter(graph, job, prog, debugContext) {}

  /// False if the kernel does not know the convolution, or would not find planes.
  bool run() {
    auto const &p = job_.check.params;
    if (job_.epilogue || !convolvesChannels(job_.check) || job_.check.problem.i != 1 ||
        !chooseShape() || !choosePlanes())
      return false;
    // Planes of the batch that lie one after another are those of one list of planes.
    std::size_t const groups = p.numConvGroups;
    bool const together = in_.strides[1] == static_cast<std::int64_t>(groups) * in_.strides[0];
    std::size_t const lists = together ? 1 : p.batchSize;
    std::size_t const planes = p.batchSize * groups / lists;
    std::size_t const parts =
        planConv(job_.where, graph_.getTarget(), job_.check, job_.options, job_.cache).plan.parts();
    std::size_t const each =
        poputil::ceilDiv(planes, std::min(poputil::ceilDiv(parts, lists), planes));
    cs_ = graph_.addComputeSet(debugContext_);
    for (std::size_t list = 0; list != lists; ++list)
      for (std::size_t plane = 0; plane < planes; plane += each)
        addVertex(list * planes, plane, std::min(plane + each, planes));
    prog_.add(::poplar::program::Execute(cs_, debugContext_));
    return true;
  }

private:
  bool chooseShape() {
    if (!chooseField())
      return false;
    auto const &shape = field_.shape;
    bool const inVectors = kernels::convPlanesShort(shape) &&
                           isa::vectorBytes(poputil::builtinIsa()) == kernels::CONV_SHORT_BYTES;
    int const least = inVectors            ? kernels::CONV_SHORT_LINE
                      : shape.strideX == 1 ? kernels::CONV_PLANES_LINE
                                           : kernels::CONV_PLANES_STRIDED_LINE;
    return shape.outputsX >= least && shape.taps() <= kernels::CONV_PLANES_MAX_TAPS;
  }

  /// Lines of the input and the whole result lie side by side.
  bool choosePlanes() {
    out_ = job_.out.dimRoll(job_.out.rank() - 2, 1); // [N, groups, ...field, 1]
    if (!chooseOperands(job_.weights, out_))
      return false;
    out_ = out_.flatten(0, 2);
    return in_.strides[0] != 1; // channels that lie side by side are for vectors of channels
  }

  /// Planes [begin, end) of those from plane `list` of the output on.
  void addVertex(std::size_t list, std::size_t begin, std::size_t end) {
    std::size_t const groups = job_.check.params.numConvGroups;
    auto const at = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    auto const &in = in_.strides, &weights = weights_.strides;
    // [groups, N, ...field, 1] and [groups, 1, ...kernel, 1]
    bool const plane = in.size() == 5;
    std::size_t const x = in.size() - 2;
    std::int64_t const inY = plane ? in[2] : 0, weightsY = plane ? weights[2] : 0;
    auto const v = addFieldVertex("poplin::ConvPlanes", field_.shape,
                                  kernels::convPlanesWorkspace(field_.shape),
                                  {in[0], inY, weights[0], weightsY, weights[x]});
    graph_.connect(v["out"], out_.slice(list + begin, list + end, 0).flatten());
    set(v, "inOffset",
        in_.offset + at(begin) * in[0] + at(list / groups) * in[1] + field_.inY * inY +
            field_.inX * in[x]);
    set(v, "weightsOffset", weights_.offset + field_.tapsY * weightsY + field_.tapsX * weights[x]);
    set(v, "planes", at(end - begin));
    set(v, "first", at(begin % groups)), set(v, "groups", at(groups));
    set(v, "outputs", std::int64_t{field_.shape.outputsY} * field_.shape.outputsX);
    set(v, "taps", at(field_.shape.taps()));
  }

  Tensor out_; ///< [N * groups, ...field, 1]
};

} // namespace detail

POP_INLINE bool emitConvPlanes(::poplar::Graph &graph, ConvJob const &job,
                               ::poplar::program::Sequence &prog,
                               ::poplar::DebugContext const &debugContext) {
  return detail::ConvPlanesEmitter(graph, job, prog, debugContext).run();
}

} // namespace cottonwood::poplin
