// Levels of the x86-64 instruction set that codelets are compiled for (psABI, "Micro-Architecture
// Levels"), and the tags of built-in codelets that they go with.
#pragma once

#include <codelets/arch/CpuFeatures.hpp>
#include <poplar/impl/base/Config.hpp>

#include <array>
#include <optional>
#include <string_view>

namespace cottonwood::popc {

enum class Level : unsigned char { V2, V3, V4 };

inline constexpr std::array<Level, 3> ALL_LEVELS{Level::V2, Level::V3, Level::V4};

/// What a compiler's -march option calls it.
constexpr std::string_view name(Level level) {
  constexpr std::array<std::string_view, 3> NAMES{"x86-64-v2", "x86-64-v3", "x86-64-v4"};
  return NAMES[static_cast<unsigned>(level)];
}
constexpr std::optional<Level> parseLevel(std::string_view text) {
  for (Level const level : ALL_LEVELS)
    if (text == name(level))
      return level;
  return std::nullopt;
}

/// The tag whose instructions code of this level has at most: what such code says it was made for.
constexpr std::string_view tagOf(Level level) {
  return isa::name(level == Level::V2   ? isa::Isa::Scalar
                   : level == Level::V3 ? isa::Isa::Avx2
                                        : isa::Isa::Avx512);
}

/// The highest level that this machine has and the tag allows: v2 with scalar, v3 with avx2, v4
/// with all others.
inline Level levelFor(isa::Isa tag) {
  isa::CpuFeatures const &cpu = isa::cpuFeatures();
  if (tag == isa::Isa::Scalar || !cpu.avx2)
    return Level::V2;
  return tag == isa::Isa::Avx2 || !cpu.avx512 ? Level::V3 : Level::V4;
}

} // namespace cottonwood::popc
