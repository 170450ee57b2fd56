#include <popnn/impl/Config.hpp>
#ifndef POPNN_POOLING_HPP
#define POPNN_POOLING_HPP

#include <popnn/PoolingDef.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace popnn {
namespace pooling {

/// A pooling: for output position o of the field and each sample and channel
///
///     out[o] = type over k < kernelShape of in[o stride - inputTruncationOrPaddingLower + k]
///
/// where a negative padding is a truncation. Padding takes no part: AVG divides by the number of
/// elements that are there, and a window of padding alone gives 0, or for MAX minus infinity (HALF:
/// -65504).
struct POP_API PoolParams {
  popnn::PoolingType poolingType;
  std::vector<std::size_t> inputFieldShape;
  std::vector<std::size_t> kernelShape;
  std::vector<unsigned> stride;
  std::vector<int> inputTruncationOrPaddingLower;
  std::vector<int> inputTruncationOrPaddingUpper;
  std::size_t numChannels;
  std::size_t batchSize;
  poplar::Type dType;

  PoolParams(popnn::PoolingType poolingType, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::vector<unsigned> stride,
             std::vector<int> inputTruncationOrPaddingLower,
             std::vector<int> inputTruncationOrPaddingUpper, std::size_t numChannels,
             std::size_t batchSize, poplar::Type dType);

  std::size_t getNumFieldDims() const;
  /// The same as getOutputFieldShape(*this).
  std::vector<std::size_t> getOutputFieldShape() const;
};

/// All fields as text.
POP_API std::ostream &operator<<(std::ostream &o, PoolParams const &params);
/// "max", "avg" or "sum".
POP_API char const *asString(PoolingType const &method);

/// In each dimension floor((in + lower + upper - kernel) / stride) + 1, at least 0.
/// \throws poputil::poplibs_error  "Mismatched window dimensions": the five vectors differ in
/// length; or a kernel dimension or stride is 0. So do all functions below.
POP_API std::vector<std::size_t> getOutputFieldShape(PoolParams const &params);

/// Operations: for each output one for each element in its window, and for AVG one more.
POP_API std::uint64_t getFwdFlops(PoolParams const &params);
/// Of the gradient: the same.
POP_API std::uint64_t getBwdFlops(PoolParams const &params);
/// Cycles if all tiles of the target did nothing but vector operations.
POP_API double getFwdPerfectCycleCount(poplar::Graph const &graph, PoolParams const &params);
/// Twice as many.
POP_API double getBwdPerfectCycleCount(poplar::Graph const &graph, PoolParams const &params);

// Options of the functions below, true|false each:
//
// - poolUseIntrospectiveMapping (true), optimizeForSpeed (false): accepted; layouts do not depend
// on
//   them.
// - useFloatPartialsWhereBeneficial (false): accepted; sums are computed in float in any case.
//
// All throw poputil::poplibs_error where tensors do not fit the parameters: another rank than 2
// plus that of the field, batch, channels, field or type; poplar::invalid_option on another option.

/// \param in  [N, C, ...field], FLOAT or HALF.
/// \returns a new tensor [N, C, ...output field] of the type of `in`, its dimensions in the order
/// of memory of those of `in`, on several tiles with the blocks of channels that it has there;
/// spread over the tiles.
POP_API poplar::Tensor pool(poplar::Graph &graph, PoolParams const &params,
                            poplar::Tensor const &in, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {},
                            poplar::OptionFlags const &options = {});

/// The gradient with respect to the input: for MAX each element gets the sum of the gradients of
/// windows whose maximum it is equal to (all equal elements of a window get it); AVG and SUM spread
/// gradients over their windows, AVG divided by the number of elements there.
/// \param in, pooled  what pool() was given and returned; AVG and SUM do not read them.
/// \param pooledGradient  of the shape of pooled.
/// \param useScaledGradient  MAX: gradients are divided by the number of elements that share them.
/// \returns a new tensor laid out as `in`.
POP_API poplar::Tensor poolInputGradient(poplar::Graph &graph, PoolParams const &params,
                                         poplar::Tensor const &in, poplar::Tensor const &pooled,
                                         poplar::Tensor const &pooledGradient,
                                         bool useScaledGradient, poplar::program::Sequence &prog,
                                         poplar::DebugContext const &debugContext = {},
                                         poplar::OptionFlags const &options = {});

/// The same for AVG and SUM, without the forward pass's tensors: the result is laid out as
/// pooledGradient.
/// \param fwdChansPerGroup  a hint about layouts, not used.
/// \throws poputil::poplibs_error  also for MAX.
POP_API poplar::Tensor poolInputGradient(poplar::Graph &graph, PoolParams const &params,
                                         unsigned const fwdChansPerGroup,
                                         poplar::Tensor const &pooledGradient,
                                         poplar::program::Sequence &prog,
                                         poplar::DebugContext const &debugContext = {},
                                         poplar::OptionFlags const &options = {});

} // namespace pooling
} // namespace popnn

#endif
