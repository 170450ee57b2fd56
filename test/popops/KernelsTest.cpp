// Elementwise functions and reductions on plain memory.
#include "Harness.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Kernels.hpp>
#include <popops/MapFunctor.hpp>
#include <popops/Reduce.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <type_traits>

TEST_SUITE_BEGIN("popops/kernels");

using namespace harness;
using popops::expr::BinaryOpType;
using popops::expr::TernaryOpType;
using popops::expr::UnaryOpType;
using Half = poplar::IeeeHalf;
namespace raw = popops::kernels;

namespace {

template <class T> poplar::Type typeOf() {
  return std::is_same_v<T, float>      ? poplar::FLOAT
         : std::is_same_v<T, Half>     ? poplar::HALF
         : std::is_same_v<T, int>      ? poplar::INT
         : std::is_same_v<T, unsigned> ? poplar::UNSIGNED_INT
                                       : poplar::BOOL;
}

template <class T> double numberOf(T x) {
  if constexpr (std::is_same_v<T, Half>)
    return static_cast<double>(static_cast<float>(x));
  else
    return static_cast<double>(x);
}

/// An array that begins one element behind an aligned address, with one more behind its end.
template <class T> class Array {
public:
  explicit Array(std::size_t n) : n_(n), memory_(new T[n + 2]) {
    for (std::size_t i = 0; i != n + 2; ++i)
      set(memory_[i], 1);
  }
  explicit Array(Values const &values) : Array(values.size()) {
    for (std::size_t i = 0; i != n_; ++i)
      set(memory_[i + 1], values[i]);
  }
  T *data() { return memory_.get() + 1; }
  std::size_t size() const { return n_; }
  Values values() const {
    Values all;
    for (std::size_t i = 0; i != n_; ++i)
      all.push_back(numberOf(memory_[i + 1]));
    return all;
  }
  bool isIntact() const { return numberOf(memory_[0]) == 1 && numberOf(memory_[n_ + 1]) == 1; }

private:
  static void set(T &to, double x) {
    if constexpr (std::is_same_v<T, Half>)
      to = Half(static_cast<float>(x));
    else
      to = static_cast<T>(x);
  }
  std::size_t n_;
  std::unique_ptr<T[]> memory_;
};

constexpr std::size_t SIZES[] = {0, 1, 7, 8, 9, 15, 16, 17, 50, 300};

/// Numbers of T that suit all operations tried here.
template <class T> Values numbersFor(Numbers &random, std::size_t n) {
  if (std::is_same_v<T, bool>)
    return random.integer(n, 0, 1);
  return std::is_integral_v<T> ? random.integer(n, 1, 30) : random.real(typeOf<T>(), n, 0.1, 3);
}

/// The same operation in a graph gives the same bits.
template <class T, class Out> void checkBinary(BinaryOpType op, Numbers &random) {
  for (std::size_t n : SIZES) {
    Values const x = numbersFor<T>(random, n), y = numbersFor<T>(random, n);
    Array<T> a(x), b(y);
    Array<Out> out(n);
    raw::map(op, out.data(), n, a.data(), b.data());
    Run run(cpu);
    auto const output = run.output(popops::map(run.graph, op, run.input(typeOf<T>(), {n}, x),
                                               run.input(typeOf<T>(), {n}, y), run.prog));
    run.run();
    CHECK(out.values() == run.values(output));
    CHECK(out.isIntact());
  }
}

} // namespace

TEST_CASE("operations with two operands give the graph's bits, misaligned and at all tails") {
  Numbers random(1);
  checkBinary<float, float>(BinaryOpType::DIVIDE, random);
  checkBinary<Half, Half>(BinaryOpType::POWER, random);
  checkBinary<int, int>(BinaryOpType::SUBTRACT, random);
  checkBinary<unsigned, unsigned>(BinaryOpType::SHIFT_LEFT, random);
  checkBinary<bool, bool>(BinaryOpType::LOGICAL_OR, random);
  checkBinary<float, bool>(BinaryOpType::LESS_THAN, random);
}

TEST_CASE("operations with one and three operands, in place and elsewhere") {
  Numbers random(2);
  for (std::size_t n : SIZES) {
    Values const x = random.real(poplar::FLOAT, n), c = random.integer(n, 0, 1);
    Array<float> a(x), b(random.real(poplar::FLOAT, n)), out(n);
    Array<bool> condition(c), finite(n);
    raw::map(TernaryOpType::SELECT, out.data(), n, a.data(), b.data(), condition.data());
    raw::map(UnaryOpType::IS_FINITE, finite.data(), n, a.data());
    raw::map(UnaryOpType::NEGATE, a.data(), n, a.data());
    Values const other = b.values(), chosen = out.values(), negated = a.values();
    for (std::size_t i = 0; i != n; ++i) {
      CHECK(chosen[i] == (c[i] != 0 ? x[i] : other[i]));
      CHECK(negated[i] == -x[i]);
    }
    CHECK(finite.values() == Values(n, 1));
    CHECK((out.isIntact() && a.isIntact() && finite.isIntact()));
  }
}

TEST_CASE("casts and fills") {
  for (std::size_t n : SIZES) {
    Numbers random(3);
    Values const x = random.real(poplar::FLOAT, n, -40, 40);
    Array<float> floats(x);
    Array<Half> halves(n);
    Array<int> ints(n);
    Array<bool> bools(n);
    raw::cast(halves.data(), n, floats.data());
    raw::cast(ints.data(), n, halves.data());
    Values expected, truncated;
    for (double value : x) {
      expected.push_back(rounded(poplar::HALF, value));
      truncated.push_back(std::trunc(expected.back()));
    }
    CHECK(halves.values() == expected);
    CHECK(ints.values() == truncated);
    raw::fill(halves.data(), n, Half(2.5F));
    raw::fill(ints.data(), n, -7);
    raw::fill(bools.data(), n, false);
    CHECK(halves.values() == Values(n, 2.5));
    CHECK(ints.values() == Values(n, -7));
    CHECK(bools.values() == Values(n, 0));
    CHECK((halves.isIntact() && ints.isIntact() && bools.isIntact()));
  }
}

TEST_CASE("reductions give the graph's bits, scaled and updating") {
  using popops::Operation;
  Numbers random(4);
  for (Shape const &s : {Shape{4, 50, 1}, Shape{2, 9, 70}, Shape{1, 3, 600}, Shape{3, 0, 5}})
    for (Operation op : {Operation::ADD, Operation::SQUARE_ADD, Operation::MAX}) {
      Values const x = random.real(poplar::HALF, product(s));
      Array<Half> in(x), out(s[0] * s[2]);
      raw::reduce(op, out.data(), {s[0], s[1], s[2]}, in.data());
      Run run(cpu);
      auto const output =
          run.output(popops::reduce(run.graph, run.input(poplar::HALF, s, x), {1}, op, run.prog));
      run.run();
      CHECK(out.values() == run.values(output));
      CHECK(out.isIntact());
    }
  Array<float> in(Values{1, 2, 3, 4}), out(Values{10, 20});
  float const scale = 0.5F;
  raw::reduce(Operation::ADD, out.data(), {2, 2, 1}, in.data(), {&scale, true});
  CHECK(out.values() == Values{11.5, 23.5});
  Array<bool> bools(Values{1, 0, 1, 1}), all(2);
  raw::reduce(Operation::LOGICAL_AND, all.data(), {2, 2, 1}, bools.data());
  CHECK(all.values() == Values{0, 1});
}

TEST_CASE("a lambda of this file runs with the file's own instructions") {
  for (std::size_t n : SIZES) {
    Numbers random(5);
    Values const x = random.real(poplar::FLOAT, n), y = random.real(poplar::HALF, n);
    Array<float> a(x);
    Array<Half> b(y);
    Array<bool> out(n);
    float const bound = 0.5F;
    raw::map([=](auto p, auto q) { return p + q > bound; }, out.data(), n, a.data(), b.data());
    raw::map<float>([](float p) { return p < 0 ? 0 : p; }, a.data(), n, a.data());
    Values greater, positive;
    for (std::size_t i = 0; i != n; ++i) {
      greater.push_back(rounded(poplar::FLOAT, x[i] + y[i]) > 0.5);
      positive.push_back(std::max(x[i], 0.0));
    }
    CHECK(out.values() == greater);
    CHECK(a.values() == positive);
    CHECK((out.isIntact() && a.isIntact()));

    Run run(cpu);
    auto const output = run.output(popops::map(
        run.graph, [=](auto p, auto q) { return p * bound - q; },
        {run.input(poplar::FLOAT, {n}, x), run.input(poplar::HALF, {n}, y)}, run.prog));
    run.run();
    Values expected;
    for (std::size_t i = 0; i != n; ++i)
      expected.push_back(rounded(poplar::FLOAT, x[i] * 0.5 - y[i]));
    CHECK(run.values(output) == expected);
  }
}

TEST_CASE("errors name the array or the types") {
  using poplar::poplar_error;
  float x[4] = {};
  int i[4] = {};
  bool b[4] = {};
  CHECK_THROWS_WITH_AS(
      raw::map(BinaryOpType::ADD, x, 4, x, i),
      "popops::kernels::map: Add does not exist for operands of type float and int", poplar_error);
  CHECK_THROWS_WITH_AS(raw::map(BinaryOpType::LESS_THAN, x, 4, x, x),
                       "popops::kernels::map: 'out' has elements of type float, but LessThan of "
                       "float gives bool",
                       poplar_error);
  CHECK_THROWS_WITH_AS(raw::map(UnaryOpType::SIN, i, 4, i),
                       "popops::kernels::map: Sin does not exist for operands of type int",
                       poplar_error);
  CHECK_THROWS_WITH_AS(raw::map(BinaryOpType::ADD, x, 4, x, static_cast<float *>(nullptr)),
                       "popops::kernels::map: 'b' is a null pointer; it must have 4 elements",
                       poplar_error);
  CHECK_THROWS_WITH_AS(
      raw::reduce(popops::Operation::LOGICAL_AND, x, {1, 4, 1}, x),
      "popops::kernels::reduce: operation LOGICAL_AND from float to float does not "
      "exist; numbers are reduced to their own type, float and half to either, "
      "bool by LOGICAL_AND and LOGICAL_OR, LOG_ADD takes float and half",
      poplar_error);
  CHECK_THROWS_WITH_AS(raw::reduce(popops::Operation::MAX, x, {1, 4, 1}, x, {nullptr, true}),
                       "popops::kernels::reduce: updating with operation MAX; allowed: ADD, "
                       "SQUARE_ADD, LOG_ADD",
                       poplar_error);
  std::size_t const half = std::size_t{1} << 63;
  CHECK_THROWS_WITH_AS(
      raw::reduce(popops::Operation::ADD, x, {half, 2, 1}, x),
      "popops::kernels::reduce: the shape [9223372036854775808, 2, 1] has too many "
      "elements",
      poplar_error);
  CHECK_THROWS_WITH_AS(raw::cast(static_cast<float *>(nullptr), 4, b),
                       "popops::kernels::cast: 'out' is a null pointer; it must have 4 elements",
                       poplar_error);
}

TEST_SUITE_END();
