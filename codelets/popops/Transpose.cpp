// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/Transpose.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries TransposeFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries TransposeFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
