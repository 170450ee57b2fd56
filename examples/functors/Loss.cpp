// Compiled once per instruction set by poplar_add_kernels.
#include "Loss.hpp"

#include <popops/ElementWise.hpp>
#include <popops/MapFunctor.hpp>
#include <popops/Reduce.hpp>
#include <popops/ReduceFunctor.hpp>

/// V is a vector of neighbouring elements.
struct Huber {
  float delta;
  template <class V> V operator()(V x, V y) const {
    const V d = abs(x - y);
    return select(d <= delta, d * d * 0.5f, (d - delta * 0.5f) * delta);
  }
};

inline constexpr auto DIFFERENCE = [](auto x, auto y) { return x - y; };

struct ClippedRms {
  static constexpr float identity = 0;
  float delta, size;
  template <class V> V map(V d) const {
    const V clipped = min(abs(d), delta);
    return clipped * clipped;
  }
  template <class V> V combine(V a, V b) const { return a + b; }
  template <class V> V finish(V sum) const { return sqrt(sum / size); }
};

Losses ownLosses(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &y,
                 float delta, poplar::program::Sequence &prog) {
  const poplar::Tensor loss = popops::map(graph, Huber{delta}, {x, y}, prog, "huber");
  const poplar::Tensor d = popops::map(graph, DIFFERENCE, {x, y}, prog, "difference");
  const ClippedRms rms{delta, static_cast<float>(x.dim(1))};
  return {loss, popops::reduce(graph, d, {1}, rms, prog, "rms")};
}

Losses popopsLosses(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &y,
                    float delta, poplar::program::Sequence &prog) {
  namespace pe = popops::expr;
  const auto d = pe::Abs(pe::Sub(pe::_1, pe::_2));
  const auto outer = pe::Mul(pe::Sub(d, pe::Const(delta * 0.5f)), pe::Const(delta));
  const auto inner = pe::Mul(pe::Mul(d, d), pe::Const(0.5f));
  const poplar::Tensor loss =
      popops::map(graph, pe::Select(inner, outer, pe::Lte(d, pe::Const(delta))), {x, y}, prog);
  const poplar::Tensor clipped =
      popops::map(graph, pe::Min(d, pe::Const(delta)), {x, y}, prog, "clipped");
  const poplar::Tensor sum =
      popops::reduce(graph, clipped, {1}, popops::Operation::SQUARE_ADD, prog, "sum");
  const auto mean = pe::Divide(pe::_1, pe::Const(static_cast<float>(x.dim(1))));
  return {loss, popops::map(graph, pe::Sqrt(mean), {sum}, prog, "rms")};
}
