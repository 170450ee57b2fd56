// Convolutions whose sums come in blocks, on matrix tiles or by half arithmetic, on raw pointers;
// and what they are compared with.
#pragma once

#include "../Isas.hpp"
#include "TileProblems.hpp"

#include <codelets/poplin/ConvVertex.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

namespace cottonwood::test {

/// The methods of a set whose sums come in blocks.
inline kernels::ConvTileKernels convolutionsOf(isa::Isa isa) {
  return isa::withTag(isa, [](auto tag) {
    kernels::ConvTileKernels tiles{};
    if constexpr (isa::TileTag<decltype(tag)>)
      tiles = kernels::convTileKernelsOf<decltype(tag)>();
    else if constexpr (decltype(tag)::HALF_ARITHMETIC)
      tiles = kernels::convFp16KernelsOf<decltype(tag)>();
    return tiles;
  });
}

/// Random operands.
/// \tparam T  of the weights; inputs are floats of such values
template <class T> struct TileData {
  std::vector<float> in;
  std::vector<T> weights;

  /// Numbers that T holds exactly.
  TileData(TileProblem const &p, unsigned seed)
      : in(p.inputs()), weights(p.groups * p.taps() * p.in * p.out) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> real(-2, 2);
    for (float &x : in)
      x = toFloat(fromFloat<T>(real(engine)));
    for (T &w : weights)
      w = fromFloat<T>(real(engine));
  }
  /// \tparam In  float or T
  template <class In> std::vector<In> inputs() const {
    std::vector<In> all;
    for (float const x : in)
      all.push_back(fromFloat<In>(x));
    return all;
  }
};

/// All groups, in a workspace of the size that the method asks for.
/// \tparam In  of the input's elements: float or T
template <class In = float, class T>
std::vector<float> convolve(TileProblem const &p, TileData<T> const &data, isa::Isa isa,
                            kernels::MatMulMethod method) {
  std::vector<In> const in = data.template inputs<In>();
  auto const table = tableOf(p);
  auto const strides = stridesOf(p);
  kernels::ConvGeometry const geometry(4, table.data(), strides.data());
  constexpr float GUARD = -12345;
  std::size_t const scratch = kernels::convTileWorkspace(method, geometry, p.out);
  std::vector<float> workspace(scratch + 16, GUARD);
  std::vector<float> out(p.pixels() * p.groups * p.out + 1, 77.0F);
  kernels::ConvArgs<In, T, float> args{geometry,
                                       p.groups,
                                       p.out,
                                       in.data(),
                                       static_cast<std::ptrdiff_t>(p.in),
                                       data.weights.data(),
                                       static_cast<std::ptrdiff_t>(p.taps() * p.in * p.out),
                                       static_cast<std::ptrdiff_t>(p.columnStride()),
                                       0,
                                       std::size_t{1} << 31U,
                                       out.data(),
                                       p.groups * p.out,
                                       nullptr,
                                       {},
                                       workspace.data()};
  args.blocking.method = method;
  kernels::detail::tileConvolve<isa::scalar>(args, kernels::StoreSums{}, convolutionsOf(isa));
  CHECK(out.back() == 77.0F);
  CHECK(std::all_of(workspace.begin() + static_cast<std::ptrdiff_t>(scratch), workspace.end(),
                    [](float x) { return x == GUARD; }));
  out.pop_back();
  return out;
}

/// f(output in `out`, group, column, its place in the field) for all outputs.
template <class F> void forEachOutput(TileProblem const &p, F &&f) {
  std::size_t at = 0;
  for (std::size_t b = 0; b < p.batch; ++b)
    for (int y = 0; y < p.outputs(0); ++y)
      for (int x = 0; x < p.outputs(1); ++x)
        for (std::size_t g = 0; g < p.groups; ++g)
          for (std::size_t o = 0; o < p.out; ++o)
            f(at++, b, y, x, g, o);
}

/// The first input channel that tap (i, j) of an output meets, as an index; none in the padding.
inline std::optional<std::size_t> inputOf(TileProblem const &p, std::size_t b, int y, int x,
                                          std::size_t g, int i, int j) {
  int const inY = p.input(0, y, i), inX = p.input(1, x, j);
  if (inY < 0 || inX < 0)
    return std::nullopt;
  std::size_t const place =
      (b * static_cast<std::size_t>(p.size[0]) + static_cast<std::size_t>(inY)) *
          static_cast<std::size_t>(p.size[1]) +
      static_cast<std::size_t>(inX);
  return (place * p.groups + g) * p.in;
}

/// f(input, weight) for all products of an output, in ascending order of taps.
template <class T, class F>
void forEachProduct(TileProblem const &p, TileData<T> const &data, std::size_t b, int y, int x,
                    std::size_t g, std::size_t o, F &&f) {
  for (int i = 0; i < p.kernel[0]; ++i)
    for (int j = 0; j < p.kernel[1]; ++j) {
      auto const first = inputOf(p, b, y, x, g, i, j);
      for (std::size_t c = 0; first && c < p.in; ++c)
        f(data.in[*first + c],
          toFloat(data.weights[p.weight(g, static_cast<std::size_t>(i * p.kernel[1] + j), c, o)]));
    }
}

} // namespace cottonwood::test
