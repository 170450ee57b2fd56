// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/Map.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries MapFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries MapFamily::entries<isa::POP_ISA>();

template <class Tag> kernels::MapKernels MapFamily::kernels() {
  return kernels::mapKernelsOf<Tag>();
}
template kernels::MapKernels MapFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::vertices
