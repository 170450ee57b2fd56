// Body of StepTrace.hpp.
#pragma once

#include <poplar/impl/engine/StepTrace.hpp>

#include <algorithm>

namespace cottonwood::engine {

POP_INLINE void StepTraceBuilder::closeRun() {
  if (open_.count == 0)
    return;
  StepRun const run = open_;
  open_ = {0, 0};
  if (!looping_)
    return literal(run);
  StepGroup &loop = trace_.groups.back();
  if (!(trace_.runs[loop.first + at_] == run) || loop.repeats == ~std::uint32_t{0}) {
    leaveLoop();
    return literal(run);
  }
  if (++at_ == loop.length) {
    at_ = 0;
    ++loop.repeats;
  }
}

/// A turn that was begun and not ended becomes entries of its own.
POP_INLINE void StepTraceBuilder::leaveLoop() {
  looping_ = false;
  StepGroup const loop = trace_.groups.back();
  literalBegin_ = trace_.runs.size();
  for (std::uint32_t i = 0; i < at_; ++i)
    literal(trace_.runs[loop.first + i]);
  at_ = 0;
}

POP_INLINE void StepTraceBuilder::literal(StepRun run) {
  std::vector<StepRun> &runs = trace_.runs;
  if (run.step >= lastOf_.size())
    lastOf_.resize(run.step + 1);
  std::uint64_t const last = lastOf_[run.step];
  runs.push_back(run);
  lastOf_[run.step] = runs.size();
  // The last run of a step may have become part of a group, and its place another one's.
  if (last <= literalBegin_ || last >= runs.size())
    return;
  std::uint64_t const length = runs.size() - last;
  if (length > MAX_LENGTH || runs.size() - literalBegin_ < 2 * length ||
      !std::equal(runs.rbegin(), runs.rbegin() + static_cast<std::ptrdiff_t>(length),
                  runs.rbegin() + static_cast<std::ptrdiff_t>(length)))
    return;
  runs.resize(runs.size() - length);
  std::uint64_t const first = runs.size() - length;
  if (first != literalBegin_)
    trace_.groups.push_back({literalBegin_, static_cast<std::uint32_t>(first - literalBegin_), 1});
  trace_.groups.push_back({first, static_cast<std::uint32_t>(length), 2});
  literalBegin_ = runs.size();
  looping_ = true;
  at_ = 0;
}

POP_INLINE std::size_t StepTraceBuilder::flush() {
  closeRun();
  if (looping_)
    leaveLoop();
  if (literalBegin_ != trace_.runs.size())
    trace_.groups.push_back(
        {literalBegin_, static_cast<std::uint32_t>(trace_.runs.size() - literalBegin_), 1});
  literalBegin_ = trace_.runs.size();
  return trace_.groups.size();
}

} // namespace cottonwood::engine
