#pragma once

#include <poplin/codelets.hpp>
#include <poplin/impl/Config.hpp>
#include <poplin/impl/MatMulMachine.hpp>

#include <codelets/poplin/ConvVertex.hpp>
#include <codelets/poplin/MatMulVertex.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/codelet/Registry.hpp>

// Names, fields and costs of the vertices of codelets/poplin. The indices that a cost function asks
// for are the positions of the fields in their class.

namespace cottonwood::vertices {

template <class T> inline constexpr bool IS_HALF = std::is_same_v<T, ::poplar::half>;

/// \tparam M, N, K   positions of those fields
/// \tparam BATCHES   position of the number of products; 0: there is one
template <class In, class Out, unsigned M, unsigned N, unsigned K, unsigned BATCHES>
codelet::Cost costOfMatMul(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  auto const value = [&](unsigned field) {
    return static_cast<std::uint64_t>(sizes.stateInt(field));
  };
  std::uint64_t const m = value(M), n = value(N), k = value(K);
  std::uint64_t const batches = BATCHES == 0 ? 1 : value(BATCHES);
  auto const tile = poplin::tileMachine(machine, IS_HALF<In>, IS_HALF<Out>);
  return {batches * kernels::matMulTileCycles(tile, m, n, k), batches * 2 * m * n * k};
}

template <class Tag, class In, class Out>
poputil::VertexText describeVertex(MatMul<Tag, In, Out> *) {
  using V = MatMul<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::MatMul"),
          {POP_FIELD(V, a),          POP_FIELD(V, b),       POP_FIELD(V, c),
           POP_FIELD(V, workspace),  POP_FIELD(V, aOffset), POP_FIELD(V, aBatch),
           POP_FIELD(V, aRow),       POP_FIELD(V, aColumn), POP_FIELD(V, bOffset),
           POP_FIELD(V, bBatch),     POP_FIELD(V, bRow),    POP_FIELD(V, bColumn),
           POP_FIELD(V, m),          POP_FIELD(V, n),       POP_FIELD(V, k),
           POP_FIELD(V, batches),    POP_FIELD(V, method),  POP_FIELD(V, blockRows),
           POP_FIELD(V, blockDepth), POP_FIELD(V, packA),   POP_FIELD(V, packB),
           POP_FIELD(V, bPanel)},
          &costOfMatMul<In, Out, 12, 13, 14, 15>};
}
template <class Tag, class In, class Out>
poputil::VertexText describeVertex(MatMulPartial<Tag, In, Out> *) {
  using V = MatMulPartial<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::MatMulPartial"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, c), POP_FIELD(V, m), POP_FIELD(V, n),
           POP_FIELD(V, k)},
          &costOfMatMul<In, Out, 3, 4, 5, 0>};
}

/// \tparam GROUPS   position of the number of groups; 0: there is one
/// \tparam COLUMNS  position of the number of columns
/// \tparam OUTPUTS  position of the number of outputs, before input channels and taps
template <class In, class Out, unsigned GROUPS, unsigned COLUMNS, unsigned OUTPUTS>
codelet::Cost costOfConv(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  auto const value = [&](unsigned field) {
    return static_cast<std::uint64_t>(sizes.stateInt(field));
  };
  std::uint64_t const outputs = value(OUTPUTS), in = value(OUTPUTS + 1), taps = value(OUTPUTS + 2);
  std::uint64_t const columns = value(COLUMNS), groups = GROUPS == 0 ? 1 : value(GROUPS);
  auto const tile = poplin::tileMachine(machine, IS_HALF<In>, IS_HALF<Out>);
  return {groups * kernels::convTileCycles(tile, outputs, columns, in, taps),
          groups * 2 * outputs * columns * in * taps};
}

template <class V, class In, class Out> poputil::VertexText describeConv(char const *name) {
  return {
      poputil::templateName<In, Out>(name),
      {POP_FIELD(V, in),           POP_FIELD(V, weights),       POP_FIELD(V, out),
       POP_FIELD(V, workspace),    POP_FIELD(V, table),         POP_FIELD(V, strides),
       POP_FIELD(V, inOffset),     POP_FIELD(V, inGroup),       POP_FIELD(V, weightsOffset),
       POP_FIELD(V, weightsGroup), POP_FIELD(V, weightsColumn), POP_FIELD(V, weightsBlockStride),
       POP_FIELD(V, weightsBlock), POP_FIELD(V, outPixel),      POP_FIELD(V, dims),
       POP_FIELD(V, groups),       POP_FIELD(V, columns),       POP_FIELD(V, depth),
       POP_FIELD(V, enough),       POP_FIELD(V, pixels),        POP_FIELD(V, outputs),
       POP_FIELD(V, inChannels),   POP_FIELD(V, taps)},
      &costOfConv<In, Out, 15, 16, 20>};
}
template <class Tag, class In, class Out> poputil::VertexText describeVertex(Conv<Tag, In, Out> *) {
  return describeConv<Conv<Tag, In, Out>, In, Out>("poplin::Conv");
}
template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvChannels<Tag, In, Out> *) {
  return describeConv<ConvChannels<Tag, In, Out>, In, Out>("poplin::ConvChannels");
}
template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvPartial<Tag, In, Out> *) {
  using V = ConvPartial<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::ConvPartial"),
          {POP_FIELD(V, in), POP_FIELD(V, weights), POP_FIELD(V, out), POP_FIELD(V, table),
           POP_FIELD(V, strides), POP_FIELD(V, dims), POP_FIELD(V, columns), POP_FIELD(V, outputs),
           POP_FIELD(V, inChannels), POP_FIELD(V, taps)},
          &costOfConv<In, Out, 0, 6, 7>};
}

} // namespace cottonwood::vertices

namespace cottonwood::poplin {

/// The codelets of this library for the instruction set in use, made once.
POP_INLINE std::vector<codelet::Codelet> const &builtinCodelets() {
  static std::vector<codelet::Codelet> const table = [] {
    std::vector<codelet::Codelet> codelets;
    poputil::appendFamily<vertices::MatMulFamily>(poputil::builtinIsa(), codelets);
    poputil::appendFamily<vertices::ConvFamily>(poputil::builtinIsa(), codelets);
    return codelets;
  }();
  return table;
}

} // namespace cottonwood::poplin

namespace poplin {

POP_INLINE void addCodelets(poplar::Graph &graph) {
  cottonwood::codelet::addToGraph(graph, cottonwood::poplin::builtinCodelets());
}

} // namespace poplin
