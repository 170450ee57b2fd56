// What emitters of convolutions whose fields lie side by side have in common.
#pragma once

#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvField.hpp>
#include <poplin/impl/ConvOperand.hpp>
#include <poplin/impl/CpuEmitter.hpp>
#include <poputil/VertexTemplates.hpp>

#include <vector>

namespace cottonwood::poplin::detail {

/// Vertices read operands and write the result in place.
class ConvFieldEmitter : protected CpuEmitter {
protected:
  ConvFieldEmitter(::poplar::Graph &graph, ConvJob const &job, ::poplar::program::Sequence &prog,
                   ::poplar::DebugContext const &debugContext)
      : CpuEmitter(graph, prog, debugContext), job_(job) {}

  /// False if the kernels do not know the field.
  bool chooseField() {
    auto const field = convField(job_.check.params);
    if (field)
      field_ = *field;
    return field.has_value();
  }

  /// False if operands, of which weights are given as kernels want them, are at no constant
  /// distances, if lines of the input or the result, channels before the field, do not lie side by
  /// side, or if they overlap.
  bool chooseOperands(Tensor const &weights, Tensor const &out) {
    auto const in = stridedTensor(graph_, job_.in), kernel = stridedTensor(graph_, weights);
    if (!in || !kernel || !out.isContiguous() || in->run.intersectsWith(job_.out) ||
        kernel->run.intersectsWith(job_.out))
      return false;
    in_ = *in, weights_ = *kernel;
    return field_.shape.inputsX == 1 || in_.strides[in_.strides.size() - 2] == 1;
  }

  /// A vertex on the tile that has the operands, and all fields of its own to be set.
  ::poplar::VertexRef addFieldVertex(char const *name, kernels::ConvPlanesShape const &shape,
                                     std::size_t workspace, std::vector<long long> const &strides) {
    auto const v = graph_.addVertex(
        cs_, ::poputil::templateVertex(name, job_.weights.elementType(), job_.out.elementType()),
        {{"in", in_.run},
         {"weights", weights_.run},
         {"workspace", variable(::poplar::FLOAT, {workspace}, "workspace")}});
    graph_.setInitialValue(v["shape"], numbersOf(shape));
    graph_.setInitialValue(v["strides"], strides);
    graph_.setTileMapping(v, 0);
    return v;
  }

  /// Distances of neighbours in the field's first dimension, if there are two, and its last; the
  /// field of a tensor is before its last dimension.
  static std::int64_t yOf(StridedTensor const &t) {
    return t.strides.size() == 5 ? t.strides[2] : 0;
  }
  static std::int64_t xOf(StridedTensor const &t) { return t.strides[t.strides.size() - 2]; }

  ConvJob const &job_;
  ConvField field_;
  StridedTensor in_, weights_;
  ::poplar::ComputeSet cs_;
};

} // namespace cottonwood::poplin::detail
