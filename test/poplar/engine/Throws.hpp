// Checking what an exception says.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace engineTest {

/// f() throws E, and the text of the exception has all the parts.
template <class E, class F> void checkThrows(F &&f, std::vector<std::string> const &parts) {
  try {
    f();
  } catch (E const &e) {
    std::string const text = e.what();
    CAPTURE(text);
    for (std::string const &part : parts)
      CHECK_MESSAGE(text.find(part) != std::string::npos, part);
    return;
  }
  FAIL_CHECK("no exception");
}

} // namespace engineTest
