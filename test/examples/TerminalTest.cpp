#include <examples/fashion/Terminal.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <sstream>

TEST_SUITE_BEGIN("examples/fashion/terminal");

using namespace fashion;

TEST_CASE("numbers are grouped by thousands") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999.6) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-123456) == "-123,456");
}

TEST_CASE("progress is one plain line when the output is not a terminal") {
  std::ostringstream out;
  Progress progress(out, false, "epoch 1/2", 10);
  progress.update(10, 0.5f);
  progress.finish("done");
  CHECK(out.str() == "  epoch 1/2  done\n");
}

TEST_CASE("a terminal gets a bar that is redrawn") {
  std::ostringstream out;
  Progress progress(out, true, "epoch 1/2", 10);
  progress.update(1, 0.5f); // too soon after the start
  CHECK(out.str().empty());
  progress.update(10, 0.5f);
  CHECK(out.str().find("100%  loss 0.5000") != std::string::npos);
}

TEST_CASE("the loss curve falls from left to right, and copes with any losses") {
  std::ostringstream out;
  std::vector<float> losses;
  for (int i = 0; i != 600; ++i)
    losses.push_back(static_cast<float>(600 - i) / 600);
  drawCurve(out, losses);
  std::string const text = out.str();
  CHECK(text.find("|*****") != std::string::npos);
  CHECK(text.find("600") != std::string::npos);
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (std::vector<float> const &odd : {std::vector<float>{}, {0}, {nan, 1}, {1, nan}, {1}})
    CHECK_NOTHROW(drawCurve(out, odd));
}

TEST_CASE("the confusion matrix counts answers by label") {
  Images const test{1, 1, {0, 0, 0}, {0, 0, 9}};
  std::ostringstream out;
  printConfusion(out, test, {{0, 1, 9}, {1, 1, 1}, 2.0 / 3});
  CHECK(out.str().find("  T-shirt        1     1     0") != std::string::npos);
  CHECK(out.str().find("50.0%") != std::string::npos);
  CHECK(out.str().find("100.0%") != std::string::npos);
}

TEST_CASE("the model's estimates are found in the engine's profile") {
  std::ostringstream out;
  printModelReport(out,
                   "  Memory Per-Tile:       624.0 kB\n  Clock Speed (approx):  1,330.0 MHz\n"
                   "    Maximum (Including Gaps): 51,004 (49.8 K) on tile 0\n"
                   "  Total cycles:                13,300 (approx 10.0 microseconds)\n",
                   1472, 10);
  CHECK(out.str().find("51,004 bytes of 624.0 kB") != std::string::npos);
  CHECK(out.str().find("1,330 cycles, 1.0 us at 1330 MHz") != std::string::npos);
}
