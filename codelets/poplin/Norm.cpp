// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/Norm.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries NormFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries NormFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
