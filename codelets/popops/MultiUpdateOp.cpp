// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/MultiUpdateOp.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries MultiUpdateOpFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries MultiUpdateOpFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
