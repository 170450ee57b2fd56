#include "Terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace fashion {
namespace {

constexpr std::size_t CURVE_WIDTH = 60, CURVE_HEIGHT = 12, BAR_WIDTH = 30;

/// Means of `columns` equal shares.
std::vector<double> averaged(std::vector<float> const &values, std::size_t columns) {
  std::vector<double> means;
  for (std::size_t i = 0; i != columns; ++i) {
    std::size_t const begin = values.size() * i / columns, end = values.size() * (i + 1) / columns;
    double sum = 0;
    for (std::size_t j = begin; j != end; ++j)
      sum += values[j];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  return means;
}

/// An image of 14 lines for 28 rows: characters are about twice as high as wide.
std::vector<std::string> drawing(Images const &images, std::size_t i) {
  constexpr std::string_view SHADES = " .:-=+*#%@";
  std::uint8_t const *const pixels = images.image(i);
  std::vector<std::string> lines;
  for (std::size_t row = 0; row + 1 < images.height; row += 2) {
    std::string line;
    for (std::size_t column = 0; column != images.width; ++column) {
      unsigned const upper = pixels[row * images.width + column],
                     lower = pixels[(row + 1) * images.width + column];
      line += SHADES[(upper + lower) * SHADES.size() / 511];
    }
    lines.push_back(line);
  }
  return lines;
}

std::string caption(Images const &test, TestResult const &result, std::size_t i) {
  bool const right = result.answers[i] == test.labels[i];
  return formatted("%s: %s, %.0f%%%s", CLASS_NAMES[test.labels[i]], CLASS_NAMES[result.answers[i]],
                   100.0 * static_cast<double>(result.certainties[i]), right ? "" : " (wrong)");
}

/// Two images side by side.
void drawPair(std::ostream &out, Images const &test, TestResult const &result, std::size_t left,
              std::size_t right) {
  std::size_t const width = test.width + 10;
  auto const pad = [&](std::string text) {
    text.resize(std::max(width, text.size() + 1), ' ');
    return text;
  };
  std::vector<std::string> const leftLines = drawing(test, left), rightLines = drawing(test, right);
  for (std::size_t row = 0; row != leftLines.size(); ++row)
    out << "  " << pad(leftLines[row]) << rightLines[row] << '\n';
  out << "  " << pad(caption(test, result, left)) << caption(test, result, right) << "\n\n";
}

/// The number behind `label` in the profile's text, written with commas; or empty.
std::string profileNumber(std::string const &profile, std::string const &label) {
  std::size_t const at = profile.find(label);
  if (at == std::string::npos)
    return "";
  std::size_t const begin = profile.find_first_not_of(' ', at + label.size());
  return profile.substr(begin, profile.find_first_not_of("0123456789,.", begin) - begin);
}

double numberOf(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  return std::strtod(text.c_str(), nullptr);
}

} // namespace

std::string formatted(char const *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

std::string grouped(double value) {
  std::string text = std::to_string(std::llround(value));
  for (std::size_t at = text.size(); at > 3 && text[at - 4] != '-'; at -= 3)
    text.insert(at - 3, 1, ',');
  return text;
}

Progress::Progress(std::ostream &out, bool isTerminal, std::string title, std::size_t steps)
    : out_(out), isTerminal_(isTerminal), title_(std::move(title)), steps_(steps),
      lastDrawn_(std::chrono::steady_clock::now()) {}

void Progress::update(std::size_t done, float loss) {
  auto const now = std::chrono::steady_clock::now();
  if (!isTerminal_ || (done != steps_ && now - lastDrawn_ < std::chrono::milliseconds(100)))
    return;
  lastDrawn_ = now;
  std::string bar(BAR_WIDTH, '.');
  std::fill_n(bar.begin(), BAR_WIDTH * done / std::max<std::size_t>(steps_, 1), '#');
  out_ << "\r  " << title_ << " [" << bar << "] "
       << formatted("%3zu%%  loss %.4f ", 100 * done / std::max<std::size_t>(steps_, 1),
                    static_cast<double>(loss))
       << std::flush;
}

void Progress::finish(std::string const &summary) {
  // "erase the line": the bar may be longer than the summary.
  out_ << (isTerminal_ ? "\r\033[K" : "") << "  " << title_ << "  " << summary << std::endl;
}

void drawCurve(std::ostream &out, std::vector<float> const &losses) {
  if (losses.empty())
    return;
  std::vector<double> const means = averaged(losses, std::min(CURVE_WIDTH, losses.size()));
  double const top = *std::max_element(means.begin(), means.end());
  std::vector<std::string> rows(CURVE_HEIGHT, std::string(means.size(), ' '));
  for (std::size_t x = 0; x != means.size(); ++x) {
    // A loss that is not finite has no place in the picture.
    double const share = top > 0 ? means[x] / top : 0;
    if (share >= 0 && share <= 1)
      rows[CURVE_HEIGHT - 1 -
           std::min(CURVE_HEIGHT - 1, static_cast<std::size_t>(share * CURVE_HEIGHT))][x] = '*';
  }
  out << "\ntraining loss, by step\n";
  for (std::size_t y = 0; y != CURVE_HEIGHT; ++y)
    out << formatted("  %6.3f |",
                     top * static_cast<double>(CURVE_HEIGHT - y) / double{CURVE_HEIGHT})
        << rows[y] << '\n';
  std::string const last = grouped(static_cast<double>(losses.size()));
  out << "         +" << std::string(means.size(), '-') << "\n          1"
      << std::string(means.size() > last.size() ? means.size() - last.size() - 1 : 1, ' ') << last
      << "\n";
}

void printConfusion(std::ostream &out, Images const &test, TestResult const &result) {
  std::array<std::array<unsigned, CLASSES>, CLASSES> counts{};
  for (std::size_t i = 0; i != test.size(); ++i)
    ++counts[test.labels[i]][result.answers[i]];
  out << "\nanswers (columns) to each kind of image (rows)\n  " << std::string(10, ' ');
  for (char const *const name : CLASS_NAMES)
    out << formatted("%6.5s", name);
  out << "   right\n";
  for (unsigned label = 0; label != CLASSES; ++label) {
    out << formatted("  %-10s", CLASS_NAMES[label]);
    unsigned total = 0;
    for (unsigned const count : counts[label]) {
      out << formatted("%6u", count);
      total += count;
    }
    out << formatted("  %5.1f%%\n", total == 0 ? 0 : 100.0 * counts[label][label] / total);
  }
}

void drawExamples(std::ostream &out, Images const &test, TestResult const &result,
                  std::size_t each) {
  std::vector<std::size_t> shown[2];
  for (std::size_t i = 0; i != test.size(); ++i) {
    std::vector<std::size_t> &list = shown[result.answers[i] != test.labels[i]];
    if (list.size() != each)
      list.push_back(i);
  }
  out << "\ntest images: what they are, and the network's answer\n";
  for (std::vector<std::size_t> const &list : shown)
    for (std::size_t i = 0; i + 1 < list.size(); i += 2)
      drawPair(out, test, result, list[i], list[i + 1]);
}

void printModelReport(std::ostream &out, std::string const &profile, unsigned tiles,
                      std::size_t steps) {
  double const bytes = numberOf(profileNumber(profile, "Maximum (Including Gaps):"));
  double const cycles = numberOf(profileNumber(profile, "Total cycles:"));
  double const megahertz = numberOf(profileNumber(profile, "Clock Speed (approx):"));
  out << "\nestimates of the IPU Model (no hardware was used)\n  tiles                 "
      << grouped(tiles) << "\n  fullest tile          " << grouped(bytes) << " bytes of "
      << profileNumber(profile, "Memory Per-Tile:") << " kB\n";
  if (steps == 0)
    return;
  double const perStep = cycles / static_cast<double>(steps);
  out << "  a training step       " << grouped(perStep) << " cycles, "
      << formatted("%.1f us at %.0f MHz\n", perStep / megahertz, megahertz);
}

} // namespace fashion
