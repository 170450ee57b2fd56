// A vertex class as the program that compiles it describes it. C++11: vertices written in a program
// include it, and so does every codelet that is compiled at run time.
#ifndef POPLAR_IMPL_CODELET_VERTEXDESCRIPTION_HPP
#define POPLAR_IMPL_CODELET_VERTEXDESCRIPTION_HPP

#include <cstddef>
#include <poplar/impl/codelet/FieldTraits.hpp>

namespace cottonwood {
namespace codelet {

struct VertexDescription {
  char const *name;       ///< as written
  char const *fieldNames; ///< separated by commas
  FieldDescription *fields;
  std::size_t numFields;
  std::size_t stateSize;
  std::size_t stateAlign;
  bool isMulti;
  bool isSupervisor;
  Entry entry;
  void const *key; ///< identifies the class
};

/// The name and the field names of a vertex class; a specialisation for each.
template <class V> struct VertexText;

template <class T, T member> struct VertexMember {
  template <class V> static FieldDescription describe() { return describeMember<V>("", member); }
};
template <class T, T method> struct VertexMethod {
  template <class V> static Entry entry() { return &EntryThrough<V, T, method>::enter; }
};

} // namespace codelet
} // namespace cottonwood

#endif
