// Typed reading of OptionFlags by whoever consumes them.
//
//     base::OptionReader options("poplin::matMul", flags);
//     options.number("availableMemoryProportion", proportion, 0.0, 1.0);
//     options.choice("partialsType", partials, {{"half", HALF}, {"float", FLOAT}});
//     options.finish(); // names what nobody asked for
//
// Each call leaves its variable alone when the option is not set. All errors are
// poplar::invalid_option.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numeric>
#include <poplar/OptionFlags.hpp>
#include <poplar/impl/base/Error.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cottonwood::base {

/// Single-character insertions, deletions and substitutions that turn a into b.
inline std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i != a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j != b.size(); ++j) {
      std::size_t const substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// The candidate most like `name`, or an empty text if none comes close (a third of the name may
/// differ). A name that only lacks leading or trailing parts of a dotted candidate counts as close.
inline std::string_view nearestName(std::string_view name,
                                    std::vector<std::string_view> const &candidates) {
  std::string_view nearest;
  std::size_t best = name.size() / 3 + 1;
  for (auto const candidate : candidates) {
    bool const isPart = name.size() >= 4 && candidate.find(name) != std::string_view::npos;
    std::size_t const distance = isPart ? 1 : editDistance(name, candidate);
    if (distance < best || (distance == best && nearest.empty())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

class OptionReader {
public:
  /// \param consumer  what the error for an unknown option names, e.g. "poplin::matMul"
  OptionReader(std::string_view consumer, poplar::OptionFlags const &flags)
      : consumer_(consumer), flags_(flags) {}

  /// The text of the option, or nullptr if it is not set. Marks the name as known.
  std::string const *text(std::string_view name) {
    known_.push_back(name);
    auto const found = flags_.find(poplar::StringRef(name.data(), name.size()));
    return found == flags_.end() ? nullptr : &found->second;
  }

  void text(std::string_view name, std::string &value) {
    if (auto const *set = text(name))
      value = *set;
  }

  /// "true" or "false"
  void flag(std::string_view name, bool &value) {
    if (auto const *set = text(name)) {
      if (*set != "true" && *set != "false")
        wrongValue(name, *set, "true or false");
      value = *set == "true";
    }
  }

  /// Decimal, or hexadecimal after "0x".
  template <std::integral T>
  void integer(std::string_view name, T &value, T min = std::numeric_limits<T>::min(),
               T max = std::numeric_limits<T>::max()) {
    if (auto const *set = text(name)) {
      bool const hex = set->starts_with("0x") || set->starts_with("0X");
      char const *const begin = set->data() + (hex ? 2 : 0);
      char const *const end = set->data() + set->size();
      T read{};
      auto const [stop, error] = std::from_chars(begin, end, read, hex ? 16 : 10);
      if (error != std::errc() || stop != end || read < min || read > max)
        wrongValue(name, *set, textOf("an integer from ", min, " to ", max));
      value = read;
    }
  }

  void number(std::string_view name, double &value,
              double min = -std::numeric_limits<double>::infinity(),
              double max = std::numeric_limits<double>::infinity()) {
    if (auto const *set = text(name)) {
      double read = 0;
      char const *const end = set->data() + set->size();
      auto const [stop, error] = std::from_chars(set->data(), end, read);
      if (error != std::errc() || stop != end || !(read >= min && read <= max))
        wrongValue(name, *set, textOf("a number from ", min, " to ", max));
      value = read;
    }
  }

  /// One of a list of names.
  template <class T>
  void choice(std::string_view name, T &value,
              std::initializer_list<std::pair<std::string_view, T>> allowed) {
    if (auto const *set = text(name)) {
      for (auto const &[key, meaning] : allowed)
        if (*set == key) {
          value = meaning;
          return;
        }
      std::string keys;
      for (auto const &[key, meaning] : allowed)
        keys += textOf(keys.empty() ? "" : ", ", key);
      wrongValue(name, *set, "one of " + keys);
    }
  }

  /// Names that are accepted and mean nothing here.
  void ignore(std::initializer_list<std::string_view> names) { known_.insert(known_.end(), names); }

  /// To be called when every option has been asked for.
  void finish() const {
    for (auto const &flag : flags_)
      if (std::find(known_.begin(), known_.end(), flag.first) == known_.end())
        unknown(flag.first);
  }

  [[noreturn]] void wrongValue(std::string_view name, std::string_view value,
                               std::string_view allowed) const {
    throw poplar::invalid_option(textOf("Invalid value '", value, "' for option '", name,
                                        "': ", consumer_, " takes ", allowed));
  }

  /// The names asked for so far.
  std::vector<std::string_view> const &known() const noexcept { return known_; }

private:
  [[noreturn]] void unknown(std::string const &name) const {
    auto text = textOf("Unrecognised option '", name, "' of ", consumer_);
    if (auto const nearest = nearestName(name, known_); !nearest.empty())
      throw poplar::invalid_option(textOf(text, "; did you mean '", nearest, "'?"));
    if (known_.empty())
      throw poplar::invalid_option(text + "; it takes no options");
    auto names = known_;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (std::size_t i = 0; i != names.size(); ++i)
      text += textOf(i == 0 ? "; it takes " : ", ", names[i]);
    throw poplar::invalid_option(text);
  }

  std::string_view consumer_;
  poplar::OptionFlags const &flags_;
  std::vector<std::string_view> known_;
};

} // namespace cottonwood::base
