#include <bench/poplin/MatMulCases.hpp>
#include <bench/race/Product.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

using namespace cottonwood::bench;

TEST_SUITE("bench/product") {
  TEST_CASE("every case has a name of its own and survives the trip to a peer") {
    std::set<std::string> names;
    for (Product const &product : matMulCases(Set::All)) {
      CAPTURE(nameOf(product));
      CHECK(names.insert(nameOf(product)).second);
      CHECK(nameOf(parseProduct(textOf(product))) == nameOf(product));
    }
  }

  TEST_CASE("larger sets include the smaller ones, and ci has 1024^3") {
    auto const smoke = matMulCases(Set::Smoke), ci = matMulCases(Set::Ci),
               all = matMulCases(Set::All);
    CHECK(!smoke.empty());
    CHECK(smoke.size() < ci.size());
    CHECK(ci.size() < all.size());
    CHECK(std::any_of(ci.begin(), ci.end(), [](Product const &product) {
      return nameOf(product) == "float/1024x1024x1024";
    }));
  }

  TEST_CASE("what is no product is refused") {
    for (char const *text : {"", "float", "float 1 2 3 4 nn", "double 1 2 3 4 nn plain",
                             "float 1 2 3 4 xx plain", "float 1 2 3 4 nn plain more"})
      CHECK_THROWS_AS(parseProduct(text), std::invalid_argument);
  }

  TEST_CASE("values are multiples of 1/256 within one, so that half holds them") {
    for (float value : valuesOfA({.m = 30, .k = 40})) {
      CHECK(std::fabs(value) <= 1);
      CHECK(value * 256 == std::floor(value * 256));
    }
  }

  TEST_CASE("storing an operand transposed moves its elements") {
    // op(A) = [[1 2 3], [4 5 6]], op(B) = [[1 0], [0 1], [1 1]]
    Product product{.m = 2, .n = 2, .k = 3};
    std::vector<double> const expected = {4, 5, 10, 11};
    auto const check = [&](std::vector<float> const &a, std::vector<float> const &b) {
      Reference const reference = referenceOf(product, a, b);
      auto const positions = samplePositions(product);
      for (std::size_t i = 0; i < positions.size(); ++i)
        CHECK(reference.values[i] == expected[positions[i]]);
    };
    check({1, 2, 3, 4, 5, 6}, {1, 0, 0, 1, 1, 1});
    product.transposedA = true;
    check({1, 4, 2, 5, 3, 6}, {1, 0, 0, 1, 1, 1});
    product.transposedB = true;
    check({1, 4, 2, 5, 3, 6}, {1, 0, 1, 0, 1, 1});
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
