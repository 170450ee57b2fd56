// Compiled once for each instruction set with half arithmetic; POP_ISA is its tag.
#include <codelets/poplin/ConvFp16.hpp>

namespace cottonwood::kernels {

template ConvTileKernels convFp16KernelsOf<isa::POP_ISA>();

} // namespace cottonwood::kernels
