/// \file MatMulTiles.hpp
/// What products on matrix tiles, and by half arithmetic, look like from kernels without: sums of
/// blocks of C come from the set in use, whatever set the caller's code is compiled for, which
/// brings them to C.
#pragma once

#include <codelets/poplin/Finish.hpp>
#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::kernels {

/// A block of C: rows [i, i + rows), columns [j, j + columns), at most MATMUL_TILE_BLOCK of each.
struct TilePlace {
  std::size_t i, j, rows, columns;
};

/// Where the sums of blocks go: rows of MATMUL_TILE_BLOCK floats.
struct TileOutput {
  const void *context;
  /// Brings what C holds before to a block; null if the product does not add to it.
  void (*load)(const void *context, const TilePlace &, float *to);
  void (*finish)(const void *context, const TilePlace &, const float *sums);
};

/// Computes sums block by block. C is not looked at; `fma` is matMul of any set.
template <class TIn>
using MatMulTileFunctionOf = void (*)(const MatMulArgs<TIn, float> &, const MatMulBlocking &,
                                      float *workspace, MatMulFunction<TIn, float> fma,
                                      const TileOutput &);

/// The methods of one set whose sums come in blocks, null where it has none, and products by
/// multiply-adds.
struct MatMulTileKernels {
  MatMulTileFunctionOf<float> amx6;
  MatMulTileFunctionOf<half> amx4, amx3, amx1, fp16;
  MatMulFunction<float, float> floatChains;
  MatMulFunction<half, float> halfChains;

  MatMulTileFunctionOf<float> of(MatMulMethod, const float *) const { return amx6; }
  MatMulTileFunctionOf<half> of(MatMulMethod method, const half *) const {
    return method == MatMulMethod::AMX4   ? amx4
           : method == MatMulMethod::AMX3 ? amx3
           : method == MatMulMethod::AMX1 ? amx1
                                          : fp16;
  }
  MatMulFunction<float, float> chains(const float *) const { return floatChains; }
  MatMulFunction<half, float> chains(const half *) const { return halfChains; }
};

/// Those of a tag with tiles, from its object, but for the multiply-adds.
template <class Tag> MatMulTileKernels matMulTileKernelsOf();
/// FP16 of a tag with half arithmetic, from its object.
template <class Tag> MatMulTileFunctionOf<half> matMulFp16KernelOf();

/// Those of the set in use.
POP_API const MatMulTileKernels &matMulTileKernels();

namespace detail {

/// C as blocks see it.
template <class Tag, class TIn, class TOut, class Finish> struct TileResult {
  const MatMulArgs<TIn, TOut> &args;
  const Finish &finish;

  TileOutput output() const { return {this, args.accumulate ? &load : nullptr, &store}; }

  static void load(const void *context, const TilePlace &place, float *to) {
    const TileResult &self = *static_cast<const TileResult *>(context);
    for (std::size_t i = 0; i < place.rows; ++i)
      copyToFloat<Tag>(self.args.row(place.i + i) + place.j, 1, place.columns,
                       to + i * MATMUL_TILE_BLOCK);
  }
  static void store(const void *context, const TilePlace &place, const float *sums) {
    const TileResult &self = *static_cast<const TileResult *>(context);
    for (std::size_t i = 0; i < place.rows; ++i)
      self.finish.template row<Tag>(sums + i * MATMUL_TILE_BLOCK, place.columns,
                                    self.args.row(place.i + i) + place.j, 1, place.i + i, place.j);
  }
};

/// C = A * B or C += A * B by a method whose sums come in blocks.
template <class Tag, class TIn, class TOut, class Finish>
void tileMatMul(const MatMulArgs<TIn, TOut> &args, const MatMulBlocking &blocking, float *workspace,
                const Finish &finish, const MatMulTileKernels &tiles = matMulTileKernels()) {
  const TileResult<Tag, TIn, TOut, Finish> result{args, finish};
  MatMulArgs<TIn, float> sums{};
  sums.m = args.m, sums.n = args.n, sums.k = args.k;
  sums.a = args.a, sums.b = args.b, sums.bPanel = args.bPanel;
  tiles.of(blocking.method, args.a.data)(sums, blocking, workspace, tiles.chains(args.a.data),
                                         result.output());
}

} // namespace detail

} // namespace cottonwood::kernels
