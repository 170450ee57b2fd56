#include "../Isas.hpp"

#include <codelets/popops/MultiSlice.hpp>
#include <codelets/popops/MultiUpdateOp.hpp>

#include <algorithm>
#include <string>

TEST_SUITE_BEGIN("codelets/popops/multislice");

using namespace cottonwood;
using namespace cottonwood::test;
using namespace cottonwood::vertices;
using Scalar = isa::scalar;

namespace {

/// Shapes of tables and slices, and the rows that a vertex holds.
struct Case {
  unsigned count, outer, rows, begin, size, sliceRows, inner, flags;
};
Case const cases[] = {
    {1, 1, 5, 0, 5, 1, 1, 0},      {3, 1, 5, 0, 5, 1, 7, 0},       {100, 1, 50, 0, 50, 1, 4, 0},
    {100, 1, 50, 0, 50, 1, 33, 0}, {100, 1, 20, 10, 50, 1, 16, 0}, {13, 20, 6, 0, 6, 1, 3, 0},
    {2, 20, 6, 1, 9, 4, 3, 0},     {40, 1, 30, 0, 30, 9, 5, 0},    {40, 2, 10, 3, 30, 9, 5, 0},
    {3, 1, 4, 0, 4, 1, 3001, 0},   {30, 2, 4, 0, 4, 1, 1200, 0},   {1, 1, 9, 0, 9, 9, 1000, 0},
    {40, 1, 20, 0, 20, 1, 8, 1},   {40, 1, 20, 0, 20, 1, 8, 2},    {40, 1, 20, 5, 30, 2, 8, 3},
    {40, 3, 20, 0, 20, 1, 64, 0},  {0, 1, 5, 0, 5, 1, 4, 0},       {20, 1, 5, 0, 5, 1, 2, 0}};

/// Offsets that repeat, and a few that are out of range.
std::vector<unsigned> offsetsOf(Case const &c) {
  std::mt19937 random(c.count * 31 + c.inner);
  std::vector<unsigned> offsets(c.count);
  for (unsigned &offset : offsets)
    offset = static_cast<unsigned>(random() % (c.size + 3));
  if (c.count > 3)
    offsets[c.count / 2] = ~0U;
  return offsets;
}

/// Calls visit(position in the table, or npos, position in the slices) for all elements in order.
constexpr std::size_t NONE = ~std::size_t(0);
template <class Visit>
void reference(Case const &c, std::vector<unsigned> const &offsets, Visit const &visit) {
  for (std::size_t n = 0; n != c.count; ++n) {
    std::size_t offset = offsets[n];
    bool const padding = (c.flags & 2) != 0 && offset == c.size;
    if (offset >= c.size && (c.flags & 1) != 0 && !padding)
      offset = 0;
    for (std::size_t o = 0; o != c.outer; ++o)
      for (std::size_t j = 0; j != c.sliceRows; ++j)
        for (std::size_t i = 0; i != c.inner; ++i) {
          std::size_t const row = (offset + j) % c.size;
          bool const held = offset < c.size && row >= c.begin && row < c.begin + c.rows;
          visit(held ? (o * c.rows + row - c.begin) * c.inner + i : NONE,
                ((n * c.outer + o) * c.sliceRows + j) * c.inner + i);
        }
  }
}

std::size_t tableSize(Case const &c) { return std::size_t(c.outer) * c.rows * c.inner; }
std::size_t slicesSize(Case const &c) {
  return std::size_t(c.count) * c.outer * c.sliceRows * c.inner;
}

template <class V, class T>
V vertexOf(Case const &c, T *table, std::vector<unsigned> const &offsets, T *slices) {
  V v = zeroed<V>();
  connect(v.base, table, tableSize(c));
  connect(v.offsets, offsets.data(), offsets.size());
  connect(v.slices, slices, slicesSize(c));
  v.outer = c.outer;
  v.rows = c.rows;
  v.begin = c.begin;
  v.size = c.size;
  v.sliceRows = c.sliceRows;
  v.inner = c.inner;
  v.flags = c.flags;
  return v;
}

template <class T> T numbered(std::size_t i) { return static_cast<T>(i * 37 % 251 + 1); }

template <class T> void checkMoves(isa::Isa isa) {
  for (Case const &c : cases) {
    CAPTURE(c.count);
    CAPTURE(c.inner);
    auto const offsets = offsetsOf(c);
    Misaligned<T> table(tableSize(c)), slices(slicesSize(c)), read(slicesSize(c));
    for (std::size_t i = 0; i != table.size(); ++i)
      table.set(i, numbered<T>(i));
    for (std::size_t i = 0; i != slices.size(); ++i)
      slices.set(i, numbered<T>(i + 99));
    auto lookup = vertexOf<MultiSlice<Scalar, T>>(c, table.data(), offsets, read.data());
    runOn<MultiSliceFamily>(isa, lookup);
    std::vector<T> expected(tableSize(c));
    for (std::size_t i = 0; i != expected.size(); ++i)
      expected[i] = table.get(i);
    std::size_t wrong = 0;
    reference(c, offsets, [&](std::size_t from, std::size_t to) {
      wrong += read.get(to) != (from == NONE ? T(0) : table.get(from));
      if (from != NONE)
        expected[from] = slices.get(to);
    });
    CHECK(wrong == 0);
    auto update = vertexOf<MultiUpdate<Scalar, T>>(c, table.data(), offsets, slices.data());
    runOn<MultiSliceFamily>(isa, update);
    for (std::size_t i = 0; i != expected.size(); ++i)
      wrong += table.get(i) != expected[i];
    CHECK(wrong == 0);
    CHECK((table.guardsIntact() && slices.guardsIntact() && read.guardsIntact()));
  }
}

/// One step of the definition; float products are not rounded on their own.
template <class T> T combined(kernels::SliceOp op, T t, T s, float scale) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    if (op == kernels::SliceOp::ADD)
      return static_cast<T>(static_cast<U>(t) + static_cast<U>(scale) * static_cast<U>(s));
    if (op == kernels::SliceOp::MUL)
      return static_cast<T>(static_cast<U>(t) * static_cast<U>(s));
    return t > s ? t : s;
  } else {
    float const a = toFloat(t), b = toFloat(s);
    if (op == kernels::SliceOp::ADD)
      return fromFloat<T>(std::fma(scale, b, a));
    return fromFloat<T>(op == kernels::SliceOp::MUL ? a * b : a > b ? a : b);
  }
}

template <class Field, class T> void checkOps(isa::Isa isa) {
  using V = MultiUpdateOp<Scalar, Field>;
  for (Case const &c : cases)
    for (auto const op : {kernels::SliceOp::ADD, kernels::SliceOp::MAX, kernels::SliceOp::MUL}) {
      CAPTURE(c.count);
      CAPTURE(c.inner);
      auto const offsets = offsetsOf(c);
      std::mt19937 random(7);
      auto const any = [&] {
        return fromFloat<T>(std::is_integral_v<T> ? static_cast<float>(random() % 100)
                                                  : static_cast<float>(random() % 2001) / 1000 - 1);
      };
      Misaligned<T> table(tableSize(c)), slices(slicesSize(c));
      std::vector<T> expected(tableSize(c));
      for (std::size_t i = 0; i != expected.size(); ++i)
        table.set(i, expected[i] = any());
      for (std::size_t i = 0; i != slices.size(); ++i)
        slices.set(i, any());
      kernels::SliceScale<T> const scale = static_cast<kernels::SliceScale<T>>(3);
      auto v = vertexOf<V>(c, reinterpret_cast<Field *>(table.data()), offsets,
                           reinterpret_cast<Field *>(slices.data()));
      connect(v.scale, &scale);
      v.op = static_cast<unsigned>(op);
      runOn<MultiUpdateOpFamily>(isa, v);
      reference(c, offsets, [&](std::size_t to, std::size_t from) {
        if (to != NONE)
          expected[to] = combined(op, expected[to], slices.get(from), 3);
      });
      std::size_t wrong = 0;
      for (std::size_t i = 0; i != expected.size(); ++i)
        wrong += !same(table.get(i), expected[i]);
      CHECK(wrong == 0);
      CHECK((table.guardsIntact() && slices.guardsIntact()));
    }
}

} // namespace

TEST_CASE("rows are read and overwritten at offsets, those not held are zero and stay") {
  for (isa::Isa const isa : vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    checkMoves<unsigned char>(isa);
    checkMoves<unsigned short>(isa);
    checkMoves<unsigned>(isa);
    checkMoves<unsigned long long>(isa);
  }
}

TEST_CASE("rows are combined with slices in the order of the offsets on every instruction set") {
  for (isa::Isa const isa : vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    checkOps<float, float>(isa);
    checkOps<poplar::half, cottonwood::half>(isa);
    checkOps<int, int>(isa);
    checkOps<unsigned, unsigned>(isa);
  }
}

TEST_CASE("max keeps the slice's element where a comparison with NaN fails") {
  for (isa::Isa const isa : vectorIsas()) {
    Case const c{2, 1, 1, 0, 1, 1, 20, 0};
    std::vector<unsigned> const offsets{0, 0};
    std::vector<float> table(20, NAN), slices(40, 2);
    slices[23] = NAN;
    auto v = vertexOf<MultiUpdateOp<Scalar, float>>(c, table.data(), offsets, slices.data());
    float const scale = 1;
    connect(v.scale, &scale);
    v.op = static_cast<unsigned>(kernels::SliceOp::MAX);
    runOn<MultiUpdateOpFamily>(isa, v);
    CHECK(table[0] == 2);
    CHECK(std::isnan(table[3]));
  }
}

TEST_CASE("answers of several vertices are combined") {
  for (std::size_t n : {0, 1, 7, 8, 65, 1000})
    for (unsigned parts : {1, 2, 5}) {
      std::vector<unsigned short> in(n * parts, 0);
      Misaligned<unsigned short> out(n);
      for (std::size_t i = 0; i != n; ++i)
        in[i % parts * n + i] = numbered<unsigned short>(i);
      auto v = zeroed<CombineSlices<Scalar, unsigned short>>();
      connect(v.in, in.data(), in.size());
      connect(v.out, out.data(), n);
      v.parts = parts;
      std::size_t wrong = 0;
      for (isa::Isa const isa : vectorIsas()) {
        for (std::size_t i = 0; i != n; ++i)
          out.set(i, 0);
        runOn<MultiSliceFamily>(isa, v);
        for (std::size_t i = 0; i != n; ++i)
          wrong += out.get(i) != numbered<unsigned short>(i);
      }
      CHECK(wrong == 0);
      CHECK(out.guardsIntact());
    }
}

TEST_CASE("rows of more bytes than the caches hold are gathered past them") {
  constexpr unsigned HELD = 300, BEGIN = 20, SIZE = 350, SLICES_BYTES = 21U << 19;
  for (unsigned const inner : {8U, 12U, 16U, 20U, 33U, 128U, 132U, 2560U}) { // of 4 bytes
    unsigned const count = SLICES_BYTES / 4 / inner + 3;
    Case const c{count, 1, HELD, BEGIN, SIZE, 1, inner, 0};
    auto const offsets = offsetsOf(c);
    std::vector<unsigned> table(tableSize(c));
    for (std::size_t i = 0; i != table.size(); ++i)
      table[i] = static_cast<unsigned>(i * 2654435761U + 1);
    for (isa::Isa const isa : vectorIsas())
      for (std::size_t const start : {0U, 1U, 4U}) {
        CAPTURE(std::string(isa::name(isa)));
        CAPTURE(inner);
        CAPTURE(start);
        constexpr unsigned GUARD = 0xa5a5a5a5;
        std::vector<unsigned> storage(slicesSize(c) + 64, GUARD);
        auto const address = reinterpret_cast<std::uintptr_t>(storage.data());
        unsigned *const read = storage.data() + (64 - address % 64) % 64 / 4 + start;
        auto lookup = vertexOf<MultiSlice<Scalar, unsigned>>(c, table.data(), offsets, read);
        runOn<MultiSliceFamily>(isa, lookup);
        std::size_t wrong = 0;
        for (std::size_t n = 0; n != count; ++n) {
          std::size_t const row = std::size_t{offsets[n]} - BEGIN;
          for (std::size_t i = 0; i != inner; ++i)
            wrong += read[n * inner + i] != (row < HELD ? table[row * inner + i] : 0);
        }
        for (unsigned const *p = storage.data(); p != storage.data() + storage.size(); ++p)
          wrong += (p < read || p >= read + slicesSize(c)) && *p != GUARD;
        CHECK(wrong == 0);
      }
  }
}

TEST_CASE("rows of more bytes than the caches hold are updated in the order of the offsets") {
  constexpr unsigned BEGIN = 20, BYTES = 21U << 19;               // of slices, and of the table
  for (unsigned const inner : {8U, 16U, 20U, 33U, 128U, 2560U}) { // of 4 bytes
    unsigned const held = BYTES / 4 / inner + 1;
    Case const c{held + 2, 1, held, BEGIN, held + 50, 1, inner, 0};
    auto const offsets = offsetsOf(c);
    std::vector<int> slices(slicesSize(c)), overwritten(tableSize(c), -1), sums(tableSize(c), -1);
    for (std::size_t i = 0; i != slices.size(); ++i)
      slices[i] = static_cast<int>(i % 9973);
    for (std::size_t n = 0; n != c.count; ++n)
      if (std::size_t const row = std::size_t{offsets[n]} - BEGIN; row < held)
        for (std::size_t i = 0; i != inner; ++i) {
          overwritten[row * inner + i] = slices[n * inner + i];
          sums[row * inner + i] += 3 * slices[n * inner + i];
        }
    for (isa::Isa const isa : vectorIsas())
      for (std::size_t const start : {0U, 1U}) {
        CAPTURE(std::string(isa::name(isa)));
        CAPTURE(inner);
        CAPTURE(start);
        std::vector<int> storage(tableSize(c) + 64, -1);
        auto const address = reinterpret_cast<std::uintptr_t>(storage.data());
        int *const table = storage.data() + (64 - address % 64) % 64 / 4 + start;
        auto const check = [&](auto const &expected) {
          CHECK(std::equal(expected.begin(), expected.end(), table));
          std::fill(table, table + tableSize(c), -1);
          CHECK(std::count(storage.begin(), storage.end(), -1) == std::ptrdiff_t(storage.size()));
        };
        auto overwrite =
            vertexOf<MultiUpdate<Scalar, unsigned>>(c, reinterpret_cast<unsigned *>(table), offsets,
                                                    reinterpret_cast<unsigned *>(slices.data()));
        runOn<MultiSliceFamily>(isa, overwrite);
        check(overwritten);
        auto add = vertexOf<MultiUpdateOp<Scalar, int>>(c, table, offsets, slices.data());
        int const scale = 3;
        connect(add.scale, &scale);
        add.op = static_cast<unsigned>(kernels::SliceOp::ADD);
        runOn<MultiUpdateOpFamily>(isa, add);
        check(sums);
      }
  }
}

TEST_SUITE_END();
