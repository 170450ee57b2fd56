// Right operands in the layout that CPU kernels read without packing.
#include "Products.hpp"

#include <poplin/impl/MatMulOperand.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poplin/matmul");

using namespace products;

namespace {

constexpr Shape::value_type PANEL = cottonwood::kernels::MATMUL_PANEL;

bool inPanels(poplar::Graph const &graph, Tensor const &t) {
  Tensor const groups = t.rank() == 2 ? t.expand({0}) : t;
  return cottonwood::poplin::panelOperand(graph, groups).has_value();
}

/// {m, k, n} with weights of more than a quarter of an L2 cache of 4 MB: too large on any machine
/// to be read in place as they are.
Shape const LARGE[] = {{40, 1100, 260}, {7, 300, 1000}, {24, 3000, 96}};

} // namespace

TEST_CASE("on a CPU large right operands are made in panels, small and training ones row by row") {
  Products all(cpu);
  auto &graph = all.run.graph;
  auto const make = [&](Shape const &s, char const *pass) {
    poplar::OptionFlags const options{{"fullyConnectedPass", pass}};
    return poplin::createMatMulInputRHS(graph, FLOAT, {s[0], s[1]}, {s[1], s[2]}, "b", options);
  };
  for (Shape const &s : LARGE) {
    CAPTURE(sizeText(s));
    CHECK(inPanels(graph, make(s, "NONE")));
    CHECK(inPanels(graph, make(s, "INFERENCE_FWD")));
    CHECK(make(s, "TRAINING_FWD").isContiguous());
    CHECK(make({1, s[1], s[2]}, "NONE").isContiguous());
  }
  CHECK(make({40, 30, 20}, "NONE").isContiguous());
}

TEST_CASE("products with a right operand in panels have the bits of those with a plain one") {
  for (Shape const &s : LARGE)
    for (Type const &type : {FLOAT, HALF}) {
      CAPTURE(sizeText(s));
      Products all(cpu, 3);
      auto &graph = all.run.graph;
      Matrix const a = all.random(type, {2, s[0], s[1]}), b = all.random(type, {2, s[1], s[2]});
      Tensor const left = all.input(type, a, a.shape), plain = all.input(type, b, b.shape);
      Tensor const panels =
          poplin::preArrangeMatMulGroupedInputRHS(graph, a.shape, plain, all.run.prog, FLOAT, "b");
      REQUIRE(inPanels(graph, panels));
      std::vector<std::size_t> outputs;
      for (Tensor const &right : {plain, panels}) {
        Tensor const c = poplin::matMulGrouped(graph, left, right, all.run.prog, FLOAT);
        outputs.push_back(all.run.output(c));
        if (outputs.size() == 1)
          all.expect("plain", c, expectation(a, b, FLOAT));
      }
      all.run.options.set("engine.numThreads", "2");
      all.runAndCheck();
      CHECK(all.run.values(outputs[0]) == all.run.values(outputs[1]));
    }
}

TEST_CASE("the host writes and reads an operand in panels like any other") {
  Products all(cpu);
  Shape const s = LARGE[0];
  Matrix const b = all.random(FLOAT, {1, s[1], s[2]});
  Tensor const t =
      poplin::createMatMulInputRHS(all.run.graph, FLOAT, {s[0], s[1]}, {s[1], s[2]}, "b");
  all.run.write(t, b.values);
  std::size_t const whole = all.run.output(t), row = all.run.output(t[5]);
  all.run.run();
  CHECK(all.run.values(whole) == b.values);
  CHECK(all.run.values(row) == Values(b.values.begin() + static_cast<std::ptrdiff_t>(5 * s[2]),
                                      b.values.begin() + static_cast<std::ptrdiff_t>(6 * s[2])));
}

TEST_CASE("parts and the transpose of an operand in panels multiply as they should") {
  Products all(cpu);
  auto &graph = all.run.graph;
  Shape const s = LARGE[0];
  Matrix const b = all.random(FLOAT, {1, s[1], s[2]});
  Tensor const t = poplin::createMatMulInputRHS(graph, FLOAT, {s[0], s[1]}, {s[1], s[2]}, "b");
  all.run.write(t, b.values);
  auto const part = [&](std::size_t p0, std::size_t p1, std::size_t j0, std::size_t j1) {
    Matrix m{{1, p1 - p0, j1 - j0}, {}};
    for (std::size_t p = p0; p != p1; ++p)
      for (std::size_t j = j0; j != j1; ++j)
        m.values.push_back(b.at(0, p, j));
    Matrix const a = all.random(FLOAT, {1, 33, p1 - p0});
    Tensor const c = poplin::matMul(graph, all.input(FLOAT, a, {33, p1 - p0}),
                                    t.slice({p0, j0}, {p1, j1}), all.run.prog);
    all.expect("part", c, expectation(a, m, FLOAT));
  };
  part(0, s[1], 0, s[2]);
  part(3, 400, PANEL, 5 * PANEL);     // whole panels
  part(3, 4, PANEL, s[2]);            // one row
  part(0, s[1], 5, 200);              // begins inside a panel
  part(0, 100, 2 * PANEL, 3 * PANEL); // one panel
  part(0, 100, 2 * PANEL, 3 * PANEL + 1);

  Matrix turned{{1, s[2], s[1]}, {}};
  for (std::size_t j = 0; j != s[2]; ++j)
    for (std::size_t p = 0; p != s[1]; ++p)
      turned.values.push_back(b.at(0, p, j));
  Matrix const a = all.random(FLOAT, {1, 20, s[2]});
  all.expect("transposed",
             poplin::matMul(graph, all.input(FLOAT, a, {20, s[2]}), t.transpose(), all.run.prog),
             expectation(a, turned, FLOAT));
  Matrix const right = all.random(FLOAT, {1, s[2], 30});
  all.expect("left", poplin::matMul(graph, t, all.input(FLOAT, right, {s[2], 30}), all.run.prog),
             expectation(b, right, FLOAT));
  all.runAndCheck();
}

TEST_SUITE_END();
