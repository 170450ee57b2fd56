#include <bench/Arguments.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <vector>

using namespace cottonwood::bench;

namespace {

constexpr std::string_view FAMILIES[] = {"engine", "graph"};

Arguments parse(std::initializer_list<char const *> words) {
  return parseArguments(std::vector<char const *>(words), FAMILIES);
}

std::string errorOf(std::initializer_list<char const *> words) {
  try {
    parse(words);
  } catch (UsageError const &error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_SUITE("bench/arguments") {
  TEST_CASE("a family alone runs the ci set with one thread a core") {
    Arguments const arguments = parse({"graph"});
    CHECK(arguments.family == "graph");
    CHECK(arguments.set == Set::Ci);
    CHECK(arguments.workers == 0);
    CHECK(arguments.group.empty());
    CHECK(arguments.isa.empty());
    CHECK(arguments.against.empty());
    CHECK_FALSE(arguments.tags);
    CHECK(arguments.report.empty());
  }

  TEST_CASE("a set that is neither smoke, ci nor all is a group") {
    CHECK(parse({"engine", "--set", "squares"}).group == "squares");
    CHECK(parse({"engine", "--set=all"}).group.empty());
    CHECK(parse({"engine", "--set", "squares", "--set", "ci"}).group.empty());
  }

  TEST_CASE("options of races") {
    Arguments const arguments =
        parse({"engine", "--against=avx2", "--report", "out/r.md", "--only", "3x3"});
    CHECK(arguments.against == "avx2");
    CHECK(arguments.report == "out/r.md");
    CHECK(arguments.only == "3x3");
    CHECK(parse({"engine", "--tags"}).tags);
  }

  TEST_CASE("a table of tags has no peers and no tag of its own") {
    std::string const text = "--tags compares all tags of this machine; it does not go with "
                             "--against, --isa or --report";
    CHECK(errorOf({"engine", "--tags", "--isa", "avx2"}) == text);
    CHECK(errorOf({"engine", "--against", "float", "--tags"}) == text);
    CHECK(errorOf({"engine", "--tags", "--report", "r.md"}) == text);
  }

  TEST_CASE("a busy core is asked for by a flag") {
    CHECK(parse({"engine", "--busy-core"}).busyCore);
    CHECK(!parse({"engine"}).busyCore);
    CHECK(errorOf({"engine", "--busy-core=1"}).starts_with("option '--busy-core=1' is unknown"));
  }

  TEST_CASE("options stand on either side of the family, their values behind a space or '='") {
    Arguments const arguments = parse({"--set", "smoke", "engine", "--workers=3", "--isa", "avx2"});
    CHECK(arguments.family == "engine");
    CHECK(arguments.set == Set::Smoke);
    CHECK(arguments.workers == 3);
    CHECK(arguments.isa == "avx2");
    CHECK(parse({"engine", "--set=all"}).set == Set::All);
  }

  TEST_CASE("errors say what exists") {
    CHECK(errorOf({}) == "a family is needed; there are engine, graph");
    CHECK(errorOf({"conv"}) == "family 'conv' is unknown; there are engine, graph");
    CHECK(errorOf({"engine", "graph"}) == "one family at a time: 'engine' or 'graph'");
    CHECK(errorOf({"engine", "--threads", "2"}) ==
          "option '--threads' is unknown; there are --set, --only, --workers, --isa, --against, "
          "--tags, --busy-core, --report");
    CHECK(errorOf({"engine", "--tags=yes"}).starts_with("option '--tags=yes' is unknown"));
    CHECK(errorOf({"engine", "--set="}) ==
          "--set is empty; there are smoke, ci, all and the groups of the family");
    CHECK(errorOf({"engine", "--report", "table"}) ==
          "--report 'table' is not the name of a file that ends in .md");
    CHECK(errorOf({"engine", "--set"}) == "--set needs a value");
  }

  TEST_CASE("the number of workers is a positive number") {
    for (char const *text : {"0", "-1", "two", "2x", "", "4097", "99999999999"})
      CHECK(errorOf({"engine", "--workers", text}) ==
            "--workers '" + std::string(text) + "' is not a number from 1 to 4096");
  }
}
