// What the program shows: plain ASCII, so that it reads the same in every terminal and log.
#pragma once

#include "Images.hpp"
#include "Training.hpp"

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace fashion {

inline constexpr char const *CLASS_NAMES[CLASSES] = {
    "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"};

/// The progress of one epoch: a bar that is redrawn in place on a terminal; elsewhere nothing until
/// finish(), which prints one line in both cases.
class Progress {
public:
  Progress(std::ostream &out, bool isTerminal, std::string title, std::size_t steps);
  void update(std::size_t done, float loss);
  void finish(std::string const &summary);

private:
  std::ostream &out_;
  bool isTerminal_;
  std::string title_;
  std::size_t steps_;
  std::chrono::steady_clock::time_point lastDrawn_;
};

/// Losses from left to right, each column the mean of an equal share of the steps.
void drawCurve(std::ostream &out, std::vector<float> const &losses);

/// Rows are labels, columns answers.
void printConfusion(std::ostream &out, Images const &test, TestResult const &result);

/// The first images answered rightly and wrongly, `each` of both, with the answers.
void drawExamples(std::ostream &out, Images const &test, TestResult const &result,
                  std::size_t each);

/// Tiles, memory and cycles, taken from the engine's profile of `steps` training steps.
void printModelReport(std::ostream &out, std::string const &profile, unsigned tiles,
                      std::size_t steps);

/// 1234567.8 as 1,234,568
std::string grouped(double value);

/// As printf; up to 255 characters.
[[gnu::format(printf, 1, 2)]] std::string formatted(char const *format, ...);

} // namespace fashion
