#include <bench/Report.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

using namespace cottonwood::bench;

namespace {

Report exampleReport() {
  RaceRow const first{"float/64x64x64", 412, "onednn", 501, {0.8, 0.82, 0.85}, true};
  RaceRow const second{"float/<&>", 412, "", 0, {}, false};
  return {.machine = {.cpu = "A CPU",
                      .cores = 2,
                      .version = "0.1",
                      .tag = "avx2",
                      .threads = 1,
                      .peers = {"p 1.0"}},
          .roofs = {500, 280, 110, 44},
          .rows = {{first, 10.7}, {second, 0.5}},
          .foot = {"geomean 0.82"}};
}

bool contains(std::string const &text, std::string const &part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(std::string const &text, std::string const &part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// Whether tags nest, attributes are quoted and no bare '&' or '<' is left. \returns what is wrong.
std::string faultOf(std::string const &xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      std::size_t const end = xml.find(';', at);
      std::string const entity = xml.substr(at, end - at + 1);
      if (entity != "&lt;" && entity != "&gt;" && entity != "&amp;" && entity != "&quot;")
        return "entity " + entity;
    }
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    std::size_t const end = xml.find('>', at);
    if (end == std::string::npos)
      return "a tag does not end";
    std::string const tag = xml.substr(at + 1, end - at - 1);
    std::string const name = tag.substr(0, tag.find_first_of(" /", 1));
    if (contains(tag, "<") || count(tag, "\"") % 2 != 0)
      return "tag " + tag;
    if (tag.front() == '/') {
      if (open.empty() || '/' + open.back() != tag)
        return "</" + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

} // namespace

TEST_SUITE("bench/report") {
  TEST_CASE("the table has machine, command, a row a case and the means") {
    Arguments const arguments{
        .family = "matmul", .group = "small", .workers = 1, .against = "avx2"};
    std::string const text = markdownOf(arguments, exampleReport(), "r.svg");
    CHECK(contains(text, "# matmul\n"));
    CHECK(contains(text, "A CPU, 2 cores; ours 0.1 avx2; 1 thread each; peers: p 1.0\n"));
    CHECK(contains(text, "`./run bench matmul --set small --workers 1 --against avx2`"));
    CHECK(contains(text, "| float/64x64x64 | 412 | 501 | onednn | 0.82 | 0.80..0.85 | busy |\n"));
    CHECK(contains(text, "| float/<&> | 412 | - | no peer | - | - |  |\n"));
    CHECK(contains(text, "geomean 0.82\n"));
    CHECK(contains(text, "![roofline](r.svg)"));
  }

  TEST_CASE("every row of the table has as many cells as its head") {
    std::istringstream lines(markdownOf({.family = "conv"}, exampleReport(), "r.svg"));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("|"))
        CHECK(std::count(line.begin(), line.end(), '|') == 8);
  }

  TEST_CASE("the picture is well-formed and shows every point and roof") {
    Report const report = exampleReport();
    std::string const svg = svgOf("a <title> & \"more\"", report.roofs,
                                  {{"first", 10, 400, 500}, {"second<>", 0.5, 20, 0}});
    CHECK(faultOf(svg) == "");
    CHECK(count(svg, "<circle") == 3);
    CHECK(contains(svg, "first, best peer: 500 GF/s"));
    for (char const *roof :
         {"multiply-adds 500 GF/s", "L2 280 GB/s", "L3 110 GB/s", "memory 44.0 GB/s"})
      CHECK(contains(svg, roof));
  }

  TEST_CASE("what was not measured is left out of the picture") {
    for (double value : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
      std::string const svg =
          svgOf("t", {value, value, value, value}, {{"p", value, value, value}});
      CHECK(faultOf(svg) == "");
      CHECK(count(svg, "<circle") == 0);
      CHECK_FALSE(contains(svg, "nan"));
      CHECK_FALSE(contains(svg, "inf"));
    }
  }

  TEST_CASE("every place in the picture is on the page") {
    std::string const svg =
        svgOf("t", {500, 280, 110, 44}, {{"p", 1e-5, 1e-3, 1e5}, {"q", 1e7, 3, 2}});
    for (char const *key : {" x1=\"", " x2=\"", " cx=\"", " y1=\"", " y2=\"", " cy=\""})
      for (std::size_t at = svg.find(key); at != std::string::npos; at = svg.find(key, at + 1)) {
        double const place = std::stod(svg.substr(at + std::string(key).size()));
        CHECK(place >= 0);
        CHECK(place <= 900);
      }
  }

  TEST_CASE("report and picture stand side by side") {
    auto const folder = std::filesystem::temp_directory_path() / "poplar-bench-report-test";
    std::filesystem::create_directories(folder);
    writeReport({.family = "conv", .report = folder / "r.md"}, exampleReport());
    CHECK(std::filesystem::file_size(folder / "r.md") > 0);
    CHECK(std::filesystem::file_size(folder / "r.svg") > 0);
    std::filesystem::remove_all(folder);
    CHECK_THROWS_AS(writeReport({.family = "conv", .report = folder / "r.md"}, exampleReport()),
                    std::runtime_error);
  }

  TEST_CASE("roofs are four numbers") {
    CHECK(parseRoofs("500 280 110.5 44").l3 == 110.5);
    for (char const *text : {"", "1 2 3", "1 2 3 x", "1 2 3 0", "1 2 3 4 5"})
      CHECK_THROWS_AS(parseRoofs(text), std::invalid_argument);
  }

  TEST_CASE("keys of /proc/cpuinfo are whole words before the colon") {
    std::string const text = "cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n";
    CHECK(valueIn(text, "model name") == "AMD EPYC");
    CHECK(valueIn(text, "model") == "2");
    CHECK(valueIn(text, "cpu family") == "26");
    CHECK(valueIn(text, "stepping").empty());
  }
}
