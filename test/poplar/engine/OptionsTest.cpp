// What options there are, and that docs/options.md says so.
#include "Vertices.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/impl/engine/OptionTable.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;
using cottonwood::engine::OptionEntry;
using cottonwood::engine::OptionKind;
using cottonwood::engine::OptionTime;

namespace {

using Row = std::vector<std::string>;

/// The rows of the tables of docs/options.md by heading: the cells, without quotes.
std::map<std::string, std::vector<Row>> documented() {
  std::ifstream file(POP_SOURCE_DIR "/docs/options.md");
  std::map<std::string, std::vector<Row>> tables;
  std::string heading;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## "))
      heading = line.substr(3);
    if (!line.starts_with("| `"))
      continue;
    std::erase(line, '`');
    Row cells;
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) {
      cell.erase(0, cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
      cells.push_back(cell);
    }
    tables[heading].push_back(cells);
  }
  return tables;
}

std::vector<std::string> namesOf(std::vector<Row> const &rows) {
  std::vector<std::string> names;
  for (Row const &row : rows)
    names.push_back(row[0]);
  return names;
}

std::string valuesText(OptionEntry const &entry) {
  static constexpr char const *KINDS[] = {"true, false", "integer", "number", "text", ""};
  std::string text = KINDS[static_cast<std::size_t>(entry.kind)];
  std::string words(entry.choices);
  for (std::size_t at = words.find('|'); at != std::string::npos; at = words.find('|', at))
    words.replace(at, 1, ", ");
  return text + (text.empty() || words.empty() ? "" : ", ") + words;
}

/// The names that the error for an unknown option lists, in order.
std::vector<std::string> namesInError(std::function<void(OptionFlags const &)> const &use) {
  try {
    use({{"zzzzzzzzzzzzzzzz", "1"}});
  } catch (invalid_option const &error) {
    std::string text = error.what();
    std::size_t const at = text.find("; it takes ");
    REQUIRE(at != std::string::npos);
    std::vector<std::string> names;
    std::istringstream in(text.substr(at + 11));
    for (std::string name; std::getline(in, name, ',');)
      names.push_back(name.substr(name.find_first_not_of(' ')));
    return names;
  }
  FAIL("no exception");
  return {};
}

} // namespace

TEST_SUITE("poplar/engine/options") {
  TEST_CASE("docs/options.md has the table of the engine's options") {
    auto const rows = documented()["Engine and runtime"];
    auto const table = cottonwood::engine::optionTable();
    REQUIRE(rows.size() == table.size());
    static constexpr char const *TIMES[] = {"compile", "engine", "runtime"};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      REQUIRE(rows[i].size() == 5);
      CAPTURE(rows[i][0]);
      CHECK(rows[i][0] == table[i].name);
      CHECK(rows[i][1] == valuesText(table[i]));
      CHECK(rows[i][2] == (table[i].initial.empty() ? "-" : table[i].initial));
      CHECK(rows[i][3] == TIMES[static_cast<std::size_t>(table[i].time)]);
      CHECK(!rows[i][4].empty());
      CHECK((rows[i][4].find("deprecated") != std::string::npos) == table[i].deprecated);
    }
  }

  TEST_CASE("docs/options.md has all options of targets, reports and streams") {
    auto tables = documented();
    CHECK(namesOf(tables["Targets and devices"]) == namesInError([](OptionFlags const &options) {
            Target::createIPUTarget(1, "ipu2", options);
          }));
    CHECK(namesOf(tables["Targets and devices"]) == namesInError([](OptionFlags const &options) {
            DeviceManager().getDevices(TargetType::CPU, 1, options);
          }));
    Graph graph(modelDevice().getTarget());
    Engine engine(graph, Sequence());
    CHECK(namesOf(tables["Reports"]) == namesInError([&](OptionFlags const &options) {
            std::ostringstream out;
            engine.printProfileSummary(out, options);
          }));
    CHECK(namesOf(tables["Streams"]) == namesInError([&](OptionFlags const &options) {
            graph.addHostToDeviceFIFO("in", FLOAT, 1, ReplicatedStreamMode::REPLICATE, options);
          }));
  }

  TEST_CASE("every option is taken with its default and with all of its words") {
    Target const target = Device::createCPUDevice().getTarget();
    for (OptionEntry const &entry : cottonwood::engine::optionTable()) {
      CAPTURE(entry.name);
      std::string const name(entry.name);
      auto const given = [&](std::string const &value) {
        EngineOptions const options({{name, value}}, target);
        CHECK(options.flags().at(name) == value);
        if (entry.time == OptionTime::Runtime)
          CHECK(RuntimeOptions({{name, value}}).flags().at(name) == value);
      };
      if (!entry.initial.empty())
        given(std::string(entry.initial));
      std::istringstream words{std::string(entry.choices)};
      for (std::string word; std::getline(words, word, '|');)
        given(word);
      if (entry.kind == OptionKind::Integer)
        for (char const *value : {"0", "0x200", "18446744073709551615"})
          given(value);
    }
  }

  TEST_CASE("wrong values of every option are refused with what is allowed") {
    Target const target = Device::createCPUDevice().getTarget();
    for (OptionEntry const &entry : cottonwood::engine::optionTable()) {
      if (entry.kind == OptionKind::Text)
        continue;
      CAPTURE(entry.name);
      std::vector<std::string> wrong{"", "nonsense", "TRUE", "-3", "1e", "0x", " 1", "1 "};
      if (entry.kind == OptionKind::Integer)
        wrong.push_back("18446744073709551616");
      for (std::string const &value : wrong)
        CHECK_THROWS_WITH_AS(EngineOptions({{std::string(entry.name), value}}, target),
                             doctest::Contains("allowed is"), invalid_option);
    }
  }

  TEST_CASE("runtime options of the environment win over those of the program") {
    Target const target = Device::createCPUDevice().getTarget();
    setenv("POPLAR_RUNTIME_OPTIONS", R"({"target.hostSyncTimeout": 900})", 1);
    CHECK(RuntimeOptions({{"target.hostSyncTimeout", "3"}}).flags().at("target.hostSyncTimeout") ==
          "900");
    CHECK(EngineOptions({{"target.hostSyncTimeout", "3"}}, target)
              .flags()
              .at("target.hostSyncTimeout") == "900");
    setenv("POPLAR_RUNTIME_OPTIONS", "[1]", 1);
    CHECK_THROWS_WITH_AS(RuntimeOptions({}), doctest::Contains("POPLAR_RUNTIME_OPTIONS"),
                         parse_error);
    unsetenv("POPLAR_RUNTIME_OPTIONS");
  }

  // Its log is looked at by the tests poplar-log-*.
  TEST_CASE("deprecated options are taken and logged") {
    CHECK_NOTHROW(EngineOptions({{"debug.nanOverflowException", "true"}},
                                Device::createCPUDevice().getTarget()));
  }
}
