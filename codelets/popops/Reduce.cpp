// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/Reduce.hpp>

namespace cottonwood::kernels::detail {
template ReduceShapes<half> halfReductions<isa::POP_ISA>(ReduceOp);
} // namespace cottonwood::kernels::detail

namespace cottonwood::vertices {

template <class Tag> VertexEntries ReduceFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries ReduceFamily::entries<isa::POP_ISA>();

template <class Tag> kernels::ReduceKernels ReduceFamily::kernels() {
  return kernels::reduceKernelsOf<Tag>();
}
template kernels::ReduceKernels ReduceFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::vertices
