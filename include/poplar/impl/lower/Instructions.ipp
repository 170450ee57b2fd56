// Body of makeInstructions().
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Bsp.hpp>
#include <poplar/impl/lower/Moves.hpp>
#include <poplar/impl/lower/Passes.hpp>
#include <poplar/impl/lower/ProgramTree.hpp>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace cottonwood::lower::detail {

class Emitter {
public:
  explicit Emitter(Context &context) : context_(context), out_(context.out), tree_(context) {}
  void run();

private:
  using Node = program::Node;

  void program(program::NodePtr const &node);
  void node(Node const &node);
  void execute(Node const &node);
  void copy(Node const &node);
  void crossReplicaCopy(Node const &node);
  void stream(Node const &node, bool toDevice);
  void repeat(Node const &node);
  void repeatWhile(Node const &node, bool whileTrue);
  void branch(Node const &node);
  void switchCases(Node const &node);
  void print(Node const &node);
  void sync(Node const &node);
  void cycleCount(Node const &node);
  void loop(Node const &node);
  void remoteCopy(Node const &node, bool toDevice);
  void hostCall(Node const &node);
  void endOfRun(Node const &node);

  std::uint32_t here() const { return static_cast<std::uint32_t>(out_.instructions.size()); }
  Instruction &emit(Op op, std::uint32_t a = 0, std::uint64_t b = 0, std::uint32_t step = NONE) {
    if (step != NONE)
      tree_.addStep(step);
    return out_.instructions.emplace_back(Instruction{op, 0, a, b, step});
  }
  void account(std::uint32_t step) {
    if (step != NONE)
      emit(Op::Step, 0, 0, step);
  }
  void test(Op op, graph::View const &predicate);
  std::uint32_t addPlan(MovePlan const &plan) {
    out_.plans.push_back(plan);
    return static_cast<std::uint32_t>(out_.plans.size() - 1);
  }
  std::uint64_t addressOf(graph::View const &scalar) const;
  /// Between the arena and a packed buffer.
  MovePlan transfer(graph::View const &view, bool toDevice) {
    auto const [device, host] = bufferLayouts(context_, view);
    std::uint64_t const size = base::sizeOf(view.type());
    return toDevice ? planMoves(out_, host, device, size) : planMoves(out_, device, host, size);
  }
  std::uint32_t addPrint(Node const &node);

  Context &context_;
  ExecutableData &out_;
  ProgramTree tree_;
  std::vector<std::uint32_t> functionStart_;                       ///< by FunctionId
  std::vector<std::pair<std::uint32_t, graph::FunctionId>> calls_; ///< to patch
};

POP_INLINE std::uint64_t Emitter::addressOf(graph::View const &scalar) const {
  graph::View::Location const at = scalar.locate(0);
  return context_.offsets[context_.vars.of(at.var)] + at.offset * base::sizeOf(scalar.type());
}

POP_INLINE void Emitter::test(Op op, graph::View const &predicate) {
  if (predicate.numElements() > 1) { // one for each replica; the first decides
    std::uint64_t const size = base::sizeOf(predicate.type());
    std::uint32_t const plan = addPlan(planMoves(out_, bufferLayouts(context_, predicate), size));
    emit(Op::CheckEqual, plan).width = static_cast<std::uint8_t>(size);
  }
  Instruction &instruction = emit(op, 0, addressOf(predicate), controlStep(context_));
  instruction.width = static_cast<std::uint8_t>(base::sizeOf(predicate.type()));
}

POP_INLINE void Emitter::execute(Node const &node) {
  std::uint32_t const set = context_.computeSetIndex[node.id];
  bool const empty = context_.graph.computeSet(node.id).vertices.empty();
  if (empty && node.views.empty())
    return;
  ComputeSetSteps const steps =
      set < context_.computeSetSteps.size() ? context_.computeSetSteps[set] : ComputeSetSteps{};
  account(steps.before);
  account(steps.gather);
  if (node.views.empty())
    emit(Op::Execute, set, 0, steps.compute);
  else
    emit(Op::ExecuteWithExit, set, addressOf(node.views[0]), steps.compute);
  account(steps.scatter);
  account(steps.after);
}

/// Whether some source element may be a destination element, too.
POP_INLINE bool mayOverlap(graph::View const &src, graph::View const &dst) {
  // intersectsWith() is exact; a copy of a tensor to itself needs no second look, its plan is
  // empty.
  return !(src == dst) && src.intersectsWith(dst);
}

POP_INLINE void Emitter::copy(Node const &node) {
  graph::View const &src = node.views[0], &dst = node.views[1];
  std::uint64_t const size = base::sizeOf(src.type());
  std::uint32_t const step =
      src.numElements() == 0 ? NONE : addCopyStep(context_, src, dst, node.name);
  if (mayOverlap(src, dst)) {
    // All of the source is read before any of the destination is written.
    context_.copyStagingBytes = std::max(context_.copyStagingBytes, src.numElements() * size);
    emit(Op::Copy, addPlan(planMoves(out_, bufferLayouts(context_, src, out_.stagingBegin), size)),
         0, step);
    auto const [to, staged] = bufferLayouts(context_, dst, out_.stagingBegin);
    emit(Op::Copy, addPlan(planMoves(out_, staged, to, size)));
    return;
  }
  MovePlan const plan = planMoves(out_, arenaLayouts(context_, src, dst), size, Spaces::Same);
  if (plan.empty())
    return account(step);
  emit(Op::Copy, addPlan(plan), 0, step);
}

POP_INLINE void Emitter::crossReplicaCopy(Node const &node) {
  graph::View const &src = node.views[0], &dst = node.views[1];
  if (out_.numReplicas == 1)
    return copy(node);
  std::uint64_t const size = base::sizeOf(src.type());
  LayoutPair places;
  if (src.intersectsWith(dst)) {
    // A replica sends what it held before anything arrives.
    context_.copyStagingBytes = std::max(context_.copyStagingBytes, src.numElements() * size);
    emit(Op::Copy, addPlan(planMoves(out_, bufferLayouts(context_, src, out_.stagingBegin), size)));
    places = bufferLayouts(context_, dst, out_.stagingBegin);
    std::swap(places.first, places.second);
  } else {
    places = arenaLayouts(context_, src, dst);
  }
  CrossReplicaPlan plan{node.name, planMoves(out_, places, size), {}};
  plan.sources.assign(node.cases.begin(), node.cases.end());
  emit(Op::CrossReplicaCopy, static_cast<std::uint32_t>(out_.crossReplicaPlans.size()), 0,
       addCrossReplicaStep(context_, src, dst, node.name));
  out_.crossReplicaPlans.push_back(std::move(plan));
}

POP_INLINE void Emitter::stream(Node const &node, bool toDevice) {
  graph::View const &view = node.views[0];
  std::uint32_t const step = addStreamStep(context_, view, toDevice, node.name);
  emit(toDevice ? Op::StreamIn : Op::StreamOut, node.id, addPlan(transfer(view, toDevice)), step)
      .channel = static_cast<std::uint32_t>(node.count);
}

POP_INLINE void Emitter::repeat(Node const &node) {
  if (node.count == 0)
    return;
  std::uint32_t const begin = here();
  emit(Op::LoopBegin, 0, node.count);
  program(node.children[0]);
  if (here() == begin + 1) { // nothing to repeat
    out_.instructions.pop_back();
    return;
  }
  emit(Op::LoopEnd, begin + 1, 0, controlStep(context_));
}

POP_INLINE void Emitter::repeatWhile(Node const &node, bool whileTrue) {
  std::uint32_t const begin = here();
  program(node.children[0]);
  test(whileTrue ? Op::JumpIfFalse : Op::JumpIfTrue, node.views[0]);
  std::uint32_t const exit = here() - 1;
  program(node.children[1]);
  emit(Op::Jump, begin);
  out_.instructions[exit].a = here();
}

POP_INLINE void Emitter::branch(Node const &node) {
  test(Op::JumpIfFalse, node.views[0]);
  std::uint32_t const toElse = here() - 1;
  program(node.children[0]);
  std::uint32_t const toEnd = here();
  emit(Op::Jump);
  out_.instructions[toElse].a = here();
  program(node.children[1]);
  out_.instructions[toEnd].a = here();
}

POP_INLINE void Emitter::switchCases(Node const &node) {
  auto const table = static_cast<std::uint32_t>(out_.switches.size());
  out_.switches.push_back({node.name, {}, 0});
  test(Op::Switch, node.views[0]);
  std::uint32_t const at = here() - 1;
  out_.instructions[at].a = table;
  std::vector<std::uint32_t> exits;
  std::vector<std::pair<std::int32_t, std::uint32_t>> cases;
  for (std::size_t i = 0; i < node.cases.size(); ++i) {
    cases.emplace_back(node.cases[i], here());
    program(node.children[i]);
    exits.push_back(here());
    emit(Op::Jump);
  }
  out_.switches[table].otherwise = here();
  if (node.switchDefault == program::SwitchDefault::BoundsError)
    emit(Op::BoundsError, table, out_.instructions[at].b).width = out_.instructions[at].width;
  else if (node.children.size() > node.cases.size())
    program(node.children.back());
  for (std::uint32_t exit : exits)
    out_.instructions[exit].a = here();
  std::sort(cases.begin(), cases.end());
  out_.switches[table].cases = std::move(cases);
}

POP_INLINE std::uint32_t Emitter::addPrint(Node const &node) {
  graph::View const &view = node.views[0], &data = node.views.back();
  out_.prints.push_back({*node.print,
                         view.type(),
                         {view.shape().begin(), view.shape().end()},
                         data.numElements() * base::sizeOf(data.type()),
                         transfer(data, false)});
  return static_cast<std::uint32_t>(out_.prints.size() - 1);
}

POP_INLINE void Emitter::print(Node const &node) {
  emit(Op::Print, addPrint(node), 0, addStreamStep(context_, node.views[0], false, node.name));
}

POP_INLINE void Emitter::loop(Node const &node) {
  std::uint32_t const begin = here();
  program(node.children[0]);
  emit(Op::Jump, begin, 0, controlStep(context_));
}

POP_INLINE void Emitter::remoteCopy(Node const &node, bool toDevice) {
  graph::View const &view = node.views[0];
  RemoteCopy copy;
  copy.buffer = node.id;
  if (node.views.size() > 1) {
    copy.numRows = static_cast<std::uint32_t>(node.views[1].numElements());
    copy.isSigned = node.views[1].type() == poplar::INT;
    copy.offsets = transfer(node.views[1], false);
  }
  if (copy.numRows == 0)
    return;
  copy.data = transfer(view, toDevice);
  emit(toDevice ? Op::RemoteIn : Op::RemoteOut,
       static_cast<std::uint32_t>(out_.remoteCopies.size()), 0,
       addStreamStep(context_, view, toDevice, node.name));
  out_.remoteCopies.push_back(copy);
}

POP_INLINE void Emitter::hostCall(Node const &node) {
  HostCall call;
  call.function = node.id;
  std::vector<std::uint32_t> outputSteps;
  for (std::size_t i = 0; i < node.views.size(); ++i) {
    bool const isInput = i < node.count;
    (isInput ? call.inputs : call.outputs).push_back(transfer(node.views[i], !isInput));
    std::uint32_t const step = addStreamStep(context_, node.views[i], !isInput, node.name);
    if (isInput)
      account(step);
    else
      outputSteps.push_back(step);
  }
  emit(Op::HostCall, static_cast<std::uint32_t>(out_.hostCalls.size()));
  out_.hostCalls.push_back(std::move(call));
  for (std::uint32_t const step : outputSteps)
    account(step);
}

/// Abort, AbortOnCondition and ErrorProgram.
POP_INLINE void Emitter::endOfRun(Node const &node) {
  bool const isError = node.kind == program::NodeKind::Error;
  bool const isConditional = !isError && !node.views.empty();
  AbortPlan plan{isError ? "ErrorProgram" : (isConditional ? "AbortOnCondition" : "Abort"),
                 node.name, node.print->title, isError ? addPrint(node) : NONE};
  if (isConditional)
    test(Op::JumpIfFalse, node.views[0]);
  std::uint32_t const exit = here() - 1;
  emit(Op::Abort, static_cast<std::uint32_t>(out_.aborts.size()));
  out_.aborts.push_back(std::move(plan));
  if (isConditional)
    out_.instructions[exit].a = here();
}

POP_INLINE void Emitter::sync(Node const &node) {
  account(addSyncStep(context_, node.name));
  if (node.syncType == poplar::SyncType::GLOBAL && out_.numReplicas > 1)
    emit(Op::GlobalSync);
}

POP_INLINE void Emitter::cycleCount(Node const &node) {
  graph::View const &counter = node.views[0];
  // Counters of several replicas get the same two words.
  std::uint64_t const size = base::sizeOf(counter.type());
  Layout const words(counter.numElements() / 2, ByteBlock::packed(0, 2, size));
  MovePlan const plan = planMoves(out_, words, arenaLayout(context_, counter), size);
  sync(node);
  if (node.kind == program::NodeKind::CycleStamp) {
    emit(Op::ClockStamp, addPlan(plan));
    return;
  }
  emit(Op::ClockBegin);
  program(node.children[0]);
  sync(node);
  emit(Op::ClockEnd, addPlan(plan));
}

POP_INLINE void Emitter::node(Node const &node) {
  using program::NodeKind;
  switch (node.kind) {
  case NodeKind::Sequence:
    for (program::NodePtr const &child : node.children)
      program(child);
    return;
  case NodeKind::Execute:
    return execute(node);
  case NodeKind::Copy:
    return copy(node);
  case NodeKind::CrossReplicaCopy:
    return crossReplicaCopy(node);
  case NodeKind::StreamToDevice:
    return stream(node, true);
  case NodeKind::StreamToHost:
    return stream(node, false);
  case NodeKind::Repeat:
    return repeat(node);
  case NodeKind::RepeatWhileTrue:
  case NodeKind::RepeatWhileFalse:
    return repeatWhile(node, node.kind == NodeKind::RepeatWhileTrue);
  case NodeKind::If:
    return branch(node);
  case NodeKind::Switch:
    return switchCases(node);
  case NodeKind::Call:
    calls_.emplace_back(here(), node.id);
    emit(Op::Call);
    return;
  case NodeKind::PrintTensor:
    return print(node);
  case NodeKind::WriteUndef: // told the memory plan all there is to tell
    return;
  case NodeKind::AssumeEqual:
    return;
  case NodeKind::Sync:
    return sync(node);
  case NodeKind::CycleCount:
  case NodeKind::CycleStamp:
    return cycleCount(node);
  case NodeKind::RemoteToDevice:
    return remoteCopy(node, true);
  case NodeKind::RemoteToHost:
    return remoteCopy(node, false);
  case NodeKind::Loop:
    return loop(node);
  case NodeKind::HostCall:
    return hostCall(node);
  case NodeKind::Error:
  case NodeKind::Abort:
    return endOfRun(node);
  case NodeKind::Block:
    return program(node.children[0]);
  }
}

POP_INLINE void Emitter::program(program::NodePtr const &pointer) {
  if (!pointer)
    return;
  if (out_.instructions.size() > std::numeric_limits<std::uint32_t>::max() / 2)
    base::fail<poplar::control_program_error>(
        "Engine", "the programs have more than 2^31 steps; use Repeat or "
                  "Graph::addFunction for what occurs many times");
  std::uint32_t const outer = tree_.enter(*pointer);
  node(*pointer);
  tree_.leave(outer);
}

POP_INLINE void Emitter::run() {
  for (program::NodePtr const &root : context_.programs) {
    out_.entryPoints.push_back(here());
    if (!root)
      tree_.addEmpty();
    program(root);
    emit(Op::End);
  }
  functionStart_.assign(context_.graph.numFunctions(), 0);
  for (graph::FunctionId function : context_.functions) {
    functionStart_[function] = here();
    tree_.beginFunction(function);
    if (!context_.functionBodies[function])
      tree_.addEmpty();
    program(context_.functionBodies[function]);
    emit(Op::Return);
  }
  for (auto const &[at, function] : calls_)
    out_.instructions[at].a = functionStart_[function];
  tree_.finish();
}

POP_INLINE void addStreams(Context &context) {
  for (graph::StreamId id = 0; id < context.graph.numStreams(); ++id) {
    graph::StreamData const &stream = context.graph.stream(id);
    context.out.streams.push_back({stream.handle, stream.type, stream.numElements,
                                   stream.numElements * base::sizeOf(stream.type),
                                   stream.direction == poplar::DataStreamType::HostToDeviceFIFO,
                                   stream.mode, stream.bufferingDepth, stream.group});
  }
}

POP_INLINE void addRemoteBuffers(Context &context) {
  for (auto const &buffer : context.graph.remoteBuffers())
    context.out.remoteBuffers.push_back({buffer->handle, buffer->type, buffer->numElements,
                                         buffer->numElements * base::sizeOf(buffer->type),
                                         buffer->repeats});
}

POP_INLINE void addHostFunctions(Context &context) {
  using Arguments = std::vector<graph::HostFunctionData::Argument>;
  auto const bytesOf = [](Arguments const &arguments) {
    std::vector<std::uint64_t> bytes;
    for (auto const &[type, numElements] : arguments)
      bytes.push_back(numElements * base::sizeOf(type));
    return bytes;
  };
  for (graph::HostFunctionData const &function : context.graph.hostFunctions())
    context.out.hostFunctions.push_back(
        {function.handle, bytesOf(function.inputs), bytesOf(function.outputs)});
}

POP_INLINE void addHostAccess(Context &context) {
  auto const tensor = [&](graph::HostAccess const &access, bool read) {
    std::uint64_t const size = base::sizeOf(access.view.type());
    auto const [there, host] = bufferLayouts(context, access.view);
    HostTensor result{access.handle,
                      access.view.numElements() * size,
                      read ? planMoves(context.out, there, host, size)
                           : planMoves(context.out, host, there, size),
                      {}};
    graph::MetadataId const metadata = access.view.metadata();
    if (!read && metadata != graph::kNoMetadata && !context.graph.constantMetadata(metadata))
      result.metadata = planMoves(context.out, {ByteBlock::packed(0, 1, 1)},
                                  arenaLayout(context, context.graph.metadata(metadata)), 1);
    return result;
  };
  for (graph::HostAccess const &access : context.graph.hostReads())
    context.out.hostReads.push_back(tensor(access, true));
  for (graph::HostAccess const &access : context.graph.hostWrites())
    context.out.hostWrites.push_back(tensor(access, false));
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void makeInstructions(Context &context) {
  detail::addStreams(context);
  detail::addRemoteBuffers(context);
  detail::addHostFunctions(context);
  detail::Emitter(context).run();
  detail::addHostAccess(context);
}

} // namespace cottonwood::lower
