#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ActiveKernels.hpp>
#include <codelets/poplin/ConvVertex.hpp>
#include <codelets/poplin/MatMulVertex.hpp>

namespace cottonwood::kernels {

const MatMulKernels &activeMatMulKernels() {
  static const MatMulKernels all = isa::withTag(isa::activeIsa(), [](auto tag) {
    return vertices::MatMulFamily::kernels<
        vertices::ServingTag<vertices::MatMulFamily, decltype(tag)>>();
  });
  return all;
}

const ConvKernels &activeConvKernels() {
  static const ConvKernels all = isa::withTag(isa::activeIsa(), [](auto tag) {
    return vertices::ConvFamily::kernels<
        vertices::ServingTag<vertices::ConvFamily, decltype(tag)>>();
  });
  return all;
}

} // namespace cottonwood::kernels
