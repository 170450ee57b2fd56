// What replicas and the host do together, beside streams of one thread: see ReplicasTest.cpp.
#include "Throws.hpp"
#include "Vertices.hpp"

#include <doctest/doctest.h>

#include <atomic>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// Runs a test body on a CPU and on a model, each of two IPUs.
template <class F> void onTwoReplicas(F &&f) {
  f(Device::createCPUDevice(2));
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  f(model.createDevice());
}

} // namespace

TEST_SUITE("poplar/engine/replica-host") {
  TEST_CASE("each replica has its own remote buffer, host function and offsets") {
    onTwoReplicas([](Device const &device) {
      Graph graph(device, replication_factor(2));
      Tensor const x = variable(graph, INT, {2}, "x"), at = variable(graph, INT, {}, "at");
      RemoteBuffer const buffer = graph.addRemoteBuffer("b", INT, 2, 3);
      HostFunction const f = graph.addHostFunction("f", {{INT, 2}}, {{INT, 2}});
      Engine engine(graph, Sequence({Copy(buffer, x, at), Call(f, {x}, {x}), Copy(x, buffer, at)}));
      engine.load(device);
      std::vector<int> calls;
      for (unsigned replica = 0; replica < 2; ++replica)
        engine.connectHostFunction(
            "f", replica, [&calls, replica](ArrayRef<void const *> in, ArrayRef<void *> out) {
              calls.push_back(static_cast<int>(replica));
              for (int i = 0; i < 2; ++i)
                static_cast<int *>(out[0])[i] =
                    static_cast<int const *>(in[0])[i] + 100 * (static_cast<int>(replica) + 1);
            });
      write<int>(engine, "at", {1, 2});
      std::vector<int> row{1, 2};
      engine.copyToRemoteBuffer(row.data(), "b", 1, 0);
      row = {3, 4};
      engine.copyToRemoteBuffer(row.data(), "b", 2, 1);
      engine.run();
      CHECK(calls == std::vector<int>{0, 1});
      CHECK(read<int>(engine, "x", 4) == std::vector<int>{101, 102, 203, 204});
      engine.copyFromRemoteBuffer("b", row.data(), 1, 0);
      CHECK(row == std::vector<int>{101, 102});
      engine.copyFromRemoteBuffer("b", row.data(), 2, 1);
      CHECK(row == std::vector<int>{203, 204});
      engine.copyFromRemoteBuffer("b", row.data(), 2, 0);
      CHECK(row == std::vector<int>{0, 0});
      checkThrows<index_error>([&] { engine.copyFromRemoteBuffer("b", row.data(), 0, 2); },
                               {"replicationIndex = 2", "2 replicas"});
      checkThrows<stream_connection_error>(
          [&] {
            engine.connectHostFunction("f", 2, [](ArrayRef<void const *>, ArrayRef<void *>) {});
          },
          {"replica 2"});
    });
  }

  TEST_CASE("streams of replicas on threads of their own, each in its order") {
    onTwoReplicas([](Device const &device) {
      Graph graph(device, replication_factor(2));
      Tensor const x = variable(graph, INT, {1}, "x"), y = variable(graph, INT, {1}, "y");
      OptionFlags const deep{{"bufferingDepth", "3"}};
      DataStream const own =
          graph.addHostToDeviceFIFO("own", INT, 1, ReplicatedStreamMode::REPLICATE, deep);
      DataStream const shared =
          graph.addHostToDeviceFIFO("shared", INT, 1, ReplicatedStreamMode::BROADCAST, deep);
      DataStream const out = graph.addDeviceToHostFIFO("out", INT, 1);
      Engine engine(graph, Repeat(100, Sequence({Copy(own, x), Copy(shared, y), Copy(x, out)})),
                    {{"streamCallbacks.multiThreadMode", "dedicated"}});
      int wrong[2] = {0, 0}, sent[2] = {0, 0}, next[2] = {0, 0}, blocks = 0;
      for (unsigned replica = 0; replica < 2; ++replica) {
        engine.connectStreamToCallback("own", replica, [&next, replica](void *p) {
          *static_cast<int *>(p) = 2 * next[replica]++ + static_cast<int>(replica);
        });
        engine.connectStreamToCallback("out", replica, [&, replica](void *p) {
          wrong[replica] +=
              *static_cast<int *>(p) != 2 * sent[replica]++ + static_cast<int>(replica);
        });
      }
      engine.connectStreamToCallback("shared", [&](void *p) { *static_cast<int *>(p) = blocks++; });
      engine.load(device);
      engine.run();
      engine.run();
      for (int const replica : {0, 1}) {
        CHECK(wrong[replica] == 0);
        CHECK(sent[replica] == 200);
      }
      CHECK(blocks == 200);
      CHECK(read<int>(engine, "y", 2) == std::vector<int>{199, 199});
    });
  }

  TEST_CASE("one replica that fails or aborts ends the run") {
    onTwoReplicas([](Device const &device) {
      Graph graph(device, replication_factor(2));
      Tensor const x = variable(graph, INT, {1}, "x"), bad = variable(graph, BOOL, {}, "bad");
      ComputeSet const cs = graph.addComputeSet("check");
      graph.setTileMapping(graph.addVertex(cs, "engineTest::Asserts", {{"x", x[0]}, {"limit", 5}}),
                           0);
      Engine engine(graph, Sequence({Execute(cs), AbortOnCondition(bad, "bad")}));
      engine.load(device);
      engine.run();
      write<int>(engine, "x", {0, 9});
      checkThrows<application_runtime_error>([&] { engine.run(); },
                                             {"assertion '*x < limit' failed", "'check'"});
      engine.load(device);
      write<std::uint8_t>(engine, "bad", {0, 1});
      checkThrows<application_runtime_error>([&] { engine.run(); }, {"AbortOnCondition: bad"});
    });
  }
}
