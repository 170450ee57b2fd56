#include <codelets/poplin/ActiveKernels.hpp>
#include <codelets/poplin/ConvVertex.hpp>
#include <codelets/poplin/MatMulVertex.hpp>
#include <codelets/poplin/NormFetch.hpp>

namespace cottonwood::kernels {

NormFetch normFetch() { return normFetchOf(isa::cpuFeatures()); }

const MatMulKernels &activeMatMulKernels() {
  static const MatMulKernels all = vertices::withServingTag<vertices::MatMulFamily>(
      isa::activeIsa(), [](auto tag) { return vertices::MatMulFamily::kernels<decltype(tag)>(); });
  return all;
}

const ConvKernels &activeConvKernels() {
  static const ConvKernels all = vertices::withServingTag<vertices::ConvFamily>(
      isa::activeIsa(), [](auto tag) { return vertices::ConvFamily::kernels<decltype(tag)>(); });
  return all;
}

} // namespace cottonwood::kernels
