// Operations in replicated graphs, and an all-reduce written with cross-replica copies.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

Device modelOf(unsigned numIPUs) {
  IPUModel model;
  model.numIPUs = numIPUs;
  model.tilesPerIPU = 5;
  return model.createDevice();
}

/// sum over all replicas of x, on every replica: each adds what it gets from its neighbour and
/// passes it on.
Tensor allReduceSum(Graph &graph, Tensor const &x, Sequence &prog) {
  unsigned const numReplicas = graph.getReplicationFactor();
  std::map<unsigned, unsigned> ring;
  for (unsigned i = 0; i < numReplicas; ++i)
    ring[i] = (i + 1) % numReplicas;
  Tensor const sum = graph.clone(x), sent = graph.clone(x), got = graph.clone(x);
  prog.add(Copy(x, sum));
  prog.add(Copy(x, sent));
  Sequence turn;
  turn.add(CrossReplicaCopy(sent, got, ring, {"ring"}));
  popops::addInPlace(graph, sum, got, turn, "add");
  turn.add(Copy(got, sent));
  prog.add(Repeat(numReplicas - 1, turn));
  return sum;
}

/// Rows of [rows, columns] that are summed up on each replica and then over all of them, divided by
/// their number; plus the index of the replica.
void checkMeans(Graph &graph, Graph &replicated, Device const &device, unsigned numReplicas) {
  std::size_t const rows = 7, columns = 33;
  std::uint32_t const seed = 5;
  CAPTURE(seed);
  CAPTURE(numReplicas);
  popops::addCodelets(graph);
  Tensor const x = replicated.addVariable(FLOAT, {rows, columns}, "x");
  poputil::mapTensorLinearly(replicated, x);
  graph.createHostWrite("x", x);
  Tensor const index = replicated.addReplicationIndexConstant("index");
  replicated.setTileMapping(index, 0);
  Sequence prog;
  Tensor const local = popops::reduce(replicated, x, {0}, popops::Operation::ADD, prog, "local");
  Tensor const sum = allReduceSum(replicated, local, prog);
  Tensor const mean =
      popops::div(replicated, sum, static_cast<float>(rows * numReplicas), prog, "mean");
  Tensor const shifted = popops::add(
      replicated, mean, popops::cast(replicated, index, FLOAT, prog, "cast"), prog, "shift");
  graph.createHostRead("mean", shifted);
  Engine engine(graph, prog);
  engine.load(device);
  std::mt19937 random(seed);
  std::vector<float> values(numReplicas * rows * columns);
  for (float &value : values)
    value = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  engine.writeTensor("x", values.data(), values.data() + values.size());
  engine.run();
  std::vector<float> means(numReplicas * columns);
  engine.readTensor("mean", means.data(), means.data() + means.size());
  for (unsigned replica = 0; replica < numReplicas; ++replica)
    for (std::size_t column = 0; column < columns; ++column) {
      float want = 0; // whole numbers, so exact
      for (std::size_t row = 0; row < rows * numReplicas; ++row)
        want += values[row * columns + column];
      want = want / static_cast<float>(rows * numReplicas) + static_cast<float>(replica);
      CHECK(means[replica * columns + column] == doctest::Approx(want).epsilon(1e-6));
    }
}

} // namespace

TEST_SUITE_BEGIN("popops/replicas");

TEST_CASE("reduce, add, divide and cast on every replica, with an all-reduce between") {
  for (unsigned numReplicas : {1u, 2u, 3u})
    for (bool onModel : {false, true}) {
      Device const device = onModel ? modelOf(numReplicas) : Device::createCPUDevice(numReplicas);
      Graph graph(device, replication_factor(numReplicas));
      checkMeans(graph, graph, device, numReplicas);
    }
}

TEST_CASE("the same in a graph made with createReplicatedGraph, and in a virtual graph of that") {
  for (unsigned numReplicas : {1u, 2u, 3u})
    for (bool onModel : {false, true}) {
      Device const device = onModel ? modelOf(numReplicas) : Device::createCPUDevice(numReplicas);
      Graph graph(device);
      Graph replicated = graph.createReplicatedGraph(numReplicas);
      checkMeans(graph, replicated, device, numReplicas);
      if (!onModel)
        continue;
      Graph whole(device);
      Graph part = whole.createReplicatedGraph(numReplicas).createVirtualGraph({1, 3, 4});
      checkMeans(whole, part, device, numReplicas);
    }
}

TEST_SUITE_END();
