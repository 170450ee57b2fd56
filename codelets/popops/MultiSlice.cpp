// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/MultiSlice.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries MultiSliceFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries MultiSliceFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
