// Engine options that watch what vertices compute, on vertices of the libraries.
#include "../popops/Harness.hpp"

#include <poplar/exceptions.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/Norms.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>

#include <cmath>
#include <limits>
#include <string>

TEST_SUITE_BEGIN("popnn/debug options");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

namespace {

/// A run with all codelets whose engine has the option set.
struct Watched : Run {
  Watched(DeviceMaker const &device, char const *option) : Run(device) {
    popnn::addCodelets(graph);
    poplin::addCodelets(graph);
    popops::addCodelets(graph);
    options.set(option, "true");
  }
};

char const *const NANS = "debug.stopAtNan", *const EXCEPTIONS = "debug.floatPointOpException";

} // namespace

TEST_CASE("stopAtNan changes no result where a vertex's operands are staged") {
  onDevices([](DeviceMaker const &device) {
    for (bool const reversed : {false, true}) {
      Watched run(device, NANS);
      Numbers numbers;
      Values const a = numbers.real(FLOAT, 60), b = numbers.real(FLOAT, 60);
      Tensor const x = run.input(FLOAT, {60}, a), y = run.input(FLOAT, {60}, b);
      popops::scaledAddTo(run.graph, reversed ? x.reverse(0) : x.subSample(2, 0),
                          reversed ? y.reverse(0) : y.slice(1, 60).subSample(2, 0), 2.0F, run.prog);
      std::size_t const out = run.output(x);
      run.run();
      Values expected = a;
      for (std::size_t i = 0; i != 60; ++i)
        if (reversed || i % 2 == 0)
          expected[i] += 2 * b[reversed ? i : i + 1];
      checkClose(run.values(out), expected, epsilonOf(FLOAT), 2, 6);
    }
  });
}

TEST_CASE("stopAtNan does not look at the workspace of a convolution") {
  onDevices([](DeviceMaker const &device) {
    poplin::ConvParams params(FLOAT, 2, {6}, {3}, 4, 4, 1);
    params.inputTransform.flip = {true};
    Watched run(device, NANS);
    Numbers numbers;
    Tensor const in = run.input(FLOAT, {2, 4, 6}, numbers.real(FLOAT, 48)),
                 weights = run.input(FLOAT, {1, 4, 4, 3}, numbers.real(FLOAT, 48));
    std::size_t const out =
        run.output(poplin::convolution(run.graph, in, weights, params, false, run.prog));
    CHECK_NOTHROW(run.run());
    CHECK(std::isfinite(run.values(out)[0]));
  });
}

TEST_CASE("floatPointOpException lets functions of ordinary numbers pass, whatever their count") {
  using popops::expr::UnaryOpType;
  onDevices([](DeviceMaker const &device) {
    for (auto const &type : {FLOAT, HALF})
      for (std::size_t const n : {2, 3, 5, 8, 13, 31}) {
        CAPTURE(n);
        Watched run(device, EXCEPTIONS);
        Numbers numbers(n);
        auto const input = [&](Shape const &shape) {
          return run.input(type, shape, numbers.real(type, product(shape), 0.5, 1));
        };
        Tensor const x = input({n}), y = input({n}), rows = input({4, n});
        popops::div(run.graph, x, y, run.prog);
        popops::pow(run.graph, x, y, run.prog);
        popops::atan2(run.graph, x, y, run.prog);
        popops::rem(run.graph, x, y, run.prog);
        for (UnaryOpType const op :
             {UnaryOpType::INVERSE, UnaryOpType::RSQRT, UnaryOpType::LOGARITHM, UnaryOpType::SQRT})
          popops::map(run.graph, op, x, run.prog);
        popops::reduce(run.graph, popops::mul(run.graph, rows, -100.0F, run.prog), type, {1},
                       popops::Operation::LOG_ADD, run.prog);
        popnn::softmaxStable(run.graph, rows, run.prog);
        popnn::nonLinearity(run.graph, popnn::NonLinearityType::GELU, x, run.prog);
        auto const statistics = poplin::normStatistics(run.graph, rows.transpose(), 1e-5F, run.prog,
                                                       false, true, FLOAT);
        popops::square(run.graph, statistics.second, run.prog);
        Tensor const labels = run.input(poplar::UNSIGNED_INT, {4}, {0, 0, 0, 0});
        Tensor const correct = run.input(poplar::UNSIGNED_INT, {}, {0});
        run.prog.add(popnn::calcAccuracy(run.graph, rows, labels, correct));
        CHECK_NOTHROW(run.run());
      }
  });
}

TEST_CASE("floatPointOpException lets windows without elements pass") {
  onDevices([](DeviceMaker const &device) {
    for (auto const &type : {FLOAT, HALF}) {
      Watched run(device, EXCEPTIONS);
      popnn::pooling::PoolParams const params(popnn::PoolingType::MAX, {5}, {1}, {1}, {1}, {1}, 3,
                                              1, type);
      Numbers numbers;
      Tensor const in = run.input(type, {1, 3, 5}, numbers.real(type, 15)),
                   gradient = run.input(type, {1, 3, 7}, numbers.real(type, 21));
      Tensor const pooled = popnn::pooling::pool(run.graph, params, in, run.prog);
      popnn::pooling::poolInputGradient(run.graph, params, in, pooled, gradient, true, run.prog);
      CHECK_NOTHROW(run.run());
    }
  });
}

TEST_CASE("floatPointOpException ends runs in which halves overflow, whatever computes them") {
  onDevices([](DeviceMaker const &device) {
    using namespace popops::expr;
    using Step = void (*)(Watched &, Tensor const &, Tensor const &);
    Step const steps[] = {
        [](Watched &run, Tensor const &h, Tensor const &) {
          popops::mulInPlace(run.graph, h, h, run.prog);
        },
        [](Watched &run, Tensor const &h, Tensor const &) {
          popops::mapInPlace(run.graph, _1 + _1 - Const(1), {h}, run.prog);
        },
        [](Watched &run, Tensor const &h, Tensor const &) {
          popops::scaledAddTo(run.graph, h, h, 2.0F, run.prog);
        },
        [](Watched &run, Tensor const &, Tensor const &f) {
          run.output(popops::cast(run.graph, f, HALF, run.prog));
        },
        [](Watched &run, Tensor const &h, Tensor const &) {
          run.output(popops::reduce(run.graph, h, {0}, popops::Operation::ADD, run.prog));
        }};
    for (Step const step : steps)
      for (double const value : {60000.0, 1.0}) {
        Watched run(device, EXCEPTIONS);
        Tensor const h = run.input(HALF, {3}, Values(3, value)),
                     f = run.input(FLOAT, {3}, Values(3, value == 1 ? 1 : 65520));
        step(run, h, f);
        run.output(h);
        if (value == 1)
          CHECK_NOTHROW(run.run());
        else
          CHECK_THROWS_WITH_AS(run.run(), doctest::Contains("(overflow)"),
                               poplar::application_runtime_error);
      }
  });
}

TEST_CASE("floatPointOpException names the exception that there is, and no other") {
  onDevices([](DeviceMaker const &device) {
    Watched run(device, EXCEPTIONS);
    Tensor const x = run.input(FLOAT, {3}, {1, 2, 3}), y = run.input(FLOAT, {3}, {1, 0, 1});
    popops::div(run.graph, x, y, run.prog, "quotients");
    std::string text;
    try {
      run.run();
    } catch (poplar::application_runtime_error const &error) {
      text = error.what();
    }
    CAPTURE(text);
    CHECK(text.find("(division by zero)") != std::string::npos);
  });
}

namespace {

/// What a run of a step with floatPointOpException says, from "(" to ")"; "" if nothing.
template <class Step> std::string exceptionOf(DeviceMaker const &device, Step step) {
  Watched run(device, EXCEPTIONS);
  step(run);
  try {
    run.run();
  } catch (poplar::application_runtime_error const &error) {
    std::string const text = error.what();
    std::size_t const begin = text.find("exception (") + 11;
    return text.substr(begin, text.find(')', begin) - begin);
  }
  return "";
}

char const *const INVALID = "invalid operation", *const ZERO = "division by zero",
                  *const OVERFLOW_ = "overflow", *const NONE = "";
double const INF = std::numeric_limits<double>::infinity(), NOT = std::nan("");

} // namespace

TEST_CASE("floatPointOpException finds in functions the exceptions that C's raise, and no other") {
  using popops::expr::UnaryOpType;
  struct Row {
    UnaryOpType op;
    double x;
    char const *exception;
  };
  UnaryOpType const log = UnaryOpType::LOGARITHM, log1p = UnaryOpType::LOGARITHM_ONE_PLUS;
  Row const rows[] = {{log, 0, ZERO},
                      {log, -0.0, ZERO},
                      {log, -1, INVALID},
                      {log, -65504, INVALID},
                      {log, -INF, INVALID},
                      {log, INF, NONE},
                      {log, NOT, NONE},
                      {log, 0x1p-24, NONE},
                      {log1p, -1, ZERO},
                      {log1p, -2, INVALID},
                      {log1p, -INF, INVALID},
                      {log1p, INF, NONE},
                      {log1p, NOT, NONE},
                      {log1p, -0x1p-24, NONE},
                      {UnaryOpType::SIGMOID, -200, NONE},
                      {UnaryOpType::SIGMOID, -INF, NONE},
                      {UnaryOpType::EXPONENT, 100, OVERFLOW_},
                      {UnaryOpType::EXPONENT, -INF, NONE}};
  onDevices([&](DeviceMaker const &device) {
    for (auto const &type : {FLOAT, HALF})
      for (Row const &row : rows)
        for (std::size_t const n : {1, 40}) {
          CAPTURE(row.op);
          CAPTURE(row.x);
          CAPTURE(n);
          CHECK(exceptionOf(device, [&](Watched &run) {
                  Values values(n, 1);
                  values.back() = row.x;
                  popops::map(run.graph, row.op, run.input(type, {n}, values), run.prog);
                }) == row.exception);
        }
  });
}

TEST_CASE("floatPointOpException finds in powers the exceptions that C's raise, and no other") {
  struct Row {
    double x, y;
    char const *exception;
  };
  Row const rows[] = {
      {0, 2, NONE},         {0, 0, NONE},       {0, -1, ZERO},      {-0.0, -3, ZERO},
      {0, -INF, NONE},      {-2, 0.5, INVALID}, {-2, 3, NONE},      {-INF, 0.5, NONE},
      {INF, -2, NONE},      {0.5, INF, NONE},   {-1, INF, NONE},    {NOT, 2, NONE},
      {2, NOT, NONE},       {1, NOT, NONE},     {NOT, 0, NONE},     {2, 200, OVERFLOW_},
      {-2, 201, OVERFLOW_}, {2, -200, NONE},    {0.5, 60000, NONE}, {1, 60000, NONE}};
  onDevices([&](DeviceMaker const &device) {
    for (auto const &type : {FLOAT, HALF})
      for (Row const &row : rows) {
        CAPTURE(row.x);
        CAPTURE(row.y);
        CHECK(exceptionOf(device, [&](Watched &run) {
                popops::pow(run.graph, run.input(type, {2}, {1, row.x}),
                            run.input(type, {2}, {1, row.y}), run.prog);
              }) == row.exception);
      }
  });
}

TEST_CASE("floatPointOpException finds casts to integers that do not hold the number") {
  struct Row {
    poplar::Type to;
    double least, most, below, above;
  };
  Row const rows[] = {
      {poplar::INT, -0x1p31, 0x1.fffffep30, -0x1.000002p31, 0x1p31},
      {poplar::UNSIGNED_INT, -0.75, 0x1.fffffep31, -1, 0x1p32},
      {poplar::SHORT, -32768.75, 32767.75, -32769, 32768},
      {poplar::UNSIGNED_SHORT, -0.75, 65535.75, -1, 65536},
      {poplar::SIGNED_CHAR, -128.75, 127.75, -129, 128},
      {poplar::UNSIGNED_CHAR, -0.75, 255.75, -1, 256},
      {poplar::BOOL, -INF, INF, 0, 0},
  };
  onDevices([&](DeviceMaker const &device) {
    for (Row const &row : rows)
      for (std::size_t const n : {1, 70}) {
        CAPTURE(row.to);
        CAPTURE(n);
        auto const exception = [&](double x) {
          return exceptionOf(device, [&](Watched &run) {
            Values values(n, 1);
            values.back() = x;
            run.output(popops::cast(run.graph, run.input(FLOAT, {n}, values), row.to, run.prog));
          });
        };
        CHECK(exception(row.least) == NONE);
        CHECK(exception(row.most) == NONE);
        char const *const lost = row.to == poplar::BOOL ? NONE : INVALID;
        CHECK(exception(row.below) == lost);
        CHECK(exception(row.above) == lost);
        CHECK(exception(NOT) == lost);
      }
    CHECK(exceptionOf(device, [](Watched &run) {
            run.output(popops::cast(run.graph, run.input(HALF, {2}, {1, 300}),
                                    poplar::UNSIGNED_CHAR, run.prog));
          }) == INVALID);
  });
}

TEST_SUITE_END();
