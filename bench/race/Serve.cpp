#include <bench/race/Serve.hpp>

#include <cstdio>
#include <exception>
#include <iostream>

namespace cottonwood::bench {
namespace {

template <class... Values> std::string format(char const *pattern, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string wayText(Contender &contender, Problem const &problem) {
  if (!contender.prepare(problem))
    return "way";
  constexpr char const *RESULTS[] = {"float", "half", "none"};
  return std::string("way ") + RESULTS[static_cast<int>(contender.result())] + ' ' +
         contender.way();
}

std::string sampleText(Contender &contender) {
  std::string text = "values";
  for (double value : contender.sample())
    text += format(" %a", value);
  return text;
}

std::string obey(Contender &contender, Commands const &more, std::string const &line) {
  if (line.starts_with("problem "))
    return wayText(contender, parseProblem(line.substr(8)));
  if (line == "sample")
    return sampleText(contender);
  if (line.starts_with("count ")) {
    contender.setBatch(static_cast<unsigned>(std::stoul(line.substr(6))));
    return "ready";
  }
  if (line == "batch")
    return format("seconds %.9g", contender.runBatch());
  if (auto const command = more.find(line); command != more.end())
    return command->second();
  return "error unknown command";
}

} // namespace

int serve(Contender &contender, std::string const &description, Commands const &more) {
  std::cout << "peer " << description << std::endl;
  try {
    for (std::string line; std::getline(std::cin, line);)
      std::cout << obey(contender, more, line) << std::endl;
  } catch (std::exception const &error) {
    std::cout << "error " << error.what() << std::endl;
    return 1;
  }
  return 0;
}

} // namespace cottonwood::bench
