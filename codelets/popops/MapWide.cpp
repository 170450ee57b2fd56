// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/MapWide.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries MapWideFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries MapWideFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
