#include <bench/poplin/PlanSpace.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

using namespace cottonwood::bench;

namespace {

constexpr char const *PLAN =
    "matmul splitG=1 splitM=2 splitN=1 method=blocked rows=264 depth=400 packA=false packB=true";

bool contains(std::vector<std::string> const &all, std::string const &one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

TEST_SUITE("bench/plans") {
  TEST_CASE("plan and cycles are found in a report") {
    PlanReport const report = parsePlanReport("problem: p\nplan: matmul splitM=2\nestimate: 1250 "
                                              "cycles, 8 bytes of temporaries\ncandidates:\n...");
    CHECK(report.plan == "matmul splitM=2");
    CHECK(report.cycles == 1250);
    for (char const *text : {"", "plan: x", "estimate: 3 cycles, 0 bytes", "plan: x\nestimate: y"})
      CHECK_THROWS_AS(parsePlanReport(text), std::invalid_argument);
  }

  TEST_CASE("a short plan has the fields that say something") {
    CHECK(shortPlan(PLAN) == "splitM=2 method=blocked rows=264 depth=400 packB=true");
    CHECK(shortPlan("conv splitG=1 otherSplits=1 depth=0") == "");
  }

  TEST_CASE("fields of a plan") {
    CHECK(fieldOf(PLAN, "rows") == "264");
    CHECK(fieldOf(PLAN, "method") == "blocked");
    CHECK(fieldOf(PLAN, "split").empty());
  }

  TEST_CASE("products are split by sizes that they have, and get other kernels") {
    auto const all = constraintsFor(Product{.m = 64, .n = 3, .k = 64}, PLAN);
    CHECK(contains(all, R"({"splitM": 8})"));
    CHECK(contains(all, R"({"splitM": 2, "splitN": 2})"));
    CHECK_FALSE(contains(all, R"({"splitN": 4})"));
    CHECK_FALSE(contains(all, R"({"splitG": 2})"));
    CHECK(contains(all, R"({"method": "rows"})"));
    CHECK_FALSE(contains(all, R"({"method": "blocked"})"));
    CHECK(contains(all, R"({"depth": 200})"));
    CHECK(contains(all, R"({"packA": true})"));
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
  }

  TEST_CASE("splits of convolutions stand in their partition") {
    auto const all = constraintsFor(Conv{.batch = 2, .in = 8, .out = 8, .size = 5}, "conv");
    CHECK(contains(all, R"({"0": {"partition": {"batchSplit": 2}}})"));
    CHECK(contains(all, R"({"0": {"partition": {"fieldSplit": {"0": 4}}}})"));
    CHECK(contains(all,
                   R"({"0": {"partition": {"batchSplit": 2, "outChanSplit": {"parallel": 2}}}})"));
    CHECK_FALSE(contains(all, R"({"0": {"partition": {"convGroupSplit": 2}}})"));
  }

  TEST_CASE("every problem has a name of its own") {
    std::set<std::string> names;
    for (Case const &next : planCases())
      CHECK(names.insert(nameOf(next.problem)).second);
  }
}
