// Bodies of ExecutableChecker.hpp: what instructions name, and what is known to the host.
#pragma once

#include <poplar/impl/engine/ExecutableChecker.hpp>

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/engine/ControlFlow.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cottonwood::engine::detail {

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

/// Strand plans are ranges of calls of their compute sets, in order; whether these depend on each
/// other is known to lowering alone, as vertices do with their state what they want.
POP_INLINE void ExecutableCheck::strands() const {
  for (std::size_t i = 0; i < x_.strands.size(); ++i) {
    lower::StrandPlan const &plan = x_.strands[i];
    std::string const who = entryText("strands", i);
    std::size_t const numSets = plan.sets.size(), numEnds = plan.ends.size();
    if (numSets < 2 || numEnds == 0 || numEnds % numSets != 0)
      fault(who, ": ", numEnds, " ends for ", numSets,
            " compute sets found; one of each strand for 2 or more are wanted");
    for (std::size_t k = 0; k < plan.before.size(); ++k) {
      checkIndex(who + ".before", plan.before[k], numSets, "compute sets");
      if (k != 0 && plan.before[k] <= plan.before[k - 1])
        fault(who, ".before: ", plan.before[k], " found behind ", plan.before[k - 1],
              "; ascending positions are wanted");
    }
    std::uint64_t numCalls = 0;
    for (std::size_t s = 0; s < numSets; ++s) {
      checkIndex(who + ".sets", plan.sets[s], x_.computeSets.size(), "computeSets");
      if (std::find(plan.sets.begin(), plan.sets.begin() + static_cast<std::ptrdiff_t>(s),
                    plan.sets[s]) != plan.sets.begin() + static_cast<std::ptrdiff_t>(s))
        fault(who, ".sets: ", plan.sets[s], " found twice; different compute sets are wanted");
      lower::ComputeSetPlan const &set = x_.computeSets[plan.sets[s]];
      if (set.hasStaging)
        fault(who, ".sets: ", plan.sets[s], " found; a compute set without staging is wanted");
      std::uint32_t before = 0;
      for (std::size_t at = s; at < numEnds; before = plan.ends[at], at += numSets)
        if (plan.ends[at] < before || plan.ends[at] > set.numCalls)
          fault(who, ".ends: ", plan.ends[at], " found behind ", before, "; at most ", set.numCalls,
                " in ascending order are wanted");
      // A set that runs before all strands has no calls in them.
      std::uint64_t const wanted =
          std::binary_search(plan.before.begin(), plan.before.end(), s) ? 0 : set.numCalls;
      if (before != wanted)
        fault(who, ".ends: ", before, " calls of compute set ", plan.sets[s], " found; all ",
              wanted, " are wanted");
      numCalls += set.numCalls;
    }
    checkAtMost("strands: calls", numCalls, lower::NONE - 1, "what can be numbered");
  }
}

/// The instructions of a strand plan execute its compute sets.
POP_INLINE void ExecutableCheck::strandsAt(std::string const &who, std::size_t i) const {
  std::uint64_t const index = x_.instructions[i].b;
  if (index == 0)
    return;
  checkIndex(who + ".b", index - 1, x_.strands.size(), "strands");
  std::vector<std::uint32_t> const &sets = x_.strands[index - 1].sets;
  checkRange(who + ".b", i, sets.size(), x_.instructions.size(), "instructions");
  for (std::size_t s = 0; s < sets.size(); ++s) {
    lower::Instruction const &now = x_.instructions[i + s];
    if (now.op != lower::Op::Execute || now.a != sets[s] || now.step != lower::NONE)
      fault(who, ".b: strands of other compute sets than those of the next ", sets.size(),
            " instructions found");
  }
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
    return checkIndex(who + ".a", now.a, x_.computeSets.size(), "computeSets");
  case Op::Execute:
    checkIndex(who + ".a", now.a, x_.computeSets.size(), "computeSets");
    return strandsAt(who, i);
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
  for (std::size_t i = 0; i < x_.hostWrites.size(); ++i) {
    plan(entryText("hostWrites", i), x_.hostWrites[i].plan, {"the tensor", x_.hostWrites[i].bytes},
         arena());
    plan(entryText("hostWrites", i), x_.hostWrites[i].metadata, {"the metadata", 1}, arena());
  }
  for (std::size_t i = 0; i < x_.prints.size(); ++i) {
    lower::PrintPlan const &print = x_.prints[i];
    std::uint64_t bytes = base::sizeOf(print.type);
    for (std::size_t extent : print.shape)
      if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > MAX_BYTES)
        fault(entryText("prints", i), ".shape: too many elements found");
    bytes += print.type.requiresMetadata() ? 1 : 0; // behind the elements
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

} // namespace cottonwood::engine::detail
