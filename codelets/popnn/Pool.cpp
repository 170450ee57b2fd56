// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popnn/Pool.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries PoolFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries PoolFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
