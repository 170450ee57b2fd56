// Looks for NaNs in what vertices have written (option debug.stopAtNan).
#pragma once

#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cottonwood::engine {

/// A NaN that a vertex has written.
struct NanFinding {
  lower::WatchedOutput const *output; ///< of the first such vertex
  std::uint64_t offset;               ///< of the element in the arena
};

/// The first one in the outputs of a compute set, by vertex, field and element; nullopt if there is
/// none, or the executable was compiled without the option.
std::optional<NanFinding> findNan(lower::ExecutableData const &executable, std::uint32_t set,
                                  std::byte const *arena);

/// `element 7 of tensor 'weights'`. The executable was compiled with the option, so that variables
/// share no memory.
std::string elementText(lower::ExecutableData const &executable, std::uint64_t offset);

} // namespace cottonwood::engine
