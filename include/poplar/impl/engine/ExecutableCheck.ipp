// Bodies of ExecutableCheck.hpp and ExecutableChecker.hpp, but for what concerns instructions and
// the host, which is in ExecutableOperands.ipp.
#pragma once

#include <poplar/impl/engine/ExecutableCheck.hpp>
#include <poplar/impl/engine/ExecutableChecker.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cottonwood::engine::detail {

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
    // No byte is written twice, so this bounds the time as well.
    std::uint64_t bytes = move.bytes;
    for (std::uint32_t d = 0; d < move.numDims; ++d)
      if (__builtin_mul_overflow(bytes, x_.moveDims[move.firstDim + d].count, &bytes) ||
          bytes > dst.bytes)
        fault(who, ": more bytes than ", dst.name, " has found; it has ", dst.bytes);
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
  for (std::size_t i = 0; i < x_.codelets.size(); ++i)
    if (x_.codelets[i].object != lower::NONE)
      checkIndex(entryText("codelets", i) + ".object", x_.codelets[i].object, x_.objects.size(),
                 "objects");
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
    checkIndex(entryText("bsp.byType", i) + ".computeSet",
               x_.bsp.steps[x_.bsp.byType[i].step].computeSet, x_.computeSets.size(),
               "computeSets");
    checkIndex(entryText("bsp.byType", i) + ".codelet", x_.bsp.byType[i].codelet,
               x_.codelets.size(), "codelets");
  }
  checkAtMost("tileMemory: entries", x_.tileMemory.size(), tiles, "the target's tiles");
  for (std::size_t i = 0; i < x_.tileMemory.size(); ++i)
    if (!x_.tileMemory[i].isConsistent())
      fault(entryText("tileMemory", i), ": a part of its bytes is more than the whole");
  programs();
}

/// The tree of programs, and what the reports tell of variables and vertices.
POP_INLINE void ExecutableCheck::programs() const {
  std::uint64_t const tiles = x_.target.getNumTiles();
  std::size_t const size = x_.bsp.programs.size();
  for (std::size_t i = 0; i < size; ++i) {
    lower::ProgramInfo const &info = x_.bsp.programs[i];
    std::string const who = entryText("bsp.programs", i);
    if (info.parent != lower::NONE)
      checkIndex(who + ".parent", info.parent, i, "what comes before it");
    if (info.callee != lower::NONE)
      checkIndex(who + ".callee", info.callee, size, "bsp.programs");
    checkRange(who, info.firstStep, info.numSteps, x_.bsp.programSteps.size(), "bsp.programSteps");
    checkRange(who, info.firstVar, info.numVars, x_.bsp.programVars.size(), "bsp.programVars");
  }
  for (std::uint32_t const step : x_.bsp.programSteps)
    checkIndex("bsp.programSteps", step, x_.bsp.steps.size(), "bsp.steps");
  for (std::uint32_t const variable : x_.bsp.programVars)
    checkIndex("bsp.programVars", variable, x_.variables.size(), "variables");
  for (std::size_t i = 0; i < x_.variables.size(); ++i)
    checkRange(entryText("variables", i), x_.variables[i].firstRun, x_.variables[i].numRuns,
               x_.tileRuns.size(), "tileRuns");
  for (std::size_t i = 0; i < x_.tileRuns.size(); ++i)
    checkRange(entryText("tileRuns", i), x_.tileRuns[i].tile, x_.tileRuns[i].count, tiles,
               "the target");
  for (std::size_t i = 0; i < x_.vertexTypes.size(); ++i)
    checkIndex(entryText("vertexTypes", i), x_.vertexTypes[i].codelet, x_.codelets.size(),
               "codelets");
}

POP_INLINE void ExecutableCheck::run() const {
  target();
  memory();
  relocations();
  initialData();
  vertices();
  host();
  hostMemory();
  strands();
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
