#include <codelets/popops/ActiveKernels.hpp>

namespace cottonwood::kernels {

bool splitsVectors() { return isa::cpuFeatures().splitsVectors; }

const MapKernels &activeMapKernels() {
  static const MapKernels all = vertices::withServingTag<vertices::MapFamily>(
      isa::activeIsa(), [](auto tag) { return vertices::MapFamily::kernels<decltype(tag)>(); });
  return all;
}

const FillKernels &activeFillKernels() {
  static const FillKernels all = vertices::withServingTag<vertices::FillFamily>(
      isa::activeIsa(), [](auto tag) { return vertices::FillFamily::kernels<decltype(tag)>(); });
  return all;
}

const ReduceKernels &activeReduceKernels() {
  static const ReduceKernels all = vertices::withServingTag<vertices::ReduceFamily>(
      isa::activeIsa(), [](auto tag) { return vertices::ReduceFamily::kernels<decltype(tag)>(); });
  return all;
}

} // namespace cottonwood::kernels
