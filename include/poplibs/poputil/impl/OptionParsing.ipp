#pragma once

#include <poputil/OptionParsing.hpp>

#include <poplar/impl/base/OptionReader.hpp>

#include <charconv>
#include <cstdlib>

namespace poplibs {

namespace parse {

POP_INLINE long long asInteger(poplar::StringRef const &str, long long low, long long high) {
  std::string_view text(str.data(), str.size());
  bool const negative = text.starts_with('-');
  if (negative || text.starts_with('+'))
    text.remove_prefix(1);
  bool const hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex)
    text.remove_prefix(2);
  unsigned long long magnitude = 0;
  auto const [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, hex ? 16 : 10);
  if (code == std::errc::invalid_argument || end != text.data() + text.size())
    throw poplar::invalid_option("Not a valid integer");
  auto const limit = static_cast<unsigned long long>(std::numeric_limits<long long>::max());
  bool const fits = code == std::errc() && magnitude <= limit;
  long long const value =
      negative ? -static_cast<long long>(magnitude) : static_cast<long long>(magnitude);
  if (!fits || value < low || value > high)
    throw poplar::invalid_option("Integer out of range: allowed are " + std::to_string(low) +
                                 " to " + std::to_string(high));
  return value;
}

POP_INLINE double asDouble(poplar::StringRef const &str) {
  std::string const text = str;
  char *end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  if (end == text.c_str())
    throw poplar::invalid_option("Not a valid number");
  return value;
}

POP_INLINE bool asBool(poplar::StringRef const &value) {
  return asEnum<bool>(value, std::map<std::string, bool>{{"true", true}, {"false", false}});
}

} // namespace parse

POP_INLINE OptionSpec::OptionSpec(initializer_list_t &&handlers) : handlers_(handlers) {}

POP_INLINE void OptionSpec::parse(poplar::StringRef option, poplar::StringRef value,
                                  bool ignoreUnknown) const {
  std::string const name = option;
  auto const at = handlers_.find(name);
  if (at == handlers_.end()) {
    if (ignoreUnknown)
      return;
    using cottonwood::base::textOf;
    std::vector<std::string_view> names;
    for (auto const &handler : handlers_)
      names.push_back(handler.first);
    std::string text = textOf("Unrecognised option '", name, "'");
    if (auto const nearest = cottonwood::base::nearestName(name, names); !nearest.empty())
      throw poplar::invalid_option(textOf(text, "; did you mean '", nearest, "'?"));
    for (std::size_t i = 0; i != names.size(); ++i)
      text += textOf(i == 0 ? "; known options: " : ", ", names[i]);
    throw poplar::invalid_option(names.empty() ? text + "; there are none here" : text);
  }
  try {
    at->second.parseValue(value);
  } catch (poplar::invalid_option const &error) {
    throw poplar::invalid_option("Invalid value '" + value.cloneAsString() + "' for option '" +
                                 name + "': " + error.what());
  }
}

} // namespace poplibs
