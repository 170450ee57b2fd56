// poplar-report as it is called.
#include <doctest/doctest.h>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::string textOf(std::filesystem::path const &file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A folder of its own, gone with it.
class Folder {
public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("poplar-report-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(std::string const &name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

struct Outcome {
  int status;
  std::string errors;
};

Outcome report(Folder const &folder, std::string const &words) {
  std::string const errors = folder / "errors";
  std::string const command = std::string(POPLAR_REPORT) + " " + words + " 2>" + errors;
  int const result = std::system(command.c_str());
  return {WEXITSTATUS(result), textOf(errors)};
}

/// A profile of 32 bytes that go from one tile to another, twice.
std::string makeProfile(Folder const &folder) {
  using namespace poplar;
  IPUModel model;
  model.tilesPerIPU = 4;
  Device const device = model.createDevice();
  Graph graph(device);
  Tensor const x = graph.addVariable(FLOAT, {8}, "x"), y = graph.addVariable(FLOAT, {8}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 3);
  Engine engine(graph, program::Copy(x, y, false, "move"),
                {{"autoReport.all", "true"}, {"autoReport.directory", folder / "run"}});
  engine.load(device);
  engine.run(0);
  engine.run(0);
  return folder / "run/profile.pop";
}

} // namespace

TEST_SUITE("report/command") {
  TEST_CASE("a profile becomes a page") {
    Folder const folder;
    std::string const profile = makeProfile(folder), page = folder / "x.html";
    Outcome const outcome = report(folder, profile + " -o " + page);
    CHECK(outcome.errors == "");
    CHECK(outcome.status == 0);
    std::string const text = textOf(page);
    CHECK(text.starts_with("<!DOCTYPE html>"));
    CHECK(text.find("\"move\"") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(page + ".tmp"));
    CHECK(report(folder, profile + " " + profile + " -o " + page).status == 0);
    CHECK(textOf(page).size() > text.size());
  }

  TEST_CASE("a missing file and one that is no profile are named") {
    Folder const folder;
    std::string const page = folder / "x.html", none = folder / "none.pop";
    Outcome const missing = report(folder, none + " -o " + page);
    CHECK(missing.status == 1);
    CHECK(missing.errors.starts_with("poplar-report: "));
    CHECK(missing.errors.find(none) != std::string::npos);
    std::string const other = folder / "other.pop";
    std::ofstream(other) << "this is no profile, but it is long enough to be looked into";
    Outcome const wrong = report(folder, other + " -o " + page);
    CHECK(wrong.status == 1);
    CHECK(wrong.errors.find(other) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(page));
  }

  TEST_CASE("an output that cannot be written is refused, with the reason") {
    Folder const folder;
    std::string const profile = folder / "p.pop";
    std::ofstream(profile) << "kept";
    std::string const lost = folder / "lost/x.html";
    CHECK(report(folder, profile + " -o " + lost).errors == "poplar-report: cannot write '" + lost +
                                                                "': there is no folder '" +
                                                                folder / "lost" + "'\n");
    CHECK(report(folder, profile + " -o " + folder / ".").errors.find("it is a folder") !=
          std::string::npos);
    CHECK(report(folder, profile + " -o " + profile).errors ==
          "poplar-report: cannot write '" + profile + "': it is a profile that is to be read\n");
    CHECK(textOf(profile) == "kept");
  }

  TEST_CASE("an unknown option is status 2, and help is status 0") {
    Folder const folder;
    Outcome const unknown = report(folder, "a.pop --open -o x.html");
    CHECK(unknown.status == 2);
    CHECK(unknown.errors == "poplar-report: option '--open' is unknown; there are -o PAGE "
                            "(--output PAGE) and -h (--help)\n");
    CHECK(report(folder, "--help >/dev/null").status == 0);
    CHECK(report(folder, "").errors.find("usage: poplar-report PROFILE") != std::string::npos);
  }
}
