/// \file ConvTiles.hpp
/// What convolutions on matrix tiles, and by half arithmetic, look like from kernels without; see
/// MatMulTiles.hpp.
#pragma once

#include <codelets/poplin/ConvTileGrid.hpp>
#include <codelets/poplin/MatMulTiles.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>

namespace cottonwood::kernels {

/// One group of a convolution as a matrix product: rows are outputs, columns output channels. The
/// last dimension of the geometry has input channels that lie side by side, and no outputs.
template <class TIn, class TWeights> struct ConvTileProblem {
  const ConvGeometry *geometry;
  std::size_t outputs, columns;
  const TIn *in;
  const TWeights *weights;
  /// Column j is (j / block) * blockStride + (j % block) * column from the first one.
  std::ptrdiff_t weightsColumn, weightsBlockStride;
  std::size_t weightsBlock;
};

/// Taps by outputs of each dimension but the last, added up.
inline std::size_t convTileEntries(const ConvGeometry &geometry) {
  std::size_t n = 0;
  for (unsigned d = 0; d + 1 < geometry.dims; ++d)
    n += static_cast<std::size_t>(geometry.dim[d].outputs) *
         static_cast<std::size_t>(geometry.dim[d].taps);
  return n;
}

/// Floats of scratch of a method whose sums come in blocks.
/// \param grid, plan  convGridPlan() of the geometry
inline std::size_t convTileWorkspace(MatMulMethod method, const ConvGeometry &geometry,
                                     std::size_t columns, const ConvGrid &grid,
                                     const ConvGridPlan &plan) {
  constexpr std::size_t LINE = 64;
  std::size_t outputs = 1, taps = 1;
  for (unsigned d = 0; d + 1 < geometry.dims; ++d) {
    outputs *= static_cast<std::size_t>(geometry.dim[d].outputs);
    taps *= static_cast<std::size_t>(geometry.dim[d].taps);
  }
  const auto lastTaps = static_cast<std::size_t>(geometry.dim[geometry.dims - 2].taps);
  const auto channels = static_cast<std::size_t>(geometry.dim[geometry.dims - 1].taps);
  const std::size_t entries =
      (convTileEntries(geometry) * sizeof(std::ptrdiff_t) + 2 * LINE) / sizeof(float);
  if (method == MatMulMethod::FP16)
    return entries + matMulWorkspace(matMulFp16Blocking(), outputs, taps * channels, columns);
  const std::size_t depth = convTileDepth(channels, taps, lastTaps);
  return entries + (plan.band != 0
                        ? convGridSpace(grid, columns, plan, method).bytes() / sizeof(float)
                        : matMulWorkspace(matMulTileBlocking(method), outputs, depth, columns));
}
inline std::size_t convTileWorkspace(MatMulMethod method, const ConvGeometry &geometry,
                                     std::size_t columns) {
  ConvGrid grid;
  const ConvGridPlan plan = convGridPlan(grid, geometry, columns, method);
  return convTileWorkspace(method, geometry, columns, grid, plan);
}

/// \param plan  the same bits whatever it is, zero included; `grid` counts if its band is not zero
template <class TIn, class TWeights>
using ConvTileFunctionOf = void (*)(const ConvTileProblem<TIn, TWeights> &, const ConvGrid &grid,
                                    const ConvGridPlan &plan, float *workspace, const TileOutput &);

/// The methods of one set for halves as weights, null where it has none.
template <class TIn> struct ConvTileHalfKernels {
  ConvTileFunctionOf<TIn, half> amx4, amx3, amx1, fp16 = nullptr;

  ConvTileFunctionOf<TIn, half> of(MatMulMethod method) const {
    return method == MatMulMethod::AMX4   ? amx4
           : method == MatMulMethod::AMX3 ? amx3
           : method == MatMulMethod::AMX1 ? amx1
                                          : fp16;
  }
};
/// All methods. The input of halves are halves, or floats of the same value.
struct ConvTileKernels {
  ConvTileFunctionOf<float, float> amx6;
  ConvTileHalfKernels<float> floats;
  ConvTileHalfKernels<half> halves;

  ConvTileFunctionOf<float, float> of(MatMulMethod, const float *, const float *) const {
    return amx6;
  }
  ConvTileFunctionOf<float, half> of(MatMulMethod method, const float *, const half *) const {
    return floats.of(method);
  }
  ConvTileFunctionOf<half, half> of(MatMulMethod method, const half *, const half *) const {
    return halves.of(method);
  }
};

/// Those of a tag with tiles, from its object.
template <class Tag> ConvTileKernels convTileKernelsOf();
/// FP16 of a tag with half arithmetic, from its object.
template <class Tag> ConvTileKernels convFp16KernelsOf();

/// Those of the set in use.
POP_API const ConvTileKernels &convTileKernels();

namespace detail {

/// The outputs of a group as blocks see them.
template <class Tag, class Args, class Finish> struct ConvTileResult {
  const Args &args;
  const Finish &finish;
  std::size_t firstColumn;

  static void store(const void *context, const TilePlace &place, const float *sums) {
    const ConvTileResult &self = *static_cast<const ConvTileResult *>(context);
    const std::size_t j = self.firstColumn + place.j;
    for (std::size_t i = 0; i < place.rows; ++i) {
      const std::size_t pixel = place.i + i;
      auto *const row =
          self.args.outRows ? self.args.outRows[pixel] : self.args.out + pixel * self.args.outPixel;
      self.finish.template row<Tag>(sums + i * MATMUL_TILE_BLOCK, place.columns, row + j, 1, pixel,
                                    j);
    }
  }
};

/// Groups of several channels, by a method whose sums come in blocks.
/// \tparam Args  ConvArgs
template <class Tag, class Args, class Finish>
void tileConvolve(const Args &args, const Finish &finish,
                  const ConvTileKernels &tiles = convTileKernels()) {
  const MatMulMethod method = args.blocking.method;
  ConvGrid grid;
  const ConvGridPlan plan = convGridPlan(grid, args.geometry, args.columns, method);
  std::size_t outputs = 1;
  for (unsigned d = 0; d < args.geometry.dims; ++d)
    outputs *= static_cast<std::size_t>(args.geometry.dim[d].outputs);
  for (std::size_t g = 0; g < args.groups; ++g) {
    const auto group = static_cast<std::ptrdiff_t>(g);
    const ConvTileResult<Tag, Args, Finish> result{args, finish, g * args.columns};
    tiles.of(method, args.in,
             args.weights)({&args.geometry, outputs, args.columns, args.in + group * args.inGroup,
                            args.weights + group * args.weightsGroup, args.weightsColumn,
                            args.weightsBlockStride, args.weightsBlock},
                           grid, plan, args.workspace, {&result, nullptr, &result.store});
  }
}

} // namespace detail

} // namespace cottonwood::kernels
