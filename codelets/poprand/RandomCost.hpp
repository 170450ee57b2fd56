/// \file RandomCost.hpp
/// What the vertices of Random.hpp and Seeds.hpp cost a tile of an IPU.
///
/// A tile has instructions for 64 random bits and for pairs of approximately normal floats, one a
/// cycle; what is counted beside them are conversions, scaling, bounds and memory.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

enum class RandomCostKind {
  UNIFORM,
  NORMAL,
  TRUNCATED_NORMAL,
  LOG_UNIFORM,
  INTEGER,
  BERNOULLI,
  DROPOUT
};

/// Cycles for 64 bits of results in the inner loop.
constexpr std::uint64_t randomLoopCycles(RandomCostKind kind) {
  switch (kind) {
  case RandomCostKind::UNIFORM:
    return 5;
  case RandomCostKind::NORMAL:
    return 4;
  case RandomCostKind::TRUNCATED_NORMAL:
    return 24;
  case RandomCostKind::LOG_UNIFORM:
    return 12;
  case RandomCostKind::INTEGER:
    return 16;
  case RandomCostKind::BERNOULLI:
    return 3;
  case RandomCostKind::DROPOUT:
    return 4;
  }
  return 1;
}

constexpr std::uint64_t randomCycles(RandomCostKind kind, unsigned elementBytes,
                                     std::uint64_t elements, unsigned workers) {
  const std::uint64_t perLoop = 8 / elementBytes;
  const std::uint64_t loops = (elements + perLoop - 1) / perLoop;
  const std::uint64_t each = (loops + workers - 1) / workers;
  return workers * (30 + randomLoopCycles(kind) * each);
}

/// Both vertices of Seeds.hpp: a few instructions for each row.
constexpr std::uint64_t seedCycles(std::uint64_t words, unsigned workers) {
  return workers * (20 + 10 * words / 4);
}

} // namespace cottonwood::vertices
