// What results depend on, their shapes, and what is refused.
#include "Draws.hpp"

#include <poplar/exceptions.hpp>

using namespace draws;

namespace {

/// Every operation that draws, by name; the modifier is given.
struct Operation {
  char const *name;
  std::function<Tensor(RandomRun &, Tensor const *, unsigned, Tensor const &)> add;
};

std::vector<Operation> const &operations() {
  static std::vector<Operation> const all{
      {"uniform",
       [](RandomRun &run, Tensor const *seed, unsigned modifier, Tensor const &t) {
         return poprand::uniform(run.graph, seed, modifier, t, FLOAT, -1, 3, run.prog);
       }},
      {"uniform half",
       [](RandomRun &run, Tensor const *seed, unsigned modifier, Tensor const &t) {
         return poprand::uniform(run.graph, seed, modifier, t, HALF, -1, 3, run.prog);
       }},
      {"uniform int",
       [](RandomRun &run, Tensor const *seed, unsigned modifier, Tensor const &t) {
         return poprand::uniform(run.graph, seed, modifier, t, INT, 0, 1e6, run.prog);
       }},
      {"logUniform",
       [](RandomRun &run, Tensor const *seed, unsigned modifier, Tensor const &t) {
         return poprand::logUniform(run.graph, seed, modifier, t, FLOAT, 1, 1e6, run.prog);
       }},
      {"bernoulli",
       [](RandomRun &run, Tensor const *seed, unsigned modifier, Tensor const &t) {
         return poprand::bernoulli(run.graph, seed, modifier, t, HALF, 0.5, run.prog);
       }},
      {"normal",
       [](RandomRun &run, Tensor const *seed, unsigned modifier, Tensor const &t) {
         return poprand::normal(run.graph, seed, modifier, t, FLOAT, 1, 2, run.prog);
       }},
      {"truncatedNormal",
       [](RandomRun &run, Tensor const *seed, unsigned modifier, Tensor const &t) {
         return poprand::truncatedNormal(run.graph, seed, modifier, t, FLOAT, 1, 2, 1.5, run.prog);
       }}};
  return all;
}

/// A message that names the function and holds the text.
void checkFails(char const *function, char const *text, Draw const &operation) {
  std::string message;
  try {
    draw(cpu, operation);
  } catch (poputil::poplibs_error const &error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.find(std::string("poprand::") + function) == 0);
  CHECK(message.find(text) != std::string::npos);
}

} // namespace

TEST_SUITE_BEGIN("poprand/randomGen");

TEST_CASE("with a seed, results depend on neither device nor tile mapping") {
  for (Operation const &operation : operations())
    for (Shape const &shape : {Shape{}, Shape{0, 4}, Shape{1}, Shape{63}, Shape{7, 91}}) {
      CAPTURE(operation.name);
      auto const with = [&](DeviceMaker const &device,
                            std::function<void(poplar::Graph &, Tensor const &)> const &map) {
        return draw(device, [&](RandomRun &run) {
          Tensor const reference = run.graph.addVariable(FLOAT, shape);
          map(run.graph, reference);
          Tensor const out = operation.add(run, &run.seed, 5, reference);
          CHECK(out.shape() == shape);
          CHECK(run.graph.getTileMapping(out) == run.graph.getTileMapping(reference));
          return out;
        });
      };
      auto const linear = [](poplar::Graph &graph, Tensor const &t) {
        poputil::mapTensorLinearly(graph, t, 1, 1);
      };
      Values const expected = with(cpu, linear);
      CHECK(sameBits(with(model, linear), expected));
      CHECK(sameBits(
          with(model, [](poplar::Graph &graph, Tensor const &t) { graph.setTileMapping(t, 3); }),
          expected));
      CHECK(sameBits(with(model,
                          [](poplar::Graph &graph, Tensor const &t) {
                            // Regular pieces, irregular ones, and single elements.
                            std::size_t const n = t.numElements();
                            std::size_t const sizes[] = {5, 5, 5, 5, 5, 3, 1, 1, 20};
                            unsigned tile = 0;
                            for (std::size_t i = 0; i < n; ++tile) {
                              std::size_t const end = std::min(n, i + sizes[tile % 9]);
                              graph.setTileMapping(t.flatten().slice(i, end), tile % 4);
                              i = end;
                            }
                          }),
                     expected));
    }
}

TEST_CASE("with a seed, results do not depend on layout") {
  auto const with = [](bool turned) {
    return draw(model, [&](RandomRun &run) {
      Tensor const t = turned ? run.reference({50, 30}).transpose() : run.reference({30, 50});
      return poprand::normal(run.graph, &run.seed, 5, t, FLOAT, 0, 1, run.prog);
    });
  };
  CHECK(sameBits(with(true), with(false)));
}

TEST_CASE("aliases in the reference do not make equal numbers") {
  Values const values = draw(cpu, [](RandomRun &run) {
    Tensor const row = run.reference({1, 10}).broadcast(10, 0);
    return poprand::uniform(run.graph, &run.seed, 5, row, FLOAT, 0, 1, run.prog);
  });
  CHECK(Values(values.begin(), values.begin() + 10) !=
        Values(values.begin() + 10, values.begin() + 20));
}

TEST_CASE("results do not depend on threads") {
  for (Operation const &operation : operations()) {
    CAPTURE(operation.name);
    auto const with = [&](char const *threads, bool seeded) {
      RandomRun run(cpu);
      run.options.set("engine.numThreads", threads);
      std::size_t const out =
          run.output(operation.add(run, seeded ? &run.seed : nullptr, 5, run.reference({100003})));
      run.run();
      return run.values(out);
    };
    for (bool seeded : {true, false}) {
      Values const expected = with("1", seeded);
      CHECK(sameBits(with("2", seeded), expected));
      CHECK(sameBits(with("4", seeded), expected));
    }
  }
}

TEST_CASE("seed and modifier both make a difference") {
  for (Operation const &operation : operations()) {
    CAPTURE(operation.name);
    auto const with = [&](unsigned seed0, unsigned seed1, unsigned modifier) {
      RandomRun run(cpu, seed0, seed1);
      std::size_t const out =
          run.output(operation.add(run, &run.seed, modifier, run.reference({500})));
      run.run();
      return run.values(out);
    };
    Values const expected = with(1, 2, 3);
    CHECK(with(1, 2, 3) == expected);
    CHECK(with(2, 2, 3) != expected);
    CHECK(with(1, 3, 3) != expected);
    CHECK(with(1, 2, 4) != expected);
  }
}

TEST_CASE("a seed is read when the program runs") {
  RandomRun run(cpu);
  Tensor const seed = run.input(UNSIGNED_INT, {2}, {11, 22});
  Tensor const t = run.reference({100});
  std::size_t const a = run.output(poprand::uniform(run.graph, &seed, 5, t, FLOAT, 0, 1, run.prog));
  std::size_t const b =
      run.output(poprand::uniform(run.graph, &run.seed, 5, t, FLOAT, 0, 1, run.prog));
  run.run();
  CHECK(run.values(a) == run.values(b));
}

TEST_CASE("errors name the value and what is allowed") {
  auto const uniform = [](Type const &type, double low, double high) {
    return Draw([=](RandomRun &run) {
      return poprand::uniform(run.graph, &run.seed, 1, run.reference({4}), type, low, high,
                              run.prog);
    });
  };
  checkFails("uniform", "outType is unsigned int; allowed: float, half, int",
             uniform(UNSIGNED_INT, 0, 1));
  checkFails("uniform", "range for uniform distribution invalid: [0, 2147483648]",
             uniform(INT, 0, 2147483648.0));
  checkFails("uniform", "range for uniform distribution invalid: [0.25, 0.75]",
             uniform(INT, 0.25, 0.75));
  checkFails("uniform", "range for uniform distribution invalid: [2, 1]", uniform(FLOAT, 2, 1));
  checkFails("uniform", "range for uniform distribution invalid", uniform(FLOAT, NAN, 1));
  checkFails("uniform", "maxVal = inf; it must be finite", uniform(FLOAT, 0, INFINITY));
  checkFails("uniform", "minVal = -inf; it must be finite", uniform(HALF, -INFINITY, 0));
  checkFails("uniform",
             "the interval [1e+05, 2e+05] holds no number of type half, which ends at 65504",
             uniform(HALF, 1e5, 2e5));
  checkFails("uniform", "which ends at -65504", uniform(HALF, -2e5, -1e5));
  checkFails("uniform", "holds no number of type float", uniform(FLOAT, 1e39, 2e39));

  auto const bernoulli = [](Type const &type, double p) {
    return Draw([=](RandomRun &run) {
      return poprand::bernoulli(run.graph, &run.seed, 1, run.reference({4}), type, p, run.prog);
    });
  };
  checkFails("bernoulli", "prob = 1.5; it must be in [0, 1]", bernoulli(FLOAT, 1.5));
  checkFails("bernoulli", "prob = -0.5", bernoulli(FLOAT, -0.5));
  checkFails("bernoulli", "outType is bool", bernoulli(poplar::BOOL, 0.5));

  auto const logUniform = [](Type const &type, double low, double high, double base) {
    return Draw([=](RandomRun &run) {
      return poprand::logUniform(run.graph, &run.seed, 1, run.reference({4}), type, low, high,
                                 run.prog, base);
    });
  };
  checkFails("logUniform", "minVal = 0.5; it must be at least 1", logUniform(FLOAT, 0.5, 2, 2));
  checkFails("logUniform", "maxVal = 2; it must be above minVal = 2", logUniform(FLOAT, 2, 2, 2));
  checkFails("logUniform", "both must be integers", logUniform(INT, 1, 2.5, 2));
  checkFails("logUniform", "largest number of type half is 65504", logUniform(HALF, 1, 1e5, 2));
  checkFails("logUniform", "largest number of type int", logUniform(INT, 1, 1e10, 2));
  checkFails("logUniform", "no number of type half is in [1.0001, 1.0002]",
             logUniform(HALF, 1.0001, 1.0002, 2));
  checkFails("logUniform", "base = 1; it must be above 0 and not 1", logUniform(FLOAT, 1, 2, 1));

  checkFails("normal", "outType is int; allowed: float, half", [](RandomRun &run) {
    return poprand::normal(run.graph, &run.seed, 1, run.reference({4}), INT, 0, 1, run.prog);
  });
  checkFails("normal", "stdDev = inf; it must be finite", [](RandomRun &run) {
    return poprand::normal(run.graph, &run.seed, 1, run.reference({4}), FLOAT, 0, INFINITY,
                           run.prog);
  });
  checkFails("truncatedNormal", "alpha = 0; it must be above 0", [](RandomRun &run) {
    return poprand::truncatedNormal(run.graph, &run.seed, 1, run.reference({4}), FLOAT, 0, 1, 0,
                                    run.prog);
  });
  checkFails("normal", "'reference' is an invalid tensor", [](RandomRun &run) {
    return poprand::normal(run.graph, &run.seed, 1, Tensor(), FLOAT, 0, 1, run.prog);
  });
}

TEST_CASE("a reference that is mapped nowhere is named at the call") {
  onDevices([](DeviceMaker const &device) {
    for (Operation const &operation : operations()) {
      CAPTURE(operation.name);
      RandomRun run(device);
      Tensor const bare = run.graph.addVariable(FLOAT, {4}, "bare");
      CHECK_THROWS_WITH_AS(operation.add(run, &run.seed, 1, bare), doctest::Contains("bare"),
                           poplar::invalid_tile_mapping);
    }
  });
}

TEST_CASE("a seed has two unsigned integers") {
  auto const with = [](Shape const &shape, Type const &type) {
    return Draw([=](RandomRun &run) {
      Tensor const seed = run.graph.addVariable(type, shape);
      return poprand::uniform(run.graph, &seed, 1, run.reference({4}), FLOAT, 0, 1, run.prog);
    });
  };
  checkFails("uniform", "the seed has shape [3] of type unsigned int; it must be [2]",
             with({3}, UNSIGNED_INT));
  checkFails("uniform", "the seed has shape [1, 2]", with({1, 2}, UNSIGNED_INT));
  checkFails("uniform", "of type int", with({2}, INT));
  checkFails("uniform", "the seed is an invalid tensor", [](RandomRun &run) {
    Tensor const seed;
    return poprand::uniform(run.graph, &seed, 1, run.reference({4}), FLOAT, 0, 1, run.prog);
  });
}

TEST_CASE("logUniform takes any base") {
  auto const with = [](double base) {
    return draw(cpu, [&](RandomRun &run) {
      return poprand::logUniform(run.graph, &run.seed, 1, run.reference({40}), FLOAT, 1, 9,
                                 run.prog, base);
    });
  };
  CHECK(with(2) == with(10));
  CHECK(with(M_E) == draw(cpu, [](RandomRun &run) {
          return poprand::logUniform(run.graph, &run.seed, 1, run.reference({40}), FLOAT, 1, 9,
                                     run.prog);
        }));
}

TEST_CASE("large tensors need few vertices") {
  RandomRun run(cpu);
  Tensor const t = run.graph.addVariable(FLOAT, {10000, 10000});
  run.graph.setTileMapping(t, 0);
  poprand::normal(run.graph, &run.seed, 1, t, HALF, 0, 1, run.prog);
  CHECK(run.graph.getNumVertices() < 200);
  RandomRun tiled(model);
  Tensor const columns = tiled.graph.addVariable(FLOAT, {1000, 70});
  for (unsigned tile = 0; tile != 7; ++tile)
    tiled.graph.setTileMapping(columns.slice(10 * tile, 10 * tile + 10, 1), tile);
  poprand::normal(tiled.graph, &tiled.seed, 1, columns, HALF, 0, 1, tiled.prog);
  CHECK(tiled.graph.getNumVertices() == 7);
}

TEST_SUITE_END();
