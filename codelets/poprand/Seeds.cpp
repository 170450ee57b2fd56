// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poprand/Seeds.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries SeedsFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries SeedsFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
