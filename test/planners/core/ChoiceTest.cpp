#include <planners/core/Choice.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

struct SplitPlan {
  static constexpr std::string_view NAME = "split";
  unsigned parts = 1;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("parts", self.parts);
  }
};

using namespace cottonwood::planner;
using SplitCandidate = Candidate<SplitPlan>;

Choice<SplitPlan> threeCandidates(Constraints constraints = {}) {
  Choice<SplitPlan> choice("split of 100 elements", std::move(constraints));
  choice.consider(SplitCandidate::at({1}, {100, 0}));
  choice.consider(SplitCandidate::at({2}, {50, 64}));
  choice.consider(SplitCandidate::refused({3}, "100 does not divide by 3"));
  return choice;
}

} // namespace

TEST_SUITE_BEGIN("planners/core");

TEST_CASE("the cheapest feasible candidate wins") {
  CHECK(threeCandidates().best().plan.parts == 2);
}

TEST_CASE("fewer temporary bytes break a tie of cycles, then the earlier candidate wins") {
  Choice<SplitPlan> choice("split");
  choice.consider(SplitCandidate::at({1}, {50, 64}));
  choice.consider(SplitCandidate::at({2}, {50, 32}));
  choice.consider(SplitCandidate::at({3}, {50, 32}));
  CHECK(choice.best().plan.parts == 2);
}

TEST_CASE("the explanation lists costs and reasons") {
  CHECK(threeCandidates().explanation() == "100 cycles, 0 bytes: split parts=1\n"
                                           "50 cycles, 64 bytes: split parts=2\n"
                                           "refused (100 does not divide by 3): split parts=3\n");
}

TEST_CASE("the explanation stays short when there are many candidates") {
  Choice<SplitPlan> choice("split", {}, 1);
  for (unsigned parts = 1; parts <= 5; ++parts)
    choice.consider(SplitCandidate::at({parts}, {double(parts), 0}));
  CHECK(choice.explanation() == "1 cycles, 0 bytes: split parts=1\nand 4 more\n");
}

TEST_CASE("a forced field overrides the cost") {
  CHECK(threeCandidates(Constraints::parse("parts=1")).best().plan.parts == 1);
}

TEST_CASE("no feasible candidate is an error that lists every reason") {
  auto choice = threeCandidates(Constraints::parse("parts=3"));
  CHECK_FALSE(choice.found());
  CHECK_THROWS_WITH_AS(choice.best(),
                       "no plan for split of 100 elements:\n"
                       "refused (parts = 1 but 3 is forced): split parts=1\n"
                       "refused (parts = 2 but 3 is forced): split parts=2\n"
                       "refused (100 does not divide by 3): split parts=3\n",
                       PlanError);
}

TEST_CASE("a cost that is not finite never wins") {
  Choice<SplitPlan> choice("split");
  choice.consider(SplitCandidate::at({1}, {std::numeric_limits<double>::quiet_NaN(), 0}));
  CHECK_FALSE(choice.found());
}

TEST_SUITE_END();
