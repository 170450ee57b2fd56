// Vertices whose fields are arrays and short vectors: what they see and what they leave behind.
#include "Throws.hpp"
#include "Vertices.hpp"

#include <poplar/VectorTypes.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace engineTest {

enum class Kind : unsigned char { A, B };

/// Copies its state out, element by element.
class Arrays : public Vertex {
public:
  Output<Vector<float>> out;
  float weights[3];
  unsigned char bytes[2][2];
  const half halves[2];
  Kind kinds[2];
  bool flags[3];
  std::size_t count;
  long offset;
  double scratch;
  struct {
    void *p;
    int n;
  } other;
  void compute() {
    unsigned at = 0;
    for (float weight : weights)
      out[at++] = weight;
    for (auto const &row : bytes)
      for (unsigned char byte : row)
        out[at++] = byte;
    for (half h : halves)
      out[at++] = h;
    for (Kind kind : kinds)
      out[at++] = kind == Kind::B ? 1.0F : 0.0F;
    for (bool flag : flags)
      out[at++] = flag ? 1.0F : 0.0F;
    out[at++] = static_cast<float>(count % 1000);
    out[at++] = static_cast<float>(offset);
    bool const zero = scratch == 0 && other.p == nullptr && other.n == 0;
    out[at++] = zero ? 1.0F : 0.0F;
    scratch = 1; // state stays from one execution to the next
  }
};

/// out[i] = scale * in[i] + shift + table[i % 2], for pairs
class Pairs : public Vertex {
public:
  Input<Vector<float2>> in;
  Output<Vector<float2>> out;
  float2 scale;
  Input<float2> shift;
  float2 table[2];
  void compute() {
    for (std::size_t i = 0; i < in.size(); ++i)
      out[i] = scale * in[i] + *shift + table[i % 2];
    for (std::size_t i = in.size(); i < out.size(); ++i)
      out[i] = float2{-1, -1};
  }
};

/// sums[i] = number of vectors in rows[i], and out[i][j] = rows[i][j] reversed
class QuadRows : public Vertex {
public:
  Vector<Input<Vector<half4, VectorLayout::SPAN, 16>>> rows;
  Vector<Output<Vector<half4, VectorLayout::ONE_PTR>>> out;
  Output<Vector<unsigned>> sizes;
  void compute() {
    for (unsigned i = 0; i < rows.size(); ++i) {
      sizes[i] = static_cast<unsigned>(rows[i].size());
      for (unsigned j = 0; j < rows[i].size(); ++j) {
        half4 const v = rows[i][j];
        out[i][j] = half4(v[3], v[2], v[1], v[0]);
      }
    }
  }
};

/// total = sum of list, of ones and of the state vector
class Ints : public Vertex {
public:
  Input<VectorList<int2, VectorListLayout::DELTAN>> list;
  Vector<Input<int2>> ones;
  Vector<ushort4> state;
  Output<int2> total;
  Output<Vector<unsigned>> sizes;
  void compute() {
    int2 sum{};
    for (std::size_t i = 0; i < list.size(); ++i)
      for (int2 v : list[i])
        sum += v;
    for (auto const &one : ones)
      sum += *one;
    for (ushort4 v : state)
      sum += int2{v[0] + v[1], v[2] + v[3]};
    *total = sum;
    sizes[0] = static_cast<unsigned>(list.size());
    sizes[1] = static_cast<unsigned>(list.size() > 0 ? list[0].size() : 0);
    sizes[2] = static_cast<unsigned>(ones.size());
    sizes[3] = static_cast<unsigned>(state.size());
  }
};

/// As float4, and aligned to all of its bytes.
typedef float Quad __attribute__((vector_size(16)));

/// Whether everything lies as its vectors ask for.
class Aligned : public Vertex {
public:
  Input<Vector<Quad>> in;
  Input<Quad> one;
  Output<Vector<Quad, VectorLayout::ONE_PTR>> out;
  Vector<Quad> state;
  Output<bool> ok;
  void compute() {
    auto const misses = [](void const *p) { return reinterpret_cast<std::uintptr_t>(p) % 16; };
    *ok = misses(&in[0]) + misses(&*one) + misses(&out[0]) + misses(&state[0]) == 0;
    for (std::size_t i = 0; i < in.size(); ++i)
      out[i] = in[i] + *one + state[i];
  }
};

} // namespace engineTest

POPLAR_VERTEX(engineTest::Arrays, out, weights, bytes, halves, kinds, flags, count, offset)
POPLAR_VERTEX(engineTest::Pairs, in, out, scale, shift, table)
POPLAR_VERTEX(engineTest::QuadRows, rows, out, sizes)
POPLAR_VERTEX(engineTest::Ints, list, ones, state, total, sizes)
POPLAR_VERTEX(engineTest::Aligned, in, one, out, state, ok)

namespace {

/// The engine of the program, and one of the same executable after it was stored and read.
template <class F> void runBoth(Graph &graph, Program const &program, Device const &device, F &&f) {
  Executable const executable = compileGraph(graph, {program});
  std::stringstream file;
  executable.serialize(file);
  for (Executable const &each : {executable, Executable::deserialize(file)}) {
    Engine engine(each);
    engine.load(device);
    f(engine);
  }
}

std::vector<std::uint16_t> halfBits(std::vector<float> const &values) {
  std::vector<std::uint16_t> bits;
  for (float value : values) {
    half const h(value);
    std::uint16_t word;
    std::memcpy(&word, &h, sizeof word);
    bits.push_back(word);
  }
  return bits;
}

std::vector<float> counting(std::size_t n, float first = 0) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = first + static_cast<float>(i);
  return values;
}

} // namespace

TEST_SUITE("poplar/engine/values") {
  TEST_CASE("vertices see the arrays they were given, and zeros elsewhere") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const out = variable(graph, FLOAT, {2, 17}, "out");
      ComputeSet const cs = graph.addComputeSet("arrays");
      VertexRef const v = graph.addVertex(cs, "engineTest::Arrays", {{"out", out[0]}});
      VertexRef const empty = graph.addVertex(cs, "engineTest::Arrays", {{"out", out[1]}});
      graph.setTileMapping(v, 0);
      graph.setTileMapping(empty, graph.getTarget().getNumTiles() - 1);
      graph.setInitialValue(v["weights"], ArrayRef<float>({1.5F, -2, 3}));
      graph.setInitialValue(v["bytes"], std::vector<int>{0, 1, 254, 255});
      graph.setInitialValue(v["halves"], {0.5, 0.25});
      graph.setInitialValue(v["kinds"][1], static_cast<unsigned>(Kind::B));
      graph.setInitialValue(v["flags"], {true, false, true});
      graph.setInitialValue(v["weights"][1], 7);
      graph.setInitialValue(v["count"], (std::size_t{1} << 40) * 1000 + 12);
      graph.setInitialValue(v["offset"], -5L);
      runBoth(graph, Execute(cs), device, [](Engine &engine) {
        engine.run();
        CHECK(read<float>(engine, "out", 34) ==
              std::vector<float>{1.5, 7, 3, 0, 1, 254, 255, 0.5, 0.25, 0, 1, 1, 0, 1, 12, -5, 1,
                                 0,   0, 0, 0, 0, 0,   0,   0,   0,    0, 0, 0, 0, 0, 0,  0,  1});
        engine.run();
        CHECK(read<float>(engine, "out", 34)[16] == 0);
      });
    });
  }

  TEST_CASE("edges and state of pairs") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      // The second vertex reads a column of pairs, and is connected pair by pair.
      Tensor const in = variable(graph, FLOAT, {6}, "in"), out = variable(graph, FLOAT, {6}, "out");
      Tensor const wide = variable(graph, FLOAT, {3, 4}, "wide", 1),
                   column = variable(graph, FLOAT, {3, 4}, "column", 2);
      Tensor const shift = variable(graph, FLOAT, {2, 2}, "shift", 1);
      ComputeSet const cs = graph.addComputeSet("pairs");
      VertexRef const a =
          graph.addVertex(cs, "engineTest::Pairs", {{"in", in}, {"out", out}, {"shift", shift[1]}});
      VertexRef const b = graph.addVertex(cs, "engineTest::Pairs");
      graph.connect(b["in"], wide.slice(1, 3, 1).flatten());
      graph.setFieldSize(b["out"], 3);
      for (unsigned i = 0; i < 3; ++i)
        graph.connect(b["out"][i], column[2 - i].slice(2, 4));
      graph.setInitialValue(b["shift"], {100, 200});
      for (VertexRef const &v : {a, b}) {
        graph.setTileMapping(v, 0);
        graph.setInitialValue(v["scale"], ArrayRef<float>({2, 3}));
        graph.setInitialValue(v["table"], {0.25, 0.5, 0.0, 0.0});
        graph.setInitialValue(v["table"][1], {1, -1});
      }
      CHECK(graph.getFieldSize(a["in"]) == 3);
      CHECK(graph.getFieldSize(b["out"]) == 3);
      CHECK(graph.getFieldSize(a["table"]) == 2);
      runBoth(graph, Execute(cs), device, [](Engine &engine) {
        write<float>(engine, "in", counting(6));
        write<float>(engine, "wide", counting(12));
        write<float>(engine, "column", std::vector<float>(12, -9));
        write<float>(engine, "shift", {0, 0, 10, 20});
        engine.run();
        // 2 * {0, 2, 4} + 10 + {0.25, 1, 0.25} and 3 * {1, 3, 5} + 20 + {0.5, -1, 0.5}
        CHECK(read<float>(engine, "out", 6) ==
              std::vector<float>{10.25, 23.5, 15, 28, 18.25, 35.5});
        // Of 1 2, 5 6, 9 10; written from the last row to the first.
        CHECK(read<float>(engine, "column", 12) ==
              std::vector<float>{-9, -9, 118.25, 230.5, -9, -9, 111, 217, -9, -9, 102.25, 206.5});
      });
    });
  }

  TEST_CASE("rows of short vectors of halves, some without elements") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const in = variable(graph, HALF, {12}, "in"), out = variable(graph, HALF, {12}, "out");
      Tensor const sizes = variable(graph, UNSIGNED_INT, {3}, "sizes");
      ComputeSet const cs = graph.addComputeSet("rows");
      VertexRef const v = graph.addVertex(cs, "engineTest::QuadRows", {{"sizes", sizes}});
      auto const rows = [](Tensor const &t) {
        return std::vector<Tensor>{t.slice(0, 4), t.slice(4, 4), t.slice(4, 12)};
      };
      graph.connect(v["rows"], rows(in));
      graph.connect(v["out"], rows(out));
      graph.setTileMapping(v, 0);
      CHECK(graph.getFieldSize(v["rows"]) == 3);
      CHECK(graph.getFieldSize(v["out"][2]) == 2);
      runBoth(graph, Execute(cs), device, [](Engine &engine) {
        write<std::uint16_t>(engine, "in", halfBits(counting(12)));
        engine.run();
        CHECK(read<unsigned>(engine, "sizes", 3) == std::vector<unsigned>{1, 0, 2});
        CHECK(read<std::uint16_t>(engine, "out", 12) ==
              halfBits({3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
      });
    });
  }

  TEST_CASE("lists, vectors of edges and state vectors of short vectors") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const in = variable(graph, INT, {3, 4}, "in"), total = variable(graph, INT, {2}, "t");
      Tensor const sizes = variable(graph, UNSIGNED_INT, {2, 4}, "sizes");
      Tensor const second = variable(graph, INT, {2}, "t2");
      ComputeSet const cs = graph.addComputeSet("ints");
      VertexRef const v =
          graph.addVertex(cs, "engineTest::Ints", {{"total", total}, {"sizes", sizes[0]}});
      graph.connect(v["list"], in.slice(0, 2, 0));
      graph.connect(v["ones"], in[2]); // two pairs
      graph.setInitialValue(v["state"], {1, 2, 3, 4, 10, 20, 30, 40});
      VertexRef const w =
          graph.addVertex(cs, "engineTest::Ints", {{"total", second}, {"sizes", sizes[1]}});
      graph.connect(w["list"], std::vector<Tensor>{in[0].slice(0, 2)});
      graph.connect(w["ones"], in[1].reshape({2, 2}));
      graph.setFieldSize(w["state"], 2);
      graph.setInitialValue(w["state"][1], {100, 200, 300, 400});
      graph.setTileMapping(v, 0);
      graph.setTileMapping(w, 0);
      CHECK(graph.getFieldSize(v["state"]) == 2);
      runBoth(graph, Execute(cs), device, [](Engine &engine) {
        write<int>(engine, "in", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
        engine.run();
        CHECK(read<int>(engine, "t", 2) ==
              std::vector<int>{1 + 3 + 5 + 7 + 9 + 11 + 33, 2 + 4 + 6 + 8 + 10 + 12 + 77});
        CHECK(read<int>(engine, "t2", 2) == std::vector<int>{1 + 5 + 7 + 300, 2 + 6 + 8 + 700});
        CHECK(read<unsigned>(engine, "sizes", 8) == std::vector<unsigned>{2, 2, 2, 2, 1, 1, 2, 2});
      });
    });
  }

  TEST_CASE("data that does not lie as its vectors ask for is moved for the vertex") {
    onAllDevices([](Device const &device) {
      for (std::size_t shift = 0; shift != 4; ++shift) {
        Graph graph(device.getTarget());
        Tensor const in = variable(graph, FLOAT, {20}, "in"),
                     out = variable(graph, FLOAT, {20}, "out");
        Tensor const ok = variable(graph, BOOL, {}, "ok");
        ComputeSet const cs = graph.addComputeSet("aligned");
        VertexRef const v = graph.addVertex(cs, "engineTest::Aligned",
                                            {{"in", in.slice(shift, shift + 8)},
                                             {"one", in.slice(shift + 9, shift + 13)},
                                             {"out", out.slice(shift + 5, shift + 13)},
                                             {"ok", ok}});
        graph.setInitialValue(v["state"], counting(8, 100));
        graph.setTileMapping(v, 0);
        runBoth(graph, Execute(cs), device, [&](Engine &engine) {
          write<float>(engine, "in", counting(20));
          engine.run();
          CHECK(read<std::uint8_t>(engine, "ok", 1)[0] == 1);
          std::vector<float> expected(20);
          for (std::size_t i = 0; i < 8; ++i)
            expected[shift + 5 + i] = static_cast<float>(shift + i + (shift + 9 + i % 4) + 100 + i);
          CHECK(read<float>(engine, "out", 20) == expected);
        });
      }
    });
  }

  TEST_CASE("tile memory counts the bytes of arrays") {
    Device const device = modelDevice();
    std::uint64_t bytes[2];
    for (unsigned vertices : {0u, 1u}) {
      Graph graph(device.getTarget());
      Tensor const out = variable(graph, FLOAT, {17}, "out", 1);
      ComputeSet const cs = graph.addComputeSet("arrays");
      for (unsigned i = 0; i < vertices; ++i)
        graph.setTileMapping(graph.addVertex(cs, "engineTest::Arrays", {{"out", out}}), 0);
      bytes[vertices] =
          compileGraph(graph, {Program(Execute(cs))}).data()->tileMemory[0].vertexState;
    }
    // An edge of pointer and size in 8, 12 of floats, 4, 4 of halves, 2, 3, two of 8: 49.
    CHECK(bytes[1] - bytes[0] == 52);
  }
}
