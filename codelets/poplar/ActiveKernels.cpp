#include <codelets/arch/EntryTable.hpp>
#include <codelets/poplar/ActiveKernels.hpp>

namespace cottonwood::kernels {

const TransposeKernels &activeTransposeKernels() {
  static const TransposeKernels all = vertices::withServingTag<TransposeFamily>(
      isa::activeIsa(), [](auto tag) { return TransposeFamily::kernels<decltype(tag)>(); });
  return all;
}

} // namespace cottonwood::kernels
