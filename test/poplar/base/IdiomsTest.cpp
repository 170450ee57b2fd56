#include <doctest/doctest.h>
#include <string>

// Idioms.cpp, compiled in each standard. Each returns the lines of its failed checks.
std::string idioms11();
std::string idioms14();
std::string idioms17();
std::string idioms20();

TEST_SUITE("poplar/base/idioms") {
  TEST_CASE("what programs write with the small classes works in C++11") {
    CHECK(idioms11() == "");
  }
  TEST_CASE("what programs write with the small classes works in C++14") {
    CHECK(idioms14() == "");
  }
  TEST_CASE("what programs write with the small classes works in C++17") {
    CHECK(idioms17() == "");
  }
  TEST_CASE("what programs write with the small classes works in C++20") {
    CHECK(idioms20() == "");
  }
}
