// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popnn/Loss.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries LossFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries LossFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
