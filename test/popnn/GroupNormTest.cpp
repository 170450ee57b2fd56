#include "NormReference.hpp"

#include <popnn/GroupNorm.hpp>
#include <popnn/codelets.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popnn/groupnorm");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poputil::poplibs_error;
namespace gn = popnn::gn;

namespace {

norms::Functions functions() {
  norms::Functions f;
  f.statistics = [](Run &run, Tensor t, norms::Case const &c) {
    return gn::groupNormStatistics(run.graph, t, norms::EPS, run.prog,
                                   static_cast<unsigned>(c.sets.groups), c.unbiased, c.stable,
                                   FLOAT, {}, norms::options(c));
  };
  f.normalise = [](Run &run, Tensor x, Tensor gamma, Tensor beta, std::pair<Tensor, Tensor> stats,
                   norms::Case const &c) {
    return gn::groupNormalise(run.graph, x, gamma, beta, stats.first, stats.second, run.prog, {},
                              norms::options(c));
  };
  f.paramGradients = [](Run &run, bool whitened, Tensor x, Tensor g,
                        std::pair<Tensor, Tensor> stats, norms::Case const &c) {
    return whitened ? gn::groupNormParamGradients(run.graph, x, g, run.prog, FLOAT, {},
                                                  norms::options(c))
                    : gn::groupNormParamGradients(run.graph, x, g, stats.first, stats.second,
                                                  run.prog, FLOAT, {}, norms::options(c));
  };
  f.gradients = [](Run &run, bool whitened, Tensor x, Tensor g, Tensor gamma,
                   std::pair<Tensor, Tensor> stats, norms::Case const &c) {
    return whitened ? gn::groupNormGradients(run.graph, x, g, stats.second, gamma, run.prog, FLOAT,
                                             {}, norms::options(c))
                    : gn::groupNormGradients(run.graph, x, g, stats.first, stats.second, gamma,
                                             run.prog, FLOAT, {}, norms::options(c));
  };
  return f;
}

std::vector<norms::Case> allCases() {
  return norms::cases([](Shape const &shape, std::size_t i) {
    std::size_t const counts[] = {1, 2, shape[1], 2};
    return norms::Sets{true, shape[1] % 4 == 0 && i % 4 == 1 ? 4 : counts[i % 4], i % 5 < 2};
  });
}

} // namespace

TEST_CASE("group norms of all shapes and layouts follow their definition") {
  onDevices([](DeviceMaker const &device) { norms::check(device, allCases(), functions()); });
}

TEST_CASE("channels of a group are neighbours unless the option says strided") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  Tensor const acts = run.input(FLOAT, {1, 4}, {1, 2, 3, 4});
  for (poplar::OptionFlags const &options :
       {poplar::OptionFlags{}, poplar::OptionFlags{{"groupNormStridedChannelGrouping", "true"}}})
    run.output(
        gn::groupNormStatistics(run.graph, acts, 1.f, run.prog, 2, false, false, FLOAT, {}, options)
            .first);
  run.run();
  CHECK(run.values(0) == Values{1.5, 3.5});
  CHECK(run.values(1) == Values{2, 3});
}

TEST_CASE("statistics and gradients of long rows") {
  std::vector<norms::Case> const cases{
      {{3, 8, 5000}, FLOAT, norms::Layout::CHANNELS_FIRST, {true, 2, false}, true, true},
      {{70, 6, 40}, FLOAT, norms::Layout::CHANNELS_FIRST, {true, 3, false}, false, false},
      {{70, 96}, HALF, norms::Layout::CHANNELS_FIRST, {true, 3, false}, false, false},
      {{3, 64, 500}, FLOAT, norms::Layout::CHANNELS_LAST, {true, 8, false}, true, false},
      {{3, 64, 500}, FLOAT, norms::Layout::CHANNELS_LAST, {true, 8, true}, true, true}};
  onDevices([&](DeviceMaker const &device) { norms::check(device, cases, functions()); });
}

TEST_CASE("groups must divide the channels") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  auto &g = run.graph;
  Tensor const acts = g.addVariable(FLOAT, {4, 6, 5});
  CHECK_THROWS_WITH_AS(gn::groupNormStatistics(g, acts, 1.f, run.prog, 4, false),
                       "popnn::gn::groupNormStatistics: 4 groups do not divide the 6 channels of "
                       "activations of shape [4, 6, 5]",
                       poplibs_error);
  CHECK_THROWS_AS(gn::groupNormStatistics(g, acts, 1.f, run.prog, 0, false), poplibs_error);
  Tensor const stats = g.addVariable(FLOAT, {10});
  CHECK_THROWS_WITH_AS(gn::groupNormWhiten(g, acts, stats, stats, run.prog),
                       "popnn::gn::groupNormWhiten: 'mean' has shape [10]; for activations of "
                       "shape [4, 6, 5] it must be [8]",
                       poplibs_error);
  CHECK_THROWS_AS(gn::groupNormStatistics(g, acts, 1.f, run.prog, 2, false, false, FLOAT, {},
                                          {{"groupNormStridedChannelGrouping", "1"}}),
                  poplar::invalid_option);
  CHECK_THROWS_AS(gn::groupNormStatistics(g, acts, 1.f, run.prog, 2, false, false, FLOAT, {},
                                          {{"strided", "true"}}),
                  poplar::invalid_option);
}

TEST_CASE("group norms of nothing") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  Tensor const noField = run.graph.addVariable(FLOAT, {2, 4, 0});
  auto const stats = gn::groupNormStatistics(run.graph, noField, 1.f, run.prog, 2, true);
  run.output(stats.first);
  run.output(stats.second);
  Tensor const noChannels = run.graph.addVariable(FLOAT, {2, 0, 3});
  CHECK(gn::groupNormStatistics(run.graph, noChannels, 1.f, run.prog, 2, true).first.shape() ==
        Shape{0});
  Tensor const noBatch = run.graph.addVariable(FLOAT, {0, 4, 3}),
               empty = run.graph.addVariable(FLOAT, {0});
  CHECK(gn::groupNormWhiten(run.graph, noBatch, empty, empty, run.prog).shape() == Shape{0, 4, 3});
  run.run();
  CHECK(run.values(0) == Values(4, 0));
  CHECK(run.values(1) == Values(4, 1));
}

TEST_SUITE_END();
