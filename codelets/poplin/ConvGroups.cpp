// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/ConvGroups.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries ConvGroupsFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries ConvGroupsFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
