// What planners' choices leave in figures, whatever their type.
#pragma once

#include <bench/plan/Arrays.hpp>

#include <chrono>
#include <cstddef>

namespace cottonwood::plan {

/// f(), its time kept.
template <class F> auto timed(ArrayFigures &figures, F const &f) {
  using Clock = std::chrono::steady_clock;
  auto const begin = Clock::now();
  auto result = f();
  figures.planSeconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

/// \param keep  plans that lost to tell of
template <class Choice>
void keepChoice(ArrayFigures &figures, Choice const &choice, std::size_t keep) {
  figures.plan = toText(choice.plan);
  figures.predicted = choice.cost;
  figures.considered = choice.considered;
  figures.exceedsMemory = choice.exceedsMemory;
  for (auto const &other : choice.others)
    if (figures.others.size() < keep)
      figures.others.emplace_back(toText(other.plan), other.cost);
}

} // namespace cottonwood::plan
