#pragma once
// Built-in codelets: how a library makes a table of them from its vertex classes.
//
//     using V = vertices::Fill<isa::scalar, float>;           // the scalar twin gives the layout
//     FieldDescription const fields[] = {POP_FIELD(V, out), POP_FIELD(V, value)};
//     Codelet c = describe("popops::Fill<float>", fields, CLASS_LAYOUT<V>, &enter<V>);
//     c.isa = "avx2"; c.cost = &costOfFill; // optional; the entry is that of V with this tag
//
// Fields and compute() are public. After seal(), which describe() calls, fields are in the order of
// the class (of their offsets), whatever the order of the list: the indices that a cost function
// uses are those. codelet::addToGraph(graph, table) registers the table; adding it again does
// nothing.

#include <cstdint>
#include <span>
#include <string_view>

#include <poplar/impl/codelet/Codelet.hpp>

namespace cottonwood::codelet {

/// The entry point of a vertex class with a public compute(). Its symbol carries all of V's
/// arguments, the ISA tag too.
template <class V> bool enter(void *state, unsigned worker, VertexContext *context) {
  using Method = decltype(ComputeMethod<VertexKind<V>::isMulti>::pick(&V::compute));
  return EntryThrough<V, Method, &V::compute>::enter(state, worker, context);
}

/// What a codelet takes from its vertex class beside the fields.
struct ClassLayout {
  std::uint32_t size, alignment;
  bool multi, supervisor;
};

template <class V>
inline constexpr ClassLayout CLASS_LAYOUT{sizeof(V), alignof(V), VertexKind<V>::isMulti,
                                          VertexKind<V>::isSupervisor};

/// The codelet of a vertex class; all but its fields, layout and entry as by default.
inline Codelet describe(std::string_view name, std::span<FieldDescription const> fields,
                        ClassLayout const &layout, Entry entry) {
  Codelet codelet;
  codelet.name = name;
  for (FieldDescription const &description : fields)
    codelet.fields.push_back(fieldFrom(description, description.name));
  codelet.stateSize = layout.size;
  codelet.stateAlign = layout.alignment;
  codelet.multi = layout.multi;
  codelet.supervisor = layout.supervisor;
  codelet.entry = entry;
  codelet.seal();
  return codelet;
}

} // namespace cottonwood::codelet

/// A public field of a vertex class V, for describe().
#define POP_FIELD(V, field) ::cottonwood::codelet::describeMember<V>(#field, &V::field)
