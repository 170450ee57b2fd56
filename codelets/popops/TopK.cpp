// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/TopK.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries TopKFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries TopKFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
