// What batch, group, instance and layer norms have in common: checks, and calls of poplin's
// normalisations with the kind's statistics.
#pragma once

#include <poplin/impl/NormEmit.hpp>
#include <poputil/DebugInfo.hpp>

#include <poplar/OptionFlags.hpp>

namespace cottonwood::popnn::detail {

using ::poplar::Tensor;
using poplin::TensorPair;

/// Whose statistics a kind of norm has.
enum NormKind { CHANNELS, GROUPS, INSTANCES, LAYERS };

/// One call of a published function.
class NormFunction {
public:
  /// \param where  the function's full name for messages, `name` its bare one.
  /// \throws poplar::invalid_option  the kind has no such option.
  NormFunction(char const *where, char const *name, NormKind kind,
               ::poplar::OptionFlags const &options, ::poplar::Graph &graph,
               ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext);

  /// \param numGroups  of GROUPS only.
  TensorPair statistics(Tensor const &acts, unsigned numGroups,
                        poplin::NormStatisticsArgs const &args, ::poplar::Type const &partialsType,
                        ::poplin::DistributedNormReduceCallback const &callback,
                        unsigned normBatchSize) const;
  Tensor whiten(Tensor const &acts, Tensor const &mean, Tensor const &invStdDev) const;
  TensorPair normalise(Tensor const &acts, Tensor const &gamma, Tensor const &beta,
                       Tensor const &mean, Tensor const &invStdDev) const;
  Tensor affine(Tensor const &acts, Tensor const &multiplicand, Tensor const &addend) const;
  TensorPair paramGradients(Tensor const &whitened, Tensor const &grads,
                            ::poplar::Type const &partialsType) const;
  Tensor gradients(Tensor const &whitened, Tensor const &grads, Tensor const &invStdDev,
                   Tensor const &gamma, ::poplar::Type const &partialsType,
                   ::poplin::DistributedNormReduceCallback const &callback,
                   unsigned normBatchSize) const;
  void paramUpdate(Tensor const &gammaDelta, Tensor const &betaDelta, float scale,
                   Tensor const &gamma, Tensor const &beta) const;
  void paramUpdate(Tensor const &gammaDelta, Tensor const &betaDelta, Tensor const &scale,
                   Tensor const &gamma, Tensor const &beta) const;

private:
  poplin::NormCall call() const { return {where_, graph_, prog_, context_}; }
  /// Statistics of `count` groups in each sample.
  poplin::NormSets sets(Tensor const &acts, std::size_t groups) const;
  /// The same, with the number of groups that a tensor of statistics tells. Checks it.
  poplin::NormSets setsOf(Tensor const &acts, char const *name, Tensor const &statistics) const;
  void checkOneType(char const *firstName, Tensor const &first, char const *secondName,
                    Tensor const &second) const;
  /// {gamma, beta} and their gradients as one tensor each.
  TensorPair paramsAndDeltas(Tensor const &gammaDelta, Tensor const &betaDelta, Tensor const &gamma,
                             Tensor const &beta) const;

  char const *where_;
  NormKind kind_;
  bool strided_ = false;
  ::poplar::Graph &graph_;
  ::poplar::program::Sequence &prog_;
  ::poputil::PoplibsOpDebugInfo info_;
  ::poplar::DebugContext context_;
};

} // namespace cottonwood::popnn::detail
