// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/poplar/TransposeKernel.hpp>

namespace cottonwood::kernels {

template <class Tag> TransposeKernels TransposeFamily::kernels() {
  return transposeKernelsOf<Tag>();
}
template TransposeKernels TransposeFamily::kernels<isa::POP_ISA>();

} // namespace cottonwood::kernels
