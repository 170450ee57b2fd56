// What the families that race have in common: from the command line to the last line.
#pragma once

#include <bench/Cases.hpp>
#include <bench/race/Contender.hpp>

namespace cottonwood::bench {

/// Runs the cases that the command line asks for against what it asks for, prints a row for each
/// and the means, and writes the report; or prints the table of tags.
/// \returns what main() does: 0 if all results were right and every case had a peer.
/// \throws UsageError  options that do not fit the cases.
int runRace(Arguments const &arguments, std::vector<Case> const &cases, Contender &ours);

} // namespace cottonwood::bench
