#pragma once
// Built-in codelets: how a library makes a table of them from its vertex classes.
//
//     using V = vertices::Fill<isa::scalar, float>;           // the scalar twin gives the layout
//     Codelet c = describe<V>("popops::Fill<float>", {POP_FIELD(V, out), POP_FIELD(V, value)});
//     c.entry = entryOfActiveIsa;                             // from a per-ISA object:
//     &codelet::enter<V with that tag> c.isa = "avx2"; c.cost = &costOfFill; // optional
//
// Fields and compute() are public. After seal(), which describe() calls, fields are in the order of
// the class (of their offsets), whatever the order of the list: the indices that a cost function
// uses are those. codelet::addToGraph(graph, table) registers the table; adding it again does
// nothing.

#include <initializer_list>
#include <string_view>

#include <poplar/impl/codelet/Codelet.hpp>

namespace cottonwood::codelet {

/// The entry point of a vertex class with a public compute(). Its symbol carries all of V's
/// arguments, the ISA tag too.
template <class V> bool enter(void *state, unsigned worker, VertexContext *context) {
  using Method = decltype(ComputeMethod<VertexKind<V>::isMulti>::pick(&V::compute));
  return EntryThrough<V, Method, &V::compute>::enter(state, worker, context);
}

template <class V>
Codelet describe(std::string_view name, std::initializer_list<FieldDescription> fields) {
  Codelet codelet;
  codelet.name = name;
  for (FieldDescription const &description : fields) {
    codelet.fields.push_back(fieldFrom(description, description.name));
  }
  codelet.stateSize = sizeof(V);
  codelet.stateAlign = alignof(V);
  codelet.multi = VertexKind<V>::isMulti;
  codelet.supervisor = VertexKind<V>::isSupervisor;
  codelet.entry = &enter<V>;
  codelet.seal();
  return codelet;
}

} // namespace cottonwood::codelet

/// A public field of a vertex class V, for describe<V>.
#define POP_FIELD(V, field) ::cottonwood::codelet::describeMember<V>(#field, &V::field)
