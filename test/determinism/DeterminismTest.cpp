// No result depends on the number of threads: equal bit for bit over 1, 2, ... of them, and on a
// CPU over the cut of the work into vertices as well.
#include "../popops/Harness.hpp"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <string>

TEST_SUITE_BEGIN("determinism");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::Type;

namespace {

/// Adds programs to a run and returns what to compare.
using Build = std::function<Tensor(Run &, Numbers &)>;

bool sameBits(Values const &a, Values const &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

Values valuesWith(unsigned threads, Build const &build) {
  Run run(cpu);
  poplin::addCodelets(run.graph);
  Numbers numbers(11);
  std::size_t const out = run.output(build(run, numbers));
  run.options.set("engine.numThreads", std::to_string(threads));
  run.run();
  return run.values(out);
}

void checkThreads(Build const &build) {
  Values const expected = valuesWith(1, build);
  for (unsigned threads = 2; threads <= 5; ++threads) {
    CAPTURE(threads);
    CHECK(sameBits(valuesWith(threads, build), expected));
  }
}

Tensor random(Run &run, Numbers &numbers, Type const &type, Shape const &shape) {
  return run.input(type, shape, numbers.real(type, product(shape)));
}

Tensor multiply(Run &run, Numbers &numbers, Type const &type, Shape const &s, bool turned,
                std::string const &constraints) {
  poplar::OptionFlags options;
  if (!constraints.empty())
    options.set("planConstraints", constraints);
  Tensor const a = random(run, numbers, type, {s[0], s[1], s[2]});
  Tensor const b = turned ? random(run, numbers, type, {s[0], s[3], s[2]}).dimShuffle({0, 2, 1})
                          : random(run, numbers, type, {s[0], s[2], s[3]});
  return poplin::matMulGrouped(run.graph, a, b, run.prog, FLOAT, "c", options);
}

} // namespace

TEST_CASE("matrix products do not depend on threads") {
  for (Shape const &s : {Shape{1, 33, 129, 65}, Shape{1, 200, 700, 330}, Shape{1, 1, 900, 4000},
                         Shape{1, 3000, 600, 1}, Shape{9, 64, 64, 64}, Shape{1, 32, 1024, 1000},
                         Shape{1, 12, 20000, 31}, Shape{2, 1, 30000, 1}})
    for (Type const &type : {FLOAT, HALF})
      for (bool turned : {false, true}) {
        CAPTURE(s[1]);
        CAPTURE(turned);
        checkThreads([&](Run &run, Numbers &numbers) {
          return multiply(run, numbers, type, s, turned, "");
        });
      }
}

TEST_CASE("matrix products do not depend on the cut into vertices") {
  Shape const s{4, 100, 500, 200};
  auto const cut = [&](std::string const &constraints) {
    return valuesWith(2, [&](Run &run, Numbers &numbers) {
      return multiply(run, numbers, FLOAT, s, false, constraints);
    });
  };
  Values const expected = cut("");
  for (char const *constraints :
       {"{\"splitG\": 1, \"splitM\": 1, \"splitN\": 1}", "{\"splitM\": 7}", "{\"splitN\": 5}",
        "{\"splitG\": 4, \"splitM\": 3, \"splitN\": 2}"}) {
    CAPTURE(constraints);
    CHECK(sameBits(cut(constraints), expected));
  }
}

TEST_CASE("reductions do not depend on threads") {
  for (std::vector<std::size_t> const &dims :
       {std::vector<std::size_t>{0}, std::vector<std::size_t>{1},
        std::vector<std::size_t>{0, 1, 2}})
    for (Type const &type : {FLOAT, HALF}) {
      CAPTURE(dims.size());
      checkThreads([&](Run &run, Numbers &numbers) {
        Tensor const in = random(run, numbers, type, {70, 90, 50});
        return popops::reduce(run.graph, in, FLOAT, dims, {popops::Operation::ADD}, run.prog);
      });
    }
}

TEST_CASE("elementwise operations do not depend on threads") {
  checkThreads([&](Run &run, Numbers &numbers) {
    Tensor const a = random(run, numbers, FLOAT, {100003});
    Tensor const b = random(run, numbers, FLOAT, {100003});
    return popops::add(run.graph, popops::exp(run.graph, a, run.prog),
                       popops::tanh(run.graph, b, run.prog), run.prog);
  });
}

TEST_SUITE_END();
