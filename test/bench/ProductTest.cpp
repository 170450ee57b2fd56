#include <bench/race/Problem.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

using namespace cottonwood::bench;

TEST_SUITE("bench/product") {
  TEST_CASE("what is no product is refused") {
    for (char const *text : {"", "float", "float 1 2 3 4 nn", "double 1 2 3 4 nn plain",
                             "float 1 2 3 4 xx plain", "float 1 2 3 4 nn plain more"})
      CHECK_THROWS_AS(parseProduct(text), std::invalid_argument);
  }

  TEST_CASE("values are within one, and half holds those of half") {
    for (bool ofHalf : {false, true}) {
      bool fillFloat = false;
      for (float value : randomValues(1200, 1, ofHalf)) {
        CHECK(std::fabs(value) <= 1);
        bool const heldByHalf = value * 2048 == std::floor(value * 2048);
        CHECK((heldByHalf || !ofHalf));
        fillFloat |= !heldByHalf;
      }
      CHECK(fillFloat == !ofHalf);
    }
  }

  TEST_CASE("in float a problem of half keeps its values") {
    Problem const half = Product{.half = true, .m = 3, .k = 5};
    Problem const twin = parseProblem(textOf(asFloat(half)));
    CHECK_FALSE(isHalf(twin));
    CHECK(nameOf(twin) == "float/3x1x5");
    CHECK(valuesOfA(twin) == valuesOfA(half));
    CHECK(valuesOfB(asFloat(twin)) == valuesOfB(half));
    CHECK(valuesOfA(twin) != valuesOfA(Product{.m = 3, .k = 5}));
  }

  TEST_CASE("storing an operand transposed moves its elements") {
    // op(A) = [[1 2 3], [4 5 6]], op(B) = [[1 0], [0 1], [1 1]]
    Product product{.m = 2, .n = 2, .k = 3};
    std::vector<double> const expected = {4, 5, 10, 11};
    auto const check = [&](std::vector<float> const &a, std::vector<float> const &b) {
      Reference const reference = referenceOf(product, a, b);
      auto const positions = samplePositions(product.sizeC());
      for (std::size_t i = 0; i < positions.size(); ++i)
        CHECK(reference.values[i] == expected[positions[i]]);
    };
    check({1, 2, 3, 4, 5, 6}, {1, 0, 0, 1, 1, 1});
    product.transposedA = true;
    check({1, 4, 2, 5, 3, 6}, {1, 0, 0, 1, 1, 1});
    product.transposedB = true;
    check({1, 4, 2, 5, 3, 6}, {1, 0, 1, 0, 1, 1});
  }

  TEST_CASE("names tell type, shape, layout and form") {
    CHECK(nameOf(Product{.m = 2, .n = 3, .k = 4}) == "float/2x3x4");
    CHECK(nameOf(Product{.half = true, .batch = 5, .m = 2, .n = 3, .k = 4}) == "half/5x(2x3x4)");
    Product product{.half = true, .halfPartials = true, .transposedB = true, .constantB = true};
    CHECK(nameOf(product) == "half-partials/1x1x1/nt/constant");
    CHECK(textOf(parseProduct(textOf(product))) == textOf(product));
  }

  TEST_CASE("half operands are half the bytes") {
    CHECK(Product{.m = 2, .n = 3, .k = 4}.bytes() == 4 * (8 + 12 + 6));
    CHECK(Product{.half = true, .m = 2, .n = 3, .k = 4}.bytes() == 2 * (8 + 12 + 6));
  }

  TEST_CASE("sums in half may be further from the reference than sums in float") {
    Product const product{.half = true, .k = 1000};
    Product partials = product;
    partials.halfPartials = true;
    CHECK(allowedError(product, false) < allowedError(product, true));
    CHECK(allowedError(product, true) < allowedError(partials, true));
    CHECK(allowedError(partials, true) < 0.02);
  }

  TEST_CASE("errors are relative to the sum of magnitudes, and NaN is the worst") {
    Reference const reference{{1, 0}, {4, 0}};
    CHECK(worstError(reference, std::vector<double>{1, 0}) == 0);
    CHECK(worstError(reference, std::vector<double>{2, 0}) == 0.25);
    CHECK(std::isinf(worstError(reference, std::vector<double>{1, 1})));
    CHECK(std::isinf(worstError(reference, std::vector<double>{NAN, 0})));
    CHECK(std::isinf(worstError(reference, std::vector<double>{1})));
  }
}
