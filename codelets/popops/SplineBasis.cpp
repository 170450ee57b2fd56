// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/SplineBasis.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries SplineBasisFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries SplineBasisFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
