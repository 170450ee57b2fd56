#include <bench/report/Json.hpp>

#include <charconv>
#include <cmath>
#include <cstdio>

namespace cottonwood::report {
namespace {

/// The bytes of the character that text begins with; 0 when they are not UTF-8.
std::size_t characterBytes(std::string_view text) {
  auto const byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  unsigned const first = byte(0), second = byte(1);
  auto const continues = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if ((byte(i) & 0xC0) != 0x80)
        return false;
    return true;
  };
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return continues(1, 2) ? 2 : 0;
  // Neither longer than need be, nor halves of pairs, nor beyond U+10FFFF.
  if (first >= 0xE0 && first <= 0xEF)
    return continues(1, 3) && !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F)
               ? 3
               : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return continues(1, 4) && !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F)
               ? 4
               : 0;
  return 0;
}

std::string escaped(unsigned character) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", character);
  return text;
}

std::string escapedCharacter(std::string_view character) {
  char const first = character[0];
  if (character == "\xE2\x80\xA8" || character == "\xE2\x80\xA9")
    return character == "\xE2\x80\xA8" ? "\\u2028" : "\\u2029";
  if (first == '"' || first == '\\')
    return std::string("\\") + first;
  bool const special = first == '<' || first == '>' || first == '&' || first == 0x7F;
  if (character.size() == 1 && (static_cast<unsigned char>(first) < 0x20 || special))
    return escaped(static_cast<unsigned char>(first));
  return std::string(character);
}

} // namespace

std::string jsonString(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    std::size_t const bytes = characterBytes(text);
    json += bytes ? escapedCharacter(text.substr(0, bytes)) : "\\ufffd";
    text.remove_prefix(bytes ? bytes : 1);
  }
  return json + "\"";
}

std::string jsonNumber(double value) {
  if (!std::isfinite(value))
    return "null";
  char text[32];
  auto const end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

} // namespace cottonwood::report
