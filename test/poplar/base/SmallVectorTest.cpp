#include <cstddef>
#include <doctest/doctest.h>
#include <poplar/impl/base/SmallVector.hpp>
#include <random>
#include <utility>
#include <vector>

using cottonwood::base::SmallVector;

namespace {
using Vector = SmallVector<std::size_t, 4>;

bool same(Vector const &a, std::vector<std::size_t> const &b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}
} // namespace

TEST_SUITE("poplar/base/SmallVector") {
  TEST_CASE("up to N elements live in the vector itself") {
    Vector vector{1, 2, 3, 4};
    CHECK(vector.isInline());
    vector.push_back(5);
    CHECK_FALSE(vector.isInline());
    CHECK(same(vector, {1, 2, 3, 4, 5}));
    CHECK(vector.front() == 1);
    CHECK(vector.back() == 5);
  }

  TEST_CASE("copies are independent, moved-from vectors are empty, inline and on the heap") {
    for (std::size_t size : {0u, 3u, 4u, 9u}) {
      CAPTURE(size);
      Vector original(size, 7);
      Vector copy = original;
      Vector moved = std::move(original);
      CHECK(original.empty());
      CHECK(copy == moved);
      copy.push_back(1);
      CHECK(copy != moved);
      CHECK(moved < copy);
      original = copy;
      CHECK(original == copy);
      original = std::move(moved);
      CHECK(original.size() == size);
      auto &alias = original;
      original = alias;
      CHECK(original.size() == size);
    }
  }

  TEST_CASE("an element of the vector itself may be appended") {
    Vector vector{1, 2, 3, 4};
    vector.push_back(vector[1]);
    vector.resize(9, vector[2]);
    CHECK(same(vector, {1, 2, 3, 4, 2, 3, 3, 3, 3}));
  }

  TEST_CASE("random operations agree with std::vector") {
    std::mt19937 random(12345);
    Vector vector;
    std::vector<std::size_t> reference;
    for (int step = 0; step != 20000; ++step) {
      std::size_t const value = random() % 1000;
      std::size_t const at = random() % (reference.size() + 1);
      switch (random() % 7) {
      case 0:
      case 1:
        vector.push_back(value);
        reference.push_back(value);
        break;
      case 2:
        vector.insert(at, value);
        reference.insert(reference.begin() + static_cast<std::ptrdiff_t>(at), value);
        break;
      case 3:
      case 4:
        if (at < reference.size()) {
          vector.erase(at);
          reference.erase(reference.begin() + static_cast<std::ptrdiff_t>(at));
        }
        break;
      case 5:
        vector.resize(at, value);
        reference.resize(at, value);
        break;
      default:
        if (!reference.empty()) {
          vector.pop_back();
          reference.pop_back();
        }
      }
      if (!same(vector, reference))
        FAIL("seed 12345, step " << step);
    }
    CHECK(same(vector, reference));
  }
}
