// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/Cast.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries CastFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries CastFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
