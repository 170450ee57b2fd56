// Calls with values that an enumeration does not have.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

struct EnumeratorCase {
  int count;           ///< of enumerators
  std::string message; ///< with # for the value
  std::function<void(int value)> call;
};

/// Values before the first and behind the last are errors of class E.
template <class E> void checkRefusals(std::vector<EnumeratorCase> const &cases) {
  for (EnumeratorCase const &c : cases)
    for (int value : {-1, c.count, 999}) {
      std::string expected = c.message;
      expected.replace(expected.find('#'), 1, std::to_string(value));
      CHECK_THROWS_WITH_AS(c.call(value), expected.c_str(), E);
    }
}
