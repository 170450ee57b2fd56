// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/MatMulVertex.hpp>

namespace cottonwood::vertices {

// The fp16 sets have no faster way to float sums than avx512, whose objects serve them.
#if defined(__AVX512F__)
extern template VertexEntries MatMulFamily::entries<isa::avx512>();
extern template kernels::MatMulKernels MatMulFamily::kernels<isa::avx512>();
#endif

template <class Tag> VertexEntries MatMulFamily::entries() {
  if constexpr (Tag::HALF_ARITHMETIC)
    return MatMulFamily::entries<isa::avx512>();
  else
    return entriesOf(Vertices<Tag>());
}
template VertexEntries MatMulFamily::entries<isa::POP_ISA>();

template <class Tag> kernels::MatMulKernels MatMulFamily::kernels() {
  if constexpr (Tag::HALF_ARITHMETIC)
    return MatMulFamily::kernels<isa::avx512>();
  else
    return kernels::matMulKernelsOf<Tag>();
}
template kernels::MatMulKernels MatMulFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::vertices
