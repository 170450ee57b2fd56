#pragma once

#include <poprand/codelets.hpp>
#include <poprand/impl/Config.hpp>

#include <codelets/poprand/Random.hpp>
#include <codelets/poprand/RandomCost.hpp>
#include <codelets/poprand/Seeds.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/codelet/Libraries.hpp>
#include <poplar/impl/codelet/Registry.hpp>

// Names, fields and costs of the vertices of codelets/poprand. The indices that a cost function
// asks for are the positions of the fields in their class.

namespace cottonwood::vertices {

template <RandomCostKind KIND, unsigned BYTES>
codelet::Cost costOfRandom(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  constexpr unsigned OUT = 0;
  std::uint64_t const elements = sizes.elements(OUT);
  return {randomCycles(KIND, BYTES, elements, machine.workers), 0};
}

/// The fields that all vertices which draw have, in front of their own.
template <class V>
std::vector<codelet::FieldDescription>
drawFields(std::initializer_list<codelet::FieldDescription> own) {
  std::vector<codelet::FieldDescription> fields{
      POP_FIELD(V, out),   POP_FIELD(V, seed), POP_FIELD(V, modifier), POP_FIELD(V, fromState),
      POP_FIELD(V, begin), POP_FIELD(V, run),  POP_FIELD(V, stride),   POP_FIELD(V, width)};
  fields.insert(fields.end(), own);
  return fields;
}

constexpr char const *nameOf(Distribution distribution) {
  switch (distribution) {
  case Distribution::UNIFORM:
    return "poprand::Uniform";
  case Distribution::NORMAL:
    return "poprand::Normal";
  case Distribution::TRUNCATED_NORMAL:
    return "poprand::TruncatedNormal";
  case Distribution::LOG_UNIFORM:
    break;
  }
  return "poprand::LogUniform";
}

template <class Tag, Distribution D, class T>
poputil::VertexText describeVertex(RandomReal<Tag, D, T> *) {
  using V = RandomReal<Tag, D, T>;
  // Both enumerations begin with the same names in the same order.
  return {poputil::templateName<T>(nameOf(D)),
          drawFields<V>({POP_FIELD(V, location), POP_FIELD(V, scale), POP_FIELD(V, low),
                         POP_FIELD(V, high), POP_FIELD(V, tail)}),
          &costOfRandom<static_cast<RandomCostKind>(D), sizeof(T)>};
}
template <class Tag> poputil::VertexText describeVertex(RandomInt<Tag> *) {
  using V = RandomInt<Tag>;
  return {"poprand::UniformInt", drawFields<V>({POP_FIELD(V, low), POP_FIELD(V, range)}),
          &costOfRandom<RandomCostKind::INTEGER, sizeof(int)>};
}
template <class Tag, class T> poputil::VertexText describeVertex(Bernoulli<Tag, T> *) {
  using V = Bernoulli<Tag, T>;
  return {poputil::templateName<T>("poprand::Bernoulli"),
          drawFields<V>({POP_FIELD(V, value), POP_FIELD(V, threshold)}),
          &costOfRandom<RandomCostKind::BERNOULLI, sizeof(T)>};
}
template <class Tag, class T> poputil::VertexText describeVertex(Dropout<Tag, T> *) {
  using V = Dropout<Tag, T>;
  return {poputil::templateName<T>("poprand::Dropout"),
          drawFields<V>({POP_FIELD(V, in), POP_FIELD(V, scale), POP_FIELD(V, threshold)}),
          &costOfRandom<RandomCostKind::DROPOUT, sizeof(T)>};
}

inline codelet::Cost costOfSeeds(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  constexpr unsigned STATE = 0;
  return {seedCycles(sizes.elements(STATE), machine.workers), 0};
}
template <class Tag> poputil::VertexText describeVertex(SetSeed<Tag> *) {
  using V = SetSeed<Tag>;
  return {"poprand::SetSeed",
          {POP_FIELD(V, state), POP_FIELD(V, seed), POP_FIELD(V, modifier), POP_FIELD(V, firstRow)},
          &costOfSeeds};
}
template <class Tag> poputil::VertexText describeVertex(AdvanceSeed<Tag> *) {
  using V = AdvanceSeed<Tag>;
  return {"poprand::AdvanceSeed", {POP_FIELD(V, state)}, &costOfSeeds};
}

} // namespace cottonwood::vertices

namespace cottonwood::poprand {

/// The codelets of this library for an instruction set, made once.
POP_INLINE std::vector<codelet::Codelet> const &builtinCodelets(isa::Isa isa) {
  return poputil::codeletsOf(isa, [isa](std::vector<codelet::Codelet> &codelets) {
    poputil::appendFamily<vertices::RandomFamily>(isa, codelets);
    poputil::appendFamily<vertices::SeedsFamily>(isa, codelets);
  });
}

inline bool const registered =
    codelet::registerLibrary("poprand", &poputil::codeletsNamed<&builtinCodelets>);

} // namespace cottonwood::poprand

namespace poprand {

POP_INLINE void addCodelets(poplar::Graph &graph) {
  cottonwood::codelet::addToGraph(
      graph, cottonwood::poprand::builtinCodelets(cottonwood::poputil::builtinIsa()));
}

} // namespace poprand
