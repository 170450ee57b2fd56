/// \file Softmax.hpp
/// Softmax and log-softmax of rows, and the gradient of softmax.
///
/// Vertices (MultiVertex; T is float or half)
///   popnn::Softmax<T>          out = f(in), row by row
///   popnn::SoftmaxInPlace<T>   data = f(data)
///   popnn::SoftmaxGradient<T>  out = g y - y sum(g y)   y = activation (the softmax), g =
///   outGradient
/// Fields
///   in, out      Input<Vector<T, ONE_PTR>>, Output<Vector<T, SPAN>>   [rows, length], row-major
///   data         InOut<Vector<T, SPAN>>
///   activation, outGradient  Input<Vector<T, ONE_PTR>>
///   length       unsigned, elements of a row, at least 1
///   kind         unsigned, SoftmaxKind (not in SoftmaxGradient)
///
/// SOFTMAX e^x / sum(e^x); STABLE with the row's maximum subtracted first, unless all of the row is
/// within SOFTMAX_NEAR of zero; SCALED as STABLE with rows that sum to 62000; LOG
/// x - max - log(sum(e^(x - max))). Computed in float, the sum in the fixed order of Reduce.hpp, of
/// rows longer than 65536 that of each such part, which are added in double; rounded to T once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popnn/SoftmaxKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class Softmax : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  unsigned length, kind;

  bool compute(Workers workers) {
    const WorkerShare rows = workerShare(out.size() / length, workers, 1);
    kernels::softmaxRows<Tag>(static_cast<kernels::SoftmaxKind>(kind), kernelPointer(in.data()),
                              kernelPointer(out.data()), rows.begin, rows.end, length, out.size());
    return true;
  }
};

template <class Tag, class T> class SoftmaxInPlace : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> data;
  unsigned length, kind;

  bool compute(Workers workers) {
    const WorkerShare rows = workerShare(data.size() / length, workers, 1);
    auto *p = kernelPointer(data.data());
    kernels::softmaxRows<Tag>(static_cast<kernels::SoftmaxKind>(kind), p, p, rows.begin, rows.end,
                              length, data.size());
    return true;
  }
};

template <class Tag, class T> class SoftmaxGradient : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> activation, outGradient;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  unsigned length;

  bool compute(Workers workers) {
    const WorkerShare rows = workerShare(out.size() / length, workers, 1);
    kernels::softmaxGradientRows<Tag>(kernelPointer(activation.data()),
                                      kernelPointer(outGradient.data()), kernelPointer(out.data()),
                                      rows.begin, rows.end, length);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct SoftmaxFamily {
  static constexpr bool HALF_ARITHMETIC = true;
  template <class Tag, class T>
  using Forms = VertexList<Softmax<Tag, T>, SoftmaxInPlace<Tag, T>, SoftmaxGradient<Tag, T>>;
  template <class Tag> using Vertices = JoinLists<Forms<Tag, float>, Forms<Tag, poplar::half>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
