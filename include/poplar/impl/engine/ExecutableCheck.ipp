// Body of ExecutableCheck.hpp.
#pragma once

#include <poplar/impl/engine/ExecutableCheck.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/engine/ControlFlow.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cottonwood::engine::detail {

/// Thrown inside faultOf() only.
struct Fault {
  std::string text;
};

template <class... A> [[noreturn]] void fault(A const &...parts) {
  throw Fault{base::textOf(parts...)};
}

/// Larger ones cannot be addressed, and sums of a few such numbers do not overflow.
inline constexpr std::uint64_t MAX_BYTES = std::uint64_t{1} << 56;
/// Copies recurse once a dimension.
inline constexpr std::uint32_t MAX_DIMS = 1024;
inline constexpr std::uint64_t MAX_TILES = std::uint64_t{1} << 26;
/// Each has connections of its own, which are made with the engine.
inline constexpr std::uint64_t MAX_REPLICAS = std::uint64_t{1} << 16;

/// A memory that addresses are relative to.
struct Space {
  char const *name;
  std::uint64_t bytes;
};

class ExecutableCheck {
public:
  explicit ExecutableCheck(lower::ExecutableData const &executable) : x_(executable) {}
  void run() const;

private:
  void target() const;
  void memory() const;
  void relocations() const;
  void initialData() const;
  void vertices() const;
  void instructions() const;
  void operands(std::size_t i) const;
  void element(std::string const &who, lower::Instruction const &now, std::uint64_t bytes) const;
  void replicas(std::string const &who, lower::Instruction const &now) const;
  void remoteCopy(std::string const &who, lower::Instruction const &now) const;
  void hostCall(std::string const &who, lower::Instruction const &now) const;
  void watched(std::size_t set) const;
  void host() const;
  void hostMemory() const;
  void bsp() const;

  Space arena() const { return {"the arena", x_.arenaBytes}; }
  void plan(std::string const &who, lower::MovePlan const &plan, Space src, Space dst) const;
  void side(std::string const &who, lower::Move const &move, bool isSource, Space space) const;

  lower::ExecutableData const &x_;
};

/// [first, first + count) in a list of `size`.
POP_INLINE void checkRange(std::string const &who, std::uint64_t first, std::uint64_t count,
                           std::uint64_t size, char const *list) {
  if (first > size || count > size - first)
    fault(who, ": ", count, " from ", first, " found; ", list, " has ", size);
}

POP_INLINE void checkIndex(std::string const &who, std::uint64_t index, std::uint64_t size,
                           char const *list) {
  if (index >= size)
    fault(who, ": ", index, " found; ", list, " has ", size);
}

POP_INLINE void checkAtMost(char const *who, std::uint64_t value, std::uint64_t most,
                            char const *what) {
  if (value > most)
    fault(who, ": ", value, " found; at most ", what, " = ", most, " is wanted");
}

POP_INLINE std::string entryText(char const *list, std::size_t i) {
  return base::textOf(list, "[", i, "]");
}

POP_INLINE void ExecutableCheck::target() const {
  std::uint64_t const ipus = x_.target.getNumIPUs(), tiles = x_.target.getTilesPerIPU();
  if (ipus == 0 || tiles == 0 || ipus > MAX_TILES || tiles > MAX_TILES / ipus)
    fault("target: ", ipus, " IPUs of ", tiles, " tiles found; 1 to ", MAX_TILES,
          " tiles are wanted");
  if (x_.numReplicas == 0 || x_.numReplicas > MAX_REPLICAS)
    fault("numReplicas: ", x_.numReplicas, " found; 1 to ", MAX_REPLICAS, " are wanted");
}

POP_INLINE void ExecutableCheck::memory() const {
  checkAtMost("arenaBytes", x_.arenaBytes, MAX_BYTES, "what can be addressed");
  checkAtMost("sharedBegin", x_.sharedBegin, x_.variableBytes, "variableBytes");
  checkAtMost("variableBytes", x_.variableBytes, x_.stagingBegin, "stagingBegin");
  checkAtMost("stagingBegin", x_.stagingBegin, x_.statesBegin, "statesBegin");
  checkAtMost("statesBegin", x_.statesBegin, x_.arenaBytes, "arenaBytes");
  if (x_.statesBegin % lower::VARIABLE_ALIGN != 0)
    fault("statesBegin: ", x_.statesBegin, " found; a multiple of ", lower::VARIABLE_ALIGN,
          " is wanted");
  checkRange("states", x_.statesBegin, x_.states.size(), x_.arenaBytes, "the arena");
  for (std::size_t i = 0; i < x_.variables.size(); ++i)
    checkRange(entryText("variables", i), x_.variables[i].offset, x_.variables[i].bytes,
               x_.variableBytes, "the memory of variables");
}

POP_INLINE void ExecutableCheck::relocations() const {
  std::uint64_t const words = x_.states.size() / sizeof(std::uint64_t);
  if (x_.relocations.size() != (words + 63) / 64)
    fault("relocations: ", x_.relocations.size(), " words found; ", (words + 63) / 64,
          " are wanted");
  for (std::size_t i = 0; i < x_.relocations.size(); ++i)
    for (std::uint64_t bits = x_.relocations[i]; bits != 0; bits &= bits - 1) {
      std::size_t const word = i * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      checkIndex("relocations", word, words, "states (in words)");
      std::uint64_t address;
      std::memcpy(&address, &x_.states[word * sizeof address], sizeof address);
      if (address >= x_.arenaBytes)
        fault("states: address ", address, " found in word ", word, "; the arena has ",
              x_.arenaBytes, " bytes");
    }
}

POP_INLINE void ExecutableCheck::initialData() const {
  for (std::size_t i = 0; i < x_.initial.size(); ++i) {
    lower::InitialData const &data = x_.initial[i];
    std::string const who = entryText("initial", i);
    checkRange(who, data.blobOffset, data.blobBytes, x_.blob.size(), "blob");
    if (data.blobBytes == 0 || data.repeats == 0 || data.repeats > x_.variableBytes)
      fault(who, ": ", data.repeats, " times ", data.blobBytes, " bytes found; 1 or more of each, ",
            "in ", x_.variableBytes, " bytes, are wanted");
    if (data.blobBytes > x_.variableBytes / data.repeats)
      fault(who, ": ", data.repeats, " times ", data.blobBytes, " bytes found; variables have ",
            x_.variableBytes);
    checkRange(who, data.offset, data.blobBytes * data.repeats, x_.variableBytes,
               "the memory of variables");
  }
  for (std::size_t i = 0; i < x_.replicaIndices.size(); ++i)
    checkRange(entryText("replicaIndices", i), x_.replicaIndices[i].offset, sizeof(std::uint32_t),
               x_.variableBytes, "the memory of variables");
}

/// The lowest and highest byte that one side of a move touches.
POP_INLINE void ExecutableCheck::side(std::string const &who, lower::Move const &move,
                                      bool isSource, Space space) const {
  __extension__ using Wide = __int128;
  Wide lowest = isSource ? move.src : move.dst, highest = lowest + move.bytes;
  for (std::uint32_t d = 0; d < move.numDims; ++d) {
    lower::MoveDim const &dim = x_.moveDims[move.firstDim + d];
    if (dim.count == 0 || dim.count > MAX_BYTES)
      fault(who, ": a dimension of ", dim.count, " found; 1 to ", MAX_BYTES, " is wanted");
    Wide const reach = Wide{isSource ? dim.srcStride : dim.dstStride} * Wide(dim.count - 1);
    (reach < 0 ? lowest : highest) += reach;
  }
  if (lowest < 0 || highest > Wide(space.bytes))
    fault(who, ": ", isSource ? "source" : "destination", " from byte ",
          static_cast<std::int64_t>(std::max<Wide>(lowest, INT64_MIN)), " to ",
          static_cast<std::int64_t>(std::min<Wide>(highest, INT64_MAX)), " found; ", space.name,
          " has ", space.bytes, " bytes");
}

POP_INLINE void ExecutableCheck::plan(std::string const &who, lower::MovePlan const &plan,
                                      Space src, Space dst) const {
  checkRange(who, plan.first, plan.count, x_.moves.size(), "moves");
  for (std::uint64_t i = plan.first; i < plan.first + plan.count; ++i) {
    lower::Move const &move = x_.moves[i];
    checkRange(who, move.firstDim, move.numDims, x_.moveDims.size(), "moveDims");
    if (move.numDims > MAX_DIMS)
      fault(who, ": ", move.numDims, " dimensions found; at most ", MAX_DIMS, " are wanted");
    side(who, move, true, src);
    side(who, move, false, dst);
  }
}

POP_INLINE void ExecutableCheck::vertices() const {
  for (std::size_t i = 0; i < x_.calls.size(); ++i) {
    lower::VertexCall const &call = x_.calls[i];
    std::string who; // made only when it is needed: there may be millions
    bool const fits = call.codelet < x_.codelets.size() && call.state >= x_.statesBegin &&
                      call.state - x_.statesBegin <= x_.states.size() &&
                      call.state % sizeof(std::uint64_t) == 0 &&
                      (call.staging == lower::NONE || call.staging < x_.stagings.size());
    if (!fits)
      fault(entryText("calls", i), ": codelet ", call.codelet, " of ", x_.codelets.size(),
            ", state at ", call.state, " of ", x_.statesBegin, " to ",
            x_.statesBegin + x_.states.size(), ", staging ", call.staging, " of ",
            x_.stagings.size(), " found");
  }
  for (std::size_t i = 0; i < x_.computeSets.size(); ++i) {
    checkRange(entryText("computeSets", i), x_.computeSets[i].firstCall, x_.computeSets[i].numCalls,
               x_.calls.size(), "calls");
    watched(i);
  }
  for (std::size_t i = 0; i < x_.stagings.size(); ++i) {
    plan(entryText("stagings", i) + ".gather", x_.stagings[i].gather, arena(), arena());
    plan(entryText("stagings", i) + ".scatter", x_.stagings[i].scatter, arena(), arena());
  }
}

/// What is looked through for NaNs after a compute set.
POP_INLINE void ExecutableCheck::watched(std::size_t set) const {
  lower::ComputeSetPlan const &plans = x_.computeSets[set];
  checkRange(entryText("computeSets", set), plans.firstWatched, plans.numWatched, x_.watched.size(),
             "watched");
  for (std::uint64_t i = plans.firstWatched; i < plans.firstWatched + plans.numWatched; ++i) {
    lower::WatchedOutput const &output = x_.watched[i];
    std::string const who = entryText("watched", i);
    if (output.call < plans.firstCall || output.call - plans.firstCall >= plans.numCalls)
      fault(who, ".call: ", output.call, " found; one of compute set ", set, " is wanted");
    if (output.type != poplar::FLOAT && output.type != poplar::HALF)
      fault(who, ".type: ", output.type.toString(), " found; FLOAT or HALF is wanted");
    // Nothing is moved: the elements are looked at where they are.
    plan(who, output.plan, arena(), {"what can be addressed", MAX_BYTES});
  }
}

/// A predicate or control in the arena.
POP_INLINE void ExecutableCheck::element(std::string const &who, lower::Instruction const &now,
                                         std::uint64_t bytes) const {
  bool const isPredicate = now.op == lower::Op::JumpIfTrue || now.op == lower::Op::JumpIfFalse;
  if (bytes != 1 && bytes != 4 && !(isPredicate && (bytes == 2 || bytes == 8)))
    fault(who, ".width: ", bytes, " bytes found; ", isPredicate ? "1, 2, 4 or 8" : "1 or 4",
          " are wanted");
  checkRange(who + ".b", now.b, bytes, x_.arenaBytes, "the arena");
}

/// What concerns several replicas.
POP_INLINE void ExecutableCheck::replicas(std::string const &who,
                                          lower::Instruction const &now) const {
  if (now.op == lower::Op::CheckEqual) {
    checkIndex(who, now.a, x_.plans.size(), "plans");
    std::uint64_t const bytes = x_.plans[now.a].totalBytes;
    if (now.width == 0 || bytes % now.width != 0 || bytes > x_.arenaBytes)
      fault(who, ".width: values of ", unsigned{now.width}, " bytes in ", bytes,
            " bytes found; whole ones that fit into the arena are wanted");
    return plan(who, x_.plans[now.a], arena(), {"the list of values", bytes});
  }
  checkIndex(who + ".a", now.a, x_.crossReplicaPlans.size(), "crossReplicaPlans");
  lower::CrossReplicaPlan const &copy = x_.crossReplicaPlans[now.a];
  std::vector<std::uint32_t> sources = copy.sources;
  std::sort(sources.begin(), sources.end());
  bool all = sources.size() == x_.numReplicas;
  for (std::size_t i = 0; i < sources.size() && all; ++i)
    all = sources[i] == i;
  if (!all)
    fault(entryText("crossReplicaPlans", now.a), ".sources: ", sources.size(),
          " found; every replica from 0 to ", x_.numReplicas - 1, " once is wanted");
  plan(who, copy.plan, arena(), arena());
}

POP_INLINE void ExecutableCheck::remoteCopy(std::string const &who,
                                            lower::Instruction const &now) const {
  checkIndex(who + ".a", now.a, x_.remoteCopies.size(), "remoteCopies");
  lower::RemoteCopy const &copy = x_.remoteCopies[now.a];
  checkIndex(who + ".buffer", copy.buffer, x_.remoteBuffers.size(), "remoteBuffers");
  std::uint64_t const rowBytes = x_.remoteBuffers[copy.buffer].rowBytes;
  std::uint64_t bytes = 0;
  if (copy.numRows == 0 || __builtin_mul_overflow(rowBytes, copy.numRows, &bytes) ||
      bytes > MAX_BYTES)
    fault(who, ".numRows: ", copy.numRows, " rows of ", rowBytes, " bytes found");
  Space const rows{"the packed rows", bytes};
  bool const in = now.op == lower::Op::RemoteIn;
  plan(who + ".data", copy.data, in ? rows : arena(), in ? arena() : rows);
  plan(who + ".offsets", copy.offsets, arena(),
       {"the list of offsets", std::uint64_t{copy.numRows} * sizeof(std::uint32_t)});
  // A single run in the arena is used in place of the packed rows, whole.
  bool const isRun = copy.data.count == 1 && x_.moves[copy.data.first].numDims == 0;
  if (copy.numRows > 1 && isRun && x_.moves[copy.data.first].bytes != bytes)
    fault(who, ".data: ", x_.moves[copy.data.first].bytes, " bytes found; ", bytes, " are wanted");
}

POP_INLINE void ExecutableCheck::hostCall(std::string const &who,
                                          lower::Instruction const &now) const {
  checkIndex(who + ".a", now.a, x_.hostCalls.size(), "hostCalls");
  lower::HostCall const &call = x_.hostCalls[now.a];
  checkIndex(who + ".function", call.function, x_.hostFunctions.size(), "hostFunctions");
  lower::HostFunctionPlan const &function = x_.hostFunctions[call.function];
  if (call.inputs.size() != function.inputBytes.size() ||
      call.outputs.size() != function.outputBytes.size())
    fault(who, ": ", call.inputs.size(), " inputs and ", call.outputs.size(), " outputs found; ",
          function.inputBytes.size(), " and ", function.outputBytes.size(), " are wanted");
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    plan(who + ".inputs", call.inputs[i], arena(), {"the input", function.inputBytes[i]});
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    plan(who + ".outputs", call.outputs[i], {"the output", function.outputBytes[i]}, arena());
}

POP_INLINE void ExecutableCheck::operands(std::size_t i) const {
  using lower::Op;
  lower::Instruction const &now = x_.instructions[i];
  std::string const who = entryText("instructions", i);
  Space const clock{"a clock", sizeof(std::uint64_t)};
  if (now.step != lower::NONE)
    checkIndex(who + ".step", now.step, x_.bsp.steps.size(), "bsp.steps");
  auto const planOf = [&](std::uint64_t index) -> lower::MovePlan const & {
    checkIndex(who, index, x_.plans.size(), "plans");
    return x_.plans[index];
  };
  switch (now.op) {
  case Op::ExecuteWithExit:
    element(who, now, 1);
    [[fallthrough]];
  case Op::Execute:
    return checkIndex(who + ".a", now.a, x_.computeSets.size(), "computeSets");
  case Op::Copy:
    return plan(who, planOf(now.a), arena(), arena());
  case Op::StreamIn:
  case Op::StreamOut: {
    checkIndex(who + ".a", now.a, x_.streams.size(), "streams");
    checkIndex(who + ".channel", now.channel, x_.streams[now.a].channels, "the stream");
    Space const block{"a block of the stream", x_.streams[now.a].blockBytes};
    bool const in = now.op == Op::StreamIn;
    return plan(who, planOf(now.b), in ? block : arena(), in ? arena() : block);
  }
  case Op::LoopBegin:
    if (now.b == 0)
      fault(who, ".b: 0 turns found; 1 or more are wanted");
    return;
  case Op::JumpIfTrue:
  case Op::JumpIfFalse:
    return element(who, now, now.width);
  case Op::Switch:
  case Op::BoundsError:
    checkIndex(who + ".a", now.a, x_.switches.size(), "switches");
    return element(who, now, now.width);
  case Op::Print:
    return checkIndex(who + ".a", now.a, x_.prints.size(), "prints");
  case Op::ClockEnd:
  case Op::ClockStamp:
    return plan(who, planOf(now.a), clock, arena());
  case Op::CheckEqual:
  case Op::CrossReplicaCopy:
    return replicas(who, now);
  case Op::RemoteIn:
  case Op::RemoteOut:
    return remoteCopy(who, now);
  case Op::HostCall:
    return hostCall(who, now);
  case Op::Abort:
    checkIndex(who + ".a", now.a, x_.aborts.size(), "aborts");
    if (x_.aborts[now.a].print != lower::NONE)
      checkIndex(entryText("aborts", now.a) + ".print", x_.aborts[now.a].print, x_.prints.size(),
                 "prints");
    return;
  case Op::End:
  case Op::Step:
  case Op::GlobalSync:
  case Op::LoopEnd:
  case Op::Jump:
  case Op::Call:
  case Op::Return:
  case Op::ClockBegin:
    return; // what they name is the control flow's
  }
}

POP_INLINE void ExecutableCheck::instructions() const {
  for (std::size_t i = 0; i < x_.instructions.size(); ++i)
    operands(i);
  for (std::size_t i = 0; i < x_.switches.size(); ++i)
    if (!std::is_sorted(x_.switches[i].cases.begin(), x_.switches[i].cases.end()))
      fault(entryText("switches", i), ": cases out of order found");
  if (std::string const text = controlFlowFault(x_); !text.empty())
    fault(text);
}

POP_INLINE void ExecutableCheck::host() const {
  for (std::size_t i = 0; i < x_.hostReads.size(); ++i)
    plan(entryText("hostReads", i), x_.hostReads[i].plan, arena(),
         {"the tensor", x_.hostReads[i].bytes});
  for (std::size_t i = 0; i < x_.hostWrites.size(); ++i)
    plan(entryText("hostWrites", i), x_.hostWrites[i].plan, {"the tensor", x_.hostWrites[i].bytes},
         arena());
  for (std::size_t i = 0; i < x_.prints.size(); ++i) {
    lower::PrintPlan const &print = x_.prints[i];
    std::uint64_t bytes = base::sizeOf(print.type);
    for (std::size_t extent : print.shape)
      if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > MAX_BYTES)
        fault(entryText("prints", i), ".shape: too many elements found");
    if (print.bytes != bytes)
      fault(entryText("prints", i), ".bytes: ", print.bytes, " found; ", bytes, " are wanted");
    plan(entryText("prints", i), print.plan, arena(), {"the printed tensor", bytes});
  }
  for (std::size_t i = 0; i < x_.streams.size(); ++i) {
    checkAtMost("streams: blockBytes", x_.streams[i].blockBytes, MAX_BYTES,
                "what can be addressed");
    std::uint64_t const channels = x_.streams[i].channels;
    if (channels == 0 || channels > MAX_REPLICAS / x_.numReplicas)
      fault(entryText("streams", i), ".channels: ", channels, " found; 1 to ",
            MAX_REPLICAS / x_.numReplicas, " are wanted");
  }
}

/// What lies outside of the arena.
POP_INLINE void ExecutableCheck::hostMemory() const {
  for (std::size_t i = 0; i < x_.remoteBuffers.size(); ++i) {
    lower::RemoteBufferPlan const &buffer = x_.remoteBuffers[i];
    std::string const who = entryText("remoteBuffers", i);
    std::uint64_t bytes = base::sizeOf(buffer.type);
    if (__builtin_mul_overflow(bytes, buffer.numElements, &bytes) || bytes != buffer.rowBytes)
      fault(who, ".rowBytes: ", buffer.rowBytes, " found for ", buffer.numElements, " elements");
    if (buffer.repeats == 0 || __builtin_mul_overflow(bytes, buffer.repeats, &bytes))
      fault(who, ".repeats: ", buffer.repeats, " found for rows of ", buffer.rowBytes, " bytes");
  }
  for (std::size_t i = 0; i < x_.hostFunctions.size(); ++i)
    for (auto const *sizes : {&x_.hostFunctions[i].inputBytes, &x_.hostFunctions[i].outputBytes})
      for (std::uint64_t const bytes : *sizes)
        checkAtMost("hostFunctions: bytes", bytes, MAX_BYTES, "what can be addressed");
}

POP_INLINE void ExecutableCheck::bsp() const {
  std::uint64_t const tiles = x_.target.getNumTiles();
  for (std::size_t i = 0; i < x_.bsp.steps.size(); ++i) {
    lower::BspStep const &step = x_.bsp.steps[i];
    checkRange(entryText("bsp.steps", i), step.firstCost, step.numCosts, x_.bsp.costs.size(),
               "bsp.costs");
    if (step.computeSet != lower::NONE)
      checkIndex(entryText("bsp.steps", i) + ".computeSet", step.computeSet, x_.computeSets.size(),
                 "computeSets");
  }
  for (std::size_t i = 0; i < x_.bsp.costs.size(); ++i)
    checkIndex(entryText("bsp.costs", i) + ".tile", x_.bsp.costs[i].tile, tiles, "the target");
  for (std::size_t i = 0; i < x_.bsp.byType.size(); ++i) {
    checkIndex(entryText("bsp.byType", i) + ".step", x_.bsp.byType[i].step, x_.bsp.steps.size(),
               "bsp.steps");
    checkIndex(entryText("bsp.byType", i) + ".codelet", x_.bsp.byType[i].codelet,
               x_.codelets.size(), "codelets");
  }
  checkAtMost("tileMemory: entries", x_.tileMemory.size(), tiles, "the target's tiles");
}

POP_INLINE void ExecutableCheck::run() const {
  target();
  memory();
  relocations();
  initialData();
  vertices();
  host();
  hostMemory();
  instructions();
  bsp();
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE std::string faultOf(lower::ExecutableData const &executable) {
  try {
    detail::ExecutableCheck(executable).run();
  } catch (detail::Fault const &fault) {
    return fault.text;
  }
  return {};
}

} // namespace cottonwood::engine
