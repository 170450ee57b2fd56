/// \file MapHalf.hpp
/// Kernels of operations on half with half arithmetic, for tags that have it: 32 lanes and no
/// conversions. Their results are the bits that other tags get by way of float (isOfHalf).
#pragma once

#include <codelets/popops/MapBinary.hpp>

namespace cottonwood::kernels {

namespace detail {
template <class Tag, MapOp OP> constexpr MapKernel halfEntry() {
  if constexpr (!isOfHalf(OP))
    return nullptr;
  else if constexpr (vertices::arity(OP) == 1)
    return &unaryKernel<Tag, half, OP>;
  else
    return &binaryKernel<Tag, half, OP>;
}

/// kernels[op]
template <class Tag> struct HalfTable { MapKernel kernels[vertices::NUM_MAP_OPS]; };
template <class Tag, std::size_t... OPS>
constexpr HalfTable<Tag> makeHalfTable(std::index_sequence<OPS...>) {
  return {{halfEntry<Tag, static_cast<MapOp>(OPS)>()...}};
}
} // namespace detail

/// The kernel of an operation on half; null for those that are computed in float.
template <class Tag> MapKernel halfMapKernel(vertices::MapOp op) {
  static_assert(Tag::HALF_ARITHMETIC);
  static constexpr detail::HalfTable<Tag> table =
      detail::makeHalfTable<Tag>(std::make_index_sequence<vertices::NUM_MAP_OPS>());
  return table.kernels[static_cast<unsigned>(op)];
}

} // namespace cottonwood::kernels
