// Softmax and losses on every instruction set of this machine, against double.
#include <codelets/popnn/Loss.hpp>
#include <codelets/popnn/LossCost.hpp>
#include <codelets/popnn/Softmax.hpp>
#include <codelets/popnn/SoftmaxCost.hpp>
#include <test/codelets/Isas.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

using namespace cottonwood;
using kernels::SoftmaxKind;

namespace {

template <class T> constexpr double unitOf() { return sizeof(T) == 2 ? 0x1p-11 : 0x1p-23; }

template <class T> std::vector<double> valuesOf(const test::Misaligned<T> &data) {
  std::vector<double> all;
  for (std::size_t i = 0; i < data.size(); ++i)
    all.push_back(static_cast<double>(test::toFloat(data.get(i))));
  return all;
}

template <class T> void fillRandom(test::Misaligned<T> &data, std::mt19937 &random, float range) {
  std::uniform_real_distribution<float> values(-range, range);
  for (std::size_t i = 0; i < data.size(); ++i)
    data.set(i, test::fromFloat<T>(values(random)));
}

template <class T> void requireSame(const test::Misaligned<T> &a, const test::Misaligned<T> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    REQUIRE(test::same(a.get(i), b.get(i)));
}

struct Rows {
  std::size_t rows, length;
};
const Rows SIZES[] = {{0, 5},  {1, 1},  {7, 10},   {3, 16},  {2, 17},
                      {2, 64}, {5, 65}, {1, 1000}, {2, 5001}};

/// Runs the vertex on rows of `length` elements.
template <class Plain, class T>
void runSoftmax(isa::Isa isa, SoftmaxKind kind, std::size_t length, test::Misaligned<T> &in,
                test::Misaligned<T> &out) {
  auto state = test::zeroed<vertices::Softmax<isa::scalar, Plain>>();
  test::connect(state.in, in.data());
  test::connect(state.out, out.data(), out.size());
  state.length = static_cast<unsigned>(length);
  state.kind = static_cast<unsigned>(kind);
  test::runOn<vertices::SoftmaxFamily>(isa, state);
  REQUIRE(out.guardsIntact());
}
/// The same in place of a copy.
template <class Plain, class T>
void runSoftmaxInPlace(isa::Isa isa, SoftmaxKind kind, std::size_t length,
                       const test::Misaligned<T> &in, test::Misaligned<T> &copy) {
  for (std::size_t i = 0; i < in.size(); ++i)
    copy.set(i, in.get(i));
  auto state = test::zeroed<vertices::SoftmaxInPlace<isa::scalar, Plain>>();
  test::connect(state.data, copy.data(), copy.size());
  state.length = static_cast<unsigned>(length);
  state.kind = static_cast<unsigned>(kind);
  test::runOn<vertices::SoftmaxFamily>(isa, state);
  REQUIRE(copy.guardsIntact());
}

/// Of operands within `range`.
template <class Plain> void checkSoftmax(SoftmaxKind kind, float range) {
  using T = vertices::KernelType<Plain>;
  constexpr bool OF_HALVES = sizeof(T) == 2;
  std::mt19937 random(51);
  // Exponentials, their sum and what becomes of them; and differences, where there are any, of up
  // to twice the range. Exponentials of halves are within 2^-14.
  const bool moved = kind == SoftmaxKind::LOG || range > kernels::SOFTMAX_NEAR;
  const double exponential = (4 + (moved ? static_cast<double>(range) : 0)) * 0x1p-23,
               rounded = (OF_HALVES ? 0x1p-14 : 0) + unitOf<T>(),
               scale = kind == SoftmaxKind::SCALED ? 62000 : 1,
               tiny = OF_HALVES ? 0x1p-25 : scale * 0x1p-149; // of subnormal exponentials
  for (const Rows &s : SIZES) {
    CAPTURE(s.rows);
    CAPTURE(s.length);
    CAPTURE(static_cast<int>(kind));
    test::Misaligned<T> in(s.rows * s.length), reference(in.size());
    fillRandom(in, random, range);
    runSoftmax<Plain>(isa::Isa::Scalar, kind, s.length, in, reference);
    const auto x = valuesOf(in), got = valuesOf(reference);
    for (std::size_t row = 0; row < s.rows; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < s.length; ++i)
        sum += std::exp(x[row * s.length + i]);
      for (std::size_t i = 0; i < s.length; ++i) {
        const double value = x[row * s.length + i];
        const double exact =
            kind == SoftmaxKind::LOG ? value - std::log(sum) : std::exp(value) / sum * scale;
        REQUIRE_MESSAGE(std::fabs(got[row * s.length + i] - exact) <=
                            exponential * (kind == SoftmaxKind::LOG ? 1 : exact) +
                                rounded * std::fabs(exact) + tiny,
                        got[row * s.length + i], " and exactly ", exact);
      }
    }
    for (isa::Isa isa : test::vectorIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      test::Misaligned<T> out(in.size()), inPlace(in.size());
      runSoftmax<Plain>(isa, kind, s.length, in, out);
      requireSame(out, reference);
      runSoftmaxInPlace<Plain>(isa, kind, s.length, in, inPlace);
      requireSame(inPlace, reference);
    }
  }
}

/// Results that are written past the caches, where rows begin and end within cache lines.
template <class Plain> void checkLargeSoftmax(SoftmaxKind kind, std::size_t length) {
  using T = vertices::KernelType<Plain>;
  const std::size_t rows = (std::size_t{12} << 20) / (length * sizeof(T)) + 1;
  std::mt19937 random(54);
  test::Misaligned<T> in(rows * length), inPlace(in.size()), out(in.size());
  fillRandom(in, random, 8.f);
  for (std::size_t row = 1; row < rows; row += 1 + random() % 3) // not near zero
    in.set(row * length + random() % length, test::fromFloat<T>(row % 2 == 0 ? 80.f : -100.f));
  const isa::Isa isa = test::vectorIsas().back();
  runSoftmaxInPlace<Plain>(isa, kind, length, in, inPlace);
  runSoftmax<Plain>(isa, kind, length, in, out);
  std::size_t numWrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    numWrong += !test::same(out.get(i), inPlace.get(i));
  CHECK(numWrong == 0);
}

template <class Plain> void checkGradient() {
  using T = vertices::KernelType<Plain>;
  std::mt19937 random(52);
  for (const Rows &s : SIZES) {
    test::Misaligned<T> y(s.rows * s.length), g(y.size()), reference(y.size());
    fillRandom(y, random, 1.f);
    fillRandom(g, random, 1.f);
    for (isa::Isa isa : test::vectorIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      test::Misaligned<T> out(y.size());
      auto state = test::zeroed<vertices::SoftmaxGradient<isa::scalar, Plain>>();
      test::connect(state.activation, y.data());
      test::connect(state.outGradient, g.data());
      test::connect(state.out, out.data(), out.size());
      state.length = static_cast<unsigned>(s.length);
      test::runOn<vertices::SoftmaxFamily>(isa, state);
      REQUIRE(out.guardsIntact());
      if (isa == isa::Isa::Scalar) {
        for (std::size_t i = 0; i < out.size(); ++i)
          reference.set(i, out.get(i));
        const auto yv = valuesOf(y), gv = valuesOf(g), got = valuesOf(out);
        for (std::size_t i = 0; i < got.size(); ++i) {
          double sum = 0;
          for (std::size_t k = i / s.length * s.length; k < (i / s.length + 1) * s.length; ++k)
            sum += yv[k] * gv[k];
          const double exact = yv[i] * (gv[i] - sum);
          REQUIRE(std::fabs(got[i] - exact) <= unitOf<T>() * std::fabs(exact) +
                                                   0x1p-22 * static_cast<double>(s.length) / 8 +
                                                   0x1p-20);
        }
      }
      requireSame(out, reference);
    }
  }
}

template <class Plain, class Label> void checkLosses() {
  using T = vertices::KernelType<Plain>;
  std::mt19937 random(53);
  const double epsilon = sizeof(T) == 2 ? 5.9605e-8 : 1.17549435e-38;
  for (const Rows &s : SIZES) {
    test::Misaligned<T> outputs(s.rows * s.length);
    fillRandom(outputs, random, 1.f);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      outputs.set(i, test::fromFloat<T>(std::fabs(test::toFloat(outputs.get(i)))));
    std::vector<Label> labels(s.rows);
    for (std::size_t r = 0; r < s.rows; ++r)
      labels[r] = r % 4 == 3   ? static_cast<Label>(~0u)
                  : r % 4 == 2 ? static_cast<Label>(s.length + 5)
                               : static_cast<Label>(random() % s.length);
    const auto o = valuesOf(outputs);
    for (isa::Isa isa : test::vectorIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      test::Misaligned<T> deltas(outputs.size()), loss(s.rows), squareDeltas(outputs.size()),
          squareLoss(s.rows);
      const float scale = 3.f, scaling = 2.f;
      auto entropy = test::zeroed<vertices::CrossEntropyLoss<isa::scalar, Plain, Label>>();
      auto square = test::zeroed<vertices::SumSquaredLoss<isa::scalar, Plain, Label>>();
      const auto set = [&](auto &state, auto &d, auto &l) {
        test::connect(state.outputs, outputs.data());
        test::connect(state.labels, labels.data());
        test::connect(state.deltas, d.data());
        test::connect(state.loss, l.data(), l.size());
        state.classes = static_cast<unsigned>(s.length);
      };
      set(entropy, deltas, loss);
      set(square, squareDeltas, squareLoss);
      test::connect(entropy.deltasScale, &scale);
      test::connect(entropy.outputScaling, &scaling);
      test::runOn<vertices::LossFamily>(isa, entropy);
      test::runOn<vertices::LossFamily>(isa, square);
      REQUIRE(deltas.guardsIntact());
      REQUIRE(squareDeltas.guardsIntact());
      for (std::size_t r = 0; r < s.rows; ++r) {
        const auto label = static_cast<std::uint32_t>(labels[r]);
        double squares = 0;
        for (std::size_t c = 0; c < s.length; ++c) {
          const std::size_t i = r * s.length + c;
          const double hot = c == label ? 1 : 0;
          const double exact = label == ~0u ? 0 : 1.5 * (o[i] - 2 * hot);
          const double exactSquare = label == ~0u ? 0 : o[i] - hot;
          REQUIRE(std::fabs(static_cast<double>(test::toFloat(deltas.get(i))) - exact) <=
                  unitOf<T>() * std::fabs(exact) + 1e-7);
          REQUIRE(std::fabs(static_cast<double>(test::toFloat(squareDeltas.get(i))) -
                            exactSquare) <= unitOf<T>() * std::fabs(exactSquare) + 1e-7);
          squares += 0.5 * exactSquare * exactSquare;
        }
        const double exactLoss =
            label < s.length ? std::log(2.) - std::log(o[r * s.length + label] + epsilon) : 0;
        REQUIRE(std::fabs(static_cast<double>(test::toFloat(loss.get(r))) - exactLoss) <=
                unitOf<T>() * (std::fabs(exactLoss) + 1));
        REQUIRE(std::fabs(static_cast<double>(test::toFloat(squareLoss.get(r))) - squares) <=
                unitOf<T>() * (squares + 1));
      }
    }
  }
}

template <class Plain, class Label> void checkCorrect() {
  using T = vertices::KernelType<Plain>;
  std::mt19937 random(54);
  for (const Rows &s : SIZES) {
    test::Misaligned<T> outputs(s.rows * s.length);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      outputs.set(i, test::fromFloat<T>(static_cast<float>(random() % 5))); // many equal maxima
    std::vector<Label> labels(s.rows);
    std::vector<unsigned> exact(s.rows);
    for (std::size_t r = 0; r < s.rows; ++r) {
      std::size_t best = 0;
      for (std::size_t c = 1; c < s.length; ++c)
        if (test::toFloat(outputs.get(r * s.length + c)) >
            test::toFloat(outputs.get(r * s.length + best)))
          best = c;
      labels[r] = r % 5 == 4     ? static_cast<Label>(~0u)
                  : random() % 2 ? static_cast<Label>(best)
                                 : static_cast<Label>(random() % s.length);
      exact[r] = static_cast<std::size_t>(labels[r]) == best;
    }
    for (isa::Isa isa : test::vectorIsas()) {
      std::vector<unsigned> correct(s.rows, 77);
      auto state = test::zeroed<vertices::CorrectRows<isa::scalar, Plain, Label>>();
      test::connect(state.outputs, outputs.data());
      test::connect(state.labels, labels.data());
      test::connect(state.correct, correct.data(), correct.size());
      state.classes = static_cast<unsigned>(s.length);
      test::runOn<vertices::LossFamily>(isa, state);
      REQUIRE(correct == exact);
    }
  }
}

/// Numbers of very different sizes, and now and then one that is none.
template <class T> void fillStrange(test::Misaligned<T> &data, std::mt19937 &random) {
  constexpr float INFINITE = std::numeric_limits<float>::infinity();
  constexpr float STRANGE[] = {0.f,       -0.f,  INFINITE,
                               -INFINITE, 1e-7f, -INFINITE,
                               -104.f,    88.f,  std::numeric_limits<float>::quiet_NaN()};
  std::normal_distribution<float> values(0, 30);
  for (std::size_t i = 0; i < data.size(); ++i)
    data.set(i, test::fromFloat<T>(random() % 7 == 0 ? STRANGE[random() % std::size(STRANGE)]
                                                     : values(random)));
}

/// Many short rows, with NaN and infinities, whatever their number.
template <class Plain, class Label> void checkCorrectShortRows() {
  using T = vertices::KernelType<Plain>;
  std::mt19937 random(55);
  for (std::size_t length = 1; length <= 34; ++length) {
    CAPTURE(length);
    std::size_t const rows = 1 + random() % 260;
    test::Misaligned<T> outputs(rows * length);
    fillStrange(outputs, random);
    std::vector<Label> labels(rows);
    std::vector<unsigned> exact(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto at = [&](std::size_t c) { return test::toFloat(outputs.get(r * length + c)); };
      if (r % 9 == 0) // nothing but NaN, or a maximum of minus infinity
        for (std::size_t c = 0; c < length; ++c)
          outputs.set(r * length + c, test::fromFloat<T>(r % 2 && c % 2 ? -INFINITY : NAN));
      std::size_t best = length;
      for (std::size_t c = 0; c < length; ++c)
        if (!std::isnan(at(c)) && (best == length || at(c) > at(best)))
          best = c;
      labels[r] = static_cast<Label>(r % 5 == 4     ? ~0u - random() % 2
                                     : random() % 2 ? best
                                                    : random() % length);
      exact[r] = best != length && static_cast<std::size_t>(labels[r]) == best;
    }
    for (isa::Isa isa : test::vectorIsas()) {
      std::vector<unsigned> correct(rows + 1, 77);
      auto state = test::zeroed<vertices::CorrectRows<isa::scalar, Plain, Label>>();
      test::connect(state.outputs, outputs.data());
      test::connect(state.labels, labels.data());
      test::connect(state.correct, correct.data(), rows);
      state.classes = static_cast<unsigned>(length);
      test::runOn<vertices::LossFamily>(isa, state);
      CHECK(correct.back() == 77);
      correct.pop_back();
      CHECK(correct == exact);
    }
  }
}

template <class Plain> void checkShortRows(SoftmaxKind kind) {
  using T = vertices::KernelType<Plain>;
  std::mt19937 random(71);
  for (std::size_t length = 1; length <= 66; ++length)
    for (std::size_t rows : {1, 2, 8, 15, 33}) {
      CAPTURE(rows);
      CAPTURE(length);
      test::Misaligned<T> in(rows * length), reference(in.size());
      fillStrange(in, random);
      runSoftmax<Plain>(isa::Isa::Scalar, kind, length, in, reference);
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        test::Misaligned<T> out(in.size());
        runSoftmax<Plain>(isa, kind, length, in, out);
        requireSame(out, reference);
        runSoftmaxInPlace<Plain>(isa, kind, length, in, out);
        requireSame(out, reference);
      }
    }
}

/// Rows with NaN of both signs have the same bits, theirs included, however many are computed.
template <class Plain> void checkRowsAlone(SoftmaxKind kind) {
  using T = vertices::KernelType<Plain>;
  constexpr std::size_t ROWS = 19;
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  std::mt19937 random(73);
  for (std::size_t length : {1, 2, 9, 31, 63}) {
    CAPTURE(length);
    test::Misaligned<T> in(ROWS * length);
    fillStrange(in, random);
    for (std::size_t i = 0; i < in.size(); i += 1 + random() % length)
      in.set(i, test::fromFloat<T>(random() % 2 == 0 ? nan : -nan));
    for (isa::Isa isa : test::vectorIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      test::Misaligned<T> together(in.size()), row(length), alone(length);
      runSoftmax<Plain>(isa, kind, length, in, together);
      for (std::size_t r = 0; r < ROWS; ++r) {
        for (std::size_t i = 0; i < length; ++i)
          row.set(i, in.get(r * length + i));
        runSoftmax<Plain>(isa, kind, length, row, alone);
        for (std::size_t i = 0; i < length; ++i) {
          const T x = alone.get(i), y = together.get(r * length + i);
          REQUIRE(std::memcmp(&x, &y, sizeof x) == 0);
        }
      }
    }
  }
}

} // namespace

TEST_SUITE("codelets/popnn/softmax") {
  TEST_CASE("softmax of large operands is that of small ones") {
    for (std::size_t length : {300, 1001, 4096, 5001, 40'003, 70'001})
      for (SoftmaxKind kind : {SoftmaxKind::STABLE, SoftmaxKind::LOG}) {
        CAPTURE(length);
        checkLargeSoftmax<float>(kind, length);
        checkLargeSoftmax<poplar::half>(kind, length);
      }
  }

  TEST_CASE("all kinds, float and half, in place and not") {
    for (SoftmaxKind kind :
         {SoftmaxKind::PLAIN, SoftmaxKind::STABLE, SoftmaxKind::SCALED, SoftmaxKind::LOG})
      for (float range : {8.f, kernels::SOFTMAX_NEAR, 80.f}) {
        CAPTURE(range);
        checkSoftmax<float>(kind, range);
        checkSoftmax<poplar::half>(kind, range);
      }
  }

  TEST_CASE("rows with NaN, infinities, zeros or one sign have the bits of the scalar tag") {
    constexpr std::size_t LENGTH = 200;
    const auto nan = std::numeric_limits<float>::quiet_NaN(),
               infinity = std::numeric_limits<float>::infinity();
    // Each row is the next one while the row before it is computed.
    const std::vector<std::vector<float>> specials{
        {},      {nan},         {}, {-nan, 5.f}, {infinity}, {-infinity, 3.f}, {nan, infinity}, {},
        {100.f}, {-100.f, nan}, {}, {-70.f}};
    std::mt19937 random(61);
    const auto check = [&](auto element, float low, float high, SoftmaxKind kind) {
      using Plain = decltype(element);
      using T = vertices::KernelType<Plain>;
      std::uniform_real_distribution<float> values(low, high);
      test::Misaligned<T> in(specials.size() * LENGTH), reference(in.size());
      for (std::size_t i = 0; i < in.size(); ++i)
        in.set(i, test::fromFloat<T>(i % 5 == 0 ? high : values(random)));
      for (std::size_t row = 0; row < specials.size(); ++row)
        for (std::size_t k = 0; k < specials[row].size(); ++k)
          in.set(row * LENGTH + 37 * (k + 1), test::fromFloat<T>(specials[row][k]));
      runSoftmax<Plain>(isa::Isa::Scalar, kind, LENGTH, in, reference);
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        test::Misaligned<T> out(in.size());
        runSoftmax<Plain>(isa, kind, LENGTH, in, out);
        requireSame(out, reference);
      }
    };
    for (SoftmaxKind kind : {SoftmaxKind::STABLE, SoftmaxKind::LOG})
      for (auto [low, high] : {std::pair{-9.f, -1.f},
                               {1.f, 9.f},
                               {-9.f, 0.f},
                               {-9.f, 9.f},
                               {-64.f, 64.f},
                               {-20.f, 70.f},
                               {900.f, 1000.f}}) {
        check(float{}, low, high, kind);
        check(poplar::half{}, low, high, kind);
      }
  }

  TEST_CASE("short rows, of which several are computed at once, have the bits of the scalar tag") {
    for (SoftmaxKind kind :
         {SoftmaxKind::PLAIN, SoftmaxKind::STABLE, SoftmaxKind::SCALED, SoftmaxKind::LOG}) {
      checkShortRows<float>(kind);
      checkShortRows<poplar::half>(kind);
    }
  }

  TEST_CASE("short rows have the same bits alone and among others, NaN included") {
    for (SoftmaxKind kind :
         {SoftmaxKind::PLAIN, SoftmaxKind::STABLE, SoftmaxKind::SCALED, SoftmaxKind::LOG}) {
      checkRowsAlone<float>(kind);
      checkRowsAlone<poplar::half>(kind);
    }
  }

  TEST_CASE("stable softmax does not overflow") {
    for (isa::Isa isa : test::vectorIsas()) {
      std::vector<float> data{1000.f, 1000.f, -1000.f};
      auto state = test::zeroed<vertices::SoftmaxInPlace<isa::scalar, float>>();
      test::connect(state.data, data.data(), data.size());
      state.length = 3;
      state.kind = static_cast<unsigned>(SoftmaxKind::STABLE);
      test::runOn<vertices::SoftmaxFamily>(isa, state);
      CHECK(data == std::vector<float>{0.5f, 0.5f, 0.f});
    }
  }

  TEST_CASE("gradient") {
    checkGradient<float>();
    checkGradient<poplar::half>();
  }

  TEST_CASE("cost") {
    vertices::SoftmaxCostProblem problem{6, 10, 4, true, false};
    CHECK(vertices::softmaxCycles(problem, 6) == 11 + 6 * (29 + 40 + 60));
  }
}

TEST_SUITE("codelets/popnn/loss") {
  TEST_CASE("cross-entropy and sum of squares, with masked labels and labels that are no class") {
    checkLosses<float, unsigned>();
    checkLosses<float, int>();
    checkLosses<poplar::half, unsigned>();
    checkLosses<poplar::half, int>();
  }

  TEST_CASE("deltas may take the place of the outputs") {
    for (isa::Isa isa : test::vectorIsas()) {
      std::vector<float> data{0.25f, 0.75f}, loss(1);
      const unsigned label = 1;
      const float one = 1.f;
      auto state = test::zeroed<vertices::CrossEntropyLoss<isa::scalar, float, unsigned>>();
      test::connect(state.outputs, data.data());
      test::connect(state.labels, &label);
      test::connect(state.deltas, data.data());
      test::connect(state.loss, loss.data(), 1);
      test::connect(state.deltasScale, &one);
      test::connect(state.outputScaling, &one);
      state.classes = 2;
      test::runOn<vertices::LossFamily>(isa, state);
      CHECK(data == std::vector<float>{0.25f, -0.25f});
      CHECK(loss[0] == doctest::Approx(-std::log(0.75)));
    }
  }

  TEST_CASE("parts of rows have the label's loss or none") {
    for (isa::Isa isa : test::vectorIsas()) {
      // Rows of six classes, of which the vertex has classes 2 to 4.
      const std::vector<unsigned> labels{1, 2, 4, 5, ~0u};
      std::vector<float> outputs(15, 0.5f), deltas(15, 9.f), loss(5, 9.f), expected(15, 0.5f);
      const float one = 1.f;
      auto state = test::zeroed<vertices::CrossEntropyLoss<isa::scalar, float, unsigned>>();
      test::connect(state.outputs, outputs.data());
      test::connect(state.labels, labels.data());
      test::connect(state.deltas, deltas.data());
      test::connect(state.loss, loss.data(), 5);
      test::connect(state.deltasScale, &one);
      test::connect(state.outputScaling, &one);
      state.classes = 3;
      state.firstClass = 2;
      test::runOn<vertices::LossFamily>(isa, state);
      expected[3] = expected[8] = -0.5f;
      for (std::size_t i = 12; i < 15; ++i)
        expected[i] = 0.f;
      CHECK(deltas == expected);
      for (std::size_t r = 0; r < 5; ++r)
        CHECK(loss[r] == doctest::Approx(r == 1 || r == 2 ? -std::log(0.5) : 0));
    }
  }

  TEST_CASE("a row is correct if its first maximum is at the label") {
    checkCorrect<float, unsigned>();
    checkCorrect<float, int>();
    checkCorrect<poplar::half, unsigned>();
    checkCorrect<poplar::half, int>();
    checkCorrectShortRows<float, unsigned>();
    checkCorrectShortRows<float, int>();
    checkCorrectShortRows<poplar::half, unsigned>();
    checkCorrectShortRows<poplar::half, int>();
  }

  TEST_CASE("cost") {
    CHECK(vertices::lossCycles(vertices::LossKind::CROSS_ENTROPY, 6, 10, 4, 6) ==
          9 + 6 * (18 + 21 + 90));
    CHECK(vertices::lossCycles(vertices::LossKind::CORRECT_ROWS, 6, 10, 2, 6) ==
          9 + 6 * (18 + 27 + 30));
  }
}
