#pragma once
// Graph::createReplicatedGraph: a graph whose contents exist several times within its parent.
//
// What is made through such a graph is made `count` times in the one graph that all share: a
// variable or a vertex is a group of instances, instance k on the tiles of replica k. Its tensors
// name a variable without storage that stands for all instances; a program on them is made once and
// holds all instances, as one copy, one list of transfers and so on, and getNonReplicatedTensor()
// shows the instances one by one. Behind the programs nobody knows of groups: lowering and the
// engine see variables and vertices.
//
// (Graph(target, replication_factor(r)) is another matter: there the whole graph runs r times; see
// impl/engine/Replicas.hpp. Both may be combined.)

#include <cstdint>
#include <memory>
#include <string_view>

#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/graph/View.hpp>
#include <poplar/impl/program/Node.hpp>

namespace cottonwood::graph {

class GraphData;

/// Instance k of a group is on the tile of instance 0 plus k * tileStride.
struct ReplicaGroup {
  std::uint32_t count = 1;
  std::uint32_t tileStride = 0;
};

/// The largest group that some variable of the view belongs to; 1 if there is none.
unsigned replicasOf(GraphData const &graph, View const &view);

/// The view as replica k of `count` sees it: groups of fewer instances are shared by neighbours,
/// other variables by all.
/// \throws graph_replication_error  a group does not divide `count`.
View instanceOf(GraphData const &graph, View const &view, unsigned k, unsigned count);

/// All instances one after another, of rank 1.
View allInstances(GraphData const &graph, View const &view, unsigned count);

/// The node made for all instances of the tensors it names.
/// \throws graph_replication_error  a tensor without replicas would be written by all.
program::NodePtr forAllInstances(std::shared_ptr<program::Node> node);

/// Makes groups of the variables and constants that a graph gets during the life of this object.
class NewVariables {
public:
  explicit NewVariables(GraphData &graph);
  void replicate(ReplicaGroup group) const;

private:
  GraphData &graph_;
  std::size_t numVariables_, numConstants_;
};

} // namespace cottonwood::graph
