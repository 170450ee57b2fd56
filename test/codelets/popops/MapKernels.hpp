// The array kernels of elementwise operations, by instruction set.
#pragma once

#include <codelets/popops/MapProgram.hpp>
#include <test/codelets/Isas.hpp>

namespace cottonwood::kernels {

using MapKernel = void (*)(void *out, const void *a, const void *b, const void *c, std::size_t n,
                           bool past);
template <class Tag> MapKernel unaryMapKernel(vertices::MapOp, vertices::MapType);
template <class Tag> MapKernel castMapKernel(vertices::MapType, vertices::MapType);
template <class Tag> MapKernel multiMapKernel(vertices::MapOp, vertices::MapType);

} // namespace cottonwood::kernels

namespace cottonwood::test {

template <class Tag>
kernels::MapKernel mapKernel(vertices::MapOp op, vertices::MapType from, vertices::MapType to) {
  return op == vertices::MapOp::CAST ? kernels::castMapKernel<vertices::ServingTag<Tag>>(from, to)
         : vertices::arity(op) == 1  ? kernels::unaryMapKernel<vertices::ServingTag<Tag>>(op, from)
                                     : kernels::multiMapKernel<vertices::ServingTag<Tag>>(op, from);
}

} // namespace cottonwood::test
