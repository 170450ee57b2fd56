// The family resnet50-model: how long building, compiling and running takes on the IPU Model.
#include <bench/Family.hpp>
#include <bench/Rows.hpp>
#include <bench/poplin/ResNet50.hpp>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>

namespace cottonwood::bench {

std::vector<poplin::ConvParams> resNet50(std::size_t batch, poplar::Type const &type) {
  std::vector<poplin::ConvParams> convs;
  auto const add = [&](std::size_t size, std::size_t in, std::size_t out, std::size_t kernel,
                       unsigned stride) {
    auto const padding = static_cast<unsigned>(kernel / 2);
    std::vector<unsigned> const none{0, 0}, one{1, 1}, pad{padding, padding};
    std::vector<bool> const no{false, false};
    convs.emplace_back(
        type, type, batch, std::vector<std::size_t>{size, size},
        std::vector<std::size_t>{kernel, kernel}, in, out, 1,
        poplin::ConvParams::InputTransform{none, none, one, pad, pad, no},
        poplin::ConvParams::InputTransform{none, none, one, none, none, no},
        poplin::ConvParams::OutputTransform{none, none, {stride, stride}, none, none});
  };
  add(224, 3, 64, 7, 2);
  std::size_t size = 56, channels = 64;
  std::size_t const blocks[] = {3, 4, 6, 3};
  for (std::size_t stage = 0; stage != 4; ++stage) {
    std::size_t const width = std::size_t{64} << stage, out = 4 * width;
    for (std::size_t block = 0; block != blocks[stage]; ++block) {
      unsigned const stride = stage > 0 && block == 0 ? 2 : 1;
      add(size, channels, width, 1, 1);
      add(size, width, width, 3, stride);
      if (block == 0)
        add(size, channels, out, 1, stride);
      size /= stride;
      add(size, width, out, 1, 1);
      channels = out;
    }
  }
  return convs;
}

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Seconds {
  double build = 0, compile = 0, run = 0;
  double total() const { return build + compile + run; }
};

Seconds timed(std::span<poplin::ConvParams const> convs) {
  using namespace poplar;
  Seconds seconds;
  auto begin = Clock::now();
  Device const device = IPUModel("ipu2").createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  ::poplar::program::Sequence prog;
  OptionFlags const options{{"partialsType", "half"}};
  poplin::PlanningCache cache;
  for (poplin::ConvParams const &params : convs) {
    Tensor const in = poplin::createInput(graph, params, "in", options, &cache),
                 weights = poplin::createWeights(graph, params, "weights", options, &cache);
    poplin::convolution(graph, in, weights, params, false, prog, "conv", options, &cache);
  }
  seconds.build = secondsSince(begin);
  begin = Clock::now();
  Engine engine(graph, prog, {{"debug.allowOutOfMemory", "true"}});
  seconds.compile = secondsSince(begin);
  begin = Clock::now();
  engine.load(device);
  engine.run();
  seconds.run = secondsSince(begin);
  return seconds;
}

/// The most memory that this process ever had, in GiB.
double peakGiB() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib / (1 << 20);
    }
  return 0;
}

} // namespace

int runResNet50Model(Arguments const &arguments) {
  std::vector<poplin::ConvParams> const convs = resNet50(4, poplar::HALF);
  std::printf("%s\n", limitHeader().c_str());
  bool good = true;
  auto const row = [&](LimitRow const &limit, double value) {
    std::printf("%s\n", limitText(limit, value).c_str());
    good = good && (!limit.limit || holds(limit, value));
  };
  double slowest = 0;
  std::size_t const each = arguments.set == Set::Smoke ? 2 : convs.size();
  for (std::size_t i = 0; i != each; ++i)
    slowest = std::max(slowest, timed(std::span(convs).subspan(i, 1)).total());
  row({"slowest-layer", "s", 3}, slowest);
  if (arguments.set != Set::Smoke) {
    Seconds const all = timed(convs);
    row({"all-53/build", "s", {}}, all.build);
    row({"all-53/compile", "s", {}}, all.compile);
    row({"all-53/run", "s", {}}, all.run);
    row({"all-53", "s", 60}, all.total());
  }
  std::printf("%-44s %10.2f GiB %8.2f\n", "memory", peakGiB(), 8.0);
  return good && peakGiB() <= 8 ? 0 : 1;
}

} // namespace cottonwood::bench
