// The order of executed steps, with loops folded.
#include <poplar/impl/engine/StepTrace.hpp>

#include <poplar/impl/engine/StepTrace.ipp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace cottonwood::engine;

namespace {

using Steps = std::vector<std::uint32_t>;

Steps unrolled(StepTrace const &trace) {
  Steps steps;
  trace.forEach(
      [&](std::uint32_t step, std::uint32_t count) { steps.insert(steps.end(), count, step); });
  return steps;
}

StepTraceBuilder traced(Steps const &steps) {
  StepTraceBuilder builder;
  for (std::uint32_t const step : steps)
    builder.add(step);
  builder.flush();
  return builder;
}

/// "(0 1x3)x2 4": groups with what is in them.
std::string textOf(StepTrace const &trace) {
  std::string text;
  for (StepGroup const &group : trace.groups) {
    text += text.empty() ? "(" : " (";
    for (std::uint32_t i = 0; i < group.length; ++i) {
      StepRun const &run = trace.runs[group.first + i];
      text += (i == 0 ? "" : " ") + std::to_string(run.step) +
              (run.count == 1 ? "" : "x" + std::to_string(run.count));
    }
    text += ")x" + std::to_string(group.repeats);
  }
  return text;
}

std::string folded(Steps const &steps) {
  StepTraceBuilder const builder = traced(steps);
  CHECK(unrolled(builder.trace()) == steps);
  return textOf(builder.trace());
}

} // namespace

TEST_SUITE("poplar/engine/StepTrace") {
  TEST_CASE("nothing, one step and equal steps") {
    CHECK(folded({}) == "");
    CHECK(folded({7}) == "(7)x1");
    CHECK(folded({7, 7, 7}) == "(7x3)x1");
    CHECK(folded({1, 2, 3}) == "(1 2 3)x1");
  }

  TEST_CASE("what is repeated becomes a group, with what comes before and behind it") {
    CHECK(folded({1, 2, 1, 2, 1, 2}) == "(1 2)x3");
    CHECK(folded({9, 1, 2, 2, 1, 2, 2, 8}) == "(9)x1 (1 2x2)x2 (8)x1");
    CHECK(folded({1, 2, 1, 2, 1, 3}) == "(1 2)x2 (1 3)x1");
    CHECK(folded({1, 2, 1, 2, 3, 4, 3, 4, 3, 4}) == "(1 2)x2 (3 4)x3");
  }

  TEST_CASE("a loop of a million turns takes one group") {
    StepTraceBuilder builder;
    for (int turn = 0; turn < 1000000; ++turn)
      for (std::uint32_t step = 0; step < 5; ++step)
        builder.add(step);
    builder.flush();
    CHECK(textOf(builder.trace()) == "(0 1 2 3 4)x1000000");
    CHECK(builder.size() == 6);
  }

  TEST_CASE("flushing separates what would be one group, and an empty flush adds none") {
    StepTraceBuilder builder;
    CHECK(builder.flush() == 0);
    for (std::size_t run = 1; run <= 3; ++run) {
      for (std::uint32_t const step : {1u, 2u, 1u, 2u})
        builder.add(step);
      CHECK(builder.flush() == run);
      CHECK(builder.flush() == run);
    }
    CHECK(textOf(builder.trace()) == "(1 2)x2 (1 2)x2 (1 2)x2");
    builder.clear();
    CHECK(builder.trace().groups.empty());
  }

  TEST_CASE("whatever the order, unrolling gives it back") {
    std::minstd_rand random(3);
    for (int i = 0; i < 300; ++i) {
      auto const kinds = static_cast<std::uint32_t>(1 + random() % 4);
      Steps steps(random() % 200);
      for (std::uint32_t &step : steps)
        step = static_cast<std::uint32_t>(random() % kinds);
      CAPTURE(i);
      folded(steps);
    }
  }
}
