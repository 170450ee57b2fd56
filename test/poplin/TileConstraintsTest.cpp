// Plans for tiles that option planConstraints forces: results equal those of naive sums, and plans
// are what was asked for.
#include "Convolutions.hpp"

#include <poplin/MultiConvolution.hpp>
#include <poputil/exceptions.hpp>

#include <cstdio>
#include <fstream>
#include <random>

TEST_SUITE_BEGIN("poplin/tile-constraints");

using namespace convolutions;
using poputil::poplibs_error;

namespace {

constexpr unsigned TILES = 24;

std::string planOf(poplar::Graph const &graph, ConvParams const &p,
                   poplar::OptionFlags const &options) {
  std::ostringstream text;
  poplin::reportPlanInfo(text, graph, p, options);
  return text.str();
}

/// Runs a convolution with a plan forced by JSON on operands that are laid out by it.
void addForced(Products &all, ConvParams const &p, std::string const &json, char const *expected) {
  CAPTURE(textOf(p));
  CAPTURE(json);
  poplar::OptionFlags const options{{"planConstraints", json}};
  std::string const plan = planOf(all.run.graph, p, options);
  CAPTURE(plan);
  CHECK(plan.find(expected) < plan.find("estimate"));
  Values const in = all.numbers.real(p.inputType, product(inShape(p))),
               weights = all.numbers.real(p.inputType, product(weightsShape(p)));
  Tensor const x = filled(all, poplin::createInput(all.run.graph, p, "x", options), in);
  Tensor const w = filled(all, poplin::createWeights(all.run.graph, p, "w", options), weights);
  all.expect(textOf(p) + json,
             poplin::convolution(all.run.graph, x, w, p, false, all.run.prog, "", options),
             forward(p, in, weights));
}

ConvParams conv(Type const &type, std::size_t batch, Shape const &field, Shape const &kernel,
                std::size_t in, std::size_t out, std::size_t groups = 1) {
  ConvParams p(type, batch, field, kernel, in, out, groups);
  for (std::size_t d = 0; d != field.size(); ++d)
    p.inputTransform.paddingLower[d] = p.inputTransform.paddingUpper[d] =
        static_cast<unsigned>(kernel[d] / 2);
  return p;
}

} // namespace

TEST_CASE("methods are forced, and give what sums give") {
  for (Type const &type : {FLOAT, HALF}) {
    Products all(products::tiles(TILES));
    auto const method = [&](ConvParams const &p, char const *name, char const *expected) {
      addForced(all, p, std::string(R"({"method": {"type": ")") + name + R"("}})", expected);
    };
    method(conv(type, 2, {6, 5}, {3, 3}, 10, 20), "AMP", "method=amp");
    addForced(all, conv(type, 2, {6, 5}, {3, 3}, 10, 20),
              R"({"method": {"type": "AMP"}, "0": {"transform": {"expandDims": []}}})",
              "method=ampNx1");
    method(conv(type, 2, {6, 5}, {1, 1}, 10, 20), "AMP", "method=amp1x1");
    method(conv(type, 2, {6, 5}, {3, 2}, 5, 3), "HMAC", "method=hmac");
    method(conv(type, 2, {6, 5}, {1, 1}, 7, 9), "HMAC", "method=hmac flat=true");
    method(conv(type, 2, {6, 5}, {1, 1}, 1, 40), "OUTER_PRODUCT", "method=outer");
    if (type == HALF) {
      method(conv(type, 2, {6, 9}, {3, 3}, 2, 2, 3), "SLIC", "method=slic");
      method(conv(type, 2, {6, 9}, {3, 3}, 1, 1, 20), "VMAC", "method=vmac");
      method(conv(type, 2, {6, 9}, {1, 1}, 1, 1, 9), "VMAC", "method=vmac");
    }
    all.runAndCheck();
  }
}

TEST_CASE("splits of every kind are forced, and give what sums give") {
  for (Type const &type : {FLOAT, HALF}) {
    Products all(products::tiles(TILES));
    auto const partition = [&](ConvParams const &p, char const *json, char const *expected) {
      addForced(all, p, std::string(R"({"0": {"partition": )") + json + "}}", expected);
    };
    ConvParams const layer = conv(type, 3, {7, 6}, {3, 2}, 40, 36, 2);
    partition(layer, R"({"inChanSplit": {"serial": 2}})", "serialI=2");
    partition(layer, R"({"inChanSplit": {"serial": 3, "parallel": 1}})", "serialI=3");
    partition(layer, R"({"inChanSplit": {"serial": 2, "parallel": 2}, "kernelSplit": {"0": 2}})",
              "splitI=2 splitK0=2");
    partition(layer, R"({"outChanSplit": {"serial": 2}, "inChanSplit": {"serial": 2}})",
              "serialN=2 serialI=2");
    partition(layer, R"({"outChanSplit": {"serial": 3, "parallel": 1}})", "serialN=3");
    partition(layer, R"({"kernelSplit": {"0": 3, "1": 2}, "inChanSplit": {"parallel": 2}})",
              "splitI=2 splitK0=3 splitK1=2");
    partition(layer, R"({"batchSplit": 3, "fieldSplit": {"0": 2, "1": 2}})",
              "splitB=3 splitY0=2 splitY1=2");
    partition(layer, R"({"convGroupSplit": 2, "outChanSplit": {"parallel": 3}})", "splitG=2");
    ConvParams const cube = conv(type, 1, {4, 5, 6}, {2, 3, 3}, 9, 10);
    partition(cube, R"({"fieldSplit": {"2": 3}, "kernelSplit": {"2": 3}})", "splitY2=3");
    partition(cube, R"({"fieldSplit": {"0": 2, "1": 2, "2": 2}})", "splitY0=2 splitY1=2 splitY2=2");
    partition(cube, R"({"kernelSplit": {"0": 2, "1": 3, "2": 3}})",
              "splitK0=2 splitK1=3 splitK2=3");
    ConvParams const point = conv(type, 4, {6, 5}, {1, 1}, 20, 20);
    partition(point, R"({"batchSplit": 2, "fieldSplit": {"1": 5}})", "flat=false");
    partition(point, R"({"inChanSplit": {"serial": 2}, "fieldSplit": {"0": 8}})", "splitY0=8");
    all.runAndCheck();
  }
}

TEST_CASE("outputs of dimensions become output channels, and give what sums give") {
  for (Type const &type : {FLOAT, HALF}) {
    Products all(products::tiles(TILES));
    auto const flatten = [&](ConvParams const &p, char const *dims, char const *expected,
                             std::string const &partition = "{}") {
      addForced(all, p,
                R"({"0": {"transform": {"outChanFlattenDims": )" + std::string(dims) +
                    R"(}, "partition": )" + partition + "}}",
                expected);
    };
    // Every output meets every input.
    ConvParams const small = conv(type, 3, {3, 2}, {5, 3}, 5, 7, 2);
    flatten(small, "[0, 1]", "flatten=3");
    flatten(small, "[1]", "flatten=2");
    flatten(small, "[0]", "flatten=1");
    flatten(small, "[]", "flatten=0");
    flatten(small, "[0, 1]", "splitN=2 splitI=2",
            R"({"outChanSplit": {"parallel": 2}, "inChanSplit": {"parallel": 2}})");
    flatten(small, "[0]", "splitN=2",
            R"({"outChanSplit": {"parallel": 2}, "kernelSplit": {"1": 3}, "batchSplit": 3})");
    flatten(small, "[0, 1]", "serialI=3", R"({"inChanSplit": {"serial": 3, "parallel": 1}})");
    // Some do not; strides, reversed operands and what is left out on either side.
    ConvParams odd = conv(type, 2, {4}, {4}, 18, 3);
    odd.inputTransform.paddingLower = {1};
    odd.inputTransform.paddingUpper = {2};
    odd.kernelTransform.flip = {true};
    flatten(odd, "[0]", "flatten=1");
    odd.inputTransform.flip = {true};
    flatten(odd, "[0]", "flatten=1");
    ConvParams cut = conv(type, 2, {4, 6}, {5, 2}, 3, 16);
    cut.inputTransform.truncationUpper = {1, 0};
    cut.inputTransform.paddingLower = {3, 0};
    cut.inputTransform.paddingUpper = {2, 0};
    cut.kernelTransform.truncationLower = {1, 0};
    cut.outputTransform.stride = {2, 1};
    flatten(cut, "[0]", "flatten=1");
    ConvParams const cube = conv(type, 1, {2, 3, 2}, {3, 3, 3}, 4, 5);
    flatten(cube, "[0, 1, 2]", "flatten=7");
    flatten(cube, "[0, 2]", "flatten=5");
    all.runAndCheck();
  }
}

TEST_CASE("a filter over one place is a product of all its taps") {
  Products all(products::tiles(TILES));
  ConvParams p = conv(HALF, 4, {1, 1}, {4, 4}, 30, 16);
  p.inputTransform.paddingLower = p.inputTransform.paddingUpper = {3, 3};
  addForced(all, p, "{}", "flatten=3");
  all.runAndCheck();
}

TEST_CASE("transforms and groups of channels are forced, and give what sums give") {
  for (Type const &type : {FLOAT, HALF}) {
    Products all(products::tiles(TILES));
    auto const transform = [&](ConvParams const &p, char const *json, char const *expected) {
      addForced(all, p, std::string(R"({"0": {"transform": )") + json + "}}", expected);
    };
    ConvParams p = conv(type, 2, {7, 6}, {3, 2}, 5, 9, 2);
    transform(p, R"({"expandDims": [0, 1]})", "method=amp1x1 flat=false swap=false expand=3");
    transform(p, R"({"expandDims": [1]})", "expand=2");
    transform(p, R"({"expandDims": [0]})", "expand=1");
    transform(p, R"({"expandDims": []})", "expand=0");
    p.outputTransform.stride = {2, 1};
    p.kernelTransform.dilation = {1, 2};
    p.inputTransform.flip = {true, false};
    p.kernelTransform.flip = {false, true};
    transform(p, R"({"expandDims": [0, 1]})", "expand=3");
    p.inputTransform.truncationLower = {1, 0};
    p.kernelTransform.truncationUpper = {1, 0};
    transform(p, R"({"expandDims": [0, 1]})", "expand=3");
    transform(p, R"({"expandDims": [1]})", "expand=2");
    ConvParams const cube = conv(type, 1, {4, 3, 5}, {2, 3, 3}, 3, 10);
    transform(cube, R"({"expandDims": [0, 2]})", "expand=5");
    transform(cube, R"({"expandDims": [1, 2]})", "expand=6");
    addForced(all, conv(type, 2, {7, 6}, {3, 2}, 5, 9),
              R"({"0": {"transform": {"expandDims": [0, 1]},
                        "partition": {"inChanSplit": {"serial": 2, "parallel": 2}}}})",
              "expand=3");
    transform(conv(type, 1, {7, 6}, {3, 2}, 2, 2, 4), R"({"combineConvGroupsFactor": [2]})",
              "convGroup=2");
    addForced(all, conv(type, 1, {7, 6}, {3, 2}, 20, 20),
              R"({"inChansPerGroup": 4, "partialChansPerGroup": 8})", "inGroup=4 outGroup=8");
    addForced(all, conv(type, 1, {7, 6}, {3, 2}, 20, 6), R"({"method": {"convUnits": 8}})",
              "units=8");
    all.runAndCheck();
  }
}

TEST_CASE("random convolutions with random constraints") {
  std::mt19937 random(31);
  auto const upTo = [&](std::size_t most) { return 1 + random() % most; };
  for (int trial = 0; trial != 12; ++trial) {
    Products all(products::tiles(TILES), 100 + static_cast<unsigned>(trial));
    for (int i = 0; i != 6; ++i) {
      Type const type = random() % 2 == 0 ? FLOAT : HALF;
      ConvParams p = conv(type, upTo(3), {3 + upTo(4), 3 + upTo(5)}, {upTo(3), upTo(3)}, upTo(24),
                          upTo(24), upTo(3));
      p.outputTransform.stride = {1, static_cast<unsigned>(upTo(2))};
      auto const n = [](std::size_t value) { return std::to_string(value); };
      std::size_t const windows = random() % 4;
      std::string const json =
          R"({"0": {"partition": {"batchSplit": )" + n(upTo(p.batchSize)) +
          R"(, "kernelSplit": {"1": )" + n(windows & 2 ? 1 : upTo(p.kernelShape[1])) +
          R"(}, "inChanSplit": {"serial": )" +
          n(upTo(std::min<std::size_t>(p.inputChannelsPerConvGroup, 3))) +
          R"(}, "outChanSplit": {"serial": )" +
          n(upTo(std::min<std::size_t>(p.outputChannelsPerConvGroup, 2))) +
          R"(}}, "transform": {"expandDims": [)" +
          (p.kernelShape[0] > 1 && windows & 1 ? "0" : "") +
          (p.kernelShape[0] > 1 && p.kernelShape[1] > 1 && windows == 3 ? ", " : "") +
          (p.kernelShape[1] > 1 && windows & 2 ? "1" : "") + "]}}}";
      addForced(all, p, json, "plan: tiles");
    }
    all.runAndCheck();
  }
}

TEST_CASE("random truncated kernels with taps as channels give what sums give") {
  RandomParams random(17);
  unsigned expanded = 0;
  for (unsigned trial = 0; trial != 16; ++trial) {
    Products all(products::tiles(TILES), 200 + trial);
    for (int i = 0; i != 8; ++i) {
      std::size_t const dims = 1 + random.below(4);
      ConvParams p = random.make(dims, dims < 3 ? 9 : 5, random.below(2) == 0 ? FLOAT : HALF);
      if (unsigned const d = random.below(4); d < dims) // one tap of it is left
        p.kernelTransform.truncationLower[d] += std::max(p.getTruncatedKernelSize(d), 1U) - 1;
      ConvParams const canonical = p.canonicalize();
      std::string list;
      bool products = true;
      for (unsigned d = 0; d != dims; ++d) {
        products = products && canonical.getTruncatedKernelSize(d) != 0;
        if (d < (dims > 3 ? 2 : 3) && canonical.getTruncatedKernelSize(d) > 1 &&
            random.below(3) != 0)
          list += (list.empty() ? "" : ", ") + std::to_string(d);
      }
      if (!products)
        continue;
      expanded += list.empty() ? 0 : 1;
      std::size_t const split =
          1 + random.below(static_cast<unsigned>(p.inputChannelsPerConvGroup));
      addForced(all, p,
                R"({"0": {"transform": {"expandDims": [)" + list +
                    R"(]}, "partition": {"inChanSplit": {"parallel": )" + std::to_string(split) +
                    "}}}}",
                "plan: tiles");
    }
    all.runAndCheck();
  }
  CHECK(expanded > 20);
}

TEST_CASE("weights that a kernel keeps lie where those of a kernel without others do") {
  Run run(products::tiles(TILES));
  poplin::addCodelets(run.graph);
  ConvParams const plain = conv(FLOAT, 1, {4, 3}, {2, 3}, 6, 5);
  ConvParams cut = plain;
  cut.kernelShape = {4, 4};
  cut.kernelTransform.truncationLower = {1, 1};
  cut.kernelTransform.truncationUpper = {1, 0};
  for (char const *json : {R"({"0": {"partition": {"kernelSplit": {"0": 2, "1": 3}}}})",
                           R"({"0": {"transform": {"expandDims": [1]},
                                     "partition": {"kernelSplit": {"0": 2}}}})",
                           R"({"0": {"transform": {"outChanFlattenDims": [1]},
                                     "partition": {"kernelSplit": {"0": 2}}}})"}) {
    CAPTURE(json);
    poplar::OptionFlags const options{{"planConstraints", json}};
    auto const weights = [&](ConvParams const &p) {
      return poplin::createWeights(run.graph, p, "weights", options);
    };
    CHECK(run.graph.getTileMapping(weights(cut).slice(1, 3, 3).slice(1, 4, 4)) ==
          run.graph.getTileMapping(weights(plain)));
  }
}

TEST_CASE("products take the same constraints") {
  for (Type const &type : {FLOAT, HALF}) {
    Products all(products::tiles(TILES));
    products::Matrix const a = all.random(type, {2, 30, 70}), b = all.random(type, {2, 70, 40});
    for (auto const &[json, expected] :
         {std::pair(R"({"0": {"transform": {"swapOperands": true}}})", "swap=true"),
          std::pair(R"({"0": {"transform": {"swapOperands": false}}})", "swap=false"),
          std::pair(R"({"0": {"partition": {"batchSplit": 3, "inChanSplit": {"serial": 2}}}})",
                    "splitY0=3"),
          std::pair(R"({"0": {"partition": {"inChanSplit": {"serial": 3, "parallel": 2}}}})",
                    "serialI=3"),
          std::pair(R"({"method": {"type": "HMAC"}})", "method=hmac"),
          std::pair(R"({"inChansPerGroup": 4})", "inGroup=4"),
          std::pair(R"({"splitM": 2, "splitK": 3})", "splitY0=2")}) {
      CAPTURE(json);
      poplar::OptionFlags const options{{"planConstraints", json}};
      std::ostringstream plan;
      poplin::matMulGroupedReportPlan(plan, all.run.graph, type, type, {2, 30, 70}, {2, 70, 40},
                                      options);
      CAPTURE(plan.str());
      CHECK(plan.str().find(expected) < plan.str().find("estimate"));
      Tensor const left =
          filled(all,
                 poplin::createMatMulGroupedInputLHS(all.run.graph, type, type, {2, 30, 70},
                                                     {2, 70, 40}, "a", options),
                 a.values);
      all.expect(json,
                 poplin::matMulGrouped(all.run.graph, left, all.input(type, b, {2, 70, 40}),
                                       all.run.prog, type, "", options),
                 products::expectation(a, b, type));
    }
    all.runAndCheck();
  }
}

TEST_CASE("what cannot be met is named, with what can") {
  Run run(products::tiles(TILES));
  poplin::addCodelets(run.graph);
  auto const fails = [&](ConvParams const &p, char const *json, char const *text) {
    CAPTURE(json);
    CHECK_THROWS_WITH_AS(planOf(run.graph, p, {{"planConstraints", json}}), doctest::Contains(text),
                         poplibs_error);
  };
  ConvParams const p = conv(FLOAT, 2, {6, 5}, {3, 3}, 10, 20);
  fails(p, R"({"method": {"type": "SLIC"}})", "unit = slic is not possible; allowed: amp, hmac");
  fails(p, R"({"0": {"partition": {"batchSplit": 3}}})",
        "splitB = 3 is not possible; allowed: 1 to 2");
  fails(p, R"({"0": {"partition": {"kernelSplit": {"1": 4}}}})", "allowed: 1 to 3");
  fails(p, R"({"0": {"transform": {"swapOperands": true}}})",
        "swap = true is not possible; allowed: false");
  fails(p, R"({"0": {"transform": {"expandDims": [2]}}})", "allowed: 0, 1, 2, 3 (bits");
  fails(p, R"({"0": {"transform": {"outChanFlattenDims": [0]}}})", "flatten = 1 is not possible");
  fails(p, R"({"method": {"convUnits": 5}})", "convUnits = 5 is not possible");
  fails(p, R"({"0": {"partition": {"batchSplit": 2, "fieldSplit": {"0": 6, "1": 5}}}})",
        "together, each alone is possible");
  CHECK_THROWS_WITH_AS(
      planOf(run.graph, p, {{"planConstraints", R"({"0": {"transform": {"swapOperands": true}},
                                                "1": {"transform": {"swapOperands": false}}})"}}),
      doctest::Contains("differs between levels"), poplar::invalid_option);
}

TEST_CASE("a plan that was written to a file can be forced") {
  Run run(products::tiles(TILES));
  poplin::addCodelets(run.graph);
  std::string const name = "tile-plan-constraints";
  for (ConvParams const &p :
       {conv(HALF, 2, {9, 5}, {3, 3}, 30, 40), conv(HALF, 2, {9, 5}, {3, 3}, 1, 1, 24),
        conv(HALF, 2, {9, 5}, {1, 1}, 30, 40)})
    for (char const *pass : {"NONE", "TRAINING_BWD"}) {
      std::string const path = name + (*pass == 'N' ? "" : "_BWD") + ".json";
      std::string const plan =
          planOf(run.graph, p, {{"planConstraintsOutputFilename", name}, {"pass", pass}});
      std::ifstream file(path);
      std::string const json{std::istreambuf_iterator<char>(file), {}};
      file.close();
      std::remove(path.c_str());
      CAPTURE(json);
      auto const line = [](std::string const &text) {
        std::size_t const at = text.find("plan: ");
        return text.substr(at, text.find('\n', at) - at);
      };
      CHECK(line(planOf(run.graph, p, {{"planConstraints", json}})) == line(plan));
    }
  CHECK_THROWS_WITH_AS(planOf(run.graph, conv(HALF, 1, {4}, {3}, 4, 4),
                              {{"planConstraintsOutputFilename", "no/such/folder/plan"}}),
                       doctest::Contains("cannot be written"), poplibs_error);
}

TEST_CASE("a plan is written whenever that is asked for, known or not") {
  Run run(products::tiles(TILES));
  poplin::addCodelets(run.graph);
  poplin::PlanningCache cache;
  ConvParams const p = conv(HALF, 2, {9, 5}, {3, 3}, 30, 40);
  auto const written = [](char const *path) {
    std::ifstream file(path);
    std::string const json{std::istreambuf_iterator<char>(file), {}};
    file.close();
    std::remove(path);
    return json;
  };
  auto const naming = [](char const *name) {
    return poplar::OptionFlags{{"planConstraintsOutputFilename", name}};
  };
  poplin::createInput(run.graph, p, "", {}, &cache);
  CHECK(cache.size() == 1);
  poplin::createWeights(run.graph, p, "", naming("plan-of-weights"), &cache);
  std::string const json = written("plan-of-weights.json");
  CHECK(json.find("partition") != std::string::npos);
  for (int times = 0; times != 2; ++times) {
    poplin::createInput(run.graph, p, "", naming("plan-of-input"), &cache);
    CHECK(written("plan-of-input.json") == json);
  }
  CHECK(cache.size() == 1);
  // Plans for where operands are, and those side by side, come from elsewhere.
  Tensor const in = poplin::createInput(run.graph, p), w = poplin::createWeights(run.graph, p);
  poplar::OptionFlags mapped = naming("plan-of-mapping");
  mapped.set("useOperandMapping", "true");
  poplin::convolution(run.graph, in, w, p, false, run.prog, "", mapped);
  CHECK(written("plan-of-mapping.json").find("partition") != std::string::npos);
  poplin::multiconv::convolution(
      run.graph, {{in, w, p, naming("plan-of-first")}, {in, w, p, naming("plan-of-second")}}, false,
      run.prog, "", {{"perConvReservedTiles", "1"}, {"cycleBackOff", "4"}});
  CHECK(written("plan-of-first.json").find("partition") != std::string::npos);
  CHECK(written("plan-of-second.json").find("partition") != std::string::npos);
}

TEST_CASE("loads of 128 bits and stages of additions have an effect") {
  Run run(products::tiles(400));
  poplin::addCodelets(run.graph);
  auto const cycles = [&](poplar::OptionFlags options, ConvParams const &p) {
    options.set("partialsType", "half");
    return poplin::reportPlanEstimatedCosts(run.graph, p, options).cycles;
  };
  ConvParams const p = conv(HALF, 4, {28, 28}, {3, 3}, 64, 64);
  CHECK(cycles({{"use128BitConvUnitLoad", "true"}}, p) < cycles({}, p));
  ConvParams const deep = conv(HALF, 1, {4, 4}, {1, 1}, 6400, 16);
  CHECK(cycles({{"enableMultiStageReduce", "false"}}, deep) > cycles({}, deep));
}

TEST_CASE("weights of 128-bit loads lie in interleaved memory of the tiles that use them") {
  struct Wanted {
    std::uint64_t bytes = 0; ///< interleaved, of all tiles
    std::string types;       ///< of vertices
  };
  auto const wanted = [](ConvParams const &p, char const *wide, char const *method) {
    poplar::OptionFlags const options{
        {"use128BitConvUnitLoad", wide},
        {"planConstraints", std::string(R"({"method": {"type": ")") + method + R"("}})"}};
    Products all(products::tiles(TILES));
    Values const in = all.numbers.real(p.inputType, product(inShape(p))),
                 weights = all.numbers.real(p.inputType, product(weightsShape(p)));
    Tensor const x = filled(all, poplin::createInput(all.run.graph, p, "x", options), in);
    Tensor const w = filled(all, poplin::createWeights(all.run.graph, p, "w", options), weights);
    all.expect(textOf(p),
               poplin::convolution(all.run.graph, x, w, p, false, all.run.prog, "", options),
               forward(p, in, weights));
    all.runAndCheck();
    auto const profile = poplar::Engine(all.run.graph, all.run.prog).getGraphProfile();
    Wanted result;
    for (std::uint64_t const bytes :
         profile["memory"]["byTile"]["interleavedDemand"].toUintVector())
      result.bytes += bytes;
    for (auto const &[name, count] : profile["vertexTypes"].asMap())
      result.types += name + " ";
    return result;
  };
  ConvParams const rows = conv(HALF, 4, {6, 6}, {1, 1}, 64, 64),
                   windows = conv(HALF, 2, {8, 8}, {3, 3}, 32, 32);
  for (ConvParams const &p : {rows, windows}) {
    CAPTURE(textOf(p));
    Wanted const wide = wanted(p, "true", "AMP"), narrow = wanted(p, "false", "AMP");
    CAPTURE(wide.types);
    CAPTURE(narrow.types);
    CHECK(wide.bytes >= 2 * product(weightsShape(p)));
    CHECK(wide.types.find(",true>") != std::string::npos);
    CHECK(narrow.bytes == 0);
    CHECK(narrow.types.find(",true>") == std::string::npos);
  }
  CHECK(wanted(windows, "true", "HMAC").bytes == 0);
}

TEST_SUITE_END();
