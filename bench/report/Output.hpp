// Writing the page.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cottonwood::report {

/// Refuses what cannot be written before the work is done: in a folder that is not there, over a
/// folder, or over one of the profiles. \throws std::runtime_error
void checkOutput(std::string const &file, std::span<std::string const> profiles);

/// All or nothing: a file of that name keeps its text if it cannot be replaced. \throws
/// std::runtime_error
void writePage(std::string const &file, std::string_view page);

} // namespace cottonwood::report
