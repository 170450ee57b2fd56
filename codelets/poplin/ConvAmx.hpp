/// \file ConvAmx.hpp
/// Convolutions on matrix tiles, for tags with tiles: products whose rows are outputs. Their inputs
/// lie in grids (ConvAmxGrid.hpp), or are gathered while they are packed.
#pragma once

#include <codelets/poplin/ConvAmxGrid.hpp>
#include <codelets/poplin/ConvAmxOperands.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

namespace cottonwood::kernels {

namespace detail {

template <class Tag, class TIn, class TWeights, MatMulMethod METHOD>
void amxConvolve(const ConvTileProblem<TIn, TWeights> &problem, const ConvGrid &grid,
                 const ConvGridPlan &plan, float *workspace, const TileOutput &output) {
  using Operands = AmxConvOperands<Tag, TIn, TWeights, METHOD>;
  auto *const space = reinterpret_cast<std::ptrdiff_t *>(alignedToLine(workspace));
  float *const rest = alignedToLine(space + convTileEntries(*problem.geometry));
  const Operands operands(problem, space);
  if (plan.band != 0)
    AmxGridProduct<Tag, TIn, TWeights, METHOD, Operands>(
        problem, operands, grid, plan, reinterpret_cast<unsigned char *>(rest), output)
        .run();
  else
    AmxProduct<Tag, METHOD, Operands>(operands, matMulTileBlocking(METHOD), rest, output).run();
}

} // namespace detail

template <class Tag> ConvTileKernels convTileKernelsOf() {
  const auto halves = []<class TIn>(const TIn *) -> ConvTileHalfKernels<TIn> {
    if constexpr (Tag::TILES == isa::Tiles::Half)
      return {nullptr, nullptr, &detail::amxConvolve<Tag, TIn, half, MatMulMethod::AMX1>};
    else
      return {&detail::amxConvolve<Tag, TIn, half, MatMulMethod::AMX4>,
              &detail::amxConvolve<Tag, TIn, half, MatMulMethod::AMX3>, nullptr};
  };
  return {&detail::amxConvolve<Tag, float, float, MatMulMethod::AMX6>,
          halves(static_cast<const float *>(nullptr)), halves(static_cast<const half *>(nullptr))};
}

} // namespace cottonwood::kernels
