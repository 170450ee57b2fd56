// What reports of engines and of files tell of executed programs.
#include "Reported.hpp"

#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

using namespace poplar;
using namespace pvaTest;

TEST_SUITE("pva/Execution") {
  TEST_CASE("runs with their steps in order") {
    Both const both(2);
    for (pva::Report const &report : both.reports) {
      auto const execution = report.execution();
      auto const runs = execution.runs();
      REQUIRE(runs.size() == 2);
      CHECK(runs[0].name() == "run 0");
      CHECK(runs[0].cycles().start() == 0);
      CHECK(runs[1].cycles().start() == runs[0].cycles().end());
      CHECK(runs[1].cycles().end() == execution.totalCycles());
      CHECK(runs[1].microseconds().end() ==
            doctest::Approx(static_cast<double>(execution.totalCycles().total()) / 1330));
      auto const steps = runs[1].steps();
      REQUIRE(steps.size() == 7);
      char const *const names[] = {"op/first", "op/second", "op/first", "op/second",
                                   "op/first", "op/second", "last"};
      for (std::size_t i = 0; i < 7; ++i)
        CHECK(steps[i].name() == names[i]);
      CHECK(steps[6].ipus().at(0).cycles() == steps[6].cycles());
      CHECK(steps[6].ipus()[0].cyclesFrom() == steps[6].syncCycles());
      CHECK(steps[6].dataIn() == 32);
      CHECK(steps[6].computeSets().empty());
    }
  }

  TEST_CASE("distinct steps with how often they were executed, and totals") {
    Both const both(2);
    for (pva::Report const &report : both.reports) {
      auto const execution = report.execution();
      auto const steps = execution.steps();
      REQUIRE(steps.size() == 3);
      CHECK(steps[0].executions() == 6);
      CHECK(steps[1].executions() == 6);
      CHECK(steps[2].executions() == 2);
      CHECK_FALSE(execution.isTraceCut());
      // Of 4 tiles one sends in 8 cycles and one receives in 9, in 14 exchanges.
      CHECK(execution.tileAverages().exchange == doctest::Approx(14 * 17 / 4.0));
      CHECK(execution.tileAverages().computeIncludingIdle == 0);
      CHECK(execution.vertexTypes().empty());
    }
    CHECK(both.reports[0].execution().totalCycles() == both.reports[1].execution().totalCycles());
  }

  TEST_CASE("the order of all runs has loops folded") {
    Both const both(2);
    for (pva::Report const &report : both.reports) {
      std::uint64_t executed = 0, entries = 0;
      for (pva::TraceGroup const &group : report.execution().trace())
        for (pva::TraceEntry const &entry : group.entries()) {
          executed += entry.count * group.repeats();
          ++entries;
        }
      CHECK(executed == 20); // 14 exchanges, and a loop that turns three times in each run
      CHECK(entries <= 10);
      CHECK(report.execution().runs()[0].trace().size() +
                report.execution().runs()[1].trace().size() ==
            report.execution().trace().size());
    }
  }

  TEST_CASE("an order that is longer than the option allows is cut, and totals are not") {
    Both const whole(2), both(2, {{"profiler.maxExecutedSteps", "3"}});
    for (pva::Report const &report : both.reports) {
      CHECK(report.execution().isTraceCut());
      CHECK(report.execution().runs()[0].steps().size() <= 3);
      CHECK(report.execution().runs()[1].steps().empty());
      CHECK(report.execution().totalCycles() == whole.reports[0].execution().totalCycles());
    }
  }

  TEST_CASE("without runs there are no steps; without an order there are totals") {
    Both const none(0);
    for (pva::Report const &report : none.reports) {
      if (!report.hasExecution())
        continue;
      CHECK(report.execution().runs().empty());
      CHECK(report.execution().steps().empty());
      CHECK(report.execution().totalCycles() == 0);
    }
    Chain chain;
    chain.engine.load(chain.device);
    chain.engine.run(0, "plain");
    auto const execution = chain.engine.getReport().execution();
    CHECK(execution.trace().empty());
    CHECK(execution.runs().at(0).steps().empty());
    CHECK(execution.steps().size() == 3);
    CHECK(execution.totalCycles() > 0);
  }
}
