// Normalisations in double by their definition, and activations in several layouts.
#pragma once

#include "../popops/Harness.hpp"

#include <poplin/codelets.hpp>

namespace norms {

using harness::Shape;
using harness::Values;

/// Which statistic an element belongs to: channels of a batch, or groups of channels of a sample.
struct Sets {
  bool grouped = false;
  std::size_t groups = 1;
  bool strided = false;

  std::size_t count(Shape const &shape) const { return grouped ? shape[0] * groups : shape[1]; }
  std::size_t of(Shape const &shape, std::size_t n, std::size_t c) const {
    if (!grouped)
      return c;
    return n * groups + (strided ? c % groups : c / (shape[1] / groups));
  }
};

/// f(element, sample, channel) for all elements of [N, C, ...F] in order.
template <class F> void forEach(Shape const &shape, F f) {
  std::size_t const each = harness::product(shape) / (shape[0] * shape[1]);
  for (std::size_t i = 0, n = 0; n != shape[0]; ++n)
    for (std::size_t c = 0; c != shape[1]; ++c)
      for (std::size_t k = 0; k != each; ++k)
        f(i++, n, c);
}

struct Expected {
  Values mean, invStdDev, whitened, normalised, gammaDelta, betaDelta, gradients;
  double terms; ///< elements of a statistic
};

inline Expected reference(Shape const &shape, Sets const &sets, Values const &x, Values const &g,
                          Values const &gamma, Values const &beta, double eps, bool unbiased,
                          double replicas = 1) {
  std::size_t const count = sets.count(shape);
  double const n = static_cast<double>(x.size()) / static_cast<double>(count);
  Expected e;
  e.terms = n;
  e.mean.assign(count, 0), e.invStdDev.assign(count, 0);
  forEach(shape, [&](std::size_t i, std::size_t s, std::size_t c) {
    e.mean[sets.of(shape, s, c)] += x[i] / n;
  });
  forEach(shape, [&](std::size_t i, std::size_t s, std::size_t c) {
    double const d = x[i] - e.mean[sets.of(shape, s, c)];
    e.invStdDev[sets.of(shape, s, c)] += d * d / n;
  });
  double const all = n * replicas, factor = unbiased && all > 1 ? all / (all - 1) : 1;
  for (double &value : e.invStdDev)
    value = 1 / std::sqrt((value + eps) * factor);
  e.whitened = e.normalised = e.gradients = Values(x.size());
  e.gammaDelta = e.betaDelta = Values(shape[1], 0);
  Values meanGrad(count, 0), meanProduct(count, 0);
  forEach(shape, [&](std::size_t i, std::size_t s, std::size_t c) {
    std::size_t const at = sets.of(shape, s, c);
    e.whitened[i] = (x[i] - e.mean[at]) * e.invStdDev[at];
    e.normalised[i] = e.whitened[i] * gamma[c] + beta[c];
    e.gammaDelta[c] += g[i] * e.whitened[i];
    e.betaDelta[c] += g[i];
    meanGrad[at] += g[i] * gamma[c] / n;
    meanProduct[at] += g[i] * gamma[c] * e.whitened[i] / n;
  });
  forEach(shape, [&](std::size_t i, std::size_t s, std::size_t c) {
    std::size_t const at = sets.of(shape, s, c);
    e.gradients[i] =
        e.invStdDev[at] * (g[i] * gamma[c] - e.whitened[i] * meanProduct[at] - meanGrad[at]);
  });
  return e;
}

/// How activations lie in memory. BLOCKED: some channels innermost, the others outermost, and small
/// pieces of memory on tiles in turn; PIECES: the latter only.
enum class Layout {
  CHANNELS_FIRST,
  CHANNELS_LAST,
  SAMPLES_LAST,
  FIELD_FIRST,
  SLICED,
  EVERY,
  BLOCKED,
  PIECES
};

/// Every `piece` elements of memory go to the next tile.
inline void mapInTurn(poplar::Graph &graph, poplar::Tensor const &memory, std::size_t piece) {
  std::size_t const n = memory.numElements(), tiles = graph.getTarget().getNumTiles();
  for (std::size_t begin = 0; begin < n; begin += piece)
    graph.setTileMapping(memory.flatten().slice(begin, std::min(begin + piece, n)),
                         static_cast<unsigned>(begin / piece % tiles));
}

/// [N, C, ...F] of memory [C / block, N, ...F, block].
inline poplar::Tensor inBlocks(poplar::Tensor const &memory, Shape const &shape) {
  auto const rank = static_cast<unsigned>(shape.size());
  std::vector<unsigned> order{1, 0, rank};
  for (unsigned d = 2; d != rank; ++d)
    order.push_back(d);
  return memory.dimShuffle(order).reshape(shape);
}

/// [N, C, ...F] of a layout, filled before the run with values in the order of the dimensions.
inline poplar::Tensor activations(harness::Run &run, poplar::Type const &type, Shape const &shape,
                                  Values const &values, Layout layout) {
  auto const rank = static_cast<unsigned>(shape.size());
  if (layout == Layout::BLOCKED || layout == Layout::PIECES) {
    Shape memory = shape;
    if (layout == Layout::BLOCKED) {
      std::size_t const block = shape[1] % 4 == 0 ? 4 : shape[1] % 3 == 0 ? 3 : 2;
      memory[1] = shape[0];
      memory[0] = shape[1] / block;
      memory.push_back(block);
    }
    poplar::Tensor const whole = run.graph.addVariable(type, memory);
    mapInTurn(run.graph, whole, layout == Layout::PIECES ? 5 : 10);
    poplar::Tensor const t = layout == Layout::PIECES ? whole : inBlocks(whole, shape);
    run.write(t, values);
    return t;
  }
  std::vector<unsigned> order(rank); // of memory
  for (unsigned d = 0; d != rank; ++d)
    order[d] = d;
  if (layout == Layout::CHANNELS_LAST)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  if (layout == Layout::SAMPLES_LAST)
    std::rotate(order.begin(), order.begin() + 1, order.end());
  if (layout == Layout::FIELD_FIRST)
    std::rotate(order.begin(), order.begin() + 2, order.end());
  Shape memory;
  std::vector<unsigned> back(rank);
  for (unsigned d = 0; d != rank; ++d) {
    memory.push_back(shape[order[d]]);
    back[order[d]] = d;
  }
  Shape padded = memory;
  if (layout == Layout::SLICED)
    padded.back() += 3;
  poplar::Tensor t = run.graph.addVariable(type, padded);
  poputil::mapTensorLinearly(run.graph, t, 1, 1);
  if (layout == Layout::SLICED)
    t = t.slice(1, 1 + memory.back(), rank - 1);
  if (layout == Layout::EVERY) {
    poplar::Tensor const wide = run.graph.addVariable(type, {harness::product(shape), 2});
    poputil::mapTensorLinearly(run.graph, wide, 1, 1);
    t = wide.slice(0, 1, 1).reshape(shape);
  }
  t = t.dimShuffle(back);
  run.write(t, values);
  return t;
}

struct Case {
  Shape shape;
  poplar::Type type;
  Layout layout;
  Sets sets;
  bool unbiased, stable;
};

inline poplar::OptionFlags options(Case const &c) {
  return {{"groupNormStridedChannelGrouping", c.sets.strided ? "true" : "false"}};
}

/// Functions of one kind of norm.
struct Functions {
  std::function<std::pair<poplar::Tensor, poplar::Tensor>(harness::Run &, poplar::Tensor,
                                                          Case const &)>
      statistics;
  std::function<std::pair<poplar::Tensor, poplar::Tensor>(
      harness::Run &, poplar::Tensor x, poplar::Tensor gamma, poplar::Tensor beta,
      std::pair<poplar::Tensor, poplar::Tensor> stats, Case const &)>
      normalise;
  /// Of activations (first) and of whitened activations.
  std::function<std::pair<poplar::Tensor, poplar::Tensor>(
      harness::Run &, bool whitened, poplar::Tensor x, poplar::Tensor g,
      std::pair<poplar::Tensor, poplar::Tensor> stats, Case const &)>
      paramGradients;
  std::function<poplar::Tensor(harness::Run &, bool whitened, poplar::Tensor x, poplar::Tensor g,
                               poplar::Tensor gamma,
                               std::pair<poplar::Tensor, poplar::Tensor> stats, Case const &)>
      gradients;
};

inline constexpr float EPS = 0.01f;

/// Runs all cases in one program and compares every result. Sums of n terms in float are off by at
/// most n / 8 roundings of the largest term; HALF adds a few roundings of results and of the
/// statistics that later functions read.
inline void check(harness::DeviceMaker const &device, std::vector<Case> const &cases,
                  Functions const &functions) {
  harness::Run run(device);
  poplin::addCodelets(run.graph);
  harness::Numbers numbers(17);
  struct Result {
    std::size_t output, which;
    Values expected;
    double terms, magnitude;
    poplar::Type type;
  };
  std::vector<Result> results;
  for (std::size_t k = 0; k != cases.size(); ++k) {
    Case const &c = cases[k];
    std::size_t const n = harness::product(c.shape);
    Values const x = numbers.real(c.type, n, -1.5, 2.5), g = numbers.real(c.type, n, -1, 1);
    Values const gamma = numbers.real(c.type, c.shape[1], 0.5, 1.5),
                 beta = numbers.real(c.type, c.shape[1], -1, 1);
    auto const e =
        reference(c.shape, c.sets, x, g, gamma, beta, static_cast<double>(EPS), c.unbiased);
    auto const acts = activations(run, c.type, c.shape, x, c.layout),
               grads = activations(run, c.type, c.shape, g, c.layout);
    auto const gammaT = run.input(c.type, {c.shape[1]}, gamma),
               betaT = run.input(c.type, {c.shape[1]}, beta);
    double const sums = 16 + e.terms / 8;
    auto const add = [&](poplar::Tensor const &t, Shape const &shape, Values const &expected,
                         double terms, double magnitude) {
      REQUIRE(t.shape() == shape);
      REQUIRE(t.elementType() == c.type);
      results.push_back({run.output(t), k, expected,
                         c.type == poplar::HALF ? 12 + terms / 1024 : terms, magnitude, c.type});
    };
    auto const stats = functions.statistics(run, acts, c);
    double largest = 1; // inverse standard deviation
    for (double value : e.invStdDev)
      largest = std::max(largest, value);
    add(stats.first, {e.mean.size()}, e.mean, sums, 2);
    add(stats.second, {e.mean.size()}, e.invStdDev, sums * 4 * largest * largest, 0);
    auto const out = functions.normalise(run, acts, gammaT, betaT, stats, c);
    add(out.first, c.shape, e.normalised, 2 * sums * largest * largest, 4 * largest);
    add(out.second, c.shape, e.whitened, 2 * sums * largest * largest, 4 * largest);
    double const channel = static_cast<double>(n / c.shape[1]);
    for (bool whitened : {false, true}) {
      auto const params =
          functions.paramGradients(run, whitened, whitened ? out.second : acts, grads, stats, c);
      // In HALF whitened activations are rounded, which adds up over a channel.
      double const scale = c.type == poplar::HALF ? channel : std::sqrt(channel) + 4;
      add(params.first, {c.shape[1]}, e.gammaDelta, sums + channel / 8, scale * 2 * largest);
      add(params.second, {c.shape[1]}, e.betaDelta, sums + channel / 8, std::sqrt(channel) + 4);
      add(functions.gradients(run, whitened, whitened ? out.second : acts, grads, gammaT, stats, c),
          c.shape, e.gradients, 2 * sums * largest * largest, 4 * largest * largest);
    }
  }
  run.run();
  for (std::size_t i = 0; i != results.size(); ++i) {
    CAPTURE(i % 10);
    CAPTURE(results[i].which);
    harness::checkClose(run.values(results[i].output), results[i].expected,
                        harness::epsilonOf(results[i].type), results[i].terms,
                        results[i].magnitude);
  }
}

/// Shapes around the kernels' borders, in all layouts, both types and both algorithms.
inline std::vector<Case> cases(std::function<Sets(Shape const &, std::size_t)> const &setsOf) {
  std::vector<Shape> const shapes{{4, 6},    {3, 8, 5, 7},    {2, 12, 70},
                                  {5, 4, 3}, {1, 6, 1, 1},    {7, 2, 33},
                                  {2, 64},   {3, 4, 2, 3, 4}, {2, 36, 9, 11}};
  std::vector<Case> all;
  std::size_t i = 0;
  for (Shape const &shape : shapes) {
    ++i; // layouts are not to have one algorithm each
    for (Layout layout :
         {Layout::CHANNELS_FIRST, Layout::CHANNELS_LAST, Layout::SAMPLES_LAST, Layout::FIELD_FIRST,
          Layout::SLICED, Layout::EVERY, Layout::BLOCKED, Layout::PIECES}) {
      ++i;
      all.push_back({shape, i % 3 == 0 ? poplar::HALF : poplar::FLOAT, layout, setsOf(shape, i),
                     i % 2 == 0, i % 4 < 2});
    }
  }
  return all;
}

} // namespace norms
