// Summaries from trees of values say what the engine says.
#include "Profiled.hpp"

#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

using namespace poplar;
using namespace profileTest;

namespace {

template <class Print> std::string textOf(Print const &print) {
  std::ostringstream out;
  print(out);
  return out.str();
}

} // namespace

TEST_SUITE("poplar/profile/Summary") {
  TEST_CASE("the summary of both profiles is that of the engine") {
    Profiled p;
    p.engine.loadAndRun(p.device);
    OptionFlags const all{{"showExecutionSteps", "true"}, {"showVarStorage", "true"}};
    auto const graph = p.engine.getGraphProfile(), execution = p.engine.getExecutionProfile();
    CHECK(textOf([&](std::ostream &out) { printProfileSummary(out, graph, execution, all); }) ==
          p.summary(all));
    CHECK(textOf([&](std::ostream &out) { printProfileSummary(out, graph, execution); }) ==
          p.summary());
  }

  TEST_CASE("graph and execution have summaries of their own") {
    Profiled p;
    p.engine.loadAndRun(p.device);
    auto const graph = p.engine.getGraphProfile(), execution = p.engine.getExecutionProfile();
    auto const ofGraph = textOf([&](std::ostream &out) { printGraphSummary(out, graph, {}); });
    auto const ofExecution =
        textOf([&](std::ostream &out) { printExecutionSummary(out, graph, execution, {}); });
    CHECK(ofGraph.starts_with("Target:\n  Number of IPUs:        1\n"));
    CHECK(ofGraph.find("  Number of variables:     2\n") != std::string::npos);
    CHECK(ofGraph.find("Execution:") == std::string::npos);
    CHECK(ofExecution.starts_with("Execution:\n\nPrograms executed:\n\n<anonymous>.\n"));
    CHECK(ofGraph + ofExecution == p.summary());
  }

  TEST_CASE("before the engine is loaded there is no execution section") {
    Profiled p;
    CHECK(p.summary().find("Execution:") == std::string::npos);
    auto const profile = p.engine.getProfile();
    CHECK(profile["executionProfile"]["cycles"].asUint() == 0);
    CHECK(textOf([&](std::ostream &out) {
            printProfileSummary(out, profile["graphProfile"], ProfileValue());
          }) == p.summary());
  }

  TEST_CASE("steps and variables are shown when they are asked for") {
    Profiled p;
    p.engine.loadAndRun(p.device);
    auto const steps = p.summary({{"showExecutionSteps", "true"}});
    CHECK(steps.find("    DoExchange: move (2 x ") != std::string::npos);
    // 8 cycles to send, and one more to receive: a mean of 8.5 of 9.
    CHECK(steps.find(" cycles, 94.4% tile balance, 2 active tiles, 32 B moved)\n") !=
          std::string::npos);
    CHECK(p.summary({{"showVarStorage", "true"}})
              .find("\nVariable Storage Liveness:\n  Always live: 32 B\n    x  32 B\n"
                    "  Not always live, by step:\n    DoExchange: move: 32 B (y 32 B)\n") !=
          std::string::npos);
    CHECK(p.summary().find("DoExchange") == std::string::npos);
  }

  TEST_CASE("a tree that is no profile, and an unknown option, are errors") {
    Profiled p;
    auto const graph = p.engine.getGraphProfile();
    std::ostringstream out;
    CHECK_THROWS_WITH_AS(printGraphSummary(out, ProfileValue(), {}),
                         "poplar::ProfileValue: the map of 0 members has no 'target'",
                         poplar_error);
    CHECK_THROWS_AS(printExecutionSummary(out, graph, graph, {}), poplar_error);
    CHECK_THROWS_AS(printGraphSummary(out, graph, {{"showVariables", "true"}}), invalid_option);
  }
}
