/// \file ReduceFunctor.hpp
/// Reductions of applications (ReduceFunctorKernel.hpp) of one dimension of a contiguous block.
///
/// Vertices (MultiVertex)
///   popops::ReduceWith<In, Out, R>   out[o, i] = finish(op over r of map(in[o, r, i]))
/// Types <In, Out>: those of float and half if R combines floats, else R's type twice.
/// Fields
///   in        Input<Vector<In, ONE_PTR>>     [outer, reduced, inner], row-major
///   out       Output<Vector<Out, SPAN>>      [outer, inner]
///   reduced   unsigned: 0 gives the identity, finished
///   inner     unsigned: 1 where the reduced dimension is the last one
///   stage     unsigned: 1 if elements are mapped, + 2 if results are finished
///   functor   Vector<unsigned, ONE_PTR>: the bytes of the reduction
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/FunctorBytes.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/ReduceFunctorKernel.hpp>

namespace cottonwood::vertices {

inline constexpr unsigned REDUCE_MAPS = 1, REDUCE_FINISHES = 2;
/// Worker contexts share the outputs in multiples of this, unless each is a row of its own.
inline constexpr std::size_t REDUCE_FUNCTOR_GRAIN = 16;

template <class Tag, class R, class In, class Out> class ReduceWith : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  unsigned reduced, inner, stage;
  poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR> functor;

  bool compute(Workers workers) {
    const FunctorBytes<R> reduction(functor.data());
    const kernels::ReduceFunctorArgs<KernelType<In>, KernelType<Out>> args{
        kernelPointer(in.data()), kernelPointer(out.data()), reduced, inner};
    const std::size_t grain =
        inner == 1 ? 1 : REDUCE_FUNCTOR_GRAIN; // vectors of columns stay whole
    const WorkerShare share = workerShare(out.size(), workers, grain);
    kernels::reduceFunctor<Tag>(*reduction.get(), args,
                                {(stage & REDUCE_MAPS) != 0, (stage & REDUCE_FINISHES) != 0},
                                share.begin, share.end);
    return true;
  }
};

/// The vertices of a reduction that combines Ts.
template <class Tag, class R, class T> struct ReduceFunctorVertices {
  using type = VertexList<ReduceWith<Tag, R, T, T>>;
};
template <class Tag, class R> struct ReduceFunctorVertices<Tag, R, float> {
  using type =
      VertexList<ReduceWith<Tag, R, float, float>, ReduceWith<Tag, R, poplar::half, poplar::half>,
                 ReduceWith<Tag, R, poplar::half, float>, ReduceWith<Tag, R, float, poplar::half>>;
};

} // namespace cottonwood::vertices
