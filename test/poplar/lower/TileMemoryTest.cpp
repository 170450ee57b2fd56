// What tiles hold by category and region, what lives in steps, and what is said of too much of it.
#include "Compiled.hpp"

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/lower/TiledData.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace poplar;
using namespace poplar::program;
using namespace lowerTest;
using cottonwood::lower::MemoryKind;
using cottonwood::lower::MemoryLimits;
using cottonwood::lower::MemoryRegion;
using cottonwood::lower::TileMemory;

namespace lowerTest {

class Doubles : public Vertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int, VectorLayout::ONE_PTR>> out;
  unsigned char scale;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = scale * in[i];
    return true;
  }
};

} // namespace lowerTest

POPLAR_VERTEX(lowerTest::Doubles, in, out, scale);

namespace {

std::uint64_t bytes(TileMemory const &tile, MemoryLimits const &limits, MemoryKind kind,
                    MemoryRegion region) {
  return regionsOf(tile, limits)
      .bytes[static_cast<std::size_t>(kind)][static_cast<std::size_t>(region)];
}

std::string shortageOf(Graph const &graph, Program const &program) {
  try {
    compileGraph(graph, {program});
  } catch (graph_memory_allocation_error const &error) {
    return error.what();
  }
  return {};
}

void checkHas(std::string const &text, std::vector<std::string> const &parts) {
  CAPTURE(text);
  for (std::string const &part : parts) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

} // namespace

TEST_SUITE("poplar/lower/TileMemory") {
  TEST_CASE("code comes first and stays in its region; vertices go on behind it") {
    TileMemory tile;
    tile.vertexCode = 60;
    tile.stack = 30;
    tile.vertexState = 100;
    MemoryLimits const limits{100, 180};
    CHECK(bytes(tile, limits, MemoryKind::VertexCode, MemoryRegion::NonInterleaved) == 60);
    CHECK(bytes(tile, limits, MemoryKind::Stack, MemoryRegion::NonInterleaved) == 30);
    MemoryKind const state = MemoryKind::VertexInstanceState;
    CHECK(bytes(tile, limits, state, MemoryRegion::NonInterleaved) == 10);
    CHECK(bytes(tile, limits, state, MemoryRegion::Interleaved) == 80);
    CHECK(bytes(tile, limits, state, MemoryRegion::Overflowed) == 10);
    CHECK(regionsOf(tile, limits).overflowed() == 10);
    // As much code as that has no room although half of the tile is free.
    TileMemory code;
    code.exchangeCode = 130;
    CHECK(bytes(code, limits, MemoryKind::InternalExchangeCode, MemoryRegion::Overflowed) == 30);
    CHECK(regionsOf(code, limits).of(MemoryRegion::Interleaved) == 0);
    CHECK(regionsOf(TileMemory(), limits).overflowed() == 0);
  }

  TEST_CASE("variables and gaps are where they were placed") {
    TileMemory tile;
    tile.alwaysLive = 50, tile.alwaysLiveInterleaved = 30;
    tile.notAlwaysLive = tile.passing = 40, tile.notAlwaysLiveOverflowed = 15;
    tile.constants = 8, tile.constantsInterleaved = 8;
    tile.gaps = 60, tile.gapsInterleaved = 4, tile.gapsOverflowed = 1;
    MemoryLimits const limits{100, 180};
    CHECK(bytes(tile, limits, MemoryKind::Variable, MemoryRegion::NonInterleaved) == 45);
    CHECK(bytes(tile, limits, MemoryKind::Variable, MemoryRegion::Interleaved) == 30);
    CHECK(bytes(tile, limits, MemoryKind::Variable, MemoryRegion::Overflowed) == 15);
    CHECK(bytes(tile, limits, MemoryKind::Constant, MemoryRegion::Interleaved) == 8);
    CHECK(regionsOf(tile, limits).gaps == std::array<std::uint64_t, 3>{55, 4, 1});
    CHECK(regionsOf(tile, limits).overflowed() == 16);
    CHECK(tile.isConsistent());
    tile.gapsOverflowed = 57;
    CHECK_FALSE(tile.isConsistent());
  }

  TEST_CASE("the regions are those of the target's memory elements") {
    auto const limits = cottonwood::lower::memoryLimits(modelTarget());
    CHECK(limits.total == 638976);
    CHECK(limits.nonInterleaved == 212992); // 0x34000
  }

  TEST_CASE("variables that never live at once share bytes, and end at multiples of 8") {
    Graph graph(modelTarget());
    Tensor const in = variable(graph, {5}, "in", 1), out = variable(graph, {5}, "out", 1),
                 a = temporary(graph, {5}, "a", 2), b = temporary(graph, {5}, "b", 3),
                 c = temporary(graph, {3}, "c", 2);
    Executable const executable = compile(
        graph,
        {Sequence({Copy(in, a), Copy(a, b), Copy(b.slice(0, 3), c), Copy(c, out.slice(0, 3))})});
    auto const &tiles = executable.data()->tileMemory;
    CHECK(tiles[1].alwaysLive == 40);
    CHECK(tiles[1].gaps == 8); // 4 behind each
    // 20 bytes of a, then 12 of c in their place; 24 with the gap.
    CHECK(tiles[2].notAlwaysLive == 20);
    CHECK(tiles[2].passing == 32);
    CHECK(tiles[2].overlapped() == 12);
    CHECK(tiles[2].gaps == 4);
    CHECK(tiles[3].overlapped() == 0);
  }

  TEST_CASE("a hole that is too small for what comes next is a gap") {
    Graph graph(modelTarget());
    Tensor const in = variable(graph, {8}, "in", 1), out = variable(graph, {8}, "out", 1),
                 small = temporary(graph, {4}, "small", 2), kept = temporary(graph, {4}, "kept", 2),
                 large = temporary(graph, {8}, "large", 2);
    Executable const executable = compile(
        graph,
        {Sequence({Copy(in.slice(0, 4), small), Copy(small, kept), Copy(concat(kept, kept), large),
                   Copy(large, out), Copy(kept, in.slice(0, 4))})});
    auto const &tile = executable.data()->tileMemory[2];
    CHECK(tile.notAlwaysLive == 48); // kept and large
    CHECK(tile.gaps == 16);          // where small was
  }

  TEST_CASE("vertices have fields, and code once a tile and type") {
    Graph graph(modelTarget());
    Tensor const in = variable(graph, {8}, "in", 0), out = variable(graph, {8}, "out", 0);
    ComputeSet const cs = graph.addComputeSet("double");
    for (unsigned i = 0; i < 3; ++i) {
      VertexRef const v = graph.addVertex(
          cs, "lowerTest::Doubles",
          {{"in", in.slice(2 * i, 2 * i + 2)}, {"out", out.slice(2 * i, 2 * i + 2)}});
      graph.setInitialValue(v["scale"], 2);
      graph.setTileMapping(v, i == 2 ? 1 : 0);
    }
    Executable const executable = compile(graph, {Execute(cs)});
    auto const &data = *executable.data();
    // A pointer and a size in 8, a pointer in 4, a value of 1: 13, which end at 16.
    CHECK(data.tileMemory[0].vertexState == 32);
    CHECK(data.tileMemory[0].edgePointers == 24);
    CHECK(data.tileMemory[0].padding == 6);
    CHECK(data.tileMemory[1].vertexState == 16);
    // 400 and 32 for each of 3 fields.
    CHECK(data.tileMemory[0].vertexCode == 496);
    CHECK(data.tileMemory[1].vertexCode == 496);
    CHECK(data.tileMemory[2].vertexCode == 0);
    REQUIRE(data.vertexTypes.size() == 1);
    CHECK(data.vertexTypes[0].instances == 3);
    CHECK(data.vertexTypes[0].stateBytes == 48);
    // Tile 1 gets 2 elements and gives 2 back, in a step each; 3 steps, and a vertex to start.
    CHECK(data.tileMemory[1].exchangeCode == 2 * (16 + 8));
    CHECK(data.tileMemory[1].controlCode == 128 + 3 * 40 + 8);
    CHECK(data.tileMemory[3].controlCode == 128 + 3 * 40);
  }

  TEST_CASE("transfers have code and packet headers of their own") {
    Graph graph(modelTarget());
    Tensor const x = temporary(graph, {100}, "x", 0);
    auto const in = graph.addHostToDeviceFIFO("in", INT, 100);
    auto const out = graph.addDeviceToHostFIFO("out", INT, 100);
    Executable const executable = compile(graph, {Sequence({Copy(in, x), Copy(x, out)})});
    TileMemory const &tile = executable.data()->tileMemory[0];
    CHECK(tile.hostExchangeCode == 2 * (16 + 8));
    CHECK(tile.hostHeaders == 16); // 400 bytes in two packets
    CHECK(tile.exchangeCode == 0);
  }

  TEST_CASE("each step has what lives in it, where that is the most") {
    Graph graph(modelTarget());
    Tensor const in = variable(graph, {8}, "in", 0), out = variable(graph, {8}, "out", 0),
                 a = temporary(graph, {8}, "a", 1), b = temporary(graph, {8}, "b", 2);
    Executable const executable =
        compile(graph, {Sequence({Copy(in, a, false, "first"), Copy(a, b, false, "second"),
                                  Copy(b, out, false, "third")})});
    auto const &bsp = executable.data()->bsp;
    REQUIRE(bsp.liveness.size() == 3);
    CHECK(bsp.liveness[0].bytes == 32);
    CHECK(bsp.liveness[1].bytes == 64);
    CHECK(bsp.liveness[2].bytes == 32);
    for (auto const &variable : executable.data()->variables) {
      CAPTURE(variable.name);
      auto const livesIn = [&](std::size_t step) {
        return !variable.alwaysLive && variable.lifeBegin <= bsp.liveness[step].position &&
               bsp.liveness[step].position <= variable.lifeEnd;
      };
      CHECK(livesIn(0) == (variable.name == "a"));
      CHECK(livesIn(1) == !variable.alwaysLive);
      CHECK(livesIn(2) == (variable.name == "b"));
    }
  }

  TEST_CASE("programs form a tree; functions are in it once") {
    Graph graph(modelTarget());
    Tensor const in = variable(graph, {8}, "in", 0), out = variable(graph, {8}, "out", 1);
    Function const f = graph.addFunction(Copy(in, out, false, "inside"));
    Executable const executable =
        compile(graph, {Sequence({Call(f), Repeat(3, Call(f))}), Program()});
    auto const &programs = executable.data()->bsp.programs;
    using cottonwood::lower::NONE;
    using cottonwood::program::NodeKind;
    REQUIRE(programs.size() == 6);
    CHECK(programs[0].kind == NodeKind::Sequence);
    CHECK(programs[0].parent == NONE);
    CHECK(programs[1].kind == NodeKind::Call);
    CHECK(programs[1].parent == 0);
    CHECK(programs[2].kind == NodeKind::Repeat);
    CHECK(programs[2].count == 3);
    CHECK(programs[3].kind == NodeKind::Call);
    CHECK(programs[3].parent == 2);
    CHECK(programs[4].parent == NONE); // the second program, which is empty
    CHECK(programs[5].parent == NONE);
    CHECK(programs[5].kind == NodeKind::Copy);
    CHECK(programs[1].callee == 5);
    CHECK(programs[3].callee == 5);
    CHECK(programs[5].numSteps == 1);
    CHECK(programs[5].numVars == 2);
    CHECK(programs[0].numSteps == 0);
  }

  TEST_CASE("a variable has its bytes by tile in as few runs as there are") {
    Graph graph(modelTarget());
    Tensor const x = graph.addVariable(INT, {10}, "x");
    for (unsigned i = 0; i < 10; ++i)
      graph.setTileMapping(x[i], i % 4);
    Executable const executable = compile(graph, {Copy(x, x.reverse(0))});
    auto const &runs = executable.data()->tileRuns;
    REQUIRE(runs.size() == 2); // 3 elements on tiles 0 and 1, 2 on 2 and 3
    CHECK(runs[0].tile == 0);
    CHECK(runs[0].count == 2);
    CHECK(runs[0].bytes == 12);
    CHECK(runs[1].tile == 2);
    CHECK(runs[1].count == 2);
    CHECK(runs[1].bytes == 8);
  }

  TEST_CASE("of too much memory the fullest tiles are named, with what is alive and what helps") {
    Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
    Tensor const x = temporary(graph, {200000}, "large", 1),
                 y = temporary(graph, {300000}, "huge", 2);
    graph.createHostWrite("x", x);
    std::string const text =
        shortageOf(graph, Sequence({Copy(x, x.reverse(0)), Copy(y, y.reverse(0))}));
    checkHas(text, {"out of memory on 2 of 4 tiles; tile 2 needs ",
                    "bytes and has 638976 (1200000 variables",
                    "largest there: 'huge' 1200000 always live; tile 1 needs ",
                    "'large' 800000 always live", "map tensors to more tiles"});
  }

  TEST_CASE("on the model such a program goes on, and its profile says what overflows") {
    Graph graph(modelTarget());
    Tensor const x = temporary(graph, {200000}, "large", 1);
    Executable const executable = compile(graph, {Copy(x, x.reverse(0))});
    auto const limits = cottonwood::lower::memoryLimits(graph.getTarget());
    TileMemory const &tile = executable.data()->tileMemory[1];
    CHECK(regionsOf(tile, limits).overflowed() == tile.total() + tile.gaps - 638976);
  }

  TEST_CASE("more code than the non-interleaved region holds is a shortage of its own") {
    Graph graph(Target::createIPUTarget(1, 2, "ipu2"));
    Tensor const x = temporary(graph, {2}, "x", 0), y = temporary(graph, {2}, "y", 1);
    Sequence program;
    for (int i = 0; i < 3500; ++i) { // each of 40 bytes of control code, and 24 to send
      program.add(Copy(x, y));
      program.add(WriteUndef(y)); // keeps the copies apart
    }
    checkHas(shortageOf(graph, program),
             {"out of memory on 2 of 2 tiles", "code must lie in the first 212992 bytes of a tile",
              "use Repeat"});
  }
}
