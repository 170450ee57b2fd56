#include <poplin/impl/Config.hpp>
#ifndef POPLIN_CONV_PARAMS_HPP
#define POPLIN_CONV_PARAMS_HPP

#include <poplar/Type.hpp>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <vector>

// A convolution without its operands:
//     out[b, g, o, y] = sum over i, k of x[b, g, i, y * stride + k] * w[g, o, i, k]
// for batch elements b, groups g, output channels o, input channels i, and places y, k in fields of
// any number of dimensions. x is the transformed input, w the transformed kernel, each changed in
// every dimension of the field in this order:
//     truncate   drop truncationLower elements at the begin and truncationUpper at the end
//     dilate     put dilation - 1 zeros between neighbours
//     pad        put paddingLower zeros before and paddingUpper zeros after
//     flip       reverse the order
// The kernel is not reversed unless it is flipped. The output, of transformed input size -
// transformed kernel size + 1, is changed likewise: truncate, keep every stride-th element from the
// first on, pad with zeros.

namespace poplin {

struct POP_API ConvParams {
  /// What is done to the input or to the kernel; one element a dimension of the field.
  struct POP_API InputTransform {
    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    std::vector<unsigned> dilation;
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;
    std::vector<bool> flip;

    InputTransform() = default;
    /// Changes nothing, in so many dimensions.
    InputTransform(std::size_t const size);
    InputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                   std::vector<unsigned> dilation, std::vector<unsigned> paddingLower,
                   std::vector<unsigned> paddingUpper, std::vector<bool> flip);
    friend POP_API bool operator<(InputTransform const &a, InputTransform const &b);
    friend POP_API bool operator==(InputTransform const &a, InputTransform const &b);
    friend POP_API bool operator!=(InputTransform const &a, InputTransform const &b);
  };

  /// What is done to the output; one element a dimension of the field.
  struct POP_API OutputTransform {
    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    std::vector<unsigned> stride;
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;

    OutputTransform() = default;
    /// Changes nothing, in so many dimensions.
    OutputTransform(std::size_t const size);
    OutputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                    std::vector<unsigned> striding, std::vector<unsigned> paddingLower,
                    std::vector<unsigned> paddingUpper);
    friend POP_API bool operator<(OutputTransform const &a, OutputTransform const &b);
    friend POP_API bool operator==(OutputTransform const &a, OutputTransform const &b);
    friend POP_API bool operator!=(OutputTransform const &a, OutputTransform const &b);
  };

  poplar::Type inputType;
  poplar::Type outputType;
  std::size_t batchSize = 0;
  std::vector<std::size_t> inputFieldShape;
  std::vector<std::size_t> kernelShape;
  std::size_t inputChannelsPerConvGroup = 0;
  std::size_t outputChannelsPerConvGroup = 0;
  std::size_t numConvGroups = 0;
  InputTransform inputTransform;
  InputTransform kernelTransform;
  OutputTransform outputTransform;

  ConvParams() = default;
  /// Numbers of channels are those of one group. Without transforms nothing is changed.
  ConvParams(poplar::Type dataType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels,
             std::size_t outputChannels, std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::size_t inputChannels, std::size_t outputChannels, std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::size_t inputChannels, std::size_t outputChannels, std::size_t numConvGroups,
             InputTransform inputTransform, InputTransform kernelTransform,
             OutputTransform outputTransform);

  // Sizes are those of params that validate() accepts. Those after a transform throw
  // poputil::poplibs_error for a dilation or a stride of 0 in it.

  /// Size of the output before its transform.
  std::size_t getUntransformedOutputSize(unsigned dim) const;
  /// Size of the output.
  std::size_t getOutputSize(unsigned dim) const;
  std::size_t getNumOutputChansPerConvGroup() const { return outputChannelsPerConvGroup; }
  std::size_t getNumOutputChans() const { return outputChannelsPerConvGroup * numConvGroups; }
  std::size_t getInputSize(unsigned dim) const { return inputFieldShape[dim]; }
  std::size_t getNumInputChansPerConvGroup() const { return inputChannelsPerConvGroup; }
  std::size_t getNumInputChans() const { return inputChannelsPerConvGroup * numConvGroups; }
  std::size_t getNumConvGroups() const { return numConvGroups; }
  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::vector<std::size_t> getInputFieldShape() const { return inputFieldShape; }
  std::vector<std::size_t> getKernelShape() const { return kernelShape; }
  std::size_t getBatchSize() const { return batchSize; }
  unsigned getTruncatedInputSize(unsigned dim) const;
  unsigned getTruncatedKernelSize(unsigned dim) const;
  unsigned getTransformedInputSize(unsigned dim) const;
  unsigned getTransformedKernelSize(unsigned dim) const;
  /// \throws poputil::poplibs_error  as validate().
  std::vector<std::size_t> getOutputFieldShape() const;

  /// \throws poputil::poplibs_error  lists of different lengths, a stride or dilation of 0, a
  /// truncation of more than there is, a transformed kernel without elements or larger than the
  /// transformed input, a dimension of more than 2^31 - 1 elements before or after its transform.
  /// Types and numbers of channels are left to the functions that use the params: those of the
  /// default constructor, which have no dimensions, are accepted.
  void validate() const;

  /// Params of the same output, and the same for all that are equivalent by these rules: outputs
  /// that are always zero are padding; truncated is what does not reach the output; padding that
  /// only meets padding or is truncated again is gone; stride, dilation and flips that change
  /// nothing are absent.
  /// \throws poputil::poplibs_error  as validate().
  ConvParams canonicalize() const;

  /// By members, in the order of their declarations.
  friend POP_API bool operator<(ConvParams const &a, ConvParams const &b);
  friend POP_API bool operator==(ConvParams const &a, ConvParams const &b);
  friend POP_API bool operator!=(ConvParams const &a, ConvParams const &b);
};

/// Writes the params as a JSON object on several lines, which operator>> reads.
POP_API std::ostream &operator<<(std::ostream &os, ConvParams const &p);

/// Reads a JSON object. Keys are the names of the members; "dataType" stands for both types; types
/// are "float", "half" or "quarter". Members without a key: FLOAT, sizes of 1, no transform.
/// \throws poputil::poplibs_error  text that is no such object, unknown keys, or lists whose
/// lengths differ.
POP_API std::istream &operator>>(std::istream &is, ConvParams &p);

POP_API std::size_t hash_value(ConvParams::InputTransform const &it);
POP_API std::size_t hash_value(ConvParams::OutputTransform const &ot);
POP_API std::size_t hash_value(ConvParams const &params);

} // namespace poplin

namespace std {

template <> struct hash<poplin::ConvParams::InputTransform> {
  std::size_t operator()(poplin::ConvParams::InputTransform const &it) const {
    return poplin::hash_value(it);
  }
};
template <> struct hash<poplin::ConvParams::OutputTransform> {
  std::size_t operator()(poplin::ConvParams::OutputTransform const &ot) const {
    return poplin::hash_value(ot);
  }
};
template <> struct hash<poplin::ConvParams> {
  std::size_t operator()(poplin::ConvParams const &params) const {
    return poplin::hash_value(params);
  }
};

} // namespace std

#endif
