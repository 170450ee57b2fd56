/// \file ConvFieldVertex.hpp
/// What vertices for CPUs of convolutions whose field kernels know as ConvPlanesShape have in
/// common:
///   in         Input<Vector<In, ONE_PTR>>: the run of a variable that holds the input; the first
///              element of the part is at inOffset
///   weights    the same for the weights, at weightsOffset
///   out        Vector<Output<Vector<Out, ONE_PTR>>>: parts of the output, each dense
///   workspace  Output<Vector<float, ONE_PTR>>
///   shape      Vector<int>: kernels::ConvPlanesShape
///   strides    Vector<long long>
#pragma once

#include <codelets/arch/Shell.hpp>
#include <codelets/poplin/ConvPlanesCost.hpp>

namespace cottonwood::vertices {

template <class In, class Out> class ConvFieldVertex : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> weights;
  poplar::Vector<poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>>> out;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> workspace;
  poplar::Vector<int> shape;
  poplar::Vector<long long> strides;
  long long inOffset, weightsOffset;

protected:
  POP_SIMD_INLINE std::ptrdiff_t stride(unsigned i) {
    return static_cast<std::ptrdiff_t>(strides[i]);
  }
  POP_SIMD_INLINE const KernelType<In> *firstInput() { return kernelPointer(in.data()) + inOffset; }
  POP_SIMD_INLINE const KernelType<In> *firstWeight() {
    return kernelPointer(weights.data()) + weightsOffset;
  }
  /// Shape, output and workspace.
  template <class Args> POP_SIMD_INLINE void setField(Args &args) {
    __builtin_memcpy(&args.shape, shape.data(), sizeof args.shape);
    // An edge of this layout is a pointer and nothing else.
    static_assert(sizeof(out[0]) == sizeof(void *));
    args.out = reinterpret_cast<KernelType<Out> *const *>(out.data());
    args.workspace = workspace.data();
  }
};

} // namespace cottonwood::vertices
