// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/ScaledAdd.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries ScaledAddFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries ScaledAddFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
