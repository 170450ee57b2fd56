// Bodies of ComputeSets.hpp: compute sets that run strand by strand.
#pragma once

#include <poplar/impl/engine/ComputeSets.hpp>

#include <poplar/impl/base/ThreadPool.hpp>
#include <poplar/impl/engine/FloatEnvironment.hpp>
#include <poplar/impl/engine/SliceResults.hpp>

#include <algorithm>
#include <utility>

namespace cottonwood::engine::detail {

/// With fewer strands for each thread one of them would have much more to do than others; the
/// contexts of all vertices of one compute set are shared out better.
inline constexpr std::size_t FEWEST_STRANDS_PER_THREAD = 4;
/// More slices than threads even out strands of different length.
inline constexpr std::size_t STRAND_SLICES_PER_THREAD = 16;

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

/// Brings the call behind call i of the set and its state to the caches: vertices that go through
/// memory leave nothing else there.
POP_INLINE void ComputeSets::fetchBehind(Set const &set, std::uint32_t i) {
  constexpr std::size_t LINE = 64, LINES = 3; // of a state with its vectors, as most are
  if (i + 1 >= set.numCalls)
    return;
  auto const *const state = static_cast<std::byte const *>(set.calls[i + 1].state);
  for (std::size_t line = 0; line < LINES; ++line)
    __builtin_prefetch(state + line * LINE);
  __builtin_prefetch(&set.calls[i + 1] + LINE / sizeof(Call));
}

/// The calls of a set that belong to a strand.
POP_INLINE ComputeSets::CallRange ComputeSets::strandCalls(lower::StrandPlan const &plan,
                                                           std::size_t strand, std::size_t s) {
  std::size_t const numSets = plan.sets.size();
  return {strand == 0 ? 0 : plan.ends[(strand - 1) * numSets + s], plan.ends[strand * numSets + s]};
}

/// Shows the only vertex of a strand in a set that of the next set, if that is the only one, too.
POP_INLINE void ComputeSets::showNext(lower::StrandPlan const &plan, std::size_t strand,
                                      std::size_t s, FailureSink &sink) const {
  sink.context.nextEntry = nullptr;
  // Flags are those of one vertex.
  if (watchedFlags_ != 0 || strandCalls(plan, strand, s).size() != 1)
    return;
  CallRange range{0, 0};
  while (range.size() == 0 && ++s < plan.sets.size())
    range = strandCalls(plan, strand, s);
  if (range.size() != 1)
    return;
  Call const &call = sets_[plan.sets[s]].calls[range.begin];
  sink.context.nextEntry = call.entry;
  sink.context.nextState = call.state;
}

/// Runs calls of the set at position s of a plan.
POP_INLINE void ComputeSets::runPlanned(lower::StrandPlan const &plan, std::size_t s,
                                        CallRange range, FailureSink &sink) const {
  std::uint32_t inFront = 0; // failures count calls over all sets of the plan
  for (std::size_t other = 0; other < s; ++other)
    inFront += sets_[plan.sets[other]].numCalls;
  Set const &set = sets_[plan.sets[s]];
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    fetchBehind(set, i);
    introduce(set.calls[i], i, sink);
    sink.call = inFront + i;
    sink.context.randomKey += s * KEY_STEP;
    runWhole(set.calls[i], sink);
  }
}

POP_INLINE void ComputeSets::runStrand(lower::StrandPlan const &plan, std::size_t strand,
                                       FailureSink &sink) const {
  bool done = false; // by the vertex of the set before
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    CallRange const range = strandCalls(plan, strand, s);
    if (range.size() == 0 || std::exchange(done, false))
      continue;
    showNext(plan, strand, s, sink);
    bool const shown = sink.context.nextEntry != nullptr;
    runPlanned(plan, s, range, sink);
    done = shown && sink.context.nextEntry == nullptr;
  }
  sink.context.nextEntry = nullptr;
}

/// Slices of neighbouring strands.
struct ComputeSets::StrandJob {
  ComputeSets const *sets;
  lower::StrandPlan const *plan;
  std::size_t numStrands;
  unsigned numSlices;
  detail::SliceResults results;

  void operator()(unsigned slice) {
    FloatEnvironment const environment;
    std::size_t const begin = numStrands * slice / numSlices,
                      end = numStrands * (slice + 1) / numSlices;
    VertexFailure failure;
    auto const body = [&](FailureSink &sink) {
      for (std::size_t strand = begin; strand < end; ++strand)
        sets->runStrand(*plan, strand, sink);
    };
    try {
      if (!runGuarded(failure, body))
        results.exception.keep(slice, &failure);
    } catch (...) {
      results.exception.keep(slice, nullptr);
    }
  }
};

POP_INLINE bool ComputeSets::runStrands(std::uint32_t index, unsigned maxThreads) {
  lower::StrandPlan const &plan = executable_->strands[index];
  std::size_t const numStrands = plan.numStrands();
  unsigned const threads =
      maxThreads < 2 ? 1 : std::min(maxThreads, base::threadBackend().numThreads());
  if (threads > 1 && numStrands < detail::FEWEST_STRANDS_PER_THREAD * threads)
    return false;
  begin(plan.sets[0]);
  runningStrands_ = &plan;
  for (std::uint32_t const s : plan.before)
    runPlanned(plan, s, {0, sets_[plan.sets[s]].numCalls}, *sink_);
  sink_->call = FailureSink::NONE;
  if (threads < 2) {
    for (std::size_t strand = 0; strand < numStrands; ++strand)
      runStrand(plan, strand, *sink_);
    sink_->call = FailureSink::NONE;
  } else {
    StrandJob job{
        this,
        &plan,
        numStrands,
        static_cast<unsigned>(std::min(numStrands, detail::STRAND_SLICES_PER_THREAD * threads)),
        {}};
    base::parallelFor(job.numSlices, maxThreads, job);
    job.results.exception.rethrow();
    if (job.results.exception.failure().kind != VertexFailure::Kind::None)
      raiseRunning(job.results.exception.failure());
  }
  key_ += (plan.sets.size() - 1) * KEY_STEP;
  return true;
}

POP_INLINE void ComputeSets::raiseRunning(VertexFailure failure) const {
  std::size_t s = 0;
  if (runningStrands_)
    for (; failure.call >= sets_[runningStrands_->sets[s]].numCalls; ++s)
      failure.call -= sets_[runningStrands_->sets[s]].numCalls;
  raise(sets_[runningStrands_ ? runningStrands_->sets[s] : running_], failure);
}

} // namespace cottonwood::engine
