#include <doctest/doctest.h>
#include <limits>
#include <poplar/impl/base/OptionReader.hpp>
#include <string>

using cottonwood::base::OptionReader;
using poplar::invalid_option;

namespace {
enum class Colour { Red, Green };
}

TEST_SUITE("poplar/base/OptionReader") {
  TEST_CASE("options are read by type, and absent ones leave the variable alone") {
    poplar::OptionFlags const flags{{"flag", "true"}, {"hex", "0x1F"},     {"int", "-3"},
                                    {"num", "0.25"},  {"colour", "green"}, {"text", "any"}};
    OptionReader reader("test", flags);
    bool flag = false, other = true;
    unsigned hex = 0;
    int integer = 0;
    double number = 0;
    Colour colour = Colour::Red;
    std::string text;
    reader.flag("flag", flag);
    reader.flag("other", other);
    reader.integer("hex", hex);
    reader.integer("int", integer);
    reader.number("num", number);
    reader.choice<Colour>("colour", colour, {{"red", Colour::Red}, {"green", Colour::Green}});
    reader.text("text", text);
    reader.finish();
    CHECK(flag);
    CHECK(other);
    CHECK(hex == 31);
    CHECK(integer == -3);
    CHECK(number == 0.25);
    CHECK(colour == Colour::Green);
    CHECK(text == "any");
  }

  TEST_CASE("a wrong value names the option, the value and what is allowed") {
    poplar::OptionFlags const flags{
        {"flag", "yes"}, {"int", "12x"}, {"big", "300"}, {"num", "2"}, {"colour", "blue"}};
    OptionReader reader("popops::x", flags);
    bool flag = false;
    int integer = 0;
    unsigned char big = 0;
    double number = 0;
    Colour colour = Colour::Red;
    CHECK_THROWS_WITH_AS(reader.flag("flag", flag),
                         "Invalid value 'yes' for option 'flag': popops::x takes true or false",
                         invalid_option);
    CHECK_THROWS_WITH_AS(
        reader.integer("int", integer, 0, 9),
        "Invalid value '12x' for option 'int': popops::x takes an integer from 0 to 9",
        invalid_option);
    CHECK_THROWS_WITH_AS(
        reader.integer("big", big),
        "Invalid value '300' for option 'big': popops::x takes an integer from 0 to 255",
        invalid_option);
    CHECK_THROWS_WITH_AS(reader.number("num", number, 0.0, 1.0),
                         "Invalid value '2' for option 'num': popops::x takes a number from 0 to 1",
                         invalid_option);
    CHECK_THROWS_WITH_AS(
        (reader.choice<Colour>("colour", colour, {{"red", Colour::Red}, {"green", Colour::Green}})),
        "Invalid value 'blue' for option 'colour': popops::x takes one of red, green",
        invalid_option);
  }

  TEST_CASE("an unknown option is answered with the nearest name, or with all names") {
    poplar::OptionFlags const misspelt{{"partialType", "half"}};
    OptionReader near("popops::x", misspelt);
    std::string text;
    near.text("partialsType", text);
    near.text("planConstraints", text);
    CHECK_THROWS_WITH_AS(
        near.finish(),
        "Unrecognised option 'partialType' of popops::x; did you mean 'partialsType'?",
        invalid_option);
    poplar::OptionFlags const foreign{{"zzz", "1"}};
    OptionReader far("popops::x", foreign);
    far.text("b", text);
    far.ignore({"a"});
    CHECK_THROWS_WITH_AS(far.finish(), "Unrecognised option 'zzz' of popops::x; it takes a, b",
                         invalid_option);
    OptionReader none("popops::x", foreign);
    CHECK_THROWS_WITH_AS(none.finish(),
                         "Unrecognised option 'zzz' of popops::x; it takes no options",
                         invalid_option);
  }

  TEST_CASE("the last part of a dotted name is near enough") {
    CHECK(cottonwood::base::nearestName("allowOutOfMemory",
                                        {"debug.allowOutOfMemory", "debug.trace"}) ==
          "debug.allowOutOfMemory");
    CHECK(cottonwood::base::nearestName("x", {"abcdef"}).empty());
    CHECK(cottonwood::base::editDistance("kitten", "sitting") == 3);
    CHECK(cottonwood::base::editDistance("", "abc") == 3);
  }
}
