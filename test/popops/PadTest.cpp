#include "Harness.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>
#include <poputil/exceptions.hpp>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using popops::padding::MappingMethod;
using popops::padding::Type;
using poputil::poplibs_error;
using Widths = std::vector<std::ptrdiff_t>;

TEST_SUITE_BEGIN("popops/pad");

namespace {

// What padding of one dimension gives, from the definition: where an element comes from.
std::ptrdiff_t sourceOf(std::ptrdiff_t i, std::ptrdiff_t n, Type type) {
  if (type == Type::EDGE)
    return std::min(std::max<std::ptrdiff_t>(i, 0), n - 1);
  return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
}

// Pads [rows, columns] by an index function; -1 stands for the constant.
template <class Source>
Values padded(Values const &in, Shape const &shape, Widths const &lower, Widths const &upper,
              double constant, Source const &source) {
  Values out;
  auto const rows = static_cast<std::ptrdiff_t>(shape[0]),
             columns = static_cast<std::ptrdiff_t>(shape[1]);
  for (std::ptrdiff_t r = -lower[0]; r < rows + upper[0]; ++r)
    for (std::ptrdiff_t c = -lower[1]; c < columns + upper[1]; ++c) {
      std::ptrdiff_t const sr = source(r, rows), sc = source(c, columns);
      bool const inside = sr >= 0 && sr < rows && sc >= 0 && sc < columns;
      out.push_back(inside ? in[static_cast<std::size_t>(sr * columns + sc)] : constant);
    }
  return out;
}

auto const keep = [](std::ptrdiff_t i, std::ptrdiff_t) { return i; };

} // namespace

TEST_CASE("constants, tensors and own elements around random matrices") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    std::vector<std::pair<std::size_t, Values>> results;
    for (int round = 0; round != 12; ++round) {
      Shape const shape{1 + numbers.below(5), 1 + numbers.below(5)};
      Widths lower, upper;
      for (std::size_t d = 0; d != 2; ++d) {
        auto const n = static_cast<std::ptrdiff_t>(shape[d]);
        lower.push_back(static_cast<std::ptrdiff_t>(numbers.below(2 * shape[d])) - n);
        upper.push_back(static_cast<std::ptrdiff_t>(numbers.below(2 * shape[d])) - n);
        if (lower[d] + upper[d] + n < 0)
          upper[d] = -lower[d] - n;
      }
      CAPTURE(round);
      Values const values = numbers.integer(product(shape), -9, 9);
      Tensor const t = run.input(round % 2 ? HALF : FLOAT, shape, values);
      auto const add = [&](Tensor const &out, Values const &expected) {
        CHECK(out.dim(0) == static_cast<std::size_t>(lower[0] + upper[0]) + shape[0]);
        CHECK(out.dim(1) == static_cast<std::size_t>(lower[1] + upper[1]) + shape[1]);
        results.emplace_back(run.output(out), expected);
      };
      add(popops::pad(run.graph, t, lower, upper), padded(values, shape, lower, upper, 0, keep));
      add(popops::pad(run.graph, t, lower, upper, 7, MappingMethod::EDGE),
          padded(values, shape, lower, upper, 7, keep));
      Tensor const value = run.input(t.elementType(), {1}, {3});
      add(popops::pad(run.graph, t, lower, upper, value),
          padded(values, shape, lower, upper, 3, keep));
      for (Type type : {Type::EDGE, Type::REFLECT})
        add(popops::pad(t, lower, upper, type),
            padded(values, shape, lower, upper, 0,
                   [&](std::ptrdiff_t i, std::ptrdiff_t n) { return sourceOf(i, n, type); }));
    }
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("one dimension, rank 0 and tensors without elements") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const t = run.input(INT, {3}, {1, 2, 3});
  std::size_t const constant = run.output(popops::pad(g, t, 1, -1, 0, 5)),
                    floating = run.output(popops::pad(g, t, 0, 2, 0, 1.f)),
                    reflected = run.output(popops::pad(t, 2, 2, 0, Type::REFLECT)),
                    tensor = run.output(popops::pad(g, t, 1, 0, 0, t.slice(2, 3)));
  Tensor const scalar = run.input(FLOAT, {}, {4});
  CHECK(popops::pad(g, scalar, {}, {}) == scalar);
  CHECK(popops::pad(scalar, {}, {}, Type::EDGE) == scalar);
  CHECK(popops::pad(g, t, 0, 0, 0) == t);
  Tensor const none = g.addVariable(FLOAT, {0, 2});
  std::size_t const fresh = run.output(popops::pad(g, none, {2, 0}, {0, 0}, 6.f));
  CHECK(popops::pad(g, none, {0, 1}, {0, 1}).shape() == Shape{0, 4});
  run.run();
  CHECK(run.values(constant) == Values{5, 1, 2});
  CHECK(run.values(floating) == Values{1, 2, 3, 1, 1});
  CHECK(run.values(reflected) == Values{3, 2, 1, 2, 3, 2, 1});
  CHECK(run.values(tensor) == Values{3, 1, 2, 3});
  CHECK(run.values(fresh) == Values(4, 6));
}

TEST_CASE("padding is a view, and is mapped as asked") {
  Run run(model);
  auto &g = run.graph;
  Tensor const t = g.addVariable(FLOAT, {2, 2});
  g.setTileMapping(t[0], 3);
  g.setTileMapping(t[1], 5);
  Tensor const zero = popops::pad(g, t, {1, 0}, {2, 0}, 1.f);
  CHECK(zero.slice(1, 3) == t);
  CHECK(g.getTileMapping(zero[0])[0].size() == 1);
  Tensor const edge = popops::pad(g, t, {1, 0}, {2, 0}, 1.f, MappingMethod::EDGE);
  CHECK(g.getTileMapping(edge[0])[3].size() == 1);
  CHECK(g.getTileMapping(edge[3])[5].size() == 1);
  CHECK(g.getTileMapping(edge[4])[5].size() == 1);
  bool complete = true;
  g.getTileMapping(popops::pad(g, t, {1, 0}, {0, 0}, 1, MappingMethod::NONE), &complete);
  CHECK(!complete);
  Tensor const value = g.addVariable(FLOAT, {});
  CHECK(popops::pad(g, t, {0, 1}, {0, 0}, value).slice(0, 1, 1).intersectsWith(value));
  CHECK(g.getTileMapping(value)[0].size() == 1);
  Tensor const mapped = g.addVariable(FLOAT, {});
  g.setTileMapping(mapped, 4);
  popops::pad(g, t, {0, 1}, {0, 0}, mapped);
  CHECK(g.getTileMapping(mapped)[4].size() == 1);
}

TEST_CASE("no padding is made that is taken away again") {
  Run run(model);
  auto &g = run.graph;
  Tensor const t = run.input(FLOAT, {4, 4}, Values(16, 2));
  Tensor const padded = popops::pad(g, t, {1, -1}, {-2, 1}, 5.f, MappingMethod::NONE);
  CHECK(padded.shape() == Shape{3, 4});
  g.setTileMapping(padded, 3);
  std::size_t const out = run.output(popops::abs(g, padded, run.prog));
  run.run();
  CHECK(run.values(out) == Values{5, 5, 5, 5, 2, 2, 2, 5, 2, 2, 2, 5});
}

TEST_CASE("what cannot be padded is an error that says so") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const t = g.addVariable(FLOAT, {2, 3}), none = g.addVariable(FLOAT, {0});
  CHECK_THROWS_WITH_AS(popops::pad(g, t, {1}, {1, 1}),
                       "popops::pad: 'paddingLower' has 1 elements and 'paddingUpper' 2; for 't' "
                       "of shape [2, 3] both must have 2",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::pad(g, t, 1, 1, 2),
      "popops::pad: 'dim' = 2 is out of range for 't' of shape [2, 3]; dimensions must be below 2",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::pad(g, t, -2, -2, 1),
                       "popops::pad: padding of -2 and -2 in dimension 1 of 't' of shape [2, 3] "
                       "takes away more elements than there are",
                       poplibs_error);
  CHECK_THROWS_AS(popops::pad(g, t, -4, 9, 1), poplibs_error);
  CHECK_THROWS_AS(popops::pad(t, 9, -4, 1, Type::EDGE), poplibs_error);
  CHECK_THROWS_WITH_AS(popops::pad(g, t, 1, 1, 1, t),
                       "popops::pad: 'val' has shape [2, 3]; it must have one element",
                       poplibs_error);
  CHECK_THROWS_AS(popops::pad(g, t, 1, 1, 1, g.addVariable(HALF, {})), poplibs_error);
  CHECK_THROWS_WITH_AS(popops::pad(t, 0, 3, 1, Type::REFLECT),
                       "popops::pad: Type::REFLECT with 3 in dimension 1 of 't' of shape [2, 3]; "
                       "it must be less than the dimension",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::pad(none, 1, 0, 0, Type::EDGE),
                       "popops::pad: Type::EDGE in dimension 0 of 't' of shape [0]; the dimension "
                       "must have an element",
                       poplibs_error);
  CHECK_THROWS_AS(popops::pad(g, none, 1, 0, 0, 0.f, MappingMethod::EDGE), poplibs_error);
  CHECK_THROWS_WITH_AS(popops::pad(g, Tensor(), 1, 0, 0), "popops::pad: 't' is an invalid tensor",
                       poplibs_error);
}

TEST_SUITE_END();
