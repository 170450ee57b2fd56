// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplin/Winograd.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries WinogradFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries WinogradFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
