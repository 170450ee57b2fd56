// Other places in memory for what is allocated again.
#pragma once

#include <cstddef>
#include <vector>

namespace cottonwood::bench {

/// Holds pages that the system would give to the next one who asks: those that were given back
/// last.
class Elsewhere {
public:
  /// Another number of pages each time, to be called when the old memory has been given back.
  void move() {
    constexpr std::size_t STEP = 300'000, STEPS = 5;
    pages_ = {};
    pages_.assign((1 + turn_++ % STEPS) * STEP, std::byte{1});
  }

private:
  std::vector<std::byte> pages_;
  std::size_t turn_ = 0;
};

} // namespace cottonwood::bench
