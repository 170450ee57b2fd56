// Names, fields and costs of the vertices of codelets/poplin/Norm.hpp. The indices that a cost
// function asks for are the positions of the fields.
#pragma once

#include <codelets/poplin/Norm.hpp>
#include <codelets/poplin/NormCost.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

namespace cottonwood::vertices {

/// \tparam OUT  position of a field with one element an output; R1 that of r1, before k2 and r2
template <unsigned BYTES, unsigned OUT, unsigned R1, unsigned OPERATIONS>
codelet::Cost costOfNormSums(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  std::uint64_t const outputs = sizes.elements(OUT);
  std::uint64_t const elements = outputs * static_cast<std::uint64_t>(sizes.stateInt(R1)) *
                                 static_cast<std::uint64_t>(sizes.stateInt(R1 + 2));
  return {normSumsCycles(elements, outputs, BYTES, OPERATIONS, machine.workers),
          OPERATIONS * elements};
}

template <unsigned BYTES, unsigned OUT, unsigned OPERATIONS>
codelet::Cost costOfNormApply(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  std::uint64_t const elements = sizes.elements(OUT);
  return {normApplyCycles(elements, BYTES, OPERATIONS, machine.workers), OPERATIONS * elements};
}

template <class Tag, class T> poputil::VertexText describeVertex(NormSums<Tag, T> *) {
  using V = NormSums<Tag, T>;
  return {poputil::templateName<T>("poplin::NormSums"),
          {POP_FIELD(V, in), POP_FIELD(V, first), POP_FIELD(V, second), POP_FIELD(V, r1),
           POP_FIELD(V, k2), POP_FIELD(V, r2), POP_FIELD(V, fetches)},
          &costOfNormSums<sizeof(T), 2, 3, 2>};
}
template <class Tag, class T> poputil::VertexText describeVertex(NormProducts<Tag, T> *) {
  using V = NormProducts<Tag, T>;
  return {poputil::templateName<T>("poplin::NormProducts"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, first), POP_FIELD(V, second),
           POP_FIELD(V, r1), POP_FIELD(V, k2), POP_FIELD(V, r2), POP_FIELD(V, fetches)},
          &costOfNormSums<sizeof(T), 3, 4, 3>};
}
template <class Tag, class T> poputil::VertexText describeVertex(NormDeviations<Tag, T> *) {
  using V = NormDeviations<Tag, T>;
  return {poputil::templateName<T>("poplin::NormDeviations"),
          {POP_FIELD(V, in), POP_FIELD(V, centre), POP_FIELD(V, second), POP_FIELD(V, r1),
           POP_FIELD(V, k2), POP_FIELD(V, r2), POP_FIELD(V, fetches)},
          &costOfNormSums<sizeof(T), 2, 3, 2>};
}
template <class Tag, class T> poputil::VertexText describeVertex(NormStatistics<Tag, T> *) {
  using V = NormStatistics<Tag, T>;
  return {poputil::templateName<T>("poplin::NormStatistics"),
          {POP_FIELD(V, in), POP_FIELD(V, mean), POP_FIELD(V, invStdDev), POP_FIELD(V, r1),
           POP_FIELD(V, k2), POP_FIELD(V, r2), POP_FIELD(V, eps), POP_FIELD(V, factor),
           POP_FIELD(V, stable), POP_FIELD(V, fetches)},
          &costOfNormSums<sizeof(T), 1, 3, 3>};
}
template <class Tag, class T, class S> poputil::VertexText describeVertex(NormWhiten<Tag, T, S> *) {
  using V = NormWhiten<Tag, T, S>;
  return {poputil::templateName<T, S>("poplin::NormWhiten"),
          {POP_FIELD(V, in), POP_FIELD(V, mean), POP_FIELD(V, invStdDev), POP_FIELD(V, out),
           POP_FIELD(V, table), POP_FIELD(V, origin), POP_FIELD(V, statBase),
           POP_FIELD(V, chanBase)},
          &costOfNormApply<sizeof(T), 3, 2>};
}
template <class Tag, class T, class S> poputil::VertexText describeVertex(Normalise<Tag, T, S> *) {
  using V = Normalise<Tag, T, S>;
  return {poputil::templateName<T, S>("poplin::Normalise"),
          {POP_FIELD(V, in), POP_FIELD(V, mean), POP_FIELD(V, invStdDev), POP_FIELD(V, gamma),
           POP_FIELD(V, beta), POP_FIELD(V, out), POP_FIELD(V, whitened), POP_FIELD(V, table),
           POP_FIELD(V, origin), POP_FIELD(V, statBase), POP_FIELD(V, chanBase)},
          &costOfNormApply<sizeof(T), 5, 4>,
          "whitened"};
}
template <class Tag, class T> poputil::VertexText describeVertex(NormAffine<Tag, T> *) {
  using V = NormAffine<Tag, T>;
  return {poputil::templateName<T>("poplin::NormAffine"),
          {POP_FIELD(V, in), POP_FIELD(V, gamma), POP_FIELD(V, beta), POP_FIELD(V, out),
           POP_FIELD(V, table), POP_FIELD(V, origin), POP_FIELD(V, statBase),
           POP_FIELD(V, chanBase)},
          &costOfNormApply<sizeof(T), 3, 2>};
}
template <class Tag, class T> poputil::VertexText describeVertex(NormScale<Tag, T> *) {
  using V = NormScale<Tag, T>;
  return {poputil::templateName<T>("poplin::NormScale"),
          {POP_FIELD(V, in), POP_FIELD(V, gamma), POP_FIELD(V, out), POP_FIELD(V, table),
           POP_FIELD(V, origin), POP_FIELD(V, statBase), POP_FIELD(V, chanBase)},
          &costOfNormApply<sizeof(T), 2, 1>};
}
template <class Tag, class T> poputil::VertexText describeVertex(NormGradient<Tag, T> *) {
  using V = NormGradient<Tag, T>;
  return {poputil::templateName<T>("poplin::NormGradient"),
          {POP_FIELD(V, grads), POP_FIELD(V, whitened), POP_FIELD(V, invStdDev),
           POP_FIELD(V, product), POP_FIELD(V, mean), POP_FIELD(V, out), POP_FIELD(V, table),
           POP_FIELD(V, origin), POP_FIELD(V, statBase), POP_FIELD(V, chanBase)},
          &costOfNormApply<sizeof(T), 5, 4>};
}
template <class Tag, class T> poputil::VertexText describeVertex(NormGradientRows<Tag, T> *) {
  using V = NormGradientRows<Tag, T>;
  return {poputil::templateName<T>("poplin::NormGradientRows"),
          {POP_FIELD(V, whitened), POP_FIELD(V, grads), POP_FIELD(V, invStdDev),
           POP_FIELD(V, gamma), POP_FIELD(V, out), POP_FIELD(V, channels), POP_FIELD(V, field),
           POP_FIELD(V, groups), POP_FIELD(V, firstGroup)},
          &costOfNormApply<sizeof(T), 4, 9>};
}

} // namespace cottonwood::vertices
