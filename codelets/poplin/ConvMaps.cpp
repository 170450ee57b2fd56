// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/ConvMaps.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries ConvMapsFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries ConvMapsFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
