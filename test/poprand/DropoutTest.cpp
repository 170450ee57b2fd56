#include "../popops/Pieces.hpp"
#include "Draws.hpp"

using namespace draws;

namespace {

Draw dropoutOf(Type const &type, Values const &values, Shape const &shape, double keep,
               double scale) {
  return [=](RandomRun &run) {
    Tensor const in = run.input(type, shape, values);
    return poprand::dropout(run.graph, &run.seed, 5, in, in, keep, scale, run.prog);
  };
}

void checkFails(char const *text, Draw const &operation) {
  CAPTURE(text);
  std::string message;
  try {
    draw(cpu, operation);
  } catch (poputil::poplibs_error const &error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.find(text) != std::string::npos);
}

} // namespace

TEST_SUITE_BEGIN("poprand/dropout");

TEST_CASE("dropout keeps what bernoulli gives as 1, and scales it") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF})
      for (Shape const &shape : {Shape{}, Shape{0}, Shape{1}, Shape{37, 41}}) {
        Values const values = Numbers(3).real(type, product(shape), 0.5, 2);
        Values const out = draw(device, dropoutOf(type, values, shape, 0.6, 1.5));
        Values const mask = draw(device, [&](RandomRun &run) {
          return poprand::bernoulli(run.graph, &run.seed, 5, run.reference(shape), type, 0.6,
                                    run.prog);
        });
        REQUIRE(out.size() == values.size());
        for (std::size_t i = 0; i != out.size(); ++i)
          REQUIRE(out[i] == (mask[i] == 1 ? rounded(type, values[i] * 1.5) : 0));
      }
  });
}

TEST_CASE("gradients lose the same elements, whatever their layout") {
  RandomRun run(model);
  Values const ones(600, 1);
  Tensor const in = run.input(FLOAT, {20, 30}, ones);
  Tensor const gradient = run.input(FLOAT, {30, 20}, ones).transpose();
  std::size_t const forward =
      run.output(poprand::dropout(run.graph, &run.seed, 5, in, in, 0.5, 2, run.prog));
  std::size_t const backward =
      run.output(poprand::dropout(run.graph, &run.seed, 5, gradient, in, 0.5, 2, run.prog));
  run.run();
  CHECK(run.values(forward) == run.values(backward));
}

TEST_CASE("blocked activations lose the same elements as others, where they lie") {
  std::mt19937 random(71);
  for (int trial = 0; trial != 40; ++trial) {
    CAPTURE(trial);
    std::size_t const block = 1 + random() % 20, channels = block * (1 + random() % 3);
    Shape const shape{1 + random() % 3, channels, 1 + random() % 5, 1 + random() % 30};
    Values const values = Numbers(3).real(HALF, product(shape), 0.5, 2);
    RandomRun run(model16);
    Tensor const in = trial % 2 == 0 ? spreadBlocks(run.graph, HALF, shape, block)
                                     : blocked(run.graph, HALF, shape, block);
    if (trial % 2 != 0) {
      Tensor flat = in.flatten();
      run.graph.reorderToSimplify(&flat, {});
      mapInPieces(run.graph, flat, 1 + random() % 99, random);
    }
    run.write(in, values);
    std::size_t const out =
        run.output(poprand::dropout(run.graph, &run.seed, 5, in, in, 0.6, 1.5, run.prog));
    run.run();
    CHECK(sameBits(run.values(out), draw(cpu, dropoutOf(HALF, values, shape, 0.6, 1.5))));
  }
  RandomRun run(model16);
  Tensor const in = spreadBlocks(run.graph, HALF, {2, 32, 12, 8}, 16);
  poprand::dropout(run.graph, &run.seed, 5, in, in, 0.6, 1.5, run.prog);
  CHECK(stepsOf(run, "OnTileCopy") == 0);
  // Parts of rows before and after whole ones.
  CHECK(run.graph.getNumVertices() <= 3 * MODEL16_TILES);
}

TEST_CASE("what is dropped is 0 even where the input is not a number") {
  Values const out = draw(cpu, dropoutOf(FLOAT, Values(1000, NAN), {1000}, 0.5, 1));
  std::size_t zeros = 0, nans = 0;
  for (double value : out) {
    zeros += value == 0;
    nans += std::isnan(value);
  }
  CHECK(zeros + nans == 1000);
  CHECK(zeros > 400);
  CHECK(nans > 400);
}

TEST_CASE("the probability is rounded down; 1 copies without the scale, 0 drops all") {
  Values const values = Numbers(4).real(FLOAT, 100);
  CHECK(draw(cpu, dropoutOf(FLOAT, values, {100}, 1, 3)) == values);
  CHECK(draw(cpu, dropoutOf(FLOAT, values, {100}, 0.9 / 65536, 3)) == Values(100, 0));
  CHECK(draw(cpu, dropoutOf(FLOAT, values, {100}, 0, 3)) == Values(100, 0));
}

TEST_CASE("the result is mapped as the reference, or as the input") {
  RandomRun run(model);
  Tensor const in = run.graph.addVariable(FLOAT, {6}), reference = run.graph.addVariable(INT, {6});
  run.graph.setTileMapping(in, 1);
  run.graph.setTileMapping(reference, 2);
  auto const tileOf = [&](Tensor const &t) {
    auto const mapping = run.graph.getTileMapping(t);
    return mapping[1].empty() ? 2 : 1;
  };
  CHECK(tileOf(poprand::dropout(run.graph, nullptr, 0, in, reference, 0.5, 1, run.prog)) == 2);
  CHECK(tileOf(poprand::dropout(run.graph, nullptr, 0, in, reference, 0.5, 1, true, run.prog)) ==
        2);
  CHECK(tileOf(poprand::dropout(run.graph, nullptr, 0, in, reference, 0.5, 1, false, run.prog)) ==
        1);
}

TEST_CASE("shapedDropout chooses once for all that share an element of the reference") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF})
      for (Shape const &shape : {Shape{}, Shape{8}, Shape{12, 1}, Shape{12, 8}, Shape{1, 1}}) {
        Values const values = Numbers(5).real(type, 96, 0.5, 2);
        Values const out = draw(device, [&](RandomRun &run) {
          Tensor const in = run.input(type, {12, 8}, values);
          return poprand::shapedDropout(run.graph, &run.seed, 5, in, run.reference(shape), 0.5, 2,
                                        run.prog);
        });
        Values const mask = draw(device, [&](RandomRun &run) {
          return poprand::bernoulli(run.graph, &run.seed, 5, run.reference(shape), type, 0.5,
                                    run.prog);
        });
        REQUIRE(out.size() == 96);
        for (std::size_t i = 0; i != 96; ++i) {
          std::size_t const at = shape.empty() || mask.size() == 1 ? 0
                                 : mask.size() == 8                ? i % 8
                                 : mask.size() == 12               ? i / 8
                                                                   : i;
          REQUIRE(out[i] == 2 * values[i] * mask[at]);
        }
      }
  });
}

TEST_CASE("shapedDropout with probability 1 copies") {
  Values const values = Numbers(6).real(FLOAT, 6);
  CHECK(draw(cpu, [&](RandomRun &run) {
          Tensor const in = run.input(FLOAT, {2, 3}, values);
          return poprand::shapedDropout(run.graph, &run.seed, 5, in, run.reference({3}), 1, 2,
                                        run.prog);
        }) == values);
}

TEST_CASE("errors name the value and what is allowed") {
  Values const values(6);
  checkFails("poprand::dropout: keepProbability = 1.25; it must be in [0, 1]",
             dropoutOf(FLOAT, values, {6}, 1.25, 1));
  checkFails("poprand::dropout: the type of 'input' is int; allowed: float, half",
             dropoutOf(INT, values, {6}, 0.5, 1));
  checkFails("'input' has shape [6], 'reference' has shape [2, 3]; they must be equal",
             [](RandomRun &run) {
               return poprand::dropout(run.graph, &run.seed, 5, run.reference({6}),
                                       run.reference({2, 3}), 0.5, 1, run.prog);
             });
  checkFails("poprand::shapedDropout: 'reference' has shape [4]; it must broadcast",
             [](RandomRun &run) {
               return poprand::shapedDropout(run.graph, &run.seed, 5, run.reference({6}),
                                             run.reference({4}), 0.5, 1, run.prog);
             });
  checkFails("it must broadcast", [](RandomRun &run) {
    return poprand::shapedDropout(run.graph, &run.seed, 5, run.reference({1}), run.reference({4}),
                                  0.5, 1, run.prog);
  });
  checkFails("'input' is an invalid tensor", [](RandomRun &run) {
    return poprand::dropout(run.graph, &run.seed, 5, Tensor(), run.reference({6}), 0.5, 1,
                            run.prog);
  });
}

TEST_SUITE_END();
