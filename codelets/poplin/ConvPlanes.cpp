// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/ConvPlanes.hpp>

namespace cottonwood::kernels {
template void convolvePlanes<isa::POP_ISA>(const ConvPlanesArgs<float, float> &);
template void convolvePlanes<isa::POP_ISA>(const ConvPlanesArgs<half, half> &);
template void convolvePlanes<isa::POP_ISA>(const ConvPlanesArgs<half, float> &);
template void convolvePlanes<isa::POP_ISA>(const ConvPlanesArgs<float, half> &);
} // namespace cottonwood::kernels

namespace cottonwood::vertices {

template <class Tag> VertexEntries ConvPlanesFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries ConvPlanesFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
