// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/GatherStatistics.hpp>

namespace cottonwood::vertices {

template <class Tag> VertexEntries GatherStatisticsFamily::entries() {
  return entriesOf(Vertices<Tag>());
}
template VertexEntries GatherStatisticsFamily::entries<isa::POP_ISA>();

} // namespace cottonwood::vertices
