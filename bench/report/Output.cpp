#include <bench/report/Output.hpp>

#include <poplar/impl/base/Files.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace cottonwood::report {
namespace {

[[noreturn]] void fail(std::string const &file, std::string const &why) {
  throw std::runtime_error("cannot write '" + file + "': " + why);
}

} // namespace

void checkOutput(std::string const &file, std::span<std::string const> profiles) {
  std::filesystem::path const path(file);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    fail(file, "it is a folder; the name of a file is needed");
  std::filesystem::path const folder = path.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    fail(file, "there is no folder '" + folder.string() + "'");
  for (std::string const &profile : profiles)
    if (std::filesystem::equivalent(path, profile, ignored))
      fail(file, "it is a profile that is to be read");
}

void writePage(std::string const &file, std::string_view page) {
  // A device or pipe is not replaced.
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored) || std::filesystem::is_regular_file(file, ignored)) {
    if (std::string const problem = base::replaceFile(file, page); !problem.empty())
      fail(file, problem);
    return;
  }
  std::ofstream out(file, std::ios::binary);
  out << page << std::flush;
  if (!out)
    fail(file, "what it is does not take the page");
}

} // namespace cottonwood::report
