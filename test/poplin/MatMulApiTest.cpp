// What surrounds the products: tensors made for them, plans, caches.
#include "Products.hpp"

#include <poplar/impl/lower/ExecutableData.hpp>
#include <poplin/FullyConnected.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

TEST_SUITE_BEGIN("poplin/matmul api");

using namespace products;

namespace {

struct Tiles {
  Run run;
  explicit Tiles(DeviceMaker const &device) : run(device) { poplin::addCodelets(run.graph); }
  /// Elements on each tile; every element must be mapped.
  std::vector<std::size_t> loads(Tensor const &t) {
    std::vector<std::size_t> counts;
    for (auto const &intervals : run.graph.getTileMapping(t)) {
      counts.push_back(0);
      for (auto const &interval : intervals)
        counts.back() += interval.size();
    }
    return counts;
  }
};

std::size_t largest(std::vector<std::size_t> const &counts) {
  return *std::max_element(counts.begin(), counts.end());
}

} // namespace

TEST_CASE("tensors made for a product have its shapes and types and are mapped whole") {
  onDevices([](DeviceMaker const &device) {
    Tiles tiles(device);
    auto &graph = tiles.run.graph;
    for (Shape const &s : {Shape{5, 7, 9}, Shape{64, 64, 64}, Shape{1, 300, 2}, Shape{0, 3, 2}}) {
      Shape const a{s[0], s[1]}, b{s[1], s[2]};
      Tensor const lhs = poplin::createMatMulInputLHS(graph, HALF, FLOAT, a, b, "a");
      Tensor const rhs = poplin::createMatMulInputRHS(graph, HALF, FLOAT, a, b, "b");
      Tensor const out = poplin::createMatMulOutput(graph, HALF, FLOAT, a, b, "c");
      CHECK(lhs.shape() == a);
      CHECK(rhs.shape() == b);
      CHECK(out.shape() == Shape{s[0], s[2]});
      CHECK(lhs.elementType() == HALF);
      CHECK(rhs.elementType() == HALF);
      CHECK(out.elementType() == FLOAT);
      for (Tensor const &t : {lhs, rhs, out})
        CHECK_NOTHROW(tiles.loads(t));
      Tensor const one = poplin::createMatMulInputLHS(graph, HALF, a, b, "a");
      CHECK(one.elementType() == HALF);
      CHECK(poplin::createMatMulOutput(graph, HALF, a, b, "c").elementType() == HALF);
    }
    Shape const a{3, 20, 30}, b{3, 30, 10};
    CHECK(poplin::createMatMulGroupedInputLHS(graph, FLOAT, HALF, a, b, "a").shape() == a);
    CHECK(poplin::createMatMulGroupedInputRHS(graph, FLOAT, HALF, a, b, "b").shape() == b);
    Tensor const out = poplin::createMatMulGroupedOutput(graph, FLOAT, HALF, a, b, "c");
    CHECK(out.shape() == Shape{3, 20, 10});
    CHECK(out.elementType() == HALF);
  });
}

TEST_CASE("operands of a large product are spread evenly over the tiles") {
  Tiles tiles(products::tiles(16));
  auto &graph = tiles.run.graph;
  Shape const a{256, 256}, b{256, 256};
  for (Tensor const &t : {poplin::createMatMulInputLHS(graph, HALF, a, b, "a"),
                          poplin::createMatMulInputRHS(graph, HALF, a, b, "b"),
                          poplin::createMatMulOutput(graph, HALF, a, b, "c")})
    CHECK(largest(tiles.loads(t)) <= 2 * 256 * 256 / 16);
}

TEST_CASE("the result is mapped as createMatMulOutput maps it, and each block is computed there") {
  Tiles tiles(products::tiles(8));
  auto &graph = tiles.run.graph;
  Shape const a{48, 40}, b{40, 56};
  Tensor const c =
      poplin::matMul(graph, poplin::createMatMulInputLHS(graph, FLOAT, a, b, "a"),
                     poplin::createMatMulInputRHS(graph, FLOAT, a, b, "b"), tiles.run.prog);
  Tensor const expected = poplin::createMatMulOutput(graph, FLOAT, a, b, "c");
  CHECK(graph.getTileMapping(c) == graph.getTileMapping(expected));
}

TEST_CASE("an output without a mapping gets one; what is mapped stays") {
  Tiles tiles(products::tiles(8));
  auto &graph = tiles.run.graph;
  Tensor out = graph.addVariable(FLOAT, {16, 16});
  graph.setTileMapping(out.slice(0, 4), 7);
  Tensor const x = tiles.run.input(FLOAT, {16, 16}, Values(256, 1.0));
  poplin::matMulWithOutput(graph, x, x, out, tiles.run.prog);
  CHECK_NOTHROW(tiles.loads(out));
  CHECK(tiles.loads(out.slice(0, 4))[7] == 64);
  std::size_t const read = tiles.run.output(out);
  tiles.run.run();
  CHECK(tiles.run.values(read) == Values(256, 16.0));
}

TEST_CASE("a pre-arranged right operand has the same values") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    auto &run = all.run;
    Matrix const a = all.random(HALF, {2, 20, 30}), b = all.random(HALF, {2, 30, 25});
    Tensor const ta = all.input(HALF, a, a.shape), tb = all.input(HALF, b, b.shape);
    poplar::OptionFlags const options{{"fullyConnectedPass", "INFERENCE_FWD"},
                                      {"inputRHSIsPreArranged", "true"}};
    Tensor const arranged = poplin::preArrangeMatMulGroupedInputRHS(
        run.graph, a.shape, tb, run.prog, FLOAT, "arranged", options);
    CHECK(arranged.shape() == b.shape);
    CHECK(arranged.elementType() == HALF);
    all.expect("grouped",
               poplin::matMulGrouped(run.graph, ta, arranged, run.prog, FLOAT, "", options),
               expectation(a, b, FLOAT));
    Matrix const b0{{1, 30, 25}, Values(b.values.begin(), b.values.begin() + 750)};
    Matrix const a0{{1, 20, 30}, Values(a.values.begin(), a.values.begin() + 600)};
    Tensor const flat =
        poplin::preArrangeMatMulInputRHS(run.graph, {20, 30}, tb[0], run.prog, "flat", options);
    all.expect("one", poplin::matMul(run.graph, ta[0], flat, run.prog, "one", options),
               expectation(a0, b0, HALF));
    all.runAndCheck();
  });
}

TEST_CASE("a reported plan names problem, plan, cost and candidates") {
  onDevices([](DeviceMaker const &device) {
    Tiles tiles(device);
    std::ostringstream text, grouped, empty;
    poplin::matMulReportPlan(text, tiles.run.graph, FLOAT, FLOAT, {64, 32}, {32, 48});
    for (char const *part : {"problem: matmul-problem g=1 m=64 k=32 n=48",
                             "splitG=", "estimate: ", " cycles, ", "candidates:\n"})
      CHECK(text.str().find(part) != std::string::npos);
    poplin::matMulGroupedReportPlan(grouped, tiles.run.graph, HALF, FLOAT, {5, 64, 32},
                                    {5, 32, 48});
    CHECK(grouped.str().find("g=5 m=64 k=32 n=48 input=half output=float") != std::string::npos);
    poplin::matMulReportPlan(empty, tiles.run.graph, FLOAT, FLOAT, {64, 0}, {0, 48});
    CHECK(empty.str().find("nothing to multiply") != std::string::npos);
  });
}

TEST_CASE("a forced plan is taken") {
  Tiles tiles(products::tiles(8));
  std::ostringstream text;
  poplin::matMulReportPlan(text, tiles.run.graph, FLOAT, FLOAT, {64, 32}, {32, 48},
                           {{"planConstraints", "{\"splitM\": 2, \"splitK\": 4}"}});
  CHECK(text.str().find("splitY0=2 splitY1=1 splitY2=1 splitN=1 splitI=4 ") != std::string::npos);
  Products all(products::tiles(8));
  Matrix const a = all.random(FLOAT, {1, 64, 32}), b = all.random(FLOAT, {1, 32, 48});
  all.expect("forced",
             poplin::matMul(all.run.graph, all.input(FLOAT, a, {64, 32}),
                            all.input(FLOAT, b, {32, 48}), all.run.prog, "",
                            {{"planConstraints", "{\"splitM\": 2, \"splitK\": 4}"}}),
             expectation(a, b, FLOAT));
  all.runAndCheck();
}

TEST_CASE("executables tell the plans of products and convolutions on tiles") {
  Tiles tiles(products::tiles(8));
  auto &run = tiles.run;
  Tensor const a = poplin::createMatMulInputLHS(run.graph, FLOAT, {64, 32}, {32, 48}, "a"),
               b = poplin::createMatMulInputRHS(run.graph, FLOAT, {64, 32}, {32, 48}, "b");
  poplin::matMul(run.graph, a, b, run.prog, "layer");
  poplar::Executable const executable = poplar::compileGraph(run.graph, {run.prog});
  auto const &notes = executable.data()->notes;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].first.find("layer") != std::string::npos);
  for (char const *part : {"plan: tiles method=amp1x1", "predicted: ", "instead: ", "problem: "})
    CHECK(notes[0].second.find(part) != std::string::npos);
}

TEST_CASE("a cache holds one entry for each problem and set of options") {
  onDevices([](DeviceMaker const &device) {
    Tiles tiles(device);
    auto &graph = tiles.run.graph;
    poplin::matmul::PlanningCache cache;
    poplar::Target const target = graph.getTarget();
    poplar::OptionFlags const none, half{{"partialsType", "half"}};
    std::set<poplin::MatMulPlanParams> const products{
        {&target, {HALF, HALF, {1, 20, 30}, {1, 30, 40}}, &none},
        {&target, {HALF, HALF, {1, 20, 30}, {1, 30, 40}}, &half},
        {&target, {HALF, HALF, {2, 20, 30}, {2, 30, 40}}, &none}};
    CHECK(cache.size() == 0);
    poplin::preplanMatMuls(products, cache);
    CHECK(cache.size() == 3);
    poplin::preplanMatMuls(products, cache);
    Tensor const a =
        poplin::createMatMulInputLHS(graph, HALF, {20, 30}, {30, 40}, "a", none, &cache);
    Tensor const b =
        poplin::createMatMulInputRHS(graph, HALF, {20, 30}, {30, 40}, "b", none, &cache);
    poplin::matMul(graph, a, b, tiles.run.prog, "", none, &cache);
    poplin::matMul(graph, b.transpose(), a.transpose(), tiles.run.prog, "", none, &cache);
    CHECK(cache.size() == 4); // the last one is a new problem
    poplin::matMul(graph, a, b, tiles.run.prog, "", half, &cache.getImpl());
    CHECK(cache.size() == 4);
  });
}

TEST_CASE("a fully connected layer runs one product, and three when it is trained") {
  poplin::fc::FullyConnectedParams const layer{2, 16, 100, 10};
  auto const inference =
      poplin::fc::getMatMulPrePlanParameters(layer, {{"partialsType", "half"}}, HALF, true);
  REQUIRE(inference.size() == 1);
  CHECK(inference[0].first.aShape == Shape{2, 16, 100});
  CHECK(inference[0].first.bShape == Shape{2, 100, 10});
  CHECK(inference[0].second.at("fullyConnectedPass") == "INFERENCE_FWD");
  CHECK(inference[0].second.at("partialsType") == "half");
  auto const training = poplin::fc::getMatMulPrePlanParameters(layer, {}, HALF, false);
  REQUIRE(training.size() == 3);
  CHECK(training[0].second.at("fullyConnectedPass") == "TRAINING_FWD");
  CHECK(training[1].first.aShape == Shape{2, 16, 10});
  CHECK(training[1].first.bShape == Shape{2, 10, 100});
  CHECK(training[1].second.at("fullyConnectedPass") == "TRAINING_BWD");
  CHECK(training[2].first.aShape == Shape{2, 100, 16});
  CHECK(training[2].first.bShape == Shape{2, 16, 10});
  CHECK(training[2].second.at("fullyConnectedPass") == "TRAINING_WU");
}

TEST_CASE("debug names reach the variables of a product") {
  Tiles tiles(cpu);
  Tensor const x = tiles.run.input(FLOAT, {4, 4}, Values(16, 1.0));
  Tensor const c = poplin::matMul(tiles.run.graph, x, x, tiles.run.prog, "layer");
  CHECK(c.getDebugStr().find("layer") != std::string::npos);
}

TEST_SUITE_END();
