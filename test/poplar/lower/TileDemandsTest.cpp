// What fields ask of places on tiles, and what becomes of it.
#include "Compiled.hpp"

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/lower/TileDemands.hpp>
#include <poplar/impl/lower/TiledData.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace lowerTest;
using cottonwood::lower::PlaceDemand;
using cottonwood::lower::PlacedPart;
using cottonwood::lower::TileBlocks;
using cottonwood::lower::TileDemands;
using cottonwood::lower::TileMemory;
using cottonwood::lower::TilePart;

namespace lowerTest {

/// out = the sum of what is connected.
template <unsigned alignment, bool interleaved> class Asks : public Vertex {
public:
  Input<Vector<int, VectorLayout::SPAN, alignment, interleaved>> in;
  Output<int> out;
  bool compute() {
    int sum = 0;
    for (int const value : in)
      sum += value;
    out = sum;
    return true;
  }
};

} // namespace lowerTest

POPLAR_VERTEX_TEMPLATE((lowerTest::Asks<4, false>), in, out);
POPLAR_VERTEX_TEMPLATE((lowerTest::Asks<4, true>), in, out);
POPLAR_VERTEX_TEMPLATE((lowerTest::Asks<8, false>), in, out);
POPLAR_VERTEX_TEMPLATE((lowerTest::Asks<16, true>), in, out);

namespace {

/// One vertex for each tensor of rank 1, on a tile; results are elements of `out`, on tile 0.
struct Asking {
  explicit Asking(Graph &g) : graph(g), set(g.addComputeSet("ask")) {}
  void add(char const *type, Tensor const &in, unsigned tile) {
    Tensor const out = variable(graph, {1}, "out" + std::to_string(outs++), 0);
    VertexRef const v =
        graph.addVertex(set, std::string("lowerTest::Asks<") + type + ">", {{"in", in}});
    graph.connect(v["out"], out[0]);
    graph.setTileMapping(v, tile);
  }
  Execute program() const { return Execute(set); }

  Graph &graph;
  ComputeSet set;
  unsigned outs = 0;
};

/// Elements of a variable on a tile with what edges ask, one by one.
struct Edge {
  std::uint64_t begin, end;
  PlaceDemand demand;
};

} // namespace

TEST_SUITE("poplar/lower/TileDemands") {
  TEST_CASE("edges that overlap become one part with the strongest demand of them") {
    TileDemands demands;
    demands.add({2, 1, 10, 20, {8, false}});
    demands.add({2, 1, 40, 50, {16, false}});
    demands.add({2, 1, 15, 30, {4, true}});
    demands.add({2, 0, 0, 5, {32, false}});
    demands.add({0, 1, 0, 5, {8, false}});
    demands.add({0, 1, 5, 9, {8, false}}); // side by side, each with a begin of its own
    demands.bind({2, 1, 45, 60, {}});
    demands.bind({1, 1, 45, 60, {}});
    demands.settle();
    auto const zero = demands.of(0), two = demands.of(2);
    REQUIRE(zero.size() == 2);
    REQUIRE(two.size() == 3);
    CHECK(two[0] == TilePart{2, 0, 0, 5, {32, false}});
    CHECK(two[1] == TilePart{2, 1, 10, 30, {8, true}});
    CHECK(two[2] == TilePart{2, 1, 40, 60, {16, false}});
    CHECK(demands.of(1).empty());
    CHECK(demands.of(7).empty());
  }

  TEST_CASE("random edges: each keeps together, has its region and its alignment") {
    for (unsigned seed = 1; seed != 300; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      std::uint64_t const elements = 1 + random() % 200, size = 1u << random() % 4;
      std::vector<Edge> edges;
      TileDemands demands;
      for (std::uint64_t i = random() % 12; i != 0; --i) {
        std::uint64_t const begin = random() % elements,
                            end = begin + random() % std::min<std::uint64_t>(30, elements - begin);
        edges.push_back({begin, end, {1u << random() % 6, random() % 3 == 0}});
        demands.add({0, 0, begin, end, edges.back().demand});
      }
      demands.settle();
      std::vector<PlacedPart> placed;
      TileBlocks const blocks = TileBlocks::of(elements, size, demands.of(0), &placed);
      // Where each element is: in which block, and at what byte.
      std::vector<std::pair<bool, std::uint64_t>> where;
      for (PlacedPart const &part : placed)
        for (std::uint64_t e = part.begin; e != part.end; ++e) {
          REQUIRE(e == where.size());
          where.emplace_back(part.interleaved, part.at + (e - part.begin) * size);
        }
      REQUIRE(where.size() == elements);
      std::map<std::pair<bool, std::uint64_t>, int> bytes;
      std::array<std::uint64_t, 2> counts{}, ends{};
      for (auto const &[interleaved, at] : where) {
        ++counts[interleaved];
        ends[interleaved] = std::max(ends[interleaved], at + size);
        for (std::uint64_t b = 0; b != size; ++b)
          REQUIRE(++bytes[{interleaved, at + b}] == 1);
      }
      CHECK(blocks.anywhere.bytes == counts[0] * size);
      CHECK(blocks.anywhere.space == ends[0]);
      CHECK(blocks.interleaved.bytes == counts[1] * size);
      CHECK(blocks.interleaved.space == ends[1]);
      for (Edge const &edge : edges) {
        if (edge.begin == edge.end)
          continue;
        auto const first = where[edge.begin];
        REQUIRE(first.first >= edge.demand.interleaved);
        for (std::uint64_t e = edge.begin; e != edge.end; ++e)
          REQUIRE(where[e] == std::pair(first.first, first.second + (e - edge.begin) * size));
        // An edge that begins within another one has its begin where that puts it.
        bool const inside = std::any_of(edges.begin(), edges.end(), [&](Edge const &other) {
          return other.begin < edge.begin && edge.begin < other.end;
        });
        auto const &block = first.first ? blocks.interleaved : blocks.anywhere;
        REQUIRE(block.demand.alignment >= edge.demand.alignment);
        if (!inside)
          REQUIRE(first.second % edge.demand.alignment == 0);
      }
    }
  }

  TEST_CASE("a million edges become parts in one pass over them") {
    TileDemands demands;
    std::uint32_t const edges = 1'000'000, tiles = 1000;
    for (std::uint32_t i = 0; i != edges; ++i) {
      std::uint64_t const row = i / tiles;
      demands.add({row % 2 == 0 ? 0u : 3u, i % tiles, row * 7, row * 7 + 7, {8, false}});
    }
    demands.settle();
    CHECK(demands.of(0).size() + demands.of(3).size() == edges);
    std::uint64_t elements = 0;
    for (TilePart const &part : demands.of(3))
      elements += part.end - part.begin;
    CHECK(elements == 7u * edges / 2);
  }

  TEST_CASE("a variable that a field wants interleaved lies there, its neighbours do not") {
    Graph graph(modelTarget());
    Tensor const x = variable(graph, {100}, "x", 1), y = variable(graph, {50}, "y", 1);
    Asking asking(graph);
    asking.add("4,true", x, 1);
    asking.add("4,false", y, 1);
    Executable const executable = compile(graph, {asking.program()});
    TileMemory const &tile = executable.data()->tileMemory[1];
    CHECK(tile.alwaysLive == 600);
    CHECK(tile.alwaysLiveInterleaved == 400);
    CHECK(tile.interleavedDemand == 400);
    CHECK(tile.alwaysLiveOverflowed == 0);
    auto const limits = cottonwood::lower::memoryLimits(graph.getTarget());
    auto const regions = regionsOf(tile, limits);
    CHECK(regions.of(cottonwood::lower::MemoryRegion::Interleaved) == 400);
    // All below is used, or lies idle.
    CHECK(regions.of(cottonwood::lower::MemoryRegion::NonInterleaved) + regions.gaps[0] ==
          limits.nonInterleaved);
    CHECK(tile.gapsInterleaved == 0);
    CHECK(tile.total() + tile.gaps == limits.nonInterleaved + 400);
    CHECK(executable.data()->tileMemory[0].alwaysLiveInterleaved == 0);
  }

  TEST_CASE("alignment makes gaps between rows") {
    Graph graph(modelTarget());
    Tensor const x = variable(graph, {3, 3}, "x", 1);
    Asking asking(graph);
    for (unsigned row = 0; row != 3; ++row)
      asking.add("8,false", x[row], 1);
    Executable const executable = compile(graph, {asking.program()});
    TileMemory const &tile = executable.data()->tileMemory[1];
    CHECK(tile.alwaysLive == 36);
    CHECK(tile.gaps == 16); // 4 behind each row, and behind three vertices of 12 bytes
    CHECK(tile.interleavedDemand == 0);
  }

  TEST_CASE("a part of a variable moves, unless another edge holds it together") {
    Graph graph(modelTarget());
    Tensor const x = variable(graph, {100}, "x", 1), y = variable(graph, {100}, "y", 1);
    Asking asking(graph);
    asking.add("16,true", x.slice(10, 30), 1);
    asking.add("16,true", y.slice(10, 30), 1);
    asking.add("4,false", y.slice(20, 60), 1);
    Executable const executable = compile(graph, {asking.program()});
    CHECK(executable.data()->tileMemory[1].alwaysLiveInterleaved == 4 * 20 + 4 * 50);
  }

  TEST_CASE("what arrives for such a field is interleaved while the vertices run") {
    Graph graph(modelTarget());
    Tensor const x = variable(graph, {100}, "x", 1);
    Asking asking(graph);
    asking.add("16,true", x, 2);
    asking.add("4,false", x.slice(0, 60), 3);
    Executable const executable = compile(graph, {asking.program()});
    auto const &tiles = executable.data()->tileMemory;
    CHECK(tiles[1].alwaysLiveInterleaved == 0); // there nobody asks
    CHECK(tiles[2].notAlwaysLive == 400);
    CHECK(tiles[2].notAlwaysLiveInterleaved == 400);
    CHECK(tiles[2].interleavedDemand == 400);
    CHECK(tiles[3].notAlwaysLive == 240);
    CHECK(tiles[3].notAlwaysLiveInterleaved == 0);
  }

  TEST_CASE("pieces that are laid together for such a field are laid so there") {
    Graph graph(modelTarget());
    Tensor const x = variable(graph, {10, 10}, "x", 1);
    Asking asking(graph);
    asking.add("16,true", x.slice(0, 5, 1).flatten(), 1);
    Executable const executable = compile(graph, {asking.program()});
    TileMemory const &tile = executable.data()->tileMemory[1];
    CHECK(tile.alwaysLiveInterleaved == 0);
    CHECK(tile.notAlwaysLiveInterleaved == 200);
  }

  TEST_CASE("fields without elements ask for nothing") {
    Graph graph(modelTarget());
    Tensor const x = variable(graph, {100}, "x", 1);
    Asking asking(graph);
    asking.add("16,true", x.slice(30, 30), 1);
    Executable const executable = compile(graph, {asking.program()});
    TileMemory const &tile = executable.data()->tileMemory[1];
    CHECK(tile.alwaysLiveInterleaved == 0);
    CHECK(tile.interleavedDemand == 0);
    CHECK(tile.gaps == 4); // behind a vertex of 12 bytes
  }

  TEST_CASE("random programs: as much is interleaved at a time as lives then, and nothing else") {
    for (unsigned seed = 1; seed != 30; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      Graph graph(modelTarget(3));
      Asking asking(graph);
      Sequence program;
      std::set<std::string> wide;
      std::vector<Tensor> written{variable(graph, {40}, "in", 0)};
      for (unsigned i = 0; i != 25; ++i) {
        std::string const name = "v" + std::to_string(i);
        auto const elements = static_cast<unsigned>(1 + random() % 40);
        auto const tile = static_cast<unsigned>(random() % 3);
        Tensor const v = random() % 4 == 0 ? variable(graph, {elements}, name, tile)
                                           : temporary(graph, {elements}, name, tile);
        Tensor const from = written[random() % written.size()];
        std::size_t const n = std::min<std::size_t>(elements, from.numElements());
        program.add(Copy(from.slice(0, n), v.slice(0, n)));
        if (n != elements)
          program.add(Copy(written[0].slice(0, elements - n), v.slice(n, elements)));
        written.push_back(v);
        if (random() % 2 == 0)
          continue;
        bool const interleaved = random() % 3 != 0;
        Asking one(graph);
        one.outs = 100 * (i + 1);
        one.add(interleaved ? "16,true" : "8,false", v, tile);
        program.add(one.program());
        if (interleaved)
          wide.insert(name);
      }
      Executable const executable = compile(graph, {program});
      auto const &data = *executable.data();
      auto const limits = cottonwood::lower::memoryLimits(graph.getTarget());
      for (std::uint32_t tile = 0; tile != 3; ++tile) {
        CAPTURE(tile);
        std::uint64_t kept = 0, keptWide = 0, most = 0, mostWide = 0;
        std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> changes;
        for (auto const &info : data.variables)
          for (std::uint64_t r = info.firstRun; r != info.firstRun + info.numRuns; ++r) {
            auto const &run = data.tileRuns[r];
            if (tile < run.tile || tile >= run.tile + run.count)
              continue;
            auto const bytes = static_cast<std::int64_t>(run.bytes);
            std::int64_t const wideBytes = wide.count(info.name) != 0 ? bytes : 0;
            if (info.alwaysLive) {
              kept += run.bytes;
              keptWide += static_cast<std::uint64_t>(wideBytes);
              continue;
            }
            auto &begin = changes[info.lifeBegin], &end = changes[info.lifeEnd + 1];
            begin.first += bytes, begin.second += wideBytes;
            end.first -= bytes, end.second -= wideBytes;
          }
        std::int64_t now = 0, nowWide = 0;
        for (auto const &[position, change] : changes) {
          most = std::max(most, static_cast<std::uint64_t>(now += change.first));
          mostWide = std::max(mostWide, static_cast<std::uint64_t>(nowWide += change.second));
        }
        TileMemory const &memory = data.tileMemory[tile];
        CHECK(memory.alwaysLive == kept);
        CHECK(memory.alwaysLiveInterleaved == keptWide);
        CHECK(memory.notAlwaysLive == most);
        CHECK(memory.interleavedDemand == keptWide + mostWide);
        CHECK(memory.notAlwaysLiveInterleaved <= mostWide);
        CHECK(memory.isConsistent());
        auto const regions = regionsOf(memory, limits);
        CHECK(regions.overflowed() == 0);
        if (memory.interleavedDemand != 0)
          CHECK(regions.of(cottonwood::lower::MemoryRegion::NonInterleaved) + regions.gaps[0] ==
                limits.nonInterleaved);
      }
    }
  }

  TEST_CASE("more than the interleaved region has is a shortage of its own, tile by tile") {
    Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
    Tensor const x = temporary(graph, {110000}, "wide", 1), y = temporary(graph, {60000}, "y", 1),
                 z = temporary(graph, {120000}, "wider", 2);
    graph.createHostWrite("x", x);
    graph.createHostWrite("y", y);
    graph.createHostWrite("z", z);
    Asking asking(graph);
    asking.add("16,true", x, 1);
    asking.add("16,true", z, 2);
    std::string text;
    try {
      compileGraph(graph, {asking.program()});
    } catch (graph_memory_allocation_error const &error) {
      text = error.what();
    }
    CAPTURE(text);
    for (char const *const part :
         {"out of memory on 2 of 4 tiles",
          "fields of vertices want 440000 bytes of interleaved memory there, which has 425984",
          "fields of vertices want 480000 bytes of interleaved memory there, which has 425984",
          "'wider' 480000 always live", "map tensors that must lie in interleaved memory",
          "use128BitConvUnitLoad"}) {
      CAPTURE(part);
      CHECK(text.find(part) != std::string::npos);
    }
  }

  TEST_CASE("as much as the interleaved region has is none, whatever else there is") {
    Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
    Tensor const x = temporary(graph, {425984 / 4}, "x", 1), y = temporary(graph, {40000}, "y", 1);
    graph.createHostWrite("x", x);
    graph.createHostWrite("y", y);
    Asking asking(graph);
    asking.add("16,true", x, 1);
    Executable const executable = compile(graph, {asking.program()});
    TileMemory const &tile = executable.data()->tileMemory[1];
    CHECK(tile.alwaysLiveInterleaved == 425984);
    CHECK(tile.alwaysLive == 425984 + 160000);
  }

  TEST_CASE("a target without interleaved memory has none of it") {
    IPUModel model;
    model.tilesPerIPU = 2;
    model.interleavedMemoryElementIndex = 1000;
    Graph graph(model.createDevice().getTarget());
    Tensor const x = variable(graph, {100}, "x", 1);
    Asking asking(graph);
    asking.add("16,true", x, 1);
    Executable const executable = compile(graph, {asking.program()});
    CHECK(executable.data()->tileMemory[1].alwaysLiveOverflowed == 400);
  }

  TEST_CASE("saved executables keep what was placed where") {
    Graph graph(modelTarget());
    Tensor const x = variable(graph, {100}, "x", 1);
    Asking asking(graph);
    asking.add("16,true", x, 1);
    Executable const executable = compile(graph, {asking.program()});
    std::stringstream file;
    executable.serialize(file);
    Executable const loaded = Executable::deserialize(file);
    CHECK(loaded.data()->tileMemory[1].alwaysLiveInterleaved == 400);
    CHECK(loaded.data()->tileMemory[1].interleavedDemand == 400);
  }
}
