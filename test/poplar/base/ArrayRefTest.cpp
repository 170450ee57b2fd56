#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <poplar/ArrayRef.hpp>
#include <type_traits>
#include <vector>

using poplar::ArrayRef;

namespace {
struct Base {
  int value;
};
struct SameSize : Base {};
struct Larger : Base {
  int more;
};
template <class From, class To> constexpr bool converts = std::is_convertible_v<From, To>;
} // namespace

TEST_SUITE("poplar/base/ArrayRef") {
  TEST_CASE("a view refers to the elements, it does not copy them") {
    std::vector<int> values{1, 2, 3};
    ArrayRef<int> const view(values);
    values[1] = 7;
    CHECK(view[1] == 7);
    CHECK(view.front() == 1);
    CHECK(view.back() == 3);
    CHECK(view.data() == values.data());
    CHECK(view.cloneAsVector() == values);
  }

  TEST_CASE("an empty view has no elements, whatever it was made from") {
    CHECK(ArrayRef<int>().empty());
    CHECK(ArrayRef<int>({}).empty());
    CHECK(ArrayRef<int>(std::vector<int>()).empty());
    CHECK(ArrayRef<int>(std::array<int, 0>()).begin() == ArrayRef<int>(std::array<int, 0>()).end());
    CHECK(ArrayRef<int>() == ArrayRef<int>(nullptr, 0));
    CHECK(ArrayRef<int>().cloneAsVector().empty());
  }

  TEST_CASE("views compare by length and elements") {
    CHECK(ArrayRef<int>({1, 2}) == ArrayRef<int>(std::vector<int>{1, 2}));
    CHECK(ArrayRef<int>({1, 2}) != ArrayRef<int>({1, 3}));
    CHECK(ArrayRef<int>({1, 2}) != ArrayRef<int>({1}));
  }

  TEST_CASE("only arrays that can be read as arrays of T convert") {
    CHECK(converts<std::vector<int>, ArrayRef<int>>);
    CHECK(converts<std::vector<void *>, ArrayRef<void const *>>);
    CHECK(converts<std::vector<SameSize>, ArrayRef<Base>>);
    CHECK(converts<std::array<SameSize, 2>, ArrayRef<Base>>);
    CHECK_FALSE(converts<std::vector<Larger>, ArrayRef<Base>>);
    CHECK_FALSE(converts<std::vector<Base>, ArrayRef<SameSize>>);
    CHECK_FALSE(converts<std::vector<int>, ArrayRef<long>>);
    CHECK_FALSE(converts<std::vector<bool>, ArrayRef<bool>>);
    CHECK_FALSE(converts<std::nullptr_t, ArrayRef<int>>);
    CHECK_FALSE(converts<int, ArrayRef<int>>);
  }

  TEST_CASE("gccs::ArrayRef writes through, and becomes read-only but not the other way round") {
    std::vector<int> values{1, 2, 3};
    gccs::ArrayRef<int> const out(values);
    out[2] = 9;
    for (int &value : out)
      ++value;
    CHECK(values == std::vector<int>{2, 3, 10});
    CHECK(ArrayRef<int>(out).size() == 3);
    CHECK(converts<gccs::ArrayRef<int>, gccs::ArrayRef<int const>>);
    CHECK(converts<gccs::ArrayRef<int const>, ArrayRef<int>>);
    CHECK(converts<ArrayRef<int>, gccs::ArrayRef<int const>>);
    CHECK_FALSE(converts<gccs::ArrayRef<int const>, gccs::ArrayRef<int>>);
    CHECK_FALSE(converts<ArrayRef<int>, gccs::ArrayRef<int>>);
    CHECK_FALSE(converts<std::vector<int> const &, gccs::ArrayRef<int>>);
  }
}
