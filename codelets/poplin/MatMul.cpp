// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/MatMulVertex.hpp>

namespace cottonwood::kernels::detail {
template void vectorMatMul<isa::POP_ISA>(const MatMulArgs<half, half> &, const MatMulBlocking &,
                                         const StoreSums &);
template void vectorMatMul<isa::POP_ISA>(const MatMulArgs<half, float> &, const MatMulBlocking &,
                                         const StoreSums &);
template void vectorMatMul<isa::POP_ISA>(const MatMulArgs<half, half> &, const MatMulBlocking &,
                                         const ErasedFinish &);
template void vectorMatMul<isa::POP_ISA>(const MatMulArgs<half, float> &, const MatMulBlocking &,
                                         const ErasedFinish &);
} // namespace cottonwood::kernels::detail

namespace cottonwood::vertices {

template <class Tag> VertexEntries MatMulFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries MatMulFamily::entries<isa::POP_ISA>();

template <class Tag> kernels::MatMulKernels MatMulFamily::kernels() {
  return kernels::matMulKernelsOf<Tag>();
}
template kernels::MatMulKernels MatMulFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::vertices
