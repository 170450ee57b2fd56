// Normalisations of all kinds: sums and elementwise passes over activations whose statistics belong
// to channels, or to groups of channels of one sample.
#pragma once

#include <planners/poplin/Norm.hpp>
#include <poplin/Norms.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::poplin {

using ::poplar::Tensor;
using TensorPair = std::pair<Tensor, Tensor>;

/// Which elements of [N, C, ...F] share a statistic: those of a channel, [C]; or those of a group
/// of channels in one sample, [N * groups]. Channel c is in group c % groups if strided, else
/// c / (C / groups).
struct NormSets {
  bool grouped = false;
  std::size_t groups = 1;
  bool strided = false;
};

/// Activations with channels cut into groups, and which dimensions index statistics and channels.
struct NormView {
  Tensor t;
  std::vector<bool> stat, chan;
};

/// What every function of a normalisation is called with.
struct NormCall {
  char const *where; ///< for messages
  ::poplar::Graph &graph;
  ::poplar::program::Sequence &prog;
  ::poplar::DebugContext const &debugContext;
};

/// Sums over the replicas of a group; none where groupSize is 1.
struct NormReplicas {
  ::poplin::DistributedNormReduceCallback const *callback = nullptr;
  unsigned groupSize = 1;
  ::poplar::Type type; ///< of what the callback gets
};

struct NormStatisticsArgs {
  float eps = 0;
  bool unbiased = false, stable = false;
};

// Checks. All throw poputil::poplibs_error.

POP_API POP_INLINE void checkNormActs(char const *where, char const *name, Tensor const &t);
/// \param t  of the shape of acts and of its type.
POP_API POP_INLINE void checkNormLike(char const *where, char const *name, Tensor const &t,
                                      Tensor const &acts);
/// \param t  [size], FLOAT or HALF.
POP_API POP_INLINE void checkNormVector(char const *where, char const *name, Tensor const &t,
                                        std::size_t size, Tensor const &acts);
/// The type of partial results: partialsType, or the type of acts if that is larger.
POP_API POP_INLINE ::poplar::Type
normPartialsType(char const *where, ::poplar::Type const &partialsType, Tensor const &acts);
/// \throws poputil::poplibs_error  the batch does not divide normSize.
POP_API POP_INLINE NormReplicas
normReplicas(char const *where, ::poplin::DistributedNormReduceCallback const &callback,
             unsigned normSize, ::poplar::Type const &partialsType, Tensor const &acts);

POP_INLINE NormView normView(Tensor const &acts, NormSets const &sets);
/// How many statistics there are: none without channels.
POP_API POP_INLINE std::size_t numNormStatistics(Tensor const &acts, NormSets const &sets);

// Building blocks; arguments are known to fit. Vectors are [statistics] or [C].

POP_API POP_INLINE TensorPair emitNormStatistics(NormCall const &call, Tensor const &acts,
                                                 NormSets const &sets,
                                                 NormStatisticsArgs const &args,
                                                 NormReplicas const &replicas);
/// Sums over replicas, in FLOAT; the sums themselves if there is one. \throws
/// poputil::poplibs_error  the callback returns something else.
POP_INLINE std::vector<Tensor> sumReplicas(NormCall const &call, NormReplicas const &replicas,
                                           std::vector<Tensor> sums);
/// {sum of a b, sum of a} over all dimensions that `kept` does not mark, in FLOAT, flat.
/// \param scale  what both are multiplied by.
POP_INLINE TensorPair emitNormProducts(NormCall const &call, Tensor const &a, Tensor const &b,
                                       std::vector<bool> const &kept, double scale);
POP_API POP_INLINE Tensor emitNormWhiten(NormCall const &call, Tensor const &acts,
                                         NormSets const &sets, Tensor const &mean,
                                         Tensor const &invStdDev);
/// {normalised, whitened}
POP_API POP_INLINE TensorPair emitNormalise(NormCall const &call, Tensor const &acts,
                                            NormSets const &sets, Tensor const &gamma,
                                            Tensor const &beta, Tensor const &mean,
                                            Tensor const &invStdDev);
/// \param beta  invalid: nothing is added.
POP_API POP_INLINE Tensor emitNormAffine(NormCall const &call, Tensor const &acts,
                                         Tensor const &gamma, Tensor const &beta);
/// {gammaDelta, betaDelta} of the type of grads.
POP_API POP_INLINE TensorPair emitNormParamGradients(NormCall const &call, Tensor const &whitened,
                                                     Tensor const &grads);
/// \param gamma  invalid: ones.
POP_API POP_INLINE Tensor emitNormGradients(NormCall const &call, Tensor const &whitened,
                                            Tensor const &grads, NormSets const &sets,
                                            Tensor const &invStdDev, Tensor const &gamma,
                                            NormReplicas const &replicas);

} // namespace cottonwood::poplin
