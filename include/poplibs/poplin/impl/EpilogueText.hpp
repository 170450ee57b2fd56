// Names, fields and costs of vertices with an epilogue.
#pragma once

#include <poplin/impl/VertexCosts.hpp>

#include <codelets/poplin/EpilogueVertex.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <cstdint>
#include <string>
#include <typeinfo>

namespace cottonwood::vertices {

/// What stands for an epilogue in the names of its vertices. Epilogues of unnamed namespaces have
/// the same name in every file, so that an address of this process tells them apart.
template <class E> std::string epilogueName() {
  std::string name = std::string("_") + typeid(E).name();
  for (char &c : name)
    if (c == '*')
      c = '_';
  if (name.find("_GLOBAL__N_") == std::string::npos)
    return name;
  static char const here = 0;
  return name + "_" + std::to_string(reinterpret_cast<std::uintptr_t>(&here));
}

/// "lib::Name<float,half,_4Gelu>"
template <class In, class Out, class E> std::string epilogueVertexName(char const *name) {
  std::string text = poputil::templateName<In, Out>(name);
  text.back() = ',';
  return text + epilogueName<E>() + ">";
}

/// Cycles of an epilogue on so many elements, by all workers: loads, a few instructions and a store
/// for each vector of two.
constexpr std::uint64_t epilogueCycles(std::uint64_t elements, std::uint64_t workers) {
  return workers * (20 + (elements + 2 * workers - 1) / (2 * workers) * 6);
}

template <class In, class Out>
codelet::Cost costOfMatMulWith(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  codelet::Cost cost = costOfMatMul<In, Out, 12, 13, 14, 15>(sizes, machine);
  auto const elements =
      static_cast<std::uint64_t>(sizes.stateInt(12) * sizes.stateInt(13) * sizes.stateInt(15));
  cost.cycles += epilogueCycles(elements, std::max(machine.workers, 1U));
  return cost;
}

template <class In, class Out>
codelet::Cost costOfConvWith(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  codelet::Cost cost = costOfConv<In, Out, 15, 16, 20>(sizes, machine);
  auto const elements =
      static_cast<std::uint64_t>(sizes.stateInt(15) * sizes.stateInt(16) * sizes.stateInt(20));
  cost.cycles += epilogueCycles(elements, std::max(machine.workers, 1U));
  return cost;
}

/// Field 1 is the output.
inline codelet::Cost costOfFinish(codelet::VertexSizes const &sizes,
                                  model::Machine const &machine) {
  std::uint64_t elements = 0;
  for (std::size_t i = 0; i != sizes.regions(1); ++i)
    elements += sizes.elements(1, i);
  return {epilogueCycles(elements, std::max(machine.workers, 1U)), elements};
}

template <class Tag, class In, class Out, class E>
poputil::VertexText describeVertex(MatMulWith<Tag, In, Out, E> *) {
  using V = MatMulWith<Tag, In, Out, E>;
  return {epilogueVertexName<In, Out, E>("poplin::MatMulWith"),
          {POP_FIELD(V, a),          POP_FIELD(V, b),       POP_FIELD(V, c),
           POP_FIELD(V, workspace),  POP_FIELD(V, aOffset), POP_FIELD(V, aBatch),
           POP_FIELD(V, aRow),       POP_FIELD(V, aColumn), POP_FIELD(V, bOffset),
           POP_FIELD(V, bBatch),     POP_FIELD(V, bRow),    POP_FIELD(V, bColumn),
           POP_FIELD(V, m),          POP_FIELD(V, n),       POP_FIELD(V, k),
           POP_FIELD(V, batches),    POP_FIELD(V, method),  POP_FIELD(V, blockRows),
           POP_FIELD(V, blockDepth), POP_FIELD(V, packA),   POP_FIELD(V, packB),
           POP_FIELD(V, bPanel),     POP_FIELD(V, floats),  POP_FIELD(V, halves),
           POP_FIELD(V, operands),   POP_FIELD(V, functor), POP_FIELD(V, place)},
          &costOfMatMulWith<In, Out>};
}

template <class V, class In, class Out, class E>
poputil::VertexText describeConvWith(char const *name) {
  return {
      epilogueVertexName<In, Out, E>(name),
      {POP_FIELD(V, in),           POP_FIELD(V, weights),       POP_FIELD(V, out),
       POP_FIELD(V, workspace),    POP_FIELD(V, table),         POP_FIELD(V, strides),
       POP_FIELD(V, inOffset),     POP_FIELD(V, inGroup),       POP_FIELD(V, weightsOffset),
       POP_FIELD(V, weightsGroup), POP_FIELD(V, weightsColumn), POP_FIELD(V, weightsBlockStride),
       POP_FIELD(V, weightsBlock), POP_FIELD(V, outPixel),      POP_FIELD(V, dims),
       POP_FIELD(V, groups),       POP_FIELD(V, columns),       POP_FIELD(V, depth),
       POP_FIELD(V, enough),       POP_FIELD(V, pixels),        POP_FIELD(V, outputs),
       POP_FIELD(V, inChannels),   POP_FIELD(V, taps),          POP_FIELD(V, floats),
       POP_FIELD(V, halves),       POP_FIELD(V, operands),      POP_FIELD(V, functor),
       POP_FIELD(V, place)},
      &costOfConvWith<In, Out>};
}
template <class Tag, class In, class Out, class E>
poputil::VertexText describeVertex(ConvWith<Tag, In, Out, E> *) {
  return describeConvWith<ConvWith<Tag, In, Out, E>, In, Out, E>("poplin::ConvWith");
}
template <class Tag, class In, class Out, class E>
poputil::VertexText describeVertex(ConvChannelsWith<Tag, In, Out, E> *) {
  return describeConvWith<ConvChannelsWith<Tag, In, Out, E>, In, Out, E>(
      "poplin::ConvChannelsWith");
}

template <class Tag, class Sum, class Out, class E>
poputil::VertexText describeVertex(Finish<Tag, Sum, Out, E> *) {
  using V = Finish<Tag, Sum, Out, E>;
  return {epilogueVertexName<Sum, Out, E>("poplin::Finish"),
          {POP_FIELD(V, sums), POP_FIELD(V, out), POP_FIELD(V, floats), POP_FIELD(V, halves),
           POP_FIELD(V, operands), POP_FIELD(V, functor), POP_FIELD(V, segments)},
          &costOfFinish};
}

} // namespace cottonwood::vertices
