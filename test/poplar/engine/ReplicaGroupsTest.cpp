// Graph::createReplicatedGraph.
#include "Vertices.hpp"

#include <poplar/CycleCount.hpp>
#include <poplar/RandomSeed.hpp>
#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

#include <map>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

constexpr unsigned TILES = 4; ///< of an IPU of the model

template <class F> void onDevicesOf(unsigned numIPUs, F &&f) {
  f(Device::createCPUDevice(numIPUs));
  IPUModel model;
  model.numIPUs = numIPUs;
  model.tilesPerIPU = TILES;
  f(model.createDevice());
}

template <class Error, class F> std::string messageOf(F &&f) {
  try {
    f();
  } catch (Error const &error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(std::string const &text, std::string const &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a graph made with createReplicatedGraph has its part of the IPUs") {
  onDevicesOf(6, [](Device const &device) {
    Graph graph(device);
    Graph replicated = graph.createReplicatedGraph(3);
    CHECK(replicated.getReplicationFactor() == 3);
    CHECK(graph.getReplicationFactor() == 1);
    CHECK(replicated.getTarget().getNumIPUs() == 2);
    unsigned const tiles = replicated.getTarget().getNumTiles();
    CHECK(tiles * 3 == graph.getTarget().getNumTiles());
    CHECK(replicated.convertTileToTopLevelGraphTile(tiles - 1) == tiles - 1);
    CHECK(replicated.getTopLevelGraph().getReplicationFactor() == 1);
    Graph const nested = replicated.createReplicatedGraph(2);
    CHECK(nested.getReplicationFactor() == 6);
    CHECK(nested.getTarget().getNumIPUs() == 1);
    Graph const part = replicated.createVirtualGraph(0, 1);
    CHECK(part.getReplicationFactor() == 3);
    CHECK(contains(messageOf<graph_replication_error>([&] { graph.createReplicatedGraph(4); }),
                   "the factor 4 does not divide the 6 IPUs of the graph"));
    CHECK_THROWS_AS(graph.createReplicatedGraph(0), graph_replication_error);
  });
}

TEST_CASE("instances lie on the tiles of their replicas") {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = TILES;
  Graph graph(model.createDevice());
  Graph replicated = graph.createReplicatedGraph(2);
  Tensor const x = replicated.addVariable(INT, {3}, "x");
  replicated.setTileMapping(x, 1);
  replicated.setTileMapping(x[2], 3);
  Tensor const spread = replicated.addVariable(INT, {TILES}, VariableMappingMethod::LINEAR);
  Tensor const copy = replicated.clone(x.reverse(0));
  for (Tensor const &t : {x, copy.reverse(0)}) {
    Tensor const all = graph.getNonReplicatedTensor(t);
    CHECK(all.shape() == std::vector<std::size_t>{2, 3});
    Graph::TileToTensorMapping want(2 * TILES);
    want[1] = {{0, 2}};
    want[3] = {{2, 3}};
    want[TILES + 1] = {{3, 5}};
    want[TILES + 3] = {{5, 6}};
    CHECK(graph.getTileMapping(all) == want);
  }
  Graph::TileToTensorMapping const linear =
      graph.getTileMapping(graph.getNonReplicatedTensor(spread));
  for (std::size_t tile = 0; tile < 2 * TILES; ++tile)
    CHECK(linear[tile] == std::vector<Interval>{{tile, tile + 1}});
  CHECK(replicated.getTileMapping(x).size() == TILES);
  CHECK_THROWS_AS(graph.setTileMapping(x, TILES), graph_replication_error);
}

TEST_CASE("vertices, copies and initial values exist once for each replica") {
  onDevicesOf(3, [](Device const &device) {
    Graph graph(device);
    Graph replicated = graph.createReplicatedGraph(3);
    Tensor const x = temporary(replicated, FLOAT, {4}, "x");
    Tensor const y = temporary(replicated, FLOAT, {4}, "y");
    Tensor const z = variable(replicated, FLOAT, {2, 2}, "z");
    replicated.setInitialValue(z, 9.0f);
    Tensor const all = graph.getNonReplicatedTensor(x);
    graph.createHostWrite("all", all);
    graph.createHostRead("ally", graph.getNonReplicatedTensor(y));
    ComputeSet const cs = replicated.addComputeSet("scale");
    VertexRef const v =
        replicated.addVertex(cs, "engineTest::Scale", {{"in", x}, {"out", y}, {"factor", 2.0f}});
    replicated.setTileMapping(v, 0);
    replicated.setPerfEstimate(v, 100);
    CHECK(graph.getNumVertices() == 3);
    Tensor const half = replicated.addConstant(FLOAT, {1}, 0.5f);
    replicated.setTileMapping(half, 0);
    Sequence program({Execute(cs), Copy(y.slice(0, 3), z.flatten().slice(0, 3)),
                      Copy(half, z.flatten().slice(1, 2))});
    Engine engine(graph, program);
    engine.load(device);
    std::vector<float> const in{1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24};
    write(engine, "all", in);
    engine.run();
    std::vector<float> want;
    for (float value : in)
      want.push_back(2 * value);
    CHECK(read<float>(engine, "ally", 12) == want);
    CHECK(read<float>(engine, "z", 12) ==
          std::vector<float>{2, 0.5f, 6, 9, 22, 0.5f, 26, 9, 42, 0.5f, 46, 9});
  });
}

TEST_CASE("fields of several regions, lists of tensors and values are connected in all replicas") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device);
    Graph replicated = graph.createReplicatedGraph(2);
    Tensor const rows = variable(replicated, INT, {2, 2}, "rows");
    Tensor const a = variable(replicated, INT, {2}, "a"), b = variable(replicated, INT, {2}, "b");
    ComputeSet const cs = replicated.addComputeSet("sums");
    VertexRef const whole =
        replicated.addVertex(cs, "engineTest::SumRows", {{"rows", rows}, {"out", a}});
    VertexRef const one = replicated.addVertex(cs, "engineTest::SumRows");
    replicated.connect(one["out"], b);
    replicated.setFieldSize(one["rows"], 2);
    CHECK(replicated.getFieldSize(one["rows"]) == 2);
    replicated.connect(one["rows"][0], rows[1]);
    replicated.connect(one["rows"][1], rows[0]);
    for (VertexRef const &v : {whole, one}) {
      replicated.setInitialValue(v["weights"], std::vector<int>{1, 10});
      replicated.setTileMapping(v, 0);
    }
    Engine engine(graph, Execute(cs));
    engine.load(device);
    write(engine, "rows", std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
    engine.run();
    CHECK(read<int>(engine, "a", 4) == std::vector<int>{3, 70, 11, 150});
    CHECK(read<int>(engine, "b", 4) == std::vector<int>{7, 30, 15, 110});
  });
}

TEST_CASE("streams exist once for each replica; indices and prints tell replicas apart") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device);
    Graph replicated = graph.createReplicatedGraph(2);
    Tensor const x = temporary(replicated, INT, {2}, "x");
    DataStream const in = replicated.addHostToDeviceFIFO("in", INT, 2);
    DataStream const out = replicated.addDeviceToHostFIFO("out", INT, 2);
    DataStream const same =
        replicated.addHostToDeviceFIFO("same", INT, 2, ReplicatedStreamMode::BROADCAST);
    CHECK(in.replicationFactor() == 2);
    Tensor const index = replicated.addReplicationIndexConstant();
    replicated.setTileMapping(index, 0);
    Tensor const y = variable(replicated, UNSIGNED_INT, {1}, "y");
    Engine engine(graph, {Repeat(2, Sequence({Copy(in, x), Copy(x, out)})),
                          Sequence({Copy(same, x), Copy(x, out)}),
                          Sequence({Copy(index, y), PrintTensor("y", y)})});
    engine.load(device);
    std::vector<int> data{1, 2, 11, 12, 3, 4, 13, 14}, results(8);
    engine.connectStream("in", data.data(), data.data() + 8);
    engine.connectStream("same", data.data());
    engine.connectStream("out", results.data(), results.data() + 8);
    engine.run(0);
    CHECK(results == data);
    std::vector<int> sent(2);
    for (unsigned r = 0; r < 2; ++r)
      engine.connectStreamToCallback("out", r,
                                     [&sent, r](void *p) { sent[r] = *static_cast<int *>(p); });
    engine.run(1);
    CHECK(sent == std::vector<int>{1, 1});
    std::ostringstream text;
    engine.setPrintStream(text);
    engine.run(2);
    CHECK(read<unsigned>(engine, "y", 2) == std::vector<unsigned>{0, 1});
    CHECK(text.str() == "y_replica_0: [0]\ny_replica_1: [1]\n");
  });
}

TEST_CASE("predicates of all replicas must agree") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device);
    Graph replicated = graph.createReplicatedGraph(2);
    Tensor const n = variable(replicated, INT, {1}, "n"), x = variable(replicated, INT, {1}, "x");
    Tensor const flag = temporary(replicated, BOOL, {1}, "flag");
    Switch cases(x);
    cases.add(3, countUp(replicated, x, 100));
    Engine engine(graph, Sequence({RepeatWhileFalse(testBelow(replicated, n, flag, 1), flag,
                                                    Sequence({countUp(replicated, n, -1),
                                                              countUp(replicated, x, 1)})),
                                   If(flag, cases, Sequence())}));
    engine.load(device);
    write(engine, "n", std::vector<int>{3, 3});
    engine.run();
    CHECK(read<int>(engine, "x", 2) == std::vector<int>{103, 103});
    write(engine, "n", std::vector<int>{3, 2});
    CHECK(contains(messageOf<control_program_error>([&] { engine.run(); }),
                   "differs between replica 0 and replica 1"));
  });
}

TEST_CASE("the parent reaches single replicas; cross-replica copies work within it") {
  onDevicesOf(4, [](Device const &device) {
    Graph graph(device);
    Graph two = graph.createReplicatedGraph(2);
    Graph four = two.createReplicatedGraph(2);
    Tensor const x = variable(four, INT, {1}, "x"), y = temporary(two, INT, {1}, "y");
    Tensor const z = variable(four, INT, {1}, "z");
    Tensor const ally = graph.getNonReplicatedTensor(y);
    graph.createHostRead("y", ally);
    // y is what replica 1 and 3 of x have; z gets y of the pair, and then what the next one has.
    Sequence program({Copy(graph.getNonReplicatedTensor(x).subSample(2, 0), ally)});
    program.add(Copy(y, z));
    Engine engine(graph, {program, CrossReplicaCopy(x, z, {{0, 1}, {1, 2}, {2, 3}, {3, 0}})});
    engine.load(device);
    write(engine, "x", std::vector<int>{1, 2, 3, 4});
    engine.run(0);
    CHECK(read<int>(engine, "y", 2) == std::vector<int>{1, 3});
    CHECK(read<int>(engine, "z", 4) == std::vector<int>{1, 1, 3, 3});
    engine.run(1);
    CHECK(read<int>(engine, "z", 4) == std::vector<int>{4, 1, 2, 3});
  });
}

TEST_CASE("both kinds of replication together count replicas through") {
  onDevicesOf(4, [](Device const &device) {
    Graph graph(device, replication_factor(2));
    Graph inner = graph.createReplicatedGraph(2);
    CHECK(inner.getReplicationFactor() == 4);
    CHECK(inner.getTarget().getNumIPUs() == 1);
    Tensor const index = inner.addReplicationIndexConstant();
    inner.setTileMapping(index, 0);
    DataStream const in = inner.addHostToDeviceFIFO("in", UNSIGNED_INT, 1);
    CHECK(in.replicationFactor() == 4);
    Tensor const y = variable(inner, UNSIGNED_INT, {2}, "y");
    Engine engine(graph, Sequence({Copy(index, y[0]), Copy(in, y[1])}));
    engine.load(device);
    std::vector<unsigned> data{5, 6, 7, 8};
    engine.connectStream("in", data.data());
    engine.run();
    CHECK(read<unsigned>(engine, "y", 8) == std::vector<unsigned>{0, 5, 1, 6, 2, 7, 3, 8});
  });
}

TEST_CASE("cycle counts of a replicated graph reach all replicas") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device);
    Graph replicated = graph.createReplicatedGraph(2);
    Tensor const x = temporary(replicated, INT, {1}, "x");
    Sequence program({countUp(replicated, x, 1)});
    Tensor const count = cycleCount(replicated, program, 0, SyncType::INTERNAL, "count");
    replicated.createHostRead("count", count);
    Engine engine(graph, program);
    engine.load(device);
    engine.run();
    auto const words = read<unsigned>(engine, "count", 4);
    CHECK(words[0] > 0);
    CHECK(words[0] == words[2]);
    CHECK(words[1] == words[3]);
  });
}

TEST_CASE("what exists once cannot be written by all, and the text says what to do") {
  onDevicesOf(2, [](Device const &device) {
    Graph graph(device);
    Graph replicated = graph.createReplicatedGraph(2);
    Tensor const once = variable(graph, INT, {1}, "once");
    Tensor const twice = variable(replicated, INT, {1}, "twice");
    CHECK(contains(messageOf<graph_replication_error>([&] { Copy(twice, once); }),
                   "Graph::getNonReplicatedTensor"));
    CHECK_NOTHROW(Copy(once, twice));
    ComputeSet const cs = graph.addComputeSet("cs");
    VertexRef const v = replicated.addVertex(cs, "engineTest::Count");
    CHECK(contains(messageOf<graph_replication_error>([&] { replicated.connect(v["x"], once[0]); }),
                   "is written by 2 replicas"));
    VertexRef const w = graph.addVertex(cs, "engineTest::Count");
    CHECK(contains(messageOf<graph_replication_error>([&] { graph.connect(w["x"], twice[0]); }),
                   "a tensor of 2 replicas"));
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 1);
    CHECK(contains(messageOf<graph_replication_error>([&] { Copy(in, twice); }),
                   "make the stream through the replicated graph"));
    CHECK_THROWS_AS(replicated.addHostToDeviceFIFO("in", INT, 1), poplar_error);
    Tensor const flag = variable(replicated, BOOL, {}, "flag");
    CHECK_THROWS_AS(Execute(cs, flag), graph_replication_error);
    CHECK_THROWS_AS(replicated.getNonReplicatedTensor(twice), graph_replication_error);
    Sequence program;
    CHECK_THROWS_AS(getHwSeeds(replicated, program), graph_replication_error);
    CHECK_THROWS_AS(CrossReplicaCopy(twice, twice, {{0, 0}}), graph_replication_error);
    Tensor const none = replicated.addVariable(INT, {0});
    CHECK(graph.getNonReplicatedTensor(none).shape()[1] == 0);
    CHECK(graph.getNonReplicatedTensor(once).shape() == std::vector<std::size_t>{1, 1});
  });
}
