// Names, fields and costs of vertices with an epilogue.
#pragma once

#include <poplin/impl/VertexCosts.hpp>

#include <codelets/poplin/EpilogueVertex.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>
#include <poputil/impl/TaggedCode.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::vertices {

/// "lib::Name<float,half,_4Gelu>"
template <class In, class Out, class E> std::string epilogueVertexName(char const *name) {
  std::string text = poputil::templateName<In, Out>(name);
  text.back() = ',';
  return text + poputil::functorName<E>() + ">";
}

/// Cycles of an epilogue on so many elements, by all workers: loads, a few instructions and a store
/// for each vector of two.
constexpr std::uint64_t epilogueCycles(std::uint64_t elements, std::uint64_t workers) {
  return workers * (20 + (elements + 2 * workers - 1) / (2 * workers) * 6);
}

template <class In, class Out>
codelet::Cost costOfMatMulWith(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  codelet::Cost cost = costOfMatMulFields<In, Out>(sizes, machine);
  auto const elements =
      static_cast<std::uint64_t>(sizes.stateInt(12) * sizes.stateInt(13) * sizes.stateInt(15));
  cost.cycles += epilogueCycles(elements, std::max(machine.workers, 1U));
  return cost;
}

template <class In, class Out>
codelet::Cost costOfConvWith(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  codelet::Cost cost = costOfConvFields<In, Out>(sizes, machine);
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

/// The fields of a vertex, and behind them those that its epilogue needs.
template <class V>
std::vector<codelet::FieldDescription>
withEpilogueFields(std::vector<codelet::FieldDescription> fields) {
  for (auto field :
       {POP_FIELD(V, floats), POP_FIELD(V, halves), POP_FIELD(V, operands), POP_FIELD(V, functor)})
    fields.push_back(std::move(field));
  return fields;
}

template <class Tag, class In, class Out, class E>
poputil::VertexText describeVertex(MatMulWith<Tag, In, Out, E> *) {
  using V = MatMulWith<Tag, In, Out, E>;
  auto fields = withEpilogueFields<V>(matMulFields<V>());
  fields.push_back(POP_FIELD(V, place));
  return {epilogueVertexName<In, Out, E>("poplin::MatMulWith"), fields, &costOfMatMulWith<In, Out>};
}

template <class V, class In, class Out, class E>
poputil::VertexText describeConvWith(char const *name) {
  auto fields = withEpilogueFields<V>(convFields<V>());
  fields.push_back(POP_FIELD(V, place));
  return {epilogueVertexName<In, Out, E>(name), fields, &costOfConvWith<In, Out>};
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
  auto fields = withEpilogueFields<V>({POP_FIELD(V, sums), POP_FIELD(V, out)});
  fields.push_back(POP_FIELD(V, segments));
  return {epilogueVertexName<Sum, Out, E>("poplin::Finish"), fields, &costOfFinish};
}

} // namespace cottonwood::vertices
