// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/ConvVertex.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries ConvFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries ConvFamily::entries<isa::POP_ISA>();

template <class Tag> kernels::ConvKernels ConvFamily::kernels() {
  return kernels::convKernelsOf<Tag>();
}
template kernels::ConvKernels ConvFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::vertices
