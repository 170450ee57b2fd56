#pragma once

#include <poplin/ConvUtil.hpp>

namespace cottonwood::poplin::detail {

/// What undoes the output's transform: it makes the output before its transform again, with zeros
/// where elements were dropped. `margin` zeros are added on each side.
POP_INLINE void undoOutputTransform(::poplin::ConvParams const &p, unsigned d, unsigned margin,
                                    ::poplin::ConvParams::InputTransform &undo) {
  auto const &out = p.outputTransform;
  undo.truncationLower[d] = out.paddingLower[d];
  undo.truncationUpper[d] = out.paddingUpper[d];
  undo.dilation[d] = out.stride[d];
  auto const kept =
      static_cast<unsigned>(p.getOutputSize(d)) - out.paddingLower[d] - out.paddingUpper[d];
  auto const whole = static_cast<unsigned>(p.getUntransformedOutputSize(d));
  // Without an output all is padding; else the upper side has what the stride skipped, too.
  unsigned const lower = kept == 0 ? 0 : out.truncationLower[d];
  undo.paddingLower[d] = margin + lower;
  undo.paddingUpper[d] = margin + whole - lower - ::poplin::getDilatedSize(kept, out.stride[d]);
}

/// What undoes an input's or a kernel's transform, but for its flip.
POP_INLINE void undoInputTransform(::poplin::ConvParams::InputTransform const &t, unsigned d,
                                   ::poplin::ConvParams::OutputTransform &undo) {
  undo.truncationLower[d] = t.paddingLower[d];
  undo.truncationUpper[d] = t.paddingUpper[d];
  undo.stride[d] = t.dilation[d];
  undo.paddingLower[d] = t.truncationLower[d];
  undo.paddingUpper[d] = t.truncationUpper[d];
}

} // namespace cottonwood::poplin::detail

namespace poplin {

// With y the output before its transform and x, w the transformed input and kernel,
//     y[i] = sum over k of x[i + k] * w[k],
// the gradient of x[j] is the sum over k of dy[j - k] * w[k]: dy with kernel size - 1 zeros on
// either side, convolved with the reversed w. Reversing swaps the kernel's lower and upper sides;
// the caller reverses its elements. A flip of x is a flip of both operands here.
POP_INLINE ConvParams getGradientParams(ConvParams const &params) {
  using namespace cottonwood::poplin::detail;
  params.validate();
  ConvParams gradient(params.inputType, params.outputType, params.batchSize,
                      params.getOutputFieldShape(), params.kernelShape,
                      params.outputChannelsPerConvGroup, params.inputChannelsPerConvGroup,
                      params.numConvGroups);
  auto const &kernel = params.kernelTransform;
  for (unsigned d = 0; d != params.getNumFieldDims(); ++d) {
    undoOutputTransform(params, d, params.getTransformedKernelSize(d) - 1, gradient.inputTransform);
    undoInputTransform(params.inputTransform, d, gradient.outputTransform);
    gradient.inputTransform.flip[d] = params.inputTransform.flip[d];
    gradient.kernelTransform.flip[d] = kernel.flip[d] != params.inputTransform.flip[d];
  }
  gradient.kernelTransform.truncationLower = kernel.truncationUpper;
  gradient.kernelTransform.truncationUpper = kernel.truncationLower;
  gradient.kernelTransform.paddingLower = kernel.paddingUpper;
  gradient.kernelTransform.paddingUpper = kernel.paddingLower;
  gradient.kernelTransform.dilation = kernel.dilation;
  return gradient.canonicalize();
}

// The gradient of w[k] is the sum over i of x[i + k] * dy[i]: dy is the kernel. A flip of w is a
// flip of both operands here.
POP_INLINE ConvParams getWeightUpdateParams(ConvParams const &fwdParams) {
  using namespace cottonwood::poplin::detail;
  fwdParams.validate();
  ConvParams update(fwdParams.inputType, fwdParams.outputType, fwdParams.inputChannelsPerConvGroup,
                    fwdParams.inputFieldShape, fwdParams.getOutputFieldShape(), fwdParams.batchSize,
                    fwdParams.outputChannelsPerConvGroup, fwdParams.numConvGroups);
  update.inputTransform = fwdParams.inputTransform;
  for (unsigned d = 0; d != fwdParams.getNumFieldDims(); ++d) {
    undoOutputTransform(fwdParams, d, 0, update.kernelTransform);
    undoInputTransform(fwdParams.kernelTransform, d, update.outputTransform);
    bool const flip = fwdParams.kernelTransform.flip[d];
    update.inputTransform.flip[d] = fwdParams.inputTransform.flip[d] != flip;
    update.kernelTransform.flip[d] = flip;
  }
  return update.canonicalize();
}

} // namespace poplin
