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

/// The tags that a lower one beats by more than 3%, each as "avx512 below avx2". Rates are in
/// ascending order of tags.
std::vector<std::string> slowTags(std::vector<TagRate> const &rates);

std::string tagHeader(std::vector<std::string> const &tags, std::string const &unit);
/// `case rate rate ... ratio`, the ratio that of the last tag to the best of the others, and
/// whatever slowTags finds.
std::string tagText(std::string const &name, std::vector<TagRate> const &rates, bool disturbed);

/// Prints a row a case, and how many have a tag that is slower than a lower one.
/// \returns 0 if all results were right.
int runTags(Arguments const &arguments, std::vector<Case> const &cases);

} // namespace cottonwood::bench
