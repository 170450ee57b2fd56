// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/MapUnary.hpp>

namespace cottonwood::kernels {

template MapKernel unaryMapKernel<isa::POP_ISA>(vertices::MapOp, vertices::MapType);
template MapKernel castMapKernel<isa::POP_ISA>(vertices::MapType, vertices::MapType);

} // namespace cottonwood::kernels
