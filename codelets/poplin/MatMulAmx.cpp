// Compiled once for each instruction set with tiles; POP_ISA is its tag.
#include <codelets/poplin/MatMulAmx.hpp>

namespace cottonwood::kernels {

template MatMulTileKernels matMulTileKernelsOf<isa::POP_ISA>();

} // namespace cottonwood::kernels
