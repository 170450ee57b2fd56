// From arguments to a problem, or an error that names what is wrong.
#pragma once

#include <planners/poplin/ConvTypes.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/ConvParams.hpp>

#include <cstddef>
#include <vector>

namespace cottonwood::poplin {

using ::poplar::Tensor;

/// A convolution whose params are valid. Sizes may be 0.
struct ConvCheck {
  ::poplin::ConvParams params;  ///< canonical
  planner::ConvProblem problem; ///< partials are not set; meaningless if trivial

  /// The result has no elements.
  bool isEmpty() const;
  /// Nothing is multiplied: the result has no elements or is all zeros.
  bool isTrivial() const;
  std::vector<std::size_t> inShape() const;
  std::vector<std::size_t> outShape() const;
  /// \param exchanged  input and output channels
  std::vector<std::size_t> weightsShape(bool exchanged) const;
};

/// A convolution of floats or halves for CPUs.
/// \throws poputil::poplibs_error  params that are not valid, types that are not supported, or a
/// field of too many dimensions.
POP_API ConvCheck checkConv(char const *where, ::poplin::ConvParams const &params);
/// The same for a target, also of 8-bit floats: the problem is what the target multiplies.
POP_API ConvCheck checkConv(char const *where, ::poplin::ConvParams const &params,
                            ::poplar::Target const &target);

/// Checks that a tensor is one of the graph of `other`, if that is given, and has the type and
/// shape. \param dims  the meaning of its dimensions, for the text
POP_API void checkConvTensor(char const *where, Tensor const &t, char const *name,
                             ::poplar::Type const &type, std::vector<std::size_t> const &shape,
                             char const *dims, Tensor const *other = nullptr);
POP_API void checkConvOperands(char const *where, ConvCheck const &check, Tensor const &in,
                               Tensor const &weights, bool transposeAndFlip);
POP_API void checkConvOutput(char const *where, ConvCheck const &check, Tensor const &out);
/// Checks the scale of an update.
POP_API void checkConvScale(char const *where, Tensor const &scale);
inline void checkConvScale(char const *, float) {}

/// Activations [N, groups * C, ...field] as [groups, N, ...field, C].
POP_API Tensor convActivations(Tensor const &t, std::size_t groups);
/// The matrices [groups * parts, N * field / parts, C] of activations [groups, N, ...field, C];
/// `parts` divides the batch.
POP_API Tensor fieldMatrices(Tensor const &t, std::size_t parts);
/// Activations as [N, ...field, groups, C].
POP_API Tensor convRows(Tensor const &t, std::size_t groups);
/// Weights [groups, O, I, ...kernel] as [groups, O, ...kernel, I]; the forward ones of a backward
/// convolution with channels exchanged and kernels reversed.
POP_API Tensor convWeights(Tensor const &t, bool transposeAndFlip);

} // namespace cottonwood::poplin
