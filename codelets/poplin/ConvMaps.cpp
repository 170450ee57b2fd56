// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/ConvMaps.hpp>

namespace cottonwood::kernels {
template void convolveMaps<isa::POP_ISA>(const ConvMapsArgs<float, float> &);
template void convolveMaps<isa::POP_ISA>(const ConvMapsArgs<half, half> &);
template void convolveMaps<isa::POP_ISA>(const ConvMapsArgs<half, float> &);
template void convolveMaps<isa::POP_ISA>(const ConvMapsArgs<float, half> &);
} // namespace cottonwood::kernels

namespace cottonwood::vertices {

template <class Tag> VertexEntries ConvMapsFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries ConvMapsFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
