// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/TopKMerge.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries TopKMergeFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries TopKMergeFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
