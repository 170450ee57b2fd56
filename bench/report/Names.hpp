// Texts by number: each is written into the page once.
#pragma once

#include <bench/report/PageData.hpp>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cottonwood::report {

class Names {
public:
  Number operator()(std::string const &text) {
    auto const [place, isNew] = numbers_.try_emplace(text, texts_.size());
    if (isNew)
      texts_.push_back(text);
    return place->second;
  }

  std::vector<std::string> take() { return std::move(texts_); }

private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, Number> numbers_;
};

} // namespace cottonwood::report
