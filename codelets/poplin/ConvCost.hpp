/// \file ConvCost.hpp
/// Facts about convolution codelets that planners and profiles need. Standard library only.
#pragma once

#include <codelets/arch/Caches.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

#include <algorithm>

namespace cottonwood::kernels {

/// Most segments, and most taps, that a tile of registers is given at a time.
inline constexpr std::size_t CONV_MAX_SEGMENTS = 1152;

/// Places this many bytes apart, or a multiple, share so few sets of L1 that they push each other
/// out.
inline constexpr std::uint32_t CONV_FAR_BYTES = MATMUL_WAY_BYTES / 2;

/// Loop bounds of a CPU kernel; they change no bit of the result.
struct ConvBlocking {
  std::uint32_t depth = 0;  ///< taps (times input channels) per pass, at most CONV_MAX_SEGMENTS
  std::uint32_t enough = 0; ///< passes of this many are not made longer by another dimension
  std::uint32_t pixels = 0; ///< outputs whose sums are held between passes
  /// BLOCKED: what is above; else a method on matrix tiles or FP16, with blockings of their own.
  /// They round differently.
  MatMulMethod method = MatMulMethod::BLOCKED;
  std::uint32_t setRows = MATMUL_SET_ROWS; ///< most rows of a tile whose inputs share a set of L1
  /// Groups of one channel: inputs whose places are so many bytes apart, or a multiple, so that
  /// they share too few sets of L1, are copied (convCopyFloats()); 0: none are.
  std::uint32_t copyBytes = CONV_FAR_BYTES;
  /// Most columns of a strip: MATMUL_WIDE_COLUMNS, or fewer for strips of two vectors. Counts for
  /// groups of several channels and vectors of 16 floats alone.
  std::uint32_t columns = MATMUL_MAX_TILE_COLUMNS;
  bool operator==(const ConvBlocking &) const = default;
};

/// ConvBlocking::copyBytes. An L1 of 32 KB keeps 16 places 2048 bytes apart, one of 48 KB 24, and
/// 12 that share one set. On Zen 4 (32 KB) with the copy 3x3 over 14 x 14 places of 512 channels
/// takes 0.71 of the time, over 7 x 7 of 1024 channels 0.56; on Zen 5 (48 KB, 1 MB L2) 1.0 (1.25
/// with vectors of 8 floats) and 0.59; on a Granite Rapids class CPU (48 KB, 2 MB L2) both 1.4.
constexpr std::uint32_t convCopyBytes(const MatMulCaches &caches) {
  constexpr std::size_t FEW_WAYS = 8;
  if (caches.l1 <= FEW_WAYS * MATMUL_WAY_BYTES)
    return CONV_FAR_BYTES;
  return caches.l2 < arch::LARGE_L2 ? MATMUL_WAY_BYTES : 0;
}

/// A pass keeps a strip of weights in L1 or close to it; the sums of a strip take a small part of
/// L2. A pass of 256 taps makes loading and storing sums cheap; longer ones would only cut the
/// outputs at the borders into more boxes. Rows that share a set leave two of its places to the
/// weights. Before a distant last cache strips are wide, which takes fewer loads, and passes as
/// long as can be, so that sums mostly go straight to the output: on a core of the Emerald Rapids
/// class (48 KB L1, 2 MB L2) the 3x3 layers of ResNet-50 are 1.1 times as fast, the stem 1.24.
constexpr ConvBlocking chooseConvBlocking(const MatMulCaches &caches = {}) {
  ConvBlocking result;
  result.columns = caches.distant ? MATMUL_WIDE_COLUMNS : MATMUL_MAX_TILE_COLUMNS;
  const std::size_t line = result.columns * sizeof(float);
  const std::size_t strip = std::max(caches.l1, caches.l2 / (caches.distant ? 4 : 16));
  const std::size_t most = caches.distant ? CONV_MAX_SEGMENTS : 512;
  result.depth = static_cast<std::uint32_t>(std::clamp<std::size_t>(strip / line, 128, most));
  result.enough = caches.distant ? result.depth : 256;
  result.pixels =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(caches.l2 / 8 / line, 192, 4096));
  result.setRows =
      static_cast<std::uint32_t>(std::max<std::size_t>(caches.l1 / MATMUL_WAY_BYTES, 8) - 2);
  result.copyBytes = convCopyBytes(caches);
  return result;
}

/// True if an input whose channels lie apart is worth a copy in which they lie side by side.
/// A tile of the method BLOCKED reads a cache line for every channel of a few outputs, and again
/// for every tap and strip of columns. Measured on Zen 3 and, with vectors of 16 floats, on Zen 5:
/// the 3x3 layers of ResNet-50 on NCHW take a fifth and a tenth less with the copy, 1x1 layers of
/// 14 x 14 outputs and 1024 columns a tenth or more and nothing to a twentieth (large fields have
/// ways of their own). With 512 columns these gain on Zen 3 and take a tenth more on Zen 5; with
/// 256 columns noise hides what it does on Zen 3.
/// \param channels  input channels of a group
/// \param columns   output channels of a group
constexpr bool convPacksInput(std::size_t channels, std::size_t taps, std::size_t columns,
                              const MatMulCaches &caches) {
  constexpr std::size_t LINE = 16;
  const std::size_t worth = caches.vectorFloats == LINE ? 36 : 32;
  return caches.vectorFloats > 1 && channels >= LINE &&
         taps * ((columns + LINE - 1) / LINE) >= worth;
}

/// Steps of a method on tiles, of 32 values of k, that so many values take with zeros behind them.
constexpr std::size_t convTileSteps(std::size_t values) { return (values + 31) / 32; }
/// True if values of k of a method on tiles are lines of taps: the taps of the last dimension with
/// their channels one behind another, and zeros up to a whole step. Else each tap has steps of its
/// own.
constexpr bool convTapLines(std::size_t channels, std::size_t lastTaps) {
  return convTileSteps(lastTaps * channels) < lastTaps * convTileSteps(channels);
}
/// Values of k, with zeros, of a method on tiles.
constexpr std::size_t convTileDepth(std::size_t channels, std::size_t taps, std::size_t lastTaps) {
  return 32 * (convTapLines(channels, lastTaps)
                   ? taps / lastTaps * convTileSteps(lastTaps * channels)
                   : taps * convTileSteps(channels));
}

/// The method on tiles of a convolution of several channels a group with these sizes of a group, or
/// BLOCKED: where too much of what tiles multiply would be zeros. On a Granite Rapids class core
/// the stem of ResNet-50, 0.65 of whose values are none, is as fast either way in floats and 1.5
/// times as fast on tiles in halves; 0.45 for halves is from the rates of both, not measured.
/// Lines of taps of few channels want outputs side by side, which share copies of them (grids), or
/// many columns: gathered one by one for less, as for gradients of the weights of small batches,
/// they take up to four times as long there as multiply-adds.
/// \param channels     input channels
/// \param lastOutputs  outputs of the last dimension alone
/// \param lastTaps     its taps
/// \param products     pairs of an output and a tap that meet an input, as a share of all
constexpr MatMulMethod convTileMethod(isa::Tiles tiles, std::size_t outputs, std::size_t columns,
                                      std::size_t channels, std::size_t taps,
                                      std::size_t lastOutputs, std::size_t lastTaps,
                                      double products, bool halfOperands, bool halfPartials) {
  constexpr std::size_t SIDE_BY_SIDE = 16, MANY_COLUMNS = 256, FEW_CHANNELS = 32;
  if (channels == 0 || (convTapLines(channels, lastTaps) && channels < FEW_CHANNELS &&
                        lastOutputs < SIDE_BY_SIDE && columns < MANY_COLUMNS))
    return MatMulMethod::BLOCKED;
  const std::size_t depth = convTileDepth(channels, taps, lastTaps);
  const double used = products * static_cast<double>(channels * taps) / static_cast<double>(depth);
  if (used < (halfOperands ? 0.45 : 0.7))
    return MatMulMethod::BLOCKED;
  return matMulTileMethod(tiles, outputs, columns, depth, halfOperands, halfPartials);
}

/// FP16 if a convolution of halves with half partials is worth it, as matMulFp16Method(), with
/// little that would be zeros, and channels enough to be copied in vectors; else BLOCKED. The stem
/// of ResNet-50, of three channels, takes 1.1 times as long by FP16 on a core of the Emerald Rapids
/// class as by multiply-adds.
/// \param products  as for convTileMethod()
constexpr MatMulMethod convFp16Method(bool available, std::size_t outputs, std::size_t columns,
                                      std::size_t channels, std::size_t taps, double products,
                                      bool halfOperands, bool halfPartials) {
  constexpr std::size_t LEAST_CHANNELS = 16;
  constexpr double LEAST_PRODUCTS = 0.6;
  if (channels < LEAST_CHANNELS || products < LEAST_PRODUCTS)
    return MatMulMethod::BLOCKED;
  return matMulFp16Method(available, outputs, columns, channels * taps, halfOperands, halfPartials);
}

/// Floats of scratch of a CPU kernel with the method BLOCKED.
/// \param classes  of the geometry
/// \param copy     its convCopyFloats()
constexpr std::size_t convWorkspace(const ConvBlocking &blocking, std::size_t classes,
                                    std::size_t depth, std::size_t pixels, std::size_t copy) {
  constexpr std::size_t CLASS_FLOATS = 9;
  const std::size_t strip = std::min<std::size_t>(depth, blocking.depth);
  const std::size_t sums = std::min<std::size_t>(pixels, blocking.pixels);
  // Each part starts on a cache line.
  const std::size_t columns = std::max<std::size_t>(blocking.columns, MATMUL_MAX_TILE_COLUMNS);
  return classes * CLASS_FLOATS + (strip + sums) * columns + copy + 4 * 16;
}

} // namespace cottonwood::kernels
