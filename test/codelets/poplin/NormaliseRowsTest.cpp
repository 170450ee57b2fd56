// Statistics and normalised elements of rows at once have the bits of one vertex after the other.
#include <codelets/poplin/Norm.hpp>
#include <test/codelets/Isas.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace cottonwood;

namespace {

/// Elements at a cache line.
template <class T> struct Lines {
  explicit Lines(std::size_t n) : all(n + 128 / sizeof(T)) {}
  T *data() {
    const auto at = reinterpret_cast<std::uintptr_t>(all.data());
    return all.data() + (63 - (at + 63) % 64) / sizeof(T);
  }
  std::vector<T> all;
};

/// Rows of one vertex; those of all vertices make the table.
template <class Plain> struct RowPair {
  using T = vertices::KernelType<Plain>;
  using Statistics = vertices::NormStatistics<isa::scalar, Plain>;
  using Next = vertices::Normalise<isa::scalar, Plain, Plain>;
  using Whiten = vertices::NormWhiten<isa::scalar, Plain, Plain>;

  RowPair(std::size_t rowsHere, std::size_t elements, std::size_t allRows)
      : rows(rowsHere), length(elements), in(rows * length), out(rows * length),
        whitened(rows * length), mean(rows), invStdDev(rows), gamma(length),
        beta(length), table{static_cast<unsigned>(allRows), 1, 0,
                            static_cast<unsigned>(length),  0, 1} {
    std::mt19937 random(81);
    std::uniform_real_distribution<float> numbers(-1.f, 2.f);
    for (std::size_t i = 0; i < rows * length; ++i)
      in.data()[i] = test::fromFloat<T>(numbers(random));
    for (std::size_t i = 0; i < length; ++i)
      gamma[i] = numbers(random), beta[i] = numbers(random);
    test::connect(statistics.in, in.data());
    test::connect(statistics.mean, mean.data(), rows);
    test::connect(statistics.invStdDev, invStdDev.data(), rows);
    statistics.r1 = statistics.k2 = 1;
    statistics.r2 = static_cast<unsigned>(length);
    statistics.eps = 0.25f, statistics.factor = 2;
    connectBoth(next);
    connectBoth(whiten);
    test::connect(next.gamma, gamma.data());
    test::connect(next.beta, beta.data());
    test::connect(next.whitened, whitened.data());
  }

  template <class V> void connectBoth(V &v) {
    test::connect(v.in, in.data());
    test::connect(v.mean, mean.data());
    test::connect(v.invStdDev, invStdDev.data());
    test::connect(v.out, out.data(), rows * length);
    test::connect(v.table, table.data(), table.size());
  }

  /// Other dimensions of all rows, with so many channels.
  void setTable(std::vector<unsigned> words, std::size_t channels) {
    table = std::move(words);
    std::mt19937 random(82);
    std::uniform_real_distribution<float> numbers(-1.f, 2.f);
    gamma.assign(channels, 0), beta.assign(channels, 0);
    for (std::size_t c = 0; c < channels; ++c)
      gamma[c] = numbers(random), beta[c] = numbers(random);
    test::connect(next.table, table.data(), table.size());
    test::connect(whiten.table, table.data(), table.size());
    test::connect(next.gamma, gamma.data());
    test::connect(next.beta, beta.data());
  }

  template <class V> static codelet::Entry entry(isa::Isa isa) {
    constexpr std::size_t position =
        test::positionIn<V>(typename vertices::NormFamily::Vertices<isa::scalar>());
    return vertices::entriesFor<vertices::NormFamily>(isa).first[position];
  }

  /// Runs the first vertex with the second in sight. Returns whether it did the work of both.
  bool runsBoth(isa::Isa isa) {
    codelet::VertexContext context{};
    context.workersWanted = 6;
    context.nextEntry = whitens ? entry<Whiten>(isa) : entry<Next>(isa);
    context.nextState = whitens ? static_cast<void *>(&whiten) : &next;
    CHECK(entry<Statistics>(isa)(&statistics, 0, &context));
    CHECK(context.workersDone == 6);
    return !context.nextEntry;
  }

  void runOneByOne(isa::Isa isa) {
    test::enterWorkers(entry<Statistics>(isa), &statistics, 0, 6);
    if (whitens)
      test::enterWorkers(entry<Whiten>(isa), &whiten, 0, 6);
    else
      test::enterWorkers(entry<Next>(isa), &next, 0, 6);
  }

  /// Bits of all results.
  std::vector<unsigned char> results() {
    std::vector<unsigned char> bytes;
    const auto add = [&](const T *p, std::size_t n) {
      const auto *const first = reinterpret_cast<const unsigned char *>(p);
      bytes.insert(bytes.end(), first, first + n * sizeof(T));
    };
    add(out.data(), rows * length);
    add(whitened.data(), rows * length);
    add(mean.data(), rows);
    add(invStdDev.data(), rows);
    return bytes;
  }

  void clear() {
    std::fill_n(out.data(), rows * length, T{});
    std::fill_n(whitened.data(), rows * length, T{});
    std::fill(mean.begin(), mean.end(), T{});
    std::fill(invStdDev.begin(), invStdDev.end(), T{});
  }

  std::size_t rows, length;
  Lines<T> in, out, whitened;
  std::vector<T> mean, invStdDev;
  std::vector<float> gamma, beta;
  std::vector<unsigned> table;
  Statistics statistics = test::zeroed<Statistics>();
  Next next = test::zeroed<Next>();
  Whiten whiten = test::zeroed<Whiten>();
  bool whitens = false; ///< else it is `next` that runs second
};

bool hasVectors(isa::Isa isa) { return isa != isa::Isa::Scalar; }

/// Compares the bits on all sets; without vectors, and of one row or two from memory, the second
/// vertex is left alone.
template <class Plain> void checkSameBits(RowPair<Plain> &pair) {
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    pair.clear();
    pair.runOneByOne(isa);
    const auto expected = pair.results();
    pair.clear();
    const bool both = hasVectors(isa) && pair.rows > (pair.statistics.fetches != 0 ? 2 : 1);
    REQUIRE(pair.runsBoth(isa) == both);
    REQUIRE((!both || pair.results() == expected));
  }
}

template <class Plain> void checkRowPairs(std::size_t rows, std::size_t length) {
  // All rows together take a few KB, or so much that results are stored past the caches.
  for (std::size_t const all : {rows, std::size_t{6} << 20})
    for (unsigned form = 0; form < 12; ++form) {
      RowPair<Plain> pair(rows, length, all);
      pair.statistics.stable = form % 2;
      pair.statistics.fetches = form / 2 % 2;
      pair.whitens = form / 4 == 2;
      if (form / 4 == 1)
        test::connect(pair.next.whitened, static_cast<typename RowPair<Plain>::T *>(nullptr));
      CAPTURE(all);
      CAPTURE(form);
      checkSameBits(pair);
    }
}

/// Changes a pair that could run at once so that it must not, and checks that nothing of the second
/// vertex has run then.
template <class F> void checkRefusedPair(F const &change) {
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    RowPair<float> pair(6, 128, 6);
    change(pair);
    std::fill_n(pair.out.data(), 6 * 128, 7.f);
    REQUIRE(!pair.runsBoth(isa));
    CHECK(std::all_of(pair.out.data(), pair.out.data() + 6 * 128, [](float x) { return x == 7; }));
    CHECK(pair.invStdDev[5] != 0); // the first one has
  }
}

} // namespace

TEST_SUITE_BEGIN("codelets/poplin/normalise rows");

TEST_CASE("rows at once have the bits of statistics and then results") {
  for (std::size_t const rows : {1U, 2U, 3U, 8U})
    for (std::size_t const length :
         {64U, 65U, 80U, 96U, 100U, 127U, 128U, 160U, 224U, 768U, 1009U}) {
      CAPTURE(rows);
      CAPTURE(length);
      checkRowPairs<float>(rows, length);
      checkRowPairs<poplar::half>(rows, length);
    }
}

TEST_CASE("rows at once may be normalised in place") {
  for (isa::Isa isa : test::vectorIsas())
    for (std::size_t const length : {64U, 200U}) {
      RowPair<float> apart(5, length, 5), within(5, length, 5);
      apart.runOneByOne(isa);
      test::connect(within.next.out, within.in.data(), 5 * length);
      REQUIRE(within.runsBoth(isa) == hasVectors(isa));
      for (std::size_t i = 0; i < 5 * length && hasVectors(isa); ++i)
        REQUIRE(within.in.data()[i] == apart.out.data()[i]);
    }
}

TEST_CASE("dimensions of size 1, cut rows and rows from the middle of all are rows, too") {
  RowPair<float> pair(6, 128, 20);
  pair.setTable({1, 9, 9, 2, 10, 0, 10, 1, 0, 1, 5, 5, 4, 0, 32, 32, 0, 1}, 131);
  pair.next.origin = 7 * 128;
  pair.next.statBase = -7;
  pair.next.chanBase = 3;
  checkSameBits(pair);
}

TEST_CASE("rows of channels that are runs of elements, or of other channels from row to row") {
  struct Form {
    std::size_t length;
    std::vector<unsigned> dims; ///< of 4 samples with 3 rows each: the dimensions within a sample
    std::size_t channels;
  };
  const Form forms[] = {
      {128, {3, 1, 128, 128, 0, 1}, 384},                // groups of channels last
      {200, {3, 1, 4, 4, 0, 1, 50, 0, 0}, 12},           // channels first
      {128, {3, 1, 4, 4, 0, 1, 32, 0, 0}, 12},           // fields of one block,
      {132, {3, 1, 4, 4, 0, 1, 33, 0, 0}, 12},           // of a little more
      {2352, {3, 1, 3, 3, 0, 1, 28, 0, 0, 28, 0, 0}, 9}, // of two dimensions
      {196, {3, 1, 1, 196, 0, 0}, 3},                    // a channel a row
      {100, {3, 1, 0, 100, 0, 0}, 1},                    // one for all
      {320, {3, 1, 8, 2, 0, 4, 4, 0, 1, 40, 0, 0}, 24},  // channels of two dimensions
  };
  const auto check = [](auto plain, const Form &form, unsigned samples, bool twoOutputs) {
    RowPair<decltype(plain)> pair(7, form.length, 12);
    std::vector<unsigned> table{samples, 3, 0};
    table.insert(table.end(), form.dims.begin(), form.dims.end());
    pair.setTable(table, form.channels + 5);
    pair.next.origin = static_cast<long long>(2 * form.length); // the last row of a sample
    pair.next.statBase = -2;
    pair.next.chanBase = 5;
    if (!twoOutputs)
      test::connect(pair.next.whitened,
                    static_cast<typename RowPair<decltype(plain)>::T *>(nullptr));
    checkSameBits(pair);
  };
  for (const Form &form : forms)
    for (unsigned samples : {4U, 1U << 20U}) // the latter are stored past the caches
      for (bool twoOutputs : {false, true}) {
        CAPTURE(&form - forms);
        CAPTURE(samples);
        CAPTURE(twoOutputs);
        check(float(), form, samples, twoOutputs);
        check(poplar::half(), form, samples, twoOutputs);
      }
}

TEST_CASE("what are no such rows is left to its own vertex") {
  using Pair = RowPair<float>;
  std::vector<float> other(6 * 128);
  checkRefusedPair([&](Pair &p) { test::connect(p.next.in, other.data()); });
  checkRefusedPair([&](Pair &p) { test::connect(p.next.mean, other.data()); });
  checkRefusedPair([&](Pair &p) { test::connect(p.next.invStdDev, other.data()); });
  checkRefusedPair([](Pair &p) { test::connect(p.next.out, p.out.data(), 5 * 128); });
  checkRefusedPair([](Pair &p) { p.statistics.r1 = 2, p.statistics.r2 = 64; });
  checkRefusedPair([](Pair &p) { p.next.origin = 64; });
  checkRefusedPair([](Pair &p) { p.next.statBase = 1; });
  checkRefusedPair([](Pair &p) { p.next.origin = 128; });
  checkRefusedPair([](Pair &p) { p.table[1] = 0; });                   // one statistic for all
  checkRefusedPair([](Pair &p) { p.table[2] = 1; });                   // other channels a row
  checkRefusedPair([](Pair &p) { p.table[4] = 1; });                   // a statistic an element
  checkRefusedPair([](Pair &p) { p.table[0] = 3, p.table[3] = 256; }); // rows of twice the length
  checkRefusedPair([](Pair &p) { p.table = {12, 1, 0, 64, 0, 1}; });   // of half
  checkRefusedPair([](Pair &p) { p.table = {4, 1, 0, 192, 0, 1}; });   // of another
  const auto refuse = [](std::vector<unsigned> words) {
    checkRefusedPair([&](Pair &p) { p.setTable(std::move(words), 768); });
  };
  refuse({2, 3, 0, 3, 1, 8, 8, 0, 1, 16, 0, 0}); // short runs
  refuse({6, 1, 0, 8, 0, 0, 16, 0, 1});          // channels inside of a field
  refuse({3, 2, 4, 2, 1, 0, 4, 0, 1, 32, 0, 0}); // repeated before others
  refuse({6, 1, 5, 4, 0, 1, 32, 0, 0});          // with gaps between rows
  refuse({6, 1, 8, 4, 0, 2, 32, 0, 0});          // and within
  // Results over rows that are yet to be read, or were.
  checkRefusedPair([](Pair &p) { test::connect(p.next.whitened, p.in.data() + 128); });
  checkRefusedPair([](Pair &p) { test::connect(p.next.whitened, p.in.data() + 1); });
}
