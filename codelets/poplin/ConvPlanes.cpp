// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/ConvPlanes.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries ConvPlanesFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries ConvPlanesFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
