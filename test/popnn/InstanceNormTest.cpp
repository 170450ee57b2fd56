#include "NormReference.hpp"

#include <popnn/InstanceNorm.hpp>
#include <popnn/codelets.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popnn/instancenorm");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poputil::poplibs_error;
namespace in = popnn::in;

namespace {

norms::Functions functions() {
  norms::Functions f;
  f.statistics = [](Run &run, Tensor t, norms::Case const &c) {
    return in::instanceNormStatistics(run.graph, t, norms::EPS, run.prog, c.unbiased, c.stable,
                                      FLOAT, {}, norms::options(c));
  };
  f.normalise = [](Run &run, Tensor x, Tensor gamma, Tensor beta, std::pair<Tensor, Tensor> stats,
                   norms::Case const &c) {
    return in::instanceNormalise(run.graph, x, gamma, beta, stats.first, stats.second, run.prog, {},
                                 norms::options(c));
  };
  f.paramGradients = [](Run &run, bool whitened, Tensor x, Tensor g,
                        std::pair<Tensor, Tensor> stats, norms::Case const &c) {
    return whitened ? in::instanceNormParamGradients(run.graph, x, g, run.prog, FLOAT, {},
                                                     norms::options(c))
                    : in::instanceNormParamGradients(run.graph, x, g, stats.first, stats.second,
                                                     run.prog, FLOAT, {}, norms::options(c));
  };
  f.gradients = [](Run &run, bool whitened, Tensor x, Tensor g, Tensor gamma,
                   std::pair<Tensor, Tensor> stats, norms::Case const &c) {
    return whitened ? in::instanceNormGradients(run.graph, x, g, stats.second, gamma, run.prog,
                                                FLOAT, {}, norms::options(c))
                    : in::instanceNormGradients(run.graph, x, g, stats.first, stats.second, gamma,
                                                run.prog, FLOAT, {}, norms::options(c));
  };
  return f;
}

std::vector<norms::Case> allCases() {
  return norms::cases([](Shape const &shape, std::size_t) {
    return norms::Sets{true, shape[1], false};
  });
}

} // namespace

TEST_CASE("instance norms of all shapes and layouts follow their definition") {
  onDevices([](DeviceMaker const &device) { norms::check(device, allCases(), functions()); });
}

TEST_CASE("operations of an instance norm are those of its channels' norms") {
  CHECK(in::getFwdFlops(4, 100, true) == popnn::getNormFwdFlops(4, 400, true));
  CHECK(in::getFwdFlops(4, 100, false) == 800);
  CHECK(in::getBwdFlops(4, 100) == popnn::getNormBwdFlops(4, 400));
  CHECK(in::getWuFlops(4, 100) == popnn::getNormWuFlops(4, 400));
}

TEST_CASE("statistics of an instance norm have the right size") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  auto &g = run.graph;
  Tensor const acts = g.addVariable(FLOAT, {4, 6, 5}), wrong = g.addVariable(FLOAT, {6});
  CHECK_THROWS_WITH_AS(in::instanceNormWhiten(g, acts, wrong, wrong, run.prog),
                       "popnn::in::instanceNormWhiten: 'mean' has shape [6]; for activations of "
                       "shape [4, 6, 5] it must be [24]",
                       poplibs_error);
  CHECK(in::instanceNormStatistics(g, g.addVariable(HALF, {2, 0, 3}), 1.f, run.prog, true, false)
            .first.shape() == Shape{0});
  CHECK_THROWS_AS(in::instanceNormWhiten(g, g.addVariable(INT, {4, 6}), wrong, wrong, run.prog),
                  poplibs_error);
}

TEST_SUITE_END();
