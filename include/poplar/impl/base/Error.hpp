// Building error texts: `where: what, with the values; what is allowed`.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <poplar/exceptions.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace cottonwood::base {

inline void appendPart(std::string &text, std::string_view part) { text.append(part); }
inline void appendPart(std::string &text, std::string const &part) { text.append(part); }
inline void appendPart(std::string &text, char const *part) { text.append(part); }
inline void appendPart(std::string &text, char part) { text.push_back(part); }
inline void appendPart(std::string &text, bool part) { text.append(part ? "true" : "false"); }
inline void appendPart(std::string &text, poplar::StringRef part) {
  text.append(part.data(), part.size());
}
inline void appendPart(std::string &text, poplar::Type const &part) {
  appendPart(text, part.toString());
}

template <class T>
requires(std::integral<T> || std::floating_point<T>) void appendPart(std::string &text, T part) {
  char digits[64];
  auto const end = std::to_chars(digits, digits + sizeof digits, part).ptr;
  text.append(digits, end);
}

/// The parts one after another: texts, numbers (shortest exact form), booleans and Types.
template <class... A> std::string textOf(A const &...parts) {
  std::string text;
  (appendPart(text, parts), ...);
  return text;
}

/// Throws an E whose text is `where: parts…`.
template <class E, class... A> [[noreturn]] void fail(std::string_view where, A const &...parts) {
  throw E(textOf(where, ": ", parts...));
}

/// `[8, 16, 3]`; also for permutations and lists of indices.
template <class T> std::string listText(std::span<T const> values) {
  std::string text = "[";
  for (std::size_t i = 0; i != values.size(); ++i) {
    if (i != 0)
      text += ", ";
    appendPart(text, values[i]);
  }
  return text += "]";
}

inline std::string shapeText(std::span<std::size_t const> shape) { return listText(shape); }

/// `'text'`. An object, not a function: for a std::string argument-dependent look-up would prefer
/// std::quoted.
struct Quoted {
  std::string operator()(poplar::StringRef text) const { return textOf('\'', text, '\''); }
};
inline constexpr Quoted quoted{};

} // namespace cottonwood::base
