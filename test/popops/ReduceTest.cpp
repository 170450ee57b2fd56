#include "Harness.hpp"

#include <popops/AllTrue.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

TEST_SUITE_BEGIN("popops/reduce");

using namespace harness;
using poplar::BOOL;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using popops::Operation;
using poputil::poplibs_error;

namespace {

double identity(Operation op) {
  double const inf = std::numeric_limits<double>::infinity();
  switch (op) {
  case Operation::MUL:
  case Operation::LOGICAL_AND:
    return 1;
  case Operation::MIN:
    return inf;
  case Operation::MAX:
  case Operation::LOG_ADD:
    return -inf;
  default:
    return 0;
  }
}

double combine(Operation op, double acc, double x) {
  switch (op) {
  case Operation::ADD:
    return acc + x;
  case Operation::MUL:
    return acc * x;
  case Operation::MIN:
    return std::min(acc, x);
  case Operation::MAX:
    return std::max(acc, x);
  case Operation::LOGICAL_AND:
    return acc != 0 && x != 0;
  case Operation::LOGICAL_OR:
    return acc != 0 || x != 0;
  case Operation::SQUARE_ADD:
    return acc + x * x;
  default: {
    double const high = std::max(acc, x), low = std::min(acc, x);
    return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
  }
  }
}

// The loop that a reduction stands for.
Values reference(Values const &in, Shape const &shape, Shape const &dims, Operation op) {
  std::vector<bool> reduced(shape.size(), false);
  for (std::size_t d : dims)
    reduced[d] = true;
  std::size_t outputs = 1;
  for (std::size_t d = 0; d != shape.size(); ++d)
    outputs *= reduced[d] ? 1 : shape[d];
  Values out(outputs, identity(op));
  for (std::size_t i = 0; i != in.size(); ++i) {
    std::size_t rest = i, index = 0, stride = 1;
    for (std::size_t d = shape.size(); d-- != 0;) {
      std::size_t const coordinate = rest % shape[d];
      rest /= shape[d];
      if (reduced[d])
        continue;
      index += coordinate * stride;
      stride *= shape[d];
    }
    out[index] = combine(op, out[index], in[i]);
  }
  return out;
}

std::size_t numReduced(Shape const &shape, Shape const &dims) {
  std::size_t n = 1;
  std::vector<bool> seen(shape.size(), false);
  for (std::size_t d : dims)
    if (!seen[d]) {
      seen[d] = true;
      n *= shape[d];
    }
  return n;
}

} // namespace

TEST_CASE("sums over any dimensions of any shape agree with a loop") {
  std::vector<std::pair<Shape, Shape>> const problems{{{7}, {0}},
                                                      {{5, 9}, {0}},
                                                      {{5, 9}, {1}},
                                                      {{5, 9}, {0, 1}},
                                                      {{4, 3, 6}, {1}},
                                                      {{4, 3, 6}, {0, 2}},
                                                      {{4, 3, 6}, {2, 0, 2}},
                                                      {{2, 3, 4, 5}, {1, 3}},
                                                      {{2, 3, 4, 5}, {0, 3}},
                                                      {{1, 8, 1, 3}, {0, 1}},
                                                      {{70000}, {0}},
                                                      {{3, 40000}, {1}},
                                                      {{9000, 5}, {0}},
                                                      {{2, 1, 3}, {1}},
                                                      {{6}, {}},
                                                      {{64, 130}, {0}}};
  onDevices([&](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t output;
      Values expected;
      double epsilon, terms, magnitude;
    };
    std::vector<Result> results;
    for (auto const &[shape, dims] : problems)
      for (poplar::Type const &type : {FLOAT, HALF}) {
        Values const in = numbers.real(type, product(shape), -1, 1);
        Tensor const out =
            popops::reduce(run.graph, run.input(type, shape, in), dims, Operation::ADD, run.prog);
        CHECK(out.elementType() == type);
        // Partial sums are in float: the terms' rounding errors there, and one rounding to the
        // result type.
        double const terms = static_cast<double>(numReduced(shape, dims));
        results.push_back({run.output(out), reference(in, shape, dims, Operation::ADD),
                           epsilonOf(FLOAT) * terms + epsilonOf(type), 1, std::sqrt(terms)});
      }
    run.run();
    for (Result const &result : results)
      checkClose(run.values(result.output), result.expected, result.epsilon, result.terms,
                 result.magnitude);
  });
}

TEST_CASE("every operation agrees with a loop") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    Shape const shape{6, 50, 3}, dims{1};
    struct Result {
      std::size_t output;
      Values expected;
      double epsilon;
    };
    std::vector<Result> results;
    for (Operation op : {Operation::ADD, Operation::MUL, Operation::MIN, Operation::MAX,
                         Operation::SQUARE_ADD, Operation::LOG_ADD})
      for (auto const &[in, out] :
           {std::pair(FLOAT, FLOAT), {HALF, HALF}, {HALF, FLOAT}, {FLOAT, HALF}}) {
        if (in != out && (op == Operation::MIN || op == Operation::MAX))
          continue;
        Values const values = numbers.real(in, product(shape), 0.9, 1.1);
        Tensor const result =
            popops::reduce(run.graph, run.input(in, shape, values), out, dims, op, run.prog);
        results.push_back({run.output(result), reference(values, shape, dims, op),
                           epsilonOf(FLOAT) * 100 + 2 * epsilonOf(out)});
      }
    for (Operation op : {Operation::ADD, Operation::MUL, Operation::MIN, Operation::MAX}) {
      Values const values = numbers.integer(product(shape), op == Operation::MUL ? 1 : -5,
                                            op == Operation::MUL ? 1 : 5);
      Tensor const in = run.input(INT, shape, values);
      results.push_back({run.output(popops::reduce(run.graph, in, dims, op, run.prog)),
                         reference(values, shape, dims, op), 0});
    }
    for (Operation op : {Operation::LOGICAL_AND, Operation::LOGICAL_OR}) {
      Values values = numbers.integer(product(shape), 0, 1);
      for (std::size_t i = 0; i != 50; ++i)
        values[i * 3] = op == Operation::LOGICAL_AND;
      Tensor const in = run.input(BOOL, shape, values);
      results.push_back({run.output(popops::reduce(run.graph, in, dims, op, run.prog)),
                         reference(values, shape, dims, op), 0});
    }
    run.run();
    for (Result const &result : results)
      checkClose(run.values(result.output), result.expected, result.epsilon, 1);
  });
}

TEST_CASE("reducing views: transposed, reversed, strided, concatenated, repeated") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    Values const values = numbers.integer(12 * 10, -9, 9);
    Tensor const a = run.input(FLOAT, {12, 10}, values);
    auto const element = [&](std::size_t i, std::size_t j) { return values[i * 10 + j]; };
    std::vector<std::pair<std::size_t, Values>> results;
    auto const sum = [&](Tensor const &t, Shape const &dims, Values expected) {
      results.emplace_back(run.output(popops::reduce(run.graph, t, dims, Operation::ADD, run.prog)),
                           std::move(expected));
    };
    Values rows(12, 0), columns(10, 0);
    for (std::size_t i = 0; i != 12; ++i)
      for (std::size_t j = 0; j != 10; ++j) {
        rows[i] += element(i, j);
        columns[j] += element(i, j);
      }
    sum(a.transpose(), {0}, rows);
    sum(a.transpose(), {1}, columns);
    sum(a.reverse(0), {0}, columns);
    sum(poplar::concat(a, a, 1), {0}, [&] {
      Values twice = columns;
      twice.insert(twice.end(), columns.begin(), columns.end());
      return twice;
    }());
    Values threefold = rows;
    for (double &x : threefold)
      x *= 3;
    sum(a.broadcast(3, 1), {1}, threefold);
    Values strided(5, 0);
    for (std::size_t i = 0; i != 12; ++i)
      for (std::size_t j = 0; j != 5; ++j)
        strided[j] += element(i, 2 * j);
    sum(a.subSample(2, 1), {0}, strided);
    sum(a.reshape({3, 4, 2, 5}).dimShuffle({2, 0, 3, 1}), {1, 3}, [&] {
      Values out(10, 0);
      for (std::size_t i = 0; i != 12; ++i)
        for (std::size_t j = 0; j != 10; ++j)
          out[j] += element(i, j);
      return out;
    }());
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("reducing no elements gives the identity, and no outputs give nothing") {
  onDevices([](DeviceMaker const &device) {
    double const inf = std::numeric_limits<double>::infinity();
    Run run(device);
    Tensor const empty = run.graph.addVariable(FLOAT, {0, 3}),
                 flags = run.graph.addVariable(BOOL, {2, 0});
    Tensor const integers = run.graph.addVariable(INT, {0});
    auto const identityOf = [&](Tensor const &t, Shape const &dims, Operation op) {
      return run.output(popops::reduce(run.graph, t, dims, op, run.prog));
    };
    std::vector<std::pair<std::size_t, Values>> const results{
        {identityOf(empty, {0}, Operation::ADD), {0, 0, 0}},
        {identityOf(empty, {0}, Operation::MUL), {1, 1, 1}},
        {identityOf(empty, {0}, Operation::MIN), {inf, inf, inf}},
        {identityOf(empty, {0}, Operation::MAX), {-inf, -inf, -inf}},
        {identityOf(flags, {1}, Operation::LOGICAL_AND), {1, 1}},
        {identityOf(integers, {0}, Operation::MAX), {-2147483648.0}},
        {identityOf(empty, {1}, Operation::ADD), {}},
        {identityOf(empty, {1}, Operation::LOG_ADD), {}},
        {identityOf(empty.slice(0, 0, 1), {1}, Operation::LOG_ADD), {}}};
    Tensor const kept = run.input(FLOAT, {3}, {1, 2, 3});
    popops::reduceWithOutput(run.graph, empty, kept, {0}, {Operation::ADD, true}, run.prog);
    std::size_t const outKept = run.output(kept);
    std::size_t const all = run.output(popops::allTrue(run.graph, flags, run.prog));
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
    CHECK(run.values(outKept) == Values{1, 2, 3});
    CHECK(run.values(all) == Values{1});
  });
}

TEST_CASE("scale and update") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}),
                 scale = run.input(FLOAT, {}, {0.5});
    Tensor const out = run.input(FLOAT, {2}, {100, 200}),
                 single = run.input(HALF, {1, 3}, {1, 2, 3});
    Tensor const sum = run.input(HALF, {3}, {1, 1, 1});
    std::size_t const scaled =
        run.output(popops::reduce(run.graph, a, {1}, {Operation::ADD, false, scale}, run.prog));
    popops::reduceWithOutput(run.graph, a, out, {1}, {Operation::SQUARE_ADD, true, scale},
                             run.prog);
    popops::reduceWithOutput(run.graph, single, sum, {0}, {Operation::SQUARE_ADD, true, scale},
                             run.prog);
    std::size_t const updated = run.output(out), half = run.output(sum);
    run.run(2);
    CHECK(run.values(scaled) == Values{3, 7.5});
    CHECK(run.values(updated) == Values{100 + 14, 200 + 77});
    CHECK(run.values(half) == Values{2, 5, 10});
  });
}

TEST_CASE("the output may have other dimensions of size 1, and may overlap the input") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
    popops::reduceWithOutput(run.graph, a, a[0].reshape({2, 1}), {0}, Operation::ADD, run.prog);
    std::size_t const out = run.output(a);
    Tensor const unmapped = run.graph.addVariable(FLOAT, {2});
    popops::reduceWithOutput(run.graph, a, unmapped, {0}, Operation::MAX, run.prog);
    std::size_t const highest = run.output(unmapped);
    run.run();
    CHECK(run.values(out) == Values{9, 12, 3, 4, 5, 6});
    CHECK(run.values(highest) == Values{9, 12});
  });
}

TEST_CASE("a scale may be an element of the output") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    std::size_t const n = 40;
    Values before(n), expected(n);
    for (std::size_t i = 0; i != n; ++i) {
      before[i] = static_cast<double>(i);
      expected[i] = 3 * 10 + before[i];
    }
    Tensor const in = run.input(FLOAT, {10, n}, Values(10 * n, 1)),
                 out = run.input(FLOAT, {n}, before);
    popops::reduceWithOutput(run.graph, in, out, {0}, {Operation::ADD, true, out[3]}, run.prog);
    std::size_t const result = run.output(out);
    run.run();
    CHECK(run.values(result) == expected);
  });
}

TEST_CASE("partial results in half are ignored for an output in float") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const in = run.input(FLOAT, {3000}, Values(3000, 1.0625));
    std::size_t const out = run.output(
        popops::reduce(run.graph, in, {0}, Operation::ADD, run.prog, {},
                       {{"accumType.interTile", "half"}, {"accumType.inVertex", "half"}}));
    run.run();
    CHECK(run.values(out) == Values{3187.5});
  });
}

TEST_CASE("reduceMany and compute set forms run reductions side by side") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}),
                 b = run.input(INT, {4}, {1, 2, 3, 4});
    std::vector<Tensor> outs;
    popops::reduceMany(run.graph, {{a, {0}, Operation::ADD, HALF}, {b, {0}, Operation::MUL}}, outs,
                       run.prog);
    CHECK(outs[0].elementType() == HALF);
    std::vector<poplar::ComputeSet> css;
    Tensor const c = popops::reduce(run.graph, a, {1}, Operation::ADD, css);
    Tensor const d = popops::reduce(run.graph, b, {0}, Operation::MAX, css);
    CHECK(css.size() == 1);
    for (auto const &cs : css)
      run.prog.add(poplar::program::Execute(cs));
    std::vector<std::size_t> const results{run.output(outs[0]), run.output(outs[1]), run.output(c),
                                           run.output(d)};
    run.run();
    CHECK(run.values(results[0]) == Values{5, 7, 9});
    CHECK(run.values(results[1]) == Values{24});
    CHECK(run.values(results[2]) == Values{6, 15});
    CHECK(run.values(results[3]) == Values{4});
  });
}

TEST_CASE("outputs of reduceMany may overlap inputs and scales of all its reductions") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}),
                 b = run.input(FLOAT, {2, 3}, {7, 8, 9, 10, 11, 12});
    std::vector<Tensor> outs{b[0], a[1]};
    popops::reduceMany(
        run.graph,
        {{a, {0}, {Operation::ADD, true, b[1][0]}}, {b, {0}, {Operation::ADD, false, a[0][1]}}},
        outs, run.prog);
    std::size_t const first = run.output(a), second = run.output(b);
    run.run();
    CHECK(run.values(first) == Values{1, 2, 3, 34, 38, 42});
    CHECK(run.values(second) == Values{57, 78, 99, 10, 11, 12});
  });
}

TEST_CASE("arguments that do not fit are named in the error") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const in = g.addVariable(FLOAT, {8, 16, 3}, poplar::VariableMappingMethod::LINEAR);
  Tensor const half = g.addVariable(HALF, {}, poplar::VariableMappingMethod::LINEAR);
  Tensor const flags = g.addVariable(BOOL, {2}, poplar::VariableMappingMethod::LINEAR);
  CHECK_THROWS_WITH_AS(popops::reduce(g, in, {0, 4}, Operation::ADD, run.prog),
                       "popops::reduce: dims[1] = 4 is out of range for 'in' of shape [8, 16, 3]; "
                       "dims must be below 3",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduce(g, in, INT, {0}, Operation::ADD, run.prog),
                       "popops::reduce: operation ADD from float to int; allowed: float or half to "
                       "float or half, int "
                       "to int, unsigned int to unsigned int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduce(g, flags, {0}, Operation::MAX, run.prog),
                       "popops::reduce: operation MAX from bool to bool; allowed: float, half, int "
                       "and unsigned int to "
                       "themselves",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::reduce(g, in, {0}, {Operation::ADD, false, half}, run.prog),
      "popops::reduce: the scale must be one element of type float, not shape [] of type half",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduce(g, in, {0}, {Operation::MAX, false, half}, run.prog),
                       "popops::reduce: a scale with operation MAX on float; allowed: ADD, "
                       "SQUARE_ADD, LOG_ADD on float "
                       "and half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduce(g, in, {0}, {Operation::ADD, true}, run.prog),
                       "popops::reduce: updating needs an output to update; use reduceWithOutput",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduceWithOutput(g, in, half, {0}, Operation::ADD, run.prog),
                       "popops::reduceWithOutput: the output has shape [], but reducing 'in' of "
                       "shape [8, 16, 3] gives "
                       "shape [16, 3]",
                       poplibs_error);
  CHECK_THROWS_AS(popops::reduce(g, in.slice(0, 1, 0), {0}, Operation::LOG_ADD, run.prog),
                  poplibs_error);
  CHECK_THROWS_AS(
      popops::reduce(g, in, {0}, Operation::ADD, run.prog, {}, {{"accumType.interTile", "int"}}),
      poplar::invalid_option);
  CHECK_THROWS_AS(popops::reduce(g, in.slice(0, 0, 0), {0}, Operation::LOG_ADD, run.prog),
                  poplibs_error);
  std::vector<Tensor> outs(1, half);
  CHECK_THROWS_AS(
      popops::reduceMany(g, {{in, {0}, Operation::ADD}, {in, {1}, Operation::ADD}}, outs, run.prog),
      poplibs_error);
}

TEST_CASE("outputs must be writeable, and those of reduceMany apart") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const in = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}), one = run.input(FLOAT, {1}, {0}),
               out = run.input(FLOAT, {3}, {0, 0, 0}), constant = g.addConstant(FLOAT, {3}, 1.f);
  CHECK_THROWS_WITH_AS(
      popops::reduceWithOutput(g, in, one.broadcast(3, 0), {0}, Operation::ADD, run.prog),
      "popops::reduceWithOutput: the output of shape [3] must be writeable in parallel, but it "
      "contains aliases",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::reduceWithOutput(g, in, constant, {0}, {Operation::ADD, true}, run.prog),
      "popops::reduceWithOutput: the output of shape [3] must be writeable in parallel, but it "
      "contains constants",
      poplibs_error);
  std::vector<Tensor> outs{out, constant};
  std::vector<popops::SingleReduceOp> const two{{in, {0}, Operation::ADD},
                                                {in, {0}, Operation::MAX}};
  CHECK_THROWS_WITH_AS(popops::reduceMany(g, two, outs, run.prog),
                       "popops::reduceMany: the output of shape [3] must be writeable in parallel, "
                       "but it contains constants",
                       poplibs_error);
  outs[1] = out.reverse(0);
  CHECK_THROWS_WITH_AS(
      popops::reduceMany(g, two, outs, run.prog),
      "popops::reduceMany: outputs[0] and outputs[1] share elements, the first being "
      "element [0] of the one and [2] of the other; both are written",
      poplibs_error);
}

TEST_CASE("a reduceMany that is refused sets no outputs") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const in = run.input(FLOAT, {3}, {1, 2, 3});
  std::vector<Tensor> none, half{run.input(HALF, {}, {0})};
  CHECK_THROWS_WITH_AS(
      popops::reduceMany(g, {{in, {0}, Operation::ADD}, {in, {7}, Operation::ADD}}, none, run.prog),
      doctest::Contains("dims[0] = 7 is out of range"), poplibs_error);
  CHECK(none.empty());
  CHECK_THROWS_WITH_AS(
      popops::reduceMany(g, {{in, {0}, Operation::ADD, FLOAT}}, half, run.prog),
      "popops::reduceMany: outputs[0] is of type half, but the type of the result of reduction 0 "
      "is given as float; they must be equal",
      poplibs_error);
  popops::reduceMany(g, {{in, {0}, Operation::ADD}}, half, run.prog);
  std::size_t const out = run.output(half[0]);
  run.run();
  CHECK(run.values(out) == Values{6});
}

TEST_CASE("invalid tensors are named in the error") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const in = run.input(FLOAT, {3}, {1, 2, 3});
  CHECK_THROWS_WITH_AS(popops::reduce(g, Tensor(), {0}, Operation::ADD, run.prog),
                       "popops::reduce: 'in' is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduceWithOutput(g, in, Tensor(), {0}, Operation::ADD, run.prog),
                       "popops::reduceWithOutput: 'out' is an invalid tensor", poplibs_error);
  std::vector<Tensor> none, invalid(1);
  CHECK_THROWS_WITH_AS(popops::reduceMany(g, {{Tensor(), {0}, Operation::ADD}}, none, run.prog),
                       "popops::reduceMany: 'in' is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduceMany(g, {{in, {0}, Operation::ADD}}, invalid, run.prog),
                       "popops::reduceMany: 'out' is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(popops::allTrue(g, Tensor(), run.prog),
                       "popops::allTrue: 'A' is an invalid tensor", poplibs_error);
}

TEST_SUITE_END();
