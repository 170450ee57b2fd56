/// \file Conv.hpp
/// Convolutions on raw pointers, for one core: implicit matrix products whose rows are outputs and
/// whose columns are output channels, or, for groups of one channel each, sums side by side.
///
/// Sums are float, rounded once into the output. Products with padding are left out. Blocking
/// changes no bit of the result (see ConvTile.hpp).
#pragma once

#include <codelets/poplin/ConvDriver.hpp>
#include <codelets/poplin/ConvTiles.hpp>
#if defined(POPLAR_HEADER_ONLY)
#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ConvAmx.hpp>
#include <codelets/poplin/ConvFp16.hpp>
#endif

namespace cottonwood::kernels {

/// Groups of several channels. Input elements are float.
/// \param finish  what becomes of the sums, see Finish.hpp
template <class Tag, class TWeights, class TOut, class Finish>
void finishedConvolve(const ConvArgs<float, TWeights, TOut> &args, const Finish &finish) {
  if (inMatMulBlocks(args.blocking.method))
    detail::tileConvolve<Tag>(args, finish);
  else
    detail::ConvDriver<Tag, false, float, TWeights, TOut, Finish>(args, finish).run();
}
template <class Tag, class TWeights, class TOut>
void convolve(const ConvArgs<float, TWeights, TOut> &args) {
  finishedConvolve<Tag>(args, StoreSums{});
}

/// Groups of one channel in and out, which are the columns of one group: input and weights of
/// neighbouring columns lie side by side.
template <class Tag, class T, class TOut, class Finish>
void finishedConvolveChannels(const ConvArgs<T, T, TOut> &args, const Finish &finish) {
  detail::ConvDriver<Tag, true, T, T, TOut, Finish>(args, finish).run();
}
template <class Tag, class T, class TOut> void convolveChannels(const ConvArgs<T, T, TOut> &args) {
  finishedConvolveChannels<Tag>(args, StoreSums{});
}

template <class TIn, class TWeights, class TOut>
using ConvFunction = void (*)(const ConvArgs<TIn, TWeights, TOut> &);
/// The same with an epilogue, see Finish.hpp.
template <class TIn, class TWeights, class TOut>
using FinishedConvFunction = void (*)(const ConvArgs<TIn, TWeights, TOut> &, const ErasedFinish &);

/// The kernels with epilogues for one type of weights and one of outputs.
template <class TWeights, class TOut> struct FinishedConvKernels {
  FinishedConvFunction<float, TWeights, TOut> groups;
  FinishedConvFunction<TWeights, TWeights, TOut> channels;
};

/// kernels::convolve (weights to output) and kernels::convolveChannels (operands to output) of one
/// instruction set.
struct ConvKernels {
  ConvFunction<float, float, float> floatToFloat;
  ConvFunction<float, half, half> halfToHalf;
  ConvFunction<float, half, float> halfToFloat;
  ConvFunction<float, float, half> floatToHalf;
  ConvFunction<float, float, float> channelsFloatToFloat;
  ConvFunction<half, half, half> channelsHalfToHalf;
  ConvFunction<half, half, float> channelsHalfToFloat;
  ConvFunction<float, float, half> channelsFloatToHalf;
  FinishedConvKernels<float, float> finishedFloatToFloat;
  FinishedConvKernels<half, half> finishedHalfToHalf;
  FinishedConvKernels<half, float> finishedHalfToFloat;
  FinishedConvKernels<float, half> finishedFloatToHalf;

  template <class TWeights, class TOut>
  POP_SIMD_INLINE const FinishedConvKernels<TWeights, TOut> &finished() const {
    if constexpr (std::is_same_v<TWeights, float>) {
      if constexpr (std::is_same_v<TOut, float>)
        return finishedFloatToFloat;
      else
        return finishedFloatToHalf;
    } else {
      if constexpr (std::is_same_v<TOut, float>)
        return finishedHalfToFloat;
      else
        return finishedHalfToHalf;
    }
  }
};

/// The kernels of a tag.
template <class Tag> ConvKernels convKernelsOf() {
  return {&convolve<Tag, float, float>,
          &convolve<Tag, half, half>,
          &convolve<Tag, half, float>,
          &convolve<Tag, float, half>,
          &convolveChannels<Tag, float, float>,
          &convolveChannels<Tag, half, half>,
          &convolveChannels<Tag, half, float>,
          &convolveChannels<Tag, float, half>,
          {&finishedConvolve<Tag, float, float, ErasedFinish>,
           &finishedConvolveChannels<Tag, float, float, ErasedFinish>},
          {&finishedConvolve<Tag, half, half, ErasedFinish>,
           &finishedConvolveChannels<Tag, half, half, ErasedFinish>},
          {&finishedConvolve<Tag, half, float, ErasedFinish>,
           &finishedConvolveChannels<Tag, half, float, ErasedFinish>},
          {&finishedConvolve<Tag, float, half, ErasedFinish>,
           &finishedConvolveChannels<Tag, float, half, ErasedFinish>}};
}

#if defined(POPLAR_HEADER_ONLY)
inline const ConvTileKernels &convTileKernels() {
  static const ConvTileKernels all = [] {
    ConvTileKernels kernels{};
    if constexpr (isa::TileTag<isa::native>) {
      static_cast<void>(isa::cpuFeatures()); // gets the process permission to use tiles
      kernels = convTileKernelsOf<isa::native>();
    } else if constexpr (isa::native::HALF_ARITHMETIC) {
      kernels = convFp16KernelsOf<isa::native>();
    }
    return kernels;
  }();
  return all;
}
#endif

} // namespace cottonwood::kernels
