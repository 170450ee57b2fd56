// Files that the options autoReport.* make.
#include "Profiled.hpp"

#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace poplar;
using namespace profileTest;

namespace {

std::string summaryOf(std::string const &file, OptionFlags const &options = {}) {
  std::ostringstream out;
  printProfileSummary(out, file, options);
  return out.str();
}

std::string graphSummaryOf(std::string const &file) {
  std::ostringstream out;
  printGraphSummary(out, file);
  return out.str();
}

void changeDatabase(std::string const &path, char const *sql) {
  sqlite3 *database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

} // namespace

TEST_SUITE("poplar/profile/File") {
  TEST_CASE("a file has the graph when the engine is made, and each run after it") {
    Folder const folder("profile-all");
    OptionFlags const all{{"showExecutionSteps", "true"}, {"showVarStorage", "true"}};
    Profiled p({{"autoReport.all", "true"}, {"autoReport.directory", folder.path.string()}});
    auto const file = folder.file("profile.pop");
    CHECK(summaryOf(file) == p.summary());
    p.engine.loadAndRun(p.device);
    CHECK(summaryOf(file, all) == p.summary(all));
    p.engine.run();
    CHECK(summaryOf(file, all) == p.summary(all));
    CHECK(graphSummaryOf(file).find("Execution:") == std::string::npos);
    CHECK(summaryOf(file).starts_with(graphSummaryOf(file)));
  }

  TEST_CASE("the name of an engine is a folder, and the environment can ask for a report") {
    Folder const folder("profile-name");
    setenv("POPLAR_ENGINE_OPTIONS",
           ("{\"autoReport.outputGraphProfile\":true,\"autoReport.directory\":\"" +
            folder.path.string() + "\"}")
               .c_str(),
           1);
    Profiled p({}, "training");
    unsetenv("POPLAR_ENGINE_OPTIONS");
    p.engine.loadAndRun(p.device);
    // What was executed was not asked for.
    CHECK(summaryOf(folder.file("training/profile.pop")) ==
          graphSummaryOf(folder.file("training/profile.pop")));
  }

  TEST_CASE("a single report can be turned off beside autoReport.all") {
    Folder const folder("profile-off");
    Profiled p({{"autoReport.all", "true"},
                {"autoReport.outputExecutionProfile", "false"},
                {"autoReport.directory", folder.path.string()}});
    p.engine.loadAndRun(p.device);
    CHECK(summaryOf(folder.file("profile.pop")).find("Execution:") == std::string::npos);
    OptionFlags const effective = p.engine.getEngineOptions();
    CHECK(effective.at("autoReport.outputGraphProfile") == "true");
    CHECK(effective.at("autoReport.outputExecutionProfile") == "false");
    CHECK(effective.at("autoReport.outputSerializedGraph") == "false");
  }

  TEST_CASE("later runs are written at the end") {
    Folder const folder("profile-runs");
    auto const file = folder.file("profile.pop");
    std::string first, last;
    {
      Profiled p({{"autoReport.outputExecutionProfile", "true"},
                  {"autoReport.executionProfileProgramRunCount", "1"},
                  {"autoReport.directory", folder.path.string()}});
      p.engine.loadAndRun(p.device);
      first = p.summary();
      p.engine.run();
      last = p.summary();
      CHECK(summaryOf(file) == first);
    }
    CHECK(summaryOf(file) == last);
    CHECK(first != last);
    {
      Profiled p({{"autoReport.outputExecutionProfile", "true"},
                  {"autoReport.streamAtEachRun", "false"},
                  {"autoReport.directory", folder.path.string()}});
      p.engine.loadAndRun(p.device);
      CHECK(summaryOf(file).find("Execution:") == std::string::npos);
      p.engine.resetExecutionProfile(); // what it forgets is written before
      CHECK(summaryOf(file) == first);
    }
    CHECK(summaryOf(file) == first);
  }

  TEST_CASE("without the options, and on a CPU, nothing is written") {
    Folder const folder("profile-none");
    Profiled p({{"autoReport.directory", folder.path.string()}});
    p.engine.loadAndRun(p.device);
    Device const cpu = Device::createCPUDevice();
    Graph graph(cpu);
    Engine engine(graph, program::Sequence(),
                  {{"autoReport.all", "true"}, {"autoReport.directory", folder.path.string()}});
    engine.loadAndRun(cpu);
    CHECK_FALSE(std::filesystem::exists(folder.path));
  }

  TEST_CASE("of a graph that is too large the error has the profile, and the file is written") {
    Folder const folder("profile-large");
    Graph graph(Target::createIPUTarget(1, 2, "ipu2"));
    Tensor const x = graph.addVariable(FLOAT, {1 << 20}, "x");
    graph.setTileMapping(x, 1);
    program::Copy const program(x, x.reverse(0));
    auto const errorWith = [&](OptionFlags const &options) {
      try {
        Engine(graph, program, options);
      } catch (graph_memory_allocation_error const &error) {
        return error;
      }
      FAIL("no exception");
      return graph_memory_allocation_error("none");
    };
    auto const plain = errorWith({});
    CHECK(plain.profilePath.empty());
    // The variable; the other tile has nothing of it.
    CHECK(plain.graphProfile["memory"]["byTile"]["alwaysLive"][0].asUint() == 0);
    CHECK(plain.graphProfile["memory"]["byTile"]["alwaysLive"][1].asUint() == 4 << 20);
    auto const written =
        errorWith({{"autoReport.all", "true"}, {"autoReport.directory", folder.path.string()}});
    CHECK(written.profilePath == folder.file("profile.pop"));
    CHECK(summaryOf(written.profilePath).find("1 tile(s) out of memory") != std::string::npos);
    std::ostringstream fromTree;
    printGraphSummary(fromTree, written.graphProfile, {});
    CHECK(fromTree.str() == graphSummaryOf(written.profilePath));
  }

  TEST_CASE("engines that are made at once write one file after the other, and leave no other") {
    Folder const folder("profile-race");
    OptionFlags const graphOnly{{"autoReport.outputGraphProfile", "true"},
                                {"autoReport.directory", folder.path.string()}};
    std::string const expected = [] {
      Profiled p;
      std::ostringstream out;
      p.engine.printProfileSummary(out, {});
      return out.str();
    }();
    std::atomic<int> failed{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 8; ++i)
            try {
              Profiled const p(graphOnly);
            } catch (poplar_error const &) {
              ++failed;
            }
        });
    }
    CHECK(failed == 0);
    CHECK(expected.starts_with(graphSummaryOf(folder.file("profile.pop"))));
    for (auto const &entry : std::filesystem::directory_iterator(folder.path))
      CHECK(entry.path().filename() == "profile.pop");
  }

  TEST_CASE("of a run that throws, the file has what was executed") {
    for (char const *const eachRun : {"true", "false"}) {
      Folder const folder("profile-throw");
      Device const device = smallModel();
      Graph graph(device);
      Tensor const x = graph.addVariable(FLOAT, {8}, "x"), y = graph.addVariable(FLOAT, {8}, "y");
      graph.setTileMapping(x, 0);
      graph.setTileMapping(y, 1);
      auto const stream = graph.addHostToDeviceFIFO("stream", FLOAT, 8);
      program::Sequence const program{program::Repeat(3, program::Copy(x, y, false, "move")),
                                      program::Copy(stream, x)};
      std::string expected;
      {
        Engine engine(graph, program,
                      {{"autoReport.all", "true"},
                       {"autoReport.directory", folder.path.string()},
                       {"autoReport.streamAtEachRun", eachRun}});
        engine.connectStreamToCallback("stream", [](void *) { throw std::logic_error("no data"); });
        engine.load(device);
        CHECK_THROWS_WITH_AS(engine.run(0, "throws"), "no data", std::logic_error);
        std::ostringstream out;
        engine.printProfileSummary(out, {{"showExecutionSteps", "true"}});
        expected = out.str();
      }
      CHECK(expected.find("move") != std::string::npos);
      CHECK(summaryOf(folder.file("profile.pop"), {{"showExecutionSteps", "true"}}) == expected);
    }
  }

  TEST_CASE("a folder that cannot be made is an error that names the option") {
    Folder const folder("profile-bad");
    std::ofstream(folder.path) << "a file";
    try {
      Profiled p({{"autoReport.all", "true"}, {"autoReport.directory", folder.file("inside")}});
      FAIL("no exception");
    } catch (poplar_error const &error) {
      std::string const text = error.what();
      CAPTURE(text);
      CHECK(text.find("cannot write the report '" + folder.file("inside/profile.pop")) !=
            std::string::npos);
      CHECK(text.find("autoReport.directory") != std::string::npos);
    }
  }

  TEST_CASE("what is no profile is refused") {
    Folder const folder("profile-wrong");
    Profiled p({{"autoReport.all", "true"}, {"autoReport.directory", folder.path.string()}});
    auto const file = folder.file("profile.pop"), other = folder.file("other");
    std::string const good = contents(file);
    CHECK_THROWS_WITH_AS(summaryOf(other), ("cannot read the file '" + other + "'").c_str(),
                         file_load_error);
    CHECK_THROWS_AS(summaryOf(folder.path.string()), file_load_error);
    auto const refused = [&](std::string const &text, char const *why) {
      std::ofstream(other, std::ios::binary | std::ios::trunc) << text;
      try {
        summaryOf(other);
        FAIL("no exception");
      } catch (parse_error const &error) {
        CHECK(std::string(error.what())
                  .starts_with("printProfileSummary: the file '" + other + "' " + why));
      }
    };
    for (std::size_t length = 0; length < good.size(); length += 1 + length / 4)
      refused(good.substr(0, length), "is ");
    refused("cottonwood", "is no profile that an engine wrote, or a damaged one: ");
    auto const changed = [&](char const *sql) {
      std::filesystem::copy_file(file, other, std::filesystem::copy_options::overwrite_existing);
      changeDatabase(other, sql);
      return contents(other);
    };
    refused(changed("UPDATE meta SET value = 'other' WHERE name = 'format'"),
            "is no profile that an engine wrote");
    refused(changed("UPDATE meta SET value = 99 WHERE name = 'version'"),
            "is a profile of version 99 of the format; this library reads version 2");
    refused(changed("UPDATE meta SET value = 0 WHERE name = 'tilesPerIPU'"),
            "is damaged: there is no such target");
    refused(changed("DELETE FROM tile_memory WHERE figure = 'stack'"),
            "is damaged: a row of the table tile_memory is missing");
    refused(changed("UPDATE tile_memory SET by_tile = x'04' WHERE figure = 'stack'"),
            "is damaged: a list is damaged");
    refused(changed("UPDATE tile_memory SET by_tile = x'020100' WHERE figure = 'stack'"),
            "is damaged: a list is damaged");
    refused(changed("UPDATE step SET cost = 77"), "is damaged: a step has no costs");
    refused(changed("UPDATE step SET kind = 77"), "is damaged: a kind is unknown");
    refused(changed("UPDATE step SET program = 77"), "is damaged: a program is missing");
    refused(changed("DELETE FROM step"), "is damaged: ");
    refused(changed("DELETE FROM program WHERE id = 0"), "is damaged: ");
    refused(changed("UPDATE program SET parent = id"),
            "is damaged: a program comes before the one it is in");
    refused(changed("UPDATE variable SET by_tile = x'010108010101010110'"), "is damaged: ");
    refused(changed("DROP TABLE run"), "is no profile that an engine wrote, or a damaged one: ");
  }

  TEST_CASE("a file with some byte changed is read or refused") {
    Folder const folder("profile-changed");
    Profiled p({{"autoReport.all", "true"}, {"autoReport.directory", folder.path.string()}});
    p.engine.loadAndRun(p.device);
    std::string const good = contents(folder.file("profile.pop"));
    std::minstd_rand random(11);
    for (int i = 0; i < 400; ++i) {
      std::string text = good;
      for (int flips = i % 3; flips >= 0; --flips)
        text[random() % text.size()] = static_cast<char>(random());
      std::ofstream(folder.file("other"), std::ios::binary | std::ios::trunc) << text;
      try {
        summaryOf(folder.file("other"),
                  {{"showExecutionSteps", "true"}, {"showVarStorage", "true"}});
      } catch (parse_error const &) {
      }
    }
  }
}
