#include "../popops/Harness.hpp"

#include <poplin/MeshGrid.hpp>

TEST_SUITE_BEGIN("poplin/meshgrid");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;

TEST_CASE("numbers at equal distances, added up from the left") {
  Run run(model);
  for (poplar::Type const &type : {FLOAT, HALF})
    for (std::size_t count : {1u, 2u, 7u, 100u})
      run.output(poplin::linspace(run.graph, type, -1.f, 2.5f, count));
  Tensor const none = poplin::linspace(run.graph, FLOAT, 0.f, 1.f, 0);
  CHECK(none.shape() == Shape{0});
  run.run();
  std::size_t i = 0;
  for (poplar::Type const &type : {FLOAT, HALF})
    for (std::size_t count : {1u, 2u, 7u, 100u}) {
      Values expected;
      float next = -1.f, step = count > 1 ? 3.5f / static_cast<float>(count - 1) : 0.f;
      for (std::size_t k = 0; k != count; ++k, next += step)
        expected.push_back(rounded(type, static_cast<double>(next)));
      CHECK(run.values(i++) == expected);
    }
}

TEST_CASE("a constant on tile 0") {
  Run run(model);
  Tensor const t = poplin::linspace(run.graph, FLOAT, 0.f, 1.f, 5);
  CHECK(t.containsConstant());
  CHECK(run.graph.getTileMapping(t)[0].size() == 1);
  CHECK_THROWS_WITH_AS(poplin::linspace(run.graph, FLOAT, 0.f, 1.f, ~std::size_t{0}),
                       "poplin::linspace: count is 18446744073709551615; it must be at most "
                       "4294967295",
                       poplar::poplar_error);
  CHECK_THROWS_WITH_AS(poplin::linspace(run.graph, INT, 0.f, 1.f, 5),
                       "poplin::linspace: type is int; allowed: float, half", poplar::poplar_error);
}

TEST_CASE("a mesh repeats x along rows and y along columns, as views") {
  Run run(cpu);
  Tensor const x = run.input(FLOAT, {3}, {1, 2, 3}), y = run.input(FLOAT, {2}, {10, 20});
  auto const mesh = poplin::meshgrid2d(run.graph, x, y);
  REQUIRE(mesh.size() == 2);
  CHECK(mesh[0].shape() == Shape{2, 3});
  CHECK(mesh[0].containsAliases());
  run.output(mesh[0]);
  run.output(mesh[1]);
  run.run();
  CHECK(run.values(0) == Values{1, 2, 3, 1, 2, 3});
  CHECK(run.values(1) == Values{10, 10, 10, 20, 20, 20});
}

TEST_CASE("a mesh of other ranks and types is refused") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const x = g.addVariable(FLOAT, {3}), matrix = g.addVariable(FLOAT, {3, 2}),
               half = g.addVariable(HALF, {3});
  CHECK_THROWS_WITH_AS(poplin::meshgrid2d(g, x, matrix),
                       "poplin::meshgrid2d: 'y' has shape [3, 2]; it must have rank 1",
                       poplar::poplar_error);
  CHECK_THROWS_WITH_AS(poplin::meshgrid2d(g, x, half),
                       "poplin::meshgrid2d: 'x' is of type float, 'y' of type half; they must be "
                       "equal",
                       poplar::poplar_error);
}

TEST_SUITE_END();
