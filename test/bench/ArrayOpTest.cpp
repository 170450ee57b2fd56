#include <bench/race/Problem.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace cottonwood::bench;
using Function = ArrayOp::Function;

namespace {

ArrayOp flat(Function function, std::size_t size = 5) {
  return {.function = function, .columns = size};
}

} // namespace

TEST_SUITE("bench/array-op") {
  TEST_CASE("names tell type, function, what is summed, and shape") {
    CHECK(nameOf(flat(Function::ADD, 1000)) == "float/add/1e3");
    CHECK(nameOf(flat(Function::EXP, 10'000'000)) == "float/exp/1e7");
    CHECK(nameOf(ArrayOp{.function = Function::SUM, .half = true, .rows = 100}) ==
          "half/sum/all/100");
    CHECK(nameOf(ArrayOp{.function = Function::SUM, .outer = 20, .rows = 30}) ==
          "float/sum/rows/20x30");
    CHECK(nameOf(ArrayOp{.function = Function::MAX_OF, .rows = 20, .columns = 1000}) ==
          "float/max-of/columns/20x1e3");
    CHECK(nameOf(ArrayOp{.function = Function::TRANSPOSE, .outer = 2, .rows = 3, .columns = 4}) ==
          "float/transpose/2x3x4");
    CHECK(nameOf(ArrayOp{}) == "float/add/1");
  }

  TEST_CASE("what is no operation is refused") {
    for (char const *text : {"", "float add 1 1 1", "double add 1 1 1 1", "float plus 1 1 1 1",
                             "float add 1 1 0 1", "float add 1 1 1 1 1"})
      CHECK_THROWS_AS(parseArrayOp(text), std::invalid_argument);
  }

  TEST_CASE("operands and results have the types and sizes that traffic is counted in") {
    CHECK(flat(Function::ADD).bytes() == 60);
    CHECK(flat(Function::EXP).bytes() == 40);
    CHECK(flat(Function::FILL).bytes() == 20);
    CHECK(flat(Function::ADD_IN_PLACE).bytes() == 60);
    CHECK(flat(Function::CAST_TO_HALF).bytes() == 30);
    CHECK(flat(Function::CAST_FROM_HALF).bytesRead() == 10);
    CHECK(ArrayOp{.function = Function::EXP, .half = true, .columns = 5}.bytes() == 20);
    ArrayOp const sums{.function = Function::SUM, .outer = 2, .rows = 3, .columns = 4};
    CHECK(sums.bytesRead() == 4 * 24);
    CHECK(sums.bytesWritten() == 4 * 8);
    CHECK(bytesWrittenOf(Product{.half = true, .m = 2, .n = 3}) == 12);
    CHECK(elementOfC(flat(Function::CAST_TO_INT)) == Element::INT);
  }

  TEST_CASE("rates count traffic for operations over arrays and arithmetic for others") {
    CHECK(std::string(unitOf(flat(Function::ADD))) == "GB/s");
    CHECK(workOf(flat(Function::ADD)) == 60);
    CHECK(std::string(unitOf(Product{})) == "GF/s");
    CHECK(workOf(Product{.m = 2, .n = 3, .k = 4}) == 48);
  }

  TEST_CASE("values are in the domain of the function and exact in their type") {
    auto const all = [](std::vector<float> const &values, auto holds) {
      return std::all_of(values.begin(), values.end(), holds);
    };
    CHECK(all(flat(Function::LOG, 5000).valuesOfA(), [](float x) { return x > 0; }));
    CHECK(all(flat(Function::CAST_FROM_INT, 1000).valuesOfA(),
              [](float x) { return x == std::nearbyint(x); }));
    auto const holdsHalf = [](float x) { return x * 0x1p11F == std::nearbyint(x * 0x1p11F); };
    CHECK(all(flat(Function::CAST_FROM_HALF, 1000).valuesOfA(), holdsHalf));
    CHECK_FALSE(all(flat(Function::ADD, 1000).valuesOfB(), holdsHalf));
    Problem const half = ArrayOp{.function = Function::EXP, .half = true, .columns = 100};
    CHECK(valuesOfA(asFloat(half)) == valuesOfA(half));
    CHECK(flat(Function::FILL).valuesOfA().empty());
    auto const wide = flat(Function::EXP, 1000).valuesOfA();
    CHECK(*std::max_element(wide.begin(), wide.end()) > 7);
  }

  TEST_CASE("references of reductions, norms and transposes") {
    std::vector<float> const a = {1, 2, 3, 4, 5, 6};
    auto const values = [&](ArrayOp const &op) {
      auto const positions = samplePositions(op.sizeC());
      auto const found = referenceOf(op, a, {}).values;
      std::vector<double> inOrder(op.sizeC());
      for (std::size_t i = 0; i < positions.size(); ++i)
        inOrder[positions[i]] = found[i];
      return inOrder;
    };
    // The two places that are always among the samples.
    CHECK(values({.function = Function::SUM, .outer = 2, .rows = 3}) == std::vector<double>{6, 15});
    CHECK(values({.function = Function::MAX_OF, .rows = 3, .columns = 2}) ==
          std::vector<double>{5, 6});
    CHECK(values({.function = Function::SQUARE_SUM, .rows = 6}) == std::vector<double>{91});
    CHECK(values({.function = Function::SOFTMAX, .columns = 2}).front() ==
          doctest::Approx(1 / (1 + std::exp(1.0))));
    CHECK(values({.function = Function::LOG_SOFTMAX, .columns = 2}).back() ==
          doctest::Approx(-std::log(1 + std::exp(-1.0))));
    auto const turned = values({.function = Function::TRANSPOSE, .rows = 2, .columns = 3});
    CHECK(turned.front() == 1);
    CHECK(turned.back() == 6);
    ArrayOp const big{
        .function = Function::TRANSPOSE, .outer = 2, .rows = 3, .columns = 5, .inner = 2};
    std::vector<float> numbers(big.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<float>(i);
    auto const positions = samplePositions(big.size());
    auto const moved = referenceOf(big, numbers, {}).values;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      // [outer, columns, rows, inner]
      std::size_t const p = positions[i], inner = p % 2, row = p / 2 % 3, column = p / 6 % 5;
      CHECK(moved[i] == static_cast<double>(p / 30 * 30 + row * 10 + column * 2 + inner));
    }
  }

  TEST_CASE("exact operations may be rounded once, functions be off by four units") {
    CHECK(allowedError(flat(Function::ADD), false) < 0x1.1p-24);
    CHECK(allowedError(flat(Function::EXP), false) < 0x1.1p-21);
    CHECK(allowedError(flat(Function::EXP), true) > 0x1p-11);
    CHECK(allowedError({.function = Function::SUM, .rows = 100}, false) ==
          roundingError(100, false, false));
  }
}
