// The field of a convolution as kernels of planes know it (codelets/poplin/ConvPlanesCost.hpp).
#pragma once

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ConvGroupsCost.hpp>
#include <codelets/poplin/ConvPlanesCost.hpp>
#include <poplin/ConvParams.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <algorithm>
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

inline ConvField convField(ConvPlanesDim const &y, ConvPlanesDim const &x) {
  return {{y.inputs, x.inputs, y.outputs, x.outputs, y.taps, x.taps, y.stride, x.stride, y.first,
           x.first, y.tapStep, x.tapStep},
          y.inTruncated,
          x.inTruncated,
          y.tapsTruncated,
          x.tapsTruncated};
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
  return convField(*y, *x);
}

/// One dimension whose input may be dilated by s.
struct ConvPhasedDim {
  ConvPlanesDim all;                      ///< of the taps of all phases, every s-th output
  int outputs = 1;                        ///< of all phases
  std::vector<kernels::ConvPhase> phases; ///< s

  int outputsOf(std::size_t phase) const {
    auto const at = static_cast<int>(phase), step = static_cast<int>(phases.size());
    return (outputs - at + step - 1) / step;
  }
};

/// Whether outputs from `from` on of a dimension whose input is dilated meet none.
inline bool meetNothing(ConvPlanesDim const &dim, int dilation, int from, int outputs) {
  for (int i = from; i < outputs; ++i)
    for (int tap = 0; tap < dim.taps; ++tap) {
      int const at = i + dim.first + tap;
      if (at >= 0 && at % dilation == 0 && at / dilation < dim.inputs)
        return false;
    }
  return true;
}

/// Nothing if the kernels do not know the dimension's transforms, or if a phase has no output.
inline std::optional<ConvPhasedDim> convPhasedDim(::poplin::ConvParams p, unsigned d) {
  auto const dilation = static_cast<int>(p.inputTransform.dilation[d]);
  auto const outputs = static_cast<int>(p.getOutputSize(d));
  // Zeros behind the outputs are such that meet nothing.
  auto const zeros = dilation > 1 ? static_cast<int>(p.outputTransform.paddingUpper[d]) : 0;
  if (dilation > 1)
    p.outputTransform.paddingUpper[d] = 0;
  if (dilation > 1 && (p.outputTransform.stride[d] != 1 || p.kernelTransform.dilation[d] != 1 ||
                       p.kernelTransform.flip[d] || outputs < dilation))
    return std::nullopt;
  p.inputTransform.dilation[d] = 1;
  auto const whole = convPlanesDim(p, d); // but for the outputs, if the input is dilated
  if (!whole || !meetNothing(*whole, dilation, outputs - zeros, outputs))
    return std::nullopt;
  ConvPhasedDim dim{*whole, outputs, {{0, whole->taps, 0}}};
  if (dilation == 1)
    return dim;
  dim.phases.clear();
  // A phase's first output meets its first tap at input `first`.
  int low = whole->inputs, high = -low;
  for (int out = 0; out != dilation; ++out) {
    int const at = out + whole->first; // where tap 0 would be
    int const tap = ((-at) % dilation + dilation) % dilation;
    int const first = (at + tap) / dilation,
              taps = std::max((whole->taps - tap + dilation - 1) / dilation, 0);
    dim.phases.push_back({first, taps, tap});
    if (taps != 0)
      low = std::min(low, first), high = std::max(high, first + taps);
  }
  for (kernels::ConvPhase &phase : dim.phases)
    phase.first -= low;
  dim.all.outputs = dim.outputsOf(0);
  dim.all.first = low, dim.all.taps = high - low;
  return dim;
}

/// Of a field, in the order of its dimensions.
struct ConvPhasedField {
  ConvField field;
  ConvPhasedDim y, x;

  /// Of y, then of x.
  std::vector<kernels::ConvPhase> phases() const {
    auto all = y.phases;
    all.insert(all.end(), x.phases.begin(), x.phases.end());
    return all;
  }
  /// As far as the ways of kernels of groups differ.
  kernels::ConvGroupsPhases groupsPhases() const {
    return kernels::convGroupsPhases(field.shape, phases().data(), y.phases.size(), x.phases.size(),
                                     static_cast<std::size_t>(x.outputs));
  }
  /// Of the weights.
  std::size_t taps() const {
    std::size_t taps = 1;
    for (ConvPhasedDim const *dim : {&y, &x}) {
      int all = 0;
      for (kernels::ConvPhase const &phase : dim->phases)
        all += phase.taps;
      taps *= static_cast<std::size_t>(all);
    }
    return taps;
  }
};

/// Nothing if there are more than two dimensions, or transforms that the kernels do not know.
inline std::optional<ConvPhasedField> convPhasedField(::poplin::ConvParams const &p) {
  std::size_t const dims = p.getNumFieldDims();
  if (dims == 0 || dims > 2)
    return std::nullopt;
  auto const x = convPhasedDim(p, static_cast<unsigned>(dims - 1));
  auto const y = dims == 2 ? convPhasedDim(p, 0) : ConvPhasedDim{{}, 1, {{0, 1, 0}}};
  if (!x || !y)
    return std::nullopt;
  return ConvPhasedField{convField(y->all, x->all), *y, *x};
}

/// Floats of a vector of the kernels that run here.
inline std::size_t vectorLanes() {
  return static_cast<std::size_t>(isa::vectorBytes(poputil::builtinIsa())) / sizeof(float);
}

/// Whether instructions on such vectors run as two on half of each.
inline bool lanesAreSplit() { return vectorLanes() == 16 && isa::cpuFeatures().splitsVectors; }

/// As vertices have a shape.
inline std::vector<int> numbersOf(kernels::ConvPlanesShape const &shape) {
  int const *const numbers = &shape.inputsY;
  return {numbers, numbers + kernels::CONV_PLANES_INTS};
}

} // namespace cottonwood::poplin::detail
