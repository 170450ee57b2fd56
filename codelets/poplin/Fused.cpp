// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/FusedVertex.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries FusedFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries FusedFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
