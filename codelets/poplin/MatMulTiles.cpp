#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ActiveKernels.hpp>
#include <codelets/poplin/MatMulVertex.hpp>

namespace cottonwood::kernels {

const MatMulTileKernels &matMulTileKernels() {
  static const MatMulTileKernels all = isa::withTag(isa::activeIsa(), [](auto tag) {
    using Tag = decltype(tag);
    MatMulTileKernels kernels{};
    if constexpr (isa::TileTag<Tag>)
      kernels = matMulTileKernelsOf<Tag>();
    else if constexpr (Tag::HALF_ARITHMETIC)
      kernels.fp16 = matMulFp16KernelOf<Tag>();
    const MatMulKernels &chains = activeMatMulKernels();
    kernels.floatChains = chains.floatToFloat, kernels.halfChains = chains.halfToFloat;
    return kernels;
  });
  return all;
}

} // namespace cottonwood::kernels
