// Bodies of <poplar/OptionFlags.hpp>.
#pragma once

#include <cstdlib>
#include <cstring>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/impl/base/Error.hpp>
#include <stdexcept>
#include <utility>

namespace cottonwood::base::detail {

/// Receives the parts of one flat JSON object. Numbers keep the text they were written in.
class FlagsFromJSON : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit FlagsFromJSON(poplar::OptionFlags &flags) : flags_(flags) {}

  bool key(string_t &name) override {
    key_ = name;
    return true;
  }
  bool string(string_t &value) override { return value_(value); }
  bool boolean(bool value) override { return value_(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return value_(textOf(value)); }
  bool number_unsigned(number_unsigned_t value) override { return value_(textOf(value)); }
  bool number_float(number_float_t, string_t const &text) override { return value_(text); }
  bool start_object(std::size_t) override {
    if (depth_++ == 0)
      return true;
    wrongValue("an object");
  }
  bool end_object() override { return true; }
  bool null() override { wrongValue("null"); }
  bool binary(binary_t &) override { wrongValue("binary data"); }
  bool start_array(std::size_t) override { wrongValue("an array"); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, std::string const &,
                   nlohmann::detail::exception const &error) override {
    fail<poplar::parse_error>("poplar::readJSON", "not JSON at byte ", position, ": ",
                              error.what());
  }

private:
  bool value_(std::string text) {
    if (depth_ == 0)
      wrongValue("a lone value");
    flags_.set(key_, text);
    return true;
  }
  [[noreturn]] void wrongValue(char const *what) const {
    if (depth_ == 0)
      fail<poplar::parse_error>("poplar::readJSON", "the text is ", what,
                                "; options are one JSON object");
    fail<poplar::parse_error>("poplar::readJSON", "the value of ", quoted(key_), " is ", what,
                              "; values are strings, numbers and booleans");
  }

  poplar::OptionFlags &flags_;
  std::string key_;
  unsigned depth_ = 0;
};

} // namespace cottonwood::base::detail

namespace poplar {

POP_INLINE OptionFlags::OptionFlags() = default;
POP_INLINE OptionFlags::OptionFlags(initializer_list list) { set(list); }
POP_INLINE OptionFlags::OptionFlags(OptionFlags const &other) = default;
POP_INLINE OptionFlags::OptionFlags(OptionFlags &&other) noexcept = default;
POP_INLINE OptionFlags &OptionFlags::operator=(OptionFlags const &other) = default;
POP_INLINE OptionFlags &OptionFlags::operator=(OptionFlags &&other) noexcept = default;
POP_INLINE OptionFlags::~OptionFlags() = default;

POP_INLINE void OptionFlags::set(initializer_list list) {
  for (auto const &flag : list)
    flags_.insert_or_assign(flag.first, flag.second);
}
POP_INLINE void OptionFlags::set(StringRef option, StringRef value) {
  flags_.insert_or_assign(option.cloneAsString(), value.cloneAsString());
}

POP_INLINE StringRef OptionFlags::at(StringRef option) const {
  auto const found = flags_.find(option.cloneAsString());
  if (found == flags_.end())
    cottonwood::base::fail<std::out_of_range>("poplar::OptionFlags::at", "the option ",
                                              cottonwood::base::quoted(option), " is not set");
  return found->second;
}

POP_INLINE OptionFlags::iterator OptionFlags::find(StringRef option) const {
  return iterator(flags_.find(option.cloneAsString()));
}

POP_INLINE void readJSON(StringRef jsonText, OptionFlags &flags) {
  OptionFlags read = flags; // nothing changes if the text turns out wrong half-way
  cottonwood::base::detail::FlagsFromJSON reader(read);
  nlohmann::json::sax_parse(jsonText.begin(), jsonText.end(), &reader);
  flags = std::move(read);
}

POP_INLINE void readJSON(std::istream &stream, OptionFlags &flags) {
  std::string const text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  readJSON(StringRef(text), flags);
}

POP_INLINE void readJSONFromEnv(StringRef envVarName, OptionFlags &flags) {
  char const *const text = std::getenv(envVarName.cloneAsString().c_str());
  if (!text || text[std::strspn(text, " \t\r\n")] == '\0')
    return;
  try {
    readJSON(StringRef(text), flags);
  } catch (parse_error const &error) {
    cottonwood::base::fail<parse_error>("environment variable " + envVarName, error.what());
  }
}

POP_INLINE std::ostream &operator<<(std::ostream &stream, OptionFlags const &flags) {
  serializeToJSON(stream, getAsProfileValue(flags), false);
  return stream;
}

POP_INLINE ProfileValue getAsProfileValue(OptionFlags const &flags) {
  ProfileValue::Map map;
  for (auto const &flag : flags)
    map.emplace(flag.first, flag.second);
  return map;
}

} // namespace poplar

POP_INLINE std::size_t
std::hash<poplar::OptionFlags>::operator()(poplar::OptionFlags const &flags) const {
  std::size_t mixed = flags.size();
  for (auto const &[key, value] : flags)
    for (auto const *part : {&key, &value})
      mixed = mixed * 0x9e3779b97f4a7c15u + std::hash<std::string>()(*part);
  return mixed;
}
