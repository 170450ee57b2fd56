#include <poplin/impl/Config.hpp>
#ifndef POPLIN_CONV_UTIL_HPP
#define POPLIN_CONV_UTIL_HPP

#include <poplin/ConvParams.hpp>

#include <utility>

// Which elements of the input, the kernel and the output of a convolution meet.
//
// Indices are those of the tensors, before the input's and kernel's transforms and after the
// output's; dim is a dimension of the field. ~0U stands for an element that does not exist. Ranges
// are [first, second); an empty one is {0, 0}. Ranges returned are the smallest that hold all
// elements concerned; not every element in them need be. Params must be valid; dilations and
// strides of 0 are poputil::poplibs_error.

namespace poplin {

/// Elements after dilation - 1 zeros were put between neighbours; 0 for none.
POP_API unsigned getDilatedSize(unsigned size, unsigned dilation);

/// The element of the input that is multiplied by the kernel's for the output's, or ~0U.
POP_API unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                               ConvParams const &params);
/// The element of the kernel that is multiplied by the input's for the output's, or ~0U.
POP_API unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                                ConvParams const &params);

/// The part of outputRange that depends on an element, or on any of a range, of kernel or input.
POP_API std::pair<unsigned, unsigned>
getOutputRangeForKernelIndex(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                             unsigned kernelIndex, ConvParams const &params);
POP_API std::pair<unsigned, unsigned>
getOutputRangeForInputIndex(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                            unsigned inputIndex, ConvParams const &params);
POP_API std::pair<unsigned, unsigned>
getOutputRangeForKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                             std::pair<unsigned, unsigned> kernelIndexRange,
                             ConvParams const &params);
POP_API std::pair<unsigned, unsigned>
getOutputRangeForInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                            std::pair<unsigned, unsigned> inputRange, ConvParams const &params);

/// The part of the input that meets an element of the kernel, or any of a range or all of them, in
/// outputs of a range.
POP_API std::pair<unsigned, unsigned> getInputRange(unsigned dim,
                                                    std::pair<unsigned, unsigned> outputRange,
                                                    unsigned kernelIndex, ConvParams const &params);
POP_API std::pair<unsigned, unsigned> getInputRange(unsigned dim,
                                                    std::pair<unsigned, unsigned> outputRange,
                                                    std::pair<unsigned, unsigned> kernelIndexRange,
                                                    ConvParams const &params);
POP_API std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                    std::pair<unsigned, unsigned> kernelIndexRange,
                                                    ConvParams const &params);
POP_API std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                    ConvParams const &params);
POP_API std::pair<unsigned, unsigned>
getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange, ConvParams const &params);

/// The part of the kernel that meets an element of the input, or any of a range, in outputs of a
/// range.
POP_API std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                                     std::pair<unsigned, unsigned> outputRange,
                                                     unsigned inputIndex, ConvParams const &params);
POP_API std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                                     std::pair<unsigned, unsigned> outputRange,
                                                     std::pair<unsigned, unsigned> inputRange,
                                                     ConvParams const &params);

/// The convolution of the output's gradient that gives the input's gradient. Its weights are the
/// forward ones with input and output channels exchanged and every dimension of the kernel
/// reversed (see weightsTransposeChansFlipXY). Canonical.
/// \throws poputil::poplibs_error  params that are not valid.
POP_API ConvParams getGradientParams(ConvParams const &params);

/// The convolution that gives the weights' gradient: its input is the forward input with batch and
/// input channels exchanged, its kernel the output's gradient, with one input channel an element of
/// the batch. Its batch are the forward input channels. Canonical.
/// \throws poputil::poplibs_error  params that are not valid.
POP_API ConvParams getWeightUpdateParams(ConvParams const &fwdParams);

} // namespace poplin

#endif
