// How the vertex classes of a codelet source become entries of its object's table. Included before
// the source, so that no name or macro of the source gets in its way; what popc appends to the
// source instantiates it, which is also what reaches private members.
//
//     template <> struct cottonwood::codelet::VertexText<ns::V> {
//       static char const *name() { return "ns::V"; }
//       static char const *fields() { return "in,out"; }
//     };
//     template struct cottonwood::codelet::Exporter<
//         ns::V, VertexMethod<decltype(ComputeMethod<...>::pick(&ns::V::compute)),
//         &ns::V::compute>, ExportedMember<decltype(&ns::V::in), &ns::V::in>, ...>;
#ifndef POPLAR_IMPL_POPC_EXPORT_HPP
#define POPLAR_IMPL_POPC_EXPORT_HPP

#include <poplar/impl/codelet/VertexDescription.hpp>
#include <poplar/impl/popc/HostCalls.hpp>
#include <poplar/impl/popc/Object.hpp>

#pragma GCC visibility push(hidden)

namespace cottonwood {
namespace codelet {

template <class Member> struct MemberOf;
template <class T, class C> struct MemberOf<T C::*> { typedef T type; };

/// Whether a member of that type is an edge or holds values that the graph can set.
template <class T> struct IsField {
  static const bool value =
      TypeIdOf<typename ValueTraits<T>::Element>::value != base::TypeId::Invalid;
};
template <class T, std::size_t count> struct IsField<T[count]> : IsField<T> {};
template <class T, std::size_t count> struct IsField<T const[count]> : IsField<T> {};
template <class T> struct IsField<T const> : IsField<T> {};
template <class T> struct IsField<T volatile> : IsField<T> {};
template <class T> struct IsField<T const volatile> : IsField<T> {};
template <class T> struct IsField<poplar::Input<T>> : std::true_type {};
template <class T> struct IsField<poplar::Output<T>> : std::true_type {};
template <class T> struct IsField<poplar::InOut<T>> : std::true_type {};
template <class T, poplar::VectorLayout L, unsigned A, bool I>
struct IsField<poplar::Vector<T, L, A, I>> : std::true_type {};

/// What stands for a member that is no field.
inline FieldDescription noField() {
  FieldDescription none = FieldDescription();
  none.type = base::TypeId::Invalid;
  return none;
}

/// A member of a vertex class: described if it is a field; one of another type (a structure of the
/// codelet's own, a pointer) is storage that only the codelet sees, and is passed by.
template <class T, T member, class M = typename MemberOf<T>::type, bool isField = IsField<M>::value>
struct ExportedMember : VertexMember<T, member> {};
template <class T, T member, class M> struct ExportedMember<T, member, M, false> {
  template <class V> static FieldDescription describe() { return noField(); }
};

/// The table of this shared object; one, however many sources it is made from.
template <class Unused> struct Table { static ObjectTable value; };
template <class Unused> ObjectTable Table<Unused>::value = {OBJECT_ABI, nullptr, &hostCalls};

/// Enters V in the table when explicitly instantiated. Nothing here is a static variable of a
/// function: those would need the C++ library, which most codelets do without.
template <class V, class Method, class... Members> struct Exporter {
  static bool run() {
    FieldDescription const found[] = {Members::template describe<V>()..., noField()};
    for (std::size_t i = 0; i != sizeof...(Members); ++i)
      fields[i] = found[i];
    description.name = VertexText<V>::name();
    description.fieldNames = VertexText<V>::fields();
    description.fields = fields;
    description.numFields = sizeof...(Members);
    description.stateSize = sizeof(V);
    description.stateAlign = alignof(V);
    description.isMulti = VertexKind<V>::isMulti;
    description.isSupervisor = VertexKind<V>::isSupervisor;
    description.entry = Method::template entry<V>();
    description.initial = InitialState<V>::write(initial);
    vertex.description = &description;
    vertex.next = Table<void>::value.first;
    Table<void>::value.first = &vertex;
    return true;
  }
  static FieldDescription fields[sizeof...(Members) + 1];
  static VertexDescription description;
  static ExportedVertex vertex;
  static unsigned char initial[sizeof(V)];
  static bool const exported;
};
template <class V, class Method, class... Members>
FieldDescription Exporter<V, Method, Members...>::fields[sizeof...(Members) + 1];
template <class V, class Method, class... Members>
VertexDescription Exporter<V, Method, Members...>::description;
template <class V, class Method, class... Members>
ExportedVertex Exporter<V, Method, Members...>::vertex;
template <class V, class Method, class... Members>
unsigned char Exporter<V, Method, Members...>::initial[sizeof(V)];
template <class V, class Method, class... Members>
bool const Exporter<V, Method, Members...>::exported = Exporter<V, Method, Members...>::run();

} // namespace codelet
} // namespace cottonwood

#pragma GCC visibility pop

extern "C" __attribute__((visibility("default"), weak)) cottonwood::codelet::ObjectTable const *
POP_OBJECT_TABLE() {
  return &cottonwood::codelet::Table<void>::value;
}

#endif
