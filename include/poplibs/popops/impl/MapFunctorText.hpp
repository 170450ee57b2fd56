// Names, fields and costs of the vertices of elementwise functors.
#pragma once

#include <codelets/popops/MapCost.hpp>
#include <codelets/popops/MapFunctor.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>
#include <poputil/impl/TaggedCode.hpp>

#include <string>
#include <type_traits>

namespace cottonwood::vertices {

/// The type by which graphs know a kind.
template <class Kind>
using GraphKind = std::conditional_t<std::is_same_v<Kind, half>, ::poplar::half, Kind>;

/// ",float,bool,_4Gelu>"
template <class F, class... Kinds> std::string mapFunctorSuffix() {
  std::string const kinds = poputil::templateName<GraphKind<Kinds>...>("");
  return "," + kinds.substr(1, kinds.size() - 2) + "," + poputil::functorName<F>() + ">";
}

inline codelet::Cost costOfMapFunctor(codelet::VertexSizes const &sizes,
                                      model::Machine const &machine) {
  constexpr unsigned OUT = 5, CYCLES = 8;
  std::size_t const n = sizes.elements(OUT);
  auto const cyclesPer8 = static_cast<unsigned>(sizes.stateInt(CYCLES));
  return {mapCycles(n, cyclesPer8, machine.workers), n};
}

template <class V>
poputil::VertexText describeMapFunctor(std::string name, std::string const &suffix) {
  name.pop_back();
  return {name + suffix,
          {POP_FIELD(V, inFloat), POP_FIELD(V, inHalf), POP_FIELD(V, inInt),
           POP_FIELD(V, inUnsigned), POP_FIELD(V, inBool), POP_FIELD(V, out),
           POP_FIELD(V, operands), POP_FIELD(V, functor), POP_FIELD(V, cyclesPer8)},
          &costOfMapFunctor};
}
template <class Tag, class F, class Out, class... Kinds>
poputil::VertexText describeVertex(MapWith<Tag, F, Out, Kinds...> *) {
  return describeMapFunctor<MapWith<Tag, F, Out, Kinds...>>(
      poputil::templateName<Out>("popops::MapWith"), mapFunctorSuffix<F, Kinds...>());
}
template <class Tag, class F, class Out, class... Kinds>
poputil::VertexText describeVertex(MapWithInPlace<Tag, F, Out, Kinds...> *) {
  return describeMapFunctor<MapWithInPlace<Tag, F, Out, Kinds...>>(
      poputil::templateName<Out>("popops::MapWithInPlace"), mapFunctorSuffix<F, Kinds...>());
}

} // namespace cottonwood::vertices
