// Measured planning: what it learns, keeps, refuses, and that it changes no bit.
#include "Convolutions.hpp"

#include <poplin/Wisdom.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/WisdomStore.hpp>
#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>

TEST_SUITE_BEGIN("poplin/wisdom");

using namespace products;
using cottonwood::planner::ConvPlan;
using cottonwood::planner::MatMulPlan;
using poplin::ConvParams;
using poputil::poplibs_error;

namespace {

poplar::OptionFlags const MEASURE{{"planning", "measure"}};

/// Nothing is known before and after.
struct Fresh {
  Fresh() { poplin::forgetWisdom(); }
  ~Fresh() { poplin::forgetWisdom(); }
};

std::string report(Shape const &s, poplar::OptionFlags const &options) {
  poplar::Graph const graph(poplar::Target::createCPUTarget());
  std::ostringstream text;
  poplin::matMulReportPlan(text, graph, FLOAT, FLOAT, {s[0], s[1]}, {s[1], s[2]}, options);
  return text.str();
}

std::string report(ConvParams const &p, poplar::OptionFlags const &options) {
  poplar::Graph const graph(poplar::Target::createCPUTarget());
  std::ostringstream text;
  poplin::reportPlanInfo(text, graph, p, options);
  return text.str();
}

/// 3 x 3 with padding, over a field of 12 x 17.
ConvParams layer(Type const &type, std::size_t batch, std::size_t in, std::size_t out,
                 std::size_t groups = 1) {
  ConvParams p(type, batch, {12, 17}, {3, 3}, in, out, groups);
  p.inputTransform.paddingLower = p.inputTransform.paddingUpper = {1, 1};
  return p;
}

/// The only entry of the wisdom: its plan.
std::string onlyPlan() {
  REQUIRE(poplin::wisdomSize() == 1);
  std::string const text = poplin::exportWisdom();
  std::size_t const begin = text.find(" = ") + 3;
  return text.substr(begin, text.find(" ; ") - begin);
}

} // namespace

TEST_CASE("measuring learns a plan once, which then serves estimates too") {
  Fresh const fresh;
  Shape const s{70, 90, 110};
  CHECK(report(s, {}).find("wisdom") == std::string::npos);
  CHECK(poplin::wisdomSize() == 0);
  CHECK(report(s, MEASURE).find("measured: ") != std::string::npos);
  CHECK(poplin::wisdomSize() == 1);
  std::string const plan = onlyPlan();
  CHECK(report(s, {}).find("wisdom: ") != std::string::npos);
  CHECK(report(s, MEASURE).find("wisdom: ") != std::string::npos);
  CHECK(onlyPlan() == plan);
  // Constraints come first.
  CHECK(report(s, {{"planConstraints", R"({"splitM": "2"})"}}).find("wisdom") == std::string::npos);
  CHECK_THROWS_AS(report(s, {{"planning", "guess"}}), poplar::poplar_error);
}

TEST_CASE("a plan from wisdom is the plan that is used") {
  Fresh const fresh;
  Shape const s{70, 90, 110};
  report(s, MEASURE);
  auto plan = cottonwood::planner::fromText<MatMulPlan>(onlyPlan());
  plan.splitG = 1, plan.splitM = 7, plan.splitN = 3, plan.depth = 33, plan.rows = 24;
  std::string text = poplin::exportWisdom();
  std::size_t const begin = text.find(" = ") + 3;
  text.replace(begin, text.find(" ; ") - begin, toText(plan));
  poplin::forgetWisdom();
  poplin::importWisdom(text);
  CHECK(report(s, {}).find("\nplan: " + toText(plan) + "\n") != std::string::npos);
}

TEST_CASE("plans that were measured leave the bits as they are") {
  for (Shape const &s : {Shape{70, 600, 110}, {3, 300, 200}, {1, 500, 70}, {200, 64, 1}})
    for (Type const &type : {FLOAT, HALF}) {
      Fresh const fresh;
      CAPTURE(sizeText(s));
      Products all(cpu, 4);
      Matrix const a = all.random(type, {1, s[0], s[1]}), b = all.random(type, {1, s[1], s[2]});
      Tensor const left = all.input(type, a, {s[0], s[1]}),
                   right = all.input(type, b, {s[1], s[2]});
      auto &graph = all.run.graph;
      auto const x = all.run.output(poplin::matMul(graph, left, right, all.run.prog, FLOAT));
      auto const y =
          all.run.output(poplin::matMul(graph, left, right, all.run.prog, FLOAT, {}, MEASURE));
      CHECK(poplin::wisdomSize() == 1);
      all.run.run();
      CHECK(all.run.values(x) == all.run.values(y));
    }
}

TEST_CASE("plans of convolutions are measured, learned and used") {
  Fresh const fresh;
  ConvParams const p = layer(FLOAT, 2, 13, 70); // never on matrix tiles, whose blocks are fixed
  CHECK(report(p, MEASURE).find("measured: ") != std::string::npos);
  CHECK(report(p, {}).find("wisdom: ") != std::string::npos);
  CHECK(report(p, {{"planConstraints", R"({"0": {"partition": {"batchSplit": 2}}})"}})
            .find("wisdom") == std::string::npos);
  CHECK_THROWS_AS(report(p, {{"planning", "guess"}}), poplar::poplar_error);
  auto plan = cottonwood::planner::fromText<ConvPlan>(onlyPlan());
  plan.splitB = 2, plan.splitY0 = 4, plan.splitY1 = 3, plan.splitN = 2;
  plan.depth = 33, plan.enough = 7, plan.pixels = 50;
  std::string const good = poplin::exportWisdom();
  auto const import = [&] {
    std::string text = good;
    std::size_t const begin = text.find(" = ") + 3;
    text.replace(begin, text.find(" ; ") - begin, toText(plan));
    poplin::forgetWisdom();
    poplin::importWisdom(text);
  };
  import();
  CHECK(report(p, {}).find("\nplan: " + toText(plan) + "\n") != std::string::npos);
  plan.columns = 48;
  import();
  CHECK_THROWS_WITH_AS(report(p, {}), doctest::Contains("strips have 32 or 64 columns"),
                       poplibs_error);
  plan.columns = 64, plan.splitK0 = 2;
  import();
  CHECK_THROWS_WITH_AS(report(p, {}), doctest::Contains("a CPU keeps sums whole"), poplibs_error);
}

TEST_CASE("plans of convolutions that were measured, or that wisdom gives, leave the bits alone") {
  for (ConvParams const &p :
       {layer(FLOAT, 2, 40, 70), layer(HALF, 2, 40, 70), layer(FLOAT, 1, 1, 1, 40),
        layer(HALF, 1, 2, 3, 5), layer(FLOAT, 1, 16, 384, 3), layer(HALF, 1, 8, 128)}) {
    Fresh const fresh;
    CAPTURE(p);
    Products all(cpu, 4);
    auto &graph = all.run.graph;
    auto const operand = [&](Shape const &shape) {
      return all.run.input(p.inputType, shape,
                           all.numbers.real(p.inputType, convolutions::product(shape)));
    };
    Tensor const in = operand(convolutions::inShape(p)),
                 weights = operand(convolutions::weightsShape(p));
    auto const convolved = [&](poplar::OptionFlags const &options) {
      return all.run.output(
          poplin::convolution(graph, in, weights, p, false, all.run.prog, "conv", options));
    };
    std::vector<decltype(convolved({}))> outputs{convolved({}), convolved(MEASURE)};
    CHECK(poplin::wisdomSize() == 1);
    // Blocks of all sorts.
    std::string const measured = poplin::exportWisdom();
    for (std::array<std::uint32_t, 4> const &sizes :
         {std::array{1U, 1U, 1U, 32U}, std::array{7U, 3U, 20U, 64U},
          std::array{1152U, 512U, 5000U, 64U}, std::array{512U, 512U, 5000U, 32U}}) {
      auto plan = cottonwood::planner::fromText<ConvPlan>(onlyPlan());
      if (!cottonwood::kernels::onMatMulTiles(plan.method))
        plan.depth = sizes[0], plan.enough = sizes[1], plan.pixels = sizes[2],
        plan.columns = sizes[3];
      plan.splitY0 = 5, plan.splitY1 = 2;
      std::string text = measured;
      std::size_t const begin = text.find(" = ") + 3;
      text.replace(begin, text.find(" ; ") - begin, toText(plan));
      poplin::forgetWisdom();
      poplin::importWisdom(text);
      outputs.push_back(convolved({}));
    }
    all.run.run();
    for (auto const &output : outputs)
      CHECK(all.run.values(output) == all.run.values(outputs.front()));
  }
}

TEST_CASE("wisdom is saved, loaded and merged by file") {
  Fresh const fresh;
  std::string const path = "poplin-wisdom-test.txt";
  report({40, 50, 60}, MEASURE);
  poplin::saveWisdom(path);
  std::string const first = poplin::exportWisdom();
  poplin::forgetWisdom();
  report({41, 50, 60}, MEASURE);
  poplin::loadWisdom(path);
  CHECK(poplin::wisdomSize() == 2);
  poplin::forgetWisdom();
  poplin::loadWisdom(path);
  CHECK(poplin::exportWisdom() == first);
  // Over a link: what it leads to is replaced.
  std::string const link = path + ".link";
  std::remove(link.c_str());
  std::filesystem::create_symlink(path, link);
  report({42, 50, 60}, MEASURE);
  poplin::saveWisdom(link);
  CHECK(std::filesystem::is_symlink(link));
  poplin::forgetWisdom();
  poplin::loadWisdom(path);
  CHECK(poplin::wisdomSize() == 2);
  std::remove(link.c_str());
  std::remove(path.c_str());
}

TEST_CASE("wisdom that cannot be used is refused and changes nothing") {
  Fresh const fresh;
  report({40, 50, 60}, MEASURE);
  std::string const good = poplin::exportWisdom();
  auto const with = [&](std::string const &from, std::string const &to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  CHECK_THROWS_AS(poplin::importWisdom(with("isa=", "isa=other")), poplibs_error);
  CHECK_THROWS_AS(poplin::importWisdom(with("version=", "version=9")), poplibs_error);
  CHECK_THROWS_AS(poplin::importWisdom(good.substr(0, good.size() / 2)), poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::loadWisdom("/no/such/file"),
                       "poplin::loadWisdom: '/no/such/file' cannot be read", poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::loadWisdom("."), "poplin::loadWisdom: '.' cannot be read",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::saveWisdom("/no/such/file"),
                       doctest::Contains("poplin::saveWisdom: '/no/such/file' cannot be written"),
                       poplibs_error);
  for (char const *path : {".", "/dev/null"})
    CHECK_THROWS_WITH_AS(poplin::saveWisdom(path), doctest::Contains("is not a regular file"),
                         poplibs_error);
  // Damage within a line is found out at once.
  CHECK_THROWS_WITH_AS(poplin::importWisdom(with("splitK=", "splctK=")),
                       doctest::Contains("wisdom: line 3: plan text: no key 'splctK'"),
                       poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::importWisdom(with(" m=", " m=x")),
                       doctest::Contains("wisdom: line 3: plan text: 'x40' is not a value of 'm'"),
                       poplibs_error);
  CHECK_THROWS_AS(poplin::importWisdom(with("matmul-problem", "matmul-problen")), poplibs_error);
  CHECK_THROWS_AS(poplin::importWisdom(with(" threads=", " thread=")), poplibs_error);
  CHECK_THROWS_AS(poplin::importWisdom(good.substr(0, good.size() - 1)), poplibs_error);
  CHECK(poplin::exportWisdom() == good);
  // A plan that would change the result is found out where it would be used.
  poplin::forgetWisdom();
  poplin::importWisdom(with("splitK=1", "splitK=2"));
  CHECK_THROWS_AS(report({40, 50, 60}, {}), poplibs_error);
}

TEST_SUITE_END();
