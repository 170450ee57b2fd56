#pragma once

#include <popops/impl/ReduceEmit.hpp>
#include <popops/impl/ReduceFunctorEmit.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops {

namespace detail {

POP_INLINE bool fitsReduction(::poplar::Type const &type, ReduceFunctorJob const &functor) {
  return type == functor.kind || (functor.kind == ::poplar::FLOAT && type == ::poplar::HALF);
}

POP_INLINE void checkReduceFunctor(ReduceFunctorJob const &functor, ::poplar::Tensor const &in,
                                   ::poplar::Type const &outType) {
  using ::poputil::poplibs_error;
  if (!in.valid())
    base::fail<poplibs_error>(functor.where, "'in' is an invalid tensor");
  std::string const allowed =
      functor.kind == ::poplar::FLOAT ? "float or half" : functor.kind.toString().cloneAsString();
  for (::poplar::Type const &type : {in.elementType(), outType})
    if (!fitsReduction(type, functor))
      base::fail<poplibs_error>(functor.where, "the reduction combines elements of type ",
                                functor.kind, ", but 'in' is of type ", in.elementType(),
                                " and the output of type ", outType, "; both must be ", allowed);
}

} // namespace detail

POP_INLINE ::poplar::Tensor
reduceWithFunctor(::poplar::Graph &graph, ReduceFunctorJob const &functor,
                  ::poplar::Tensor const &in, ::poplar::Type const &outType,
                  ::poplar::Tensor const &out, std::vector<std::size_t> const &dims,
                  ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext) {
  detail::checkReduceFunctor(functor, in, outType);
  ReduceJob job;
  job.in = in;
  job.isReduced = reducedDims(functor.where, in, dims);
  job.partialType = functor.kind;
  job.functor = &functor;
  if (out.valid()) {
    job.out = reduceOutput(functor.where, graph, job, out);
  } else {
    job.out = graph.addVariable(outType, keptShape(in, job.isReduced), debugContext);
    job.placesOutput = true;
  }
  ::poplar::Tensor const result = out.valid() ? out : job.out;
  poputil::readBeforeWrites(graph, {&job.in}, job.out, prog, debugContext);
  std::vector<::poplar::ComputeSet> css;
  emitReduce(graph, job, css, debugContext);
  for (::poplar::ComputeSet const &cs : css)
    prog.add(::poplar::program::Execute(cs, debugContext));
  return result;
}

} // namespace cottonwood::popops
