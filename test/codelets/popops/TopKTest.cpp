// Selecting and sorting on every instruction set of this machine.
#include <codelets/arch/Simd.hpp>
#include <codelets/popops/TopK.hpp>
#include <codelets/popops/TopKMerge.hpp>
#include <test/codelets/Isas.hpp>

#include <algorithm>
#include <array>
#include <string>

using namespace cottonwood;
using kernels::KeyKind;
using kernels::LongItem;

TEST_SUITE_BEGIN("codelets/popops/topk");

namespace {

// Element bits of which many tie.
template <class E> std::vector<E> randomBits(std::mt19937 &random, std::size_t n) {
  std::vector<E> bits(n);
  unsigned const shape = random() % 4;
  for (std::size_t i = 0; i < n; ++i)
    bits[i] = static_cast<E>(shape == 0   ? random()
                             : shape == 1 ? random() % 5 << (8 * sizeof(E) - 3)
                             : shape == 2 ? i
                                          : 0 - i);
  return bits;
}

// The items of all elements, sorted by the standard library.
template <class E, class Item>
std::vector<Item> sortedItems(const std::vector<E> &bits, kernels::KeyCode code,
                              std::uint32_t firstIndex) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < bits.size(); ++i)
    items.push_back(kernels::makeItem<Item>(
        code.key(static_cast<std::uint32_t>(bits[i]) << (32 - 8 * sizeof(E))),
        firstIndex + static_cast<std::uint32_t>(i)));
  std::sort(items.begin(), items.end());
  return items;
}

template <class E, class Item> void checkPiece(isa::Isa isa, std::mt19937 &random, std::size_t n) {
  for (std::size_t k :
       {std::size_t(1), std::size_t(2), std::size_t(8), std::size_t(16), n / 9 + 1, n / 3 + 1, n}) {
    if (k > n)
      continue;
    CAPTURE(k);
    const KeyKind kind = sizeof(E) == 2 ? KeyKind::HALF
                         : random() % 2 ? KeyKind::FLOAT
                                        : KeyKind::INT;
    const auto bits = randomBits<E>(random, n);
    test::Misaligned<E> in(n);
    for (std::size_t i = 0; i < n; ++i)
      in.set(i, bits[i]);
    std::vector<Item> out(k + 1, 77), scratch(2 * kernels::topKBuffer(n, k) + 1, 77);
    auto v = test::zeroed<vertices::TopKPiece<isa::scalar, E, Item>>();
    test::connect(v.in, in.data());
    test::connect(v.out, out.data(), k);
    test::connect(v.scratch, scratch.data());
    v.n = static_cast<unsigned>(n);
    v.firstIndex = 1000;
    v.kind = static_cast<unsigned>(kind);
    v.descending = random() % 2 == 0;
    auto expected = sortedItems<E, Item>(bits, kernels::keyCode(kind, v.descending), 1000);
    expected.resize(k);
    expected.push_back(77);
    constexpr std::size_t position = test::positionIn<vertices::TopKPiece<isa::scalar, E, Item>>(
        vertices::TopKFamily::Vertices<isa::scalar>());
    vertices::entriesFor<vertices::TopKFamily>(isa).first[position](&v, 0, nullptr);
    CHECK(out == expected);
    CHECK(scratch.back() == 77);
  }
}

// Rows of one shape: elements and indices are those that the standard library selects and sorts.
template <class E, class Item>
void checkRows(isa::Isa isa, std::mt19937 &random, std::size_t rows, std::size_t n, std::size_t k) {
  CAPTURE(rows);
  CAPTURE(n);
  CAPTURE(k);
  constexpr bool INDICES = sizeof(Item) == 8;
  KeyKind const kind =
      sizeof(E) == 2 ? KeyKind::HALF
                     : std::array{KeyKind::FLOAT, KeyKind::INT, KeyKind::UNSIGNED}[random() % 3];
  test::Misaligned<E> in(rows * n);
  std::vector<std::vector<E>> data;
  for (std::size_t r = 0; r < rows; ++r) {
    data.push_back(randomBits<E>(random, n));
    if (random() % 3 == 0) // both zeros, the infinities, NaN of all kinds, the largest key
      for (E &x : data.back()) {
        float const special[] = {0.f, -0.f, INFINITY, -INFINITY, NAN, -NAN};
        float const f = special[random() % 6];
        x = static_cast<E>(random() % 8 == 0 ? (random() % 2 ? ~0u : 0xff800000u >> (random() % 2))
                           : sizeof(E) == 2  ? arch::floatToHalf(f)
                                             : arch::bitCast<std::uint32_t>(f));
      }
    for (std::size_t i = 0; i < n; ++i)
      in.set(r * n + i, data[r][i]);
  }
  for (bool const descending : {false, true})
    for (bool const mirrored : {false, true}) {
      CAPTURE(descending);
      CAPTURE(mirrored);
      kernels::KeyCode const code = kernels::keyCode(kind, descending);
      std::vector<E> expected;
      std::vector<unsigned> expectedIndices;
      for (std::vector<E> const &row : data) {
        auto items = sortedItems<E, LongItem>(row, code, 0);
        items.resize(k);
        if (mirrored)
          std::stable_sort(items.begin(), items.end(), [](LongItem a, LongItem b) {
            return kernels::keyOf(a) > kernels::keyOf(b);
          });
        for (LongItem const item : items) {
          expected.push_back(row[static_cast<std::uint32_t>(item)]);
          expectedIndices.push_back(static_cast<std::uint32_t>(item));
        }
      }
      expected.push_back(77);
      expectedIndices.push_back(77);
      std::vector<E> values(rows * k + 1, 77);
      std::vector<unsigned> indices(rows * k + 1, 77);
      std::vector<Item> scratch(2 * kernels::topKBuffer(n, k) + 1, 77);
      auto v = test::zeroed<vertices::TopKRows<isa::scalar, E, Item>>();
      test::connect(v.in, in.data());
      test::connect(v.values, values.data(), rows * k);
      test::connect(v.indices, indices.data());
      test::connect(v.scratch, scratch.data());
      v.n = static_cast<unsigned>(n);
      v.k = static_cast<unsigned>(k);
      v.kind = static_cast<unsigned>(kind);
      v.descending = descending;
      v.mirrored = mirrored;
      constexpr std::size_t position = test::positionIn<vertices::TopKRows<isa::scalar, E, Item>>(
          vertices::TopKFamily::Vertices<isa::scalar>());
      vertices::entriesFor<vertices::TopKFamily>(isa).first[position](&v, 0, nullptr);
      CHECK(values == expected);
      CHECK((!INDICES || indices == expectedIndices));
      CHECK(scratch.back() == 77);
    }
}

} // namespace

TEST_CASE("rows give their first elements in order, many rows as well as few") {
  for (const isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    std::mt19937 random(11);
    const auto check = [&](std::size_t n, std::size_t k) {
      std::size_t turn = 0;
      for (std::size_t rows : {1, 5, 16, 21}) {
        if (test::SANITIZED && turn++ != (n + k) % 4) // sanitizers see one of them a shape
          continue;
        checkRows<unsigned, unsigned>(isa, random, rows, n, k);
        checkRows<unsigned, LongItem>(isa, random, rows, n, k);
        checkRows<unsigned short, unsigned>(isa, random, rows, n, k);
        checkRows<unsigned short, LongItem>(isa, random, rows, n, k);
      }
    };
    for (std::size_t n = 1; n <= 18; ++n)
      for (std::size_t k = 1; k <= n; ++k)
        check(n, k);
    for (std::size_t n : {31, 32, 33, 67, 129, 200, 256, 257, 1000, 1024, 1025})
      for (std::size_t k : {1, 2, 3, 5, 16, 17, 31, 33, 64, 129, 200, 256, 257})
        if (k <= n && (n < 1000 || k % 2 == 1))
          check(n, k);
  }
}

TEST_CASE("pieces give their first items in order") {
  for (const isa::Isa isa : test::vectorIsas()) {
    std::mt19937 random(7);
    for (std::size_t n : test::lengths()) {
      if (n == 0)
        continue;
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(n);
      checkPiece<unsigned, unsigned>(isa, random, n);
      checkPiece<unsigned, LongItem>(isa, random, n);
      checkPiece<unsigned short, unsigned>(isa, random, n);
      checkPiece<unsigned short, LongItem>(isa, random, n);
    }
  }
}

TEST_CASE("keys keep the order of numbers and give them back") {
  const float numbers[] = {-INFINITY, -3.f, -1e-40f, -0.f, 0.f, 1e-40f, 2.f, INFINITY, NAN, -NAN};
  for (bool descending : {false, true}) {
    const auto code = kernels::keyCode(KeyKind::FLOAT, descending);
    const auto halves = kernels::keyCode(KeyKind::HALF, descending);
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
      const auto bits = arch::bitCast<std::uint32_t>(numbers[i]);
      const auto half = std::uint32_t(arch::floatToHalf(numbers[i])) << 16;
      CHECK(code.bits(code.key(bits)) == bits);
      CHECK(halves.bits(halves.key(half)) == half);
      if (i == 0)
        continue;
      const auto before = arch::bitCast<std::uint32_t>(numbers[i - 1]);
      CHECK((code.key(before) < code.key(bits)) != descending);
    }
  }
  const auto ints = kernels::keyCode(KeyKind::INT, false);
  CHECK(ints.key(0x80000000u) < ints.key(0xffffffffu));
  CHECK(ints.key(0xffffffffu) < ints.key(0));
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto halves = kernels::keyCode(KeyKind::HALF, true);
    if (halves.bits(halves.key(bits << 16)) != bits << 16)
      FAIL("half bits ", bits);
  }
}

TEST_CASE("runs merge from any place, mirrored groups keep their order") {
  std::mt19937 random(3);
  for (std::size_t na : {0, 1, 5, 100, 1000})
    for (std::size_t nb : {0, 1, 64, 777}) {
      const auto a = sortedItems<unsigned, LongItem>(randomBits<unsigned>(random, na),
                                                     kernels::keyCode(KeyKind::INT, false), 0);
      const auto b = sortedItems<unsigned, LongItem>(randomBits<unsigned>(random, nb),
                                                     kernels::keyCode(KeyKind::INT, false), 5000);
      std::vector<LongItem> expected(na + nb);
      std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
      expected.resize(na + nb - (na + nb) / 5);
      std::vector<LongItem> out(expected.size());
      auto v = test::zeroed<vertices::MergeRuns<isa::scalar, LongItem>>();
      test::connect(v.a, a.data(), na);
      test::connect(v.b, b.data(), nb);
      test::connect(v.out, out.data(), out.size());
      test::runOn<vertices::TopKMergeFamily>(isa::Isa::Scalar, v);
      CHECK(out == expected);
      if (out.empty())
        continue;
      std::vector<unsigned> values(out.size()), indices(out.size());
      auto u = test::zeroed<vertices::UnpackItems<isa::scalar, unsigned, LongItem>>();
      test::connect(u.in, out.data());
      test::connect(u.values, values.data(), values.size());
      test::connect(u.indices, indices.data());
      u.kind = static_cast<unsigned>(KeyKind::INT);
      u.mirrored = true;
      test::runOn<vertices::TopKMergeFamily>(isa::Isa::Scalar, u);
      std::stable_sort(out.begin(), out.end(), [](LongItem x, LongItem y) {
        return kernels::keyOf(x) > kernels::keyOf(y);
      });
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < out.size(); ++i)
        wrong += values[i] != (kernels::keyOf(out[i]) ^ 0x80000000u) ||
                 indices[i] != static_cast<unsigned>(out[i]);
      CHECK(wrong == 0);
    }
}

TEST_SUITE_END();
