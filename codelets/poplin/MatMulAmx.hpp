/// \file MatMulAmx.hpp
/// Sums of products on matrix tiles: the methods AMX6, AMX4, AMX3 and AMX1, for tags with tiles.
///
/// Floats and halves are split into bfloat16 pieces while they are packed, without an error; sums
/// of products of pieces are float. Rounding is that of the tiles (arch/Amx.hpp), several times
/// less than that of a chain of multiply-adds, and the same for every way to cut rows, columns and
/// k; guarded elements (MatMulAmxGuard.hpp) have the bits of such a chain.
#pragma once

#include <codelets/poplin/MatMulAmxBlock.hpp>
#include <codelets/poplin/MatMulAmxGuard.hpp>
#include <codelets/poplin/MatMulTiles.hpp>

namespace cottonwood::kernels {

namespace detail {

/// One product; the same code whatever C's type is. `fma` is kernels::matMul of a tag without
/// tiles.
template <class Tag, class TIn, MatMulMethod METHOD> class AmxMatMul {
public:
  AmxMatMul(const MatMulArgs<TIn, float> &args, const MatMulBlocking &blocking, float *workspace,
            MatMulFunction<TIn, float> fma, const TileOutput &output)
      : args_(args), output_(output), fma_(fma),
        space_(matMulTileSpace(blocking, args.m, args.n, args.k)) {
    const std::size_t depth = blocking.depth;
    const std::size_t passes = args.k <= depth ? 1 : (args.k + depth - 1) / depth;
    // Equal passes of whole steps.
    depth_ = ((args.k + passes - 1) / passes + AMX_STEP - 1) / AMX_STEP * AMX_STEP;
    rows_ = args.m < blocking.rows ? args.m : blocking.rows;
    auto *at = reinterpret_cast<unsigned char *>(
        (reinterpret_cast<std::uintptr_t>(workspace) + 63) & ~std::uintptr_t{63});
    packedA_ = at, packedB_ = packedA_ + space_.a;
    sums_ = reinterpret_cast<float *>(packedB_ + space_.b);
    float *const ranges = sums_ + space_.sums / sizeof(float);
    const std::size_t rows = whole(rows_), columns = whole(columnsOf(0));
    rangesA_ = {ranges, ranges + rows};
    rangesB_ = {ranges + 2 * rows, ranges + 2 * rows + columns};
    before_ = ranges + space_.ranges / sizeof(float);
    repairSpace_ = before_ + BLOCK;
  }

  void run() {
    for (std::size_t i = 0; i < args_.m; i += rows_)
      for (std::size_t j = 0; j < args_.n; j += MATMUL_TILE_COLUMNS)
        runPart({i, j, args_.m - i < rows_ ? args_.m - i : rows_, columnsOf(j)});
  }

private:
  using Packer = AmxPacker<Tag, TIn, METHOD>;
  static constexpr std::size_t SIDE = MATMUL_TILE_BLOCK, BLOCK = SIDE * SIDE;

  static std::size_t whole(std::size_t size) { return (size + SIDE - 1) / SIDE * SIDE; }
  std::size_t columnsOf(std::size_t j) const {
    return args_.n - j < MATMUL_TILE_COLUMNS ? args_.n - j : MATMUL_TILE_COLUMNS;
  }

  /// As many rows and columns as the workspace has sums for, all of K.
  void runPart(const TilePlace &part) {
    if constexpr (Packer::RANGES)
      rangesA_.clear(whole(part.rows)), rangesB_.clear(whole(part.columns));
    std::size_t p = 0;
    do {
      const std::size_t depth = args_.k - p < depth_ ? args_.k - p : depth_;
      Packer::packB(args_, part.j, part.columns, p, depth, packedB_, rangesB_);
      for (std::size_t i = 0; i < part.rows; i += MATMUL_TILE_ROWS) {
        const std::size_t rows =
            part.rows - i < MATMUL_TILE_ROWS ? part.rows - i : MATMUL_TILE_ROWS;
        Packer::packA(args_.a, part.i + i, rows, p, depth, packedA_, from(rangesA_, i));
        runRows(part, i, rows, p, depth);
      }
      p += depth;
    } while (p < args_.k);
  }

  /// Rows [i, i + rows) of a part, values [p, p + depth) of k.
  void runRows(const TilePlace &part, std::size_t i, std::size_t rows, std::size_t p,
               std::size_t depth) {
    const std::size_t steps = (depth + AMX_STEP - 1) / AMX_STEP;
    const bool last = p + depth >= args_.k;
    AmxBlockArgs block{packedA_, packedB_, steps, sums_, p == 0};
    for (std::size_t x = 0; x < rows; x += SIDE, block.a += Packer::panelBytes(steps)) {
      block.b = packedB_;
      for (std::size_t j = 0; j < part.columns; j += SIDE, block.b += Packer::panelBytes(steps)) {
        const TilePlace place{i + x, j, rows - x < SIDE ? rows - x : SIDE,
                              part.columns - j < SIDE ? part.columns - j : SIDE};
        if (args_.k > depth_) // sums wait for the next pass
          block.sums = sums_ + ((i + x) / SIDE * (whole(part.columns) / SIDE) + j / SIDE) * BLOCK;
        const std::size_t tileRows = amxTiles(place.rows), tileColumns = amxTiles(place.columns);
        runAmxBlock<Tag, METHOD>(tiles_, tileRows, tileColumns, block);
        if (last) {
          clearRest(block.sums, tileRows, tileColumns);
          finish(part, place, block.sums);
        }
      }
    }
  }

  /// The part of a block that has no tiles.
  static void clearRest(float *sums, std::size_t tileRows, std::size_t tileColumns) {
    if (tileColumns == 1)
      for (std::size_t i = 0; i < SIDE; ++i)
        simd<float, Tag>::zero().store(sums + i * SIDE + AMX_LANES);
    if (tileRows == 1)
      __builtin_memset(sums + AMX_LANES * SIDE, 0, AMX_LANES * SIDE * sizeof(float));
  }

  /// A block of the part whose sums are complete.
  POP_SIMD_INLINE void finish(const TilePlace &part, const TilePlace &place, float *sums) {
    const AmxRanges a = from(rangesA_, place.i), b = from(rangesB_, place.j);
    const TilePlace inC{part.i + place.i, part.j + place.j, place.rows, place.columns};
    if (output_.load)
      output_.load(output_.context, inC, before_);
    bool suspicious = amxNotFinite<Tag>(sums);
    if constexpr (Packer::RANGES)
      suspicious = suspicious || amxMayLose<Tag>(a, b);
    if (suspicious) {
      const AmxElements wrong = amxSuspects<Tag, Packer::RANGES>(sums, place, a, b, args_.k);
      addBefore(sums, place);
      repair(inC, wrong, sums);
    } else {
      addBefore(sums, place);
    }
    output_.finish(output_.context, inC, sums);
  }

  POP_SIMD_INLINE void addBefore(float *sums, const TilePlace &place) const {
    using V = simd<float, Tag>;
    if (!output_.load)
      return;
    for (std::size_t x = 0; x < place.rows * SIDE; x += AMX_LANES)
      (V::load(before_ + x) + V::load(sums + x)).store(sums + x);
  }

  /// Replaces sums of a block by chains of multiply-adds, which start from what C holds.
  void repair(const TilePlace &place, const AmxElements &elements, float *sums) {
    const TilePlace &box = elements.box;
    if (box.rows == 0)
      return;
    float *const to = before_ + box.i * SIDE + box.j;
    MatMulArgs<TIn, float> args{};
    args.m = box.rows, args.n = box.columns;
    args.c = to, args.cRow = SIDE;
    args.accumulate = output_.load != nullptr;
    // Steps of K keep the workspace small; each goes on where the one before ended.
    const MatMulBlocking blocking{MatMulMethod::BLOCKED, SIDE, MATMUL_TILE_REPAIR_DEPTH,
                                  std::is_same_v<TIn, float> ? 0U : 1U, 0};
    std::size_t p = 0;
    do {
      args.k = args_.k - p < MATMUL_TILE_REPAIR_DEPTH ? args_.k - p : MATMUL_TILE_REPAIR_DEPTH;
      args.a = {args_.a.at(place.i + box.i, p), args_.a.row, args_.a.column};
      args.b = {args_.bAt(p, place.j + box.j), args_.b.row, args_.b.column};
      fma_(args, blocking, repairSpace_);
      args.accumulate = true;
      p += args.k;
    } while (p < args_.k);
    for (std::size_t i = box.i; i < box.i + box.rows; ++i)
      for (std::size_t j = box.j; j < box.j + box.columns; ++j)
        if (elements.rows[i] >> j & 1)
          sums[i * SIDE + j] = before_[i * SIDE + j];
  }

  static AmxRanges from(const AmxRanges &ranges, std::size_t i) {
    return {ranges.least + i, ranges.most + i};
  }

  arch::Tiles<Tag> tiles_;
  const MatMulArgs<TIn, float> &args_;
  const TileOutput &output_;
  const MatMulFunction<TIn, float> fma_;
  const MatMulTileSpace space_;
  std::size_t depth_, rows_;
  unsigned char *packedA_, *packedB_;
  float *sums_, *before_, *repairSpace_;
  AmxRanges rangesA_, rangesB_;
};

template <class Tag, class TIn, MatMulMethod METHOD>
void amxMatMul(const MatMulArgs<TIn, float> &args, const MatMulBlocking &blocking, float *workspace,
               MatMulFunction<TIn, float> fma, const TileOutput &output) {
  AmxMatMul<Tag, TIn, METHOD>(args, blocking, workspace, fma, output).run();
}

} // namespace detail

template <class Tag> MatMulTileKernels matMulTileKernelsOf() {
  if constexpr (Tag::TILES == isa::Tiles::Half)
    return {&detail::amxMatMul<Tag, float, MatMulMethod::AMX6>, nullptr, nullptr,
            &detail::amxMatMul<Tag, half, MatMulMethod::AMX1>,  nullptr, nullptr};
  else
    return {&detail::amxMatMul<Tag, float, MatMulMethod::AMX6>,
            &detail::amxMatMul<Tag, half, MatMulMethod::AMX4>,
            &detail::amxMatMul<Tag, half, MatMulMethod::AMX3>,
            nullptr,
            nullptr,
            nullptr};
}

} // namespace cottonwood::kernels
