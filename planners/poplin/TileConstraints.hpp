// Constraints on plans for tiles.
#pragma once

#include "TileTypes.hpp"

namespace cottonwood::planner::detail {

/// Constraints on the fields of plans and on their traits.
class TileConstraints {
public:
  /// \throws PlanError  a key that neither has, or a value that it cannot hold.
  TileConstraints(Constraints const &all, bool halfPartials)
      : fields_(all.of<TilePlan>()), traits_(all.of<TileTraits>()), halfPartials_(halfPartials) {
    all.check<TilePlan, TileTraits>();
  }

  bool empty() const { return fields_.empty() && traits_.empty(); }
  std::optional<std::vector<std::uint64_t>> numbers(std::string_view key) const {
    if (auto const values = fields_.numbers(key))
      return values;
    return traits_.numbers(key);
  }
  /// True if a key may have a value as far as it is constrained.
  template <class T> bool allows(std::string_view key, T const &value) const {
    for (Constraints const *some : {&fields_, &traits_})
      if (auto const text = some->value(key)) {
        for (std::string_view const one : words(*text, "|"))
          if (one == fieldText(value))
            return true;
        return false;
      }
    return true;
  }
  bool constrains(std::string_view key) const {
    return fields_.value(key).has_value() || traits_.value(key).has_value();
  }
  /// True if a key is constrained and cannot be 1.
  bool cuts(std::string_view key) const { return !allows(key, std::uint64_t{1}); }
  bool admits(TilePlan const &plan) const {
    return (fields_.empty() || !fields_.refusal(plan)) &&
           (traits_.empty() || !traits_.refusal(traitsOf(plan, halfPartials_)));
  }

private:
  Constraints fields_, traits_;
  bool halfPartials_;
};

} // namespace cottonwood::planner::detail
