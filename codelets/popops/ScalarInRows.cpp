// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/ScalarInRows.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries ScalarInRowsFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries ScalarInRowsFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
