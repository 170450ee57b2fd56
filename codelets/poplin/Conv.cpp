// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/ConvVertex.hpp>

namespace cottonwood::vertices {

// The fp16 sets have no faster way to float sums than avx512, whose objects serve them.
#if defined(__AVX512F__)
extern template VertexEntries ConvFamily::entries<isa::avx512>();
extern template kernels::ConvKernels ConvFamily::kernels<isa::avx512>();
#endif

template <class Tag> VertexEntries ConvFamily::entries() {
  if constexpr (Tag::HALF_ARITHMETIC)
    return ConvFamily::entries<isa::avx512>();
  else
    return entriesOf(Vertices<Tag>());
}
template VertexEntries ConvFamily::entries<isa::POP_ISA>();

template <class Tag> kernels::ConvKernels ConvFamily::kernels() {
  if constexpr (Tag::HALF_ARITHMETIC)
    return ConvFamily::kernels<isa::avx512>();
  else
    return kernels::convKernelsOf<Tag>();
}
template kernels::ConvKernels ConvFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::vertices
