/// \file ScaledAdd.hpp
/// a = scaleA a + scaleB b, in place.
///
/// Vertices (MultiVertex)
///   popops::ScaledAdd<A, B>           a += scaleB * b                        scale as a value
///   popops::ScaledAddTensor<A, B>     a += factor * scaleB * b               scale on an edge
///   popops::Axpby<A, B>               a = scaleA * a + scaleB * b            scales as values
///   popops::AxpbyTensor<A, B>         a = scaleA * a + factor * scaleB * b   scales on edges;
///                                     with oneMinusA: a = a - scaleA * a + factor * scaleB * b
/// Types <A, B>: <float, float> <half, half> <float, half> <half, float> <int, int>
///   <unsigned int, unsigned int>. S, the scales' type, is float for floating data, else A.
/// Fields
///   a            InOut<Vector<A, SPAN>>
///   b            Input<Vector<B, ONE_PTR>>   a.size() elements
///   scaleA, scaleB  S; in the Tensor forms Input<S>
///   factor       S (Tensor forms): 1 adds, -1 subtracts
///   oneMinusA    unsigned, 0 or 1 (AxpbyTensor)
///
/// Floating data is computed in float as fma(s, b, t), t = a, round(scaleA * a) or
/// fma(-scaleA, a, a), with s = factor * scaleB, and rounded to A once; integers wrap.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/ScaledAddKernel.hpp>

namespace cottonwood::vertices {

/// Type of the scales of data of type A.
template <class A> struct ScaleOf { using type = A; };
template <> struct ScaleOf<poplar::half> { using type = float; };
template <class A> using ScaleType = typename ScaleOf<A>::type;

template <class Tag, class Vertex, class S>
POP_SIMD_INLINE bool runScaledAdd(Vertex &v, kernels::ScaledAddForm form, S scaleA, S scaleB,
                                  Workers workers) {
  const WorkerShare share = workerShare(v.a.size(), workers, kernels::SCALED_ADD_GRAIN);
  kernels::scaledAdd<Tag>(form, kernelPointer(v.a.data()) + share.begin,
                          kernelPointer(v.b.data()) + share.begin, scaleA, scaleB,
                          share.end - share.begin);
  return true;
}

template <class Tag, class A, class B> class ScaledAdd : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<A, poplar::VectorLayout::SPAN>> a;
  poplar::Input<poplar::Vector<B, poplar::VectorLayout::ONE_PTR>> b;
  ScaleType<A> scaleB;

  bool compute(Workers workers) {
    return runScaledAdd<Tag>(*this, kernels::ScaledAddForm::A, ScaleType<A>(1), scaleB, workers);
  }
};

template <class Tag, class A, class B> class ScaledAddTensor : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<A, poplar::VectorLayout::SPAN>> a;
  poplar::Input<poplar::Vector<B, poplar::VectorLayout::ONE_PTR>> b;
  poplar::Input<ScaleType<A>> scaleB;
  ScaleType<A> factor;

  bool compute(Workers workers) {
    return runScaledAdd<Tag>(*this, kernels::ScaledAddForm::A, ScaleType<A>(1), factor * *scaleB,
                             workers);
  }
};

template <class Tag, class A, class B> class Axpby : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<A, poplar::VectorLayout::SPAN>> a;
  poplar::Input<poplar::Vector<B, poplar::VectorLayout::ONE_PTR>> b;
  ScaleType<A> scaleA, scaleB;

  bool compute(Workers workers) {
    return runScaledAdd<Tag>(*this, kernels::ScaledAddForm::SCALED_A, scaleA, scaleB, workers);
  }
};

template <class Tag, class A, class B> class AxpbyTensor : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<A, poplar::VectorLayout::SPAN>> a;
  poplar::Input<poplar::Vector<B, poplar::VectorLayout::ONE_PTR>> b;
  poplar::Input<ScaleType<A>> scaleA, scaleB;
  ScaleType<A> factor;
  unsigned oneMinusA;

  bool compute(Workers workers) {
    const auto form =
        oneMinusA ? kernels::ScaledAddForm::A_MINUS_SCALED_A : kernels::ScaledAddForm::SCALED_A;
    return runScaledAdd<Tag>(*this, form, *scaleA, factor * *scaleB, workers);
  }
};

/// For the registry: every vertex class of this file.
struct ScaledAddFamily {
  /// In the caches of Zen 4 vectors of sixteen take 1.2 to 1.35 times as long, of floats up to 1.1.
  static constexpr bool EIGHT_LANES_WHERE_SPLIT = true;

  template <class Tag, class A, class B>
  using Forms = VertexList<ScaledAdd<Tag, A, B>, ScaledAddTensor<Tag, A, B>, Axpby<Tag, A, B>,
                           AxpbyTensor<Tag, A, B>>;
  template <class Tag>
  using Vertices = JoinLists<Forms<Tag, float, float>, Forms<Tag, poplar::half, poplar::half>,
                             Forms<Tag, float, poplar::half>, Forms<Tag, poplar::half, float>,
                             Forms<Tag, int, int>, Forms<Tag, unsigned, unsigned>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
