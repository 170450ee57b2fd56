#include <bench/Cases.hpp>

#include <algorithm>

namespace cottonwood::bench {
namespace {

bool standsFor(std::string const &wanted, std::string const &group) {
  return group == wanted || group.starts_with(wanted + '/');
}

bool isIn(Case const &candidate, std::string const &wanted) {
  return std::any_of(candidate.groups.begin(), candidate.groups.end(),
                     [&](std::string const &group) { return standsFor(wanted, group); });
}

} // namespace

std::vector<std::string> groupsOf(std::vector<Case> const &cases) {
  std::vector<std::string> groups;
  for (Case const &candidate : cases)
    for (std::string const &group : candidate.groups)
      if (std::find(groups.begin(), groups.end(), group) == groups.end())
        groups.push_back(group);
  return groups;
}

std::vector<Case> selected(std::vector<Case> const &cases, Arguments const &arguments) {
  std::vector<Case> chosen;
  for (Case const &candidate : cases)
    if (arguments.group.empty() ? candidate.set <= arguments.set : isIn(candidate, arguments.group))
      chosen.push_back(candidate);
  if (chosen.empty()) {
    auto const groups = groupsOf(cases);
    std::vector<std::string_view> const names(groups.begin(), groups.end());
    throw UsageError("--set '" + arguments.group + "' is unknown; there are smoke, ci, all, " +
                     listed(names));
  }
  std::erase_if(chosen, [&](Case const &candidate) {
    return nameOf(candidate.problem).find(arguments.only) == std::string::npos;
  });
  if (chosen.empty())
    throw UsageError("--only '" + arguments.only + "': no case of the set has this in its name");
  return chosen;
}

} // namespace cottonwood::bench
