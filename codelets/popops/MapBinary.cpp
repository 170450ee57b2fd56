// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/popops/MapBinary.hpp>

namespace cottonwood::kernels {

template MapKernel multiMapKernel<isa::POP_ISA>(vertices::MapOp, vertices::MapType);

} // namespace cottonwood::kernels
