// Body of ComputeSets.hpp.
#pragma once

#include <poplar/impl/engine/ComputeSets.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/ThreadPool.hpp>
#include <poplar/impl/engine/CodeletTable.hpp>
#include <poplar/impl/engine/FloatEnvironment.hpp>
#include <poplar/impl/engine/SliceResults.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

namespace cottonwood::engine::detail {

/// Worker contexts of a MultiVertex on every device (poplar::MultiVertex::numWorkers()).
inline constexpr std::uint32_t WORKER_CONTEXTS = 6;
/// Work below this is done before another thread could help: a fork and join is 0.1 us between
/// spinning threads.
inline constexpr float WORTH_THREADS_NS = 2000;
/// Slices are not smaller than this unless the threads would have less than one each: between two
/// of them a core waits for what it has under way, which takes it 0.2 us if it works from L2.
inline constexpr float SLICE_NS = 5000;
/// More slices than threads even out vertices of different length.
inline constexpr unsigned MAX_SLICES_PER_THREAD = 16;
/// First guess at the time of a vertex, before its compute set has run: a call, and its data once
/// from L2.
inline constexpr float GUESS_CALL_NS = 20, GUESS_BYTE_NS = 0.03F;
/// A compute set is timed in its first runs and then once in this many: the clock costs as
/// much as a small vertex.
inline constexpr std::uint32_t TIMED_RUNS = 4, RUNS_PER_TIMING = 64;
/// Where slice `i` of `units` equal units begins: a half of the slices is a half of the units.
POP_INLINE std::uint32_t sliceBegin(std::uint32_t units, std::uint32_t numSlices, std::uint32_t i) {
  return static_cast<std::uint32_t>(std::uint64_t{units} * i / numSlices);
}

/// How many slices: as many as are worth claiming, the same number for every thread.
POP_INLINE unsigned sliceCount(float nanoseconds, unsigned threads) {
  float const bySize = nanoseconds / (SLICE_NS * static_cast<float>(threads));
  return threads *
         static_cast<unsigned>(std::clamp(std::ceil(bySize), 1.0F, float{MAX_SLICES_PER_THREAD}));
}

POP_INLINE float nanosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<float, std::nano>(std::chrono::steady_clock::now() - start).count();
}

inline constexpr std::chrono::steady_clock::time_point NO_TIME{};

POP_INLINE std::string flagText(unsigned raised) {
  std::string text;
  auto const add = [&](unsigned flag, char const *name) {
    if ((raised & flag) != 0)
      text += base::textOf(text.empty() ? "" : ", ", name);
  };
  add(FloatFlags::INVALID, "invalid operation");
  add(FloatFlags::DIVIDE_BY_ZERO, "division by zero");
  add(FloatFlags::OVERFLOWS, "overflow");
  return text;
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE ComputeSets::ComputeSets(lower::ExecutableData const &executable, std::byte *arena)
    : executable_(&executable), arena_(arena), moves_(executable) {
  std::vector<codelet::Entry> entries;
  LoadedObjects const objects = loadObjects(executable);
  entries.reserve(executable.codelets.size());
  for (lower::CodeletRef const &codelet : executable.codelets)
    entries.push_back(resolveCodelet(codelet, objects));
  calls_.reserve(executable.calls.size());
  for (lower::VertexCall const &call : executable.calls)
    calls_.push_back({entries[call.codelet], arena + call.state, call.tile, call.staging,
                      executable.codelets[call.codelet].multi ? detail::WORKER_CONTEXTS : 1});
  sets_.reserve(executable.computeSets.size());
  for (lower::ComputeSetPlan const &plan : executable.computeSets) {
    Set set;
    set.calls = calls_.data() + plan.firstCall;
    set.numCalls = static_cast<std::uint32_t>(plan.numCalls);
    for (std::uint32_t i = 0; i < set.numCalls; ++i)
      set.numContexts += set.calls[i].contexts;
    set.hasStaging = plan.hasStaging;
    set.nanoseconds = detail::GUESS_CALL_NS * static_cast<float>(set.numContexts) +
                      detail::GUESS_BYTE_NS * static_cast<float>(plan.edgeBytes);
    sets_.push_back(set);
  }
}

POP_INLINE void ComputeSets::setRandomSeed(std::uint64_t seed, std::uint32_t replica) {
  key_ = base::scrambleBits(base::scrambleBits(seed + KEY_STEP) + replica);
}

/// Call i of its set is the one that runs from now on.
POP_INLINE void ComputeSets::introduce(Call const &call, std::uint32_t i, FailureSink &sink) const {
  sink.call = i;
  sink.context.tile = call.tile;
  sink.context.state = call.state;
  sink.context.randomKey = key_ + i;
}

POP_INLINE bool ComputeSets::enter(Call const &call, unsigned worker, FailureSink &sink) const {
  sink.context.worker = worker;
  sink.context.randomDraws = 0;
  return watchedFlags_ == 0 ? call.entry(call.state, worker, &sink.context)
                            : enterWatched(call, worker, sink);
}

/// Worker contexts [begin, end) of a vertex, in as few calls as it can do with.
POP_INLINE bool ComputeSets::enterEach(Call const &call, unsigned begin, unsigned end,
                                       FailureSink &sink) const {
  bool all = true;
  for (unsigned worker = begin; worker < end; worker += sink.context.workersDone) {
    sink.context.workersWanted = end - worker;
    sink.context.workersDone = 1;
    all &= enter(call, worker, sink);
  }
  return all;
}

/// Leaves the vertex like a failed assertion if it raised what is watched.
POP_INLINE bool ComputeSets::enterWatched(Call const &call, unsigned worker,
                                          FailureSink &sink) const {
  clearFloatFlags();
  bool const result = call.entry(call.state, worker, &sink.context);
  if (unsigned const raised = raisedFloatFlags() & watchedFlags_; raised != 0)
    failVertex(sink, raised);
  return result;
}

POP_INLINE bool ComputeSets::runWhole(Call const &call, FailureSink &sink) const {
  if (call.staging != lower::NONE)
    moves_.runInline(executable_->stagings[call.staging].gather, arena_, arena_);
  bool const all = enterEach(call, 0, call.contexts, sink);
  if (call.staging != lower::NONE)
    moves_.runInline(executable_->stagings[call.staging].scatter, arena_, arena_);
  return all;
}

/// Calls [begin, end), each with all of its contexts. What the loop needs beside a plain call is
/// kept out of it, so that its variables stay in registers.
POP_INLINE bool ComputeSets::runCalls(Set const &set, std::uint32_t begin, std::uint32_t end,
                                      FailureSink &sink) const {
  bool all = true;
  for (std::uint32_t i = begin; i < end; ++i) {
    Call const &call = set.calls[i];
    introduce(call, i, sink);
    bool const plain = call.contexts == 1 && call.staging == lower::NONE;
    all &= plain ? enter(call, 0, sink) : runWhole(call, sink);
  }
  return all;
}

/// Contexts [begin, end) of the set, counted over its calls. Staging was filled before.
POP_INLINE bool ComputeSets::runContexts(Set const &set, std::uint32_t begin, std::uint32_t end,
                                         FailureSink &sink) const {
  bool all = true;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < set.numCalls && first < end; ++i) {
    Call const &call = set.calls[i];
    introduce(call, i, sink);
    all &= enterEach(call, std::max(begin, first) - first,
                     std::min(end, first + call.contexts) - first, sink);
    first += call.contexts;
  }
  return all;
}

POP_INLINE std::string ComputeSets::describe(std::uint32_t set, std::uint32_t call) const {
  lower::ComputeSetPlan const &plan = executable_->computeSets[set];
  lower::VertexCall const &vertex = executable_->calls[plan.firstCall + call];
  return base::textOf(executable_->codelets[vertex.codelet].name, ", vertex ", call,
                      " of compute set ", base::quoted(plan.name), ", on tile ", vertex.tile);
}

POP_INLINE void ComputeSets::raise(Set const &set, VertexFailure const &failure) const {
  std::string const vertex =
      describe(static_cast<std::uint32_t>(&set - sets_.data()), failure.call);
  switch (failure.kind) {
  case VertexFailure::Kind::Assertion:
    base::fail<poplar::application_runtime_error>("Engine::run", "assertion '", failure.expression,
                                                  "' failed in ", vertex, " (", failure.file, ":",
                                                  failure.line, ", ", failure.function, ")");
  case VertexFailure::Kind::FloatingPoint:
    base::fail<poplar::application_runtime_error>("Engine::run", "floating-point exception (",
                                                  detail::flagText(failure.raised), ") in ",
                                                  vertex);
  default:
    base::fail<poplar::application_runtime_error>("Engine::run", "abort() in ", vertex);
  }
}

POP_INLINE void ComputeSets::gather(Set const &set) const {
  for (std::uint32_t i = 0; i < set.numCalls; ++i)
    if (set.calls[i].staging != lower::NONE)
      moves_.runInline(executable_->stagings[set.calls[i].staging].gather, arena_, arena_);
}

POP_INLINE void ComputeSets::scatter(Set const &set) const {
  for (std::uint32_t i = 0; i < set.numCalls; ++i)
    if (set.calls[i].staging != lower::NONE)
      moves_.runInline(executable_->stagings[set.calls[i].staging].scatter, arena_, arena_);
}

struct alignas(64) ComputeSets::Job {
  ComputeSets const *sets;
  Set const set; ///< a copy: the set itself is written at every run
  std::uint32_t units, numSlices;
  bool timed;
  detail::SliceResults *results;

  void operator()(unsigned slice) const {
    FloatEnvironment const environment;
    auto const start = timed ? std::chrono::steady_clock::now() : detail::NO_TIME;
    std::uint32_t const begin = detail::sliceBegin(units, numSlices, slice);
    std::uint32_t const end = detail::sliceBegin(units, numSlices, slice + 1);
    VertexFailure failure;
    bool all = true;
    auto const body = [&](FailureSink &sink) {
      all = set.splitContexts ? sets->runContexts(set, begin, end, sink)
                              : sets->runCalls(set, begin, end, sink);
    };
    try {
      if (!runGuarded(failure, body))
        results->exception.keep(slice, &failure);
      else if (!all)
        results->all.store(false, std::memory_order_relaxed);
    } catch (...) {
      results->exception.keep(slice, nullptr);
    }
    if (timed)
      results->busy.fetch_add(detail::nanosecondsSince(start), std::memory_order_relaxed);
  }
};

POP_INLINE bool ComputeSets::runParallel(Set &set, unsigned numSlices, unsigned maxThreads,
                                         bool timed) const {
  std::uint32_t const units = set.splitContexts ? set.numContexts : set.numCalls;
  detail::SliceResults results;
  Job job{this, set, units, std::min(numSlices, units), timed, &results};
  static_assert(sizeof job == 64);
  if (set.splitContexts && set.hasStaging)
    gather(set);
  base::parallelFor(job.numSlices, maxThreads, job);
  results.exception.rethrow();
  if (results.exception.failure().kind != VertexFailure::Kind::None)
    raise(set, results.exception.failure());
  if (set.splitContexts && set.hasStaging)
    scatter(set);
  if (timed)
    set.nanoseconds += 0.25F * (results.busy.load(std::memory_order_relaxed) - set.nanoseconds);
  return results.all.load(std::memory_order_relaxed);
}

POP_INLINE bool ComputeSets::measured(Set &set) const {
  auto const start = std::chrono::steady_clock::now();
  bool const all = runSerial(set);
  set.nanoseconds = detail::nanosecondsSince(start);
  return all;
}

POP_INLINE bool ComputeSets::runSet(Set &set, unsigned maxThreads) {
  if (maxThreads < 2 || set.numContexts < 2)
    return runSerial(set);
  std::uint32_t const runs = set.runs++;
  bool const timed = runs < detail::TIMED_RUNS || runs % detail::RUNS_PER_TIMING == 0;
  if (set.nanoseconds < detail::WORTH_THREADS_NS)
    return timed ? measured(set) : runSerial(set);
  unsigned const threads = std::min(maxThreads, base::threadBackend().numThreads());
  if (threads < 2)
    return runSerial(set);
  // Vertices are dealt out whole if there are enough of them; else the contexts of MultiVertices
  // one by one.
  set.splitContexts = set.numCalls < 4 * threads && set.numContexts > set.numCalls;
  return runParallel(set, detail::sliceCount(set.nanoseconds, threads), maxThreads, timed);
}

POP_INLINE void ComputeSets::begin(std::uint32_t set) {
  running_ = set;
  runningStrands_ = nullptr;
  key_ += KEY_STEP;
}

POP_INLINE void ComputeSets::run(std::uint32_t set, unsigned maxThreads) {
  begin(set);
  runSet(sets_[set], maxThreads);
}

POP_INLINE bool ComputeSets::runWithExit(std::uint32_t set, unsigned maxThreads) {
  begin(set);
  return runSet(sets_[set], maxThreads);
}

} // namespace cottonwood::engine
