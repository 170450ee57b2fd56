// Body of NanWatch.hpp.
#pragma once

#include <poplar/impl/engine/NanWatch.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

#include <cstring>
#include <span>

namespace cottonwood::engine::detail {

/// The first NaN of a run; `numElements` if there is none. Bits: an exponent of all ones and a
/// fraction that is not 0.
template <class Bits, Bits INFINITE>
std::uint64_t firstNan(std::byte const *run, std::uint64_t numElements) {
  constexpr Bits MAGNITUDE = static_cast<Bits>(~Bits{0}) >> 1;
  for (std::uint64_t i = 0; i < numElements; ++i) {
    Bits bits;
    std::memcpy(&bits, run + i * sizeof bits, sizeof bits);
    if ((bits & MAGNITUDE) > INFINITE)
      return i;
  }
  return numElements;
}

POP_INLINE std::uint64_t firstNan(poplar::Type type, std::byte const *run,
                                  std::uint64_t numElements) {
  return type == poplar::HALF ? firstNan<std::uint16_t, 0x7c00>(run, numElements)
                              : firstNan<std::uint32_t, 0x7f800000>(run, numElements);
}

/// Offset of the first NaN among the sources of a move.
POP_INLINE std::optional<std::uint64_t> findInNest(poplar::Type type, std::byte const *arena,
                                                   std::uint64_t offset, std::uint64_t bytes,
                                                   std::span<lower::MoveDim const> dims) {
  if (dims.empty()) {
    std::uint64_t const size = base::sizeOf(type), n = bytes / size;
    std::uint64_t const at = firstNan(type, arena + offset, n);
    return at == n ? std::nullopt : std::optional<std::uint64_t>(offset + at * size);
  }
  for (std::uint64_t i = 0; i < dims[0].count; ++i)
    if (auto const found =
            findInNest(type, arena, offset + i * static_cast<std::uint64_t>(dims[0].srcStride),
                       bytes, dims.subspan(1)))
      return found;
  return std::nullopt;
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE std::optional<NanFinding> findNan(lower::ExecutableData const &executable,
                                             std::uint32_t set, std::byte const *arena) {
  lower::ComputeSetPlan const &plan = executable.computeSets[set];
  for (std::uint64_t i = plan.firstWatched; i < plan.firstWatched + plan.numWatched; ++i) {
    lower::WatchedOutput const &output = executable.watched[i];
    for (std::uint64_t m = output.plan.first; m < output.plan.first + output.plan.count; ++m) {
      lower::Move const &move = executable.moves[m];
      std::span<lower::MoveDim const> const dims(executable.moveDims.data() + move.firstDim,
                                                 move.numDims);
      if (auto const at = detail::findInNest(output.type, arena, move.src, move.bytes, dims))
        return NanFinding{&output, *at};
    }
  }
  return std::nullopt;
}

POP_INLINE std::string elementText(lower::ExecutableData const &executable, std::uint64_t offset) {
  for (lower::VariableInfo const &variable : executable.variables)
    if (offset >= variable.offset && offset < variable.offset + variable.bytes)
      return base::textOf("element ", (offset - variable.offset) / base::sizeOf(variable.type),
                          " of tensor ", base::quoted(variable.name));
  return base::textOf("byte ", offset);
}

} // namespace cottonwood::engine
