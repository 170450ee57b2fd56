// The table of tags: our own kernels for every instruction set of this machine, side by side.
#pragma once

#include <bench/Cases.hpp>

#include <string>
#include <vector>

namespace cottonwood::bench {

/// What one tag gives for a case.
struct TagRate {
  std::string tag;
  double rate = 0; ///< NaN: it failed
};

/// A tag, and the best of the lower ones, which beats it.
struct SlowTag {
  std::string tag, lower;
  bool operator==(SlowTag const &) const = default;
};

/// The tags that a lower one beats by more than 3%. Rates are in ascending order of tags.
std::vector<SlowTag> slowTags(std::vector<TagRate> const &rates);

/// Whether a race of a tag against a lower one shows that it is slower by more than 3%: in three
/// pairs of four.
/// \param ratios  RaceResult::ratios with the lower one as the peer
bool isClearlySlower(std::vector<double> const &ratios);

std::string tagHeader(std::vector<std::string> const &tags, std::string const &unit);
/// `case rate rate ... ratio`, the ratio that of the last tag to the best of the others, and the
/// slow tags.
std::string tagText(std::string const &name, std::vector<TagRate> const &rates,
                    std::vector<SlowTag> const &slow, bool disturbed);

/// Prints a row a case, and how many have a tag that is slower than a lower one: what seems slow in
/// the few rounds of the table races the lower tag alone, side by side.
/// \returns 0 if all results were right.
int runTags(Arguments const &arguments, std::vector<Case> const &cases);

} // namespace cottonwood::bench
