#include "Clip.hpp"

#include <popops/MapFunctor.hpp>
#include <popops/ReduceFunctor.hpp>

struct Clip {
  float bound;
  template <class V> V operator()(V x) const { return min(x, bound) + 1; }
};

inline constexpr auto SQUARES = popops::reduction(
    0.0f, [](auto a, auto b) { return a + b; }, [](auto x) { return x * x; });

poplar::Tensor clip(poplar::Graph &graph, const poplar::Tensor &x, float bound,
                    poplar::program::Sequence &prog) {
  return popops::map(graph, Clip{bound}, {x}, prog);
}

poplar::Tensor squares(poplar::Graph &graph, const poplar::Tensor &x,
                       poplar::program::Sequence &prog) {
  return popops::reduce(graph, x, {1}, SQUARES, prog);
}

std::vector<float> clippedSquares(const std::vector<float> &x, float bound, std::size_t n) {
  namespace kernels = popops::kernels;
  std::vector<float> clipped(x.size()), sums(x.size() / n);
  kernels::map(Clip{bound}, clipped.data(), x.size(), x.data());
  kernels::reduce(SQUARES, sums.data(), {sums.size(), n, 1}, clipped.data());
  return sums;
}
