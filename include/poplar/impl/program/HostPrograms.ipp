#pragma once
#include <poplar/Program.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/ReplicaGroups.hpp>
#include <poplar/impl/program/Access.hpp>
#include <poplar/impl/program/Node.hpp>
#include <poplar/impl/program/Operands.hpp>

// Programs that the host takes part in: copies of remote buffers, calls of its functions, and those
// that end a run. Loop and Block, which end with it, too.

namespace cottonwood::program::detail {

/// The operand in node.views[index] has the type of `type`, and `numElements` elements.
POP_INLINE void checkHostOperand(std::string_view where, Node const &node, std::size_t index,
                                 std::string_view what, std::string_view whose, poplar::Type type,
                                 std::uint64_t numElements) {
  graph::View const &view = node.views[index];
  if (view.type() != type)
    base::fail<poplar::type_error>(where, whose, " has elements of type ", type, ", '", what,
                                   "' of type ", view.type(), "; the types must be equal");
  if (view.numElements() != numElements)
    base::fail<poplar::poplar_error>(where, whose, " has ", numElements, " elements, '", what,
                                     "' has shape ", base::shapeText(view.shape()), " with ",
                                     view.numElements());
}

/// The host sees whole replicas only: Graph(target, replication_factor(r)) makes those.
POP_INLINE NodePtr withoutGroups(std::string_view where, std::shared_ptr<Node> node) {
  std::shared_ptr<graph::GraphData> const graph =
      graph::GraphData::anyGroups() ? graph::GraphData::find(node->graph) : nullptr;
  for (graph::View const &view : node->views)
    if (graph && graph->hasGroups() && graph::replicasOf(*graph, view) > 1)
      base::fail<poplar::graph_replication_error>(
          where, "a tensor of shape ", base::shapeText(view.shape()),
          " belongs to a graph made with createReplicatedGraph; name its instances with "
          "getNonReplicatedTensor()");
  return node;
}

/// The number of rows that the offsets name.
POP_INLINE std::uint64_t addOffsets(std::string_view where, Node &node,
                                    poplar::Tensor const &offset) {
  addView(where, node, "offset", offset);
  graph::View const &view = node.views.back();
  if (view.type() != poplar::INT && view.type() != poplar::UNSIGNED_INT)
    base::fail<poplar::poplar_error>(where, "'offset' has elements of type ", view.type(),
                                     "; it must be int or unsigned int");
  if (view.shape().size() > 1)
    base::fail<poplar::poplar_error>(where, "'offset' has shape ", base::shapeText(view.shape()),
                                     "; it must have at most one dimension");
  return view.numElements();
}

POP_INLINE NodePtr remoteNode(poplar::RemoteBuffer const &buffer, poplar::Tensor const &tensor,
                              poplar::Tensor const *offset, bool toDevice,
                              poplar::DebugContext const &debugContext) {
  char const *const where = "Copy", *const what = toDevice ? "dst" : "src";
  graph::RemoteBufferData const *const data = graph::HandleAccess::data(buffer);
  if (!data)
    base::fail<poplar::poplar_error>(where, "the remote buffer is default-constructed");
  std::shared_ptr<Node> node =
      makeNode(toDevice ? NodeKind::RemoteToDevice : NodeKind::RemoteToHost, debugContext);
  node->graph = data->graph;
  node->id = data->id;
  addView(where, *node, what, tensor);
  std::uint64_t const rows = offset ? addOffsets(where, *node, *offset) : 1;
  if (!offset && data->repeats != 1)
    base::fail<poplar::poplar_error>(where, "the remote buffer '", data->handle, "' has ",
                                     data->repeats, " repeats; name one with 'offset'");
  checkHostOperand(where, *node, 0, what,
                   base::textOf(rows == 1 ? "a row" : base::textOf(rows, " rows"),
                                " of the remote buffer '", data->handle, "'"),
                   data->type, rows * data->numElements);
  if (toDevice)
    graph::checkWriteable(where, what, node->views[0]);
  return withoutGroups(where, std::move(node));
}

/// What moves the code of a function does nothing: a sequence without children.
POP_INLINE NodePtr functionBufferNode(poplar::FunctionBuffer const &buffer,
                                      poplar::Function const &function,
                                      poplar::DebugContext const &debugContext) {
  if (buffer == poplar::FunctionBuffer() || function == poplar::Function())
    base::fail<poplar::poplar_error>(
        "Copy", buffer == poplar::FunctionBuffer() ? "the function buffer" : "the function",
        " is default-constructed");
  std::shared_ptr<Node> node = makeNode(NodeKind::Sequence, debugContext);
  node->graph = graph::HandleAccess::graph(function);
  return node;
}

POP_INLINE void addArguments(Node &node, std::string const &handle, bool inputs,
                             poplar::ArrayRef<poplar::Tensor> tensors,
                             std::vector<graph::HostFunctionData::Argument> const &declared) {
  char const *const where = "Call", *const kind = inputs ? "input" : "output";
  if (tensors.size() != declared.size())
    base::fail<poplar::poplar_error>(where, "the host function '", handle, "' has ",
                                     declared.size(), " ", kind, declared.size() == 1 ? "" : "s",
                                     ", and is called with ", tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::string const what = base::textOf(kind, "[", i, "]");
    addView(where, node, what, tensors[i]);
    checkHostOperand(where, node, node.views.size() - 1, what,
                     base::textOf("the host function '", handle, "'"), declared[i].first,
                     declared[i].second);
    if (!inputs)
      graph::checkWriteable(where, what, node.views.back());
  }
}

POP_INLINE NodePtr hostCallNode(poplar::HostFunction const &f,
                                poplar::ArrayRef<poplar::Tensor> inputs,
                                poplar::ArrayRef<poplar::Tensor> outputs,
                                poplar::DebugContext const &debugContext) {
  auto const graph = graph::GraphData::find(graph::HandleAccess::graph(f));
  if (!graph || f.getId() >= graph->hostFunctions().size())
    base::fail<poplar::poplar_error>(
        "Call", "the host function is none of a living graph; use what addHostFunction returns");
  graph::HostFunctionData const &data = graph->hostFunctions()[f.getId()];
  std::shared_ptr<Node> node = makeNode(NodeKind::HostCall, debugContext);
  node->graph = graph->id();
  node->id = f.getId();
  node->count = inputs.size();
  addArguments(*node, data.handle, true, inputs, data.inputs);
  addArguments(*node, data.handle, false, outputs, data.outputs);
  for (std::size_t i = inputs.size(); i < node->views.size(); ++i)
    for (std::size_t j = inputs.size(); j < i; ++j)
      if (node->views[i].intersectsWith(node->views[j]))
        base::fail<poplar::poplar_error>("Call", "output[", j - inputs.size(), "] and output[",
                                         i - inputs.size(), "] have elements in common");
  return withoutGroups("Call", std::move(node));
}

POP_INLINE NodePtr bodyNode(NodeKind kind, poplar::program::Program const &body,
                            poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = makeNode(kind, debugContext);
  addChildren(*node, {Access::node(body)});
  return node;
}

POP_INLINE std::shared_ptr<Node> messageNode(NodeKind kind, poplar::StringRef message,
                                             poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = makeNode(kind, debugContext);
  node->print = std::make_shared<PrintSpec const>(PrintSpec{message, {}});
  return node;
}

POP_INLINE NodePtr errorNode(poplar::StringRef message, poplar::Tensor const &tensor,
                             poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = messageNode(NodeKind::Error, message, debugContext);
  addView("ErrorProgram", *node, "debugTensor", tensor);
  addWithMetadata(*node);
  return graph::forAllInstances(std::move(node));
}

POP_INLINE NodePtr abortNode(poplar::Tensor const &predicate, poplar::StringRef message,
                             poplar::DebugContext const &debugContext) {
  std::shared_ptr<Node> node = messageNode(NodeKind::Abort, message, debugContext);
  addPredicate("AbortOnCondition", *node, predicate);
  return graph::forAllInstances(std::move(node));
}

} // namespace cottonwood::program::detail

namespace poplar::program {

namespace hostDetail = cottonwood::program::detail;

POP_INLINE Copy::Copy(RemoteBuffer const &buffer, Tensor dst, DebugContext const &debugContext)
    : Program(hostDetail::remoteNode(buffer, dst, nullptr, true, debugContext)) {}
POP_INLINE Copy::Copy(Tensor src, RemoteBuffer const &buffer, DebugContext const &debugContext)
    : Program(hostDetail::remoteNode(buffer, src, nullptr, false, debugContext)) {}
POP_INLINE Copy::Copy(RemoteBuffer const &buffer, Tensor dst, Tensor offset,
                      DebugContext const &debugContext)
    : Program(hostDetail::remoteNode(buffer, dst, &offset, true, debugContext)) {}
POP_INLINE Copy::Copy(Tensor src, RemoteBuffer const &buffer, Tensor offset,
                      DebugContext const &debugContext)
    : Program(hostDetail::remoteNode(buffer, src, &offset, false, debugContext)) {}
POP_INLINE Copy::Copy(FunctionBuffer const &buffer, Function const &function,
                      DebugContext const &debugContext)
    : Program(hostDetail::functionBufferNode(buffer, function, debugContext)) {}
POP_INLINE Copy::Copy(Function const &function, FunctionBuffer const &buffer,
                      DebugContext const &debugContext)
    : Program(hostDetail::functionBufferNode(buffer, function, debugContext)) {}

POP_INLINE Call::Call(HostFunction f, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
                      DebugContext const &debugContext)
    : Program(hostDetail::hostCallNode(f, inputs, outputs, debugContext)) {}

POP_INLINE Loop::Loop(Program const &prog, DebugContext const &debugContext)
    : Program(hostDetail::bodyNode(cottonwood::program::NodeKind::Loop, prog, debugContext)) {}
POP_INLINE Block::Block(Program const &p, DebugContext const &debugContext)
    : Program(hostDetail::bodyNode(cottonwood::program::NodeKind::Block, p, debugContext)) {}

POP_INLINE ErrorProgram::ErrorProgram(StringRef message, Tensor debugTensor,
                                      DebugContext const &debugContext)
    : Program(hostDetail::errorNode(message, debugTensor, debugContext)) {}

POP_INLINE Abort::Abort(DebugContext const &debugContext) : Abort("", debugContext) {}
POP_INLINE Abort::Abort(std::string const &message, DebugContext const &debugContext)
    : Program(cottonwood::program::NodePtr(
          hostDetail::messageNode(cottonwood::program::NodeKind::Abort, message, debugContext))) {}

POP_INLINE AbortOnCondition::AbortOnCondition(Tensor predicate, DebugContext const &debugContext)
    : Program(hostDetail::abortNode(predicate, "", debugContext)) {}
POP_INLINE AbortOnCondition::AbortOnCondition(Tensor predicate, std::string const &message,
                                              DebugContext const &debugContext)
    : Program(hostDetail::abortNode(predicate, message, debugContext)) {}

} // namespace poplar::program
