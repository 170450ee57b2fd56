#include "Compiled.hpp"

#include <poplar/CycleCount.hpp>
#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <unistd.h>

using namespace lowerTest;
using namespace poplar;
using poplar::program::Copy;
using poplar::program::If;
using poplar::program::Repeat;
using poplar::program::Sequence;
using poplar::program::WriteUndef;

namespace {

/// in -> t0 -> t1 -> ... -> out, each reversed on the way so that no two copies merge into nothing.
Sequence chain(Graph &graph, std::size_t length, std::size_t elements) {
  Tensor last = variable(graph, {elements}, "in");
  Tensor const out = variable(graph, {elements}, "out");
  Sequence sequence;
  for (std::size_t i = 0; i < length; ++i) {
    Tensor const next = temporary(graph, {elements}, "t" + std::to_string(i));
    sequence.add(Copy(last.reverse(0), next));
    last = next;
  }
  sequence.add(Copy(last, out));
  return sequence;
}

std::vector<std::string> variableNames(ExecutableData const &executable, bool alwaysLive) {
  std::vector<std::string> names;
  for (auto const &variable : executable.variables)
    if (variable.alwaysLive == alwaysLive)
      names.push_back(variable.name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

TEST_SUITE("poplar/lower") {
  TEST_CASE("variables that never live together share memory") {
    Graph graph(cpuTarget());
    Sequence const sequence = chain(graph, 10, 1024);
    Executable const executable = compile(graph, {sequence});
    ExecutableData const &data = *executable.data();
    CHECK(data.variableBytes - data.sharedBegin == 2 * 4096); // one is read while one is written
    CHECK(variableNames(data, true) == std::vector<std::string>{"in", "out"});
    CHECK(run(executable, 1024, 1024) == counting(1024));
  }

  TEST_CASE("addresses behind a large variable are left free, for prefetchers to run into") {
    Graph graph(cpuTarget());
    std::size_t const elements = 1 << 16; // 256 KB
    Executable const executable = compile(graph, {chain(graph, 4, elements)});
    std::vector<std::uint64_t> offsets;
    for (auto const &variable : executable.data()->variables)
      offsets.push_back(variable.offset);
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    REQUIRE(offsets.size() >= 4); // in, out and two that share memory
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      CHECK(offsets[i] - offsets[i - 1] >= 4 * elements + (64 << 10));
      CHECK((offsets[i] - offsets[i - 1]) % 4096 != 0); // nor do they lie alike in their pages
    }
    CHECK(run(executable, elements, elements) == counting(elements));
  }

  TEST_CASE("copies of concatenations along an inner dimension are a move a piece") {
    std::size_t const rows = 1000000;
    std::size_t const widths[] = {1, 3, 2, 5, 4, 6};
    Graph graph(cpuTarget());
    std::vector<Tensor> pieces;
    for (std::size_t width : widths)
      pieces.push_back(temporary(graph, {rows, width}, "piece"));
    Tensor const all = temporary(graph, {rows, 21}, "all"), some = concat(pieces, 1);
    Executable const executable = compile(
        graph,
        {Sequence{Copy(all, some), Copy(some.transpose(), all.flatten().reshape({21, rows}))}});
    CHECK(executable.data()->moves.size() == 12);
  }

  TEST_CASE("a value that the next turn of a loop reads keeps its memory") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {4}, "in"), out = variable(graph, {4}, "out"),
                 kept = temporary(graph, {4}, "kept"), passing = temporary(graph, {4}, "passing");
    Sequence const body({Copy(kept.reverse(0), passing), Copy(passing, kept)});
    Executable const executable =
        compile(graph, {Sequence({Copy(in, kept), Repeat(3, body), Copy(kept, out)})});
    CHECK(run(executable, 4, 4) == std::vector<int>{4, 3, 2, 1});
  }

  TEST_CASE("what is read before it was written in full lives always, unless WriteUndef says not") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {4}, "in"), out = variable(graph, {4}, "out"),
                 partial = temporary(graph, {4}, "partial"),
                 undefined = temporary(graph, {4}, "undefined");
    Executable const executable = compile(
        graph, {Sequence({Copy(in.slice(0, 2), partial.slice(0, 2)), Copy(partial, out),
                          WriteUndef(undefined), Copy(in.slice(0, 2), undefined.slice(0, 2)),
                          Copy(undefined, out)})});
    CHECK(variableNames(*executable.data(), true) ==
          std::vector<std::string>{"in", "out", "partial"});
    CHECK(variableNames(*executable.data(), false) == std::vector<std::string>{"undefined"});
  }

  TEST_CASE("variables that no program reaches take no memory") {
    Graph graph(cpuTarget());
    Sequence const sequence = chain(graph, 1, 16);
    graph.addVariable(INT, {1000000000}, "never used"); // not even mapped
    Executable const executable = compile(graph, {sequence});
    CHECK(executable.data()->arenaBytes < 1 << 16);
  }

  TEST_CASE("each tile of a tiled target counts what lives on it") {
    Graph graph(modelTarget());
    Tensor const in = variable(graph, {8}, "in", 1), out = variable(graph, {8}, "out", 1),
                 a = temporary(graph, {8}, "a", 2), b = temporary(graph, {8}, "b", 2);
    Executable const executable =
        compile(graph, {Sequence({Copy(in, a), Copy(a, b), Copy(b, out)})});
    auto const &tiles = executable.data()->tileMemory;
    REQUIRE(tiles.size() == 4);
    CHECK(tiles[0].of(cottonwood::lower::MemoryKind::Variable) == 0);
    // The stack, and control code of 128 and 40 for each of three steps.
    CHECK(tiles[0].total() == 3168 + 128 + 120);
    CHECK(tiles[1].alwaysLive == 64);
    CHECK(tiles[2].alwaysLive == 0);
    CHECK(tiles[2].notAlwaysLive == 64); // both while one is copied to the other
  }

  TEST_CASE("a copy between tiles is an exchange with its bytes, one on a tile is not") {
    Graph graph(modelTarget());
    Tensor const in = variable(graph, {8}, "in", 0), there = variable(graph, {8}, "there", 3),
                 here = variable(graph, {8}, "here", 0);
    Executable const executable = compile(graph, {Copy(in, there), Copy(in, here)});
    auto const &bsp = executable.data()->bsp;
    REQUIRE(bsp.steps.size() == 2);
    CHECK(bsp.steps[0].kind == cottonwood::lower::StepKind::Exchange);
    CHECK(bsp.steps[1].kind == cottonwood::lower::StepKind::OnTileCopy);
    std::uint64_t in3 = 0, out0 = 0;
    for (std::uint64_t i = 0; i < bsp.steps[0].numCosts; ++i) {
      auto const &cost = bsp.costs[bsp.steps[0].firstCost + i];
      in3 += cost.tile == 3 ? cost.bytesIn : 0;
      out0 += cost.tile == 0 ? cost.bytesOut : 0;
    }
    CHECK(in3 == 32);
    CHECK(out0 == 32);
  }

  TEST_CASE("a CPU has no BSP steps") {
    Graph graph(cpuTarget());
    Executable const executable = compile(graph, {chain(graph, 3, 8)});
    CHECK(executable.data()->bsp.steps.empty());
    CHECK(executable.data()->tileMemory.empty());
  }

  TEST_CASE("a program used twice is compiled twice, a function once") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {4}, "in"), out = variable(graph, {4}, "out");
    Sequence const body({Copy(in.reverse(0), out)});
    Function const function = graph.addFunction(body);
    Executable const twice = compile(graph, {Sequence({body, body})});
    Executable const called =
        compile(graph, {Sequence({program::Call(function), program::Call(function)})});
    CHECK(count(*twice.data(), Op::Copy) == 2);
    CHECK(count(*called.data(), Op::Copy) == 1);
    CHECK(run(called, 4, 4) == std::vector<int>{4, 3, 2, 1});
  }

  TEST_CASE("debug.dumpLowering writes one file behind each pass") {
    namespace fs = std::filesystem;
    fs::path const folder =
        fs::temp_directory_path() / ("lower-test-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    Graph graph(cpuTarget());
    Sequence const sequence = chain(graph, 2, 8);
    compile(graph, {sequence}, {{"debug.dumpLowering", folder.string()}});
    std::vector<std::string> names;
    for (auto const &entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    REQUIRE(names.size() > 8);
    CHECK(names.front() == "01-collect.txt");
    CHECK(names.back().find("tile-memory") != std::string::npos);
    std::ifstream last(folder / names.back());
    std::string const text{std::istreambuf_iterator<char>(last), {}};
    CHECK(text.find("Copy") != std::string::npos);
    CHECK(text.find("'in'") != std::string::npos);
    fs::remove_all(folder);
    CHECK_THROWS_AS(compile(graph, {sequence}, {{"debug.dumpLowering", folder.string()}}),
                    file_load_error);
  }

  TEST_CASE("a graph is lowered once, however many replicas it has") {
    auto const lowered = [](unsigned numReplicas, bool inPlace) {
      Graph graph(Target::createCPUTarget(false, numReplicas), replication_factor(numReplicas));
      Tensor const in = variable(graph, {8}, "in"), out = variable(graph, {8}, "out");
      std::map<unsigned, unsigned> ring;
      for (unsigned i = 0; i < numReplicas; ++i)
        ring[i] = (i + 1) % numReplicas;
      Tensor const to = inPlace ? in.reverse(0) : out;
      return compile(graph, {Sequence({program::CrossReplicaCopy(in, to, ring), Copy(to, out),
                                       program::Sync(SyncType::GLOBAL)})});
    };
    Executable const one = lowered(1, false), two = lowered(2, false), many = lowered(1000, false);
    CHECK(many.data()->numReplicas == 1000);
    CHECK(many.data()->arenaBytes == two.data()->arenaBytes);
    CHECK(many.data()->moves.size() == two.data()->moves.size());
    CHECK(many.data()->instructions.size() == two.data()->instructions.size());
    CHECK(many.data()->crossReplicaPlans.at(0).sources.at(7) == 6);
    CHECK(count(*two.data(), Op::CrossReplicaCopy) == 1);
    CHECK(count(*two.data(), Op::GlobalSync) == 1);
    // One replica has nobody to wait for.
    CHECK(count(*one.data(), Op::CrossReplicaCopy) == 0);
    CHECK(count(*one.data(), Op::GlobalSync) == 0);
    CHECK(count(*one.data(), Op::Copy) == 1);
    // What is overwritten by what arrives is put aside first.
    CHECK(count(*two.data(), Op::Copy) == 0);
    CHECK(count(*lowered(2, true).data(), Op::Copy) == 2);
  }

  TEST_CASE("the index of a replica is a constant that loading completes") {
    Graph graph(Target::createCPUTarget(false, 2), replication_factor(2));
    Tensor const index = graph.addReplicationIndexConstant();
    graph.setTileMapping(index, 0);
    graph.createHostRead("index", index);
    CHECK(compile(graph, {Sequence()}).data()->replicaIndices.size() == 1);
    Graph single(Target::createCPUTarget());
    Tensor const zero = single.addReplicationIndexConstant();
    single.setTileMapping(zero, 0);
    single.createHostRead("index", zero);
    CHECK(compile(single, {Sequence()}).data()->replicaIndices.empty());
    unsigned value = 1;
    CHECK(zero.getConstantValue(&value));
    CHECK(value == 0);
  }
}
