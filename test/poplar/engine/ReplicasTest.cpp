#include "Vertices.hpp"

#include <poplar/CycleCount.hpp>
#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// Runs a test body on a CPU and on a model, each of `numIPUs`.
template <class F> void onDevicesOf(unsigned numIPUs, F &&f) {
  f(Device::createCPUDevice(numIPUs));
  IPUModel model;
  model.numIPUs = numIPUs;
  model.tilesPerIPU = 4;
  f(model.createDevice());
}

std::map<unsigned, unsigned> rotation(unsigned numReplicas) {
  std::map<unsigned, unsigned> map;
  for (unsigned i = 0; i < numReplicas; ++i)
    map[i] = (i + 1) % numReplicas;
  return map;
}

Tensor replicaIndex(Graph &graph) {
  Tensor const index = graph.addReplicationIndexConstant("index");
  graph.setTileMapping(index, 0);
  return index;
}

template <class Error, class F> std::string messageOf(F &&f) {
  try {
    f();
  } catch (Error const &error) {
    return error.what();
  }
  return "nothing was thrown";
}

} // namespace

TEST_CASE("a replicated graph sees the target of one replica") {
  onDevicesOf(6, [](Device const &device) {
    Graph const graph(device, replication_factor(3));
    CHECK(graph.getReplicationFactor() == 3);
    CHECK(graph.getTarget().getNumIPUs() == 2);
    CHECK(graph.getTarget().getTilesPerIPU() == device.getTarget().getTilesPerIPU());
    CHECK(device.getTarget().getNumIPUs() == 6);
    CHECK(graph.getTopLevelGraph().getReplicationFactor() == 3);
  });
}

TEST_CASE("a factor that does not divide the IPUs is refused with both numbers") {
  auto const make = [](unsigned ipus, unsigned factor) {
    return messageOf<graph_replication_error>([&] {
      Graph const graph(Device::createCPUDevice(ipus).getTarget(), replication_factor(factor));
    });
  };
  CHECK(make(1, 2).find("replication_factor(2) does not divide the 1 IPU of the target; "
                        "Device::createCPUDevice") != std::string::npos);
  CHECK(make(4, 3).find("does not divide the 4 IPUs") != std::string::npos);
  CHECK(make(4, 0).find("replication_factor(0)") != std::string::npos);
}

TEST_CASE("each replica has its own variables and the same initial values; host tensors are "
          "replica-major") {
  for (unsigned numReplicas : {1u, 2u, 3u})
    onDevicesOf(numReplicas, [&](Device const &device) {
      Graph graph(device, replication_factor(numReplicas));
      Tensor const x = variable(graph, INT, {2}, "x");
      Tensor const y = variable(graph, INT, {2}, "y", 1);
      Tensor const empty = variable(graph, INT, {0}, "empty");
      graph.setInitialValue(y, ArrayRef<int>({7, 8}));
      Engine engine(graph, Sequence({countUp(graph, x[0], 5), Copy(x[0], y[1])}));
      engine.load(device);
      std::vector<int> in, wantX, wantY;
      for (unsigned r = 0; r < numReplicas; ++r) {
        int const value = static_cast<int>(10 * r);
        in.insert(in.end(), {value, value + 1});
        wantX.insert(wantX.end(), {value + 5, value + 1});
        wantY.insert(wantY.end(), {7, value + 5});
      }
      write(engine, "x", in);
      engine.run();
      CHECK(read<int>(engine, "x", in.size()) == wantX);
      CHECK(read<int>(engine, "y", in.size()) == wantY);
      CHECK(read<int>(engine, "empty", 0).empty());
      engine.load(device);
      CHECK(read<int>(engine, "x", in.size()) == std::vector<int>(in.size(), 0));
      if (numReplicas == 1)
        return;
      std::string const message =
          messageOf<stream_connection_error>([&] { read<int>(engine, "x", 2); });
      CHECK(message.find("has 8 bytes; the tensor needs") != std::string::npos);
      CHECK(message.find("8 for each of") != std::string::npos);
    });
}

TEST_CASE("the replication index differs from replica to replica and cannot be folded") {
  onDevicesOf(3, [](Device const &device) {
    Graph graph(device, replication_factor(3));
    Tensor const index = replicaIndex(graph);
    CHECK(index.shape().empty());
    CHECK(index.elementType() == UNSIGNED_INT);
    unsigned value = 99;
    CHECK_FALSE(index.getConstantValue(&value));
    graph.createHostRead("index", index);
    Tensor const x = variable(graph, UNSIGNED_INT, {2}, "x");
    CHECK_THROWS_AS(Copy(x[0], index), poplar_error);
    Engine engine(graph, Copy(index.reshape({1}).broadcast(2, 0), x));
    engine.load(device);
    engine.run();
    CHECK(read<unsigned>(engine, "x", 6) == std::vector<unsigned>{0, 0, 1, 1, 2, 2});
    CHECK(read<unsigned>(engine, "index", 3) == std::vector<unsigned>{0, 1, 2});
  });
}

TEST_CASE("a cross-replica copy sends by the map, also to the place it sends from") {
  onDevicesOf(3, [](Device const &device) {
    for (bool inPlace : {false, true}) {
      Graph graph(device, replication_factor(3));
      Tensor const x = variable(graph, INT, {2, 2}, "x");
      Tensor const y = variable(graph, INT, {2, 2}, "y", 3);
      Tensor const to = inPlace ? x.transpose() : y;
      Engine engine(graph, CrossReplicaCopy(x, to, rotation(3), {"ring"}));
      engine.load(device);
      write(engine, "x", std::vector<int>{1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24});
      engine.run();
      if (inPlace)
        CHECK(read<int>(engine, "x", 12) ==
              std::vector<int>{21, 23, 22, 24, 1, 3, 2, 4, 11, 13, 12, 14});
      else
        CHECK(read<int>(engine, "y", 12) ==
              std::vector<int>{21, 22, 23, 24, 1, 2, 3, 4, 11, 12, 13, 14});
    }
  });
}

TEST_CASE("a cross-replica copy of nothing, and of a graph without replicas") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device, replication_factor(2));
    Tensor const x = variable(graph, INT, {0}, "x"), y = variable(graph, INT, {0}, "y");
    Engine engine(graph, CrossReplicaCopy(x, y, {{0, 1}, {1, 0}}));
    engine.load(device);
    CHECK_NOTHROW(engine.run());
  });
  onDevicesOf(1, [](Device const &device) {
    Graph graph(device);
    Tensor const x = variable(graph, INT, {2}, "x"), y = variable(graph, INT, {2}, "y");
    Engine engine(graph, CrossReplicaCopy(x, y, {{0, 0}}));
    engine.load(device);
    write(engine, "x", std::vector<int>{4, 5});
    engine.run();
    CHECK(read<int>(engine, "y", 2) == std::vector<int>{4, 5});
  });
}

TEST_CASE("the map of a cross-replica copy must be a permutation, the tensors must fit") {
  Graph graph(Device::createCPUDevice(3), replication_factor(3));
  Tensor const x = variable(graph, INT, {2}, "x"), y = variable(graph, INT, {2}, "y");
  auto const check = [&](std::map<unsigned, unsigned> const &map) {
    return messageOf<graph_replication_error>([&] { CrossReplicaCopy(x, y, map); });
  };
  CHECK(check({{0, 1}, {1, 0}}) ==
        "CrossReplicaCopy: the map {0 -> 1, 1 -> 0} of a graph with replication factor 3 must name "
        "each replica from 0 to 2 once as source and once as destination");
  CHECK(check({{0, 1}, {1, 1}, {2, 0}}).find("must name") != std::string::npos);
  CHECK(check({{0, 1}, {1, 3}, {2, 0}}).find("must name") != std::string::npos);
  CHECK(check({}).find("the map {}") != std::string::npos);
  Tensor const f = variable(graph, FLOAT, {2}, "f"), z = variable(graph, INT, {3}, "z");
  CHECK_THROWS_AS(CrossReplicaCopy(x, f, rotation(3)), type_error);
  CHECK_THROWS_AS(CrossReplicaCopy(x, z, rotation(3)), poplar_error);
  CHECK_THROWS_AS(CrossReplicaCopy(x[0].reshape({1}).broadcast(2, 0),
                                   x[0].reshape({1}).broadcast(2, 0), rotation(3)),
                  poplar_error);
  CHECK_NOTHROW(AssumeEqualAcrossReplicas(x, {"equal"}));
  CHECK_THROWS_AS(AssumeEqualAcrossReplicas(Tensor{}), poplar_error);
}

TEST_CASE("control flow follows each replica's own values") {
  onDevicesOf(3, [](Device const &device) {
    Graph graph(device, replication_factor(3));
    Tensor const n = variable(graph, INT, {1}, "n"), flag = variable(graph, BOOL, {1}, "flag");
    Tensor const x = variable(graph, INT, {1}, "x"), y = variable(graph, INT, {1}, "y");
    Function const addTen = graph.addFunction(countUp(graph, x, 10));
    // Counts n down to 1, so the replicas turn differently often.
    Sequence program;
    program.add(RepeatWhileFalse(testBelow(graph, n, flag, 1), flag,
                                 Sequence({countUp(graph, n, -1), Call(addTen)})));
    program.add(testBelow(graph, x, flag, 25));
    program.add(If(flag, countUp(graph, y, 1), countUp(graph, y, 2)));
    program.add(AssumeEqualAcrossReplicas(n));
    Switch cases(y);
    cases.add(1, countUp(graph, x, 1000));
    cases.add(2, countUp(graph, x, 2000));
    program.add(cases);
    program.add(Repeat(2, countUp(graph, x, 1)));
    Engine engine(graph, program);
    engine.load(device);
    write(engine, "n", std::vector<int>{1, 2, 5});
    engine.run();
    CHECK(read<int>(engine, "x", 3) == std::vector<int>{1012, 1022, 2052});
    CHECK(read<int>(engine, "y", 3) == std::vector<int>{1, 1, 2});
  });
}

TEST_CASE("replicas that loop equally often exchange in every turn") {
  onDevicesOf(3, [](Device const &device) {
    Graph graph(device, replication_factor(3));
    Tensor const sum = variable(graph, INT, {1}, "sum"), sent = variable(graph, INT, {1}, "sent");
    Tensor const got = temporary(graph, INT, {1}, "got", 2);
    ComputeSet const cs = graph.addComputeSet("add");
    graph.setTileMapping(graph.addVertex(cs, "engineTest::AddTo", {{"x", got[0]}, {"sum", sum[0]}}),
                         0);
    Sequence const turn({CrossReplicaCopy(sent, got, rotation(3)), Execute(cs), Copy(got, sent),
                         Sync(SyncType::GLOBAL)});
    Engine engine(graph, Sequence({Copy(sum, sent), Repeat(2, turn)}));
    engine.load(device);
    write(engine, "sum", std::vector<int>{1, 10, 100});
    engine.run();
    CHECK(read<int>(engine, "sum", 3) == std::vector<int>{111, 111, 111});
  });
}

TEST_CASE("replicas at different rendezvous are an error that names both") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device, replication_factor(2));
    Tensor const x = variable(graph, INT, {1}, "x"), y = variable(graph, INT, {1}, "y");
    Tensor const index = replicaIndex(graph);
    Engine engine(graph, {If(index, CrossReplicaCopy(x, y, rotation(2), {"one"}),
                             CrossReplicaCopy(y, x, rotation(2), {"two"})),
                          If(index, Sync(SyncType::GLOBAL), Sequence()),
                          If(index, Sync(SyncType::INTERNAL), Sequence())});
    engine.load(device);
    std::string message = messageOf<control_program_error>([&] { engine.run(0); });
    CHECK(message.find("replica 0 is at CrossReplicaCopy 'two'") != std::string::npos);
    CHECK(message.find("replica 1 at CrossReplicaCopy 'one'") != std::string::npos);
    engine.load(device);
    message = messageOf<control_program_error>([&] { engine.run(1); });
    CHECK(message.find("replica 0 is at the end of the program, replica 1 at a global Sync") !=
          std::string::npos);
    engine.load(device);
    CHECK_NOTHROW(engine.run(2));
  });
}

TEST_CASE("buffers of replicated streams are replica-major in every transfer") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device, replication_factor(2));
    Tensor const x = temporary(graph, INT, {2}, "x");
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 2);
    DataStream const out = graph.addDeviceToHostFIFO("out", INT, 2);
    CHECK(in.replicationFactor() == 2);
    CHECK(in.replicatedMode() == ReplicatedStreamMode::REPLICATE);
    CHECK(in.numElements() == 2);
    Engine engine(graph, Repeat(3, Sequence({Copy(in, x), Copy(x, out)})));
    engine.load(device);
    // Transfers 0 and 1 of both replicas; transfer 2 begins again.
    std::vector<int> data{1, 2, 11, 12, 3, 4, 13, 14}, results(12);
    engine.connectStream("in", data.data(), data.data() + data.size());
    engine.connectStream("out", results.data(), results.data() + results.size());
    engine.run();
    CHECK(results == std::vector<int>{1, 2, 11, 12, 3, 4, 13, 14, 1, 2, 11, 12});
    engine.connectStream("out", results.data(), results.data() + results.size());
    engine.run(); // positions are kept from run to run
    CHECK(results == std::vector<int>{3, 4, 13, 14, 1, 2, 11, 12, 3, 4, 13, 14});
    std::vector<int> one(4);
    engine.connectStream("in", data.data());
    engine.connectStream("out", one.data()); // one transfer of both replicas
    engine.run();
    CHECK(one == std::vector<int>{1, 2, 11, 12});
  });
}

TEST_CASE("a broadcast buffer gives every replica the same blocks") {
  onDevicesOf(3, [](Device const &device) {
    Graph graph(device, replication_factor(3));
    Tensor const x = temporary(graph, INT, {2}, "x"), y = variable(graph, INT, {2}, "y");
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 2, ReplicatedStreamMode::BROADCAST);
    Engine engine(graph, Sequence({Copy(in, x), Copy(x[1], y[0]), Copy(in, x), Copy(x[0], y[1])}));
    engine.load(device);
    std::vector<int> data{1, 2, 3, 4};
    engine.connectStream("in", data.data(), data.data() + 4);
    engine.run();
    CHECK(read<int>(engine, "y", 6) == std::vector<int>{2, 3, 2, 3, 2, 3});
    engine.connectStream("in", data.data());
    engine.run();
    CHECK(read<int>(engine, "y", 6) == std::vector<int>{2, 1, 2, 1, 2, 1});
  });
}

TEST_CASE("callbacks are connected by replica; a broadcast stream has one, asked once a transfer") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device, replication_factor(2));
    Tensor const x = variable(graph, INT, {1}, "x"), y = variable(graph, INT, {1}, "y");
    DataStream const each = graph.addHostToDeviceFIFO("each", INT, 1);
    DataStream const all =
        graph.addHostToDeviceFIFO("all", INT, 1, ReplicatedStreamMode::BROADCAST);
    DataStream const out = graph.addDeviceToHostFIFO("out", INT, 1);
    Engine engine(graph, Repeat(2, Sequence({Copy(each, x), Copy(all, y), Copy(y, out)})));
    engine.load(device);
    std::vector<std::vector<int>> sent(2);
    int asked = 0;
    for (unsigned r = 0; r < 2; ++r) {
      engine.connectStreamToCallback(
          "out", r, [&sent, r](void *p) { sent[r].push_back(*static_cast<int *>(p)); });
      int next = static_cast<int>(100 * r);
      engine.connectStreamToCallback("each", r,
                                     [next](void *p) mutable { *static_cast<int *>(p) = ++next; });
    }
    engine.connectStreamToCallback("all", 0, [&](void *p) { *static_cast<int *>(p) = ++asked; });
    engine.run();
    CHECK(asked == 2);
    CHECK(sent[0] == std::vector<int>{1, 2});
    CHECK(sent[1] == std::vector<int>{1, 2});
    CHECK(read<int>(engine, "x", 2) == std::vector<int>{2, 102});
    engine.run();
    CHECK(asked == 4);
    CHECK(read<int>(engine, "y", 2) == std::vector<int>{4, 4});
  });
}

TEST_CASE("replicas of connections that are not there are named") {
  Device const device = Device::createCPUDevice(2);
  Graph graph(device, replication_factor(2));
  Tensor const x = variable(graph, INT, {1}, "x");
  DataStream const in = graph.addHostToDeviceFIFO("in", INT, 1);
  graph.addHostToDeviceFIFO("all", INT, 1, ReplicatedStreamMode::BROADCAST);
  Engine engine(graph, Copy(in, x));
  engine.load(device);
  auto const nothing = [](void *) {};
  engine.connectStreamToCallback("in", nothing);
  CHECK(messageOf<stream_connection_error>([&] {
          engine.run();
        }).find("stream 'in' of replica 1 is not connected") != std::string::npos);
  CHECK(messageOf<stream_connection_error>([&] {
          engine.connectStreamToCallback("in", 2, nothing);
        }).find("replica 2 of stream 'in' does not exist; the graph has 2") != std::string::npos);
  CHECK(messageOf<stream_connection_error>([&] {
          engine.connectStreamToCallback("all", 1, nothing);
        }).find("its one callback has index 0, not 1") != std::string::npos);
}

TEST_CASE("a replica that runs ahead on a broadcast stream lets the others catch up") {
  // 4 MB a block and 40 turns: far more than is kept for the others.
  Device const device = Device::createCPUDevice(2);
  Graph graph(device, replication_factor(2));
  std::size_t const size = std::size_t{1} << 20;
  Tensor const x = temporary(graph, INT, {size}, "x"), y = variable(graph, INT, {1}, "y");
  DataStream const in = graph.addHostToDeviceFIFO("in", INT, size, ReplicatedStreamMode::BROADCAST);
  Engine engine(graph, Repeat(40, Sequence({Copy(in, x), Copy(x[size - 1], y[0])})));
  engine.load(device);
  int asked = 0;
  engine.connectStreamToCallback("in", 0,
                                 [&](void *p) { static_cast<int *>(p)[size - 1] = ++asked; });
  engine.run();
  CHECK(asked == 40);
  CHECK(read<int>(engine, "y", 2) == std::vector<int>{40, 40});
}

TEST_CASE("every replica prints under a title of its own") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device, replication_factor(2));
    Tensor const index = replicaIndex(graph);
    Engine engine(graph, Sequence({PrintTensor("x", index), PrintTensor(index)}));
    engine.load(device);
    std::ostringstream out;
    engine.setPrintStream(out);
    engine.run();
    CHECK(out.str() == "x_replica_0: 0\n0\nx_replica_1: 1\n1\n");
  });
}

TEST_CASE("a device of other replicas or other IPUs cannot be loaded") {
  Graph graph(Device::createCPUDevice(2), replication_factor(2));
  Engine engine(graph, Sequence());
  CHECK(messageOf<poplar_error>([&] {
          engine.load(Device::createCPUDevice(1));
        }).find("for each of 2 replicas") != std::string::npos);
  CHECK_THROWS_AS(engine.load(Device::createCPUDevice(4)), poplar_error);
  CHECK_NOTHROW(engine.load(Device::createCPUDevice(2)));
}

TEST_CASE("modelled clocks of replicas meet at a cross-replica copy") {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  Device const device = model.createDevice();
  Graph graph(device, replication_factor(2));
  Tensor const n = variable(graph, INT, {1}, "n"), flag = variable(graph, BOOL, {1}, "flag");
  Tensor const x = temporary(graph, INT, {4}, "x"), y = temporary(graph, INT, {4}, "y");
  // Replica 1 turns 100 times before they meet, replica 0 not once.
  Sequence program({RepeatWhileFalse(testBelow(graph, n, flag, 1), flag, countUp(graph, n, -1))});
  Sequence stamps;
  Tensor const before = cycleStamp(graph, program, 0, SyncType::INTERNAL, "before");
  Tensor const together = cycleStamp(graph, program, 0, SyncType::GLOBAL, "together");
  graph.createHostRead("together", together);
  program.add(CrossReplicaCopy(x, y, rotation(2)));
  Tensor const after = cycleStamp(graph, program, 0, SyncType::INTERNAL, "after");
  graph.createHostRead("before", before);
  graph.createHostRead("after", after);
  Engine engine(graph, program);
  engine.load(device);
  write(engine, "n", std::vector<int>{0, 100});
  engine.run();
  auto const first = read<unsigned>(engine, "before", 4), last = read<unsigned>(engine, "after", 4);
  CHECK(first[0] + 10000 < first[2]);
  auto const met = read<unsigned>(engine, "together", 4);
  CHECK(met[0] == met[2]);
  CHECK(met[0] >= first[2]);
  CHECK(last[0] == last[2]);
  CHECK(last[2] > first[2] + 100);
  std::ostringstream summary;
  engine.printProfileSummary(summary);
  CHECK(summary.str().find("Number of Replicas:    2") != std::string::npos);
}
