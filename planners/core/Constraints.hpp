// Forcing a plan: "rows=8,order=tree|list" admits only candidates with those fields; `|` is between
// values of which each will do.
#pragma once

#include "PlanText.hpp"

#include <map>
#include <optional>
#include <vector>

namespace cottonwood::planner {

/// Values that a plan's fields are forced to. Empty: nothing is forced.
class Constraints {
public:
  Constraints() = default;

  /// \param text  key=value pairs separated by commas or blanks.
  /// \throws PlanError  a part is not key=value, or a key comes twice.
  static Constraints parse(std::string_view text) {
    Constraints result;
    for (std::string_view word : detail::words(text, ", \t\n")) {
      auto [key, value] = detail::keyAndValue(word);
      if (!result.values_.emplace(std::string(key), std::string(value)).second)
        throw PlanError("plan constraints: " + detail::quoted(key) + " is given twice in " +
                        detail::quoted(text));
    }
    return result;
  }

  bool empty() const { return values_.empty(); }

  /// What a key is forced to, if it is.
  std::optional<std::string> value(std::string_view key) const {
    auto const found = values_.find(std::string(key));
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  /// The numbers that a key is forced to be one of, if it is.
  std::optional<std::vector<std::uint64_t>> numbers(std::string_view key) const {
    auto const text = value(key);
    if (!text)
      return std::nullopt;
    std::vector<std::uint64_t> values;
    for (std::string_view const one : detail::words(*text, "|"))
      detail::parseField(key, one, values.emplace_back());
    return values;
  }

  /// Those on other keys.
  Constraints without(std::initializer_list<std::string_view> keys) const {
    Constraints result = *this;
    for (std::string_view const key : keys)
      result.values_.erase(std::string(key));
    return result;
  }

  /// The keys that are forced, in order.
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (auto const &entry : values_)
      keys.push_back(entry.first);
    return keys;
  }

  /// Those on the keys that plans of type P have.
  template <PlanLike P> Constraints of() const {
    Constraints result;
    for (auto const &[key, value] : values_)
      if (isKey<P>(key))
        result.values_.emplace(key, value);
    return result;
  }

  /// \throws PlanError  a key that plans of none of these types have, or a value its field cannot
  ///         hold. To be called once before candidates are tried, so that a misspelt key is an
  ///         error and not "no candidate".
  template <PlanLike P, PlanLike... More> void check() const {
    for (auto const &[key, value] : values_)
      if (!(holds<P>(key, value) || ... || holds<More>(key, value))) {
        P plan{};
        setField(plan, key, value);
      }
  }

  /// Why `plan` is not admitted, or nothing if it is.
  template <PlanLike P> std::optional<std::string> refusal(P const &plan) const {
    std::string reasons;
    for (auto const &[key, value] : values_) {
      std::string const text = textOf(plan, key);
      bool admitted = false;
      for (std::string_view const one : detail::words(value, "|")) {
        P forced = plan;
        setField(forced, key, one);
        admitted = admitted || textOf(forced, key) == text;
      }
      if (!admitted)
        reasons +=
            (reasons.empty() ? "" : ", ") + key + " = " + text + " but " + value + " is forced";
    }
    return reasons.empty() ? std::nullopt : std::optional<std::string>(reasons);
  }

  /// "rows=8,order=tree", by key.
  std::string toText() const {
    std::string text;
    for (auto const &[key, value] : values_)
      text += (text.empty() ? "" : ",") + key + "=" + value;
    return text;
  }

private:
  template <PlanLike P> static bool isKey(std::string_view key) {
    bool found = false;
    P plan{};
    P::fields(plan, [&](std::string_view name, auto &) { found = found || name == key; });
    return found;
  }
  /// True if plans of type P have the key. \throws PlanError  they cannot hold a value.
  template <PlanLike P> static bool holds(std::string_view key, std::string_view value) {
    if (!isKey<P>(key))
      return false;
    P plan{};
    for (std::string_view const one : detail::words(value, "|"))
      setField(plan, key, one);
    return true;
  }
  template <PlanLike P> static std::string textOf(P const &plan, std::string_view key) {
    std::string text;
    P::fields(plan, [&](std::string_view name, auto const &value) {
      if (name == key)
        text = detail::fieldText(value);
    });
    return text;
  }

  std::map<std::string, std::string> values_;
};

} // namespace cottonwood::planner
