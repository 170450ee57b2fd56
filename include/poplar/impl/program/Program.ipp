#pragma once
#include <poplar/Program.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/ReplicaGroups.hpp>
#include <poplar/impl/program/Access.hpp>
#include <poplar/impl/program/Node.hpp>
#include <poplar/impl/program/Operands.hpp>

// The kinds of programs: each checks its operands and makes a node.

namespace cottonwood::program::detail {

using poplar::program::Program;

POP_INLINE std::shared_ptr<Node> makeNode(NodeKind kind, poplar::DebugContext const &debugContext) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->name = base::DebugAccess::path(debugContext);
  return node;
}

POP_INLINE void addView(std::string_view where, Node &node, std::string_view what,
                        poplar::Tensor const &tensor) {
  graph::View const &view = graph::checkedView(where, what, tensor);
  if (node.graph != 0 && node.graph != view.graph())
    base::fail<poplar::poplar_error>(where, "the tensor '", what, "' of shape ",
                                     base::shapeText(view.shape()),
                                     " belongs to another graph than the other operands");
  node.graph = view.graph();
  node.views.push_back(view);
}

POP_INLINE bool isInteger32(poplar::Type type) {
  return type == poplar::INT || type == poplar::UNSIGNED_INT;
}

/// A predicate or a control value is one element.
POP_INLINE graph::View const &checkedScalar(std::string_view where, std::string_view what,
                                            poplar::Tensor const &tensor) {
  graph::View const &view = graph::checkedView(where, what, tensor);
  if (view.numElements() != 1)
    base::fail<poplar::control_program_error>(
        where, what, " has shape ", base::shapeText(view.shape()), "; it must be one element");
  return view;
}

POP_INLINE void addPredicate(std::string_view where, Node &node, poplar::Tensor const &tensor) {
  char const *const what = "the predicate";
  poplar::Type const type = checkedScalar(where, what, tensor).type();
  if (!base::typeInfo(type).isInteger) // BOOL counts as one
    base::fail<poplar::control_program_error>(where, what, " has elements of type ", type,
                                              "; allowed are bool and the integer types");
  addView(where, node, what, tensor);
}

/// A control value: one element of BOOL, INT or UNSIGNED_INT.
POP_INLINE void addControl(std::string_view where, Node &node, std::string_view what,
                           poplar::Tensor const &tensor) {
  graph::View const &view = checkedScalar(where, what, tensor);
  if (view.type() != poplar::BOOL && !isInteger32(view.type()))
    base::fail<poplar::control_program_error>(where, what, " has elements of type ", view.type(),
                                              "; allowed are bool, int and unsigned int");
  addView(where, node, what, tensor);
}

/// The bytes of QUARTER elements, and behind them that of their metadata.
POP_INLINE graph::View bytesWithMetadata(graph::View const &view) {
  auto const bytes = [](graph::View const &of) {
    std::size_t const shape[] = {static_cast<std::size_t>(of.numElements())};
    return of.reshape(shape).reinterpret(poplar::UNSIGNED_CHAR);
  };
  graph::View const parts[] = {bytes(view), bytes(graph::metadataView(view))};
  return graph::View::concat(parts, 0);
}

POP_INLINE void addWithMetadata(Node &node) {
  if (node.views[0].metadata() != graph::kNoMetadata)
    node.views.push_back(bytesWithMetadata(node.views[0]));
}

/// Of a copy between QUARTER tensors with metadata of their own, these go along.
POP_INLINE void carryMetadata(char const *where, Node &node) {
  graph::View &from = node.views[0], &to = node.views[1];
  if (from.metadata() == to.metadata())
    return;
  unsigned char old = 0, next = 0;
  auto const read = [](graph::View const &view, unsigned char &value) {
    return graph::readConstantElement(graph::metadataView(view),
                                      std::as_writable_bytes(std::span(&value, 1)));
  };
  if (read(to, old)) {
    if (read(from, next) && next == old)
      return;
    base::fail<poplar::tensor_metadata_error>(
        where, "the metadata of 'dst' are a constant and may differ from those of 'src'; "
               "popops::cast converts the elements");
  }
  from = bytesWithMetadata(from);
  to = bytesWithMetadata(to);
}

/// Source and destination of a copy: equal types and numbers of elements.
POP_INLINE void addCopyOperands(char const *where, Node &node, poplar::Tensor const &src,
                                poplar::Tensor const &dst) {
  addView(where, node, "src", src);
  addView(where, node, "dst", dst);
  graph::View const &from = node.views[0], &to = node.views[1];
  if (from.type() != to.type())
    base::fail<poplar::type_error>(where, "'src' has elements of type ", from.type(),
                                   ", 'dst' of type ", to.type(), "; the types must be equal");
  if (from.numElements() != to.numElements())
    base::fail<poplar::poplar_error>(where, "'src' has shape ", base::shapeText(from.shape()),
                                     ", 'dst' has shape ", base::shapeText(to.shape()),
                                     "; the numbers of elements must be equal");
  graph::checkWriteable(where, "dst", to);
  carryMetadata(where, node);
}

POP_INLINE NodePtr copyNode(poplar::Tensor const &src, poplar::Tensor const &dst,
                            poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = makeNode(NodeKind::Copy, debugContext);
  addCopyOperands("Copy", *node, src, dst);
  return graph::forAllInstances(std::move(node));
}

POP_INLINE NodePtr streamNode(poplar::DataStream const &stream, poplar::Tensor const &tensor,
                              bool toDevice, poplar::DebugContext const &debugContext) {
  char const *const where = "Copy";
  graph::StreamData const *const data = graph::HandleAccess::data(stream);
  if (!data)
    base::fail<poplar::poplar_error>(where, "the stream is default-constructed");
  if (poplar::isRemoteBuffer(data->direction))
    base::fail<poplar::poplar_error>(where, "the stream is one half of the remote buffer '",
                                     data->handle, "'; copy the buffer itself");
  if (poplar::isHostToDevice(data->direction) != toDevice)
    base::fail<poplar::poplar_error>(where, "the stream '", data->handle, "' goes from ",
                                     toDevice ? "device to host, but is copied from"
                                              : "host to device, but is copied to");
  std::shared_ptr<Node> node =
      makeNode(toDevice ? NodeKind::StreamToDevice : NodeKind::StreamToHost, debugContext);
  node->graph = data->graph;
  node->id = data->id;
  std::string_view const what = toDevice ? "dst" : "src";
  addView(where, *node, what, tensor);
  graph::View const &view = node->views[0];
  if (view.type() != data->type)
    base::fail<poplar::type_error>(where, "the stream '", data->handle, "' has elements of type ",
                                   data->type, ", '", what, "' of type ", view.type(),
                                   "; the types must be equal");
  if (view.numElements() != data->numElements)
    base::fail<poplar::poplar_error>(where, "the stream '", data->handle, "' moves ",
                                     data->numElements, " elements, '", what, "' has shape ",
                                     base::shapeText(view.shape()), " with ", view.numElements());
  if (toDevice)
    graph::checkWriteable(where, what, view);
  return graph::forAllInstances(std::move(node));
}

/// RepeatWhileTrue, RepeatWhileFalse and If: two programs and a predicate.
POP_INLINE NodePtr predicateNode(NodeKind kind, poplar::Tensor const &predicate,
                                 Program const &first, Program const &second,
                                 poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = makeNode(kind, debugContext);
  addPredicate(kindName(kind), *node, predicate);
  addChildren(*node, {Access::node(first), Access::node(second)});
  return graph::forAllInstances(std::move(node));
}

using SwitchCases = std::vector<std::pair<std::int32_t, Program>>;

POP_INLINE void addCase(Node &node, std::int32_t value, Program const &body) {
  if (std::find(node.cases.begin(), node.cases.end(), value) != node.cases.end())
    base::fail<poplar::control_program_error>("Switch", "the case value ", value, " occurs twice");
  deepen(node, Access::node(body));
  node.cases.push_back(value);
  node.children.insert(node.children.end() - 1, Access::node(body)); // the default stays last
}

POP_INLINE NodePtr switchNode(poplar::Tensor const &control, SwitchCases const &cases,
                              Program const &defaultBody,
                              poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = makeNode(NodeKind::Switch, debugContext);
  addControl("Switch", *node, "the control tensor", control);
  addChildren(*node, {Access::node(defaultBody)});
  for (auto const &[value, body] : cases)
    addCase(*node, value, body);
  return graph::forAllInstances(std::move(node));
}

POP_INLINE NodePtr printNode(poplar::StringRef title, poplar::Tensor const &tensor,
                             poplar::PrintTensorFmt const &format,
                             poplar::DebugContext const &debugContext) {
  base::requireEnumerator<poplar::poplar_error>("PrintTensor", "PrintTensorFmt::FloatFormat",
                                                format.floatFormat(),
                                                {"Auto", "Fixed", "Scientific", "None"});
  std::shared_ptr<Node> node = makeNode(NodeKind::PrintTensor, debugContext);
  addView("PrintTensor", *node, "t", tensor);
  addWithMetadata(*node);
  node->print = std::make_shared<PrintSpec const>(PrintSpec{title, format});
  return graph::forAllInstances(std::move(node));
}

POP_INLINE NodePtr executeNode(poplar::ComputeSet const &cs,
                               poplar::DebugContext const &debugContext) {
  if (cs.getId() == poplar::ComputeSet().getId())
    base::fail<poplar::poplar_error>(
        "Execute", "the compute set is default-constructed; use what addComputeSet returns");
  std::shared_ptr<Node> node = makeNode(NodeKind::Execute, debugContext);
  node->id = cs.getId();
  node->graph = graph::HandleAccess::graph(cs);
  return node;
}

POP_INLINE NodePtr executeNode(poplar::ComputeSet const &cs, poplar::Tensor const &flag,
                               poplar::DebugContext const &debugContext) {
  auto node = std::make_shared<Node>(*executeNode(cs, debugContext));
  graph::View const &view = graph::checkedView("Execute", "t", flag);
  if (view.numElements() != 1 || view.type() != poplar::BOOL)
    base::fail<poplar::control_program_error>("Execute", "'t' has shape ",
                                              base::shapeText(view.shape()), " and type ",
                                              view.type(), "; it must be one element of type bool");
  addView("Execute", *node, "t", flag);
  graph::checkWriteable("Execute", "t", view);
  return graph::forAllInstances(std::move(node));
}

POP_INLINE NodePtr functionNode(poplar::Function const &f,
                                poplar::DebugContext const &debugContext) {
  if (f.getId() == poplar::Function().getId())
    base::fail<poplar::poplar_error>(
        "Call", "the function is default-constructed; use what addFunction returns");
  std::shared_ptr<Node> node = makeNode(NodeKind::Call, debugContext);
  node->id = f.getId();
  node->graph = graph::HandleAccess::graph(f);
  if (auto const graph = graph::GraphData::find(node->graph))
    if (node->id < graph->numFunctions())
      deepen(*node, graph->function(node->id));
  return node;
}

POP_INLINE NodePtr undefNode(poplar::Tensor const &tensor,
                             poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = makeNode(NodeKind::WriteUndef, debugContext);
  addView("WriteUndef", *node, "t", tensor);
  if (node->views[0].containsConstant())
    base::fail<poplar::poplar_error>("WriteUndef", "'t' of shape ",
                                     base::shapeText(node->views[0].shape()),
                                     " has elements of a constant");
  return graph::forAllInstances(std::move(node));
}

POP_INLINE std::string mapText(std::map<unsigned, unsigned> const &map) {
  std::string text = "{";
  for (auto const &[from, to] : map)
    text += base::textOf(text.size() == 1 ? "" : ", ", from, " -> ", to);
  return text + "}";
}

/// For every replica the one it receives from.
POP_INLINE std::vector<std::int32_t>
sourcesOf(char const *where, std::map<unsigned, unsigned> const &replicaMap, unsigned numReplicas) {
  std::vector<std::int32_t> sources(numReplicas, -1);
  bool isPermutation = replicaMap.size() == numReplicas;
  for (auto const &[from, to] : replicaMap) {
    isPermutation = isPermutation && from < numReplicas && to < numReplicas && sources[to] < 0;
    if (!isPermutation)
      break;
    sources[to] = static_cast<std::int32_t>(from);
  }
  if (!isPermutation)
    base::fail<poplar::graph_replication_error>(
        where, "the map ", mapText(replicaMap), " of a graph with replication factor ", numReplicas,
        " must name each replica from 0 to ", numReplicas - 1,
        " once as source and once as destination");
  return sources;
}

POP_INLINE NodePtr crossReplicaNode(poplar::Tensor const &src, poplar::Tensor const &dst,
                                    std::map<unsigned, unsigned> const &replicaMap,
                                    poplar::DebugContext const &debugContext) {
  char const *const where = "CrossReplicaCopy";
  std::shared_ptr<Node> node = makeNode(NodeKind::CrossReplicaCopy, debugContext);
  addCopyOperands(where, *node, src, dst);
  std::shared_ptr<graph::GraphData> const graph = graph::GraphData::find(node->graph);
  if (!graph)
    base::fail<poplar::poplar_error>(where, "the graph of 'src' does not exist any more");
  unsigned const group = graph::replicasOf(*graph, node->views[1]);
  if (group > 1 && graph->numReplicas() > 1)
    base::fail<poplar::graph_replication_error>(
        where, "the tensors are of a graph that createReplicatedGraph made within a replicated "
               "graph; copy between the replicas of one of the two");
  node->cases = sourcesOf(where, replicaMap, std::max(group, graph->numReplicas()));
  return graph::forAllInstances(std::move(node));
}

POP_INLINE NodePtr assumeEqualNode(poplar::Tensor const &tensor,
                                   poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = makeNode(NodeKind::AssumeEqual, debugContext);
  addView("AssumeEqualAcrossReplicas", *node, "t", tensor);
  return graph::forAllInstances(std::move(node));
}

} // namespace cottonwood::program::detail

namespace poplar::program {

POP_INLINE Program::Program() = default;
POP_INLINE Program::Program(Program const &p) = default;
POP_INLINE Program::Program(Program &&p) noexcept = default;
POP_INLINE Program &Program::operator=(Program const &p) = default;
POP_INLINE Program &Program::operator=(Program &&p) noexcept = default;
POP_INLINE Program::~Program() = default;

POP_INLINE bool Program::isEmpty() const { return !node_; }

POP_INLINE bool operator==(Program const &lhs, Program const &rhs) {
  return cottonwood::program::equal(lhs.node_, rhs.node_);
}

POP_INLINE Execute::Execute(ComputeSet cs, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::executeNode(cs, debugContext)) {}
POP_INLINE Execute::Execute(ComputeSet cs, Tensor t, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::executeNode(cs, t, debugContext)) {}

POP_INLINE Sequence::Sequence(DebugContext const &debugContext)
    : Program(cottonwood::program::NodePtr(cottonwood::program::detail::makeNode(
          cottonwood::program::NodeKind::Sequence, debugContext))) {}
POP_INLINE Sequence::Sequence(std::initializer_list<Program> programs,
                              DebugContext const &debugContext)
    : Sequence(debugContext) {
  for (Program const &program : programs)
    add(program);
}
POP_INLINE void Sequence::add(Program const &p) {
  cottonwood::program::NodePtr node =
      cottonwood::program::Access::node(p); // keeps a self-added tree as it is
  cottonwood::program::Node &sequence = cottonwood::program::Access::own(*this);
  if (node)
    cottonwood::program::addChildren(sequence, {std::move(node)});
}

POP_INLINE Copy::Copy(Tensor src, Tensor dst, bool, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::copyNode(src, dst, debugContext)) {}
POP_INLINE Copy::Copy(DataStream const &stream, Tensor dst, bool, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::streamNode(stream, dst, true, debugContext)) {}
POP_INLINE Copy::Copy(Tensor src, DataStream const &stream, bool, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::streamNode(stream, src, false, debugContext)) {}

POP_INLINE Repeat::Repeat(unsigned count, Program const &prog, DebugContext const &debugContext) {
  std::shared_ptr<cottonwood::program::Node> node =
      cottonwood::program::detail::makeNode(cottonwood::program::NodeKind::Repeat, debugContext);
  node->count = count;
  cottonwood::program::addChildren(*node, {cottonwood::program::Access::node(prog)});
  node_ = std::move(node);
}

POP_INLINE RepeatWhileTrue::RepeatWhileTrue(Program const &cond, Tensor predicate,
                                            Program const &body, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::predicateNode(
          cottonwood::program::NodeKind::RepeatWhileTrue, predicate, cond, body, debugContext)) {}
POP_INLINE RepeatWhileFalse::RepeatWhileFalse(Program const &cond, Tensor predicate,
                                              Program const &body, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::predicateNode(
          cottonwood::program::NodeKind::RepeatWhileFalse, predicate, cond, body, debugContext)) {}
POP_INLINE If::If(Tensor predicate, Program const &trueBody, Program const &falseBody,
                  DebugContext const &debugContext)
    : Program(cottonwood::program::detail::predicateNode(
          cottonwood::program::NodeKind::If, predicate, trueBody, falseBody, debugContext)) {}

POP_INLINE Switch::Switch(Tensor control,
                          std::vector<std::pair<std::int32_t, Program>> const &cases,
                          DebugContext const &debugContext)
    : Switch(control, cases, Program(), debugContext) {}
POP_INLINE Switch::Switch(Tensor control,
                          std::vector<std::pair<std::int32_t, Program>> const &cases,
                          Program const &defaultCaseBody, DebugContext const &debugContext)
    : Program(
          cottonwood::program::detail::switchNode(control, cases, defaultCaseBody, debugContext)) {}
POP_INLINE Switch::Switch(Tensor control, DebugContext const &debugContext)
    : Switch(control, Program(), debugContext) {}
POP_INLINE Switch::Switch(Tensor control, Program const &defaultCaseBody,
                          DebugContext const &debugContext)
    : Program(cottonwood::program::detail::switchNode(control, {}, defaultCaseBody, debugContext)) {
}

POP_INLINE Switch &Switch::add(std::int32_t value, Program const &body) {
  Program const kept = body; // may be this very program
  cottonwood::program::detail::addCase(cottonwood::program::Access::own(*this), value, kept);
  return *this;
}

POP_INLINE Switch Switch::switchWithBoundsChecking(
    Tensor control, std::vector<std::pair<std::int32_t, Program>> const &cases,
    DebugContext const &debugContext) {
  Switch result(control, cases, debugContext);
  cottonwood::program::Access::own(result).switchDefault =
      cottonwood::program::SwitchDefault::BoundsError;
  return result;
}

POP_INLINE Switch Switch::switchWithUnreachableDefault(Tensor control,
                                                       DebugContext const &debugContext) {
  return switchWithBoundsChecking(control, {}, debugContext);
}

POP_INLINE Call::Call(Function f, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::functionNode(f, debugContext)) {}

POP_INLINE PrintTensor::PrintTensor(Tensor t, DebugContext const &debugContext)
    : PrintTensor("", t, PrintTensorFmt(), debugContext) {}
POP_INLINE PrintTensor::PrintTensor(StringRef title, Tensor t, DebugContext const &debugContext)
    : PrintTensor(title, t, PrintTensorFmt(), debugContext) {}
POP_INLINE PrintTensor::PrintTensor(Tensor t, PrintTensorFmt const &fmt,
                                    DebugContext const &debugContext)
    : PrintTensor("", t, fmt, debugContext) {}
POP_INLINE PrintTensor::PrintTensor(StringRef title, Tensor t, PrintTensorFmt const &fmt,
                                    DebugContext const &debugContext)
    : Program(cottonwood::program::detail::printNode(title, t, fmt, debugContext)) {}

POP_INLINE CrossReplicaCopy::CrossReplicaCopy(Tensor src, Tensor dst,
                                              std::map<unsigned, unsigned> replicaMap,
                                              DebugContext const &debugContext)
    : Program(cottonwood::program::detail::crossReplicaNode(src, dst, replicaMap, debugContext)) {}
POP_INLINE AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor t,
                                                                DebugContext const &debugContext)
    : Program(cottonwood::program::detail::assumeEqualNode(t, debugContext)) {}

POP_INLINE WriteUndef::WriteUndef(Tensor t, DebugContext const &debugContext)
    : Program(cottonwood::program::detail::undefNode(t, debugContext)) {}

POP_INLINE Sync::Sync(SyncType type, DebugContext const &debugContext) {
  cottonwood::program::requireSyncType("poplar::program::Sync", type);
  std::shared_ptr<cottonwood::program::Node> node =
      cottonwood::program::detail::makeNode(cottonwood::program::NodeKind::Sync, debugContext);
  node->syncType = type;
  node_ = std::move(node);
}

} // namespace poplar::program
