#include <codelets/arch/EntryTable.hpp>
#include <codelets/poplar/ActiveKernels.hpp>

namespace cottonwood::kernels {

const MoveKernels &activeMoveKernels() {
  static const MoveKernels all = vertices::withServingTag<MoveFamily>(
      isa::activeIsa(), [](auto tag) { return MoveFamily::kernels<decltype(tag)>(); });
  return all;
}

} // namespace cottonwood::kernels
