// A vertex class as the program that compiles it describes it. C++11: vertices written in a program
// include it, and so does every codelet that is compiled at run time.
#ifndef POPLAR_IMPL_CODELET_VERTEXDESCRIPTION_HPP
#define POPLAR_IMPL_CODELET_VERTEXDESCRIPTION_HPP

#include <cstddef>
#include <poplar/impl/codelet/FieldTraits.hpp>
#include <type_traits>

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
  void const *key;              ///< identifies the class
  unsigned char const *initial; ///< an image of a new state, for its values; null: zeros
};

/// Whether members of a class have initialisers (`float scale = 1;`) that can be asked for.
/// Constructors are not called, for they need not be defined: V{} must be an aggregate's or cannot
/// throw, as those that the compiler makes.
template <class V, class = void> struct HasInitialisers : std::false_type {};
template <class V>
struct HasInitialisers<V, typename std::enable_if<sizeof(V{}) != 0>::type>
    : std::integral_constant<bool, (noexcept(V{}) || __is_aggregate(V)) &&
                                       !std::is_trivially_default_constructible<V>::value> {};

template <class V, bool = HasInitialisers<V>::value> struct InitialState {
  static unsigned char const *write(unsigned char *) { return nullptr; }
};
/// Writes the image of a new V and returns it.
template <class V> struct InitialState<V, true> {
  static unsigned char const *write(unsigned char *image) {
    V const vertex{};
    unsigned char const *const from = reinterpret_cast<unsigned char const *>(&vertex);
    for (std::size_t i = 0; i != sizeof(V); ++i)
      image[i] = from[i];
    return image;
  }
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
