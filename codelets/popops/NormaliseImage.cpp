// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/NormaliseImage.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries NormaliseImageFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries NormaliseImageFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
