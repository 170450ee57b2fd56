// Shapes that codelets in the wild have, by the numbers of the list of idioms (D1 ...): they
// compile, and compute what they say.
#include "Popc.hpp"

#include <cmath>
#include <limits>
#include <poplar/MetadataCreation.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>
#include <set>

using namespace poplar;
using namespace popc;

namespace idioms_test {

/// Runs a vertex a -> out of one element each.
double oneToOne(Device const &device, std::string const &file, std::string const &name, double a,
                Type const &type = INT) {
  Trial trial(device, file);
  Tensor const in = trial.variable(type, {a}), out = trial.zeros(type, 1);
  trial.vertex(name, {{"a", in[0]}, {"out", out[0]}}, 1);
  trial.run();
  return trial.read(out)[0];
}

/// Runs a vertex x -> y of vectors.
Numbers vectorToVector(Device const &device, std::string const &file, std::string const &name,
                       Type const &type, Numbers const &x, std::size_t n) {
  Trial trial(device, file);
  Tensor const in = trial.variable(type, x), out = trial.zeros(type, n);
  trial.vertex(name, {{"x", in}, {"y", out}}, 1);
  trial.run();
  return trial.read(out);
}

// Flags that contract, where the processor has an instruction for it.
#ifdef __x86_64__
constexpr char const *CONTRACT = "-ffp-contract=fast -mfma";
bool hasFma() { return __builtin_cpu_supports("fma"); }
#else
constexpr char const *CONTRACT = "-ffp-contract=fast";
bool hasFma() { return true; }
#endif

double rounded(double value) { return static_cast<double>(half(value)); }

} // namespace idioms_test

using namespace idioms_test;

TEST_SUITE("popc/idioms") {
  TEST_CASE("D1 to D3: sums over edges, by index and by range") {
    onDevices([](Device const &device) {
      {
        Trial trial(device, "idioms.cpp");
        Tensor const x = trial.variable(FLOAT, {1, 2, 3.5}), sum = trial.zeros(FLOAT, 1);
        trial.vertex("D1", {{"x", x}, {"sum", sum[0]}});
        trial.run();
        CHECK(trial.read(sum) == Numbers{6.5});
      }
      Trial trial(device, "idioms.cpp");
      Tensor const in = trial.variable(FLOAT, {1, 2, 3.5}), out = trial.zeros(FLOAT, 2);
      trial.vertex("D3", {{"in", in}, {"out", out}});
      trial.run();
      CHECK(trial.read(out) == Numbers{19.5, 19.5});
    });
  }

  TEST_CASE("D4, D5, D41: workers share a vector") {
    onDevices([](Device const &device) {
      for (Type const &type : {INT, FLOAT}) {
        Trial trial(device, "idioms.cpp");
        Tensor const x = trial.zeros(type, 8), strides = trial.zeros(UNSIGNED_INT, 6);
        trial.vertex("D4<" + type.toString() + ">", {{"x", x}, {"strides", strides}});
        trial.run();
        CHECK(trial.read(x) == Numbers{2, 2, 2, 2, 2, 3, 2, 2});
        CHECK(trial.read(strides) == Numbers(6, 48));
      }
    });
  }

  TEST_CASE("D7 to D10, D13: constants for layouts, addresses of elements, counters") {
    onDevices([](Device const &device) {
      for (Type const &type : {FLOAT, HALF}) {
        Trial trial(device, "idioms.cpp");
        Tensor const a = trial.variable(type, {1, 2, 3}), out = trial.zeros(type, 3);
        Tensor const k = trial.variable(UNSIGNED_INT, {5}), same = trial.zeros(FLOAT, 1);
        trial.vertex("D9<" + type.toString() + ">",
                     {{"a", a}, {"out", out}, {"n", 3u}, {"k", k[0]}, {"same", same[0]}});
        trial.run();
        CHECK(trial.read(out) == Numbers{1, 2, 3});
        CHECK(trial.read(k) == Numbers{1}); // 6, then 7 % 7, then ++
        CHECK(trial.read(same) == Numbers{1});
      }
    });
  }

  TEST_CASE("D11, D12: rows without a size") {
    onDevices([](Device const &device) {
      Trial trial(device, "idioms.cpp");
      std::vector<Interval> const cuts = {{0, 2}, {2, 5}};
      Tensor const in = trial.variable(FLOAT, {1, 2, 3, 4, 5}), out = trial.zeros(FLOAT, 5);
      trial.vertex("D11", {{"in", in.slices(cuts)}, {"out", out.slices(cuts)}});
      trial.run();
      CHECK(trial.read(out) == Numbers{2, 3, 4, 5, 6});
    });
  }

  TEST_CASE("D13b, D14: an edge as a pointer, a flag, and false as a result") {
    onDevices([](Device const &device) {
      for (unsigned const n : {2, 3}) {
        Trial trial(device, "idioms.cpp");
        Tensor const x = trial.variable(FLOAT, {7, 8}), y = trial.zeros(FLOAT, n),
                     flag = trial.zeros(BOOL, 1);
        trial.vertex("D13b", {{"x", x}, {"y", y}, {"flag", flag[0]}});
        trial.run();
        CHECK(trial.read(flag) == Numbers{n == 2 ? 1.0 : 0.0});
        CHECK(trial.read(y)[0] == (n == 2 ? 7 : 0));
      }
    });
  }

  TEST_CASE("D13c: vectors of scalar edges are assigned to") {
    onDevices([](Device const &device) {
      Trial trial(device, "idioms.cpp");
      Tensor const s = trial.zeros(INT, 2), in = trial.variable(FLOAT, {4, 5});
      VertexRef const v = trial.vertex("D13c", {});
      for (char const *field : {"s", "in"})
        trial.graph.setFieldSize(v[field], 2);
      for (unsigned i = 0; i != 2; ++i) {
        trial.graph.connect(v["s"][i], s[i]);
        trial.graph.connect(v["in"][i], in[i]);
      }
      trial.run();
      CHECK(trial.read(s) == Numbers{3, 5});
    });
  }

  TEST_CASE("D15, D16: constant state, and a constructor that is never defined") {
    onDevices([](Device const &device) {
      Trial trial(device, "idioms.cpp");
      Tensor const out = trial.zeros(UNSIGNED_INT, 1);
      VertexRef const v = trial.vertex("D15", {{"out", out[0]}});
      trial.graph.setInitialValue(v["count"], 4000000000u);
      trial.graph.setInitialValue(v["n"], 9);
      trial.run();
      CHECK(trial.read(out) == Numbers{4000000009.0});
    });
  }

  TEST_CASE("D23, D24: attributes and macros before the name of a class") {
    onDevices([](Device const &device) {
      CHECK(vectorToVector(device, "idioms.cpp", "D23", FLOAT, {1}, 1) == Numbers{24});
      CHECK(vectorToVector(device, "idioms.cpp", "D23Private", FLOAT, {1}, 1) == Numbers{-22});
      {
        Trial trial(device, "idioms.cpp");
        Tensor const x = trial.variable(HALF, {1, 2, 3}), y = trial.zeros(HALF, 1),
                     z = trial.zeros(HALF, 1);
        trial.vertex("D23T<half>",
                     {{"x", x.slices(std::vector<Interval>{{0, 2}, {2, 3}})}, {"y", y}, {"z", z}});
        trial.run();
        CHECK(trial.read(y) == Numbers{1});
        CHECK(trial.read(z) == Numbers{3});
      }
      Trial trial(device, "idioms.cpp");
      Tensor const out = trial.zeros(INT, 1);
      trial.vertex("D24", {{"out", out[0]}});
      trial.run();
      CHECK(trial.read(out) == Numbers{24});
    });
  }

  TEST_CASE("D25: functions of supervisors and workers") {
    onDevices([](Device const &device) {
      CHECK(oneToOne(device, "compilers.cpp", "D25", 100) == 125);
      CHECK(oneToOne(device, "compilers.cpp", "D25After", 100) == 126);
      CHECK(oneToOne(device, "compilers.cpp", "D25Macro", 100) == 127);
    });
  }

  TEST_CASE("D26, D42, D43: attributes, hints and pragmas of compilers") {
    onDevices([](Device const &device) {
      CHECK(oneToOne(device, "compilers.cpp", "D26", 10, UNSIGNED_INT) == 19);
      {
        Trial trial(device, "compilers.cpp");
        Tensor const x = trial.variable(INT, {1, 2, 3, 4}), out = trial.zeros(INT, 1);
        trial.vertex("D42", {{"x", x}, {"n", 3u}, {"out", out[0]}});
        trial.run();
        CHECK(trial.read(out) == Numbers{18});
      }
      CHECK(vectorToVector(device, "compilers.cpp", "D43<float>", FLOAT, {1, 2}, 2) ==
            Numbers{2, 1});
      {
        Trial trial(device, "compilers.cpp");
        Tensor const k = trial.variable(UNSIGNED_INT, {3});
        trial.vertex("Assumes<4>", {{"k", k[0]}});
        trial.run();
        CHECK(trial.read(k) == Numbers{7});
      }
      Trial trial(device, "compilers.cpp");
      Tensor const out = trial.zeros(FLOAT, 5);
      trial.vertex("Attributes", {{"out", out}});
      trial.run();
      CHECK(trial.read(out) == Numbers{1, 4, 9, 16, 6});
    });
  }

  TEST_CASE("D27: halves are stored as halves and computed as floats") {
    onDevices([](Device const &device) {
      Trial trial(device, "halves.cpp");
      Tensor const a = trial.variable(HALF, {1, 2048, 3, 0.5}),
                   b = trial.variable(HALF, {4, 1, 6, 0.25});
      Tensor const out = trial.zeros(HALF, 4), acc = trial.zeros(FLOAT, 1),
                   f = trial.variable(FLOAT, {1.1});
      trial.vertex("D27", {{"a", a}, {"b", b}, {"out", out}, {"acc", acc[0]}, {"f", f[0]}});
      trial.run();
      double const h = rounded(double(1.1f));
      double const twice = rounded(2 * h), threefold = rounded(3 * twice),
                   less = rounded(threefold - 1);
      CHECK(trial.read(out) == Numbers{h, 2048, -rounded(less / 2), 0.75});
      CHECK(trial.read(acc) ==
            Numbers{double(static_cast<float>(2 * 2052.5) + static_cast<float>(h))});
    });
  }

  TEST_CASE("D28, D29: numbers and limits in templates over the element type") {
    onDevices([](Device const &device) {
      auto const results = [&](std::string const &name, Type const &type, Numbers const &in,
                               std::size_t n) {
        Trial trial(device, "halves.cpp");
        Tensor const out = trial.zeros(type, n);
        VertexRef const v = trial.vertex(name + "<" + type.toString() + ">", {{"out", out}});
        if (!in.empty())
          trial.graph.connect(v["in"], trial.variable(type, in));
        trial.run();
        return trial.read(out);
      };
      CHECK(results("D28", HALF, {0, 2}, 5) == Numbers{2, 1, 0, 0.5, 2.5});
      CHECK(results("D28", FLOAT, {3, 2}, 5) == Numbers{5, 1, 0, 0.5, 3});
      CHECK(results("D28", INT, {0, 2}, 5) == Numbers{2, 1, 0, 0, 2});
      CHECK(results("D28", BOOL, {0, 1}, 5) == Numbers{1, 1, 0, 1, 1});
      double const infinity = std::numeric_limits<double>::infinity();
      CHECK(results("D29", HALF, {}, 3) == Numbers{-65504, 65504, infinity});
      double const most = std::numeric_limits<float>::max();
      CHECK(results("D29", FLOAT, {}, 3) == Numbers{-most, most, infinity});
      CHECK(results("D29", INT, {}, 3) == Numbers{-2147483648.0, 2147483647.0, 0});
    });
  }

  TEST_CASE("halves have literals") {
    onDevices([](Device const &device) {
      Trial trial(device, "halves.cpp");
      Tensor const out = trial.zeros(HALF, 3);
      trial.vertex("Literals", {{"out", out}});
      trial.run();
      CHECK(trial.read(out) == Numbers{1.5, 7, 3});
    });
  }

  TEST_CASE("D30, D33: numbers of eight bits") {
    onDevices([](Device const &device) {
      Numbers const values = {0, 1, -1.0625, 3.3, 1000, 0.001};
      for (quarter_metadata const md : {quarter_metadata{quarter_metadata::f143, 0},
                                        quarter_metadata{quarter_metadata::f152, -3}}) {
        Trial trial(device, "quarters.cpp");
        Tensor const in = trial.variable(FLOAT, values), out = trial.zeros(FLOAT, values.size());
        Tensor const halves = trial.zeros(HALF, values.size());
        Tensor const metadata =
            trial.variable(UNSIGNED_CHAR, {double(packMetadata(md.fmt, md.scale))});
        trial.vertex("Rounds",
                     {{"in", in}, {"out", out}, {"halves", halves}, {"metadata", metadata[0]}});
        trial.run();
        Numbers const floats = trial.read(out), small = trial.read(halves);
        for (std::size_t i = 0; i != values.size(); ++i) {
          double const expected =
              static_cast<double>(quarterToFloat(toQuarter(static_cast<float>(values[i]), md), md));
          CHECK((std::isnan(expected) ? std::isnan(floats[i]) : floats[i] == expected));
          CHECK((std::isnan(expected) ? std::isnan(small[i]) : small[i] == expected));
        }
      }
      Trial trial(device, "quarters.cpp");
      Tensor const x = trial.variable(HALF, {2.5}), y = trial.zeros(FLOAT, 1);
      trial.vertex("D30<half>", {{"x", x[0]}, {"y", y[0]}});
      trial.run();
      CHECK(trial.read(y) == Numbers{3.5}); // the default standard is C++17
    });
  }

  TEST_CASE("D31: memory is copied by bytes") {
    onDevices([](Device const &device) {
      Trial trial(device, "idioms.cpp");
      Tensor const in = trial.variable(HALF, {1, 2, 3, 4, 5}), out = trial.zeros(HALF, 5);
      trial.vertex("D31", {{"in", in}, {"out", out}, {"n", 5u}});
      trial.run();
      CHECK(trial.read(out) == Numbers{1, 2, 3, 4, 5});
    });
  }

  TEST_CASE("D32: rows of lists are temporaries") {
    onDevices([](Device const &device) {
      Trial trial(device, "idioms.cpp");
      Tensor const lists = trial.variable(UNSIGNED_INT, {2, 3, 0, 4, 5, 0, 6, 7}),
                   out = trial.zeros(UNSIGNED_INT, 2);
      trial.vertex("D32",
                   {{"lists", lists.slices(std::vector<Interval>{{0, 6}, {6, 8}})}, {"out", out}});
      trial.run();
      CHECK(trial.read(out) == Numbers{26, 42});
    });
  }

  TEST_CASE("D34: the branch of a host is taken") {
    onDevices([](Device const &device) {
      Trial trial(device, "idioms.cpp");
      Tensor const x = trial.variable(FLOAT, {1, 2, 3});
      trial.vertex("D34", {{"x", x}});
      trial.run();
      CHECK(trial.read(x) == Numbers{2, 4, 6});
    });
  }

  TEST_CASE("D35: one file holds the program and its vertices") {
    onDevices([](Device const &device) {
      Trial trial(device, "single_file.cpp");
      Tensor const x = trial.variable(FLOAT, {1}), y = trial.zeros(FLOAT, 1);
      trial.vertex("OnlyOnDevice", {{"x", x[0]}, {"y", y[0]}});
      trial.run();
      CHECK(trial.read(y) == Numbers{36});
      Trial whole(device, "whole_program.cpp");
      Tensor const in = whole.variable(FLOAT, {1, 2, 3}), out = whole.zeros(FLOAT, 1);
      whole.vertex("Unguarded", {{"x", in}, {"y", out[0]}});
      whole.run();
      CHECK(whole.read(out) == Numbers{4});
    });
  }

  TEST_CASE("D36, D37: private edges, and fields of a base") {
    onDevices([](Device const &device) {
      {
        Trial trial(device, "idioms.cpp");
        Tensor const n = trial.variable(UNSIGNED_INT, {4});
        trial.vertex("D36", {{"n", n[0]}});
        trial.run();
        CHECK(trial.read(n) == Numbers{40});
      }
      Trial trial(device, "idioms.cpp");
      Tensor const x = trial.variable(FLOAT, {4}), y = trial.zeros(FLOAT, 1);
      trial.vertex("D37", {{"x", x[0]}, {"y", y[0]}});
      trial.run();
      CHECK(trial.read(y) == Numbers{41});
    });
  }

  TEST_CASE("D38, D39: fields are passed to functions") {
    onDevices([](Device const &device) {
      Trial trial(device, "idioms.cpp");
      Tensor const data = trial.variable(FLOAT, {1, 2, 3}), f = trial.variable(FLOAT, {10, 20, 30});
      trial.vertex("D38<float>", {{"data", data.slices(std::vector<Interval>{{0, 2}, {2, 3}})},
                                  {"f", f.slices(std::vector<Interval>{{0, 1}, {1, 3}})}});
      trial.run();
      CHECK(trial.read(f) == Numbers{12, 23, 30});
    });
  }

  TEST_CASE("D40: the type of a field depends on arguments") {
    onDevices([](Device const &device) {
      std::pair<char const *, Type> const names[] = {{"D40<float,true>", FLOAT},
                                                     {"D40<half,false>", HALF},
                                                     {"D40Input", HALF},
                                                     {"D40InOut", HALF}};
      for (auto const &[name, type] : names) {
        INFO(name);
        Trial trial(device, "idioms.cpp");
        Tensor const x = trial.variable(type, {3, 4}), y = trial.zeros(type, 1);
        trial.vertex(name, {{"x", x}, {"y", y[0]}});
        trial.run();
        CHECK(trial.read(y) == Numbers{4});
      }
    });
  }

  TEST_CASE("D44: sources of one graph have helpers of the same names") {
    onDevices([](Device const &device) {
      Trial trial(device, "helpers_one.cpp");
      trial.add("helpers_two.cpp");
      Tensor const a = trial.variable(UNSIGNED_INT, {10}), one = trial.zeros(UNSIGNED_INT, 1),
                   two = trial.zeros(UNSIGNED_INT, 1);
      trial.vertex("D44One", {{"a", a[0]}, {"out", one[0]}});
      trial.vertex("D44Two", {{"a", a[0]}, {"out", two[0]}}, 1);
      trial.run();
      CHECK(trial.read(one) == Numbers{2 * 10 + 1 + 5 + 1000 + 6});
      CHECK(trial.read(two) == Numbers{3 * 10 + 1 + 5 + 2000 + 14 + 100});
    });
  }

  TEST_CASE("D45 to D47, D49: assertions, sizes and mathematics") {
    onDevices([](Device const &device) {
      {
        Trial trial(device, "idioms.cpp");
        Tensor const x = trial.zeros(INT, 4), y = trial.zeros(INT, 3),
                     least = trial.zeros(UNSIGNED_INT, 1);
        trial.vertex("D46", {{"x", x}, {"y", y}, {"k", 2u}, {"least", least[0]}});
        trial.run();
        CHECK(trial.read(least) == Numbers{23});
      }
      {
        Trial trial(device, "idioms.cpp");
        Tensor const x = trial.variable(HALF, {6.25}), out = trial.zeros(FLOAT, 4);
        trial.vertex("D49", {{"x", x[0]}, {"out", out}});
        trial.run();
        CHECK(trial.read(out) == Numbers{2.5, 2.5, 6.25, 5});
      }
      Trial trial(device, "idioms.cpp");
      Tensor const x = trial.zeros(INT, 4);
      trial.vertex("Loops", {{"x", x}, {"n", 3u}});
      trial.run();
      CHECK(trial.read(x) == Numbers{8, 5, 5, 0});
    });
  }

  TEST_CASE("D48: short vectors") {
    onDevices([](Device const &device) {
      CHECK(vectorToVector(device, "vector_math.cpp", "D48", FLOAT, {1, 2}, 4) ==
            Numbers{3.5, 7.5, 0, 3});
      CHECK(vectorToVector(device, "vector_math.cpp", "D48", FLOAT, {0, 2}, 4) ==
            Numbers{1.5, 7.5, -1, 2});
    });
  }

  TEST_CASE("functions on short vectors are those of the standard library") {
    onDevices([](Device const &device) {
      Numbers x, root, mixed;
      for (int i = 0; i != 16; ++i) {
        x.push_back(i * 0.5 - 2);
        float const value = static_cast<float>(x.back());
        root.push_back(std::sqrt(std::fma(value, value, 1.0f)));
        mixed.push_back(x.back() < 3 ? rounded(2 * x.back() + 0.5)
                                     : rounded(double(1.0f / (1.0f + std::exp(-value)))));
      }
      CHECK(vectorToVector(device, "vector_math.cpp", "Pairs", FLOAT, x, 16) == root);
      CHECK(vectorToVector(device, "vector_math.cpp", "Quads", HALF, x, 16) == mixed);
    });
  }

  TEST_CASE("products and sums are rounded one after the other, unless flags contract them") {
    onDevices([](Device const &device) {
      float const a = 1.0f + 1.0f / 4096, b = -1.0f;
      for (char const *flags : {"", CONTRACT}) {
        if (*flags && !hasFma())
          continue;
        Trial trial(device, "vector_math.cpp", flags);
        Tensor const x = trial.variable(FLOAT, {a, a, b}), y = trial.zeros(FLOAT, 1);
        trial.vertex("Contracts", {{"x", x}, {"y", y}});
        trial.run();
        volatile float const product = a * a;
        CHECK(trial.read(y)[0] == (*flags ? std::fma(a, a, b) : product + b));
      }
    });
  }

  TEST_CASE("D50: text is printed") {
    onDevices([](Device const &device) {
      Trial trial(device, "print.cpp");
      Tensor const x = trial.variable(FLOAT, {1, 2}), y = trial.zeros(FLOAT, 1);
      trial.vertex("D50", {{"x", x}, {"y", y[0]}});
      trial.run();
      CHECK(trial.read(y) == Numbers{51});
    });
  }

  TEST_CASE("instructions know the tile, the worker and the vertex") {
    onDevices([](Device const &device) {
      Trial trial(device, "builtins.cpp");
      unsigned const tile = device.getTarget().getNumTiles() - 1;
      Tensor const tiles = trial.zeros(UNSIGNED_INT, 6), workers = trial.zeros(UNSIGNED_INT, 6),
                   bases = trial.zeros(UNSIGNED_INT, 6);
      trial.vertex("WhereAmI", {{"tiles", tiles}, {"workers", workers}, {"bases", bases}}, tile);
      trial.run();
      CHECK(trial.read(tiles) == Numbers(6, tile));
      CHECK(trial.read(workers) == Numbers{0, 1, 2, 3, 4, 5});
      CHECK(trial.read(bases) == Numbers(6, 1));
    });
  }

  TEST_CASE("random numbers differ between draws, workers, vertices and runs") {
    onDevices([](Device const &device) {
      Trial trial(device, "builtins.cpp");
      std::vector<Tensor> bits;
      Tensor const floats = trial.zeros(FLOAT, 600), halves = trial.zeros(HALF, 600);
      for (unsigned i = 0; i != 2; ++i) {
        bits.push_back(trial.zeros(UNSIGNED_INT, 12));
        trial.vertex("Draws", {{"bits", bits[i]},
                               {"floats", floats.slice(300 * i, 300 * (i + 1))},
                               {"halves", halves.slice(300 * i, 300 * (i + 1))}});
      }
      std::set<double> all;
      for (unsigned run = 0; run != 2; ++run) {
        trial.run();
        for (Tensor const &t : bits)
          for (double value : trial.read(t))
            all.insert(value);
      }
      CHECK(all.size() == 48);
      for (Tensor const &t : {floats, halves}) {
        double sum = 0;
        for (double x : trial.read(t)) {
          CHECK(x > -0.5);
          CHECK(x <= 0.5);
          sum += x;
        }
        CHECK(std::fabs(sum / 600) < 5 * std::sqrt(1.0 / 12 / 600));
      }
    });
  }

  TEST_CASE("instructions compile without optimisation, for debuggers") {
    Device const device = Device::createCPUDevice();
    Trial const trial(device, "builtins.cpp", "-O0 -g");
    CHECK(trial.graph.hasCodelet("Draws"));
  }

  TEST_CASE("the counter of cycles goes on") {
    onDevices([](Device const &device) {
      Trial trial(device, "builtins.cpp");
      Tensor const cycles = trial.zeros(UNSIGNED_INT, 1);
      trial.vertex("Counts", {{"cycles", cycles[0]}});
      trial.run();
      CHECK(trial.read(cycles)[0] > 0);
    });
  }

  TEST_CASE("a source may have its own short vectors, intrinsics and instructions") {
    onDevices([](Device const &device) {
      Trial trial(device, "own_names.cpp");
      Tensor const x = trial.variable(FLOAT, {1, 2, 3, 4}), y = trial.zeros(FLOAT, 4);
      Tensor const tile = trial.zeros(UNSIGNED_INT, 1);
      VertexRef const v = trial.vertex("OwnNames", {{"x", x}, {"y", y}, {"tile", tile[0]}});
      trial.graph.setInitialValue(v["n"], 2);
      trial.run();
      CHECK(trial.read(y) == Numbers{2, 6, 12, 20});
      CHECK(trial.read(tile) == Numbers{4711});
    });
  }

  TEST_CASE("an instruction that a host does not have is an error that says why") {
    Graph graph(Target::createCPUTarget());
    try {
      graph.addCodelets(POP_TEST_CODELETS "/refused.cpp");
      FAIL("compiled");
    } catch (graph_program_compilation_error const &e) {
      std::string const text = e.what();
      CHECK(text.find("__builtin_ipu_f32v2gina has no meaning on a CPU") != std::string::npos);
      CHECK(text.find("accumulators") != std::string::npos);
    }
  }

  TEST_CASE("D33: edges of quarters know their metadata") {
    onDevices([](Device const &device) {
      using Format = QuarterMetadata::Format;
      QuarterMetadata const from(Format::F143, 1), to(Format::F152, -2);
      Graph graph(device.getTarget());
      graph.addCodelets(POP_TEST_CODELETS "/quarter_edges.cpp");
      Tensor const in = graph.addConstant(
          QUARTER, createConstantMetadataTensor(graph, from.getFormat(), from.getScale()), {1},
          6.0f);
      Tensor const values = graph.addConstant<float>(FLOAT, {4}, {1, 2.25f, -3, 0.3f});
      Tensor const out = graph.addVariable(
          QUARTER, createVariableMetadataTensor(graph, to.getFormat(), to.getScale()), {1, 5},
          VariableMappingMethod::LINEAR);
      graph.createHostRead("out", out);
      ComputeSet const cs = graph.addComputeSet("cs");
      VertexRef const v =
          graph.addVertex(cs, "D33", {{"in", in}, {"out", out}, {"values", values}});
      graph.setTileMapping(v, 0);
      graph.setTileMapping(in, 0);
      graph.setTileMapping(values, 0);
      Engine engine(graph, program::Execute(cs));
      engine.load(device);
      engine.run();
      unsigned char bytes[5];
      engine.readTensor("out", bytes, bytes + 5);
      double numbers[5];
      convertFromDeviceType(QUARTER, to, bytes, gccs::ArrayRef<double>(numbers));
      CHECK(Numbers(numbers, numbers + 5) == Numbers{1, 2, -3, 0.3125, 6});
    });
  }

  TEST_CASE("sources compile in the oldest and the newest standard, with warnings as errors") {
    std::vector<std::pair<std::string, std::string>> const vertices = {
        {"scalars.cpp", "Mixed"},
        {"vectors.cpp", "Walks"},
        {"nested.cpp", "Ranges"},
        {"lists.cpp", "Lists<int,poplar::VectorListLayout::COMPACT_DELTAN>"},
        {"idioms.cpp", "D1"},
        {"compilers.cpp", "D42"},
        {"halves.cpp", "D27"},
        {"vector_math.cpp", "D48"},
        {"builtins.cpp", "Counts"},
        {"helpers_one.cpp", "D44One"}};
    for (char const *standard : {"c++11", "c++20"})
      for (auto const &[file, vertex] : vertices) {
        INFO(file, " as ", standard);
        Graph graph(Target::createCPUTarget());
        graph.addCodelets(POP_TEST_CODELETS "/" + file, CodeletFileType::Auto,
                          std::string("-O0 -Wall -Wextra -Wdouble-promotion -Werror -std=") +
                              standard);
        CHECK(graph.hasCodelet(vertex));
      }
  }
}
