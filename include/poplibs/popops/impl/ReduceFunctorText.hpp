// Names, fields and costs of the vertices of reductions of applications.
#pragma once

#include <codelets/popops/ReduceCost.hpp>
#include <codelets/popops/ReduceFunctor.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>
#include <poputil/impl/TaggedCode.hpp>

namespace cottonwood::vertices {

/// \tparam BYTES  of an input element
template <unsigned BYTES>
codelet::Cost costOfReduceFunctor(codelet::VertexSizes const &sizes,
                                  model::Machine const &machine) {
  constexpr unsigned OUT = 1, REDUCED = 2, INNER = 3;
  ReduceCostProblem problem;
  problem.outputs = sizes.elements(OUT);
  problem.reduced = static_cast<std::uint64_t>(sizes.stateInt(REDUCED));
  problem.inner = static_cast<std::uint64_t>(sizes.stateInt(INNER));
  problem.elementBytes = BYTES;
  return {reduceCycles(problem, machine.workers), problem.outputs * problem.reduced};
}

template <class Tag, class R, class In, class Out>
poputil::VertexText describeVertex(ReduceWith<Tag, R, In, Out> *) {
  using V = ReduceWith<Tag, R, In, Out>;
  std::string name = poputil::templateName<In, Out>("popops::ReduceWith");
  name.back() = ',';
  return {name + poputil::functorName<R>() + ">",
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, reduced), POP_FIELD(V, inner),
           POP_FIELD(V, stage), POP_FIELD(V, functor)},
          &costOfReduceFunctor<sizeof(In)>};
}

} // namespace cottonwood::vertices
