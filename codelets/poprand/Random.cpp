// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poprand/Random.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries RandomFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries RandomFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
