#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ConvTileGrid.ipp>
#include <codelets/poplin/ConvTiles.hpp>

namespace cottonwood::kernels {

const ConvTileKernels &convTileKernels() {
  static const ConvTileKernels all = isa::withTag(isa::activeIsa(), [](auto tag) {
    using Tag = decltype(tag);
    ConvTileKernels kernels{};
    if constexpr (isa::TileTag<Tag>)
      kernels = convTileKernelsOf<Tag>();
    else if constexpr (Tag::HALF_ARITHMETIC)
      kernels = convFp16KernelsOf<Tag>();
    return kernels;
  });
  return all;
}

} // namespace cottonwood::kernels
