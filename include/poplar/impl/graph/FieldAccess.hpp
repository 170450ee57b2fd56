#pragma once
// What the bodies that connect fields and those that give them values have in common.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <poplar/TypeTraits.hpp>
#include <poplar/VectorLayout.hpp>
#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/graph/FieldHandle.hpp>

namespace cottonwood::graph::detail {

/// SHORT_SPAN counts with 11 bits.
inline constexpr std::uint64_t kMaxShortSpan = 2047;

inline std::uint64_t maxSizeOf(poplar::VectorLayout layout) {
  // Not more than 32 bits: callers narrow to unsigned.
  return layout == poplar::VectorLayout::SHORT_SPAN ? kMaxShortSpan
                                                    : std::numeric_limits<std::uint32_t>::max();
}

/// Calls f(handle, k, count) for the field of every instance of a vertex.
template <class F> void forEachInstance(FieldHandle const &field, F &&f) {
  std::uint32_t const count = field.graph->vertexGroup(field.vertex).count;
  for (std::uint32_t k = 0; k < count; ++k) {
    FieldHandle instance = field;
    instance.vertex += k;
    f(instance, k, count);
  }
}

/// \throws graph_connection_error  more elements than the layout allows.
void checkExtent(std::string_view where, FieldHandle const &field, poplar::VectorLayout layout,
                 std::uint64_t size);
/// \throws graph_connection_error  elements do not fill the short vectors of the field.
void checkLanes(std::string_view where, FieldHandle const &field, char const *given,
                std::uint64_t elements);
/// convertValues() for a field, which errors name.
void convertForField(std::string_view where, FieldHandle const &field, void const *values,
                     poplar::TypeTraits const &traits, std::size_t count, std::byte *to);
/// Connects an edge to a constant of the field's type with `count` values, placed wherever the
/// vertex is.
void connectConstant(std::string_view where, FieldHandle const &field, void const *values,
                     std::size_t count, poplar::TypeTraits const &traits, bool isArray);

} // namespace cottonwood::graph::detail
