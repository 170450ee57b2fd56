// From what is alive at each step to when each variable is alive.
#pragma once

#include <bench/report/PageData.hpp>

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace cottonwood::report {

/// Variables of equal name and size cannot be told apart; as many lifetimes overlap as there are of
/// them.
class Lifetimes {
public:
  using Key = std::pair<Number, Number>; ///< name and bytes

  /// What is alive at the next step, in any order.
  void addStep(std::span<Key const> alive);

  /// Sorted by begin. Nothing may be added afterwards.
  std::vector<Lifetime> take();

private:
  void close(Key const &key, std::size_t count);

  Number step_ = 0;
  std::map<Key, std::vector<Number>> open_{}; ///< begins of those that are alive
  std::vector<Lifetime> closed_{};
};

} // namespace cottonwood::report
