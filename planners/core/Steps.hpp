// What the steps of a tiled machine are charged for: the model's own numbers, as plans see them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cottonwood::planner {

namespace detail {

constexpr std::uint64_t ceilQuotient(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

} // namespace detail

/// Cycles of a step's parts on the tile that takes longest.
struct StepCharges {
  std::uint64_t syncCycles = 83; ///< before each compute set and each exchange
  std::uint64_t exchangeStartCycles = 100;
  std::uint64_t messageCycles = 1; ///< a contiguous run of one source, for its receiver
  std::uint64_t exchangeBytesPerCycle = 4;

  /// Nothing to receive is no step.
  constexpr std::uint64_t exchange(std::uint64_t bytes, std::uint64_t messages) const {
    return bytes == 0 ? 0
                      : syncCycles + exchangeStartCycles + messages * messageCycles +
                            detail::ceilQuotient(bytes, exchangeBytesPerCycle);
  }
  static constexpr std::uint64_t COPY_START = 83; ///< of the first copy of a tile in a step
  /// Copying pieces of so many bytes on a tile.
  static constexpr double copyCyclesPerByte(std::uint64_t pieceBytes) {
    return pieceBytes >= 64      ? 0.125
           : pieceBytes % 8 == 0 ? 0.4404
           : pieceBytes % 4 == 0 ? 3.125
                                 : 5.1484;
  }
  /// Copying pieces of so many bytes together on a tile, or apart.
  static constexpr std::uint64_t rearrange(std::uint64_t bytes, std::uint64_t pieceBytes) {
    return COPY_START + static_cast<std::uint64_t>(
                            static_cast<double>(bytes) * copyCyclesPerByte(pieceBytes) + 0.5);
  }
  constexpr std::uint64_t compute(std::uint64_t cycles) const { return syncCycles + cycles; }
};

/// f(size) for each size of the largest part that cutting n into at most `most` equal parts gives,
/// largest first.
template <class F> void forEachPartSize(std::uint64_t n, std::uint64_t most, F &&f) {
  std::uint64_t const least = detail::ceilQuotient(n, std::max<std::uint64_t>(1, most));
  for (std::uint64_t size = n; size >= least && size != 0;) {
    f(size);
    if (size == 1)
      return;
    // The next smaller size: that of the fewest parts that are smaller.
    std::uint64_t const parts = detail::ceilQuotient(n, size - 1);
    size = detail::ceilQuotient(n, parts);
  }
}

} // namespace cottonwood::planner
