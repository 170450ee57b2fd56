#include <bench/Arguments.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace cottonwood::bench {
namespace {

constexpr unsigned MAX_WORKERS = 4096;

/// The value of an option: behind '=', or the next word.
class Words {
public:
  explicit Words(std::span<char const *const> words) : words_(words) {}

  bool next(std::string_view &word) {
    if (at_ == words_.size())
      return false;
    word = words_[at_++];
    return true;
  }

  std::string value(std::string_view option, std::optional<std::string_view> behindEquals) {
    std::string_view word;
    if (behindEquals)
      return std::string(*behindEquals);
    if (!next(word))
      throw UsageError(std::string(option) + " needs a value");
    return std::string(word);
  }

private:
  std::span<char const *const> words_;
  std::size_t at_ = 0;
};

Set parseSet(std::string const &text) {
  if (text == "smoke")
    return Set::Smoke;
  if (text == "ci")
    return Set::Ci;
  if (text == "all")
    return Set::All;
  throw UsageError("--set '" + text + "' is unknown; there are smoke, ci, all");
}

unsigned parseWorkers(std::string const &text) {
  unsigned count = 0;
  char const *const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count == 0 || count > MAX_WORKERS)
    throw UsageError("--workers '" + text + "' is not a number from 1 to " +
                     std::to_string(MAX_WORKERS));
  return count;
}

void parseOption(Arguments &arguments, std::string_view word, Words &words) {
  std::string_view const option = word.substr(0, word.find('='));
  std::optional<std::string_view> behindEquals;
  if (option.size() < word.size())
    behindEquals = word.substr(option.size() + 1);
  if (option == "--set")
    arguments.set = parseSet(words.value(option, behindEquals));
  else if (option == "--workers")
    arguments.workers = parseWorkers(words.value(option, behindEquals));
  else if (option == "--isa")
    arguments.isa = words.value(option, behindEquals);
  else
    throw UsageError("option '" + std::string(option) +
                     "' is unknown; there are --set, --workers, --isa");
}

} // namespace

std::string listed(std::span<std::string_view const> names) {
  std::string text;
  for (std::string_view name : names)
    text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

Arguments parseArguments(std::span<char const *const> words,
                         std::span<std::string_view const> families) {
  Arguments arguments;
  Words rest(words);
  for (std::string_view word; rest.next(word);) {
    if (word.starts_with("-"))
      parseOption(arguments, word, rest);
    else if (!arguments.family.empty())
      throw UsageError("one family at a time: '" + arguments.family + "' or '" + std::string(word) +
                       "'");
    else
      arguments.family = word;
  }
  if (arguments.family.empty())
    throw UsageError("a family is needed; there are " + listed(families));
  if (std::find(families.begin(), families.end(), arguments.family) == families.end())
    throw UsageError("family '" + arguments.family + "' is unknown; there are " + listed(families));
  return arguments;
}

} // namespace cottonwood::bench
