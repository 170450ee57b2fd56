// Compiled once for each instruction set with tiles; POP_ISA is its tag.
#include <codelets/poplin/ConvAmx.hpp>

namespace cottonwood::kernels {

template ConvTileKernels convTileKernelsOf<isa::POP_ISA>();

} // namespace cottonwood::kernels
