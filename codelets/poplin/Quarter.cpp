// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/QuarterVertex.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries QuarterProductFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries QuarterProductFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
