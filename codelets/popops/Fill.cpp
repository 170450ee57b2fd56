// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/Fill.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries FillFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries FillFamily::entries<isa::POP_ISA>();

template <class Tag> kernels::FillKernels FillFamily::kernels() {
  return kernels::fillKernelsOf<Tag>();
}
template kernels::FillKernels FillFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::vertices
