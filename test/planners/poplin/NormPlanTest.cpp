#include <planners/poplin/Norm.hpp>

#include <doctest/doctest.h>

using cottonwood::planner::NormPlan;
using cottonwood::planner::NormProblem;
using cottonwood::planner::passesFollowSums;
using cottonwood::planner::planNorm;

TEST_SUITE("planners/poplin/norm") {
  TEST_CASE("rows of activations are cut into boxes of 32 KB, but not too few") {
    CHECK(planNorm({2048, 1, 1, 768, 0}) == NormPlan{11, 1, 1, 768});
    CHECK(planNorm({128, 1, 1, 768, 0}) == NormPlan{11, 1, 1, 768}); // twelve
    CHECK(planNorm({2048, 1, 1, 768, 0, 2}) == NormPlan{22, 1, 1, 768});
    CHECK(planNorm({16, 1, 1, 768, 0}) == NormPlan{16, 1, 1, 768});
  }

  TEST_CASE("rows of large activations are cut into smaller ones, but not too many") {
    CHECK(planNorm({16384, 1, 1, 768, 0}) == NormPlan{8, 1, 1, 768});
    CHECK(planNorm({16384, 1, 1, 768, 0, 2}) == NormPlan{16, 1, 1, 768}); // as many bytes
    CHECK(planNorm({2048, 1, 1, 1024, 0}) == NormPlan{7, 1, 1, 1024});
    CHECK(planNorm({1u << 30, 1, 1, 64, 0}).k1 == 1u << 17); // 8192
  }

  TEST_CASE("long rows are a box each before any is cut") {
    CHECK(planNorm({30, 1, 1, 1 << 20, 0}) == NormPlan{1, 1, 1, 1 << 20});
    CHECK(planNorm({2, 1, 1, 1 << 20, 0}) == NormPlan{1, 1, 1, 87424});
  }

  TEST_CASE("boxes that share statistics are as many as they were, whatever the size") {
    CHECK(planNorm({1, 1 << 20, 64, 1, 0}) == NormPlan{1, 43691, 64, 1});
    CHECK(planNorm({1, 1 << 10, 64, 1, 0}) == NormPlan{1, 256, 64, 1});
  }

  TEST_CASE("few long rows are cut into columns where sums would have a row each, on tiles") {
    NormPlan const plan = planNorm({1, 64, 30522, 1, 1472});
    CHECK(plan.r1 >= 16);
    CHECK(plan.k2 * plan.r1 >= 1024);
    CHECK(planNorm({1, 1 << 20, 8, 1, 1472}) == NormPlan{1, 713, 8, 1}); // runs have few sums
  }

  TEST_CASE("passes follow the sums of large activations in whole rows, on a CPU") {
    CHECK(passesFollowSums({16384, 1, 1, 768, 0}));
    CHECK(passesFollowSums({128, 1, 1, 768, 0}));
    CHECK_FALSE(passesFollowSums({40, 1, 1, 768, 0}));       // small
    CHECK_FALSE(passesFollowSums({2, 1, 1, 1 << 20, 0}));    // rows are cut
    CHECK_FALSE(passesFollowSums({1, 1 << 14, 768, 1, 0}));  // columns
    CHECK_FALSE(passesFollowSums({16384, 1, 1, 768, 1472})); // tiles
  }
}
