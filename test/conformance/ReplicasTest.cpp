// Replicated graphs: each replica has its own contents on its own part of the device.
#include "Conformance.hpp"

#include <poplar/exceptions.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

namespace {

/// Runs a program of two replicas on a CPU and on an IPU Model.
template <class F> void onTwoReplicas(F const &f) {
  {
    INFO("on a CPU");
    f(Device::createCPUDevice(2));
  }
  INFO("on an IPU Model");
  f(smallModel(4, 2));
}

} // namespace

TEST_SUITE("conformance/replicas") {
  TEST_CASE("a replica is the device's share, and the host sees all of them in order") {
    onTwoReplicas([](Device const &device) {
      Graph graph(device, replication_factor(2));
      CHECK(graph.getReplicationFactor() == 2);
      CHECK(graph.getTarget().getNumIPUs() == 1);
      CHECK(device.getTarget().getNumIPUs() == 2);
      Tensor const x = variable(graph, INT, {2}, "x"), y = variable(graph, INT, {2}, "y");
      Tensor const index = graph.addReplicationIndexConstant();
      graph.setTileMapping(index, 0);
      CHECK(index.elementType() == UNSIGNED_INT);
      CHECK(index.numElements() == 1);
      Engine engine(graph, Sequence{Copy(x, y), Copy(index.flatten(),
                                                     y.slice(0, 1).reinterpret(UNSIGNED_INT))});
      engine.load(device);
      put<int>(engine, "x", {10, 11, 20, 21});
      engine.run();
      CHECK(get<int>(engine, "y", 4) == std::vector<int>{0, 11, 1, 21});
    });
  }

  TEST_CASE("replicas exchange data along a ring") {
    onTwoReplicas([](Device const &device) {
      Graph graph(device, replication_factor(2));
      Tensor const x = variable(graph, INT, {3}, "x"), y = variable(graph, INT, {3}, "y");
      Engine engine(graph, CrossReplicaCopy(x, y, {{0, 1}, {1, 0}}));
      engine.load(device);
      put<int>(engine, "x", {1, 2, 3, 4, 5, 6});
      engine.run();
      CHECK(get<int>(engine, "y", 6) == std::vector<int>{4, 5, 6, 1, 2, 3});
    });
  }

  TEST_CASE("streams give each replica its own data, or all of them the same") {
    onTwoReplicas([](Device const &device) {
      Graph graph(device, replication_factor(2));
      Tensor const own = variable(graph, INT, {2}, "own"), same = variable(graph, INT, {2}, "same");
      DataStream const each = graph.addHostToDeviceFIFO("each", INT, 2);
      DataStream const all =
          graph.addHostToDeviceFIFO("all", INT, 2, ReplicatedStreamMode::BROADCAST);
      DataStream const out = graph.addDeviceToHostFIFO("out", INT, 2);
      Sequence prog{Copy(each, own), Copy(all, same), AssumeEqualAcrossReplicas(same),
                    Copy(own, out)};
      Engine engine(graph, Repeat(2, prog));
      std::vector<int> input = counting(8), output(8);
      engine.connectStream("each", input.data(), input.data() + 8);
      engine.connectStream("all", input.data(), input.data() + 8);
      engine.connectStream("out", output.data(), output.data() + 8);
      engine.load(device);
      engine.run();
      CHECK(output == input);
      CHECK(get<int>(engine, "own", 4) == std::vector<int>{4, 5, 6, 7});
      CHECK(get<int>(engine, "same", 4) == std::vector<int>{2, 3, 2, 3});
    });
  }

  TEST_CASE("prints name their replica") {
    onTwoReplicas([](Device const &device) {
      Graph graph(device, replication_factor(2));
      Tensor const x = variable(graph, INT, {2}, "x");
      Engine engine(graph, PrintTensor("x", x));
      std::ostringstream text;
      engine.setPrintStream(text);
      engine.load(device);
      put<int>(engine, "x", {1, 2, 3, 4});
      engine.run();
      auto const first = text.str().find("x_replica_0: [1 2]\n");
      auto const second = text.str().find("x_replica_1: [3 4]\n");
      CHECK(first != std::string::npos);
      CHECK(second != std::string::npos);
      CHECK(first < second);
    });
  }

  TEST_CASE("factors and maps that do not fit are errors") {
    Device const device = smallModel(4, 2);
    CHECK_THROWS_AS(Graph(device, replication_factor(3)), graph_replication_error);
    CHECK_THROWS_AS(Graph(Device::createCPUDevice(), replication_factor(2)),
                    graph_replication_error);
    Graph graph(device, replication_factor(2));
    Tensor const x = variable(graph, INT, {3}, "x"), y = variable(graph, INT, {2}, "y");
    CHECK_THROWS_AS(Engine(graph, CrossReplicaCopy(x, x.slice(0, 3), {{0, 1}})), poplar_error);
    CHECK_THROWS_AS(CrossReplicaCopy(x, y, {{0, 1}, {1, 0}}), poplar_error);
  }
}
