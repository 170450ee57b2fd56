#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/arch/EntryTable.hpp>
#include <codelets/poplar/ActiveKernels.hpp>

namespace cottonwood::kernels {

const TransposeKernels &activeTransposeKernels() {
  static const TransposeKernels all = isa::withTag(isa::activeIsa(), [](auto tag) {
    return TransposeFamily::kernels<vertices::ServingTag<TransposeFamily, decltype(tag)>>();
  });
  return all;
}

} // namespace cottonwood::kernels
