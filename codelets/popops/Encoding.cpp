// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/Encoding.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries EncodingFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries EncodingFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
