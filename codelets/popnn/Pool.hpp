/// \file Pool.hpp
/// Pooling over windows of any number of dimensions, and its gradients.
///
/// Vertices (MultiVertex; T is float or half)
///   popnn::Pool<T>             out = kind over the elements of `in` in a window (or, for the
///                              gradients, over the windows that hold an element)
///   popnn::PoolMaxGradient<T>  out = sum of gradient over windows that hold the element and whose
///                              maximum is equal to it
///   popnn::PoolMaxScale<T>     out = gradient / number of elements equal to the window's maximum
/// Fields
///   in         Input<Vector<T, ONE_PTR>>   a box [...dims, inner] of inputs, row-major
///   acts, pooled, gradient   the same; those of the outputs (acts in PoolMaxGradient, pooled and
///              gradient in PoolMaxScale) begin at the vertex's first column
///   out        Output<Vector<T, SPAN>>   columns of `inner` elements of the box of outputs
///   table      Vector<int>: kernels::PoolDim for each dimension; the last one is the line
///   inner      elements side by side that belong to one place of the field (channels, samples)
///   first      the vertex's first column in the box of outputs
///   kind       kernels::PoolKind, in Pool only
///   window     elements that an output reads at most: for the cost
///
/// Padding takes no part: AVERAGE divides by the elements that are there; a window without elements
/// gives 0, and MAX the identity of popops::reduce (for half -65504). Computed in float and rounded
/// once. Sums go over the outer dimensions first, eight lines at a time, then along the line in
/// order; results do not depend on how columns are shared.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popnn/PoolCompareKernel.hpp>
#include <codelets/popnn/PoolKernel.hpp>

namespace cottonwood::vertices {

template <class T> using PoolIn = poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>>;
template <class T> using PoolOut = poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>>;

template <class Vertex>
POP_SIMD_INLINE kernels::PoolGeometry poolGeometry(Vertex &v, bool gradient) {
  return {v.table.data(), static_cast<unsigned>(v.table.size() / kernels::POOL_DIM_WORDS), v.inner,
          gradient};
}

/// The workers' columns: enough of them to make up for the start of a line, and whole lines and
/// planes where there are plenty.
template <class Vertex> POP_SIMD_INLINE WorkerShare poolShare(Vertex &v, Workers workers) {
  constexpr std::size_t WORKERS = poplar::MultiVertex::numWorkers();
  const std::size_t columns = v.out.size() / v.inner;
  std::size_t grain = (63 + v.inner) / v.inner;
  for (std::size_t d = v.table.size() / kernels::POOL_DIM_WORDS, lines = 1; d-- > 0;) {
    lines *= static_cast<std::size_t>(v.table[d * kernels::POOL_DIM_WORDS]);
    if (lines * 16 * WORKERS <= columns && lines > grain)
      grain = lines;
  }
  const WorkerShare share = workerShare(columns, workers, grain);
  return {static_cast<std::size_t>(v.first) + share.begin,
          static_cast<std::size_t>(v.first) + share.end};
}

template <class Tag, class T> class Pool : public poplar::MultiVertex {
public:
  PoolIn<T> in;
  PoolOut<T> out;
  poplar::Vector<int> table;
  unsigned inner, kind, window;
  long long first;

  bool compute(Workers workers) {
    const auto which = static_cast<kernels::PoolKind>(kind);
    const auto geometry = poolGeometry(*this, which >= kernels::PoolKind::SUM_GRADIENT);
    const WorkerShare share = poolShare(*this, workers);
    kernels::pool<Tag>(geometry, which, kernelPointer(in.data()), kernelPointer(out.data()),
                       share.begin, share.end, static_cast<std::size_t>(first));
    return true;
  }
};

template <class Tag, bool COUNT, class T, class Vertex>
POP_SIMD_INLINE bool runPoolCompare(Vertex &v, const T *own, const T *other, Workers workers) {
  const auto geometry = poolGeometry(v, !COUNT);
  const WorkerShare share = poolShare(v, workers);
  kernels::detail::poolCompare<Tag, COUNT>(
      geometry, kernelPointer(own), kernelPointer(other), kernelPointer(v.gradient.data()),
      kernelPointer(v.out.data()), share.begin, share.end, static_cast<std::size_t>(v.first));
  return true;
}

template <class Tag, class T> class PoolMaxGradient : public poplar::MultiVertex {
public:
  PoolIn<T> acts, pooled, gradient;
  PoolOut<T> out;
  poplar::Vector<int> table;
  unsigned inner, window;
  long long first;

  bool compute(Workers workers) {
    return runPoolCompare<Tag, false, T>(*this, acts.data(), pooled.data(), workers);
  }
};

template <class Tag, class T> class PoolMaxScale : public poplar::MultiVertex {
public:
  PoolIn<T> acts, pooled, gradient;
  PoolOut<T> out;
  poplar::Vector<int> table;
  unsigned inner, window;
  long long first;

  bool compute(Workers workers) {
    return runPoolCompare<Tag, true, T>(*this, pooled.data(), acts.data(), workers);
  }
};

/// For the registry: every vertex class of this file.
struct PoolFamily {
  template <class Tag, class T>
  using Forms = VertexList<Pool<Tag, T>, PoolMaxGradient<Tag, T>, PoolMaxScale<Tag, T>>;
  template <class Tag> using Vertices = JoinLists<Forms<Tag, float>, Forms<Tag, poplar::half>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
