#include <bench/Arguments.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

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

/// A word that names no set is the name of a group.
void parseSet(Arguments &arguments, std::string const &text) {
  constexpr std::pair<std::string_view, Set> SETS[] = {
      {"smoke", Set::Smoke}, {"ci", Set::Ci}, {"all", Set::All}};
  if (text.empty())
    throw UsageError("--set is empty; there are smoke, ci, all and the groups of the family");
  arguments.group = text;
  arguments.set = Set::All;
  for (auto const &[name, set] : SETS)
    if (text == name) {
      arguments.group.clear();
      arguments.set = set;
    }
}

std::string parseReport(std::string const &text) {
  if (!text.ends_with(".md") || text.size() == 3)
    throw UsageError("--report '" + text + "' is not the name of a file that ends in .md");
  return text;
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
  auto const value = [&] { return words.value(option, behindEquals); };
  if (option == "--set")
    parseSet(arguments, value());
  else if (option == "--only")
    arguments.only = value();
  else if (option == "--workers")
    arguments.workers = parseWorkers(value());
  else if (option == "--isa")
    arguments.isa = value();
  else if (option == "--against")
    arguments.against = value();
  else if (word == "--tags")
    arguments.tags = true;
  else if (word == "--busy-core")
    arguments.busyCore = true;
  else if (option == "--report")
    arguments.report = parseReport(value());
  else
    throw UsageError("option '" + std::string(word) +
                     "' is unknown; there are --set, --only, --workers, --isa, --against, --tags, "
                     "--busy-core, --report");
}

/// The table of tags has no peers, and runs every tag.
void checkTogether(Arguments const &arguments) {
  if (arguments.tags &&
      !(arguments.against.empty() && arguments.isa.empty() && arguments.report.empty()))
    throw UsageError("--tags compares all tags of this machine; it does not go with --against, "
                     "--isa or --report");
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
  checkTogether(arguments);
  return arguments;
}

} // namespace cottonwood::bench
