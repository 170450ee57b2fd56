#include <bench/report/Lifetimes.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace cottonwood::report {

void Lifetimes::addStep(std::span<Key const> alive) {
  std::map<Key, std::size_t> counts;
  for (Key const &key : alive)
    ++counts[key];
  for (auto at = open_.begin(); at != open_.end();) {
    auto const wanted = counts.find(at->first);
    close(at->first, wanted == counts.end() ? 0 : wanted->second);
    at = at->second.empty() ? open_.erase(at) : std::next(at);
  }
  for (auto const &[key, count] : counts) {
    std::vector<Number> &begins = open_[key];
    begins.resize(std::max(begins.size(), count), step_);
  }
  ++step_;
}

/// All but `count` of them end before this step; the youngest first, as in nested scopes.
void Lifetimes::close(Key const &key, std::size_t count) {
  std::vector<Number> &begins = open_.at(key);
  for (; begins.size() > count; begins.pop_back())
    closed_.push_back({key.first, key.second, begins.back(), step_});
}

std::vector<Lifetime> Lifetimes::take() {
  for (auto const &[key, begins] : open_)
    close(key, 0);
  std::sort(closed_.begin(), closed_.end(), [](Lifetime const &a, Lifetime const &b) {
    return std::tie(a.from, a.name, a.bytes, a.to) < std::tie(b.from, b.name, b.bytes, b.to);
  });
  return std::move(closed_);
}

} // namespace cottonwood::report
