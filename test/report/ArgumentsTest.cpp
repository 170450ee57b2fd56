#include <bench/report/Arguments.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

using namespace cottonwood::report;

namespace {

Arguments parse(std::initializer_list<char const *> words) {
  return parseArguments(std::vector<char const *>(words));
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

TEST_SUITE("report/arguments") {
  TEST_CASE("profiles and the page may come in any order") {
    for (auto const &arguments : {parse({"a.pop", "b.pop", "-o", "x.html"}),
                                  parse({"--output", "x.html", "a.pop", "b.pop"}),
                                  parse({"a.pop", "--output=x.html", "--", "b.pop"})}) {
      CHECK(arguments.profiles == std::vector<std::string>{"a.pop", "b.pop"});
      CHECK(arguments.output == "x.html");
      CHECK_FALSE(arguments.help);
    }
    CHECK(parse({"-o", "x", "--", "-odd.pop"}).profiles.at(0) == "-odd.pop");
  }

  TEST_CASE("help needs nothing else") {
    CHECK(parse({"--help"}).help);
    CHECK(parse({"-h", "a.pop"}).help);
  }

  TEST_CASE("an error says what is allowed") {
    CHECK(errorOf({}) == "a profile is needed: the file profile.pop that the engine option "
                         "autoReport.all makes");
    CHECK(errorOf({"a.pop"}) == "an output is needed, for example -o report.html");
    CHECK(errorOf({"a", "b", "c", "-o", "x"}) == "one profile, or two to be compared; these are 3");
    CHECK(errorOf({"a", "--open", "-o", "x"}) ==
          "option '--open' is unknown; there are -o PAGE (--output PAGE) and -h (--help)");
    CHECK(errorOf({"a", "-o"}) ==
          "-o needs the name of the page to write, for example -o report.html");
    CHECK(errorOf({"a", "--output="}) ==
          "-o needs the name of the page to write, for example -o report.html");
    CHECK(errorOf({"a", "-o", "x", "-o", "y"}) == "one page at a time: 'x' or 'y'");
  }
}
