/// \file MatMulAmx.hpp
/// Sums of products on matrix tiles: the methods AMX6, AMX4, AMX3 and AMX1, for tags with tiles.
///
/// Floats and halves are split into bfloat16 pieces while they are packed, without an error; sums
/// of products of pieces are float. Rounding is that of the tiles (arch/Amx.hpp), several times
/// less than that of a chain of multiply-adds, and the same for every way to cut rows, columns and
/// k; guarded elements (MatMulAmxGuard.hpp) have the bits of such a chain.
#pragma once

#include <codelets/poplin/MatMulAmxProduct.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

namespace cottonwood::kernels {

namespace detail {

/// The operands of C = A * B, and its elements that tiles cannot compute.
template <class Tag, class TIn, MatMulMethod METHOD>
class AmxOperands : public MatMulChains<Tag, TIn> {
  using Packer = AmxPacker<Tag, TIn, METHOD>;
  using Chains = MatMulChains<Tag, TIn>;
  using Chains::args_;

public:
  using Chains::Chains;

  void packA(std::size_t i, std::size_t rows, std::size_t p, std::size_t depth, unsigned char *to,
             typename Packer::Range &range) const {
    Packer::packA(args_.a, i, rows, p, depth, to, range);
  }
  void packB(std::size_t j, std::size_t columns, std::size_t p, std::size_t depth,
             unsigned char *to, typename Packer::Range &range) const {
    Packer::packB(args_, j, columns, p, depth, to, range);
  }
  void rangesOfRows(std::size_t i, std::size_t rows, const AmxRanges &ranges) const {
    for (std::size_t x = 0; x < rows; ++x)
      ranges.set(x, amxBoundsOf<Tag>(args_.a.at(i + x, 0), args_.a.column, args_.k));
  }
  void rangesOfColumns(std::size_t j, std::size_t columns, const AmxRanges &ranges) const {
    for (std::size_t x = 0; x < columns; ++x)
      ranges.set(x, amxBoundsOf<Tag>(args_.bAt(0, j + x), args_.b.row, args_.k));
  }
};

/// One product; the same code whatever C's type is.
template <class Tag, class TIn, MatMulMethod METHOD>
void amxMatMul(const MatMulArgs<TIn, float> &args, const MatMulBlocking &blocking, float *workspace,
               MatMulFunction<TIn, float> fma, const TileOutput &output) {
  using Operands = AmxOperands<Tag, TIn, METHOD>;
  const Operands operands(args, fma);
  AmxProduct<Tag, METHOD, Operands>(operands, blocking, workspace, output).run();
}

} // namespace detail

template <class Tag> MatMulTileKernels matMulTileKernelsOf() {
  MatMulTileKernels kernels{};
  kernels.amx6 = &detail::amxMatMul<Tag, float, MatMulMethod::AMX6>;
  if constexpr (Tag::TILES == isa::Tiles::Half) {
    kernels.amx1 = &detail::amxMatMul<Tag, half, MatMulMethod::AMX1>;
  } else {
    kernels.amx4 = &detail::amxMatMul<Tag, half, MatMulMethod::AMX4>;
    kernels.amx3 = &detail::amxMatMul<Tag, half, MatMulMethod::AMX3>;
  }
  return kernels;
}

} // namespace cottonwood::kernels
