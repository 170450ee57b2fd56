// Programs that fail while they run: what ends, where, and what the text says.
#include "PoolSize.hpp"
#include "Throws.hpp"
#include "Vertices.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// One vertex of the type for each element of x, each on its tile.
Execute forEachElement(Graph &graph, Tensor const &x, std::string const &type,
                       std::vector<int> const &limits) {
  ComputeSet const cs = graph.addComputeSet("each");
  for (std::size_t i = 0; i < x.numElements(); ++i) {
    VertexRef const v = graph.addVertex(cs, type, {{"x", x[i]}});
    if (!limits.empty())
      graph.setInitialValue(v["limit"], limits[i]);
    graph.setTileMapping(v, static_cast<unsigned>(i) % graph.getTarget().getNumTiles());
  }
  return Execute(cs);
}

Execute divide(Graph &graph, Tensor const &a, Tensor const &b, Tensor const &out,
               std::string const &type = "engineTest::Divide") {
  ComputeSet const cs = graph.addComputeSet("divide");
  for (std::size_t i = 0; i < out.dim(0); ++i)
    graph.setTileMapping(graph.addVertex(cs, type, {{"a", a[i]}, {"b", b[i]}, {"out", out[i]}}), 0);
  return Execute(cs);
}

} // namespace

TEST_SUITE("poplar/engine/failures") {
  TEST_CASE("a failed assertion names expression, vertex, tile, file and line") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {4}, "x");
      Engine engine(graph, forEachElement(graph, x, "engineTest::Asserts", {9, 9, 5, 5}));
      engine.load(device);
      write<int>(engine, "x", {1, 2, 3, 4});
      engine.run();
      write<int>(engine, "x", {1, 2, 5, 6});
      std::string const tile = graph.getTarget().getNumTiles() > 1 ? "on tile 2" : "on tile 0";
      for (int turn = 0; turn < 2; ++turn) // the engine is none the worse
        checkThrows<application_runtime_error>(
            [&] { engine.run(); }, {"assertion '*x < limit' failed", "engineTest::Asserts",
                                    "vertex 2", "'each'", tile, "Vertices.cpp:", "compute"});
      write<int>(engine, "x", {1, 2, 3, 4});
      engine.run();
    });
  }

  TEST_CASE("of several failures the first vertex's is told, on any number of threads") {
    Device const device = Device::createCPUDevice();
    for (unsigned const threads : {1u, 2u, 5u}) {
      PoolSize const size(threads);
      Graph graph(device.getTarget());
      std::size_t const n = 3000;
      Tensor const x = variable(graph, INT, {n}, "x");
      std::vector<int> limits(n, 100), values(n, 1);
      Tensor const all = variable(graph, BOOL, {}, "all");
      ComputeSet const multi = graph.addComputeSet("multi");
      graph.setTileMapping(
          graph.addVertex(multi, "engineTest::AssertsMulti", {{"x", x[0]}, {"limit", 50}}), 0);
      Engine engine(graph,
                    {forEachElement(graph, x, "engineTest::Asserts", limits), Execute(multi, all)});
      engine.load(device);
      for (int warm = 0; warm < 6; ++warm)
        engine.run();
      values[1234] = values[1236] = values[2999] = 200;
      write(engine, "x", values);
      for (int turn = 0; turn < 5; ++turn)
        checkThrows<application_runtime_error>([&] { engine.run(); }, {"vertex 1234 "});
      values[0] = 60;
      write(engine, "x", values);
      checkThrows<application_runtime_error>([&] { engine.run(1); },
                                             {"engineTest::AssertsMulti", "worker + 1 <"});
    }
  }

#if !defined(__SANITIZE_THREAD__) // which has an abort() of its own
  TEST_CASE("abort() in a vertex ends the run, not the process") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {3}, "x");
      Engine engine(graph, forEachElement(graph, x, "engineTest::Aborts", {}));
      engine.load(device);
      engine.run();
      write<int>(engine, "x", {0, 1, 0});
      checkThrows<application_runtime_error>(
          [&] { engine.run(); }, {"abort() in engineTest::Aborts, vertex 1 of compute set 'each'"});
    });
  }
#endif

  TEST_CASE(
      "debug.floatPointOpException: the vertex that divides by zero, overflows or is invalid") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, FLOAT, {3, 2}, "a"), b = variable(graph, FLOAT, {3, 2}, "b"),
                   out = variable(graph, FLOAT, {3, 2}, "out");
      Sequence const program(divide(graph, a, b, out));
      Engine quiet(graph, program),
          strict(graph, program, {{"debug.floatPointOpException", "true"}}),
          overflow(graph, program, {{"debug.nanOverflowException", "true"}});
      auto const load = [&](Engine &engine, std::vector<float> const &x,
                            std::vector<float> const &y) {
        engine.load(device);
        write(engine, "a", x);
        write(engine, "b", y);
      };
      struct Row {
        float x, y;
        char const *what;
      };
      float const big = std::numeric_limits<float>::max();
      for (Row const row : {Row{1, 0, "division by zero"}, Row{0, 0, "invalid operation"},
                            Row{big, 0.5F, "overflow"}}) {
        std::vector<float> const x{1, 2, 3, 4, 5, row.x}, y{1, 1, 1, 1, 1, row.y};
        load(quiet, x, y);
        quiet.run();
        load(strict, x, y);
        checkThrows<application_runtime_error>(
            [&] { strict.run(); }, {"floating-point exception (", row.what,
                                    "engineTest::Divide, vertex 2 of compute set 'divide'"});
        load(overflow, x, y);
        if (row.what == std::string("overflow"))
          checkThrows<application_runtime_error>([&] { overflow.run(); }, {"(overflow)"});
        else
          overflow.run();
      }
      // Inexact results, infinities and NaNs that come in are no exception.
      float const inf = std::numeric_limits<float>::infinity();
      load(strict, {1, 2, inf, 4, std::nanf(""), 6}, {3, 3, 3, 3, 3, 3});
      strict.run();
      CHECK(read<float>(strict, "out", 6)[2] == inf);
    });
  }

  TEST_CASE("debug.stopAtNan names vertex, compute set, tensor and element of the first NaN") {
    onAllDevices([](Device const &device) {
      for (bool const transposed : {false, true}) {
        Graph graph(device.getTarget());
        Tensor const a = variable(graph, FLOAT, {3, 4}, "a"),
                     b = variable(graph, FLOAT, {3, 4}, "b"),
                     out = temporary(graph, FLOAT, {4, 3}, "quotient"),
                     back = variable(graph, FLOAT, {3, 4}, "back");
        Tensor const q = transposed ? out.transpose() : out.reshape({3, 4});
        Sequence const program({WriteUndef(out), divide(graph, a, b, q), Copy(q, back)});
        Engine engine(graph, program, {{"debug.stopAtNan", "true"}});
        engine.load(device);
        std::vector<float> x(12, 1), y(12, 2);
        write(engine, "a", x);
        write(engine, "b", y);
        engine.run();
        CHECK(read<float>(engine, "back", 12) == std::vector<float>(12, 0.5F));
        x[6] = y[6] = x[11] = y[11] = 0; // row 1, column 2
        y[0] = 0;                        // an infinity is no NaN
        write(engine, "a", x);
        write(engine, "b", y);
        checkThrows<application_runtime_error>(
            [&] { engine.run(); },
            {"NaN in field 'out' of engineTest::Divide, vertex 1 of compute set 'divide'",
             transposed ? "element 7 of tensor 'quotient'" : "element 6 of tensor 'quotient'"});
        CHECK(read<float>(engine, "back", 12) == std::vector<float>(12, 0.5F));
      }
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, HALF, {1, 2}, "a"),
                   out = variable(graph, HALF, {1, 2}, "out");
      Sequence const program(divide(graph, a, a, out, "engineTest::MultiplyHalves"));
      Engine engine(graph, program, {{"debug.stopAtNan", "true"}});
      engine.load(device);
      write<std::uint16_t>(engine, "a", {0x3c00, 0x7c00}); // 1, infinity
      engine.run();
      write<std::uint16_t>(engine, "a", {0x3c00, 0x7e00}); // 1, NaN
      checkThrows<application_runtime_error>([&] { engine.run(); }, {"element 1 of tensor 'out'"});
    });
  }

  TEST_CASE("compute() that returns false counts where a tensor asks for it, and nowhere else") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {2}, "x"), all = variable(graph, BOOL, {1}, "all");
      ComputeSet const cs = graph.addComputeSet("positive");
      for (unsigned i = 0; i < 2; ++i)
        graph.setTileMapping(graph.addVertex(cs, "engineTest::IsPositive", {{"x", x[i]}}), 0);
      Engine engine(graph, Sequence({Execute(cs), Execute(cs, all), Execute(cs)}));
      engine.load(device);
      write<int>(engine, "x", {1, -1});
      engine.run();
      CHECK(read<std::uint8_t>(engine, "all", 1)[0] == 0);
      write<int>(engine, "x", {1, 1});
      engine.run();
      CHECK(read<std::uint8_t>(engine, "all", 1)[0] == 1);
    });
  }

  TEST_CASE("Abort and AbortOnCondition end the run with their message") {
    onAllDevices([](Device const &device) {
      for (Type const type : {BOOL, INT, UNSIGNED_INT, CHAR, UNSIGNED_SHORT, LONGLONG}) {
        CAPTURE(std::string(type.toString()));
        Graph graph(device.getTarget());
        Tensor const bad = variable(graph, type, {1}, "bad"), x = variable(graph, INT, {1}, "x");
        Engine engine(graph, {Sequence({countUp(graph, x, 1), AbortOnCondition(bad, "index 7"),
                                        countUp(graph, x, 10)}),
                              AbortOnCondition(bad.reshape({}), DebugContext("lookup")),
                              Sequence({countUp(graph, x, 100), Abort(), countUp(graph, x, 1000)}),
                              Abort("out of data", "reader")});
        engine.load(device);
        engine.run(0);
        engine.run(1);
        CHECK(read<int>(engine, "x", 1)[0] == 11);
        std::vector<std::uint8_t> yes(8, 0); // true by its highest byte only
        std::size_t const size = graph.getTarget().getTypeSize(type);
        yes[size - 1] = 1;
        engine.writeTensor("bad", yes.data(), yes.data() + size);
        checkThrows<application_runtime_error>([&] { engine.run(0); },
                                               {"AbortOnCondition", "index 7"});
        CHECK(read<int>(engine, "x", 1)[0] == 12);
        checkThrows<application_runtime_error>([&] { engine.run(1); },
                                               {"AbortOnCondition 'lookup'"});
        checkThrows<application_runtime_error>([&] { engine.run(2); }, {"Engine::run: Abort"});
        CHECK(read<int>(engine, "x", 1)[0] == 112);
        checkThrows<poplar::runtime_error>([&] { engine.run(3); }, {"Abort 'reader': out of data"});
      }
    });
  }

  TEST_CASE("an ErrorProgram shows its tensor") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const bad = variable(graph, BOOL, {}, "bad"), x = variable(graph, INT, {3, 2}, "x");
      Engine engine(graph, If(bad, ErrorProgram("indices out of range", x.transpose(), "check"),
                              Sequence(), "if"));
      engine.load(device);
      engine.run();
      write<int>(engine, "x", {1, 2, 3, 4, 5, 6});
      write<std::uint8_t>(engine, "bad", {1});
      checkThrows<application_runtime_error>(
          [&] { engine.run(); },
          {"ErrorProgram 'check': indices out of range", "[1 3 5]", "[2 4 6]"});
    });
  }

  TEST_CASE("a Loop ends with stop() or an error, a Block with its body") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {1}, "x"), done = variable(graph, BOOL, {}, "done");
      DataStream const out = graph.addDeviceToHostFIFO("out", INT, 1);
      Engine engine(graph,
                    {Loop(Sequence({countUp(graph, x, 1), Copy(x, out)})),
                     Loop(Block(Sequence({countUp(graph, x, 1), testBelow(graph, x, done, 20),
                                          If(done, Sequence(), Abort("enough"))}),
                                "turn"))});
      engine.load(device);
      engine.connectStreamToCallback("out", [&](void *p) {
        if (*static_cast<int *>(p) == 7)
          engine.stop();
      });
      engine.run(0);
      engine.load(device);
      checkThrows<application_runtime_error>([&] { engine.run(1); }, {"enough"});
      CHECK(read<int>(engine, "x", 1)[0] == 20);
    });
  }

  TEST_CASE("If and while loops take any integer type for true") {
    Device const device = Device::createCPUDevice();
    for (Type const type : {SHORT, UNSIGNED_CHAR, SIGNED_CHAR, UNSIGNED_LONGLONG}) {
      Graph graph(device.getTarget());
      Tensor const p = variable(graph, type, {}, "p"), zero = variable(graph, type, {}, "zero"),
                   x = variable(graph, INT, {1}, "x");
      Engine engine(graph, Sequence(If(p, countUp(graph, x, 1), countUp(graph, x, 100)),
                                    RepeatWhileTrue(Sequence(), p,
                                                    Sequence(countUp(graph, x, 10), Copy(zero, p))),
                                    If(p, countUp(graph, x, 1000), Sequence())));
      engine.load(device);
      std::vector<std::uint8_t> yes(8, 0);
      std::size_t const size = graph.getTarget().getTypeSize(type);
      yes[size - 1] = 0x80;
      engine.writeTensor("p", yes.data(), yes.data() + size);
      engine.run();
      CHECK(read<int>(engine, "x", 1)[0] == 11);
    }
  }

  TEST_CASE("simulated errors come out as the device would report them") {
    Device const device = modelDevice(4);
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {3}, "x"), y = variable(graph, INT, {1}, "y");
    Function const f = graph.addFunction(countUp(graph, y, 1));
    Engine engine(graph,
                  {Sequence(forEachElement(graph, x, "engineTest::Asserts", {9, 9, 9})), Call(f)});
    engine.load(device);
    auto const tiles = [](std::vector<ErrorLocation> const &locations) {
      std::vector<unsigned> numbers;
      for (ErrorLocation const &location : locations)
        numbers.push_back(location.getTile());
      return numbers;
    };
    CHECK(tiles(engine.getSimulatedErrorLocations(0)) == std::vector<unsigned>{0, 1, 2});
    CHECK(tiles(engine.getSimulatedErrorLocations(1)) == std::vector<unsigned>{0});
    CHECK(tiles(engine.getSimulatedErrorLocations("each", 2)) == std::vector<unsigned>{0, 1});
    checkThrows<index_error>([&] { engine.getSimulatedErrorLocations(2); }, {"program 2"});
    checkThrows<index_error>(
        [&] { engine.insertSimulatedError(ErrorCode::TRAP, ErrorLocation(4)); }, {"tile 4"});
    ErrorLocation const where(1);
    engine.insertSimulatedError(ErrorCode::TRAP, where);
    checkThrows<application_runtime_error>([&] { engine.run(); },
                                           {"tile 1", "'each'", "simulated", "TRAP"});
    engine.run(1);
    auto const action = [&](ErrorCode code) {
      engine.insertSimulatedError(code, where);
      try {
        engine.run();
      } catch (recoverable_runtime_error const &e) {
        CHECK(std::string(e.what()).find(errorCodeToString(code)) != std::string::npos);
        return toString(e.getRecoveryAction());
      }
      return std::string();
    };
    CHECK(action(ErrorCode::EXCHANGE_ERROR) == "IPU_RESET");
    CHECK(action(ErrorCode::LINK_DOWN) == "LINK_RESET");
    CHECK(action(ErrorCode::HOST_SYNC_TIMEOUT) == "PARTITION_RESET");
    CHECK(action(ErrorCode::NONE).empty());
    engine.insertSimulatedError(ErrorCode::IPU_MEMORY_FAILURE, where);
    checkThrows<unrecoverable_runtime_error>([&] { engine.run(); }, {"IPU_MEMORY_FAILURE"});
    engine.insertSimulatedError(ErrorCode::UNKNOWN, where);
    checkThrows<unknown_runtime_error>([&] { engine.run(); }, {"UNKNOWN"});
    engine.eraseSimulatedError(where);
    engine.run();
    engine.insertSimulatedError(ErrorCode::TRAP, where);
    engine.clearSimulatedErrors();
    engine.run();
  }
}
