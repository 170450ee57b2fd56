#pragma once

#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <tuple>

namespace cottonwood::poplin::detail {

/// Checks of one operand's transform, which the texts call by name.
class ConvTransformCheck {
public:
  ConvTransformCheck(char const *name, std::size_t dims) : name_(name), dims_(dims) {}

  template <class T> void length(char const *field, std::vector<T> const &values) const {
    if (values.size() != dims_)
      fail(field, " has ", values.size(), " elements; it must have ", dims_,
           ", one a dimension of the field");
  }

  void notZero(char const *field, std::vector<unsigned> const &values) const {
    for (std::size_t d = 0; d != values.size(); ++d)
      if (values[d] == 0)
        fail(field, "[", d, "] is 0; it must be at least 1");
  }

  /// \param of  what is truncated
  void truncation(std::vector<unsigned> const &lower, std::vector<unsigned> const &upper,
                  std::size_t d, std::size_t size, char const *of) const {
    if (std::uint64_t{lower[d]} + upper[d] > size)
      fail("truncationLower[", d, "] = ", lower[d], " and truncationUpper[", d, "] = ", upper[d],
           " drop more than the ", size, " elements of ", of);
  }

  /// \param size  after truncation
  /// \param of  what is transformed
  void transformed(::poplin::ConvParams::InputTransform const &t, std::size_t d, std::uint64_t size,
                   char const *of) const {
    std::uint64_t const dilated = size == 0 ? 0 : 1 + (size - 1) * t.dilation[d];
    std::uint64_t const padding = std::uint64_t{t.paddingLower[d]} + t.paddingUpper[d];
    if (dilated > MOST || padding > MOST - dilated)
      fail("dilation[", d, "] = ", t.dilation[d], ", paddingLower[", d, "] = ", t.paddingLower[d],
           " and paddingUpper[", d, "] = ", t.paddingUpper[d], " make ", of, " of ", size,
           " elements one of ", dilated + padding, "; there may be at most ", MOST);
  }

  /// \param size  before padding
  void padded(::poplin::ConvParams::OutputTransform const &t, std::size_t d,
              std::uint64_t size) const {
    std::uint64_t const padding = std::uint64_t{t.paddingLower[d]} + t.paddingUpper[d];
    if (size + padding > MOST)
      fail("paddingLower[", d, "] = ", t.paddingLower[d], " and paddingUpper[", d,
           "] = ", t.paddingUpper[d], " make an output of ", size, " elements one of ",
           size + padding, "; there may be at most ", MOST);
  }

  /// Of a dimension at any point: kernels know sizes as int.
  static constexpr std::uint64_t MOST = 0x7fffffff;

  template <class... A> [[noreturn]] void fail(A const &...parts) const {
    base::fail<::poputil::poplibs_error>("poplin::ConvParams", name_, parts...);
  }

private:
  char const *name_;
  std::size_t dims_;
};

POP_INLINE void checkConvLengths(::poplin::ConvParams const &p) {
  std::size_t const dims = p.inputFieldShape.size();
  if (p.kernelShape.size() != dims)
    base::fail<::poputil::poplibs_error>(
        "poplin::ConvParams", "kernelShape ", base::shapeText(p.kernelShape), " has ",
        p.kernelShape.size(), " dimensions, inputFieldShape ", base::shapeText(p.inputFieldShape),
        " has ", dims, "; they must be equal");
  auto const input = [&](char const *name, ::poplin::ConvParams::InputTransform const &t) {
    ConvTransformCheck const check(name, dims);
    check.length("truncationLower", t.truncationLower);
    check.length("truncationUpper", t.truncationUpper);
    check.length("dilation", t.dilation);
    check.length("paddingLower", t.paddingLower);
    check.length("paddingUpper", t.paddingUpper);
    check.length("flip", t.flip);
    check.notZero("dilation", t.dilation);
  };
  input("inputTransform.", p.inputTransform);
  input("kernelTransform.", p.kernelTransform);
  ConvTransformCheck const check("outputTransform.", dims);
  check.length("truncationLower", p.outputTransform.truncationLower);
  check.length("truncationUpper", p.outputTransform.truncationUpper);
  check.length("stride", p.outputTransform.stride);
  check.length("paddingLower", p.outputTransform.paddingLower);
  check.length("paddingUpper", p.outputTransform.paddingUpper);
  check.notZero("stride", p.outputTransform.stride);
}

/// Of functions that are asked of one dimension, also where nobody called validate().
POP_INLINE void checkConvDim(::poplin::ConvParams const &p, unsigned d) {
  checkConvLengths(p);
  if (d >= p.inputFieldShape.size())
    base::fail<::poputil::poplibs_error>("poplin::ConvParams", "there is no dimension ", d,
                                         " of inputFieldShape ", base::shapeText(p.inputFieldShape),
                                         ", which has ", p.inputFieldShape.size());
}

POP_INLINE void checkConvSizes(::poplin::ConvParams const &p, unsigned d) {
  auto const &in = p.inputTransform, &kernel = p.kernelTransform;
  auto const &out = p.outputTransform;
  ConvTransformCheck const any("", 0), ofInput("inputTransform.", 0),
      ofKernel("kernelTransform.", 0), ofOutput("outputTransform.", 0);
  for (auto const &[name, size] : {std::pair("inputFieldShape", p.inputFieldShape[d]),
                                   std::pair("kernelShape", p.kernelShape[d])})
    if (size > ConvTransformCheck::MOST)
      any.fail(name, "[", d, "] is ", size, "; it must be at most ", ConvTransformCheck::MOST);
  ofInput.truncation(in.truncationLower, in.truncationUpper, d, p.inputFieldShape[d], "the input");
  ofInput.transformed(in, d, p.getTruncatedInputSize(d), "an input");
  ofKernel.truncation(kernel.truncationLower, kernel.truncationUpper, d, p.kernelShape[d],
                      "the kernel");
  ofKernel.transformed(kernel, d, p.getTruncatedKernelSize(d), "a kernel");
  unsigned const inSize = p.getTransformedInputSize(d), size = p.getTransformedKernelSize(d);
  if (size == 0)
    any.fail("the transformed kernel has no elements in dimension ", d,
             "; it must have at least one");
  if (inSize < size)
    any.fail("in dimension ", d, " the transformed input has ", inSize,
             " elements, the transformed kernel ", size, "; the kernel must not be larger");
  ofOutput.truncation(out.truncationLower, out.truncationUpper, d, p.getUntransformedOutputSize(d),
                      "the output");
  ofOutput.padded(out, d, p.getOutputSize(d) - out.paddingLower[d] - out.paddingUpper[d]);
}

class ConvHash {
public:
  template <class T> ConvHash &operator<<(std::vector<T> const &values) {
    add(values.size());
    for (auto const value : values)
      add(static_cast<std::size_t>(value));
    return *this;
  }
  ConvHash &operator<<(std::size_t value) { return add(value), *this; }
  std::size_t value() const { return hash_; }

private:
  void add(std::size_t value) { hash_ = (hash_ ^ value) * 0x100000001b3U + (hash_ >> 29U); }
  std::size_t hash_ = 0xcbf29ce484222325U;
};

POP_INLINE auto membersOf(::poplin::ConvParams::InputTransform const &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.dilation, t.paddingLower, t.paddingUpper,
                  t.flip);
}
POP_INLINE auto membersOf(::poplin::ConvParams::OutputTransform const &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.stride, t.paddingLower, t.paddingUpper);
}
POP_INLINE auto membersOf(::poplin::ConvParams const &p) {
  return std::tie(p.inputType, p.outputType, p.batchSize, p.inputFieldShape, p.kernelShape,
                  p.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup, p.numConvGroups,
                  p.inputTransform, p.kernelTransform, p.outputTransform);
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE ConvParams::InputTransform::InputTransform(std::size_t const size)
    : truncationLower(size, 0), truncationUpper(size, 0), dilation(size, 1), paddingLower(size, 0),
      paddingUpper(size, 0), flip(size, false) {}

POP_INLINE ConvParams::InputTransform::InputTransform(std::vector<unsigned> truncationLower_,
                                                      std::vector<unsigned> truncationUpper_,
                                                      std::vector<unsigned> dilation_,
                                                      std::vector<unsigned> paddingLower_,
                                                      std::vector<unsigned> paddingUpper_,
                                                      std::vector<bool> flip_)
    : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)),
      dilation(std::move(dilation_)), paddingLower(std::move(paddingLower_)),
      paddingUpper(std::move(paddingUpper_)), flip(std::move(flip_)) {}

POP_INLINE ConvParams::OutputTransform::OutputTransform(std::size_t const size)
    : truncationLower(size, 0), truncationUpper(size, 0), stride(size, 1), paddingLower(size, 0),
      paddingUpper(size, 0) {}

POP_INLINE ConvParams::OutputTransform::OutputTransform(std::vector<unsigned> truncationLower_,
                                                        std::vector<unsigned> truncationUpper_,
                                                        std::vector<unsigned> striding,
                                                        std::vector<unsigned> paddingLower_,
                                                        std::vector<unsigned> paddingUpper_)
    : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)),
      stride(std::move(striding)), paddingLower(std::move(paddingLower_)),
      paddingUpper(std::move(paddingUpper_)) {}

POP_INLINE ConvParams::ConvParams(poplar::Type dataType, std::size_t batchSize_,
                                  std::vector<std::size_t> inputFieldShape_,
                                  std::vector<std::size_t> kernelShape_, std::size_t inputChannels,
                                  std::size_t outputChannels, std::size_t numConvGroups_)
    : ConvParams(dataType, dataType, batchSize_, std::move(inputFieldShape_),
                 std::move(kernelShape_), inputChannels, outputChannels, numConvGroups_) {}

POP_INLINE ConvParams::ConvParams(poplar::Type inputType_, poplar::Type outputType_,
                                  std::size_t batchSize_, std::vector<std::size_t> inputFieldShape_,
                                  std::vector<std::size_t> kernelShape_, std::size_t inputChannels,
                                  std::size_t outputChannels, std::size_t numConvGroups_)
    : inputType(inputType_), outputType(outputType_), batchSize(batchSize_),
      inputFieldShape(std::move(inputFieldShape_)), kernelShape(std::move(kernelShape_)),
      inputChannelsPerConvGroup(inputChannels), outputChannelsPerConvGroup(outputChannels),
      numConvGroups(numConvGroups_), inputTransform(inputFieldShape.size()),
      kernelTransform(inputFieldShape.size()), outputTransform(inputFieldShape.size()) {}

POP_INLINE ConvParams::ConvParams(poplar::Type inputType_, poplar::Type outputType_,
                                  std::size_t batchSize_, std::vector<std::size_t> inputFieldShape_,
                                  std::vector<std::size_t> kernelShape_, std::size_t inputChannels,
                                  std::size_t outputChannels, std::size_t numConvGroups_,
                                  InputTransform inputTransform_, InputTransform kernelTransform_,
                                  OutputTransform outputTransform_)
    : inputType(inputType_), outputType(outputType_), batchSize(batchSize_),
      inputFieldShape(std::move(inputFieldShape_)), kernelShape(std::move(kernelShape_)),
      inputChannelsPerConvGroup(inputChannels), outputChannelsPerConvGroup(outputChannels),
      numConvGroups(numConvGroups_), inputTransform(std::move(inputTransform_)),
      kernelTransform(std::move(kernelTransform_)), outputTransform(std::move(outputTransform_)) {}

POP_INLINE std::size_t ConvParams::getUntransformedOutputSize(unsigned dim) const {
  return std::size_t{getTransformedInputSize(dim)} + 1 - getTransformedKernelSize(dim);
}

POP_INLINE std::size_t ConvParams::getOutputSize(unsigned dim) const {
  cottonwood::poplin::detail::checkConvDim(*this, dim);
  auto const &t = outputTransform;
  std::size_t const kept =
      getUntransformedOutputSize(dim) - t.truncationLower[dim] - t.truncationUpper[dim];
  return t.paddingLower[dim] + (kept + t.stride[dim] - 1) / t.stride[dim] + t.paddingUpper[dim];
}

POP_INLINE unsigned ConvParams::getTruncatedInputSize(unsigned dim) const {
  cottonwood::poplin::detail::checkConvDim(*this, dim);
  auto const &t = inputTransform;
  return static_cast<unsigned>(inputFieldShape[dim]) - t.truncationLower[dim] -
         t.truncationUpper[dim];
}

POP_INLINE unsigned ConvParams::getTruncatedKernelSize(unsigned dim) const {
  cottonwood::poplin::detail::checkConvDim(*this, dim);
  auto const &t = kernelTransform;
  return static_cast<unsigned>(kernelShape[dim]) - t.truncationLower[dim] - t.truncationUpper[dim];
}

POP_INLINE unsigned ConvParams::getTransformedInputSize(unsigned dim) const {
  cottonwood::poplin::detail::checkConvDim(*this, dim);
  auto const &t = inputTransform;
  return t.paddingLower[dim] + getDilatedSize(getTruncatedInputSize(dim), t.dilation[dim]) +
         t.paddingUpper[dim];
}

POP_INLINE unsigned ConvParams::getTransformedKernelSize(unsigned dim) const {
  cottonwood::poplin::detail::checkConvDim(*this, dim);
  auto const &t = kernelTransform;
  return t.paddingLower[dim] + getDilatedSize(getTruncatedKernelSize(dim), t.dilation[dim]) +
         t.paddingUpper[dim];
}

POP_INLINE std::vector<std::size_t> ConvParams::getOutputFieldShape() const {
  validate();
  std::vector<std::size_t> shape;
  for (unsigned d = 0; d != getNumFieldDims(); ++d)
    shape.push_back(getOutputSize(d));
  return shape;
}

POP_INLINE void ConvParams::validate() const {
  cottonwood::poplin::detail::checkConvLengths(*this);
  for (unsigned d = 0; d != getNumFieldDims(); ++d)
    cottonwood::poplin::detail::checkConvSizes(*this, d);
}

POP_INLINE bool operator<(ConvParams::InputTransform const &a,
                          ConvParams::InputTransform const &b) {
  return cottonwood::poplin::detail::membersOf(a) < cottonwood::poplin::detail::membersOf(b);
}
POP_INLINE bool operator==(ConvParams::InputTransform const &a,
                           ConvParams::InputTransform const &b) {
  return cottonwood::poplin::detail::membersOf(a) == cottonwood::poplin::detail::membersOf(b);
}
POP_INLINE bool operator!=(ConvParams::InputTransform const &a,
                           ConvParams::InputTransform const &b) {
  return !(a == b);
}
POP_INLINE bool operator<(ConvParams::OutputTransform const &a,
                          ConvParams::OutputTransform const &b) {
  return cottonwood::poplin::detail::membersOf(a) < cottonwood::poplin::detail::membersOf(b);
}
POP_INLINE bool operator==(ConvParams::OutputTransform const &a,
                           ConvParams::OutputTransform const &b) {
  return cottonwood::poplin::detail::membersOf(a) == cottonwood::poplin::detail::membersOf(b);
}
POP_INLINE bool operator!=(ConvParams::OutputTransform const &a,
                           ConvParams::OutputTransform const &b) {
  return !(a == b);
}
POP_INLINE bool operator<(ConvParams const &a, ConvParams const &b) {
  return cottonwood::poplin::detail::membersOf(a) < cottonwood::poplin::detail::membersOf(b);
}
POP_INLINE bool operator==(ConvParams const &a, ConvParams const &b) {
  return cottonwood::poplin::detail::membersOf(a) == cottonwood::poplin::detail::membersOf(b);
}
POP_INLINE bool operator!=(ConvParams const &a, ConvParams const &b) { return !(a == b); }

POP_INLINE std::size_t hash_value(ConvParams::InputTransform const &it) {
  cottonwood::poplin::detail::ConvHash hash;
  hash << it.truncationLower << it.truncationUpper << it.dilation << it.paddingLower
       << it.paddingUpper << it.flip;
  return hash.value();
}

POP_INLINE std::size_t hash_value(ConvParams::OutputTransform const &ot) {
  cottonwood::poplin::detail::ConvHash hash;
  hash << ot.truncationLower << ot.truncationUpper << ot.stride << ot.paddingLower
       << ot.paddingUpper;
  return hash.value();
}

POP_INLINE std::size_t hash_value(ConvParams const &params) {
  cottonwood::poplin::detail::ConvHash hash;
  hash << params.inputType.hash() << params.outputType.hash() << params.batchSize
       << params.inputFieldShape << params.kernelShape << params.inputChannelsPerConvGroup
       << params.outputChannelsPerConvGroup << params.numConvGroups
       << hash_value(params.inputTransform) << hash_value(params.kernelTransform)
       << hash_value(params.outputTransform);
  return hash.value();
}

} // namespace poplin
