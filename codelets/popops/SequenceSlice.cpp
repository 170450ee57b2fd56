// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/SequenceSlice.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries SequenceSliceFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries SequenceSliceFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
