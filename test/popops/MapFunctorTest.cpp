// Elementwise functions of an application against the same done number by number. Compiled once per
// instruction set by poplar_add_kernels.
#include "Harness.hpp"

#include <popops/MapFunctor.hpp>
#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

#include <algorithm>

TEST_SUITE_BEGIN("popops/mapfunctor");

using namespace harness;
using poplar::BOOL;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::Type;
using poplar::UNSIGNED_INT;

namespace mapfunctortest {

inline constexpr auto MULTIPLY_ADD = [](auto x, auto y) { return x * y + 1; };

inline constexpr auto THRICE = [](auto x) { return x * 3; };
inline constexpr auto TWICE = [](auto x) { return x + x; };

/// Members of two types.
struct Scaled {
  float scale;
  int shift;
  template <class V> V operator()(V x) const { return x * scale + shift; }
};

struct Sum3 {
  template <class V> V operator()(V x, V y, V z) const { return x + y + z; }
};

/// An integer, a mask and an unsigned number in, an integer out.
struct Choose {
  template <class I, class M, class U> I operator()(I x, M m, U y) const {
    return select(m, x * 3 - 1, y.asInt());
  }
};

struct Above {
  template <class V> auto operator()(V x, V y) const { return (x > y) & (y >= -1); }
};

/// Plain numbers; lanes without an element must not be divided.
struct Divide {
  int operator()(int x, int y) const { return x / y; }
};
struct Later {
  float operator()(float x, bool on) const { return on ? x : -1.0F; }
};

struct FourHalves {
  template <class V> V operator()(V a, V b, V c, V d) const { return a * b + c - d * 2; }
};

struct Smooth {
  template <class V> V operator()(V x) const {
    return min(max(popops::math::tanh(x), -0.5), 0.5) + abs(x) * floor(x);
  }
};

} // namespace mapfunctortest

using namespace mapfunctortest;

namespace {

double inFloat(double x) { return rounded(FLOAT, x); }

/// The element of a tensor of shape `own` that belongs to element `i` of the result.
std::size_t source(std::size_t i, Shape const &shape, Shape const &own) {
  std::size_t index = 0, stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    std::size_t const at = i % shape[d];
    i /= shape[d];
    std::size_t const behind = shape.size() - 1 - d;
    if (behind >= own.size())
      continue;
    std::size_t const size = own[own.size() - 1 - behind];
    index += (size == 1 ? 0 : at) * stride;
    stride *= size;
  }
  return index;
}

Shape commonShape(std::vector<Shape> const &shapes) {
  Shape result;
  for (Shape const &s : shapes)
    if (s.size() > result.size())
      result = s;
  for (Shape const &s : shapes)
    for (std::size_t d = 1; d <= s.size(); ++d)
      if (s[s.size() - d] != 1)
        result[result.size() - d] = s[s.size() - d];
  return result;
}

} // namespace

TEST_CASE("a functor of floats gives what the numbers give, whatever the size and types") {
  onDevices([](DeviceMaker const &device) {
    std::size_t const sizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 50, 2000};
    Run run(device);
    Numbers random(1);
    std::vector<std::size_t> outputs;
    std::vector<Values> expected;
    for (std::size_t n : sizes)
      for (Type const &a : {FLOAT, HALF})
        for (Type const &b : {FLOAT, HALF}) {
          Values const x = random.real(a, n), y = random.real(b, n);
          Tensor const t = popops::map(run.graph, MULTIPLY_ADD,
                                       {run.input(a, {n}, x), run.input(b, {n}, y)}, run.prog);
          Type const type = a == HALF && b == HALF ? HALF : FLOAT;
          CHECK(t.elementType() == type);
          Tensor const half =
              popops::map(run.graph, MULTIPLY_ADD, {run.input(a, {n}, x), run.input(b, {n}, y)},
                          HALF, run.prog);
          Values values, halves;
          for (std::size_t i = 0; i != n; ++i) {
            double const result = inFloat(inFloat(x[i] * y[i]) + 1);
            values.push_back(rounded(type, result));
            halves.push_back(rounded(HALF, result));
          }
          outputs.push_back(run.output(t));
          expected.push_back(values);
          outputs.push_back(run.output(half));
          expected.push_back(halves);
        }
    run.run();
    for (std::size_t i = 0; i != outputs.size(); ++i) {
      CAPTURE(i);
      CHECK(run.values(outputs[i]) == expected[i]);
    }
  });
}

TEST_CASE("operands are broadcast as NumPy does, whatever their types") {
  std::vector<std::vector<Shape>> const cases = {
      {{3, 5}, {5}, {1}},        {{4, 3, 5}, {3, 1}, {4, 1, 1}},
      {{2, 1, 5}, {4, 1}, {}},   {{}, {7}, {1, 7}},
      {{6, 700}, {700}, {6, 1}}, {{3, 1, 4, 1}, {2, 1, 5}, {5}},
      {{300, 2}, {300, 1}, {2}}, {{1}, {1, 1}, {}},
      {{0, 4}, {4}, {0, 1}},     {{2, 600, 3}, {600, 1}, {3}}};
  Type const types[][3] = {
      {FLOAT, FLOAT, FLOAT}, {HALF, HALF, HALF}, {FLOAT, HALF, FLOAT}, {HALF, FLOAT, HALF}};
  onDevices([&](DeviceMaker const &device) {
    Run run(device);
    Numbers random(2);
    std::vector<std::size_t> outputs;
    std::vector<Values> expected;
    for (auto const &shapes : cases)
      for (auto const &type : types) {
        Values x[3];
        std::vector<Tensor> t;
        for (unsigned k = 0; k != 3; ++k) {
          x[k] = random.real(type[k], product(shapes[k]));
          t.push_back(run.input(type[k], shapes[k], x[k]));
        }
        Tensor const sum = popops::map(run.graph, Sum3{}, {t[0], t[1], t[2]}, FLOAT, run.prog);
        Shape const shape = commonShape(shapes);
        CHECK(sum.shape() == shape);
        outputs.push_back(run.output(sum));
        Values values;
        for (std::size_t i = 0; i != product(shape); ++i) {
          double const first =
              inFloat(x[0][source(i, shape, shapes[0])] + x[1][source(i, shape, shapes[1])]);
          values.push_back(inFloat(first + x[2][source(i, shape, shapes[2])]));
        }
        expected.push_back(values);
      }
    run.run();
    for (std::size_t i = 0; i != outputs.size(); ++i) {
      CAPTURE(i);
      CHECK(run.values(outputs[i]) == expected[i]);
    }
  });
}

TEST_CASE("where operands lie on tiles makes no difference") {
  std::size_t const n = 900, columns = 30;
  for (bool const inPlace : {false, true})
    for (std::size_t const piece : {n, std::size_t{7}, std::size_t{60}}) { // around 16 tiles
      CAPTURE(inPlace);
      CAPTURE(piece);
      Run run([] { return modelOf(16); });
      Numbers random(8);
      Values const x = random.real(FLOAT, n), y = random.real(FLOAT, columns);
      Tensor const t = run.graph.addVariable(FLOAT, {n / columns, columns});
      for (std::size_t begin = 0, i = 0; begin < n; begin += piece, ++i)
        run.graph.setTileMapping(t.flatten().slice(begin, std::min(begin + piece, n)),
                                 static_cast<unsigned>(i % 16));
      run.write(t, x);
      Tensor const row = run.input(FLOAT, {columns}, y);
      Tensor out = t;
      if (inPlace)
        popops::mapInPlace(run.graph, MULTIPLY_ADD, {t, row}, run.prog);
      else
        out = popops::map(run.graph, MULTIPLY_ADD, {t, row}, FLOAT, run.prog);
      auto const output = run.output(out);
      run.run();
      Values expected;
      for (std::size_t i = 0; i != n; ++i)
        expected.push_back(inFloat(inFloat(x[i] * y[i % columns]) + 1));
      CHECK(run.values(output) == expected);
    }
}

TEST_CASE("integers, masks and results of other kinds") {
  onDevices([](DeviceMaker const &device) {
    for (std::size_t n : {1U, 13U, 16U, 333U}) {
      Run run(device);
      Numbers random(3);
      Values const i = random.integer(n, -1000, 1000), u = random.integer(n, 0, 99),
                   b = random.integer(n, 0, 1), x = random.real(HALF, n), y = random.real(FLOAT, n),
                   d = random.integer(n, 1, 9);
      Tensor const ti = run.input(INT, {n}, i), tu = run.input(UNSIGNED_INT, {n}, u),
                   tb = run.input(BOOL, {n}, b), tx = run.input(HALF, {n}, x),
                   ty = run.input(FLOAT, {n}, y), td = run.input(INT, {n}, d);
      auto &graph = run.graph;
      Tensor const chosen =
          popops::map<int, bool, unsigned>(graph, Choose{}, {ti, tb, tu}, run.prog);
      Tensor const above = popops::map(graph, Above{}, {tx, ty}, run.prog);
      Tensor const quotient = popops::map<int, int>(graph, Divide{}, {ti, td}, run.prog);
      Tensor const later = popops::map<float, bool>(graph, Later{}, {tx, tb}, run.prog);
      CHECK(chosen.elementType() == INT);
      CHECK(above.elementType() == BOOL);
      CHECK(quotient.elementType() == INT);
      CHECK(later.elementType() == HALF);
      std::size_t const outputs[] = {run.output(chosen), run.output(above), run.output(quotient),
                                     run.output(later)};
      run.run();
      Values expected[4];
      for (std::size_t k = 0; k != n; ++k) {
        expected[0].push_back(b[k] != 0 ? i[k] * 3 - 1 : u[k]);
        expected[1].push_back(x[k] > y[k] && y[k] >= -1);
        expected[2].push_back(std::trunc(i[k] / d[k]));
        expected[3].push_back(b[k] != 0 ? x[k] : -1);
      }
      for (unsigned k = 0; k != 4; ++k) {
        CAPTURE(k);
        CHECK(run.values(outputs[k]) == expected[k]);
      }
    }
  });
}

TEST_CASE("a functor of halves rounds every operation to half") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers random(4);
    std::size_t const n = 75;
    Values x[4];
    std::vector<Tensor> t;
    for (Values &values : x) {
      values = random.real(HALF, n);
      t.push_back(run.input(HALF, {n}, values));
    }
    using poplar::half;
    auto const output = run.output(popops::map<half, half, half, half>(
        run.graph, FourHalves{}, {t[0], t[1], t[2], t[3]}, run.prog));
    run.run();
    Values expected;
    for (std::size_t i = 0; i != n; ++i) {
      double const product = rounded(HALF, x[0][i] * x[1][i]);
      double const sum = rounded(HALF, product + x[2][i]);
      expected.push_back(rounded(HALF, sum - rounded(HALF, x[3][i] * 2)));
    }
    CHECK(run.values(output) == expected);
  });
}

TEST_CASE("members of a functor belong to the call, and views of any layout are read and written") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers random(5);
    Shape const s{6, 40, 9};
    Values const x = random.real(FLOAT, product(s));
    Tensor const t = run.input(FLOAT, s, x);
    Tensor const view = t.dimShuffle({2, 0, 1}).reverse(1).subSample(2, 0); // [5, 6, 40]
    Tensor const a = popops::map(run.graph, Scaled{2.5F, 3}, {view}, run.prog);
    Tensor const b = popops::map(run.graph, Scaled{-1.0F, 0}, {view}, run.prog);
    auto const first = run.output(a), second = run.output(b);
    // Every second column of a variable, itself an operand elsewhere.
    popops::mapInPlace(run.graph, Scaled{4.0F, -1}, {view}, run.prog);
    auto const third = run.output(view), untouched = run.output(t.dimShuffle({2, 0, 1})[1]);
    run.run();
    Values expected[3], rest;
    for (std::size_t i = 0; i != 5 * 6 * 40; ++i) {
      std::size_t const c = i / 240 * 2, r = 5 - i / 40 % 6, k = i % 40;
      double const value = x[(r * 40 + k) * 9 + c];
      expected[0].push_back(inFloat(inFloat(value * 2.5) + 3));
      expected[1].push_back(-value);
      expected[2].push_back(inFloat(value * 4 - 1));
    }
    for (std::size_t i = 0; i != 240; ++i)
      rest.push_back(x[i * 9 + 1]);
    CHECK(run.values(first) == expected[0]);
    CHECK(run.values(second) == expected[1]);
    CHECK(run.values(third) == expected[2]);
    CHECK(run.values(untouched) == rest);
  });
}

TEST_CASE("an output may be an operand or overlap some of them") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers random(6);
    std::size_t const n = 1000;
    Values const x = random.real(HALF, n + 1), y = random.real(FLOAT, n);
    Tensor const t = run.input(HALF, {n + 1}, x), u = run.input(FLOAT, {n}, y);
    // Half and float: computed in float, written to the half operand.
    popops::mapInPlace(run.graph, MULTIPLY_ADD, {t.slice(0, n), u}, run.prog);
    auto const inPlace = run.output(t);
    run.run();
    Values expected;
    for (std::size_t i = 0; i != n; ++i)
      expected.push_back(rounded(HALF, inFloat(inFloat(x[i] * y[i]) + 1)));
    expected.push_back(x[n]);
    CHECK(run.values(inPlace) == expected);

    Run shifted(device);
    Tensor const v = shifted.input(HALF, {n + 1}, x);
    Tensor const low = v.slice(0, n), high = v.slice(1, n + 1);
    popops::mapWithOutput(shifted.graph, MULTIPLY_ADD, {low, high}, high, shifted.prog);
    auto const output = shifted.output(v);
    shifted.run();
    expected.assign(1, x[0]);
    for (std::size_t i = 0; i != n; ++i)
      expected.push_back(rounded(HALF, inFloat(inFloat(x[i] * x[i + 1]) + 1)));
    CHECK(shifted.values(output) == expected);
  });
}

TEST_CASE(
    "large tensors are shared by vertices, and written past the caches where that is better") {
  Run run(cpu);
  Numbers random(7);
  std::size_t const rows = 3000, columns = 1003;
  Values const x = random.real(FLOAT, rows * columns), y = random.real(FLOAT, columns);
  auto const output = run.output(popops::map(
      run.graph, MULTIPLY_ADD,
      {run.input(FLOAT, {rows, columns}, x), run.input(FLOAT, {columns}, y)}, run.prog));
  run.run();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != x.size(); ++i)
    wrong += run.values(output)[i] != inFloat(inFloat(x[i] * y[i % columns]) + 1);
  CHECK(wrong == 0);
}

TEST_CASE("large tensors that are read as they are: fetched ahead, and past the caches") {
  auto const numbers = [](std::size_t n) {
    Values x(n);
    for (std::size_t i = 0; i != n; ++i)
      x[i] = static_cast<double>(i % 977) - 400;
    return x;
  };
  auto const differences = [](Values const &got, auto expected) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != got.size(); ++i)
      wrong += got[i] != expected(i);
    return wrong;
  };
  for (std::size_t const misplaced : {0, 1}) { // results that begin within a line
    CAPTURE(misplaced);
    std::size_t const n = 2'700'017;
    Values const x = numbers(n);
    Run run(cpu);
    Tensor const a = run.input(FLOAT, {n}, x);
    Tensor const room = run.input(FLOAT, {n + misplaced}, Values(n + misplaced, 7));
    popops::mapWithOutput(run.graph, MULTIPLY_ADD, {a, a}, room.slice(misplaced, n + misplaced),
                          run.prog);
    auto const products = run.output(room.slice(misplaced, n + misplaced));
    Tensor const whole = run.input(INT, {n}, x);
    auto const triples = run.output(popops::map<int>(run.graph, THRICE, {whole}, run.prog));
    auto const signs = run.output(popops::map(run.graph, Above{}, {a, a}, run.prog));
    run.run();
    CHECK(differences(run.values(products), [&](std::size_t i) { return x[i] * x[i] + 1; }) == 0);
    CHECK(differences(run.values(triples), [&](std::size_t i) { return 3 * x[i]; }) == 0);
    CHECK(differences(run.values(signs), [](std::size_t) { return 0; }) == 0);
  }
  for (Type const type : {FLOAT, HALF}) {
    CAPTURE(std::string(type.toString()));
    std::size_t const n = type == FLOAT ? 4'800'011 : 9'500'003;
    Values const x = numbers(n);
    Run run(cpu);
    Tensor const a = run.input(type, {n}, x);
    auto const copy = run.output(popops::map(run.graph, Scaled{2, 1}, {a}, run.prog));
    if (type == HALF) {
      auto const twice = run.output(popops::map<poplar::half>(run.graph, TWICE, {a}, run.prog));
      run.run();
      CHECK(differences(run.values(twice), [&](std::size_t i) { return 2 * x[i]; }) == 0);
    }
    popops::mapInPlace(run.graph, Scaled{0.5F, 3}, {a}, run.prog);
    auto const inPlace = run.output(a);
    run.run();
    CHECK(differences(run.values(copy), [&](std::size_t i) { return 2 * x[i] + 1; }) == 0);
    CHECK(differences(run.values(inPlace), [&](std::size_t i) { return x[i] / 2 + 3; }) == 0);
  }
}

TEST_CASE("functors call the elementary functions of popops") {
  Run run(model);
  Numbers random(8);
  Values const x = random.real(FLOAT, 100);
  auto const output =
      run.output(popops::map(run.graph, Smooth{}, {run.input(FLOAT, {100}, x)}, run.prog));
  run.run();
  Values expected;
  for (double value : x)
    expected.push_back(std::min(std::max(std::tanh(value), -0.5), 0.5) +
                       std::fabs(value) * std::floor(value));
  checkClose(run.values(output), expected, epsilonOf(FLOAT), 8, 1);
}

TEST_CASE("on plain memory, in the set in use: all types, misaligned, at all tails") {
  namespace kernels = popops::kernels;
  Numbers random(9);
  for (std::size_t n : {0U, 1U, 7U, 8U, 9U, 16U, 17U, 50U, 1000U}) {
    std::vector<float> x(n + 1), out(n + 2, 99.0F);
    std::vector<poplar::IeeeHalf> y(n + 3), half(n + 2, poplar::IeeeHalf(99.0F));
    std::vector<int> i(n + 1), j(n + 1), k(n + 2, 99);
    for (std::size_t e = 0; e != n; ++e) {
      x[e + 1] = static_cast<float>(random.real(FLOAT, 1)[0]);
      y[e + 1] = poplar::IeeeHalf(static_cast<float>(random.real(HALF, 1)[0]));
      i[e + 1] = static_cast<int>(random.integer(1, -99, 99)[0]);
      j[e + 1] = static_cast<int>(random.integer(1, 1, 9)[0]);
    }
    kernels::map(MULTIPLY_ADD, out.data() + 1, n, x.data() + 1, y.data() + 1);
    kernels::map(MULTIPLY_ADD, half.data() + 1, n, x.data() + 1, y.data() + 1);
    kernels::map(Divide{}, k.data() + 1, n, i.data() + 1, j.data() + 1);
    for (std::size_t e = 0; e != n; ++e) {
      float const product = x[e + 1] * static_cast<float>(y[e + 1]);
      float const expected = product + 1;
      CHECK(out[e + 1] == expected);
      CHECK(static_cast<float>(half[e + 1]) == rounded(HALF, static_cast<double>(expected)));
      CHECK(k[e + 1] == i[e + 1] / j[e + 1]);
    }
    CHECK(out[0] + out[n + 1] == 198);
    CHECK(static_cast<float>(half[n + 1]) == 99);
    CHECK(k[n + 1] == 99);
  }
}

TEST_CASE("errors name the operand and what is allowed") {
  using poputil::poplibs_error;
  Run run(cpu);
  auto &graph = run.graph;
  Tensor const a = run.input(FLOAT, {3, 4}, Values(12)), b = run.input(FLOAT, {5}, Values(5)),
               i = run.input(INT, {3, 4}, Values(12)), f = run.input(FLOAT, {4}, Values(4));
  CHECK_THROWS_WITH_AS(popops::map(graph, MULTIPLY_ADD, {a, i}, run.prog),
                       "popops::map: operand 1 of the functor is of type int; it must be float or "
                       "half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS((popops::map<int, int>(graph, Divide{}, {i, a}, run.prog)),
                       "popops::map: operand 1 of the functor is of type float; it must be int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::map(graph, MULTIPLY_ADD, {a, b}, run.prog),
                       "popops::map: the shape [5] of operand 1 does not fit the shape [3, 4] of "
                       "those before it; dimensions, counted from the last, must be equal or 1",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::map(graph, MULTIPLY_ADD, {a, a}, INT, run.prog),
                       "popops::map: the output is of type int; the functor gives float or half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::mapInPlace(graph, MULTIPLY_ADD, {f, a}, run.prog),
                       "popops::mapInPlace: the result has shape [3, 4], but the output has shape "
                       "[4]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::map(graph, MULTIPLY_ADD, {a, Tensor()}, run.prog),
                       "popops::map: operand 1 of the functor is an invalid tensor", poplibs_error);
}

TEST_SUITE_END();
