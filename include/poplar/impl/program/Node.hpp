#pragma once
// The program tree: immutable once shared, so that copies of programs are snapshots.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <poplar/PrintTensor.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/impl/graph/View.hpp>

namespace cottonwood::program {

struct Node;
/// Null stands for a program without a body, which does nothing.
using NodePtr = std::shared_ptr<const Node>;

/// kind              children          views                       id           count        cases
/// Sequence          in order
/// Execute                             exit flag BOOL (optional)   compute set
/// Copy                                source, destination
/// StreamToDevice                      destination                 stream
/// StreamToHost                        source                      stream
/// Repeat            body                                                       turns
/// RepeatWhileTrue   condition, body   predicate
/// RepeatWhileFalse  condition, body   predicate
/// If                then, else        predicate
/// Switch            one a case, then  control                                               values
///                   the default
/// Call                                                            function
/// PrintTensor                         tensor
/// WriteUndef                          tensor
/// CrossReplicaCopy                    source, destination                              sources
/// AssumeEqual                         tensor
/// Sync
/// CycleCount        body              counter [2] UNSIGNED_INT    tile
/// CycleStamp                          counter [2] UNSIGNED_INT    tile
/// RemoteToDevice                      destination, offsets (opt.) buffer
/// RemoteToHost                        source, offsets (optional)  buffer
/// Loop              body
/// HostCall                            inputs, then outputs        function     inputs
/// Error                               tensor; print has the message
/// Abort                               predicate (optional); print has the message
/// Block             body
enum class NodeKind : std::uint8_t {
  Sequence,
  Execute,
  Copy,
  StreamToDevice,
  StreamToHost,
  Repeat,
  RepeatWhileTrue,
  RepeatWhileFalse,
  If,
  Switch,
  Call,
  PrintTensor,
  WriteUndef,
  CrossReplicaCopy, ///< cases[replica]: the replica whose source it receives
  AssumeEqual,
  Sync,
  CycleCount,
  CycleStamp,
  RemoteToDevice,
  RemoteToHost,
  Loop,
  HostCall,
  Error,
  Abort,
  Block,
};

/// What a Switch does when no case matches: its default body, or an error when it runs.
enum class SwitchDefault : std::uint8_t { Body, BoundsError };

/// What PrintTensor prints beside the elements.
struct PrintSpec {
  std::string title;
  poplar::PrintTensorFmt format;
};

struct Node {
  NodeKind kind = NodeKind::Sequence;
  SwitchDefault switchDefault = SwitchDefault::Body;
  poplar::SyncType syncType = poplar::SyncType::INTERNAL;
  std::uint32_t id = 0;
  std::uint32_t depth = 1;  ///< programs inside one another, this one and functions included
  graph::GraphId graph = 0; ///< the graph all operands belong to, 0 when there is none to name
  std::uint64_t count = 0;
  std::string name; ///< debug path
  std::vector<NodePtr> children;
  std::vector<graph::View> views;
  std::vector<std::int32_t> cases;
  std::shared_ptr<const PrintSpec> print;
};

char const *kindName(NodeKind kind);

/// Programs nest up to here: what walks them may call itself for each level.
inline constexpr std::uint32_t MAX_DEPTH = 5000;

/// Notes that `parent` is to contain or to call `child`, which may be null. \throws poplar_error
/// it is then too deep.
void deepen(Node &parent, NodePtr const &child);
/// Appends children, each of which may be null. \throws as deepen()
void addChildren(Node &parent, std::initializer_list<NodePtr> children);

/// \throws poplar_error  there is no such type.
void requireSyncType(std::string_view where, poplar::SyncType type);

/// Same kinds, operands and children; names do not count. Shared subtrees compare in O(1).
bool equal(NodePtr const &a, NodePtr const &b);

/// Calls f(Node const&) for every node of the tree in program order, each *occurrence* of a shared
/// subtree included.
template <class F> void forEachNode(NodePtr const &root, F &&f) {
  if (!root)
    return;
  f(*root);
  for (NodePtr const &child : root->children)
    forEachNode(child, f);
}

} // namespace cottonwood::program
