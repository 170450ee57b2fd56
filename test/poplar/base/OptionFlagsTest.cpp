#include <cstdlib>
#include <doctest/doctest.h>
#include <poplar/OptionFlags.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>

using poplar::OptionFlags;

TEST_SUITE("poplar/base/OptionFlags") {
  TEST_CASE("options are ordered by name and later values win") {
    OptionFlags flags{{"z", "1"}, {"a", "2"}, {"z", "3"}};
    CHECK(flags.size() == 2);
    CHECK(flags.begin()->first == "a");
    CHECK(flags.at("z") == "3");
    flags.set("a", "4");
    flags.set({{"b", "5"}, {"b", "6"}});
    CHECK(flags == OptionFlags({{"a", "4"}, {"b", "6"}, {"z", "3"}}));
    auto const old = flags.begin();
    auto next = old;
    CHECK(next++ == old);
    CHECK((*next).first == "b");
    flags.clear();
    CHECK(flags.begin() == flags.end());
  }

  TEST_CASE("an option that is not set is out of range, and not found") {
    OptionFlags const flags;
    CHECK_THROWS_WITH_AS(flags.at("missing"),
                         "poplar::OptionFlags::at: the option 'missing' is not set",
                         std::out_of_range);
    CHECK(flags.find("missing") == flags.end());
  }

  TEST_CASE("options copy, move, compare and hash by content") {
    OptionFlags const flags{{"a", "1"}};
    OptionFlags copy = flags;
    OptionFlags const moved = std::move(copy);
    CHECK(moved == flags);
    CHECK(flags != OptionFlags());
    CHECK(OptionFlags() < flags);
    std::unordered_set<OptionFlags> set{flags, moved, OptionFlags()};
    CHECK(set.size() == 2);
  }

  TEST_CASE("JSON adds to the options; numbers and booleans keep their text") {
    OptionFlags flags{{"keep", "1"}, {"replace", "1"}};
    poplar::readJSON(
        R"({"replace": "two", "int": 900, "neg": -3, "float": 0.60, "on": true, "off": false, "u": "é"})",
        flags);
    CHECK(flags.at("keep") == "1");
    CHECK(flags.at("replace") == "two");
    CHECK(flags.at("int") == "900");
    CHECK(flags.at("neg") == "-3");
    CHECK(flags.at("float") == "0.60");
    CHECK(flags.at("on") == "true");
    CHECK(flags.at("off") == "false");
    CHECK(flags.at("u") == "é");
    std::istringstream stream("{}");
    poplar::readJSON(stream, flags);
    CHECK(flags.size() == 8);
  }

  TEST_CASE("what is not one flat JSON object is a parse error and changes nothing") {
    for (char const *text : {"", "{", "[]", "3", "\"text\"", "{\"a\": null}",
                             "{\"b\": 1, \"a\": [1]}", "{\"a\": {\"b\": 1}}", "{\"a\": 1} x"}) {
      CAPTURE(text);
      OptionFlags flags{{"a", "old"}};
      CHECK_THROWS_AS(poplar::readJSON(text, flags), poplar::parse_error);
      CHECK(flags == OptionFlags({{"a", "old"}}));
    }
    OptionFlags flags;
    CHECK_THROWS_WITH_AS(
        poplar::readJSON("{\"a\": null}", flags),
        "poplar::readJSON: the value of 'a' is null; values are strings, numbers and booleans",
        poplar::parse_error);
  }

  TEST_CASE("options come from the environment if the variable is set") {
    OptionFlags flags;
    unsetenv("POPLAR_TEST_OPTIONS");
    poplar::readJSONFromEnv("POPLAR_TEST_OPTIONS", flags);
    CHECK(flags.size() == 0);
    for (char const *const blank : {"", " ", "\t\n"}) {
      setenv("POPLAR_TEST_OPTIONS", blank, 1);
      poplar::readJSONFromEnv("POPLAR_TEST_OPTIONS", flags);
      CHECK(flags.size() == 0);
    }
    setenv("POPLAR_TEST_OPTIONS", "{\"a\": 1}", 1);
    poplar::readJSONFromEnv("POPLAR_TEST_OPTIONS", flags);
    CHECK(flags.at("a") == "1");
    setenv("POPLAR_TEST_OPTIONS", "a=1", 1);
    CHECK_THROWS_WITH_AS(poplar::readJSONFromEnv("POPLAR_TEST_OPTIONS", flags),
                         doctest::Contains("environment variable POPLAR_TEST_OPTIONS"),
                         poplar::parse_error);
    unsetenv("POPLAR_TEST_OPTIONS");
  }

  TEST_CASE("options are written as the JSON that they are read from") {
    OptionFlags const flags{{"a", "1"}, {"b", "say \"no\"\n"}};
    std::ostringstream text;
    text << flags;
    OptionFlags again;
    poplar::readJSON(poplar::StringRef(text.str()), again);
    CHECK(again == flags);
    text.str("");
    text << OptionFlags();
    CHECK(text.str() == "{}");
  }

  TEST_CASE("options are a map of texts as a profile value") {
    auto const value = poplar::getAsProfileValue({{"a", "1"}});
    CHECK(value["a"].asString() == "1");
    CHECK(value.size() == 1);
  }
}
