// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/ConvUpdate.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries ConvUpdateFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries ConvUpdateFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
