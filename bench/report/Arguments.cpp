#include <bench/report/Arguments.hpp>

#include <string_view>

namespace cottonwood::report {
namespace {

constexpr std::string_view LONG_OUTPUT = "--output=";

void setOutput(Arguments &arguments, std::string_view value) {
  if (value.empty())
    throw UsageError("-o needs the name of the page to write, for example -o report.html");
  if (!arguments.output.empty())
    throw UsageError("one page at a time: '" + arguments.output + "' or '" + std::string(value) +
                     "'");
  arguments.output = value;
}

void check(Arguments const &arguments) {
  if (arguments.profiles.empty())
    throw UsageError("a profile is needed: the file profile.pop that the engine option "
                     "autoReport.all makes");
  if (arguments.profiles.size() > 2)
    throw UsageError("one profile, or two to be compared; these are " +
                     std::to_string(arguments.profiles.size()));
  if (arguments.output.empty())
    throw UsageError("an output is needed, for example -o report.html");
}

} // namespace

char const *const USAGE =
    "usage: poplar-report PROFILE [PROFILE] -o PAGE\n"
    "\n"
    "Makes a page, for a browser, of a profile; of two, also a comparison. The engine option\n"
    "autoReport.all makes profiles: profile.pop, in the folder autoReport.directory.\n"
    "\n"
    "  -o, --output PAGE   the file to write, for example report.html\n"
    "  -h, --help          this text\n";

Arguments parseArguments(std::span<char const *const> words) {
  Arguments arguments;
  bool options = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view const word = words[i];
    if (!options || word == "-" || !word.starts_with("-"))
      arguments.profiles.emplace_back(word);
    else if (word == "--")
      options = false;
    else if (word == "-o" || word == "--output")
      setOutput(arguments, i + 1 < words.size() ? words[++i] : "");
    else if (word.starts_with(LONG_OUTPUT))
      setOutput(arguments, word.substr(LONG_OUTPUT.size()));
    else if (word == "-h" || word == "--help")
      arguments.help = true;
    else
      throw UsageError("option '" + std::string(word) +
                       "' is unknown; there are -o PAGE (--output PAGE) and -h (--help)");
  }
  if (!arguments.help)
    check(arguments);
  return arguments;
}

} // namespace cottonwood::report
