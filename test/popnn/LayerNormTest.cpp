#include "NormReference.hpp"

#include <poplar/impl/base/ThreadPool.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popnn/layernorm");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poputil::poplibs_error;
namespace ln = popnn::ln;

namespace {

norms::Functions functions() {
  norms::Functions f;
  f.statistics = [](Run &run, Tensor t, norms::Case const &c) {
    return ln::layerNormStatistics(run.graph, t, norms::EPS, run.prog, c.unbiased, c.stable, FLOAT,
                                   {}, norms::options(c));
  };
  f.normalise = [](Run &run, Tensor x, Tensor gamma, Tensor beta, std::pair<Tensor, Tensor> stats,
                   norms::Case const &c) {
    return ln::layerNormalise(run.graph, x, gamma, beta, stats.first, stats.second, run.prog, {},
                              norms::options(c));
  };
  f.paramGradients = [](Run &run, bool whitened, Tensor x, Tensor g,
                        std::pair<Tensor, Tensor> stats, norms::Case const &c) {
    return whitened ? ln::layerNormParamGradients(run.graph, x, g, run.prog, FLOAT, {},
                                                  norms::options(c))
                    : ln::layerNormParamGradients(run.graph, x, g, stats.first, stats.second,
                                                  run.prog, FLOAT, {}, norms::options(c));
  };
  f.gradients = [](Run &run, bool whitened, Tensor x, Tensor g, Tensor gamma,
                   std::pair<Tensor, Tensor> stats, norms::Case const &c) {
    return whitened ? ln::layerNormGradients(run.graph, x, g, stats.second, gamma, run.prog, FLOAT,
                                             {}, norms::options(c))
                    : ln::layerNormGradients(run.graph, x, g, stats.first, stats.second, gamma,
                                             run.prog, FLOAT, {}, norms::options(c));
  };
  return f;
}

std::vector<norms::Case> allCases() {
  return norms::cases([](Shape const &, std::size_t) { return norms::Sets{true, 1, false}; });
}

} // namespace

TEST_CASE("layer norms of all shapes and layouts follow their definition") {
  onDevices([](DeviceMaker const &device) { norms::check(device, allCases(), functions()); });
}

TEST_CASE("layer norms of many rows and of long rows") {
  std::vector<norms::Case> const cases{
      {{150, 257}, FLOAT, norms::Layout::CHANNELS_FIRST, {true, 1, false}, false, false},
      {{40, 512}, HALF, norms::Layout::CHANNELS_FIRST, {true, 1, false}, true, true},
      {{2, 70000}, FLOAT, norms::Layout::CHANNELS_FIRST, {true, 1, false}, false, false},
      {{9, 33, 64}, FLOAT, norms::Layout::CHANNELS_LAST, {true, 1, false}, false, true}};
  onDevices([&](DeviceMaker const &device) { norms::check(device, cases, functions()); });
}

TEST_CASE("layer norms of as many rows as are passed through strand by strand") {
  using norms::Layout;
  std::vector<norms::Case> const cases{
      {{1100, 257}, FLOAT, Layout::CHANNELS_FIRST, {true, 1, false}, false, false},
      {{600, 512}, HALF, Layout::CHANNELS_FIRST, {true, 1, false}, true, true},
      {{300, 31, 32}, FLOAT, Layout::CHANNELS_LAST, {true, 1, false}, false, true},
      {{400, 700}, FLOAT, Layout::SAMPLES_LAST, {true, 1, false}, false, false},
      {{2, 150000}, FLOAT, Layout::CHANNELS_FIRST, {true, 1, false}, false, false}};
  norms::check(cpu, cases, functions());
}

namespace {

/// Statistics and whitening of [rows, 260], or all of a layer norm with parameters of that type, on
/// that many threads; `plain`: one after the other.
Values normedRows(poplar::Type const &type, std::size_t rows, bool scaled, unsigned threads,
                  bool plain) {
  cottonwood::base::setPoolThreads(threads);
  Run run(cpu);
  popnn::addCodelets(run.graph);
  if (plain)
    run.options.set("debug.stopAtNan", "true"); // looks at each compute set
  Numbers numbers(9);
  Tensor const acts = run.input(type, {rows, 260}, numbers.real(type, rows * 260));
  auto const stats = ln::layerNormStatistics(run.graph, acts, 0.001F, run.prog, false);
  auto const parameter = [&] { return run.input(type, {260}, numbers.real(type, 260)); };
  if (scaled) {
    Tensor const gamma = parameter(), beta = parameter();
    run.output(ln::layerNormalise(run.graph, acts, gamma, beta, stats.first, stats.second, run.prog)
                   .first);
  } else {
    run.output(ln::layerNormWhiten(run.graph, acts, stats.first, stats.second, run.prog));
  }
  poplar::Executable const executable = poplar::compileGraph(run.graph, {run.prog}, run.options);
  auto const &strands = executable.data()->strands;
  CHECK(strands.size() == (plain ? 0 : 1));
  if (!plain) {
    CHECK(strands[0].sets.size() == executable.data()->computeSets.size());
    CHECK(strands[0].before.size() == (scaled && type == HALF ? 2 : 0)); // casts of parameters
  }
  run.run();
  cottonwood::base::setPoolThreads(0);
  return run.values(0);
}

} // namespace

TEST_CASE("statistics and whitening of the same rows are one strand, with the same bits") {
  for (auto const &type : {FLOAT, HALF})
    for (bool const scaled : {false, true}) {
      CAPTURE(type);
      CAPTURE(scaled);
      Values const expected = normedRows(type, 2000, scaled, 1, true);
      for (unsigned threads = 1; threads <= 3; ++threads)
        CHECK(normedRows(type, 2000, scaled, threads, false) == expected);
    }
}

TEST_CASE("a stable variance survives a large mean") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    Values x(512);
    for (std::size_t i = 0; i != x.size(); ++i)
      x[i] = 4096 + (i % 2 == 0 ? 1 : -1);
    run.output(ln::layerNormStatistics(run.graph, run.input(FLOAT, {1, 512}, x), 0.f, run.prog,
                                       false, true)
                   .second);
    run.run();
    CHECK(run.values(0) == Values{1});
  });
}

namespace {

/// What a program with one layerNormalise of [5, 100] computes, and the bytes that its vertices are
/// connected to.
struct Normalised {
  Values out;
  std::uint64_t edgeBytes = 0;
};

Normalised normalised(poplar::Type const &type, DeviceMaker const &device,
                      std::function<void(Run &, Tensor const &)> const &useWhitened,
                      poplar::OptionFlags const &options = {}) {
  Run run(device);
  popnn::addCodelets(run.graph);
  run.options = options;
  Numbers numbers(3);
  Tensor const acts = run.input(type, {5, 100}, numbers.real(type, 500)),
               gamma = run.input(type, {100}, numbers.real(type, 100)),
               beta = run.input(type, {100}, numbers.real(type, 100)),
               mean = run.input(FLOAT, {5}, numbers.real(FLOAT, 5)),
               factor = run.input(FLOAT, {5}, numbers.real(FLOAT, 5));
  auto const both = ln::layerNormalise(run.graph, acts, gamma, beta, mean, factor, run.prog);
  std::size_t const out = run.output(both.first);
  useWhitened(run, both.second);
  Normalised result;
  poplar::Executable const executable = poplar::compileGraph(run.graph, {run.prog}, options);
  for (auto const &set : executable.data()->computeSets)
    result.edgeBytes += set.edgeBytes;
  run.run();
  result.out = run.values(out);
  return result;
}

} // namespace

TEST_CASE("whitened activations that nobody reads are left out, and the result is the same") {
  for (auto const &type : {FLOAT, HALF}) {
    CAPTURE(type);
    std::uint64_t const bytes = type == HALF ? 1000 : 2000;
    auto const wanted = normalised(type, cpu, [](Run &run, Tensor const &t) { run.output(t); });
    auto const unwanted = normalised(type, cpu, [](Run &, Tensor const &) {});
    CHECK(unwanted.edgeBytes + bytes == wanted.edgeBytes);
    CHECK(unwanted.out == wanted.out);
  }
}

TEST_CASE("whitened activations are written where a program or a vertex names them") {
  auto const unwanted = normalised(FLOAT, cpu, [](Run &, Tensor const &) {});
  auto const copied = normalised(FLOAT, cpu, [](Run &run, Tensor const &t) {
    run.prog.add(poplar::program::Copy(t, run.graph.clone(t)));
  });
  CHECK(copied.edgeBytes == unwanted.edgeBytes + 2000);
  auto const updated = normalised(FLOAT, cpu, [](Run &run, Tensor const &t) {
    popops::addInPlace(run.graph, t, t, run.prog); // 2000 for each use as well
  });
  CHECK(updated.edgeBytes > unwanted.edgeBytes + 2000);
  auto const looked =
      normalised(FLOAT, cpu, [](Run &, Tensor const &) {}, {{"debug.stopAtNan", "true"}});
  CHECK(looked.edgeBytes == unwanted.edgeBytes + 2000);
  auto const model = normalised(FLOAT, harness::model, [](Run &, Tensor const &) {});
  auto const modelWanted =
      normalised(FLOAT, harness::model, [](Run &run, Tensor const &t) { run.output(t); });
  CHECK(model.edgeBytes == modelWanted.edgeBytes);
}

TEST_CASE("layer norms check their statistics and types") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  auto &g = run.graph;
  Tensor const acts = g.addVariable(FLOAT, {4, 6}), wrong = g.addVariable(HALF, {6});
  CHECK_THROWS_WITH_AS(ln::layerNormWhiten(g, acts, wrong, wrong, run.prog),
                       "popnn::ln::layerNormWhiten: 'mean' has shape [6]; for activations of "
                       "shape [4, 6] it must be [4]",
                       poplibs_error);
  CHECK_THROWS_AS(ln::layerNormWhiten(g, g.addVariable(INT, {4, 6}), wrong, wrong, run.prog),
                  poplibs_error);
}

TEST_SUITE_END();
