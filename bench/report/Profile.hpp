// From a profile to what the page shows of it.
#pragma once

#include <bench/report/PageData.hpp>

#include <string>

namespace pva {
class Report;
}

namespace cottonwood::report {

/// \param file  its name, for the page.
PageData dataOf(pva::Report const &report, std::string const &file);

/// \throws poplar::poplar_error  there is no such file, or it is no profile.
PageData readProfile(std::string const &file);

} // namespace cottonwood::report
