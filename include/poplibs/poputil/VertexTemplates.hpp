#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_VERTEX_TEMPLATES_HPP
#define POPUTIL_VERTEX_TEMPLATES_HPP

#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>

#include <string>
#include <utility>

namespace poputil {

/// Text of one template argument of a vertex name. Specialise it for your own enums, before the
/// first use.
template <typename T> struct VertexTemplateToString {
  static std::string to_string(T const &x) { return std::to_string(x); }
};

template <> struct VertexTemplateToString<poplar::StringRef> {
  static std::string to_string(poplar::StringRef const &ref) { return ref; }
};

// All overloads are declared before the first definition: they call one another, and
// argument-dependent lookup does not find this namespace for bool, char const * and std::string.
inline std::string templateVertexParams(bool first);
template <typename... Args>
std::string templateVertexParams(bool first, std::string const &val, Args &&...args);
template <typename... Args>
std::string templateVertexParams(bool first, char const *val, Args &&...args);
template <typename... Args>
std::string templateVertexParams(bool first, poplar::Type const &type, Args &&...args);
template <typename... Args> std::string templateVertexParams(bool first, bool b, Args &&...args);
template <typename T, typename... Args>
std::string templateVertexParams(bool first, T const &val, Args &&...args);

/// An argument behind what opens the list or divides it from the one before.
inline std::string vertexParam(bool first, std::string const &text) {
  std::string param(first ? "<" : ",");
  return param.append(text);
}

/// Closes the list: nothing if there was no argument, else ">".
inline std::string templateVertexParams(bool first) { return first ? "" : ">"; }

template <typename T, typename... Args>
std::string templateVertexParams(bool first, T const &val, Args &&...args) {
  return vertexParam(first, VertexTemplateToString<T>::to_string(val)) +
         templateVertexParams(false, std::forward<Args>(args)...);
}

template <typename... Args>
std::string templateVertexParams(bool first, poplar::Type const &type, Args &&...args) {
  return vertexParam(first, std::string(type.toString())) +
         templateVertexParams(false, std::forward<Args>(args)...);
}

template <typename... Args>
std::string templateVertexParams(bool first, std::string const &val, Args &&...args) {
  return vertexParam(first, val) + templateVertexParams(false, std::forward<Args>(args)...);
}

template <typename... Args>
std::string templateVertexParams(bool first, char const *val, Args &&...args) {
  return vertexParam(first, val) + templateVertexParams(false, std::forward<Args>(args)...);
}

template <typename... Args> std::string templateVertexParams(bool first, bool b, Args &&...args) {
  return vertexParam(first, b ? "true" : "false") +
         templateVertexParams(false, std::forward<Args>(args)...);
}

/// Name of an instantiated vertex: `templateVertex("ns::V", poplar::FLOAT, true, 3u)` is
/// "ns::V<float,true,3>". With no argument the name comes back as it is.
template <typename... Args> std::string templateVertex(std::string const &name, Args &&...args) {
  return name + templateVertexParams(true, std::forward<Args>(args)...);
}

} // namespace poputil

#endif
