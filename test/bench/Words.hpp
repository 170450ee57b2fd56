// Rows of benchmarks as lists of words.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace cottonwood::bench {

using Words = std::vector<std::string>;

/// What stands between blanks.
inline Words wordsOf(std::string const &row) {
  std::istringstream text(row);
  Words words;
  for (std::string word; text >> word;)
    words.push_back(word);
  return words;
}

} // namespace cottonwood::bench
