// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/FusedVertex.hpp>

namespace cottonwood::vertices {

// The fp16 sets have no faster way to float sums than avx512, whose objects serve them.
#if defined(__AVX512F__)
extern template VertexEntries FusedFamily::entries<isa::avx512>();
#endif

template <class Tag> VertexEntries FusedFamily::entries() {
  if constexpr (Tag::HALF_ARITHMETIC)
    return FusedFamily::entries<isa::avx512>();
  else
    return entriesOf(Vertices<Tag>());
}
template VertexEntries FusedFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
