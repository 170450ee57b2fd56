// Forcing a plan: "rows=8,order=tree" admits only candidates with those fields.
#pragma once

#include "PlanText.hpp"

#include <map>
#include <optional>

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

  /// \throws PlanError  a key that plans of type P do not have, or a value its field cannot hold.
  /// To be called once
  ///                    before candidates are tried, so that a misspelt key is an error and not "no
  ///                    candidate".
  template <PlanLike P> void check() const {
    P plan{};
    for (auto const &[key, value] : values_)
      setField(plan, key, value);
  }

  /// Why `plan` is not admitted, or nothing if it is.
  template <PlanLike P> std::optional<std::string> refusal(P const &plan) const {
    if (values_.empty())
      return std::nullopt;
    P forced = plan;
    std::string reasons;
    for (auto const &[key, value] : values_)
      setField(forced, key, value);
    std::vector<std::string> wanted;
    P::fields(forced, [&](std::string_view, auto const &value) {
      wanted.push_back(detail::fieldText(value));
    });
    std::size_t i = 0;
    P::fields(plan, [&](std::string_view key, auto const &value) {
      std::string text = detail::fieldText(value);
      if (text != wanted[i])
        reasons += (reasons.empty() ? "" : ", ") + std::string(key) + " = " + text + " but " +
                   wanted[i] + " is forced";
      ++i;
    });
    return reasons.empty() ? std::nullopt : std::optional<std::string>(reasons);
  }

private:
  std::map<std::string, std::string> values_;
};

} // namespace cottonwood::planner
