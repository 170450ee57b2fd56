#include <doctest/doctest.h>
#include <map>
#include <poplar/StringRef.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

using poplar::StringRef;

TEST_SUITE("poplar/base/StringRef") {
  TEST_CASE("text comes from literals, buffers, pointers and strings") {
    char const *const pointer = "pointer";
    char buffer[32] = "buffer";
    std::string const string("with\0nul", 8);
    CHECK(StringRef("literal").size() == 7);
    CHECK(StringRef(pointer).size() == 7);
    CHECK(StringRef(buffer).size() == 6);
    CHECK(StringRef(string).size() == 8);
    CHECK(StringRef(pointer, 3).cloneAsString() == "poi");
    CHECK(StringRef().cloneAsString().empty());
    CHECK_FALSE(std::is_convertible_v<std::nullptr_t, StringRef>);
  }

  TEST_CASE("comparisons are by bytes, in any mix with std::string and literals") {
    std::string const string = "abc";
    StringRef const ref = string;
    CHECK(ref == string);
    CHECK(string == ref);
    CHECK(ref == "abc");
    CHECK("abc" == ref);
    CHECK(ref != "abcd");
    CHECK(ref != StringRef("abd"));
    CHECK(ref < "abd");
    CHECK_FALSE(ref < "abc");
    CHECK(StringRef("ab") < ref);
    CHECK(StringRef() == "");
    CHECK(StringRef("\x80") != "\x7f");
  }

  TEST_CASE("text concatenates to std::string and prints") {
    StringRef const ref("ref");
    std::string string = "a" + ref + std::string("b");
    CHECK(string == "arefb");
    string += ref;
    CHECK(string == "arefbref");
    std::string const assigned = ref;
    CHECK(assigned == "ref");
    std::ostringstream stream;
    stream << StringRef("cut here", 3);
    CHECK(stream.str() == "cut");
  }

  TEST_CASE("a temporary view of text can be a constant expression") {
    constexpr StringRef text("constant", 5);
    static_assert(text.size() == 5 && !text.empty());
    CHECK(text == "const");
  }
}
