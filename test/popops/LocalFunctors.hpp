// Functors that no other file can name. Files that define LOCAL_FACTOR differently have functors
// that are called the same and compute something else.
#include "Harness.hpp"

#include <popops/MapFunctor.hpp>
#include <popops/ReduceFunctor.hpp>

namespace {

struct Unnamed {
  template <class V> V operator()(V x) const { return x * LOCAL_FACTOR; }
};

auto const inVariable = [](auto x) { return x * LOCAL_FACTOR; };

} // namespace

static auto const inStaticVariable = [](auto x) { return x * LOCAL_FACTOR; };

static poplar::Tensor ofFunction(harness::Run &run, poplar::Tensor const &t) {
  struct Local {
    float operator()(float x) const { return x * LOCAL_FACTOR; }
  };
  return popops::map(run.graph, Local{}, {t}, run.prog);
}

static poplar::Tensor ofLambda(harness::Run &run, poplar::Tensor const &t) {
  return popops::map(
      run.graph, [](auto x) { return x * LOCAL_FACTOR; }, {t}, run.prog);
}

/// Of one element, times the factor.
static poplar::Tensor ofReduction(harness::Run &run, poplar::Tensor const &t) {
  auto const reduction = popops::reduction(
      0.0F, [](auto a, auto b) { return a + b; }, [](auto x) { return x * LOCAL_FACTOR; });
  return popops::reduce(run.graph, t, {0}, reduction, run.prog);
}

/// t[0] times the factor, by each of them.
static std::vector<std::size_t> byLocalFunctors(harness::Run &run, poplar::Tensor const &t) {
  std::vector<std::size_t> outputs;
  for (poplar::Tensor const &result : {popops::map(run.graph, Unnamed{}, {t}, run.prog),
                                       popops::map(run.graph, inVariable, {t}, run.prog),
                                       popops::map(run.graph, inStaticVariable, {t}, run.prog),
                                       ofFunction(run, t), ofLambda(run, t), ofReduction(run, t)})
    outputs.push_back(run.output(result));
  return outputs;
}
