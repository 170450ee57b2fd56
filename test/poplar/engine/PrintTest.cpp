#include "Vertices.hpp"

#include <poplar/PrintTensor.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// What PrintTensor prints for a tensor with these values.
template <class T>
std::string printed(Type type, std::vector<std::size_t> const &shape, std::vector<T> const &values,
                    PrintTensorFmt const &format = {}, std::string const &title = "") {
  Device const device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  Tensor const t = variable(graph, type, shape, "t");
  Engine engine(graph, PrintTensor(title, t, format));
  std::ostringstream out;
  engine.setPrintStream(out);
  engine.load(device);
  write(engine, "t", values);
  engine.run();
  return out.str();
}

using Format = PrintTensorFmt::FloatFormat;

} // namespace

TEST_SUITE("poplar/engine/print") {
  TEST_CASE("vectors stand on one line, numbers of one tensor have one format") {
    CHECK(printed<float>(FLOAT, {4}, {0, 0, 0, 0}, {}, "v1") ==
          "v1: [0.0000000 0.0000000 0.0000000 0.0000000]\n");
    CHECK(printed<float>(FLOAT, {4}, {7, 6, 4.5, 2.5}, {}, "v2") ==
          "v2: [7.0000000 6.0000000 4.5000000 2.5000000]\n");
    CHECK(printed<int>(INT, {10}, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}) ==
          "[10 11 12 13 14 15 16 17 18 19]\n");
    CHECK(printed<float>(FLOAT, {2}, {1, 2}, {1000, 3, 75, 2}) == "[1.0 2.0]\n");
  }

  TEST_CASE("a scalar has no brackets, a tensor without elements nothing else") {
    CHECK(printed<float>(FLOAT, {}, {1}, {}, "x") == "x: 1.0000000\n");
    CHECK(printed<int>(INT, {}, {-3}) == "-3\n");
    CHECK(printed<float>(FLOAT, {0}, {}) == "[]\n");
    CHECK(printed<float>(FLOAT, {2, 0}, {}) == "[]\n");
  }

  TEST_CASE("matrices have a line a row, one blank of indentation a level") {
    CHECK(printed<float>(FLOAT, {2, 2}, {1.4962566F, 1.7682219F, 1.0884774F, 1.1320305F},
                         {1000, 3, 75, 8, Format::Auto, ' ', '{', '}'}, "title") ==
          "title: {\n {1.4962566 1.7682219}\n {1.0884774 1.1320305}\n}\n");
    CHECK(printed<int>(INT, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}) ==
          "[\n [\n  [1 2]\n  [3 4]\n ]\n [\n  [5 6]\n  [7 8]\n ]\n]\n");
  }

  TEST_CASE("a row that does not fit is broken behind a separator") {
    CHECK(
        printed<float>(FLOAT, {2, 2}, {1.4962566F, 1.7682219F, 1.0884774F, 1.1320305F},
                       {500, 2, 15, 8, Format::Scientific, ','}, "title") ==
        "title: [\n [1.4962566e+00,\n   1.7682219e+00]\n [1.0884774e+00,\n   1.1320305e+00]\n]\n");
    CHECK(printed<float>(FLOAT, {2, 2}, {1.4962566F, 1.7682219F, 1.0884774F, 1.1320305F},
                         {500, 2, 125, 8, Format::Fixed, ';', '(', ')'}, "title") ==
          "title: (\n (1.4962566;1.7682219)\n (1.0884774;1.1320305)\n)\n");
  }

  TEST_CASE("columns are aligned, digits count from the largest value") {
    CHECK(printed<int>(INT, {3}, {1, -20, 300}) == "[  1 -20 300]\n");
    CHECK(printed<float>(FLOAT, {3}, {10, -1, 2.5}) == "[10.000000 -1.000000  2.500000]\n");
    float const inf = std::numeric_limits<float>::infinity();
    CHECK(printed<float>(FLOAT, {4}, {1, inf, -inf, std::nanf("")}) ==
          "[1.0000000       inf      -inf       nan]\n");
  }

  TEST_CASE("values too far apart for fixed decimals are scientific") {
    CHECK(printed<float>(FLOAT, {2}, {1e9F, 1}) == "[1.0000000e+09 1.0000000e+00]\n");
    CHECK(printed<float>(FLOAT, {2}, {1e-6F, 1}) == "[1.0000000e-06 1.0000000e+00]\n");
    CHECK(printed<float>(FLOAT, {2}, {0.5F, 1e-6F}, PrintTensorFmt::disableFormatting()) ==
          "[0.5 1e-06]\n");
  }

  TEST_CASE("large tensors show their corners") {
    std::vector<int> values(1001);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<int>(i);
    CHECK(printed<int>(INT, {1001}, values) == "[   0    1    2 ...  998  999 1000]\n");
    CHECK(printed<int>(INT, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {4, 1}) ==
          "[\n [1 2]\n ...\n [7 8]\n]\n");
  }

  TEST_CASE("every element type prints as a number") {
    CHECK(printed<std::uint16_t>(HALF, {2}, {0x3c00, 0xc100}) == "[ 1.0000000 -2.5000000]\n");
    CHECK(printed<std::uint8_t>(BOOL, {2}, {1, 0}) == "[1 0]\n");
    CHECK(printed<std::uint8_t>(UNSIGNED_CHAR, {2}, {65, 200}) == "[ 65 200]\n");
    CHECK(printed<std::int8_t>(SIGNED_CHAR, {2}, {65, -1}) == "[65 -1]\n");
    CHECK(printed<std::int64_t>(LONGLONG, {1}, {-5000000000}) == "[-5000000000]\n");
    CHECK(printed<std::uint64_t>(UNSIGNED_LONGLONG, {1}, {~std::uint64_t{0}}) ==
          "[18446744073709551615]\n");
    CHECK(printed<std::uint16_t>(UNSIGNED_SHORT, {1}, {65535}) == "[65535]\n");
    CHECK(printed<std::int16_t>(SHORT, {1}, {-2}) == "[-2]\n");
    CHECK(printed<unsigned>(UNSIGNED_INT, {1}, {4000000000u}) == "[4000000000]\n");
  }

  TEST_CASE("prints come in program order, once a turn, for any expression") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {1}, "x");
      Tensor const c = graph.addConstant<int>(INT, {}, 9);
      graph.setTileMapping(c, 0);
      Sequence turn({countUp(graph, x, 1), PrintTensor("x", concat(x, c.reshape({1})))});
      Engine engine(graph, Sequence({Repeat(2, turn), PrintTensor("c", c)}));
      std::ostringstream out;
      engine.setPrintTensorStream(out);
      engine.loadAndRun(device);
      CHECK(out.str() == "x: [1 9]\nx: [2 9]\nc: 9\n");
    });
  }
}
