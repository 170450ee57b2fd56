// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/SplineWeighting.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries SplineWeightingFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries SplineWeightingFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
