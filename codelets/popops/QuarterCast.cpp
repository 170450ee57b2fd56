// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/QuarterCast.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries QuarterCastFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries QuarterCastFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
