// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/RowExtremes.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries RowExtremesFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries RowExtremesFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
