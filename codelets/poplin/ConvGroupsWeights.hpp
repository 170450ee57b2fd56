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
  /// \returns  whether all are finite.
  bool pack(const ConvGroupsLanes<W> &lanes) const {
    const std::size_t channels = args_.inChannels;
    const TIn *of[W];
    for (std::size_t l = 0; l < lanes.lanes; ++l)
      of[l] = at(lanes, l, 0);
    float *to = packed_;
    for (std::size_t t = 0; t < numTaps_; ++t)
      for (std::size_t c = 0, some = 0; c < channels; c += some, to += some * W)
        some = packChannels(of, lanes.lanes,
                            tap_[t] + static_cast<std::ptrdiff_t>(c) * args_.weightsIn,
                            channels - c, to);
    V none = V::zero(); // NaN where a weight is not finite
    for (const float *from = packed_; from != to; from += W)
      none = V::fma(V::load(from), V::zero(), none);
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
      bool dense = lanes.lanes == W && args_.weightsOut == 1 &&
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

  /// The next channels of a tap, at most n. \returns  how many.
  POP_SIMD_INLINE std::size_t packChannels(const TIn *const *of, std::size_t lanes,
                                           std::ptrdiff_t at, std::size_t n, float *to) const {
    if (!SHARED && args_.weightsOut == 1) {
      (lanes == W ? V::load(of[0] + at) : V::loadPartial(of[0] + at, lanes)).store(to);
      return 1;
    }
    if (!SHARED && args_.weightsIn == 1) {
      const std::size_t some = n < W ? n : W;
      V v[W];
      for (std::size_t l = 0; l < W; ++l)
        v[l] = l < lanes ? V::loadPartial(of[l] + at, some) : V::zero();
      arch::transpose(v);
      for (std::size_t c = 0; c < some; ++c)
        v[c].store(to + c * W);
      return some;
    }
    for (std::size_t l = 0; l < W; ++l)
      (l < lanes ? One::load(of[l] + at) : One::zero()).store(to + l);
    return 1;
  }

  const Args &args_;
  float *const packed_;
  std::size_t numTaps_ = 0;
  std::ptrdiff_t tap_[CONV_PLANES_MAX_TAPS];
};

} // namespace cottonwood::kernels::detail
