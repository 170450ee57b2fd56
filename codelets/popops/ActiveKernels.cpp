#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/popops/ActiveKernels.hpp>

namespace cottonwood::kernels {

const MapKernels &activeMapKernels() {
  static const MapKernels all = isa::withTag(isa::activeIsa(), [](auto tag) {
    return vertices::MapFamily::kernels<vertices::ServingTag<vertices::MapFamily, decltype(tag)>>();
  });
  return all;
}

const FillKernels &activeFillKernels() {
  static const FillKernels all = isa::withTag(isa::activeIsa(), [](auto tag) {
    return vertices::FillFamily::kernels<
        vertices::ServingTag<vertices::FillFamily, decltype(tag)>>();
  });
  return all;
}

const ReduceKernels &activeReduceKernels() {
  static const ReduceKernels all = isa::withTag(isa::activeIsa(), [](auto tag) {
    return vertices::ReduceFamily::kernels<
        vertices::ServingTag<vertices::ReduceFamily, decltype(tag)>>();
  });
  return all;
}

} // namespace cottonwood::kernels
