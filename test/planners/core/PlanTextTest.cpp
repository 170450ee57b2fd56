#include <planners/core/Constraints.hpp>
#include <planners/core/PlanText.hpp>

#include <doctest/doctest.h>

#include <set>

namespace {

enum class Order { Row, Tree };

struct SamplePlan {
  static constexpr std::string_view NAME = "sample";
  unsigned rows = 0;
  int shift = 0;
  bool fused = false;
  Order order = Order::Row;
  std::string kernel;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("rows", self.rows);
    visit("shift", self.shift);
    visit("fused", self.fused);
    visit("order", self.order);
    visit("kernel", self.kernel);
  }
  friend bool operator==(SamplePlan const &, SamplePlan const &) = default;
};

} // namespace

template <> struct cottonwood::planner::EnumNames<Order> {
  static constexpr std::string_view names[] = {"row", "tree"};
};

TEST_SUITE_BEGIN("planners/core");

using namespace cottonwood::planner;

namespace {
SamplePlan sample() { return {8, -3, true, Order::Tree, "panel"}; }
} // namespace

TEST_CASE("a plan prints on one line and parses back to the same plan") {
  CHECK(toText(sample()) == "sample rows=8 shift=-3 fused=true order=tree kernel=panel");
  CHECK(fromText<SamplePlan>(toText(sample())) == sample());
}

TEST_CASE("an empty text field survives the round trip") {
  CHECK(fromText<SamplePlan>(toText(SamplePlan{})) == SamplePlan{});
}

TEST_CASE("plan texts that do not parse say what is wrong and what is allowed") {
  auto parse = [](char const *text) { return fromText<SamplePlan>(text); };
  CHECK_THROWS_WITH_AS(parse("other rows=8"),
                       "plan text: 'other rows=8' does not begin with 'sample'", PlanError);
  CHECK_THROWS_WITH_AS(parse("sample rows"), "plan text: 'rows' is not of the form key=value",
                       PlanError);
  CHECK_THROWS_WITH_AS(parse("sample rows=-1"),
                       "plan text: '-1' is not a value of 'rows'; allowed: an integer from 0",
                       PlanError);
  CHECK_THROWS_WITH_AS(parse("sample order=heap"),
                       "plan text: 'heap' is not a value of 'order'; allowed: row, tree",
                       PlanError);
  CHECK_THROWS_WITH_AS(
      parse("sample colour=3"),
      "plan text: no key 'colour' in a plan of sample; keys: rows, shift, fused, order, kernel",
      PlanError);
  CHECK_THROWS_WITH_AS(
      parse("sample rows=1 rows=2 shift=0 fused=true order=row"),
      "plan text: 'sample rows=1 rows=2 shift=0 fused=true order=row' must give each key once; "
      "check: rows, kernel",
      PlanError);
}

TEST_CASE("equal plans hash alike and each field counts") {
  std::set<std::uint64_t> hashes{hashOf(SamplePlan{})};
  CHECK(hashOf(sample()) == hashOf(sample()));
  for (char const *change : {"rows", "shift"}) {
    SamplePlan plan;
    setField(plan, change, "5");
    CHECK(hashes.insert(hashOf(plan)).second);
  }
  SamplePlan plan;
  setField(plan, "order", "tree");
  CHECK(hashes.insert(hashOf(plan)).second);
}

TEST_CASE("constraints admit the plans that agree and name what differs") {
  auto forced = Constraints::parse("rows=8, order=tree");
  CHECK_FALSE(forced.refusal(sample()));
  SamplePlan other = sample();
  other.rows = 4;
  other.order = Order::Row;
  CHECK(forced.refusal(other).value() ==
        "order = row but tree is forced, rows = 4 but 8 is forced");
  CHECK_FALSE(Constraints().refusal(other));
}

TEST_CASE("misspelt constraints are errors") {
  CHECK_THROWS_AS(Constraints::parse("colour=3").check<SamplePlan>(), PlanError);
  CHECK_THROWS_AS(Constraints::parse("order=heap").check<SamplePlan>(), PlanError);
  CHECK_THROWS_WITH_AS(Constraints::parse("rows=1,rows=2"),
                       "plan constraints: 'rows' is given twice in 'rows=1,rows=2'", PlanError);
}

TEST_SUITE_END();
