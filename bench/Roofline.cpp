#include <bench/Roofline.hpp>
#include <bench/Rows.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace cottonwood::bench {
namespace {

constexpr double WIDTH = 900, HEIGHT = 560;
constexpr double LEFT = 70, RIGHT = 870, TOP = 50, BOTTOM = 500;

std::string escaped(std::string const &text) {
  std::string result;
  for (char c : text)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  return result;
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// A logarithmic axis over whole decades.
struct Axis {
  double low, high; ///< exponents of ten
  double from, to;  ///< places on the page

  Axis(double least, double most, double first, double last)
      : low(std::floor(std::log10(least))), high(std::max(low + 1, std::ceil(std::log10(most)))),
        from(first), to(last) {}

  double at(double value) const {
    return std::lerp(from, to, (std::log10(value) - low) / (high - low));
  }
};

bool drawable(double value) { return std::isfinite(value) && value > 0; }

/// Writes the elements of one picture.
class Picture {
public:
  Picture(Roofs const &roofs, std::vector<RooflinePoint> const &points)
      : roofs_(roofs), x_(xAxis(points)), y_(yAxis(roofs, points)) {}

  void line(double x1, double y1, double x2, double y2, char const *style) {
    text_ << "<line x1=\"" << number(x1) << "\" y1=\"" << number(y1) << "\" x2=\"" << number(x2)
          << "\" y2=\"" << number(y2) << "\" " << style << "/>\n";
  }
  void label(double x, double y, std::string const &what, char const *style = "") {
    text_ << "<text x=\"" << number(x) << "\" y=\"" << number(y) << "\" " << style << '>'
          << escaped(what) << "</text>\n";
  }

  void axes() {
    constexpr char const *GRID = "stroke=\"#ddd\"";
    for (double e = x_.low; e <= x_.high; ++e) {
      double const x = x_.at(std::pow(10, e));
      line(x, TOP, x, BOTTOM, GRID);
      label(x, BOTTOM + 18, shortPower(e), "text-anchor=\"middle\"");
    }
    for (double e = y_.low; e <= y_.high; ++e) {
      double const y = y_.at(std::pow(10, e));
      line(LEFT, y, RIGHT, y, GRID);
      label(LEFT - 6, y + 4, shortPower(e), "text-anchor=\"end\"");
    }
    label((LEFT + RIGHT) / 2, BOTTOM + 38, "floating point operations a byte",
          "text-anchor=\"middle\"");
    label(LEFT + 6, TOP - 8, "GF/s");
  }

  /// A sloping roof up to where it meets the flat one.
  void slope(double bandwidth, char const *name) {
    if (!drawable(bandwidth) || !drawable(roofs_.fma))
      return;
    double const first = std::max(std::pow(10, x_.low), std::pow(10, y_.low) / bandwidth);
    double const last = std::min(roofs_.fma / bandwidth, std::pow(10, x_.high));
    if (last <= first)
      return;
    line(x_.at(first), y_.at(first * bandwidth), x_.at(last), y_.at(last * bandwidth), ROOF);
    label(x_.at(first) + 8, y_.at(first * bandwidth) - 4,
          std::string(name) + ' ' + shortNumber(bandwidth) + " GB/s", ON_LINES);
  }

  void ceiling() {
    if (!drawable(roofs_.fma))
      return;
    double const y = y_.at(roofs_.fma);
    line(LEFT, y, RIGHT, y, ROOF);
    label(RIGHT, y - 6, "multiply-adds " + shortNumber(roofs_.fma) + " GF/s",
          "text-anchor=\"end\"");
  }

  void point(std::string const &name, double intensity, double rate, char const *style) {
    if (!drawable(intensity) || !drawable(rate))
      return;
    text_ << "<circle cx=\"" << number(x_.at(intensity)) << "\" cy=\"" << number(y_.at(rate))
          << "\" r=\"4\" " << style << "><title>" << escaped(name) << ": " << shortNumber(rate)
          << " GF/s</title></circle>\n";
  }

  std::string text() const { return text_.str(); }

private:
  static constexpr char const *ROOF = "stroke=\"#444\" stroke-width=\"1.5\"";
  static constexpr char const *ON_LINES =
      "stroke=\"white\" stroke-width=\"4\" paint-order=\"stroke\"";

  static std::string shortPower(double exponent) {
    char text[40];
    std::snprintf(text, sizeof text, "%g", std::pow(10, exponent));
    return text;
  }

  static Axis xAxis(std::vector<RooflinePoint> const &points) {
    double least = 0.1, most = 100;
    for (RooflinePoint const &point : points)
      if (drawable(point.intensity))
        least = std::min(least, point.intensity), most = std::max(most, point.intensity);
    return {least, most, LEFT, RIGHT};
  }
  static Axis yAxis(Roofs const &roofs, std::vector<RooflinePoint> const &points) {
    double least = 10, most = drawable(roofs.fma) ? roofs.fma : 100;
    for (RooflinePoint const &point : points)
      for (double rate : {point.ours, point.theirs})
        if (drawable(rate))
          least = std::min(least, rate), most = std::max(most, rate);
    return {least, most, BOTTOM, TOP};
  }

  Roofs roofs_;
  Axis x_, y_;
  std::ostringstream text_;
};

} // namespace

Roofs parseRoofs(std::string const &text) {
  std::istringstream words(text);
  Roofs roofs;
  words >> roofs.fma >> roofs.l2 >> roofs.l3 >> roofs.memory;
  std::string more;
  if (!words || words >> more || !drawable(roofs.fma) || !drawable(roofs.l2) ||
      !drawable(roofs.l3) || !drawable(roofs.memory))
    throw std::invalid_argument("not four numbers above 0: '" + text + "'");
  return roofs;
}

std::string textOf(Roofs const &roofs) {
  return shortNumber(roofs.fma) + " GF/s of multiply-adds; reading " + shortNumber(roofs.l2) +
         " GB/s of 1/4 MB a thread, " + shortNumber(roofs.l3) + " GB/s of 4 MB a thread, " +
         shortNumber(roofs.memory) + " GB/s of 512 MB";
}

std::string svgOf(std::string const &title, Roofs const &roofs,
                  std::vector<RooflinePoint> const &points) {
  Picture picture(roofs, points);
  picture.label(LEFT + 40, TOP - 22, title, "font-size=\"16\"");
  picture.label(RIGHT, TOP - 22, "filled: ours, rings: best peer", "text-anchor=\"end\"");
  picture.axes();
  picture.ceiling();
  picture.slope(roofs.l2, "L2");
  picture.slope(roofs.l3, "L3");
  picture.slope(roofs.memory, "memory");
  for (RooflinePoint const &point : points) {
    picture.point(point.name + ", best peer", point.intensity, point.theirs,
                  "fill=\"none\" stroke=\"#b3541e\"");
    picture.point(point.name, point.intensity, point.ours, "fill=\"#1f5fa8\"");
  }
  std::ostringstream text;
  text << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << WIDTH << "\" height=\"" << HEIGHT
       << "\" viewBox=\"0 0 " << WIDTH << ' ' << HEIGHT
       << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
       << picture.text() << "</svg>\n";
  return text.str();
}

} // namespace cottonwood::bench
