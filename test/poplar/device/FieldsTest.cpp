#include <doctest/doctest.h>
#include <string>

// Codelets.cpp, compiled in each standard. Each returns the lines of its failed checks.
std::string codelets11();
std::string codelets14();
std::string codelets17();
std::string codelets20();

TEST_SUITE("poplar/device/fields") {
  TEST_CASE("vertices run on images of their fields in C++11") { CHECK(codelets11() == ""); }
  TEST_CASE("vertices run on images of their fields in C++14") { CHECK(codelets14() == ""); }
  TEST_CASE("vertices run on images of their fields in C++17") { CHECK(codelets17() == ""); }
  TEST_CASE("vertices run on images of their fields in C++20") { CHECK(codelets20() == ""); }
}
