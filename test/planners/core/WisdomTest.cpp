#include <planners/core/Wisdom.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("planners/core");

using cottonwood::planner::PlanError;
using cottonwood::planner::Wisdom;

namespace {

Wisdom some() {
  Wisdom wisdom("isa=avx2 version=1");
  wisdom.learn("product m=3 threads=2", {"matmul splitM=2", 120});
  wisdom.learn("product m=2 threads=2", {"matmul splitM=1", 45});
  return wisdom;
}

std::string const TEXT = "cottonwood-wisdom 1\n"
                         "kernels isa=avx2 version=1\n"
                         "product m=2 threads=2 = matmul splitM=1 ; 45 ns\n"
                         "product m=3 threads=2 = matmul splitM=2 ; 120 ns\n"
                         "end 2\n";

/// The text with one piece replaced.
std::string with(std::string const &from, std::string const &to) {
  std::string text = TEXT;
  text.replace(text.find(from), from.size(), to);
  return text;
}

} // namespace

TEST_CASE("wisdom is a text of sorted lines that gives the same wisdom again") {
  CHECK(some().toText() == TEXT);
  Wisdom const again = Wisdom::fromText(TEXT, "isa=avx2 version=1");
  CHECK(again.entries() == some().entries());
  CHECK(again.toText() == TEXT);
  CHECK(again.find("product m=2 threads=2")->plan == "matmul splitM=1");
  CHECK_FALSE(again.find("product m=4 threads=2").has_value());
  Wisdom const none("x");
  CHECK(Wisdom::fromText(none.toText(), "x").size() == 0);
}

TEST_CASE("merging keeps the quicker plan of a problem that both know") {
  Wisdom mine = some(), other("isa=avx2 version=1");
  other.learn("product m=2 threads=2", {"matmul splitM=9", 50});
  other.learn("product m=3 threads=2", {"matmul splitM=8", 100});
  other.learn("product m=1 threads=2", {"matmul splitM=7", 10});
  mine.merge(other);
  CHECK(mine.size() == 3);
  CHECK(mine.find("product m=1 threads=2")->plan == "matmul splitM=7");
  CHECK(mine.find("product m=2 threads=2")->plan == "matmul splitM=1");
  CHECK(mine.find("product m=3 threads=2")->plan == "matmul splitM=8");
}

TEST_CASE("wisdom for other kernels or of another version is refused") {
  CHECK_THROWS_WITH_AS(Wisdom::fromText(TEXT, "isa=avx512 version=1"),
                       "wisdom: it is for the kernels 'isa=avx2 version=1', but those in use are "
                       "'isa=avx512 version=1'",
                       PlanError);
  CHECK_THROWS_WITH_AS(Wisdom::fromText(with("wisdom 1", "wisdom 2"), "isa=avx2 version=1"),
                       "wisdom: line 1 says 'cottonwood-wisdom 2', but this version reads "
                       "'cottonwood-wisdom 1'",
                       PlanError);
  Wisdom mine("other");
  CHECK_THROWS_AS(mine.merge(some()), PlanError);
  CHECK(mine.size() == 0);
}

TEST_CASE("texts that are no wisdom are refused with the line that is wrong") {
  auto const check = [](std::string const &text, char const *message) {
    CHECK_THROWS_WITH_AS(Wisdom::fromText(text, "isa=avx2 version=1"), message, PlanError);
  };
  check("", "wisdom: line 1 is ''; it must be 'cottonwood-wisdom 1'");
  check("hello\n", "wisdom: line 1 is 'hello'; it must be 'cottonwood-wisdom 1'");
  check("cottonwood-wisdom 1\n", "wisdom: line 2 must begin with 'kernels '");
  check(with("end 2\n", ""), "wisdom: it ends without a line 'end'; it was cut off");
  check(with("end 2", "end 3"), "wisdom: line 5 is 'end 3', but there are 2 entries");
  check(TEXT + "x", "wisdom: there is more after line 5, the last");
  check(with(" ; 45 ns", ""),
        "wisdom: line 3 has no plan or no time; it must be 'PROBLEM = PLAN ; TIME ns'");
  check(with("45", "4x5"),
        "wisdom: line 3 has a time that is no number; it must be 'PROBLEM = PLAN ; TIME ns'");
  check(
      with("m=3", "m=2"),
      "wisdom: line 4 names a problem for the second time; it must be 'PROBLEM = PLAN ; TIME ns'");
  // Every text that is cut off anywhere is an error, never half of the wisdom.
  for (std::size_t n = 0; n < TEXT.size(); ++n)
    CHECK_THROWS_AS(Wisdom::fromText(TEXT.substr(0, n), "isa=avx2 version=1"), PlanError);
}

TEST_SUITE_END();
