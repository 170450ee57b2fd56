// Memory and functions of the host, programs that end a run, executables as files.
#include "Conformance.hpp"

#include <atomic>
#include <fstream>
#include <memory>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/RemoteBuffer.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <thread>

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

namespace {

/// The text of the error that a program's run ends with.
template <class Error>
std::string endOf(Graph const &graph, Device const &device, Program const &program) {
  Engine engine(graph, program);
  engine.load(device);
  try {
    engine.run();
  } catch (Error const &e) {
    return e.what();
  }
  return "the run did not end with that error";
}

} // namespace

TEST_SUITE("conformance/host") {
  TEST_CASE("rows of a remote buffer are stored and fetched by program and by host") {
    onDevices([](Device const &device) {
      Graph graph(device);
      RemoteBuffer const buffer = graph.addRemoteBuffer("rows", INT, 2, 4);
      RemoteBuffer const single = graph.addRemoteBuffer("single", INT, 2);
      CHECK(buffer.handle() == "rows");
      CHECK(buffer.numElements() == 2);
      CHECK(buffer.getRepeats() == 4);
      CHECK(buffer.elementType() == INT);
      CHECK(buffer != single);
      Tensor const x = variable(graph, INT, {2, 2}, "x"), y = variable(graph, INT, {2}, "y");
      Tensor const rows = constant<unsigned>(graph, UNSIGNED_INT, {2}, {3, 1});
      Tensor const one = constant<unsigned>(graph, UNSIGNED_INT, {1}, {2});
      Engine engine(graph, Sequence{Copy(x, buffer, rows), Copy(buffer, y, one), Copy(y, single),
                                    Copy(single, y)});
      engine.load(device);
      put<int>(engine, "x", {1, 2, 3, 4});
      std::vector<int> row = {7, 8};
      engine.copyToRemoteBuffer(row.data(), "rows", 2);
      engine.run();
      CHECK(get<int>(engine, "y", 2) == std::vector<int>{7, 8});
      engine.copyFromRemoteBuffer("rows", row.data(), 3, 0);
      CHECK(row == std::vector<int>{1, 2});
      engine.copyFromRemoteBuffer("rows", gccs::ArrayRef<int>(row), 0);
      CHECK(row == std::vector<int>{0, 0}); // zero until something is stored
      CHECK_THROWS_AS(engine.copyFromRemoteBuffer("none", row.data(), 0), poplar_error);
      CHECK_THROWS(engine.copyFromRemoteBuffer("rows", row.data(), 4));
      CHECK_THROWS_AS(Copy(x[0], buffer), poplar_error); // there are several rows
    });
  }

  TEST_CASE("a program calls functions of the host") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {2, 2}, "x"), sum = variable(graph, INT, {1}, "sum");
      HostFunction const add = graph.addHostFunction("add", {{INT, 4}}, {{INT, 1}});
      HostFunction const tell = graph.addHostFunction("tell", {{INT, 1}}, {});
      CHECK_THROWS_AS(graph.addHostFunction("add", {}, {}), poplar_error);
      CHECK_THROWS_AS(Call(add, {x[0]}, {sum}), poplar_error);
      Engine engine(graph,
                    Repeat(2, Sequence{Call(add, {x.transpose()}, {sum}), Call(tell, {sum}, {})}));
      std::vector<int> told, seen(4);
      engine.connectHostFunction("add", 0, [&](ArrayRef<const void *> in, ArrayRef<void *> out) {
        int const *const values = static_cast<int const *>(in[0]);
        seen.assign(values, values + 4);
        *static_cast<int *>(out[0]) = values[0] + values[1] + values[2] + values[3];
      });
      engine.load(device);
      CHECK_THROWS_AS(engine.run(), stream_connection_error);
      engine.load(device);
      engine.connectHostFunction("tell", 0, [&](ArrayRef<const void *> in, ArrayRef<void *>) {
        told.push_back(*static_cast<int const *>(in[0]));
      });
      put<int>(engine, "x", {1, 2, 3, 4});
      engine.run();
      CHECK(told == std::vector<int>{10, 10});
      CHECK(seen == std::vector<int>{1, 3, 2, 4}); // packed, in the order of the view
      CHECK_THROWS_AS(
          engine.connectHostFunction("none", 0, [](ArrayRef<const void *>, ArrayRef<void *>) {}),
          stream_connection_error);
    });
  }

  TEST_CASE("programs that end the run say why") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {1}, "x");
      Tensor const yes = constant<int>(graph, BOOL, {}, {1}),
                   no = constant<int>(graph, BOOL, {}, {0});
      Tensor const values = constant<int>(graph, INT, {2}, {41, 42});
      using Ended = application_runtime_error;
      CHECK(endOf<Ended>(graph, device, Abort(std::string("too hot"))).find("too hot") !=
            std::string::npos);
      CHECK(endOf<Ended>(graph, device, AbortOnCondition(yes, std::string("not finite")))
                .find("not finite") != std::string::npos);
      std::string const error = endOf<Ended>(graph, device, ErrorProgram("bad values", values));
      CHECK(error.find("bad values") != std::string::npos);
      CHECK(error.find("41 42") != std::string::npos);
      // Nothing after an abort has effects, and a condition that does not hold has none.
      Tensor const five = constant<int>(graph, INT, {1}, {5});
      Engine engine(graph, {Sequence{AbortOnCondition(no), Block(Copy(five, x), "block"), Abort()},
                            Sequence{Abort(), Copy(five, x)}});
      engine.load(device);
      CHECK_THROWS_AS(engine.run(0), Ended);
      CHECK(get<int>(engine, "x", 1)[0] == 5);
      engine.load(device);
      CHECK_THROWS_AS(engine.run(1), Ended);
      CHECK(get<int>(engine, "x", 1)[0] == 0);
    });
  }

  TEST_CASE("a loop runs until the host stops it") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {1}, "x");
      HostFunction const tick = graph.addHostFunction("tick", {}, {{INT, 1}});
      Engine engine(graph, Loop(Call(tick, {}, {x})));
      std::atomic<int> ticks{0};
      engine.connectHostFunction("tick", 0, [&](ArrayRef<const void *>, ArrayRef<void *> out) {
        *static_cast<int *>(out[0]) = ++ticks;
      });
      engine.load(device);
      std::thread host([&] {
        while (ticks < 3)
          std::this_thread::yield();
        engine.stop();
      });
      engine.run();
      host.join();
      CHECK(ticks >= 3);
    });
  }

  TEST_CASE("an executable is written to a stream, and runs without its graph") {
    onDevices([](Device const &device) {
      std::stringstream file;
      file << "something before";
      {
        Graph graph(device);
        Tensor const x = variable(graph, INT, {2}, "x");
        graph.setInitialValue<int>(x, {3, 4});
        DataStream const in = graph.addHostToDeviceFIFO("in", INT, 2);
        compileGraph(graph, {Sequence(), Copy(in, x)}).serialize(file);
      }
      file.seekg(16);
      Engine engine(Executable::deserialize(file));
      engine.load(device);
      engine.run(0);
      CHECK(get<int>(engine, "x", 2) == std::vector<int>{3, 4});
      int data[2] = {8, 9};
      engine.connectStream("in", data);
      engine.run(1);
      CHECK(get<int>(engine, "x", 2) == std::vector<int>{8, 9});
      std::istringstream damaged("no executable");
      CHECK_THROWS_AS(Executable::deserialize(damaged), poplar_error);
    });
  }
}
