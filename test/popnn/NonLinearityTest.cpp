#include "Rows.hpp"

#include <poplar/exceptions.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

TEST_SUITE_BEGIN("popnn/nonLinearity");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using popnn::NonLinearityType;
using poputil::poplibs_error;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double forward(NonLinearityType type, double x) {
  switch (type) {
  case NonLinearityType::SIGMOID:
    return sigmoid(x);
  case NonLinearityType::HARD_SIGMOID:
    return std::max(0., std::min(1., 0.2 * x + 0.5));
  case NonLinearityType::RELU:
    return std::max(0., x);
  case NonLinearityType::TANH:
    return std::tanh(x);
  case NonLinearityType::GELU:
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  case NonLinearityType::GELU_ERF:
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.)));
  default:
    return x * sigmoid(x);
  }
}

bool takesInput(NonLinearityType type) {
  return type == NonLinearityType::HARD_SIGMOID || type == NonLinearityType::GELU ||
         type == NonLinearityType::GELU_ERF || type == NonLinearityType::SWISH;
}

constexpr NonLinearityType ELEMENTWISE[] = {
    NonLinearityType::SIGMOID, NonLinearityType::HARD_SIGMOID, NonLinearityType::RELU,
    NonLinearityType::TANH,    NonLinearityType::GELU,         NonLinearityType::GELU_ERF,
    NonLinearityType::SWISH};

Values softmax(Values const &in, std::size_t columns, double factor = 1) {
  Values out(in.size());
  for (std::size_t row = 0; row != in.size() / columns; ++row) {
    double sum = 0;
    for (std::size_t c = 0; c != columns; ++c)
      sum += std::exp(in[row * columns + c]);
    for (std::size_t c = 0; c != columns; ++c)
      out[row * columns + c] = factor * std::exp(in[row * columns + c]) / sum;
  }
  return out;
}

} // namespace

TEST_CASE("elementwise functions and their gradients agree with their formulas") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t output;
      Values expected;
      double epsilon;
    };
    std::vector<Result> results;
    for (NonLinearityType type : ELEMENTWISE)
      for (poplar::Type const &element : {FLOAT, HALF}) {
        Values const x = numbers.real(element, 60, -3, 3), g = numbers.real(element, 60);
        Tensor const in = run.input(element, {4, 15}, x);
        Values y(60), gradient(60), act(60);
        for (std::size_t i = 0; i != 60; ++i) {
          double const h = 1e-5;
          y[i] = forward(type, x[i]);
          act[i] = takesInput(type) ? x[i] : rounded(element, y[i]);
          gradient[i] = g[i] * (forward(type, x[i] + h) - forward(type, x[i] - h)) / (2 * h);
        }
        results.push_back({run.output(popnn::nonLinearity(run.graph, type, in, run.prog)), y,
                           epsilonOf(element)});
        Tensor const back =
            popnn::nonLinearityInputGradient(run.graph, type, run.input(element, {4, 15}, act),
                                             run.input(element, {4, 15}, g), run.prog);
        results.push_back({run.output(back), gradient, std::max(epsilonOf(element), 1e-8)});
        popnn::nonLinearityInPlace(run.graph, type, in, run.prog);
        results.push_back({run.output(in), y, epsilonOf(element)});
      }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      checkClose(run.values(results[i].output), results[i].expected, results[i].epsilon, 16, 2);
    }
  });
}

TEST_CASE("softmax of rows, scaled and stable, and its gradient") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    Numbers numbers;
    struct Result {
      std::size_t output;
      Values expected;
      double epsilon;
    };
    std::vector<Result> results;
    for (poplar::Type const &type : {FLOAT, HALF}) {
      Values const x = numbers.real(type, 2 * 5 * 19, -4, 4);
      Tensor const in = run.input(type, {2, 5, 19}, x);
      double const epsilon = epsilonOf(type);
      results.push_back(
          {run.output(popnn::softmax(run.graph, in, run.prog)), softmax(x, 19), epsilon});
      results.push_back(
          {run.output(popnn::softmaxStable(run.graph, in, run.prog)), softmax(x, 19), epsilon});
      float scaling = 0;
      results.push_back({run.output(popnn::scaledSoftmaxStable(run.graph, in, scaling, run.prog)),
                         softmax(x, 19, 62000), epsilon});
      CHECK(scaling == 62000);
      Values logs = softmax(x, 19);
      for (double &value : logs)
        value = std::log(value);
      results.push_back({run.output(popnn::logSoftmax(run.graph, in, run.prog)), logs, epsilon});
      Values const g = numbers.real(type, x.size());
      Values y = softmax(x, 19), gradient(x.size());
      for (double &value : y)
        value = rounded(type, value);
      for (std::size_t row = 0; row != 10; ++row) {
        double sum = 0;
        for (std::size_t c = row * 19; c != row * 19 + 19; ++c)
          sum += g[c] * y[c];
        for (std::size_t c = row * 19; c != row * 19 + 19; ++c)
          gradient[c] = g[c] * y[c] - y[c] * sum;
      }
      Tensor const back = popnn::nonLinearityInputGradient(run.graph, NonLinearityType::SOFTMAX,
                                                           run.input(type, {10, 19}, y),
                                                           run.input(type, {10, 19}, g), run.prog);
      results.push_back({run.output(back), gradient, epsilon});
      popnn::softmaxInPlace(run.graph, in.dimShuffle({2, 0, 1}).dimShuffle({1, 2, 0}), run.prog);
      results.push_back({run.output(in), softmax(x, 19), epsilon});
    }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      checkClose(run.values(results[i].output), results[i].expected, results[i].epsilon, 32, 1);
    }
  });
}

TEST_CASE("softmax of rows that lie on tiles in several ways") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(5);
    for (rows::Places places : rows::PLACES) {
      Run run(device);
      popnn::addCodelets(run.graph);
      struct Result {
        std::size_t output;
        Values expected;
        double epsilon;
      };
      std::vector<Result> results;
      for (Shape const &shape : rows::SHAPES)
        for (poplar::Type const &type : {FLOAT, HALF}) {
          Values const x = numbers.real(type, product(shape), -4, 4);
          Values const exact = softmax(x, shape[1]);
          Values logs = exact, y = exact;
          for (double &value : logs)
            value = std::log(value);
          for (double &value : y)
            value = rounded(type, value);
          auto const input = [&](Values const &values) {
            return rows::placed(run, type, shape, values, places, numbers);
          };
          auto const add = [&](Tensor const &t, Values const &expected) {
            results.push_back({run.output(t), expected, epsilonOf(type)});
          };
          Tensor const in = input(x);
          float scaling = 0;
          add(popnn::softmax(run.graph, in, run.prog), exact);
          add(popnn::softmaxStable(run.graph, in, run.prog), exact);
          add(popnn::scaledSoftmaxStable(run.graph, in, scaling, run.prog),
              softmax(x, shape[1], 62000));
          add(popnn::logSoftmax(run.graph, in, run.prog), logs);
          Values const g = numbers.real(type, x.size());
          Values gradient(x.size());
          for (std::size_t begin = 0; begin != x.size(); begin += shape[1]) {
            double sum = 0;
            for (std::size_t i = begin; i != begin + shape[1]; ++i)
              sum += g[i] * y[i];
            for (std::size_t i = begin; i != begin + shape[1]; ++i)
              gradient[i] = g[i] * y[i] - y[i] * sum;
          }
          add(popnn::nonLinearityInputGradient(run.graph, NonLinearityType::SOFTMAX, input(y),
                                               input(g), run.prog),
              gradient);
          popnn::logSoftmaxInPlace(run.graph, in, run.prog);
          add(in, logs);
        }
      run.run();
      for (std::size_t i = 0; i != results.size(); ++i) {
        CAPTURE(i);
        checkClose(run.values(results[i].output), results[i].expected, results[i].epsilon, 32, 1);
      }
    }
  });
}

TEST_CASE("softmax of long rows with numbers that are none") {
  onDevices([](DeviceMaker const &device) {
    std::size_t const n = 3001;
    for (poplar::Type const &type : {FLOAT, HALF}) {
      Run run(device);
      popnn::addCodelets(run.graph);
      Values x(5 * n, -2), expected(5 * n, 1. / static_cast<double>(n));
      auto const row = [&](Values &values, std::size_t index) {
        return values.begin() + static_cast<std::ptrdiff_t>(index * n);
      };
      x[7] = std::nan("");
      std::fill(row(expected, 0), row(expected, 1), std::nan(""));
      x[n + 2999] = INFINITY;
      std::fill(row(expected, 1), row(expected, 2), std::nan(""));
      std::fill(row(x, 2), row(x, 3), -INFINITY);
      std::fill(row(expected, 2), row(expected, 3), std::nan(""));
      std::fill(row(x, 3), row(x, 4), -INFINITY);
      std::fill(row(expected, 3), row(expected, 4), 0);
      x[3 * n + 1500] = -9;
      expected[3 * n + 1500] = 1;
      std::fill(row(x, 4), row(x, 5), 60000); // overflows but for the maximum
      Tensor const in = run.input(type, {5, n}, x);
      Values logs = expected;
      for (double &value : logs)
        value = std::log(value);
      std::size_t const out = run.output(popnn::softmaxStable(run.graph, in, run.prog)),
                        outLogs = run.output(popnn::logSoftmax(run.graph, in, run.prog));
      run.run();
      checkClose(run.values(out), expected, epsilonOf(type), 16);
      checkClose(run.values(outLogs), logs, epsilonOf(type), 16);
    }
  });
}

TEST_CASE("sums over rows of a million are as exact as those of 65536") {
  // 64 large terms, one for each partial sum, to which all others add next to nothing: each
  // addition would lose up to 2^-24 of them, 16384 times.
  std::size_t const rows = 3, n = (std::size_t{1} << 20) + 70;
  Values x(rows * n, -12.1);
  for (std::size_t i = 0; i != rows * n; ++i)
    if (i % n < 64)
      x[i] = 0;
  x.back() = -100; // the last row has more than exponentials that are normal numbers
  for (poplar::Type const &type : {FLOAT, HALF}) {
    Run run(cpu);
    popnn::addCodelets(run.graph);
    for (double &value : x)
      value = rounded(type, value);
    Values const expected = softmax(x, n);
    Values logs = expected;
    for (double &value : logs)
      value = std::log(value);
    Tensor const in = run.input(type, {rows, n}, x);
    std::size_t const out = run.output(popnn::softmaxStable(run.graph, in, run.prog)),
                      outLogs = run.output(popnn::logSoftmax(run.graph, in, run.prog));
    run.run();
    double const terms = 65536 / 64 * epsilonOf(FLOAT) / epsilonOf(type);
    double const least = type == HALF ? 0x1p-14 : 0x1p-126; // of normal numbers
    checkClose(run.values(out), expected, epsilonOf(type), 16 + terms, least);
    checkClose(run.values(outLogs), logs, epsilonOf(type), 16 + terms);
  }
  // Terms like those for the gradient, y (1 - sum(y)) of gradients that are 1, and for the loss.
  Run run(cpu);
  popnn::addCodelets(run.graph);
  Values y(n, rounded(FLOAT, std::exp(-12.1))), outputs(n, rounded(FLOAT, std::exp(-6.05)));
  std::fill(y.begin(), y.begin() + 64, 1);
  std::fill(outputs.begin(), outputs.begin() + 64, 1);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i != n; ++i) {
    sum += y[i];
    squares += outputs[i] * outputs[i];
  }
  Values gradient = y;
  for (double &value : gradient)
    value *= 1 - sum;
  std::size_t const outGradient = run.output(popnn::nonLinearityInputGradient(
      run.graph, NonLinearityType::SOFTMAX, run.input(FLOAT, {1, n}, y),
      run.input(FLOAT, {1, n}, Values(n, 1)), run.prog));
  Tensor const loss = run.input(FLOAT, {1}, {0}), deltas = run.input(FLOAT, {1, n}, y);
  run.prog.add(popnn::calcLoss(run.graph, run.input(FLOAT, {1, n}, outputs),
                               run.input(poplar::UNSIGNED_INT, {1}, {63}), loss, deltas,
                               popnn::SUM_SQUARED_LOSS));
  std::size_t const outLoss = run.output(loss);
  run.run();
  double const terms = 65536 / 64 + 16;
  checkClose(run.values(outGradient), gradient, epsilonOf(FLOAT), terms);
  checkClose(run.values(outLoss), {(squares - 1) / 2}, epsilonOf(FLOAT), terms);
}

TEST_CASE("compute set forms share one compute set") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {3}, {-1, 0, 2}), b = run.input(FLOAT, {3}, {5, 6, 7});
    auto cs = run.graph.addComputeSet();
    popnn::nonLinearityInPlace(run.graph, NonLinearityType::RELU, a, cs);
    Tensor const gradient =
        popnn::nonLinearityInputGradient(run.graph, NonLinearityType::TANH, b, b, cs);
    run.prog.add(poplar::program::Execute(cs));
    std::size_t const outA = run.output(a), outB = run.output(gradient);
    run.run();
    CHECK(run.values(outA) == Values{0, 0, 2});
    CHECK(run.values(outB) == Values{-120, -210, -336});
    CHECK_THROWS_WITH_AS(
        popnn::nonLinearityInPlace(run.graph, NonLinearityType::SOFTMAX, a, cs),
        "popnn::nonLinearityInPlace: softmax in a compute set; use the form that takes a program",
        poplibs_error);
  });
}

TEST_CASE("names read and print") {
  NonLinearityType type = NonLinearityType::RELU;
  std::istringstream("softmax_scaled") >> type;
  CHECK(type == NonLinearityType::SOFTMAX_SCALED);
  CHECK(std::string(popnn::asString(type)) == "softmax (scaled, stable)");
  std::istringstream bad("soft_max");
  CHECK_THROWS_AS(bad >> type, poplibs_error);
  CHECK(poputil::templateVertex("V", NonLinearityType::RELU) == "V<popnn::NonLinearityType::RELU>");
}

TEST_CASE("arguments that do not fit are named in the error") {
  Run run(cpu);
  auto &g = run.graph;
  popnn::addCodelets(g);
  Tensor const i = g.addVariable(poplar::INT, {3}), a = g.addVariable(FLOAT, {3}),
               scalar = g.addVariable(FLOAT, {});
  CHECK_THROWS_WITH_AS(popnn::relu(g, i, run.prog),
                       "popnn::nonLinearity: 't' is of type int; allowed: float, half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popnn::softmax(g, scalar, run.prog),
      "popnn::nonLinearity: the tensor has rank 0; a softmax needs at least one dimension",
      poplibs_error);
  CHECK_THROWS_AS(popnn::reluInPlace(g, a.broadcast(2, 0), run.prog), poplibs_error);
  CHECK_THROWS_AS(
      popnn::nonLinearityInputGradient(g, NonLinearityType::SOFTMAX, a, scalar, run.prog),
      poplibs_error);
}

TEST_CASE("rows that are mapped nowhere are named, not those that are to be laid out as they") {
  Run run(model);
  auto &g = run.graph;
  popnn::addCodelets(g);
  Tensor const bare = g.addVariable(FLOAT, {3}, "bare");
  CHECK_THROWS_WITH_AS(popnn::softmax(g, bare, run.prog), doctest::Contains("bare"),
                       poplar::invalid_tile_mapping);
  CHECK_THROWS_WITH_AS(popnn::logSoftmax(g, bare, run.prog), doctest::Contains("bare"),
                       poplar::invalid_tile_mapping);
  CHECK_THROWS_WITH_AS(popnn::nonLinearityInputGradient(g, NonLinearityType::SOFTMAX,
                                                        run.input(FLOAT, {3}, {1, 2, 3}), bare,
                                                        run.prog),
                       doctest::Contains("bare"), poplar::invalid_tile_mapping);
}

TEST_SUITE_END();
