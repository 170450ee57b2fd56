#pragma once

#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popnn/impl/Config.hpp>
#include <popnn/impl/PoolCodelets.hpp>

#include <codelets/popnn/Loss.hpp>
#include <codelets/popnn/LossCost.hpp>
#include <codelets/popnn/Softmax.hpp>
#include <codelets/popnn/SoftmaxCost.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/codelet/Libraries.hpp>
#include <poplar/impl/codelet/Registry.hpp>

// Names, fields and costs of the vertices of codelets/popnn. The indices that a cost function asks
// for are the positions of the fields in their class.

namespace cottonwood::vertices {

/// \tparam OUT, LENGTH, KIND  positions of those fields; KIND = 0: the gradient, which has none
template <unsigned BYTES, unsigned OUT, unsigned LENGTH, unsigned KIND>
codelet::Cost costOfSoftmax(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  SoftmaxCostProblem problem;
  std::uint64_t const elements = sizes.elements(OUT);
  std::int64_t const length = sizes.stateInt(LENGTH);
  problem.length = length > 0 ? static_cast<std::uint64_t>(length) : 1;
  problem.rows = elements / problem.length;
  problem.elementBytes = BYTES;
  problem.gradient = KIND == 0;
  problem.findsMaximum =
      KIND != 0 && sizes.stateInt(KIND) != static_cast<int>(kernels::SoftmaxKind::PLAIN);
  return {softmaxCycles(problem, machine.workers), 4 * elements};
}

template <class Tag, class T> poputil::VertexText describeVertex(Softmax<Tag, T> *) {
  using V = Softmax<Tag, T>;
  return {poputil::templateName<T>("popnn::Softmax"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, length), POP_FIELD(V, kind)},
          &costOfSoftmax<sizeof(T), 1, 2, 3>};
}
template <class Tag, class T> poputil::VertexText describeVertex(SoftmaxInPlace<Tag, T> *) {
  using V = SoftmaxInPlace<Tag, T>;
  return {poputil::templateName<T>("popnn::SoftmaxInPlace"),
          {POP_FIELD(V, data), POP_FIELD(V, length), POP_FIELD(V, kind)},
          &costOfSoftmax<sizeof(T), 0, 1, 2>};
}
template <class Tag, class T> poputil::VertexText describeVertex(SoftmaxGradient<Tag, T> *) {
  using V = SoftmaxGradient<Tag, T>;
  return {poputil::templateName<T>("popnn::SoftmaxGradient"),
          {POP_FIELD(V, activation), POP_FIELD(V, outGradient), POP_FIELD(V, out),
           POP_FIELD(V, length)},
          &costOfSoftmax<sizeof(T), 2, 3, 0>};
}

/// \tparam ROWS, CLASSES  positions of the field with one element a row and of the number of
/// classes
template <LossKind KIND, unsigned BYTES, unsigned ROWS, unsigned CLASSES>
codelet::Cost costOfLoss(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  std::uint64_t const rows = sizes.elements(ROWS);
  auto const classes = static_cast<std::uint64_t>(sizes.stateInt(CLASSES));
  return {lossCycles(KIND, rows, classes, BYTES, machine.workers), 3 * rows * classes};
}

template <class Tag, class T, class Label>
poputil::VertexText describeVertex(CrossEntropyLoss<Tag, T, Label> *) {
  using V = CrossEntropyLoss<Tag, T, Label>;
  return {poputil::templateName<T, Label>("popnn::CrossEntropyLoss"),
          {POP_FIELD(V, outputs), POP_FIELD(V, labels), POP_FIELD(V, deltas), POP_FIELD(V, loss),
           POP_FIELD(V, deltasScale), POP_FIELD(V, outputScaling), POP_FIELD(V, classes),
           POP_FIELD(V, firstClass)},
          &costOfLoss<LossKind::CROSS_ENTROPY, sizeof(T), 3, 6>};
}
template <class Tag, class T, class Label>
poputil::VertexText describeVertex(SumSquaredLoss<Tag, T, Label> *) {
  using V = SumSquaredLoss<Tag, T, Label>;
  return {poputil::templateName<T, Label>("popnn::SumSquaredLoss"),
          {POP_FIELD(V, outputs), POP_FIELD(V, labels), POP_FIELD(V, deltas), POP_FIELD(V, loss),
           POP_FIELD(V, classes), POP_FIELD(V, firstClass)},
          &costOfLoss<LossKind::SUM_SQUARED, sizeof(T), 3, 4>};
}
template <class Tag, class T, class Label>
poputil::VertexText describeVertex(CorrectRows<Tag, T, Label> *) {
  using V = CorrectRows<Tag, T, Label>;
  return {
      poputil::templateName<T, Label>("popnn::CorrectRows"),
      {POP_FIELD(V, outputs), POP_FIELD(V, labels), POP_FIELD(V, correct), POP_FIELD(V, classes)},
      &costOfLoss<LossKind::CORRECT_ROWS, sizeof(T), 2, 3>};
}

} // namespace cottonwood::vertices

namespace cottonwood::popnn {

/// The codelets of this library for an instruction set, made once.
POP_INLINE std::vector<codelet::Codelet> const &builtinCodelets(isa::Isa isa) {
  return poputil::codeletsOf(isa, [isa](std::vector<codelet::Codelet> &codelets) {
    poputil::appendFamily<vertices::SoftmaxFamily>(isa, codelets);
    poputil::appendFamily<vertices::LossFamily>(isa, codelets);
    poputil::appendFamily<vertices::PoolFamily>(isa, codelets);
  });
}

inline bool const registered =
    codelet::registerLibrary("popnn", &poputil::codeletsNamed<&builtinCodelets>);

} // namespace cottonwood::popnn

namespace popnn {

POP_INLINE void addCodelets(poplar::Graph &graph) {
  poplin::addCodelets(graph); // norms are made of its vertices
  cottonwood::codelet::addToGraph(
      graph, cottonwood::popnn::builtinCodelets(cottonwood::poputil::builtinIsa()));
}

} // namespace popnn
