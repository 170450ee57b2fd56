// The text of PrintTensor.
#include "Conformance.hpp"

#include <limits>
#include <poplar/PrintTensor.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

namespace {

/// What a program prints.
std::string printed(Graph const &graph, Device const &device, Program const &program) {
  Engine engine(graph, program);
  std::ostringstream stream;
  engine.setPrintStream(stream);
  engine.loadAndRun(device);
  return stream.str();
}

template <class T>
std::string textOf(Type const &type, std::vector<std::size_t> const &shape,
                   std::vector<T> const &values, PrintTensorFmt const &fmt = PrintTensorFmt()) {
  Device const device = Device::createCPUDevice();
  Graph graph(device);
  return printed(graph, device, PrintTensor("t", constant<T>(graph, type, shape, values), fmt));
}

} // namespace

TEST_SUITE("conformance/printing") {
  TEST_CASE("vectors and matrices of floats") {
    CHECK(textOf<float>(FLOAT, {4}, {0, 0, 0, 0}) ==
          "t: [0.0000000 0.0000000 0.0000000 0.0000000]\n");
    CHECK(textOf<float>(FLOAT, {4}, {7, 6, 4.5f, 2.5f}) ==
          "t: [7.0000000 6.0000000 4.5000000 2.5000000]\n");
    CHECK(textOf<float>(FLOAT, {2, 2}, {5, 4.5f, 4, 3.5f}) ==
          "t: [\n [5.0000000 4.5000000]\n [4.0000000 3.5000000]\n]\n");
    CHECK(textOf<float>(FLOAT, {1, 2, 1}, {1, 2}) ==
          "t: [\n [\n  [1.0000000]\n  [2.0000000]\n ]\n]\n");
    CHECK(textOf<float>(HALF, {2}, {1, 1.5f}) == "t: [1.0000000 1.5000000]\n");
    CHECK(textOf<float>(FLOAT, {0}, {}) == "t: []\n");
    CHECK(textOf<float>(FLOAT, {}, {1}).find("[") == std::string::npos);
  }

  TEST_CASE("integers and truth values") {
    CHECK(textOf<int>(INT, {10}, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}) ==
          "t: [10 11 12 13 14 15 16 17 18 19]\n");
    CHECK(textOf<int>(INT, {3}, {-1, 20, 300}) == "t: [ -1  20 300]\n");
    CHECK(textOf<unsigned>(UNSIGNED_INT, {1}, {4000000000u}) == "t: [4000000000]\n");
    CHECK(textOf<int>(BOOL, {2}, {1, 0}) == "t: [1 0]\n");
    CHECK(textOf<int>(UNSIGNED_CHAR, {2}, {65, 66}) == "t: [65 66]\n");
  }

  TEST_CASE("digits, brackets, separators and line widths") {
    using Format = PrintTensorFmt::FloatFormat;
    std::vector<float> const values = {1.4962566f, 1.7682219f, 1.0884774f, 1.1320305f};
    CHECK(textOf<float>(FLOAT, {2, 2}, values,
                        PrintTensorFmt(1000, 3, 75, 8, Format::Auto, ' ', '{', '}')) ==
          "t: {\n {1.4962566 1.7682219}\n {1.0884774 1.1320305}\n}\n");
    CHECK(textOf<float>(FLOAT, {2, 2}, values,
                        PrintTensorFmt(500, 2, 15, 8, Format::Scientific, ',')) ==
          "t: [\n [1.4962566e+00,\n   1.7682219e+00]\n [1.0884774e+00,\n   1.1320305e+00]\n]\n");
    CHECK(textOf<float>(FLOAT, {2, 2}, values,
                        PrintTensorFmt(1000, 3, 125, 8, Format::Fixed, ';', '(', ')')) ==
          "t: (\n (1.4962566;1.7682219)\n (1.0884774;1.1320305)\n)\n");
    CHECK(textOf<float>(FLOAT, {4}, {2, 2, 4, 4}, PrintTensorFmt(1000, 3, 75, 2)) ==
          "t: [2.0 2.0 4.0 4.0]\n");
    CHECK(textOf<float>(FLOAT, {2}, {12.5f, -1}) == "t: [12.500000 -1.000000]\n");
    CHECK(textOf<float>(FLOAT, {2}, {1e20f, 1}).find("e+20") != std::string::npos);
    CHECK(textOf<float>(FLOAT, {3}, {0.5f, 100, -3}, PrintTensorFmt::disableFormatting()) ==
          "t: [0.5 100 -3]\n");
    CHECK(static_cast<int>(Format::None) == 3);
  }

  TEST_CASE("infinities and NaN are words") {
    float const inf = std::numeric_limits<float>::infinity();
    std::string const text =
        textOf<float>(FLOAT, {3}, {inf, -inf, std::numeric_limits<float>::quiet_NaN()});
    CHECK(text.find("inf") != std::string::npos);
    CHECK(text.find("-inf") != std::string::npos);
    CHECK(text.find("nan") != std::string::npos);
  }

  TEST_CASE("large tensors show their ends") {
    std::vector<int> const values = counting(10);
    CHECK(textOf<int>(INT, {10}, values, PrintTensorFmt(9, 2)) == "t: [0 1 ... 8 9]\n");
    CHECK(textOf<int>(INT, {10}, values, PrintTensorFmt(10, 2)) == "t: [0 1 2 3 4 5 6 7 8 9]\n");
    std::string const rows = textOf<int>(INT, {5, 2}, values, PrintTensorFmt(9, 1));
    CHECK(rows.find("[0 1]") != std::string::npos);
    CHECK(rows.find("...") != std::string::npos);
    CHECK(rows.find("[4 5]") == std::string::npos);
  }

  TEST_CASE("prints come in program order, for every turn, of any view") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const t = graph.addVariable(INT, {2, 2}, VariableMappingMethod::LINEAR, "t");
      graph.setInitialValue<int>(t, {1, 2, 3, 4});
      Sequence const turn{PrintTensor("turn", t.transpose()[0], DebugContext("name")),
                          PrintTensor(t[0])};
      CHECK(printed(graph, device, Sequence{Repeat(2, turn), PrintTensor("\nend", t[1][1])}) ==
            "turn: [1 3]\n[1 2]\nturn: [1 3]\n[1 2]\n\nend: 4\n");
    });
  }
}
