// Every kind of field of compiled codelets reaches its own data.
#include "Popc.hpp"

#include <poplar/exceptions.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

using namespace poplar;
using namespace popc;

namespace fields_test {

/// Element types with the names that they have as template arguments.
std::vector<Type> numberTypes() {
  return {FLOAT,          HALF, CHAR,         SIGNED_CHAR, UNSIGNED_CHAR,    SHORT,
          UNSIGNED_SHORT, INT,  UNSIGNED_INT, LONGLONG,    UNSIGNED_LONGLONG};
}

std::string layout(std::string const &name) { return "poplar::VectorLayout::" + name; }
std::string listLayout(std::string const &name) { return "poplar::VectorListLayout::" + name; }

std::vector<std::string> const layouts = {"SPAN",         "SHORT_SPAN",   "ONE_PTR",
                                          "SCALED_PTR32", "SCALED_PTR64", "SCALED_PTR128",
                                          "COMPACT_PTR"};

void checkVectors(Device const &device, Type const &type, std::string const &layoutName,
                  unsigned n) {
  Trial trial(device, "vectors.cpp");
  Numbers in, both, expected;
  for (unsigned i = 0; i != n; ++i) {
    in.push_back(i + 1);
    both.push_back(3 * i);
    expected.push_back(n - i + 6 * i);
  }
  // Reversed, so that the data are gathered and scattered.
  Tensor const a = trial.variable(type, Numbers(in.rbegin(), in.rend())),
               b = trial.variable(type, both);
  Tensor const out = trial.zeros(type, n), misaligned = trial.variable(UNSIGNED_INT, {7});
  trial.vertex(
      "Vectors<" + type.toString() + "," + layout(layoutName) + ">",
      {{"in", a.reverse(0)}, {"both", b}, {"out", out}, {"n", n}, {"misaligned", misaligned[0]}},
      1);
  trial.run();
  CHECK(trial.read(out) == expected);
  CHECK(trial.read(b) == in);
  CHECK(trial.read(misaligned) == Numbers{0});
}

void checkRows(Device const &device, Type const &type, std::string const &outer,
               std::string const &inner) {
  Trial trial(device, "nested.cpp");
  std::vector<Interval> const cuts = {{0, 3}, {3, 4}, {4, 4}, {4, 9}};
  Numbers in, both, expectedOut, expectedBoth;
  for (unsigned i = 0; i != cuts.size(); ++i)
    for (std::size_t j = cuts[i].begin(); j != cuts[i].end(); ++j) {
      in.push_back(static_cast<double>(j));
      both.push_back(static_cast<double>(40 + j));
      expectedOut.push_back(10 * i + in.back() + both.back());
      expectedBoth.push_back(both.back() + static_cast<double>(cuts[i].size()));
    }
  Tensor const a = trial.variable(type, in), b = trial.variable(type, both),
               out = trial.zeros(type, 9);
  trial.vertex("Rows<" + type.toString() + "," + layout(outer) + "," + layout(inner) + ">",
               {{"in", a.slices(cuts)}, {"out", out.slices(cuts)}, {"both", b.slices(cuts)}}, 2);
  trial.run();
  CHECK(trial.read(out) == expectedOut);
  CHECK(trial.read(b) == expectedBoth);
}

void checkLists(Device const &device, Type const &type, std::string const &layoutName) {
  Trial trial(device, "lists.cpp");
  std::vector<Interval> const cuts = {{0, 2}, {2, 3}, {3, 7}};
  Tensor const in = trial.variable(type, {1, 2, 3, 4, 5, 6, 7}), out = trial.zeros(type, 7);
  Tensor const both = trial.variable(type, {50, 60, 70}), sizes = trial.zeros(UNSIGNED_INT, 2);
  trial.vertex("Lists<" + type.toString() + "," + listLayout(layoutName) + ">",
               {{"in", in.slices(cuts)},
                {"out", out.slices(cuts)},
                {"both", both.reshape({3, 1})},
                {"sizes", sizes}},
               3);
  trial.run();
  CHECK(trial.read(out) == Numbers{51, 52, 73, 94, 95, 96, 97});
  CHECK(trial.read(both) == Numbers{2, 1, 4});
  CHECK(trial.read(sizes) == Numbers{3, 7});
}

} // namespace fields_test

using namespace fields_test;

TEST_SUITE("popc/fields") {
  TEST_CASE("compiled codelets say what their fields ask of a tile's memory") {
    onDevices([](Device const &device) {
      Trial trial(device, "vectors.cpp");
      trial.add("lists.cpp");
      auto const check = [&](char const *type, char const *name, unsigned align, bool interleaved) {
        CAPTURE(type);
        CAPTURE(name);
        auto const *const codelet =
            cottonwood::graph::HandleAccess::data(trial.graph)->findCodelet(type);
        REQUIRE(codelet);
        int const index = codelet->findField(name);
        REQUIRE(index >= 0);
        auto const &field = codelet->fields[static_cast<unsigned>(index)];
        CHECK(field.minAlign == align);
        CHECK(field.interleaved == interleaved);
      };
      char const *const vectors = "Vectors<float,poplar::VectorLayout::ONE_PTR>";
      check(vectors, "in", 4, false);
      check(vectors, "both", 8, false);
      check(vectors, "out", 16, true);
      check(vectors, "n", 4, false);
      char const *const lists = "Lists<float,poplar::VectorListLayout::DELTAN>";
      check(lists, "in", 4, false);
      check(lists, "out", 8, false);
      check(lists, "both", 4, true);
    });
  }

  TEST_CASE("scalars of every number type are read and written") {
    onDevices([](Device const &device) {
      for (Type const &type : numberTypes()) {
        INFO(type);
        Trial trial(device, "scalars.cpp");
        Tensor const a = trial.variable(type, {20}), b = trial.variable(type, {73}),
                     out = trial.zeros(type, 1);
        trial.vertex("Scalars<" + type.toString() + ">",
                     {{"a", a[0]}, {"b", b[0]}, {"out", out[0]}}, 1);
        trial.run();
        CHECK(trial.read(out) == Numbers{113});
        CHECK(trial.read(b) == Numbers{53});
        CHECK(trial.read(a) == Numbers{20});
      }
    });
  }

  TEST_CASE("scalars wider than 32 bits keep their bits") {
    onDevices([](Device const &device) {
      Trial trial(device, "scalars.cpp");
      double const wide = 1099511627776.0; // 2^40
      Tensor const a = trial.variable(LONGLONG, {-wide}), b = trial.variable(LONGLONG, {5});
      Tensor const out = trial.zeros(LONGLONG, 1);
      trial.vertex("Scalars<long long>", {{"a", a[0]}, {"b", b[0]}, {"out", out[0]}});
      trial.run();
      CHECK(trial.read(out) == Numbers{5 - 2 * wide});
      CHECK(trial.read(b) == Numbers{5 + wide});
    });
  }

  TEST_CASE("flags are read and written") {
    onDevices([](Device const &device) {
      for (bool const a : {false, true})
        for (bool const b : {false, true}) {
          Trial trial(device, "scalars.cpp");
          Tensor const first = trial.variable(BOOL, {double(a)}),
                       second = trial.variable(BOOL, {double(b)});
          Tensor const out = trial.zeros(BOOL, 1);
          trial.vertex("Flags", {{"a", first[0]}, {"b", second[0]}, {"conjunction", out[0]}});
          trial.run();
          CHECK(trial.read(out) == Numbers{double(a && b)});
          CHECK(trial.read(second) == Numbers{double(!a)});
        }
    });
  }

  TEST_CASE("fields of different sizes do not get into each other's way") {
    onDevices([](Device const &device) {
      Trial trial(device, "scalars.cpp");
      Tensor const byte = trial.variable(UNSIGNED_CHAR, {1}), number = trial.variable(FLOAT, {2});
      Tensor const small = trial.variable(HALF, {3}), wide = trial.variable(LONGLONG, {4});
      Tensor const byteOut = trial.zeros(UNSIGNED_CHAR, 1), numberOut = trial.zeros(FLOAT, 1);
      Tensor const halfOut = trial.zeros(HALF, 1), wideOut = trial.zeros(LONGLONG, 1);
      trial.vertex("Mixed", {{"wideOut", wideOut[0]},
                             {"byte", byte[0]},
                             {"number", number[0]},
                             {"small", small[0]},
                             {"wide", wide[0]},
                             {"byteOut", byteOut[0]},
                             {"numberOut", numberOut[0]},
                             {"halfOut", halfOut[0]}});
      trial.run();
      CHECK(trial.read(byteOut) == Numbers{2});
      CHECK(trial.read(numberOut) == Numbers{3});
      CHECK(trial.read(halfOut) == Numbers{4});
      CHECK(trial.read(wideOut) == Numbers{5});
    });
  }

  TEST_CASE("vectors of every element type") {
    onDevices([](Device const &device) {
      for (Type const &type : numberTypes()) {
        INFO(type);
        checkVectors(device, type, "SPAN", 9);
      }
    });
  }

  TEST_CASE("vectors of every layout, of floats and halves") {
    onDevices([](Device const &device) {
      for (std::string const &name : layouts) {
        INFO(name);
        checkVectors(device, FLOAT, name, 13);
        checkVectors(device, HALF, name, 11);
      }
    });
  }

  TEST_CASE("vectors of flags, and an empty one") {
    onDevices([](Device const &device) {
      for (Numbers const &values : {Numbers{1, 0, 0, 1, 1}, Numbers{}}) {
        Trial trial(device, "vectors.cpp");
        Tensor const in = trial.variable(BOOL, values), out = trial.zeros(BOOL, values.size());
        Tensor const size = trial.variable(UNSIGNED_INT, {99});
        trial.vertex("NotAll", {{"in", in}, {"out", out}, {"size", size[0]}});
        trial.run();
        Numbers expected;
        for (double value : values)
          expected.push_back(1 - value);
        CHECK(trial.read(out) == expected);
        CHECK(trial.read(size) == Numbers{double(values.size())});
      }
    });
  }

  TEST_CASE("vectors are walked backwards, and empty ones have an address to take") {
    onDevices([](Device const &device) {
      Trial trial(device, "vectors.cpp");
      Tensor const in = trial.variable(INT, {1, 2, 3}), out = trial.zeros(INT, 3),
                   none = trial.variable(INT, {});
      Tensor const numNone = trial.variable(INT, {5});
      trial.vertex("Walks", {{"in", in}, {"none", none}, {"out", out}, {"numNone", numNone[0]}});
      trial.run();
      CHECK(trial.read(out) == Numbers{3, 2, 1});
      CHECK(trial.read(numNone) == Numbers{0});
    });
  }

  TEST_CASE("a vertex may return false without an error") {
    onDevices([](Device const &device) {
      Trial trial(device, "vectors.cpp");
      Tensor const in = trial.variable(BOOL, {1, 0}), out = trial.zeros(BOOL, 3);
      Tensor const size = trial.variable(UNSIGNED_INT, {99});
      trial.vertex("NotAll", {{"in", in}, {"out", out}, {"size", size[0]}});
      trial.run();
      CHECK(trial.read(size) == Numbers{99});
    });
  }

  TEST_CASE("rows of different lengths in every pair of layouts") {
    onDevices([](Device const &device) {
      std::pair<char const *, char const *> const pairs[] = {{"SPAN", "SPAN"},
                                                             {"SPAN", "ONE_PTR"},
                                                             {"SPAN", "SHORT_SPAN"},
                                                             {"ONE_PTR", "SPAN"},
                                                             {"ONE_PTR", "ONE_PTR"},
                                                             {"SHORT_SPAN", "COMPACT_PTR"},
                                                             {"SCALED_PTR32", "SCALED_PTR64"},
                                                             {"COMPACT_PTR", "SCALED_PTR128"}};
      for (auto const &[outer, inner] : pairs) {
        INFO(outer, " of ", inner);
        checkRows(device, FLOAT, outer, inner);
      }
      checkRows(device, HALF, "SPAN", "ONE_PTR");
      checkRows(device, INT, "ONE_PTR", "SPAN");
      checkRows(device, UNSIGNED_CHAR, "SPAN", "SPAN");
    });
  }

  TEST_CASE("elements are connected one by one") {
    onDevices([](Device const &device) {
      for (Type const &type : {FLOAT, HALF, UNSIGNED_INT}) {
        INFO(type);
        Trial trial(device, "nested.cpp");
        Tensor const in = trial.variable(type, {5, 6, 7, 8}), sums = trial.zeros(type, 4);
        Tensor const weights = trial.variable(INT, {1, 2, 3, 4}), flags = trial.zeros(BOOL, 4);
        VertexRef const v = trial.vertex("Elements<" + type.toString() + ">", {});
        for (char const *field : {"in", "sums", "weights", "flags"})
          trial.graph.setFieldSize(v[field], 4);
        for (unsigned i = 0; i != 4; ++i) {
          trial.graph.connect(v["in"][i], in[3 - i]);
          trial.graph.connect(v["sums"][i], sums[i]);
          trial.graph.connect(v["weights"][i], weights[i]);
          trial.graph.connect(v["flags"][i], flags[i]);
        }
        trial.run();
        CHECK(trial.read(sums) == Numbers{8, 7 + 2, 6 + 6, 5 + 12});
        CHECK(trial.read(weights) == Numbers{2, 3, 4, 5});
        CHECK(trial.read(flags) == Numbers{1, 0, 1, 0});
      }
    });
  }

  TEST_CASE("loops go over rows and their elements") {
    onDevices([](Device const &device) {
      Trial trial(device, "nested.cpp");
      Tensor const in = trial.variable(INT, {1, 2, 3, 4, 5}),
                   out = trial.variable(INT, {10, 20, 30});
      Tensor const total = trial.zeros(INT, 1);
      trial.vertex("Ranges", {{"in", in.slices(std::vector<Interval>{{0, 2}, {3, 5}})},
                              {"out", out.slices(std::vector<Interval>{{0, 1}, {1, 3}})},
                              {"total", total[0]}});
      trial.run();
      CHECK(trial.read(out) == Numbers{22, 32, 42});
      CHECK(trial.read(total) == Numbers{12});
    });
  }

  TEST_CASE("lists of every layout") {
    onDevices([](Device const &device) {
      for (char const *name : {"ONE_PTR", "SCALED_PTR32", "SCALED_PTR64", "SCALED_PTR128", "DELTAN",
                               "DELTANELEMENTS", "COMPACT_DELTAN"}) {
        INFO(name);
        checkLists(device, FLOAT, name);
      }
      checkLists(device, HALF, "DELTAN");
      checkLists(device, UNSIGNED_SHORT, "DELTANELEMENTS");
      checkLists(device, INT, "COMPACT_DELTAN");
    });
  }

  TEST_CASE("state of every type has its own place") {
    onDevices([](Device const &device) {
      Trial trial(device, "state.cpp");
      Tensor const out = trial.zeros(FLOAT, 15);
      VertexRef const v = trial.vertex("PlainState", {{"out", out}});
      Graph &graph = trial.graph;
      graph.setInitialValue(v["count"], 65535);
      graph.setInitialValue(v["flag"], true);
      graph.setInitialValue(v["factor"], 0.25f);
      graph.setInitialValue(v["small"], 1.5f);
      graph.setInitialValue(v["letter"], 65);
      graph.setInitialValue(v["negative"], -100);
      graph.setInitialValue(v["byte"], 200);
      graph.setInitialValue(v["narrow"], -30000);
      graph.setInitialValue(v["number"], -1000000);
      graph.setInitialValue(v["positive"], 3000000000u);
      graph.setInitialValue(v["wide"], -1099511627776ll);
      graph.setInitialValue(v["widest"], 2199023255552ull);
      graph.setInitialValue(v["size"], 4398046511104ull);
      graph.setInitialValue(v["mode"], 7);
      graph.setInitialValue(v["unscoped"], 300);
      trial.run();
      CHECK(trial.read(out) == Numbers{65535, 1, 0.25, 1.5, 65, -100, 200, -30000, -1000000,
                                       3000000000.0, -1099511627776.0, 2199023255552.0,
                                       4398046511104.0, 1, 1});
    });
  }

  TEST_CASE("state that is not set is as its class initialises it") {
    onDevices([](Device const &device) {
      Trial trial(device, "state.cpp");
      Tensor const out = trial.zeros(FLOAT, 5), other = trial.zeros(FLOAT, 5);
      trial.vertex("InitialisedState<3>", {{"out", out}});
      VertexRef const v = trial.vertex("InitialisedState<3>", {{"out", other}});
      trial.graph.setInitialValue(v["factor"], 0);
      trial.graph.setInitialValue(v["taps"], std::vector<int>{0, 9});
      trial.run();
      CHECK(trial.read(out) == Numbers{1.5, 1.5, 1, -3, 4});
      CHECK(trial.read(other) == Numbers{0, 1.5, 1, 0, 9});
    });
  }

  TEST_CASE("state that is too large for its field is an error") {
    Device const device = Device::createCPUDevice();
    Trial trial(device, "state.cpp");
    VertexRef const v = trial.vertex("PlainState", {});
    CHECK_THROWS_AS(trial.graph.setInitialValue(v["count"], 65536), overflow_error);
    CHECK_THROWS_AS(trial.graph.setInitialValue(v["negative"], 200), overflow_error);
    CHECK_THROWS_AS(v["none"], unknown_field);
  }

  TEST_CASE("tables of state in every layout") {
    onDevices([](Device const &device) {
      for (std::string const &name : layouts) {
        INFO(name);
        Trial trial(device, "state.cpp");
        Tensor const out = trial.zeros(FLOAT, 3);
        VertexRef const v =
            trial.vertex("TableState<unsigned int," + layout(name) + ">", {{"out", out}});
        trial.graph.setInitialValue(v["table"], std::vector<unsigned>{1, 2, 300000});
        trial.graph.setInitialValue(v["other"], std::vector<unsigned>{4, 5, 6});
        trial.run();
        CHECK(trial.read(out) == Numbers{14, 25, 3000006});
      }
    });
  }

  TEST_CASE("tables of state of several types") {
    onDevices([](Device const &device) {
      for (std::string const &name :
           {"half," + layout("ONE_PTR"), "float," + layout("SPAN"), "signed char," + layout("SPAN"),
            "long long," + layout("ONE_PTR")}) {
        INFO(name);
        Trial trial(device, "state.cpp");
        Tensor const out = trial.zeros(FLOAT, 4);
        VertexRef const v = trial.vertex("TableState<" + name + ">", {{"out", out}});
        trial.graph.setInitialValue(v["table"], std::vector<int>{1, -2, 3, 4});
        trial.graph.setInitialValue(v["other"], std::vector<int>{9, 8, -7, 6});
        trial.run();
        CHECK(trial.read(out) == Numbers{19, -12, 23, 46});
      }
      Trial trial(device, "state.cpp");
      Tensor const out = trial.zeros(FLOAT, 2);
      VertexRef const v = trial.vertex("TableState<bool," + layout("SPAN") + ">", {{"out", out}});
      trial.graph.setInitialValue(v["table"], {true, false});
      trial.graph.setInitialValue(v["other"], {true, true});
      trial.run();
      CHECK(trial.read(out) == Numbers{11, 1});
    });
  }

  TEST_CASE("arrays and short vectors are state") {
    onDevices([](Device const &device) {
      Trial trial(device, "state.cpp");
      Tensor const out = trial.zeros(FLOAT, 23);
      VertexRef const v = trial.vertex("ArrayState", {{"out", out}});
      Graph &graph = trial.graph;
      graph.setInitialValue(v["taps"], std::vector<int>{-1, 2, -3});
      graph.setInitialValue(v["weights"], std::vector<float>{0.5f, 0.25f});
      graph.setInitialValue(v["flags"], {false, true});
      graph.setInitialValue(v["table"], std::vector<float>{5, 6, 7, 8});
      graph.setInitialValue(v["pair"], std::vector<float>{9, 10});
      graph.setInitialValue(v["quad"], std::vector<float>{11, 12, 13, 14});
      graph.setInitialValue(v["modes"], std::vector<int>{7, 0});
      graph.setInitialValue(v["unaligned"], std::vector<float>{1, 2, 3, 4});
      trial.run();
      CHECK(trial.read(out) == Numbers{-1, 2,  -3, 0.5, 0.25, 0, 1, 5, 6, 7, 8, 9,
                                       10, 11, 12, 13,  14,   1, 0, 2, 4, 6, 8});
      trial.run();
      CHECK(trial.read(out).back() == 16);
    });
  }

  TEST_CASE("edges hold short vectors") {
    onDevices([](Device const &device) {
      Trial trial(device, "vector_math.cpp");
      Tensor const x = trial.variable(FLOAT, {1, -2, -3, 4, 5, 6}), y = trial.zeros(FLOAT, 6);
      Tensor const scale = trial.variable(FLOAT, {10, 100}), z = trial.variable(INT, Numbers(6, 7));
      Tensor const quads = trial.variable(HALF, {1, 2, 3, 4, 5, 6, 7, 8}),
                   rows = trial.variable(HALF, {1, 2, 3, 4, 5, 6});
      VertexRef const v =
          trial.vertex("VectorEdges",
                       {{"x", x},
                        {"y", y},
                        {"scale", scale},
                        {"z", z},
                        {"quads", quads},
                        {"rows", rows.slices(std::vector<Interval>{{0, 2}, {2, 6}})}},
                       2);
      trial.graph.setInitialValue(v["table"], std::vector<float>{1, 2, 3, 4});
      trial.run();
      CHECK(trial.read(y) == Numbers{11, -198, -27, 404, 51, 602});
      CHECK(trial.read(z) == Numbers{0, -1, -1, 0, 0, 0});
      CHECK(trial.read(quads) == Numbers{1, 2, 3, 12, 5, 6, 7, 16});
    });
  }

  TEST_CASE("state starts as zero and is kept from run to run") {
    onDevices([](Device const &device) {
      Trial trial(device, "state.cpp");
      Tensor const out = trial.zeros(FLOAT, 7);
      VertexRef const v = trial.vertex("KeptState", {{"out", out}});
      trial.graph.setInitialValue(v["step"], 10);
      trial.run();
      CHECK(trial.read(out) == Numbers{1, 10, 0, 0, 2, 4, 4});
      trial.run();
      trial.run();
      trial.run();
      CHECK(trial.read(out) == Numbers{4, 40, 30, 20, 8, 16, 16});
    });
  }

  TEST_CASE("data of another type than the field's are an error") {
    Device const device = Device::createCPUDevice();
    Trial trial(device, "scalars.cpp");
    VertexRef const v = trial.vertex("Scalars<half>", {});
    Tensor const t = trial.zeros(FLOAT, 1);
    CHECK_THROWS_AS(trial.graph.connect(v["a"], t[0]), poplar_error);
    CHECK_THROWS_AS(trial.graph.connect(v["c"], t[0]), unknown_field);
  }
}
