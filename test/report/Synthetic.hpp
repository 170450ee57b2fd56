// Data of a profile that no program made: for sizes that would take long to run, and for names that
// nobody would choose.
#pragma once

#include <bench/report/PageData.hpp>

namespace cottonwood::report {

/// A profile of so many tiles and executed steps, all of them different; an eighth as many
/// variables.
PageData synthetic(Number numTiles, Number numSteps);

/// A small profile in which every text is `text`.
PageData named(std::string const &text);

} // namespace cottonwood::report
