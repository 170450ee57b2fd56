/// \file Reduce.hpp
/// Reductions of one dimension of a contiguous block.
///
/// Vertices (MultiVertex)
///   popops::Reduce<In, Out>              out[o, i] = op over r of in[o, r, i]
///   popops::ReduceScale<In, Out>         out = scale * that (LOG_ADD: scale + that)
///   popops::ReduceUpdate<In, Out>        out = out + that (LOG_ADD: log(exp(out) + exp(that)))
///   popops::ReduceScaleUpdate<In, Out>   out = out + scale * that
/// Types <In, Out>: <float, float> <half, half> <half, float> <float, half> for ADD SQUARE_ADD MUL
///   MIN MAX LOG_ADD; <int, int> <unsigned int, unsigned int> for ADD SQUARE_ADD MUL MIN MAX;
///   <bool, bool> for LOGICAL_AND LOGICAL_OR. The Scale forms exist for floating types, the Update
///   forms for all but bool, and mean something for ADD SQUARE_ADD LOG_ADD only.
/// Fields
///   in       Input<Vector<In, ONE_PTR>>   [outer, reduced, inner], row-major
///   out      Output (Update: InOut) <Vector<Out, SPAN>>   [outer, inner]; outer = size / inner
///   scale    Input<float>, in the Scale forms only
///   op       unsigned: ReduceOp (the order of popops::Operation); REDUCE_FAR set beside it where
///            all vertices of the reduction together read more than the caches hold
///   reduced  unsigned: 0 gives the operation's identity
///   inner    unsigned: 1 where the reduced dimension is the last one
///
/// Accumulation is in float for floating types, wrapping for integers, and rounds to Out once. The
/// order is a function of reduced and inner alone, the same on every instruction set:
/// inner = 1 keeps 64 partial results (element r goes to partial r mod 64), folded by halves; other
/// shapes take eight rows at a time as a tree and add the sum to the running one.
/// SQUARE_ADD is a chain of fma(x, x, acc). MIN and MAX skip NaN; if all elements are NaN they give
/// the identity. LOG_ADD is m + log(sum of exp(x - m)) with m the maximum.
/// Identities: 0, MUL and AND 1, MIN and MAX plus and minus infinity (integers: the type's
/// extremes), LOG_ADD -65504.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/ReduceFar.hpp>
#include <codelets/popops/ReduceKernel.hpp>

namespace cottonwood::vertices {

template <class T>
using ReduceInput = poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>>;

/// A worker takes a share of the outputs.
template <class Tag, class In, class Vertex>
POP_SIMD_INLINE bool runReduce(Vertex &v, const float *scale, bool update, Workers workers) {
  auto *out = kernelPointer(v.out.data());
  using Out = std::remove_pointer_t<decltype(out)>;
  const kernels::ReduceArgs<KernelType<In>, Out> args{
      kernelPointer(v.in.data()), out, v.reduced, v.inner, scale, update, (v.op & REDUCE_FAR) != 0};
  const WorkerShare share =
      workerShare(v.out.size(), workers, kernels::reduceGrain(v.inner, v.out.size()));
  kernels::reduce<Tag>(static_cast<kernels::ReduceOp>(v.op & ~REDUCE_FAR), args, share.begin,
                       share.end);
  return true;
}

template <class Tag, class In, class Out> class Reduce : public poplar::MultiVertex {
public:
  ReduceInput<In> in;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  unsigned op, reduced, inner;

  bool compute(Workers workers) { return runReduce<Tag, In>(*this, nullptr, false, workers); }
};

template <class Tag, class In, class Out> class ReduceScale : public poplar::MultiVertex {
public:
  ReduceInput<In> in;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  poplar::Input<float> scale;
  unsigned op, reduced, inner;

  bool compute(Workers workers) { return runReduce<Tag, In>(*this, &*scale, false, workers); }
};

template <class Tag, class In, class Out> class ReduceUpdate : public poplar::MultiVertex {
public:
  ReduceInput<In> in;
  poplar::InOut<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  unsigned op, reduced, inner;

  bool compute(Workers workers) { return runReduce<Tag, In>(*this, nullptr, true, workers); }
};

template <class Tag, class In, class Out> class ReduceScaleUpdate : public poplar::MultiVertex {
public:
  ReduceInput<In> in;
  poplar::InOut<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  poplar::Input<float> scale;
  unsigned op, reduced, inner;

  bool compute(Workers workers) { return runReduce<Tag, In>(*this, &*scale, true, workers); }
};

/// For the registry: every vertex class of this file.
struct ReduceFamily {
  template <class Tag, class In, class Out>
  using Floating = VertexList<Reduce<Tag, In, Out>, ReduceScale<Tag, In, Out>,
                              ReduceUpdate<Tag, In, Out>, ReduceScaleUpdate<Tag, In, Out>>;
  template <class Tag>
  using Vertices =
      JoinLists<Floating<Tag, float, float>, Floating<Tag, poplar::half, poplar::half>,
                Floating<Tag, poplar::half, float>, Floating<Tag, float, poplar::half>,
                VertexList<Reduce<Tag, int, int>, ReduceUpdate<Tag, int, int>,
                           Reduce<Tag, unsigned, unsigned>, ReduceUpdate<Tag, unsigned, unsigned>,
                           Reduce<Tag, bool, bool>>>;
  template <class Tag> static VertexEntries entries();
  /// The kernels behind the vertices, for callers without a graph.
  template <class Tag> static kernels::ReduceKernels kernels();
};

} // namespace cottonwood::vertices
