// Extreme elements of rows on every instruction set of this machine.
#include <codelets/popops/RowExtremes.hpp>
#include <test/codelets/Isas.hpp>

#include <string>

using namespace cottonwood;

TEST_SUITE_BEGIN("codelets/popops/rowExtremes");

namespace {

using Half = cottonwood::half;

template <class T> using Rows = vertices::RowExtremes<isa::scalar, T>;
template <class T> using Merge = vertices::MergeRowExtremes<isa::scalar, T>;

// Where an element stands among all of its type: numbers by value, then NaN without a sign by
// payload, then those with a sign from the largest payload down.
struct Rank {
  int group; // 0 numbers, 1 NaN, 2 NaN with a sign
  double within;
  bool operator<(Rank const &other) const {
    return group != other.group ? group < other.group : within < other.within;
  }
};
template <class T> Rank rankIn(T x) {
  if constexpr (std::is_integral_v<T>) {
    return {0, static_cast<double>(x)};
  } else {
    float const value = test::toFloat(x);
    if (value == value)
      return {0, static_cast<double>(value)};
    // The payload of a quiet NaN.
    std::uint32_t const bits = arch::bitCast<std::uint32_t>(value), payload = bits & 0x3fffff;
    return bits >> 31 ? Rank{2, -static_cast<double>(payload)}
                      : Rank{1, static_cast<double>(payload)};
  }
}

template <class T> std::size_t expectedPlace(const std::vector<T> &row, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < row.size(); ++i)
    if (largest ? rankIn(row[best]) < rankIn(row[i]) : rankIn(row[i]) < rankIn(row[best]))
      best = i;
  return best;
}

// Shapes of data: ties, both zeros, NaN of all kinds, infinities, ascending, descending, random.
template <class T> T element(std::mt19937 &random, unsigned shape, std::size_t i, std::size_t n) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(shape == 0   ? random()
                          : shape == 1 ? random() % 3 - 1
                          : shape == 2 ? i
                                       : n - i);
  else {
    float const nan =
        arch::bitCast<float>(0x7fc00000u | static_cast<std::uint32_t>(random() % 4 << 15) |
                             static_cast<std::uint32_t>(random() % 2 << 31));
    float const special[] = {0.f, -0.f, INFINITY, -INFINITY};
    float const x = shape == 0   ? static_cast<float>(random() % 1000)
                    : shape == 1 ? special[random() % 2]
                    : shape == 2 ? static_cast<float>(i)
                    : shape == 3 ? -static_cast<float>(i)
                    : shape == 4 ? special[random() % 4]
                    : shape == 5 ? nan
                    : shape == 6 ? -INFINITY
                                 : (random() % 50 ? static_cast<float>(random() % 99) : nan);
    return test::fromFloat<T>(x);
  }
}

template <class T> bool sameBits(T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

template <class T> void checkRows(isa::Isa isa, std::mt19937 &random, std::size_t n) {
  using Host = std::conditional_t<std::is_same_v<T, Half>, poplar::half, T>;
  for (unsigned shape = 0; shape < 8; ++shape) {
    std::size_t const rows = shape % 2 == 0 ? 1 + random() % 3 : 16 + random() % 20;
    test::Misaligned<T> in(rows * n);
    std::vector<std::vector<T>> data(rows, std::vector<T>(n));
    for (std::size_t i = 0; i < rows * n; ++i)
      in.set(i, data[i / n][i % n] = element<T>(random, shape, i % n, n));
    for (bool const largest : {true, false}) {
      CAPTURE(shape);
      CAPTURE(largest);
      std::vector<T> values(rows + 1, T{});
      std::vector<unsigned> indices(rows + 1, 77);
      auto v = test::zeroed<Rows<Host>>();
      test::connect(v.in, in.data());
      test::connect(v.values, values.data(), rows);
      test::connect(v.indices, indices.data());
      v.n = static_cast<unsigned>(n);
      v.firstIndex = 1000;
      v.largest = largest;
      test::runOn<vertices::RowExtremesFamily>(isa, v);
      for (std::size_t row = 0; row < rows; ++row) {
        std::size_t const place = expectedPlace(data[row], largest);
        CHECK(indices[row] == 1000 + place);
        T expected = data[row][place];
        if (rankIn(expected).group == 0 && rankIn(expected).within == 0)
          expected = T{}; // +0
        CHECK(sameBits(values[row], expected));
      }
      CHECK(indices[rows] == 77);
      // The same from pieces of up to 5 elements.
      std::size_t const pieces = (n + 4) / 5;
      std::vector<T> found(pieces);
      std::vector<unsigned> places(pieces), place{77};
      for (std::size_t p = 0; p < pieces; ++p) {
        auto piece = v;
        test::connect(piece.in, in.data() + 5 * p);
        test::connect(piece.values, found.data() + p, 1);
        test::connect(piece.indices, places.data() + p);
        piece.n = static_cast<unsigned>(std::min<std::size_t>(5, n - 5 * p));
        piece.firstIndex = static_cast<unsigned>(1000 + 5 * p);
        test::runOn<vertices::RowExtremesFamily>(isa, piece);
      }
      std::vector<T> value(1);
      auto merge = test::zeroed<Merge<Host>>();
      test::connect(merge.in, found.data());
      test::connect(merge.found, places.data());
      test::connect(merge.values, value.data(), 1);
      test::connect(merge.indices, place.data());
      merge.n = static_cast<unsigned>(pieces);
      merge.largest = largest;
      test::runOn<vertices::RowExtremesFamily>(isa, merge);
      CHECK(place[0] == indices[0]);
      CHECK(sameBits(value[0], values[0]));
    }
  }
}

} // namespace

TEST_CASE("the first extreme element of a row is found, among NaN and zeros of both signs too") {
  for (const isa::Isa isa : test::vectorIsas()) {
    std::mt19937 random(11);
    for (std::size_t n : test::lengths()) {
      if (n == 0)
        continue;
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(n);
      checkRows<float>(isa, random, n);
      checkRows<Half>(isa, random, n);
      checkRows<int>(isa, random, n);
      checkRows<unsigned>(isa, random, n);
    }
  }
}

TEST_SUITE_END();
