// Reductions on every instruction set of this machine, against sums in double.
#include <codelets/popops/Reduce.hpp>
#include <codelets/popops/ReduceCost.hpp>
#include <test/codelets/Isas.hpp>

#include <climits>
#include <limits>
#include <string>

using namespace cottonwood;
using kernels::ReduceOp;

namespace {

struct Shape {
  std::size_t outer, reduced, inner;
};

const Shape SHAPES[] = {
    {1, 0, 1},     {3, 0, 5},    {0, 4, 1},    {1, 1, 1},   {5, 1, 3},    {1, 7, 1},   {3, 15, 1},
    {2, 16, 1},    {2, 63, 1},   {70, 64, 1},  {3, 256, 1}, {17, 301, 1}, {3, 65, 1},  {1, 1000, 1},
    {2, 3001, 1},  {1, 8, 2},    {4, 9, 3},    {1, 17, 15}, {2, 7, 16},   {1, 31, 17}, {3, 16, 33},
    {1, 100, 511}, {2, 11, 513}, {1, 9, 1300}, {4, 9, 300}, {9, 3, 257},  {20, 0, 1},  {33, 1, 1},
    {16, 10, 1},   {100, 16, 1}, {35, 17, 1},  {19, 127, 1}};

struct Form {
  bool scale, update;
};

template <class V> struct HasScale : std::false_type {};
template <class Tag, class In, class Out>
struct HasScale<vertices::ReduceScale<Tag, In, Out>> : std::true_type {};
template <class Tag, class In, class Out>
struct HasScale<vertices::ReduceScaleUpdate<Tag, In, Out>> : std::true_type {};

template <class V, class In, class Out>
std::vector<Out> runWorkers(isa::Isa isa, ReduceOp op, const Shape &s, test::Misaligned<In> &in,
                            const std::vector<Out> &old, float scale, bool together) {
  test::Misaligned<Out> out(old.size());
  for (std::size_t i = 0; i < old.size(); ++i)
    out.set(i, old[i]);
  V state = test::zeroed<V>();
  test::connect(state.in, in.data());
  test::connect(state.out, out.data(), old.size());
  if constexpr (HasScale<V>::value)
    test::connect(state.scale, &scale);
  state.op = static_cast<unsigned>(op);
  state.reduced = static_cast<unsigned>(s.reduced);
  state.inner = static_cast<unsigned>(s.inner);
  test::runOn<vertices::ReduceFamily>(isa, state, together);
  CHECK(out.guardsIntact());
  std::vector<Out> result(old.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = out.get(i);
  return result;
}

/// Worker contexts together give the same bits as one by one.
template <class V, class In, class Out>
std::vector<Out> run(isa::Isa isa, ReduceOp op, const Shape &s, test::Misaligned<In> &in,
                     const std::vector<Out> &old, float scale) {
  const auto result = runWorkers<V>(isa, op, s, in, old, scale, true);
  const auto alone = runWorkers<V>(isa, op, s, in, old, scale, false);
  CHECK((result.empty() ||
         std::memcmp(result.data(), alone.data(), result.size() * sizeof(Out)) == 0));
  return result;
}

double exactFloating(ReduceOp op, const std::vector<double> &x, double &terms) {
  double result = op == ReduceOp::MUL   ? 1
                  : op == ReduceOp::MIN ? INFINITY
                  : op == ReduceOp::MAX ? -INFINITY
                                        : 0;
  terms = 0;
  if (op == ReduceOp::LOG_ADD) {
    if (x.empty())
      return -65504;
    double largest = -INFINITY, sum = 0;
    for (double v : x)
      largest = std::max(largest, v);
    for (double v : x)
      sum += std::exp(v - largest);
    terms = std::fabs(largest) + 2;
    return largest + std::log(sum);
  }
  for (double v : x) {
    const double t = op == ReduceOp::SQUARE_ADD ? v * v : v;
    if (op == ReduceOp::MUL)
      result *= t;
    else if (op == ReduceOp::MIN)
      result = std::fmin(result, t);
    else if (op == ReduceOp::MAX)
      result = std::fmax(result, t);
    else
      result += t;
    terms += op == ReduceOp::MUL ? 0 : std::fabs(t);
  }
  if (op == ReduceOp::MUL)
    terms = std::fabs(result) * static_cast<double>(x.size() + 1);
  return result;
}

template <class In, class Out> void checkFloating(unsigned seed) {
  using KIn = vertices::KernelType<In>;
  using KOut = vertices::KernelType<Out>;
  using Tag = isa::scalar;
  std::mt19937 random(seed);
  for (ReduceOp op : {ReduceOp::ADD, ReduceOp::SQUARE_ADD, ReduceOp::MUL, ReduceOp::MIN,
                      ReduceOp::MAX, ReduceOp::LOG_ADD})
    for (const Shape &s : SHAPES)
      for (const Form form :
           {Form{false, false}, Form{true, false}, Form{false, true}, Form{true, true}}) {
        const bool linear =
            op == ReduceOp::ADD || op == ReduceOp::SQUARE_ADD || op == ReduceOp::LOG_ADD;
        if ((form.scale || form.update) && !linear)
          continue;
        CAPTURE(static_cast<int>(op));
        CAPTURE(s.outer);
        CAPTURE(s.reduced);
        CAPTURE(s.inner);
        CAPTURE(form.scale);
        CAPTURE(form.update);
        std::uniform_real_distribution<float> values(op == ReduceOp::MUL ? 0.97f : -2.f,
                                                     op == ReduceOp::MUL ? 1.03f : 2.f);
        test::Misaligned<KIn> in(s.outer * s.reduced * s.inner);
        for (std::size_t i = 0; i < in.size(); ++i)
          in.set(i, test::fromFloat<KIn>(values(random)));
        std::vector<KOut> old(s.outer * s.inner);
        for (KOut &x : old)
          x = test::fromFloat<KOut>(values(random));
        const float scale = 0.375f;
        const auto runForm = [&](isa::Isa isa) {
          return form.scale
                     ? (form.update
                            ? run<vertices::ReduceScaleUpdate<Tag, In, Out>>(isa, op, s, in, old,
                                                                             scale)
                            : run<vertices::ReduceScale<Tag, In, Out>>(isa, op, s, in, old, scale))
                     : (form.update
                            ? run<vertices::ReduceUpdate<Tag, In, Out>>(isa, op, s, in, old, scale)
                            : run<vertices::Reduce<Tag, In, Out>>(isa, op, s, in, old, scale));
        };
        const auto reference = runForm(isa::Isa::Scalar);
        for (std::size_t o = 0; o < s.outer; ++o)
          for (std::size_t i = 0; i < s.inner; ++i) {
            std::vector<double> row;
            for (std::size_t r = 0; r < s.reduced; ++r)
              row.push_back(
                  static_cast<double>(test::toFloat(in.get((o * s.reduced + r) * s.inner + i))));
            double terms = 0;
            double exact = exactFloating(op, row, terms);
            if (form.scale)
              exact = op == ReduceOp::LOG_ADD ? exact + 0.375 : exact * 0.375;
            const double before = static_cast<double>(test::toFloat(old[o * s.inner + i]));
            if (form.update)
              exact = op == ReduceOp::LOG_ADD ? std::max(before, exact) +
                                                    std::log1p(std::exp(-std::fabs(before - exact)))
                                              : exact + before;
            const double got = static_cast<double>(test::toFloat(reference[o * s.inner + i]));
            // Pairwise sums lose less than this; the result rounds once to its own type.
            const double unit = sizeof(KOut) == 2 ? 0x1p-11 : 0x1p-24;
            const double slack = (op == ReduceOp::MIN || op == ReduceOp::MAX)
                                     ? 0
                                     : 8 * 0x1p-24 * (terms + std::fabs(before) + 1);
            if (std::isinf(exact) || (sizeof(KOut) == 2 && std::fabs(exact) > 65000))
              REQUIRE((std::isinf(got) || std::fabs(got) >= 65472));
            else
              REQUIRE_MESSAGE(std::fabs(got - exact) <= slack + unit * std::fabs(exact), got,
                              " and exactly ", exact);
          }
        for (isa::Isa isa : test::vectorIsas()) {
          CAPTURE(std::string(isa::name(isa)));
          const auto out = runForm(isa);
          for (std::size_t i = 0; i < out.size(); ++i)
            REQUIRE(test::same(out[i], reference[i]));
        }
      }
}

template <class T> void checkInteger(unsigned seed) {
  std::mt19937 random(seed);
  using U = std::uint32_t;
  for (ReduceOp op :
       {ReduceOp::ADD, ReduceOp::SQUARE_ADD, ReduceOp::MUL, ReduceOp::MIN, ReduceOp::MAX})
    for (const Shape &s : SHAPES) {
      test::Misaligned<T> in(s.outer * s.reduced * s.inner);
      for (std::size_t i = 0; i < in.size(); ++i)
        in.set(i, static_cast<T>(random()));
      const std::vector<T> old(s.outer * s.inner, T(7));
      for (isa::Isa isa : test::vectorIsas()) {
        const auto out = run<vertices::Reduce<isa::scalar, T, T>>(isa, op, s, in, old, 0.f);
        const auto updated =
            run<vertices::ReduceUpdate<isa::scalar, T, T>>(isa, op, s, in, old, 0.f);
        for (std::size_t o = 0; o < s.outer; ++o)
          for (std::size_t i = 0; i < s.inner; ++i) {
            T exact = op == ReduceOp::MUL   ? T(1)
                      : op == ReduceOp::MIN ? std::numeric_limits<T>::max()
                      : op == ReduceOp::MAX ? std::numeric_limits<T>::lowest()
                                            : T(0);
            for (std::size_t r = 0; r < s.reduced; ++r) {
              const T x = in.get((o * s.reduced + r) * s.inner + i);
              exact =
                  op == ReduceOp::ADD ? static_cast<T>(static_cast<U>(exact) + static_cast<U>(x))
                  : op == ReduceOp::SQUARE_ADD
                      ? static_cast<T>(static_cast<U>(exact) +
                                       static_cast<U>(x) * static_cast<U>(x))
                  : op == ReduceOp::MUL ? static_cast<T>(static_cast<U>(exact) * static_cast<U>(x))
                  : op == ReduceOp::MIN ? std::min(exact, x)
                                        : std::max(exact, x);
            }
            REQUIRE(out[o * s.inner + i] == exact);
            if (op == ReduceOp::ADD)
              REQUIRE(updated[o * s.inner + i] == static_cast<T>(static_cast<U>(exact) + 7u));
          }
      }
    }
}

/// Sums of columns in the order that Reduce.hpp states: eight rows as a tree, then the running sum.
template <class In> std::vector<float> columnSums(const std::vector<In> &in, const Shape &s) {
  std::vector<float> sums(s.outer * s.inner);
  for (std::size_t o = 0; o < s.outer; ++o)
    for (std::size_t i = 0; i < s.inner; ++i) {
      const auto at = [&](std::size_t r) {
        return test::toFloat(in[(o * s.reduced + r) * s.inner + i]);
      };
      float &sum = sums[o * s.inner + i];
      std::size_t r = 0;
      for (; r + 8 <= s.reduced; r += 8)
        sum += ((at(r) + at(r + 1)) + (at(r + 2) + at(r + 3))) +
               ((at(r + 4) + at(r + 5)) + (at(r + 6) + at(r + 7)));
      for (; r < s.reduced; ++r)
        sum += at(r);
    }
  return sums;
}

template <class In> void checkFarColumns(const Shape &s) {
  using KIn = vertices::KernelType<In>;
  CAPTURE(s.inner);
  std::vector<KIn> in(s.outer * s.reduced * s.inner);
  std::uint32_t x = 1;
  for (KIn &value : in)
    value = test::fromFloat<KIn>(
        static_cast<float>((x = x * 1664525u + 1013904223u) >> 16) * 0x1p-16f - 0.5f);
  const auto expected = columnSums(in, s);
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    auto state = test::zeroed<vertices::Reduce<isa::scalar, In, float>>();
    std::vector<float> out(expected.size(), -1.f);
    test::connect(state.in, in.data());
    test::connect(state.out, out.data(), out.size());
    state.op = static_cast<unsigned>(ReduceOp::ADD) | vertices::REDUCE_FAR;
    state.reduced = static_cast<unsigned>(s.reduced);
    state.inner = static_cast<unsigned>(s.inner);
    test::runOn<vertices::ReduceFamily>(isa, state, true);
    REQUIRE(std::memcmp(out.data(), expected.data(), out.size() * sizeof(float)) == 0);
  }
}

} // namespace

TEST_SUITE("codelets/popops/reduce") {
  TEST_CASE("float to float") { checkFloating<float, float>(31); }
  TEST_CASE("half to half, accumulated in float") { checkFloating<poplar::half, poplar::half>(32); }
  TEST_CASE("half to float") { checkFloating<poplar::half, float>(33); }
  TEST_CASE("float to half") { checkFloating<float, poplar::half>(34); }
  TEST_CASE("int wraps") { checkInteger<int>(35); }
  TEST_CASE("unsigned int wraps") { checkInteger<unsigned>(36); }

  TEST_CASE("LOGICAL_AND and LOGICAL_OR of BOOL") {
    std::mt19937 random(37);
    for (ReduceOp op : {ReduceOp::LOGICAL_AND, ReduceOp::LOGICAL_OR})
      for (const Shape &s : SHAPES)
        for (unsigned rarity : {1u, 2u, 50u}) {
          test::Misaligned<bool> in(s.outer * s.reduced * s.inner);
          for (std::size_t i = 0; i < in.size(); ++i)
            in.set(i, (random() % rarity == 0) == (op == ReduceOp::LOGICAL_OR));
          for (isa::Isa isa : test::vectorIsas()) {
            test::Misaligned<bool> out(s.outer * s.inner);
            auto state = test::zeroed<vertices::Reduce<isa::scalar, bool, bool>>();
            test::connect(state.in, in.data());
            test::connect(state.out, out.data(), out.size());
            state.op = static_cast<unsigned>(op);
            state.reduced = static_cast<unsigned>(s.reduced);
            state.inner = static_cast<unsigned>(s.inner);
            test::runOn<vertices::ReduceFamily>(isa, state);
            REQUIRE(out.guardsIntact());
            for (std::size_t o = 0; o < s.outer; ++o)
              for (std::size_t i = 0; i < s.inner; ++i) {
                bool exact = op == ReduceOp::LOGICAL_AND;
                for (std::size_t r = 0; r < s.reduced; ++r) {
                  const bool x = in.get((o * s.reduced + r) * s.inner + i);
                  exact = op == ReduceOp::LOGICAL_AND ? exact && x : exact || x;
                }
                REQUIRE(out.get(o * s.inner + i) == exact);
              }
          }
        }
  }

  TEST_CASE("minimum and maximum skip NaN, sums keep it") {
    for (const Shape &s : {Shape{1, 100, 1}, Shape{1, 100, 3}})
      for (isa::Isa isa : test::vectorIsas()) {
        test::Misaligned<float> in(s.reduced * s.inner);
        for (std::size_t i = 0; i < in.size(); ++i)
          in.set(i, i % 2 ? NAN : static_cast<float>(i));
        const std::vector<float> old(s.inner);
        using V = vertices::Reduce<isa::scalar, float, float>;
        CHECK(run<V>(isa, ReduceOp::MIN, s, in, old, 0.f)[0] == 0.f);
        CHECK(run<V>(isa, ReduceOp::MAX, s, in, old, 0.f)[0] ==
              static_cast<float>(in.size() - (s.inner == 1 ? 2 : 6 - in.size() % 2)));
        CHECK(std::isnan(run<V>(isa, ReduceOp::ADD, s, in, old, 0.f)[0]));
        for (std::size_t i = 0; i < in.size(); ++i)
          in.set(i, NAN);
        CHECK(run<V>(isa, ReduceOp::MIN, s, in, old, 0.f)[0] == INFINITY);
        CHECK(run<V>(isa, ReduceOp::MAX, s, in, old, 0.f)[0] == -INFINITY);
      }
  }

  TEST_CASE("columns from past the caches are summed in the same order") {
    // Rows of few lanes, of whole lines and not, and of more than are reduced at a time.
    for (const Shape &s : {Shape{1, 701, 7}, Shape{1, 203, 27}, Shape{1, 85, 64}, Shape{2, 40, 707},
                           Shape{1, 23, 2500}})
      checkFarColumns<float>(s);
    for (const Shape &s : {Shape{1, 1201, 8}, Shape{3, 127, 300}})
      checkFarColumns<poplar::half>(s);
  }

  TEST_CASE("many short rows with NaN and infinities have the bits of the scalar tag") {
    const auto nan = std::numeric_limits<float>::quiet_NaN(),
               infinity = std::numeric_limits<float>::infinity();
    std::vector<Shape> shapes{{40, 70, 1}};
    for (std::size_t length = 1; length <= 17; ++length) // from all to one of a vector's rows
      shapes.push_back({40, length, 1});
    for (const Shape &s : shapes)
      for (ReduceOp op :
           {ReduceOp::ADD, ReduceOp::SQUARE_ADD, ReduceOp::MUL, ReduceOp::MIN, ReduceOp::MAX}) {
        CAPTURE(s.reduced);
        CAPTURE(static_cast<int>(op));
        std::mt19937 random(41);
        std::uniform_real_distribution<float> values(-2, 2);
        test::Misaligned<float> in(s.outer * s.reduced);
        for (std::size_t i = 0; i < in.size(); ++i)
          in.set(i, i % 19 == 0   ? nan
                    : i % 23 == 0 ? infinity
                    // Products of infinities and zeros are NaNs of another sign.
                    : i % 29 == 0 && op != ReduceOp::MUL ? -0.f
                                                         : values(random));
        const std::vector<float> old(s.outer);
        const auto reference =
            run<vertices::Reduce<isa::scalar, float, float>>(isa::Isa::Scalar, op, s, in, old, 1);
        for (isa::Isa isa : test::vectorIsas()) {
          CAPTURE(std::string(isa::name(isa)));
          const auto out = run<vertices::Reduce<isa::scalar, float, float>>(isa, op, s, in, old, 1);
          for (std::size_t i = 0; i < out.size(); ++i)
            REQUIRE(test::same(out[i], reference[i]));
        }
      }
  }

  TEST_CASE("LOG_ADD of impossible and of certain events") {
    for (const Shape &s : {Shape{1, 3, 1}, Shape{1, 3, 2}})
      for (isa::Isa isa : test::vectorIsas()) {
        using V = vertices::Reduce<isa::scalar, float, float>;
        const std::vector<float> old(s.inner);
        test::Misaligned<float> in(s.reduced * s.inner);
        for (float x : {-INFINITY, INFINITY, -1e30f}) {
          for (std::size_t i = 0; i < in.size(); ++i)
            in.set(i, x);
          CHECK(run<V>(isa, ReduceOp::LOG_ADD, s, in, old, 0.f)[0] == x);
        }
      }
  }

  TEST_CASE("LOG_ADD of short rows, several at once, has the bits of the scalar tag") {
    std::mt19937 random(81);
    std::normal_distribution<float> values(0, 30);
    for (std::size_t length = 1; length <= 66; ++length)
      for (std::size_t rows : {1, 7, 8, 17, 33}) {
        CAPTURE(rows);
        CAPTURE(length);
        using V = vertices::Reduce<isa::scalar, float, float>;
        const Shape s{rows, length, 1};
        const std::vector<float> old(rows);
        test::Misaligned<float> in(rows * length);
        for (std::size_t i = 0; i < in.size(); ++i)
          in.set(i, random() % 9 == 0 ? -INFINITY : random() % 50 == 0 ? NAN : values(random));
        const auto reference = run<V>(isa::Isa::Scalar, ReduceOp::LOG_ADD, s, in, old, 0.f);
        for (isa::Isa isa : test::vectorIsas()) {
          CAPTURE(std::string(isa::name(isa)));
          const auto out = run<V>(isa, ReduceOp::LOG_ADD, s, in, old, 0.f);
          for (std::size_t i = 0; i < rows; ++i)
            REQUIRE(test::same(out[i], reference[i]));
        }
      }
  }

  TEST_CASE("cost of rows and columns") {
    vertices::ReduceCostProblem rows{6, 100, 1, 4, false, false};
    CHECK(vertices::reduceCycles(rows, 6) == 6 * (17 + 12 + 50));
    vertices::ReduceCostProblem columns{12, 100, 12, 2, false, false};
    CHECK(vertices::reduceCycles(columns, 6) == 6 * (16 + 3 + 5 + 3 + 99));
  }
}
