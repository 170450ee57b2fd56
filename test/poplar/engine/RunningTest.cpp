// What may be called while an engine runs, and on engines that were moved from.
#include "Throws.hpp"
#include "Vertices.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// Gives 7, after a function.
class After : public StreamCallback {
public:
  explicit After(std::function<void()> function) : function_(std::move(function)) {}
  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *p) override {
    function_();
    *static_cast<int *>(p) = 7;
  }
  void complete() override {}

private:
  std::function<void()> function_;
};

/// Copies one int of stream "in" to the tensor "x"; calls a function meanwhile.
struct Run {
  explicit Run(std::function<void(Engine &)> meanwhile)
      : device(Device::createCPUDevice()), graph(device.getTarget()), engine(compiled()) {
    engine.connectStreamToCallback(
        "in", std::make_unique<After>([this, meanwhile] { meanwhile(engine); }));
    engine.connectHostFunction("f", 0, [](ArrayRef<void const *>, ArrayRef<void *>) {});
    engine.load(device);
  }

  Executable compiled() {
    Tensor const x = variable(graph, INT, {1}, "x");
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 1);
    HostFunction const f = graph.addHostFunction("f", {{INT, 1}}, {});
    graph.addRemoteBuffer("rows", INT, 1, 1);
    return compileGraph(graph, {Copy(in, x), Call(f, {x}, {})});
  }

  Device device;
  Graph graph;
  Engine engine;
};

struct CallOf {
  char const *where;
  std::function<void(Engine &)> call;
};

} // namespace

TEST_SUITE("poplar/engine/running") {
  TEST_CASE("an engine that runs a program refuses what would change it, and goes on") {
    int buffer[2] = {};
    Device const device = Device::createCPUDevice();
    std::vector<CallOf> const calls = {
        {"Engine::run: ", [](Engine &e) { e.run(); }},
        {"Engine::load: ", [&](Engine &e) { e.load(device); }},
        {"Engine::deploy: ", [](Engine &e) { e.deploy(); }},
        {"Engine::readTensor: ", [&](Engine &e) { e.readTensor("x", buffer, buffer + 1); }},
        {"Engine::writeTensor: ", [&](Engine &e) { e.writeTensor("x", buffer, buffer + 1); }},
        {"Engine::connectStream: ", [&](Engine &e) { e.connectStream("in", buffer, buffer + 1); }},
        {"Engine::connectStream: ", [&](Engine &e) { e.connectStream("in", buffer); }},
        {"Engine::connectStreamToCallback: ",
         [](Engine &e) { e.connectStreamToCallback("in", std::make_unique<After>([] {})); }},
        {"Engine::connectHostFunction: ",
         [](Engine &e) {
           e.connectHostFunction("f", 0, [](ArrayRef<void const *>, ArrayRef<void *>) {});
         }},
        {"Engine::copyFromRemoteBuffer: ",
         [&](Engine &e) { e.copyFromRemoteBuffer("rows", buffer, 0); }},
        {"Engine::resetExecutionProfile: ", [](Engine &e) { e.resetExecutionProfile(); }}};
    for (CallOf const &now : calls) {
      unsigned asked = 0;
      Run run([&](Engine &engine) {
        ++asked;
        checkThrows<poplar_error>([&] { now.call(engine); },
                                  {now.where, "the engine is running a program"});
        // From another thread too.
        std::thread([&] {
          checkThrows<poplar_error>([&] { now.call(engine); },
                                    {now.where, "the engine is running a program"});
        }).join();
      });
      run.engine.run(0);
      CHECK(asked == 1);
      CHECK(read<int>(run.engine, "x", 1) == std::vector<int>{7});
    }
  }

  TEST_CASE("a callback may use another engine, and stop its own") {
    Run other([](Engine &) {});
    int seen = 0;
    Run run([&](Engine &engine) {
      other.engine.load(other.device);
      other.engine.run(0);
      other.engine.readTensor("x", &seen, &seen + 1);
      engine.stop();
    });
    run.engine.run(0);
    CHECK(seen == 7);
    run.engine.load(run.device);
    run.engine.run(0);
  }

  TEST_CASE("an engine whose callback threw may be used again") {
    bool throws = true;
    Run run([&](Engine &) {
      if (throws)
        throw std::runtime_error("no data");
    });
    CHECK_THROWS_WITH(run.engine.run(0), "no data");
    CHECK_THROWS_AS(run.engine.run(9), index_error);
    throws = false;
    run.engine.load(run.device);
    run.engine.run(0);
    CHECK(read<int>(run.engine, "x", 1) == std::vector<int>{7});
  }

  TEST_CASE("an engine that was moved from says so") {
    Run run([](Engine &) {});
    Engine taken(std::move(run.engine));
    int x = 0;
    std::ostringstream out;
    std::vector<CallOf> const calls = {
        {"run", [](Engine &e) { e.run(); }},
        {"prepare", [&](Engine &e) { e.load(run.device); }},
        {"stop", [](Engine &e) { e.stop(); }},
        {"readTensor", [&](Engine &e) { e.readTensor("x", &x, &x + 1); }},
        {"connectStream", [&](Engine &e) { e.connectStream("in", &x); }},
        {"listStreams", [](Engine &e) { e.listStreams(); }},
        {"setPrintStream", [&](Engine &e) { e.setPrintStream(out); }},
        {"getEngineOptions", [](Engine &e) { e.getEngineOptions(); }},
        {"serializeExecutable", [&](Engine &e) { e.serializeExecutable(out); }},
        {"getProfile", [](Engine &e) { e.getProfile(); }},
        {"printProfileSummary", [&](Engine &e) { e.printProfileSummary(out); }}};
    for (CallOf const &now : calls)
      checkThrows<poplar_error>(
          [&] { now.call(run.engine); },
          {std::string("Engine::") + now.where, "the engine is empty (moved from)"});
    taken.load(run.device);
    run.engine = std::move(taken);
    CHECK(run.engine.listStreams().size() == 1);
  }
}
