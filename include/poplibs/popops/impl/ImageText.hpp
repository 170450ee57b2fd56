// Names, fields and costs of the vertices of histograms, images, splines and transposes.
// The indices that a cost function asks for are the positions of the fields in their class.
#pragma once

#include <codelets/popops/GatherStatistics.hpp>
#include <codelets/popops/GatherStatisticsCost.hpp>
#include <codelets/popops/NormaliseImage.hpp>
#include <codelets/popops/NormaliseImageCost.hpp>
#include <codelets/popops/SplineBasis.hpp>
#include <codelets/popops/SplineBasisCost.hpp>
#include <codelets/popops/SplineWeighting.hpp>
#include <codelets/popops/SplineWeightingCost.hpp>
#include <codelets/popops/Transpose.hpp>
#include <codelets/popops/TransposeCost.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

namespace cottonwood::vertices {

using codelet::Cost;
using codelet::VertexSizes;
using model::Machine;
using poputil::templateName;
using poputil::VertexText;

template <unsigned BYTES> Cost costOfHistogram(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned IN = 0, LEVELS = 1;
  return {histogramCycles(BYTES, sizes.elements(IN), sizes.elements(LEVELS), machine.workers), 0};
}

template <class Tag, class T> VertexText describeVertex(Histogram<Tag, T> *) {
  using V = Histogram<Tag, T>;
  return {templateName<T>("popops::Histogram"),
          {POP_FIELD(V, in), POP_FIELD(V, levels), POP_FIELD(V, counts), POP_FIELD(V, absolute)},
          &costOfHistogram<sizeof(T)>};
}

template <bool FROM_BYTES>
Cost costOfNormaliseImage(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 3;
  std::uint64_t const pixels = sizes.elements(OUT) / 4;
  return {normaliseImageCycles(FROM_BYTES, pixels, machine.workers), 9 * pixels};
}

template <class Tag, class In, class Out>
VertexText describeVertex(NormaliseImage<Tag, In, Out> *) {
  using V = NormaliseImage<Tag, In, Out>;
  return {templateName<In, Out>("popops::NormaliseImage"),
          {POP_FIELD(V, in), POP_FIELD(V, offsets), POP_FIELD(V, scales), POP_FIELD(V, out),
           POP_FIELD(V, inScale)},
          &costOfNormaliseImage<sizeof(In) == 1>};
}

inline Cost costOfSplineBasis(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned BASIS = 3, DIMS = 5, SPLINES = 7;
  auto const dims = static_cast<std::uint64_t>(sizes.stateInt(DIMS)),
             splines = static_cast<std::uint64_t>(sizes.stateInt(SPLINES));
  std::uint64_t const edges = splines == 0 ? 0 : sizes.elements(BASIS) / splines;
  return {splineBasisCycles(edges, splines, dims, machine.workers), edges * splines * dims};
}

template <class Tag, class T> VertexText describeVertex(SplineBasis<Tag, T> *) {
  using V = SplineBasis<Tag, T>;
  return {templateName<T>("popops::SplineBasis"),
          {POP_FIELD(V, pseudo), POP_FIELD(V, kernelSize), POP_FIELD(V, isOpen),
           POP_FIELD(V, basis), POP_FIELD(V, weightIndex), POP_FIELD(V, dims), POP_FIELD(V, degree),
           POP_FIELD(V, numSplines)},
          &costOfSplineBasis};
}

template <unsigned BYTES>
Cost costOfSplineWeighting(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 4, IN_CHANNELS = 6, OUT_CHANNELS = 7, SPLINES = 8;
  auto const outChannels = static_cast<std::uint64_t>(sizes.stateInt(OUT_CHANNELS));
  std::uint64_t const edges = outChannels == 0 ? 0 : sizes.elements(OUT) / outChannels;
  std::uint64_t const products = outChannels *
                                 static_cast<std::uint64_t>(sizes.stateInt(IN_CHANNELS)) *
                                 static_cast<std::uint64_t>(sizes.stateInt(SPLINES));
  return {splineWeightingCycles(BYTES, edges, products, machine.workers), 2 * edges * products};
}

template <class Tag, class T> VertexText describeVertex(SplineWeighting<Tag, T> *) {
  using V = SplineWeighting<Tag, T>;
  return {templateName<T>("popops::SplineWeighting"),
          {POP_FIELD(V, input), POP_FIELD(V, weight), POP_FIELD(V, basis),
           POP_FIELD(V, weightIndex), POP_FIELD(V, out), POP_FIELD(V, kernels),
           POP_FIELD(V, inChannels), POP_FIELD(V, outChannels), POP_FIELD(V, splines)},
          &costOfSplineWeighting<sizeof(T)>};
}

template <unsigned BYTES> Cost costOfTranspose(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 1, ROWS = 2, COLUMNS = 3;
  auto const rows = static_cast<std::uint64_t>(sizes.stateInt(ROWS)),
             columns = static_cast<std::uint64_t>(sizes.stateInt(COLUMNS));
  std::uint64_t const matrix = rows * columns,
                      matrices = matrix == 0 ? 0 : sizes.elements(OUT) / matrix;
  return {transposeCycles(BYTES, rows, columns, matrices, machine.workers), 0};
}

template <class Tag, class T> VertexText describeVertex(Transpose<Tag, T> *) {
  using V = Transpose<Tag, T>;
  return {templateName<T>("popops::Transpose"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, rows), POP_FIELD(V, columns)},
          &costOfTranspose<sizeof(T)>};
}

} // namespace cottonwood::vertices
