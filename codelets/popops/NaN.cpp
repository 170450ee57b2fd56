// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/NaN.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries NaNFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries NaNFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
