#include "NormReference.hpp"

#include <popnn/BatchNorm.hpp>
#include <popnn/codelets.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popnn/batchnorm");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poputil::poplibs_error;
namespace bn = popnn::bn;

namespace {

norms::Functions functions() {
  norms::Functions f;
  f.statistics = [](Run &run, Tensor t, norms::Case const &c) {
    return bn::batchNormStatistics(run.graph, t, norms::EPS, run.prog, c.unbiased, c.stable);
  };
  f.normalise = [](Run &run, Tensor x, Tensor gamma, Tensor beta, std::pair<Tensor, Tensor> stats,
                   norms::Case const &) {
    return bn::batchNormalise(run.graph, x, gamma, beta, stats.first, stats.second, run.prog);
  };
  f.paramGradients = [](Run &run, bool whitened, Tensor x, Tensor g,
                        std::pair<Tensor, Tensor> stats, norms::Case const &) {
    return whitened
               ? bn::batchNormParamGradients(run.graph, x, g, run.prog)
               : bn::batchNormParamGradients(run.graph, x, g, stats.first, stats.second, run.prog);
  };
  f.gradients = [](Run &run, bool whitened, Tensor x, Tensor g, Tensor gamma,
                   std::pair<Tensor, Tensor> stats, norms::Case const &) {
    return whitened ? bn::batchNormGradients(run.graph, x, g, stats.second, gamma, run.prog)
                    : bn::batchNormGradients(run.graph, x, g, stats.first, stats.second, gamma,
                                             run.prog);
  };
  return f;
}

std::vector<norms::Case> allCases() {
  return norms::cases([](Shape const &, std::size_t) { return norms::Sets{}; });
}

} // namespace

TEST_CASE("batch norms of all shapes and layouts follow their definition") {
  onDevices([](DeviceMaker const &device) { norms::check(device, allCases(), functions()); });
}

TEST_CASE("statistics of many elements are summed in parts") {
  // Wide enough for parts of the batch, of the field, and of both on few tiles.
  std::vector<norms::Case> cases;
  for (bool stable : {false, true}) {
    cases.push_back({{2, 3, 40000}, FLOAT, norms::Layout::CHANNELS_FIRST, {}, true, stable});
    cases.push_back({{9, 40, 33, 20}, FLOAT, norms::Layout::CHANNELS_LAST, {}, false, stable});
    cases.push_back({{1, 2, 90001}, HALF, norms::Layout::CHANNELS_FIRST, {}, false, stable});
  }
  onDevices([&](DeviceMaker const &device) { norms::check(device, cases, functions()); });
}

TEST_CASE("batch norm with one multiplicand and addend a channel") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    Numbers numbers;
    Shape const shape{3, 5, 4, 9};
    Values const x = numbers.real(HALF, product(shape)), a = numbers.real(FLOAT, 5),
                 b = numbers.real(HALF, 5);
    Values expected = x;
    norms::forEach(shape, [&](std::size_t i, std::size_t, std::size_t c) {
      expected[i] = x[i] * a[c] + b[c];
    });
    auto const acts = norms::activations(run, HALF, shape, x, norms::Layout::CHANNELS_LAST);
    auto const out = bn::batchNormalise(run.graph, acts, run.input(FLOAT, {5}, a),
                                        run.input(HALF, {5}, b), run.prog);
    std::size_t const result = run.output(out);
    run.run();
    checkClose(run.values(result), expected, epsilonOf(HALF), 2, 4);
  });
}

TEST_CASE("parameters are updated by their gradients") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    for (poplar::Type const &type : {FLOAT, HALF})
      for (bool isTensor : {false, true}) {
        Tensor gamma = run.input(type, {3}, {1, 2, 3}), beta = run.input(type, {3}, {4, 5, 6});
        Tensor const dGamma = run.input(type, {3}, {2, 4, 8}),
                     dBeta = run.input(type, {3}, {1, 0, -1});
        if (isTensor)
          bn::batchNormParamUpdate(run.graph, dGamma, dBeta, run.input(type, {}, {-0.5}), gamma,
                                   beta, run.prog);
        else
          bn::batchNormParamUpdate(run.graph, dGamma, dBeta, -0.5f, gamma, beta, run.prog);
        run.output(gamma);
        run.output(beta);
      }
    run.run();
    for (std::size_t i = 0; i != 8; i += 2) {
      CHECK(run.values(i) == Values{0, 0, -1});
      CHECK(run.values(i + 1) == Values{3.5, 5, 6.5});
    }
  });
}

namespace {

/// As if each of the replicas had the same data; remembers what it was called with.
struct Replicas {
  std::vector<std::size_t> inputs;
  unsigned groupSize = 0;

  poplin::DistributedNormReduceCallback callback() {
    return [this](poplar::Graph &graph, std::vector<Tensor> const &sums,
                  poplar::program::Sequence &prog, unsigned size, poplar::DebugContext const &dc,
                  poplar::OptionFlags const &) {
      inputs.push_back(sums.size());
      groupSize = size;
      std::vector<Tensor> results;
      for (Tensor const &t : sums) {
        Tensor const parts = t.expand({0}).broadcast(size, 0);
        results.push_back(popops::reduce(graph, parts, {0}, {popops::Operation::ADD}, prog, dc));
      }
      return results;
    };
  }
};

} // namespace

TEST_CASE("statistics and gradients over several replicas go through the callback") {
  for (bool stable : {false, true}) {
    CAPTURE(stable);
    Run run(cpu);
    popnn::addCodelets(run.graph);
    Numbers numbers(3);
    Shape const shape{4, 6, 50};
    Values const x = numbers.real(FLOAT, product(shape)), g = numbers.real(FLOAT, product(shape)),
                 gamma = numbers.real(FLOAT, 6), beta(6, 0);
    auto const e =
        norms::reference(shape, {}, x, g, gamma, beta, static_cast<double>(norms::EPS), true, 2);
    auto const acts = run.input(FLOAT, shape, x), grads = run.input(FLOAT, shape, g),
               gammaT = run.input(FLOAT, {6}, gamma);
    Replicas replicas;
    auto const stats = bn::distributedBatchNormStatistics(run.graph, acts, norms::EPS, run.prog,
                                                          true, replicas.callback(), 8, stable);
    CHECK(replicas.inputs ==
          (stable ? std::vector<std::size_t>{1, 1} : std::vector<std::size_t>{2}));
    CHECK(replicas.groupSize == 2);
    auto const white = bn::batchNormWhiten(run.graph, acts, stats.first, stats.second, run.prog);
    auto const d1 = bn::distributedBatchNormGradients(run.graph, white, grads, stats.second, gammaT,
                                                      run.prog, replicas.callback(), 8);
    auto const d2 =
        bn::distributedBatchNormGradients(run.graph, acts, grads, stats.first, stats.second, gammaT,
                                          run.prog, replicas.callback(), 8);
    CHECK(replicas.inputs.back() == 2);
    std::vector<std::size_t> outputs;
    for (Tensor const &t : {stats.first, stats.second, white, d1, d2})
      outputs.push_back(run.output(t));
    run.run();
    checkClose(run.values(outputs[0]), e.mean, epsilonOf(FLOAT), 40, 2);
    checkClose(run.values(outputs[1]), e.invStdDev, epsilonOf(FLOAT), 200);
    checkClose(run.values(outputs[2]), e.whitened, epsilonOf(FLOAT), 100, 4);
    checkClose(run.values(outputs[3]), e.gradients, epsilonOf(FLOAT), 200, 4);
    checkClose(run.values(outputs[4]), e.gradients, epsilonOf(FLOAT), 200, 4);
  }
}

TEST_CASE("the callback of one replica is not called") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  Tensor const acts = run.input(FLOAT, {4, 2}, Values(8, 1));
  Replicas replicas;
  bn::distributedBatchNormStatistics(run.graph, acts, 1.f, run.prog, false, replicas.callback(), 4);
  bn::distributedBatchNormStatistics(run.graph, acts, 1.f, run.prog, false, nullptr, 8);
  CHECK(replicas.inputs.empty());
  CHECK_THROWS_WITH_AS(bn::distributedBatchNormStatistics(run.graph, acts, 1.f, run.prog, false,
                                                          replicas.callback(), 6),
                       "popnn::bn::distributedBatchNormStatistics: the norm size 6 is no multiple "
                       "of the batch size 4 of a replica",
                       poplibs_error);
}

TEST_CASE("statistics of nothing") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    Tensor const none = run.graph.addVariable(FLOAT, {0, 3, 4}),
                 gamma = run.input(FLOAT, {3}, {1, 2, 3});
    auto const stats = bn::batchNormStatistics(run.graph, none, 1.f, run.prog, true);
    auto const out =
        bn::batchNormalise(run.graph, none, gamma, gamma, stats.first, stats.second, run.prog);
    CHECK(out.first.shape() == Shape{0, 3, 4});
    auto const params = bn::batchNormParamGradients(run.graph, none, none, run.prog);
    CHECK(bn::batchNormGradients(run.graph, none, none, stats.second, gamma, run.prog).shape() ==
          Shape{0, 3, 4});
    for (Tensor const &t : {stats.first, stats.second, params.first, params.second})
      run.output(t);
    Tensor const noChannels = run.graph.addVariable(HALF, {4, 0});
    CHECK(bn::batchNormStatistics(run.graph, noChannels, 1.f, run.prog, true).first.shape() ==
          Shape{0});
    run.run();
    CHECK(run.values(0) == Values{0, 0, 0});
    CHECK(run.values(1) == Values{1, 1, 1});
    CHECK(run.values(2) == Values{0, 0, 0});
    CHECK(run.values(3) == Values{0, 0, 0});
  });
}

TEST_CASE("NaN reaches the statistics of its channel and no other") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    Values x(2 * 2 * 40, 1);
    x[50] = std::nan("");
    auto const stats =
        bn::batchNormStatistics(run.graph, run.input(FLOAT, {2, 2, 40}, x), 0.25f, run.prog, false);
    run.output(stats.first);
    run.output(stats.second);
    run.run();
    CHECK(std::isnan(run.values(0)[1]));
    CHECK(std::isnan(run.values(1)[1]));
    CHECK(run.values(0)[0] == 1);
    CHECK(run.values(1)[0] == 2);
  });
}

TEST_CASE("large activations take few vertices") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  Tensor const acts = run.graph.addVariable(FLOAT, {64, 512, 56, 56});
  run.graph.setTileMapping(acts, 0);
  auto const gamma = popnn::createNormGamma(run.graph, acts),
             beta = popnn::createNormBeta(run.graph, acts);
  CHECK(gamma.shape() == Shape{512});
  auto const stats = bn::batchNormStatistics(run.graph, acts, 1.f, run.prog, true);
  auto const out =
      bn::batchNormalise(run.graph, acts, gamma, beta, stats.first, stats.second, run.prog);
  bn::batchNormGradients(run.graph, out.second, acts, stats.second, gamma, run.prog);
  bn::batchNormParamGradients(run.graph, out.second, acts, run.prog);
  CHECK(run.graph.getNumVertices() < 400);
}

TEST_CASE("arguments that do not fit are named in the error") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  auto &g = run.graph;
  Tensor const acts = g.addVariable(FLOAT, {4, 3, 5}), c = g.addVariable(FLOAT, {3}),
               wrong = g.addVariable(FLOAT, {4});
  Tensor const none;
  CHECK_THROWS_WITH_AS(bn::batchNormStatistics(g, c, 1.f, run.prog, false),
                       "popnn::bn::batchNormStatistics: Norm supported for tensors of rank > 1; "
                       "'acts' has shape [3], and must be [batch, channels, ...field]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      bn::batchNormStatistics(g, g.addVariable(INT, {4, 3}), 1.f, run.prog, false),
      "popnn::bn::batchNormStatistics: 'acts' is of type int; allowed: float, half", poplibs_error);
  CHECK_THROWS_WITH_AS(bn::batchNormWhiten(g, acts, wrong, c, run.prog),
                       "popnn::bn::batchNormWhiten: 'mean' has shape [4]; for activations of shape "
                       "[4, 3, 5] it must be [3]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(bn::batchNormParamGradients(g, acts, acts.slice(0, 2), run.prog),
                       "popnn::bn::batchNormParamGradients: 'gradsIn' has shape [2, 3, 5] of type "
                       "float; it must have that of the activations, [4, 3, 5] of type float",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(bn::batchNormStatistics(g, none, 1.f, run.prog, false),
                       "popnn::bn::batchNormStatistics: 'acts' is an invalid tensor",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(bn::batchNormStatistics(g, acts, 1.f, run.prog, false, false, INT),
                       "popnn::bn::batchNormStatistics: partialsType is int; allowed: float, half",
                       poplibs_error);
  Tensor gamma = g.addVariable(FLOAT, {3}), same = gamma, ones = g.addConstant(FLOAT, {3}, 1.f);
  CHECK_THROWS_WITH_AS(bn::batchNormParamUpdate(g, c, c, 1.f, gamma, ones, run.prog),
                       "popnn::bn::batchNormParamUpdate: 'beta' of shape [3] must be writeable in "
                       "parallel, but it contains constants",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(bn::batchNormParamUpdate(g, c, c, 1.f, gamma, same, run.prog),
                       "popnn::bn::batchNormParamUpdate: 'gamma' and 'beta' share elements, the "
                       "first being element [0] of the one and [0] of the other; both are written",
                       poplibs_error);
  Tensor halves = g.addVariable(HALF, {3}), beta = g.addVariable(FLOAT, {3});
  CHECK_THROWS_WITH_AS(bn::batchNormParamUpdate(g, c, c, 1.f, gamma, halves, run.prog),
                       "popnn::bn::batchNormParamUpdate: 'gamma' is of type float, 'beta' of type "
                       "half; they must be equal",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(bn::batchNormParamUpdate(g, c, halves, 1.f, gamma, beta, run.prog),
                       "popnn::bn::batchNormParamUpdate: 'gammaDelta' is of type float, "
                       "'betaDelta' of type half; they must be equal",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(bn::batchNormParamUpdate(g, c, c, Tensor(), gamma, beta, run.prog),
                       "popnn::bn::batchNormParamUpdate: 'scale' is an invalid tensor",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(bn::batchNormParamUpdate(g, c, c, c, gamma, beta, run.prog),
                       "popnn::bn::batchNormParamUpdate: 'scale' has shape [3] and type float; it "
                       "must be one element of type float or half",
                       poplibs_error);
  CHECK_THROWS_AS(bn::batchNormStatistics(g, acts, 1.f, run.prog, false, false, FLOAT, {},
                                          {{"groupNormStridedChannelGrouping", "true"}}),
                  poplar::invalid_option);
}

TEST_CASE("operations of a norm") {
  CHECK(popnn::getNormFwdFlops(10, 1000) == 6 * 1000 + 5 * 10);
  CHECK(popnn::getNormFwdFlops(10, 1000, false) == 2000);
  CHECK(popnn::getNormBwdFlops(10, 1000) == 8020);
  CHECK(popnn::getNormWuFlops(10, 1000) == 3040);
}

TEST_SUITE_END();
