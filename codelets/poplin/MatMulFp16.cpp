// Compiled once for each instruction set with half arithmetic; POP_ISA is its tag.
#include <codelets/poplin/MatMulFp16.hpp>

namespace cottonwood::kernels {

template MatMulTileFunctionOf<half> matMulFp16KernelOf<isa::POP_ISA>();

} // namespace cottonwood::kernels
