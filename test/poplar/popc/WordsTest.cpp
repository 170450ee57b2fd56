#include <doctest/doctest.h>
#include <poplar/exceptions.hpp>
#include <poplar/impl/popc/Words.hpp>

using cottonwood::popc::splitWords;
using Words = std::vector<std::string>;

TEST_SUITE("poplar/popc/words") {
  TEST_CASE("blanks separate words, however many") {
    CHECK(splitWords("", "t") == Words{});
    CHECK(splitWords(" \t\n ", "t") == Words{});
    CHECK(splitWords("-O3 -I /path", "t") == Words{"-O3", "-I", "/path"});
    CHECK(splitWords("  -g\t\t-DX=1\n", "t") == Words{"-g", "-DX=1"});
  }

  TEST_CASE("quotations keep blanks, and may be empty or part of a word") {
    CHECK(splitWords("-I'/my path'", "t") == Words{"-I/my path"});
    CHECK(splitWords("\"a b\" '' c\"\"d", "t") == Words{"a b", "", "cd"});
    CHECK(splitWords("'a\"b' \"a'b\"", "t") == Words{"a\"b", "a'b"});
  }

  TEST_CASE("a backslash keeps the next character; in double quotes, some") {
    CHECK(splitWords("a\\ b \\'c \\\\", "t") == Words{"a b", "'c", "\\"});
    CHECK(splitWords("'a\\b'", "t") == Words{"a\\b"});
    CHECK(splitWords("\"\\\"x\\\" \\n \\$\"", "t") == Words{"\"x\" \\n $"});
    CHECK(splitWords("a\\\nb", "t") == Words{"ab"});
  }

  TEST_CASE("nothing is expanded") {
    CHECK(splitWords("$HOME `ls` * ~ ; | & > #", "t") ==
          Words{"$HOME", "`ls`", "*", "~", ";", "|", "&", ">", "#"});
  }

  TEST_CASE("what has no end is an error that names the caller and the flags") {
    CHECK_THROWS_WITH_AS(splitWords("-DX='1", "Graph::addCodelets"),
                         "Graph::addCodelets: flags '-DX='1': the quotation that ' begins has no "
                         "end",
                         poplar::poplar_error);
    CHECK_THROWS_WITH_AS(splitWords("-g \\", "Graph::addCodelets"),
                         "Graph::addCodelets: flags '-g \\': nothing follows the last backslash",
                         poplar::poplar_error);
  }
}
