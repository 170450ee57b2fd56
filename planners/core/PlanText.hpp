// One description of a plan's fields serves printing, parsing, comparing, hashing and forcing.
//
// A plan (or a problem) is a struct with
//   static constexpr std::string_view NAME = "reduce";
//   template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
//     visit("rows", self.rows);
//     visit("order", self.order);
//   }
// where a field is an integer, a bool, a std::string without blanks, or an enum that has EnumNames.
#pragma once

#include "Hash.hpp"

#include <charconv>
#include <concepts>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cottonwood::planner {

/// A plan text, constraint or wisdom line that does not parse, or a problem no candidate can solve.
struct PlanError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Specialise with `static constexpr std::string_view names[]`, in the order of the enumerators
/// (from 0).
template <class E> struct EnumNames;

template <class P>
concept PlanLike = requires(P &p) {
  { P::NAME } -> std::convertible_to<std::string_view>;
  P::fields(p, [](std::string_view, auto &) {});
};

namespace detail {

inline std::string quoted(std::string_view text) {
  return std::string("'").append(text).append("'");
}

template <class T> std::string fieldText(T const &value) {
  if constexpr (std::is_same_v<T, std::string>)
    return value.empty() ? "-" : value;
  else if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>)
    return std::string(EnumNames<T>::names[static_cast<std::size_t>(value)]);
  else
    return std::to_string(value);
}

template <class E> std::string enumChoices() {
  std::string list;
  for (std::string_view name : EnumNames<E>::names)
    list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

[[noreturn]] inline void badValue(std::string_view key, std::string_view text,
                                  std::string const &allowed) {
  throw PlanError("plan text: " + quoted(text) + " is not a value of " + quoted(key) +
                  "; allowed: " + allowed);
}

template <class T> void parseField(std::string_view key, std::string_view text, T &value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = text == "-" ? std::string() : std::string(text);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false")
      badValue(key, text, "true, false");
    value = text == "true";
  } else if constexpr (std::is_enum_v<T>) {
    for (std::size_t i = 0; i < std::size(EnumNames<T>::names); ++i)
      if (EnumNames<T>::names[i] == text) {
        value = static_cast<T>(i);
        return;
      }
    badValue(key, text, enumChoices<T>());
  } else {
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size())
      badValue(key, text, std::is_signed_v<T> ? "an integer" : "an integer from 0");
  }
}

/// Splits at blanks; empty parts do not count.
inline std::vector<std::string_view> words(std::string_view text,
                                           std::string_view blanks = " \t\n") {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; (at = text.find_first_not_of(blanks, at)) != std::string_view::npos;) {
    std::size_t end = text.find_first_of(blanks, at);
    if (end == std::string_view::npos)
      end = text.size();
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

inline std::pair<std::string_view, std::string_view> keyAndValue(std::string_view word) {
  std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw PlanError("plan text: " + quoted(word) + " is not of the form key=value");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

} // namespace detail

/// "rows, order": the keys of a plan, for messages.
template <PlanLike P> std::string planKeys() {
  std::string keys;
  P plan{};
  P::fields(plan, [&](std::string_view key, auto &) {
    keys += (keys.empty() ? "" : ", ") + std::string(key);
  });
  return keys;
}

template <PlanLike P> bool hasKey(std::string_view key) {
  bool found = false;
  P plan{};
  P::fields(plan, [&](std::string_view name, auto &) { found = found || name == key; });
  return found;
}

/// One line: `reduce rows=8 order=tree`.
template <PlanLike P> std::string toText(P const &plan) {
  std::string line(P::NAME);
  P::fields(plan, [&](std::string_view key, auto const &value) {
    line.append(" ").append(key).append("=").append(detail::fieldText(value));
  });
  return line;
}

/// Sets one field from its text. \throws PlanError unknown key (lists the keys) or a value the
/// field cannot hold.
template <PlanLike P> void setField(P &plan, std::string_view key, std::string_view text) {
  if (!hasKey<P>(key))
    throw PlanError("plan text: no key " + detail::quoted(key) + " in a plan of " +
                    std::string(P::NAME) + "; keys: " + planKeys<P>());
  P::fields(plan, [&](std::string_view name, auto &value) {
    if (name == key)
      detail::parseField(key, text, value);
  });
}

/// Inverse of toText: every field must be there once.
template <PlanLike P> P fromText(std::string_view line) {
  auto words = detail::words(line);
  if (words.empty() || words.front() != P::NAME)
    throw PlanError("plan text: " + detail::quoted(line) + " does not begin with '" +
                    std::string(P::NAME) + "'");
  P plan{};
  std::string missing;
  for (std::string_view word : std::span(words).subspan(1)) {
    auto [key, value] = detail::keyAndValue(word);
    setField(plan, key, value);
  }
  P::fields(plan, [&](std::string_view key, auto &) {
    std::size_t count = 0;
    for (std::string_view word : std::span(words).subspan(1))
      count += detail::keyAndValue(word).first == key ? 1U : 0U;
    if (count != 1)
      missing += (missing.empty() ? "" : ", ") + std::string(key);
  });
  if (!missing.empty())
    throw PlanError("plan text: " + detail::quoted(line) +
                    " must give each key once; check: " + missing);
  return plan;
}

template <PlanLike P> std::uint64_t hashOf(P const &plan) {
  std::uint64_t h = hashText(P::NAME);
  P::fields(plan, [&](std::string_view, auto const &value) {
    h = combine(h, hashText(detail::fieldText(value)));
  });
  return h;
}

} // namespace cottonwood::planner
