// The array kernels of elementwise operations, by instruction set.
#pragma once

#include <codelets/popops/Map.hpp>
#include <test/codelets/Isas.hpp>

namespace cottonwood::test {

/// The kernel of an operation; `to` matters for CAST only.
inline kernels::MapKernel mapKernel(isa::Isa isa, vertices::MapOp op, vertices::MapType from,
                                    vertices::MapType to = vertices::MapType::FLOAT) {
  using vertices::MapFamily;
  const kernels::MapKernels all = vertices::withServingTag<MapFamily>(
      isa, [](auto tag) { return MapFamily::kernels<decltype(tag)>(); });
  return op == vertices::MapOp::CAST ? all.cast(from, to) : all.operation(op, from);
}

} // namespace cottonwood::test
