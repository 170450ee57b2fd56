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
    CHECK(arguments.isa.empty());
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
          "option '--threads' is unknown; there are --set, --workers, --isa");
    CHECK(errorOf({"engine", "--set", "big"}) ==
          "--set 'big' is unknown; there are smoke, ci, all");
    CHECK(errorOf({"engine", "--set"}) == "--set needs a value");
  }

  TEST_CASE("the number of workers is a positive number") {
    for (char const *text : {"0", "-1", "two", "2x", "", "4097", "99999999999"})
      CHECK(errorOf({"engine", "--workers", text}) ==
            "--workers '" + std::string(text) + "' is not a number from 1 to 4096");
  }
}
