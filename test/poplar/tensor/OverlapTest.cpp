// Which boxes meet: against sets of offsets.

#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>
#include <poplar/impl/graph/ViewOverlap.hpp>
#include <poplar/impl/graph/ViewReach.hpp>
#include <random>
#include <set>
#include <vector>

using namespace cottonwood::graph;

namespace {

using Offsets = std::vector<std::int64_t>;

Box boxOf(std::int64_t offset, std::vector<Factor> const &factors) {
  Box box{nullptr, 0, offset, {}};
  for (Factor const &f : factors)
    if (f.size != 1)
      box.factors.push_back(f);
  return box;
}

Offsets offsetsOf(Box const &box) {
  Offsets offsets{box.offset};
  for (Factor const &f : box.factors) {
    Offsets const before = offsets;
    for (std::uint64_t i = 1; i != f.size; ++i)
      for (std::int64_t const offset : before)
        offsets.push_back(offset + static_cast<std::int64_t>(i) * f.stride);
  }
  return offsets;
}

class Boxes {
public:
  explicit Boxes(unsigned long seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return random_() % limit; }

  /// Any box with positive strides, in any order.
  Box any(std::int64_t limit) {
    std::vector<Factor> factors(below(4));
    for (Factor &f : factors)
      f = {2 + below(4), 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(limit)))};
    return boxOf(static_cast<std::int64_t>(below(40)), factors);
  }

  /// The tiles of an array that is cut at random places in each dimension, in random order.
  std::vector<Box> tiles(std::vector<std::size_t> const &shape, std::size_t numCuts) {
    std::vector<Box> boxes{boxOf(0, {})};
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      std::vector<Box> finer;
      std::vector<std::size_t> const cuts = cutsOf(shape[d], numCuts);
      for (Box const &box : boxes)
        for (std::size_t c = 0; c + 1 != cuts.size(); ++c)
          finer.push_back(withFactor(box, cuts[c], cuts[c + 1] - cuts[c], stride));
      boxes = finer;
      stride *= static_cast<std::int64_t>(shape[d]);
    }
    std::shuffle(boxes.begin(), boxes.end(), random_);
    return boxes;
  }

private:
  std::vector<std::size_t> cutsOf(std::size_t size, std::size_t numCuts) {
    std::set<std::size_t> cuts{0, size};
    while (numCuts-- != 0)
      cuts.insert(below(size));
    return {cuts.begin(), cuts.end()};
  }

  static Box withFactor(Box box, std::size_t begin, std::size_t size, std::int64_t stride) {
    box.offset += static_cast<std::int64_t>(begin) * stride;
    if (size > 1)
      box.factors.insert(0, Factor{size, stride});
    return box;
  }

  std::mt19937_64 random_;
};

bool anyOverlap(std::vector<Box> const &boxes) {
  OverlapFinder finder(false);
  for (Box const &box : boxes)
    finder.add(box);
  return finder.any();
}

bool anyOverlapByOffsets(std::vector<Box> const &boxes) {
  std::set<std::int64_t> seen;
  for (Box const &box : boxes) {
    Offsets const offsets = offsetsOf(box);
    for (std::int64_t const offset : offsets)
      if (seen.count(offset) != 0)
        return true;
    seen.insert(offsets.begin(), offsets.end()); // within a box they may repeat
  }
  return false;
}

TEST_SUITE("poplar/tensor") {

  TEST_CASE("two boxes meet if they share an offset") {
    Boxes random(1);
    std::size_t numMeeting = 0;
    for (int n = 0; n != 20000; ++n) {
      Box const a = random.any(12 + n % 30), b = random.any(12 + n % 30);
      bool const meet = anyOverlapByOffsets({a, b});
      numMeeting += meet ? 1 : 0;
      REQUIRE(boxesMeet(a.offset, a.factors, b.offset, b.factors) == meet);
      REQUIRE(anyOverlap({a, b}) == meet);
    }
    CHECK(numMeeting > 2000);
    CHECK(numMeeting < 18000);
  }

  TEST_CASE("a box is injective if no offset occurs twice") {
    Boxes random(2);
    std::size_t numInjective = 0;
    for (int n = 0; n != 20000; ++n) {
      Box const box = random.any(10 + n % 60);
      Offsets const offsets = offsetsOf(box);
      bool const injective =
          std::set<std::int64_t>(offsets.begin(), offsets.end()).size() == offsets.size();
      numInjective += injective ? 1 : 0;
      REQUIRE(isInjective(box.factors) == injective);
    }
    CHECK(numInjective > 2000);
    CHECK(numInjective < 18000);
  }

  TEST_CASE("large strides with small divisors are decided exactly") {
    // 6 x + 10 y + 15 z reaches everything above 29.
    Factor const terms[] = {{1000, 6}, {1000, 10}, {1000, 15}};
    CHECK_FALSE(reaches(terms, 29));
    CHECK(reaches(terms, 30));
    CHECK(reaches(terms, 6 * 999 + 10 * 999 + 15 * 999));
    CHECK_FALSE(reaches(terms, 6 * 999 + 10 * 999 + 15 * 999 - 29));
    Factor const far[] = {{1000000, 1000003}, {1000000, 1000033}};
    CHECK(reaches(far, 999999 * (std::int64_t{1000003} + 1000033)));
    CHECK_FALSE(reaches(far, 999999 * (std::int64_t{1000003} + 1000033) - 1));
  }

  TEST_CASE("many tiles of an array are apart until one is moved") {
    Boxes random(3);
    std::vector<std::vector<std::size_t>> const shapes{{4000},       {40, 50}, {13, 7, 11},
                                                       {6, 5, 4, 7}, {3, 300}, {300, 3}};
    for (int n = 0; n != 300; ++n) {
      std::vector<Box> boxes = random.tiles(shapes[random.below(shapes.size())], random.below(60));
      CAPTURE(n);
      CHECK_FALSE(anyOverlap(boxes));
      boxes.resize(1 + random.below(boxes.size()));
      if (Box const box = random.any(50); random.below(3) == 0 && isInjective(box.factors))
        boxes.push_back(box);
      else
        boxes[random.below(boxes.size())].offset += static_cast<std::int64_t>(random.below(4));
      CHECK(anyOverlap(boxes) == anyOverlapByOffsets(boxes));
    }
  }

  TEST_CASE("boxes that do not fit into rows are found among those that do") {
    // Columns of a 50 x 100 matrix, and one diagonal.
    std::vector<Box> boxes;
    for (std::int64_t j = 0; j != 100; ++j)
      if (j % 2 == 0)
        boxes.push_back(boxOf(j, {{50, 100}}));
    boxes.push_back(boxOf(1, {{24, 202}})); // odd columns only
    CHECK_FALSE(anyOverlap(boxes));
    boxes.back() = boxOf(1, {{25, 101}});
    CHECK(anyOverlap(boxes));
  }

  TEST_CASE("squares of two sizes, between which no line runs through, are apart") {
    // The tiling of the plane by squares of 20 and of 10 with the periods (20, 10) and (-10, 20),
    // cut to a matrix.
    std::int64_t const n = 1000;
    std::vector<Box> boxes;
    auto const addSquare = [&](std::int64_t x, std::int64_t y, std::int64_t size) {
      std::int64_t const left = std::max<std::int64_t>(x, 0), right = std::min(x + size, n);
      std::int64_t const top = std::max<std::int64_t>(y, 0), bottom = std::min(y + size, n);
      if (left >= right || top >= bottom)
        return;
      auto const height = static_cast<std::uint64_t>(bottom - top),
                 width = static_cast<std::uint64_t>(right - left);
      boxes.push_back(boxOf(top * n + left, {{height, n}, {width, 1}}));
    };
    for (std::int64_t i = -100; i != 100; ++i)
      for (std::int64_t j = -100; j != 100; ++j) {
        std::int64_t const x = 20 * i - 10 * j, y = 10 * i + 20 * j;
        addSquare(x, y, 20);
        addSquare(x + 20, y, 10);
      }
    CHECK(boxes.size() > 4000);
    CHECK_FALSE(anyOverlap(boxes));
    boxes[boxes.size() / 2].offset += 1;
    CHECK(anyOverlap(boxes));
  }

  TEST_CASE("boxes of one side are not compared") {
    OverlapFinder finder(true);
    finder.add(boxOf(0, {{10, 2}}), 0);
    finder.add(boxOf(4, {{10, 2}}), 0);
    finder.add(boxOf(1, {{10, 2}}), 1);
    CHECK_FALSE(finder.any());
    finder.add(boxOf(0, {{10, 2}}), 0);
    finder.add(boxOf(1, {{10, 2}}), 1);
    finder.add(boxOf(18, {}), 1);
    CHECK(finder.any());
  }

} // TEST_SUITE

} // namespace
