// Compiled once per instruction set with half arithmetic; POP_ISA is its tag.
#include <codelets/popops/MapHalf.hpp>

namespace cottonwood::kernels {

template MapKernel halfMapKernel<isa::POP_ISA>(vertices::MapOp);

} // namespace cottonwood::kernels
