/// \file QuarterEdge.hpp
/// Fields of vertices that hold 8-bit floats: patterns, and what these mean by the metadata of
/// their tensor.
#pragma once

#include <codelets/arch/Shell.hpp>
#include <codelets/popops/QuarterKernel.hpp>

#include <poplar/QuarterFloat.hpp>

#include <cstdint>
#include <type_traits>

namespace cottonwood::vertices {

static_assert(sizeof(quarter) == 1);
template <> struct KernelElement<quarter> { using type = std::uint8_t; };

template <class T> inline constexpr bool IS_QUARTER = std::is_same_v<T, quarter>;

/// Of an edge of any type; without a meaning for those that have no metadata.
template <class Edge> kernels::QuarterLayout quarterLayoutOf(const Edge &edge) {
  if constexpr (requires { edge.getMetadata(); })
    return kernels::quarterLayout(*edge.getMetadata());
  else
    return {};
}

} // namespace cottonwood::vertices
