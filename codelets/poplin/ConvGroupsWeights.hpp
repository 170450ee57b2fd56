/// \file ConvGroupsWeights.hpp
/// The weights to a vector of output channels of groups of few channels, in vectors.
#pragma once

#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/ConvGroupsArgs.hpp>

namespace cottonwood::kernels::detail {

/// \tparam SHARED  vectors of output channels are those of several groups
template <class Tag, class TIn, class TOut, bool SHARED> class ConvGroupsWeights {
  using V = simd<float, Tag>;
  using One = simd<float, isa::scalar>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);

public:
  using Args = ConvGroupsArgs<TIn, TOut>;

  /// \param packed  room for a vector of all taps and input channels
  ConvGroupsWeights(const Args &args, float *packed) : args_(args), packed_(packed) {}

  /// The next tap, whose weights are `offset` behind the first ones of their channels.
  void addTap(std::ptrdiff_t offset) { tap_[numTaps_++] = offset; }

  /// For each tap and input channel those to all lanes.
  void pack(const ConvGroupsLanes<W> &lanes) const {
    const std::size_t channels = args_.inChannels;
    Lane of[W];
    std::size_t run = 0;
    std::int32_t next = -1; // the group behind
    for (std::size_t l = lanes.lanes; l-- != 0; next = lanes.offset[l]) {
      run = lanes.offset[l] == next ? run + 1 : 1;
      of[l] = {at(lanes, l, 0), run};
    }
    float *to = packed_;
    for (std::size_t t = 0; t < numTaps_; ++t)
      for (std::size_t c = 0, some = 0; c < channels; c += some, to += some * W)
        some = packChannels(of, lanes.lanes,
                            tap_[t] + static_cast<std::ptrdiff_t>(c) * args_.weightsIn,
                            channels - c, to);
  }
  /// Whether all are, that were packed.
  bool areFinite() const {
    V none = V::zero(); // NaN where a weight is not finite
    for (std::size_t i = 0; i < numTaps_ * args_.inChannels; ++i)
      none = V::fma(V::load(packed_ + i * W), V::zero(), none);
    float sums[W];
    none.store(sums);
    bool finite = true;
    for (std::size_t l = 0; l < W; ++l)
      finite &= sums[l] == 0;
    return finite;
  }
  const float *packed() const { return packed_; }

  /// The same; or the weights themselves, if they are such vectors.
  const float *packedOrOwn(const ConvGroupsLanes<W> &lanes) const {
    if constexpr (sizeof(TIn) == sizeof(float)) {
      const auto each = static_cast<std::ptrdiff_t>(args_.inChannels * W);
      bool dense = !SHARED && lanes.lanes == W && args_.weightsOut == 1 &&
                   args_.weightsIn == static_cast<std::ptrdiff_t>(W);
      for (std::size_t t = 0; t < numTaps_; ++t)
        dense &= tap_[t] == static_cast<std::ptrdiff_t>(t) * each;
      if (dense)
        return at(lanes, 0, 0);
    }
    pack(lanes);
    return packed_;
  }

  /// The weight of a lane to input channel c, at tap t.
  const TIn *at(const ConvGroupsLanes<W> &lanes, std::size_t lane, std::size_t c,
                std::size_t t) const {
    return at(lanes, lane, c) + tap_[t];
  }

private:
  const TIn *at(const ConvGroupsLanes<W> &lanes, std::size_t lane, std::size_t c) const {
    const std::size_t column = lanes.column + lane;
    const auto group = static_cast<std::ptrdiff_t>(column / args_.outChannels),
               n = static_cast<std::ptrdiff_t>(column % args_.outChannels);
    return args_.weights + group * args_.weightsGroup + n * args_.weightsOut +
           static_cast<std::ptrdiff_t>(c) * args_.weightsIn;
  }

  /// Its first weight, and how many lanes from this one on are of one group.
  struct Lane {
    const TIn *weight;
    std::size_t run;
  };

  /// The next channels of a tap, at most n. \returns  how many.
  POP_SIMD_INLINE std::size_t packChannels(const Lane *of, std::size_t lanes, std::ptrdiff_t at,
                                           std::size_t n, float *to) const {
    if (!SHARED && args_.weightsIn == 1 && args_.weightsOut != 1) {
      const std::size_t some = n < W ? n : W;
      V v[W];
      for (std::size_t l = 0; l < W; ++l)
        v[l] = l < lanes ? V::loadPartial(of[l].weight + at, some) : V::zero();
      arch::transpose(v);
      for (std::size_t c = 0; c < some; ++c)
        v[c].store(to + c * W);
      return some;
    }
    if (args_.weightsOut == 1) {
      V::zero().store(to);
      for (std::size_t l = 0; l < lanes; l += of[l].run)
        V::loadPartial(of[l].weight + at, of[l].run).storePartial(to + l, of[l].run);
      return 1;
    }
    for (std::size_t l = 0; l < W; ++l)
      (l < lanes ? One::load(of[l].weight + at) : One::zero()).store(to + l);
    return 1;
  }

  const Args &args_;
  float *const packed_;
  std::size_t numTaps_ = 0;
  std::ptrdiff_t tap_[CONV_PLANES_MAX_TAPS];
};

} // namespace cottonwood::kernels::detail
