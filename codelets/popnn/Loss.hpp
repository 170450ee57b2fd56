/// \file Loss.hpp
/// Losses against integer labels, and correct predictions.
///
/// Vertices (MultiVertex; T is float or half, Label is unsigned int or int)
///   popnn::CrossEntropyLoss<T, Label>
///       deltas[b, c] = (s / m) (outputs[b, c] - m [c = label]),  s = deltasScale, m =
///       outputScaling loss[b]      = log(m) - log(outputs[b, label] + eps) eps = 1.17549435e-38
///       for float, 5.9605e-8 for half; outputs are probabilities times m
///   popnn::SumSquaredLoss<T, Label>
///       deltas[b, c] = outputs[b, c] - [c = label];  loss[b] = sum over c of deltas^2 / 2
///   popnn::CorrectRows<T, Label>
///       correct[b] = 1 if the first maximum of outputs[b, :] is at label, else 0; NaN is none
/// A row whose label is MASKED_LABEL_CODE (0xffffffff, -1) has loss 0, deltas 0, correct 0. A label
/// that is no class selects none: [c = label] is 0 everywhere and the loss has no such term.
/// Fields
///   outputs        Input<Vector<T, ONE_PTR>>   [rows, classes], row-major
///   labels         Input<Vector<Label, ONE_PTR>>   [rows]
///   deltas         Output<Vector<T, ONE_PTR>>   [rows, classes]; may be the memory of outputs
///   loss           Output<Vector<T, SPAN>>   [rows]
///   correct        Output<Vector<unsigned int, SPAN>>   [rows] (CorrectRows instead of the last
///   two)
///   classes        unsigned, at least 1
///   deltasScale, outputScaling  Input<float> (CrossEntropyLoss): connect constants of 1 if there
///                  is no scaling
///   firstClass     unsigned (not CorrectRows): that of a row's first element. Losses of the parts
///                  of a row add up
/// Computed in float and rounded to T once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popnn/LossKernel.hpp>

namespace cottonwood::vertices {

template <class T>
using LossInput = poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>>;

template <class Tag, class T, class Label> class CrossEntropyLoss : public poplar::MultiVertex {
public:
  LossInput<T> outputs;
  LossInput<Label> labels;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> deltas;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> loss;
  poplar::Input<float> deltasScale, outputScaling;
  unsigned classes, firstClass;

  bool compute(Workers workers) {
    const WorkerShare rows = workerShare(loss.size(), workers, 1);
    for (std::size_t row = rows.begin; row < rows.end; ++row)
      kernels::crossEntropyRow<Tag>(
          kernelPointer(outputs.data()) + row * classes,
          kernels::labelFrom(static_cast<std::uint32_t>(labels[row]), firstClass),
          kernelPointer(deltas.data()) + row * classes, kernelPointer(loss.data()) + row, classes,
          *deltasScale, *outputScaling);
    return true;
  }
};

template <class Tag, class T, class Label> class SumSquaredLoss : public poplar::MultiVertex {
public:
  LossInput<T> outputs;
  LossInput<Label> labels;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> deltas;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> loss;
  unsigned classes, firstClass;

  bool compute(Workers workers) {
    const WorkerShare rows = workerShare(loss.size(), workers, 1);
    for (std::size_t row = rows.begin; row < rows.end; ++row)
      kernels::sumSquaredRow<Tag>(
          kernelPointer(outputs.data()) + row * classes,
          kernels::labelFrom(static_cast<std::uint32_t>(labels[row]), firstClass),
          kernelPointer(deltas.data()) + row * classes, kernelPointer(loss.data()) + row, classes);
    return true;
  }
};

template <class Tag, class T, class Label> class CorrectRows : public poplar::MultiVertex {
public:
  LossInput<T> outputs;
  LossInput<Label> labels;
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> correct;
  unsigned classes;

  bool compute(Workers workers) {
    const WorkerShare rows = workerShare(correct.size(), workers, 1);
    std::size_t row = rows.begin;
    if constexpr (constexpr std::size_t W = simd<float, Tag>::width; W > 1)
      if (classes <= kernels::CORRECT_COLUMNS<Tag>)
        for (; row + W <= rows.end; row += W)
          kernels::isCorrectColumns<Tag>(
              kernelPointer(outputs.data()) + row * classes,
              reinterpret_cast<const std::int32_t *>(labels.data()) + row, classes,
              reinterpret_cast<std::int32_t *>(correct.data()) + row);
    for (; row < rows.end; ++row)
      correct[row] = kernels::isCorrectRow<Tag>(kernelPointer(outputs.data()) + row * classes,
                                                static_cast<std::uint32_t>(labels[row]), classes);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct LossFamily {
  template <class Tag, class T, class Label>
  using Forms = VertexList<CrossEntropyLoss<Tag, T, Label>, SumSquaredLoss<Tag, T, Label>,
                           CorrectRows<Tag, T, Label>>;
  template <class Tag>
  using Vertices = JoinLists<Forms<Tag, float, unsigned>, Forms<Tag, float, int>,
                             Forms<Tag, poplar::half, unsigned>, Forms<Tag, poplar::half, int>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
