// The field of a convolution as kernels of planes know it (codelets/poplin/ConvPlanesCost.hpp).
#pragma once

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ConvPlanesCost.hpp>
#include <poplin/ConvParams.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace cottonwood::poplin::detail {

/// A field of up to two dimensions, and its first inputs and taps after truncation.
struct ConvField {
  kernels::ConvPlanesShape shape{};
  std::int64_t inY = 0, inX = 0, tapsY = 0, tapsX = 0;
};

/// One dimension of a plane; dimensions that a field does not have are of one element.
struct ConvPlanesDim {
  int inputs = 1, outputs = 1, taps = 1, stride = 1, first = 0, tapStep = 1;
  std::int64_t inTruncated = 0, tapsTruncated = 0;
};

/// Nothing if the kernels do not know the dimension's transforms.
inline std::optional<ConvPlanesDim> convPlanesDim(::poplin::ConvParams const &p, unsigned d) {
  auto const &in = p.inputTransform, &kernel = p.kernelTransform;
  auto const &out = p.outputTransform;
  if (in.dilation[d] != 1 || in.flip[d] || kernel.paddingLower[d] != 0 ||
      kernel.paddingUpper[d] != 0 || out.paddingLower[d] != 0 || out.paddingUpper[d] != 0)
    return std::nullopt;
  auto const number = [](auto n) { return static_cast<int>(n); };
  ConvPlanesDim dim;
  dim.inTruncated = in.truncationLower[d], dim.tapsTruncated = kernel.truncationLower[d];
  dim.inputs = number(p.getTruncatedInputSize(d)), dim.taps = number(p.getTruncatedKernelSize(d));
  dim.outputs = number(p.getOutputSize(d)), dim.stride = number(out.stride[d]);
  dim.tapStep = number(kernel.dilation[d]);
  dim.first = number(out.truncationLower[d]) - number(in.paddingLower[d]);
  if (kernel.flip[d]) {
    dim.first += (dim.taps - 1) * dim.tapStep;
    dim.tapStep = -dim.tapStep;
  }
  return dim;
}

/// Nothing if there are more dimensions, or transforms that the kernels do not know.
inline std::optional<ConvField> convField(::poplin::ConvParams const &p) {
  std::size_t const dims = p.getNumFieldDims();
  if (dims == 0 || dims > 2)
    return std::nullopt;
  auto const x = convPlanesDim(p, static_cast<unsigned>(dims - 1));
  auto const y = dims == 2 ? convPlanesDim(p, 0) : ConvPlanesDim();
  if (!x || !y)
    return std::nullopt;
  return ConvField{{y->inputs, x->inputs, y->outputs, x->outputs, y->taps, x->taps, y->stride,
                    x->stride, y->first, x->first, y->tapStep, x->tapStep},
                   y->inTruncated,
                   x->inTruncated,
                   y->tapsTruncated,
                   x->tapsTruncated};
}

/// Floats of a vector of the kernels that run here.
inline std::size_t vectorLanes() {
  return static_cast<std::size_t>(isa::vectorBytes(poputil::builtinIsa())) / sizeof(float);
}

/// As vertices have a shape.
inline std::vector<int> numbersOf(kernels::ConvPlanesShape const &shape) {
  int const *const numbers = &shape.inputsY;
  return {numbers, numbers + kernels::CONV_PLANES_INTS};
}

} // namespace cottonwood::poplin::detail
