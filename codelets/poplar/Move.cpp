// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplar/MoveKernels.hpp>

namespace cottonwood::kernels {

template <class Tag> MoveKernels MoveFamily::kernels() { return moveKernelsOf<Tag>(); }
template MoveKernels MoveFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::kernels
