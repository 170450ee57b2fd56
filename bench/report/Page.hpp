// The page: one file of HTML with everything in it.
#pragma once

#include <bench/report/PageData.hpp>

#include <span>
#include <string>
#include <string_view>

namespace cottonwood::report {

/// What page/build.mjs built, with a mark where the data go. In a file that CMake writes from
/// page/page.html.
extern std::string_view const PAGE_TEMPLATE;

/// The data as the page reads them.
std::string toJson(PageData const &data);

/// \param reports  one, or two to be compared.
std::string makePage(std::span<PageData const> reports);

} // namespace cottonwood::report
