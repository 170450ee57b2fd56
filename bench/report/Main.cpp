// poplar-report PROFILE [PROFILE] -o PAGE
#include <bench/report/Arguments.hpp>
#include <bench/report/Output.hpp>
#include <bench/report/Page.hpp>
#include <bench/report/Profile.hpp>

#include <cstdio>
#include <exception>
#include <vector>

namespace {

using namespace cottonwood::report;

void run(Arguments const &arguments) {
  checkOutput(arguments.output, arguments.profiles);
  std::vector<PageData> reports;
  for (std::string const &profile : arguments.profiles)
    reports.push_back(readProfile(profile));
  writePage(arguments.output, makePage(reports));
}

} // namespace

int main(int argc, char **argv) {
  try {
    Arguments const arguments =
        parseArguments({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
    if (arguments.help)
      std::fputs(USAGE, stdout);
    else
      run(arguments);
    return 0;
  } catch (UsageError const &error) {
    std::fprintf(stderr, "poplar-report: %s\n", error.what());
    if (argc <= 1)
      std::fprintf(stderr, "\n%s", USAGE);
    return 2;
  } catch (std::exception const &error) {
    std::fprintf(stderr, "poplar-report: %s\n", error.what());
    return 1;
  }
}
