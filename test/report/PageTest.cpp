// How data become text of the page.
#include "Synthetic.hpp"

#include <bench/report/Column.hpp>
#include <bench/report/Json.hpp>
#include <bench/report/Lifetimes.hpp>
#include <bench/report/Names.hpp>
#include <bench/report/Page.hpp>
#include <bench/report/TileRuns.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

using namespace cottonwood::report;

namespace {

std::string packed(std::vector<Number> const &values) { return packColumn(values); }

/// What JSON.parse makes of it, in UTF-8.
std::string readBack(std::string const &text) {
  return nlohmann::json::parse(jsonString(text)).get<std::string>();
}

} // namespace

TEST_SUITE("report/column") {
  TEST_CASE("numbers are differences, zigzag, seven bits a byte, base64") {
    CHECK(packed({}) == "");
    CHECK(packed({0}) == "AA==");
    CHECK(packed({1, 2, 3}) == "AgIC");
    CHECK(packed({3, 2}) == "BgE=");
    CHECK(packed({64}) == "gAE=");
    CHECK(packed({100, 100, 100, 100}) == "yAEAAAA=");
    CHECK(packed({(Number(1) << 52) - 1, 0}) == "/v///////w/9////////Dw==");
  }

  TEST_CASE("numbers that JavaScript has not are refused") {
    CHECK_THROWS_WITH_AS(packed({Number(1) << 52}),
                         "report::packColumn: 4503599627370496 does not fit; numbers must be below "
                         "2^52",
                         std::out_of_range);
  }
}

TEST_SUITE("report/json") {
  TEST_CASE("no text ends a script, begins a comment or breaks a line") {
    std::string const text = "</script><!-- ]]> & \" \\ \n\r\t\x01\x7F \xE2\x80\xA8\xE2\x80\xA9";
    std::string const json = jsonString(text);
    for (char const *part : {"<", ">", "&", "\n", "\r", "\xE2\x80\xA8", "\xE2\x80\xA9", "\x01"})
      CHECK(json.find(part) == std::string::npos);
    CHECK(readBack(text) == text);
  }

  TEST_CASE("text stays what it is, and what is no text is marked") {
    for (char const *text : {"", "a/b", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x8C\xB3"})
      CHECK(readBack(text) == text);
    std::string const mark = "\xEF\xBF\xBD";
    CHECK(readBack("a\xFFz") == "a" + mark + "z");
    CHECK(readBack("\xC3") == mark);
    CHECK(readBack("\xC0\x80") == mark + mark);                       // longer than need be
    CHECK(readBack("\xED\xA0\x80") == mark + mark + mark);            // half of a pair
    CHECK(readBack("\xF4\x90\x80\x80") == mark + mark + mark + mark); // too large
    CHECK(readBack(std::string("a\0b", 3)) == std::string("a\0b", 3));
  }

  TEST_CASE("numbers are exact") {
    CHECK(jsonNumber(0.1) == "0.1");
    CHECK(jsonNumber(1.33e9) == "1.33e+09");
    CHECK(jsonNumber(0.0 / 1) == "0");
    CHECK(jsonNumber(std::numeric_limits<double>::quiet_NaN()) == "null");
  }
}

TEST_SUITE("report/tables") {
  TEST_CASE("each text has one number") {
    Names names;
    CHECK(names("a") == 0);
    CHECK(names("b") == 1);
    CHECK(names("a") == 0);
    CHECK(names.take() == std::vector<std::string>{"a", "b"});
  }

  TEST_CASE("tiles with equal values are one run, and those without any are none") {
    auto const runs = runsOf(std::vector<Number>{0, 5, 5, 0, 5, 6});
    REQUIRE(runs.size() == 3);
    CHECK((runs[0].tile == 1 && runs[0].length == 2 && runs[0].value == 5));
    CHECK((runs[1].tile == 4 && runs[1].length == 1 && runs[1].value == 5));
    CHECK((runs[2].tile == 5 && runs[2].length == 1 && runs[2].value == 6));
    CHECK(runsOf({}).empty());
  }

  TEST_CASE("variables live from the first step that has them to the last") {
    Lifetimes lifetimes;
    using Keys = std::vector<Lifetimes::Key>;
    lifetimes.addStep(Keys{{1, 8}, {2, 4}});
    lifetimes.addStep(Keys{{2, 4}, {2, 4}}); // another of that name and size
    lifetimes.addStep(Keys{{1, 8}, {2, 4}});
    auto const all = lifetimes.take();
    auto const is = [&](std::size_t i, Number name, Number bytes, Number from, Number to) {
      return all[i].name == name && all[i].bytes == bytes && all[i].from == from && all[i].to == to;
    };
    REQUIRE(all.size() == 4);
    CHECK(is(0, 1, 8, 0, 1));
    CHECK(is(1, 2, 4, 0, 3));
    CHECK(is(2, 2, 4, 1, 2));
    CHECK(is(3, 1, 8, 2, 3));
  }
}

TEST_SUITE("report/page") {
  TEST_CASE("the data are JSON of the documented shape") {
    PageData const data = synthetic(4, 10);
    auto const json = nlohmann::json::parse(toJson(data));
    CHECK(json["format"] == PAGE_FORMAT);
    CHECK(json["memory"]["limit"] == 638976);
    CHECK(json["memory"]["categories"].size() == data.memory.categories.size());
    CHECK(json["names"].size() == data.names.size());
    CHECK(json["steps"]["kind"] == packed({1, 0, 2, 0, 3, 1, 0, 2, 0, 3}));
    CHECK(json["runs"][1]["name"] == "second");
    CHECK(json["facts"][0]["value"] == 4);
    CHECK(json["executionIsCut"] == false);
  }

  TEST_CASE("names of a program leave the elements of the page as they are") {
    auto const count = [](std::string const &text, std::string const &part) {
      std::size_t found = 0;
      for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
      return found;
    };
    PageData const plain = named("name"), hostile = named("</script><script><!--");
    std::string const first = makePage({&plain, 1}), second = makePage({&hostile, 1});
    for (char const *part : {"<script", "</script", "<!--", "-->"})
      CHECK(count(first, part) == count(second, part));
  }

  TEST_CASE("two profiles are two elements of one page") {
    PageData const both[] = {named("one"), named("two")};
    std::string const page = makePage(both), alone = makePage({both, 1});
    CHECK(page.size() > alone.size());
    CHECK(page.find("\"two\"") != std::string::npos);
    CHECK(alone.find("\"two\"") == std::string::npos);
  }

  TEST_CASE("a page of 1472 tiles and 10000 different steps is a few megabytes") {
    PageData const data = synthetic(1472, 10'000);
    CHECK(makePage({&data, 1}).size() < 4'000'000);
  }

  TEST_CASE("the page carries the licence of what it contains, and loads nothing") {
    CHECK(PAGE_TEMPLATE.find("Permission is hereby granted, free of charge") !=
          std::string_view::npos);
    CHECK(PAGE_TEMPLATE.find("default-src 'none'") != std::string_view::npos);
    for (char const *part : {"src=\"http", "href=\"http", "@import", "url("})
      CHECK(PAGE_TEMPLATE.find(part) == std::string_view::npos);
  }
}
