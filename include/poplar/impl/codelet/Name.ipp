#pragma once
#include <poplar/impl/codelet/Codelet.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace cottonwood::codelet {

namespace detail {

constexpr bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/// Words, and other characters one by one; "::" is one token. Blanks only separate.
POP_INLINE std::vector<std::string> nameTokens(std::string_view name) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < name.size();) {
    if (isBlank(name[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (isWordChar(name[i])) {
      while (end < name.size() && isWordChar(name[end]))
        ++end;
    } else if (name[i] == ':' && end < name.size() && name[end] == ':') {
      ++end;
    }
    tokens.emplace_back(name.substr(i, end - i));
    i = end;
  }
  return tokens;
}

/// The spelling of poplar::Type::toString() for a run of words such as "long unsigned" or
/// "uint16_t"; other words stay.
POP_INLINE std::string canonicalWords(std::vector<std::string> const &words) {
  if (words.size() == 1) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kAliases{
        {{"uint8_t", "unsigned char"},
         {"int8_t", "signed char"},
         {"uint16_t", "unsigned short"},
         {"int16_t", "short"},
         {"uint32_t", "unsigned int"},
         {"int32_t", "int"},
         {"uint64_t", "unsigned long"},
         {"int64_t", "long"},
         {"size_t", "unsigned long"},
         {"unsigned", "unsigned int"},
         {"signed", "int"}}};
    for (auto const &[alias, spelling] : kAliases)
      if (words[0] == alias)
        return std::string(spelling);
    if (!isDigit(words[0][0]))
      return words[0];
    // The suffix of a number in decimal.
    std::size_t const end = words[0].find_first_not_of("0123456789");
    bool const isSuffix =
        end != std::string::npos && words[0].find_first_not_of("uUlL", end) == std::string::npos;
    return isSuffix ? words[0].substr(0, end) : words[0];
  }
  auto const count = [&](std::string_view word) {
    return std::count(words.begin(), words.end(), word);
  };
  auto const numLongs = count("long");
  std::string const sign = count("unsigned") != 0 ? "unsigned " : "";
  auto const known = count("unsigned") + count("signed") + count("short") + numLongs +
                     count("int") + count("char");
  if (known != std::ssize(words)) {
    std::string text = words[0];
    for (std::size_t i = 1; i < words.size(); ++i)
      text += ' ' + words[i];
    return text;
  }
  if (count("char") != 0)
    return (count("signed") != 0 ? "signed " : sign) + "char";
  if (count("short") != 0)
    return sign + "short";
  if (numLongs != 0)
    return sign + (numLongs == 1 ? "long" : "long long");
  return sign + "int";
}

/// Whether tokens[i] begins "std::" or "poplar::" in front of a name that loses its qualification.
POP_INLINE bool isPlainQualifier(std::vector<std::string> const &tokens, std::size_t i) {
  if (i + 2 >= tokens.size() || tokens[i + 1] != "::")
    return false;
  std::string const &word = tokens[i + 2];
  if (tokens[i] == "std")
    return canonicalWords({word}) != word;
  return tokens[i] == "poplar" && (word == "half" || word == "quarter");
}

} // namespace detail

POP_INLINE std::string normaliseName(std::string_view name) {
  if (name.find_first_of("< \t\n") == std::string_view::npos && !name.starts_with("::"))
    return std::string(name);
  std::vector<std::string> const tokens = detail::nameTokens(name);
  std::string result;
  std::vector<std::string> words;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    if (i < tokens.size() && detail::isWordChar(tokens[i][0])) {
      if (detail::isPlainQualifier(tokens, i))
        ++i; // skips the "::" too
      else
        words.push_back(tokens[i]);
      continue;
    }
    if (!words.empty()) {
      result += detail::canonicalWords(words);
      words.clear();
    }
    if (i == tokens.size())
      break;
    // A leading "::" of the name or of a template argument says nothing.
    bool const leads = result.empty() || result.back() == '<' || result.back() == ',';
    if (tokens[i] != "::" || !leads)
      result += tokens[i];
  }
  return result;
}

} // namespace cottonwood::codelet
