// What users get wrong: each mistake has its exception, and its text the values.
#include "Throws.hpp"
#include "Vertices.hpp"

#include <poplar/EngineOptions.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

struct Fixture {
  Device device = Device::createCPUDevice();
  Graph graph{device.getTarget()};
};

} // namespace

TEST_SUITE("poplar/engine/errors") {
  TEST_CASE("a tensor without a tile is named with the elements") {
    Fixture f;
    Tensor const x = f.graph.addVariable(INT, {4, 3}, "weights"),
                 y = variable(f.graph, INT, {4, 3}, "y");
    f.graph.setTileMapping(x.slice(0, 2), 0);
    checkThrows<invalid_tile_mapping>([&] { Engine(f.graph, Copy(x, y)); },
                                      {"weights", "[4, 3]", "elements [6, 12)", "setTileMapping"});
    Tensor const c = f.graph.addConstant<int>(INT, {4, 3}, 1, "one");
    checkThrows<invalid_tile_mapping>([&] { Engine(f.graph, Copy(c, y)); },
                                      {"constant", "one", "elements [0, 12)"});
    Engine(f.graph, Copy(y, y)); // what no program uses needs no tile
  }

  TEST_CASE("a vertex without a tile is named") {
    Fixture f;
    Tensor const x = variable(f.graph, INT, {1}, "x");
    ComputeSet const cs = f.graph.addComputeSet("bump");
    f.graph.addVertex(cs, "engineTest::Count", {{"x", x[0]}, {"step", 1}});
    checkThrows<invalid_tile_mapping>([&] { Engine(f.graph, Execute(cs)); },
                                      {"engineTest::Count", "bump", "not mapped"});
  }

  TEST_CASE("a field without a tensor is named") {
    Fixture f;
    Tensor const x = variable(f.graph, FLOAT, {3}, "x");
    ComputeSet const cs = f.graph.addComputeSet("scale");
    f.graph.setTileMapping(f.graph.addVertex(cs, "engineTest::Scale", {{"in", x}}), 0);
    checkThrows<graph_connection_error>([&] { Engine(f.graph, Execute(cs)); },
                                        {"'out'", "engineTest::Scale", "scale", "not connected"});
  }

  TEST_CASE("two vertices of a compute set that write the same elements") {
    Fixture f;
    Tensor const x = variable(f.graph, INT, {8}, "x"), y = variable(f.graph, INT, {8}, "target");
    ComputeSet const cs = f.graph.addComputeSet("both");
    auto const add = [&](Tensor const &in, Tensor const &out) {
      f.graph.setTileMapping(
          f.graph.addVertex(cs, "engineTest::AddOneMulti", {{"in", in}, {"out", out}}), 0);
    };
    add(x.slice(0, 5), y.slice(0, 5));
    add(x.slice(4, 8), y.slice(4, 8));
    checkThrows<graph_cycle_error>(
        [&] { Engine(f.graph, Execute(cs)); },
        {"'out'", "vertex 0", "vertex 1", "elements [4, 5)", "target", "writes too"});
  }

  TEST_CASE("a vertex that reads what another one of its compute set writes") {
    Fixture f;
    Tensor const x = variable(f.graph, INT, {8}, "x"), y = variable(f.graph, INT, {4}, "y");
    ComputeSet const cs = f.graph.addComputeSet("both");
    auto const add = [&](Tensor const &in, Tensor const &out) {
      f.graph.setTileMapping(
          f.graph.addVertex(cs, "engineTest::AddOneMulti", {{"in", in}, {"out", out}}), 0);
    };
    add(y, x.slice(2, 6));
    add(x.slice(5, 8), x.slice(0, 2).broadcast(1, 0).slice(0, 2));
    checkThrows<graph_cycle_error>([&] { Engine(f.graph, Execute(cs)); },
                                   {"'out'", "'in'", "elements [5, 6)", "'x'", "reads"});
  }

  TEST_CASE("clashes are found exactly where strided regions interleave") {
    Fixture f;
    Tensor const m = variable(f.graph, INT, {4, 4}, "m"), y = variable(f.graph, INT, {4}, "y");
    auto const compute = [&](std::vector<Tensor> const &outs, Tensor const &in) {
      ComputeSet const cs = f.graph.addComputeSet();
      for (Tensor const &out : outs)
        f.graph.setTileMapping(
            f.graph.addVertex(cs, "engineTest::AddOneMulti", {{"in", in}, {"out", out.flatten()}}),
            0);
      return Execute(cs);
    };
    std::vector<Tensor> columns;
    for (unsigned i = 0; i < 4; ++i)
      columns.push_back(m.slice(i, i + 1, 1));
    Engine(f.graph, compute(columns, y)); // interleaved, yet distinct
    Engine(f.graph, compute({columns[0], columns[2]}, columns[1].flatten()));
    checkThrows<graph_cycle_error>(
        [&] {
          Engine(f.graph, compute({columns[1], m.slice(2, 3, 0)}, y));
        },
        {"elements [9, 10)", "'m'"});
    checkThrows<graph_cycle_error>(
        [&] {
          Engine(f.graph, compute({columns[1]}, y));
          Engine(f.graph, compute({columns[1], columns[3]}, m.slice(3, 4, 1).flatten()));
        },
        {"reads"});
  }

  TEST_CASE("a vertex may read what it writes itself") {
    Fixture f;
    Tensor const m = variable(f.graph, INT, {4, 4}, "m");
    ComputeSet const cs = f.graph.addComputeSet();
    for (unsigned i = 0; i < 4; ++i) {
      Tensor const column = m.slice(i, i + 1, 1).flatten();
      f.graph.setTileMapping(
          f.graph.addVertex(cs, "engineTest::AddOneMulti", {{"in", column}, {"out", column}}), 0);
    }
    Engine engine(f.graph, Execute(cs));
    engine.loadAndRun(f.device);
    CHECK(read<int>(engine, "m", 16) == std::vector<int>(16, 1));
  }

  TEST_CASE("programs of another graph") {
    Fixture f, other;
    Tensor const x = variable(other.graph, INT, {1}, "x");
    checkThrows<poplar_error>([&] { Engine(f.graph, countUp(other.graph, x, 1)); },
                              {"another graph"});
  }

  TEST_CASE("options: unknown names, wrong values, the environment") {
    Fixture f;
    auto const make = [&](OptionFlags const &options) {
      return Engine(f.graph, Sequence(), options);
    };
    checkThrows<invalid_option>(
        [&] {
          make({{"debug.instruments", "true"}});
        },
        {"Unrecognised option 'debug.instruments'", "debug.instrument"});
    checkThrows<invalid_option>(
        [&] {
          make({{"debug.instrument", "yes"}});
        },
        {"'debug.instrument'", "'yes'", "true or false"});
    checkThrows<invalid_option>([&] { make({{"engine.numThreads", "-2"}}); }, {"whole number"});
    checkThrows<invalid_option>(
        [&] {
          make({{"target.syncMethod", "now"}});
        },
        {"polling, hybrid, default"});
    checkThrows<invalid_option>(
        [&] {
          RuntimeOptions({{"debug.instrument", "true"}});
        },
        {"run to run"});
    setenv("POPLAR_ENGINE_OPTIONS", R"({"opt.maxCopyMergeSize": 8388608, "debug.trace":true})", 1);
    OptionFlags const effective = make({{"opt.maxCopyMergeSize", "4"}}).getEngineOptions();
    CHECK(std::string(effective.at("opt.maxCopyMergeSize")) == "8388608");
    CHECK(std::string(effective.at("debug.trace")) == "true");
    CHECK(std::string(effective.at("exchange.enablePrefetch")) == "true");
    setenv("POPLAR_ENGINE_OPTIONS", R"({"nonsense": 1})", 1);
    checkThrows<invalid_option>([&] { make({}); }, {"nonsense"});
    unsetenv("POPLAR_ENGINE_OPTIONS");
    CHECK(EngineOptions({{"debug.trace", "false"}}, f.device.getTarget()) ==
          EngineOptions({}, f.device.getTarget(), 1));
    CHECK(std::hash<RuntimeOptions>()(RuntimeOptions({})) ==
          std::hash<RuntimeOptions>()(RuntimeOptions({})));
  }

  TEST_CASE("the wrong time and the wrong device") {
    Fixture f;
    Tensor const x = variable(f.graph, INT, {1}, "x");
    Engine engine(f.graph, {countUp(f.graph, x, 1), Sequence()});
    checkThrows<poplar_error>([&] { engine.run(); }, {"not loaded", "load"});
    checkThrows<poplar_error>([&] { engine.deploy(); }, {"prepare"});
    int value = 0;
    checkThrows<tensor_io_state_error>([&] { engine.readTensor("x", &value, &value + 1); },
                                       {"'x'", "not loaded"});
    checkThrows<poplar_error>([&] { engine.load(modelDevice()); }, {"IPU_MODEL", "CPU"});
    engine.load(f.device);
    checkThrows<index_error>([&] { engine.run(2); }, {"program 2", "2 programs"});
    engine.stop();
    checkThrows<poplar_error>([&] { engine.run(); }, {"not loaded"});
  }

  TEST_CASE("handles and buffers of tensors") {
    Fixture f;
    Tensor const x = variable(f.graph, INT, {3}, "x");
    f.graph.createHostRead("only", x);
    Engine engine(f.graph, countUp(f.graph, x[0], 1));
    engine.load(f.device);
    int values[3] = {};
    checkThrows<stream_connection_error>([&] { engine.readTensor("y", values, values + 3); },
                                         {"'y'", "createHostRead"});
    checkThrows<stream_connection_error>([&] { engine.writeTensor("only", values, values + 3); },
                                         {"'only'", "createHostWrite"});
    checkThrows<stream_connection_error>([&] { engine.readTensor("x", values, values + 2); },
                                         {"'x'", "8 bytes", "needs 12"});
    checkThrows<stream_connection_error>([&] { engine.readTensor("x", values + 2, values); },
                                         {"ends before"});
  }

  TEST_CASE("streams: unknown, unconnected, buffers of the wrong length") {
    Fixture f;
    Tensor const x = variable(f.graph, INT, {3}, "x");
    DataStream const in = f.graph.addHostToDeviceFIFO("in", INT, 3);
    Engine engine(f.graph, Copy(in, x));
    engine.load(f.device);
    checkThrows<stream_connection_error>([&] { engine.run(); },
                                         {"'in'", "not connected", "connectStream"});
    int values[4] = {};
    checkThrows<stream_connection_error>([&] { engine.connectStream("out", values); }, {"'out'"});
    checkThrows<stream_connection_error>([&] { engine.connectStream("in", values, values + 4); },
                                         {"'in'", "16 bytes", "12"});
    checkThrows<stream_connection_error>([&] { engine.connectStream("in", values, values); },
                                         {"0 bytes"});
    checkThrows<stream_connection_error>(
        [&] { engine.connectStreamToCallback("in", 1, [](void *) {}); }, {"replica 1"});
  }

  TEST_CASE("a Switch with bounds checking that meets no case") {
    Fixture f;
    Tensor const c = variable(f.graph, INT, {}, "c"), x = variable(f.graph, INT, {1}, "x");
    Engine engine(f.graph,
                  Switch::switchWithBoundsChecking(c, {{0, countUp(f.graph, x, 1)}}, "choice"));
    engine.load(f.device);
    engine.run();
    CHECK(read<int>(engine, "x", 1)[0] == 1);
    write<int>(engine, "c", {5});
    checkThrows<application_runtime_error>([&] { engine.run(); }, {"choice", "control = 5"});
  }

  TEST_CASE("functions that call one another in a circle") {
    Fixture f;
    Function const first = f.graph.addFunction(Call(Function(1)));
    f.graph.addFunction(Sequence(Call(first)));
    checkThrows<graph_recursion_error>([&] { Engine(f.graph, Call(first)); },
                                       {"function 0", "calls itself"});
  }

  TEST_CASE("a program that is too large for a tile of an IPU, and what allowOutOfMemory allows") {
    Graph graph(Target::createIPUTarget(1, 2, "ipu2"));
    Tensor const x = variable(graph, FLOAT, {1 << 20}, "weights", 1);
    checkThrows<graph_memory_allocation_error>([&] { Engine(graph, Copy(x, x)); },
                                               {"tile 1", "bytes"});
    Engine(graph, Copy(x, x), {{"debug.allowOutOfMemory", "true"}});
  }

  TEST_CASE("an executable whose codelets this process does not have") {
    Fixture f;
    Tensor const x = variable(f.graph, INT, {1}, "x");
    Executable const good = compileGraph(f.graph, {countUp(f.graph, x, 1)});
    auto data = std::make_shared<cottonwood::lower::ExecutableData>(*good.data());
    data->codelets[0].layoutHash ^= 1;
    Engine engine{Executable(data)};
    checkThrows<graph_object_load_error>([&] { engine.load(f.device); }, {"engineTest::Count"});
  }

  TEST_CASE("profiles: a CPU has none") {
    Fixture f;
    Engine engine(f.graph, Sequence());
    std::ostringstream out;
    checkThrows<profiling_disabled>([&] { engine.printProfileSummary(out); },
                                    {"Profiling is disabled for current device type."});
  }
}
