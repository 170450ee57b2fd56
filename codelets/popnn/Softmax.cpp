// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popnn/Softmax.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries SoftmaxFamily::entries() { return entriesOf(Vertices<Tag>()); }
template VertexEntries SoftmaxFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
