#include "../popops/Harness.hpp"

#include <popnn/SpatialSoftMax.hpp>
#include <popnn/codelets.hpp>

TEST_SUITE_BEGIN("popnn/spatialsoftmax");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;

namespace {

Values expectedCoordinates(Shape const &shape, Values const &fields, double temperature,
                           bool softmax) {
  std::size_t const f = shape[0], h = shape[1], w = shape[2];
  auto const at = [](std::size_t i, std::size_t n) {
    return n == 1 ? -1 : -1 + 2 * static_cast<double>(i) / static_cast<double>(n - 1);
  };
  Values coords;
  for (std::size_t k = 0; k != f; ++k) {
    double sum = 0, y = 0, x = 0;
    for (std::size_t i = 0; i != h * w; ++i) {
      double const value = fields[k * h * w + i] / temperature;
      double const p = softmax ? std::exp(value) : value;
      sum += p;
      y += p * at(i / w, h);
      x += p * at(i % w, w);
    }
    coords.push_back(softmax ? y / sum : y);
    coords.push_back(softmax ? x / sum : x);
  }
  return coords;
}

} // namespace

TEST_CASE("expected positions, of fields as they are and of their softmax") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    Numbers numbers(7);
    struct Result {
      Values expected;
      poplar::Type type;
      double terms;
    };
    std::vector<Result> results;
    for (Shape const &shape : {Shape{3, 5, 9}, Shape{1, 1, 4}, Shape{4, 12, 11}})
      for (poplar::Type const &type : {FLOAT, HALF})
        for (bool softmax : {false, true}) {
          Values const fields = numbers.real(type, product(shape), 0, softmax ? 4 : 0.125);
          auto const result = popnn::spatialSoftMax2D(
              run.graph, run.prog, run.input(type, shape, fields), 0.5f, !softmax);
          CHECK(result.first.shape() == Shape{shape[0], 2});
          CHECK(result.second.shape() == Shape{});
          CHECK(result.second.elementType() == type);
          run.output(result.first);
          results.push_back({expectedCoordinates(shape, fields, 0.5, softmax), type,
                             static_cast<double>(product(shape)) / static_cast<double>(shape[0])});
        }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      // A softmax in HALF rounds each of its terms; coordinates add up to no more than 1.
      checkClose(run.values(i), results[i].expected, epsilonOf(results[i].type),
                 16 + results[i].terms / 4, 1);
    }
  });
}

TEST_CASE("the temperature is a variable that programs may write") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  Tensor const fields = run.input(FLOAT, {1, 2, 1}, {1, 5});
  auto const result = popnn::spatialSoftMax2D(run.graph, run.prog, fields, 2.f, true);
  std::size_t const coords = run.output(result.first), temperature = run.output(result.second);
  run.run();
  CHECK(run.values(coords) == Values{2, -3});
  CHECK(run.values(temperature) == Values{2});
}

TEST_CASE("fields of another rank or type are refused") {
  Run run(cpu);
  auto &g = run.graph;
  CHECK_THROWS_WITH_AS(
      popnn::spatialSoftMax2D(g, run.prog, g.addVariable(FLOAT, {3, 4}), 1.f),
      "popnn::spatialSoftMax2D: 'fields' has shape [3, 4]; it must have rank 3: [fields, height, "
      "width]",
      poplar::poplar_error);
  CHECK_THROWS_AS(popnn::spatialSoftMax2D(g, run.prog, g.addVariable(INT, {3, 4, 5}), 1.f),
                  poplar::poplar_error);
}

TEST_SUITE_END();
