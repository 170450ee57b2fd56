// Outputs of some dimensions of the field as output channels, and their inputs as input channels.
#pragma once

#include <poplar/Tensor.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <poplin/impl/TileBlocks.hpp>

#include <vector>

namespace cottonwood::poplin {

/// Views of the operands of a convolution with such dimensions: [..., ...field, C] becomes the same
/// with places of these dimensions in front of the channels, in their stead a size of 1. Weights
/// [N, ...kernel, I] become those between each of these channels: a matrix with zeros where no tap
/// of an output meets an input.
class FlattenedDims {
public:
  /// \param dims  a bit for each
  FlattenedDims(::poplin::ConvParams const &params, unsigned dims);

  bool has(unsigned d) const { return d < 32 && (dims_ >> d & 1U) != 0; }

  /// [G, B, ...field, I]
  Tensor inputs(Tensor in) const;
  /// [G, B, ...field, N]
  Tensor outputs(Tensor const &out) const { return toChannels(out); }
  /// The inverse of outputs(), and of inputs() if none are truncated. \param field  before that
  Tensor toField(Tensor const &t, std::vector<std::size_t> const &field) const;
  bool truncatesInputs() const;

  /// Of weights [G, N, ...kernel, I] those between output channels and input channels of these
  /// ranges. \param zero  one element
  Tensor weights(Tensor const &weights, IndexRange n, IndexRange i, Tensor const &zero) const;
  /// f(weights of a pair of an output and an input): those of such ranges of channels that no pair
  /// before has.
  template <class F>
  void forEachNewWeights(Tensor const &weights, IndexRange n, IndexRange i, F const &f) const {
    forEachPair(weights, n, i, [&](Pair const &pair) {
      if (pair.tap && pair.isFirst)
        f(pair.weights);
    });
  }

private:
  static constexpr unsigned NONE = ~0U;

  /// Of one dimension the tap by which each output meets each input, and whether it is the first
  /// pair with that tap.
  struct Dim {
    unsigned dim = 0, outputs = 1, inputs = 1;
    std::vector<unsigned> taps;
    std::vector<bool> isFirst;
  };
  struct Pair {
    bool tap = true, isFirst = true;
    Tensor weights; ///< [G, N, ...kernel, I]; the whole kernel if there is no tap
    bool startsRow = false;
  };

  Tensor toChannels(Tensor const &t) const;
  template <class F>
  void forEachPair(Tensor const &weights, IndexRange n, IndexRange i, F const &f) const;

  unsigned dims_;
  ::poplin::ConvParams const &params_;
  std::vector<Dim> list_;
};

template <class F>
void FlattenedDims::forEachPair(Tensor const &weights, IndexRange n, IndexRange i,
                                F const &f) const {
  unsigned const last = weights.rank() - 1;
  auto const channels = [](IndexRange range, std::size_t size, std::size_t period) {
    std::size_t const first = period * size;
    return std::pair(std::max<std::size_t>(range.first, first) - first,
                     std::min<std::size_t>(range.second, first + size) - first);
  };
  std::size_t const outs = weights.dim(1), ins = weights.dim(last);
  for (std::size_t p = n.first / outs; p * outs < n.second; ++p)
    for (std::size_t q = i.first / ins; q * ins < i.second; ++q) {
      auto const [n0, n1] = channels(n, outs, p);
      auto const [i0, i1] = channels(i, ins, q);
      Pair pair;
      pair.startsRow = q == i.first / ins;
      pair.weights = weights.slice(n0, n1, 1).slice(i0, i1, last);
      std::size_t output = p, input = q;
      for (std::size_t d = list_.size(); d-- != 0;) {
        Dim const &dim = list_[d];
        std::size_t const at = output % dim.outputs * dim.inputs + input % dim.inputs;
        output /= dim.outputs, input /= dim.inputs;
        pair.isFirst = pair.isFirst && dim.isFirst[at];
        pair.tap = pair.tap && dim.taps[at] != NONE;
        if (pair.tap)
          pair.weights = pair.weights.slice(dim.taps[at], dim.taps[at] + 1, 2 + dim.dim);
      }
      f(pair);
    }
}

/// Maps weights [G, N, ...kernel, I] to the tiles that use them; what several tiles use is divided
/// among them, or belongs to the first ones.
POP_API void mapFlattenedWeights(::poplar::Graph &graph, Tensor const &weights,
                                 FlattenedDims const &dims, TileBlocks const &blocks,
                                 planner::TilePlan const &plan);

} // namespace cottonwood::poplin
