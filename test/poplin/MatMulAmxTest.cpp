// Products large enough for matrix tiles and for half arithmetic. On other sets the same products
// are computed by multiply-adds; ctest runs this suite with the software twins too.
#include "Products.hpp"

#include <poplar/IeeeHalf.hpp>
#include <poplin/Fused.hpp>
#include <poplin/Kernels.hpp>
#include <popops/ElementWise.hpp>

#include <codelets/arch/CpuFeatures.hpp>

#include <sstream>
#include <string_view>

TEST_SUITE_BEGIN("poplin/matmul");

using namespace products;

namespace {

std::string planOf(Type const &in, Type const &out, Shape const &mkn, char const *partials) {
  Products all(cpu);
  std::ostringstream text;
  poplin::matMulReportPlan(text, all.run.graph, in, out, {mkn[0], mkn[1]}, {mkn[1], mkn[2]},
                           {{"partialsType", partials}});
  return text.str();
}

/// The name of the method in the plan for a product that is large enough.
void checkMethod(Type const &in, Type const &out, char const *partials, char const *bfloat,
                 char const *half) {
  auto const isa = cottonwood::isa::activeIsa();
  auto const tiles = cottonwood::isa::tilesOf(isa);
  bool const halfArithmetic = cottonwood::isa::hasHalfArithmetic(isa);
  std::string const method =
      tiles == cottonwood::isa::Tiles::None
          ? halfArithmetic && in == HALF && out == HALF && std::string_view(partials) == "half"
                ? "fp16"
                : "blocked"
      : tiles == cottonwood::isa::Tiles::Bfloat ? bfloat
                                                : half;
  std::string const plan = planOf(in, out, {200, 300, 250}, partials);
  CAPTURE(plan);
  CHECK(plan.find("method=" + method) != std::string::npos);
}

} // namespace

TEST_CASE("the plan of a CPU says which products run on matrix tiles or by half arithmetic") {
  checkMethod(FLOAT, FLOAT, "float", "amx6", "amx6");
  checkMethod(FLOAT, HALF, "float", "amx6", "amx6");
  checkMethod(HALF, FLOAT, "float", "amx4", "amx1");
  checkMethod(HALF, HALF, "float", "amx4", "amx1");
  checkMethod(HALF, HALF, "half", "amx3", "amx1");
  checkMethod(HALF, FLOAT, "half", "amx4", "amx1"); // partials are never smaller than the result
  CHECK(planOf(FLOAT, FLOAT, {8, 300, 250}, "float").find("amx") == std::string::npos);
}

TEST_CASE("large products of all types equal the sums of the definition") {
  Products all(cpu);
  for (Type const &in : {FLOAT, HALF})
    for (Type const &out : {FLOAT, HALF})
      for (bool halfPartials : {false, true})
        for (Shape const &s : {Shape{130, 131, 140}, Shape{60, 33, 61}, Shape{257, 64, 97}}) {
          Matrix const a = all.random(in, {1, s[0], s[1]}), b = all.random(in, {1, s[1], s[2]});
          Tensor const x = all.input(in, a, {s[0], s[1]}), y = all.input(in, b, {s[1], s[2]});
          all.expect(sizeText(s),
                     poplin::matMul(all.run.graph, x, y, all.run.prog, out, "c",
                                    {{"partialsType", halfPartials ? "half" : "float"}}),
                     expectation(a, b, out, halfPartials ? HALF : FLOAT));
        }
  all.runAndCheck();
}

TEST_CASE("long sums of halves with half partials, in parts of K") {
  Products all(cpu);
  Matrix const a = all.random(HALF, {1, 40, 16500}), b = all.random(HALF, {1, 16500, 33});
  Tensor const x = all.input(HALF, a, {40, 16500}), y = all.input(HALF, b, {16500, 33});
  all.expect(
      "parts",
      poplin::matMul(all.run.graph, x, y, all.run.prog, HALF, "c", {{"partialsType", "half"}}),
      expectation(a, b, HALF, HALF));
  all.runAndCheck();
}

TEST_CASE("large products of transposed, broadcast and grouped views") {
  Products all(cpu);
  auto &graph = all.run.graph;
  auto &prog = all.run.prog;
  Matrix const a = all.random(FLOAT, {2, 130, 70}), b = all.random(FLOAT, {2, 70, 136});
  Tensor const x = all.input(FLOAT, a, {2, 130, 70}), y = all.input(FLOAT, b, {2, 70, 136});
  all.expect("grouped", poplin::matMulGrouped(graph, x, y, prog, FLOAT), expectation(a, b, FLOAT));
  Tensor const turned =
      poplin::matMulGrouped(graph, y.dimShuffle({0, 2, 1}), x.dimShuffle({0, 2, 1}), prog, FLOAT);
  all.expect("transposed", turned.dimShuffle({0, 2, 1}), expectation(a, b, FLOAT));
  Matrix rows = a;
  for (std::size_t i = 0; i != rows.values.size(); ++i)
    rows.values[i] = a.values[i / (130 * 70) * (130 * 70) + i % 70];
  all.expect("broadcast",
             poplin::matMulGrouped(graph, x.slice(0, 1, 1).broadcast(130, 1), y, prog, FLOAT),
             expectation(rows, b, FLOAT));
  all.runAndCheck();
}

TEST_CASE("infinity and NaN in large products stay in their rows and columns") {
  double const inf = std::numeric_limits<double>::infinity();
  for (Type const &in : {FLOAT, HALF}) {
    Products all(cpu);
    Matrix a = all.random(in, {1, 140, 64}), b = all.random(in, {1, 64, 150});
    a.values[7 * 64 + 9] = inf, b.values[20 * 150 + 31] = std::nan("");
    b.values[9 * 150 + 77] = 0; // infinity * 0
    all.expect("special values",
               poplin::matMul(all.run.graph, all.input(in, a, {140, 64}),
                              all.input(in, b, {64, 150}), all.run.prog, FLOAT),
               expectation(a, b, FLOAT));
    all.runAndCheck();
  }
}

TEST_CASE("kernels on plain memory and fused epilogues have the bits of large products") {
  std::size_t const m = 150, k = 90, n = 140;
  Products all(cpu);
  auto &graph = all.run.graph;
  auto &prog = all.run.prog;
  Matrix const a = all.random(FLOAT, {1, m, k}), b = all.random(FLOAT, {1, k, n});
  Matrix const bias = all.random(FLOAT, {1, 1, n});
  Tensor const x = all.input(FLOAT, a, {m, k}), y = all.input(FLOAT, b, {k, n});
  Tensor const z = all.input(FLOAT, bias, {n});
  Tensor const c = poplin::matMul(graph, x, y, prog);
  std::size_t const plain = all.run.output(c);
  std::size_t const apart = all.run.output(popops::add(graph, c, z, prog));
  std::size_t const fused = all.run.output(poplin::matMulBias(graph, x, y, z, prog));
  all.run.run();
  std::vector<float> const left(a.values.begin(), a.values.end());
  std::vector<float> const right(b.values.begin(), b.values.end());
  std::vector<float> out(m * n);
  poplin::kernels::matMul(poplin::kernels::matrix(left.data(), m, k),
                          poplin::kernels::matrix(right.data(), k, n),
                          poplin::kernels::matrix(out.data(), m, n));
  CHECK(all.run.values(plain) == Values(out.begin(), out.end()));
  CHECK(all.run.values(fused) == all.run.values(apart));
}

TEST_SUITE_END();
