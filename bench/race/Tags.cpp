#include <bench/Machine.hpp>
#include <bench/Rows.hpp>
#include <bench/Statistics.hpp>
#include <bench/race/Peers.hpp>
#include <bench/race/Race.hpp>
#include <bench/race/Tags.hpp>

#include <codelets/arch/CpuFeatures.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace cottonwood::bench {
namespace {

constexpr double TOLERANCE = 0.97; ///< differences below this are noise
constexpr std::size_t NAME_WIDTH = 48;

std::string padded(std::string const &text, int width) {
  char line[128];
  std::snprintf(line, sizeof line, "%*s", width, text.c_str());
  return line;
}

/// Those of this machine but software twins, which nobody gets unasked.
std::vector<std::string> tagsOfMachine() {
  std::vector<std::string> tags;
  for (isa::Isa isa : isa::availableIsas())
    if (!std::string_view(isa::name(isa)).ends_with("-soft"))
      tags.emplace_back(isa::name(isa));
  return tags;
}

std::vector<TagRate> ratesOf(Problem const &problem, std::vector<std::string> const &tags,
                             std::vector<Time> const &times) {
  std::vector<TagRate> rates;
  for (std::size_t i = 0; i < tags.size(); ++i)
    rates.push_back({tags[i], times[i].way.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                   : workOf(problem) / times[i].seconds * 1e-9});
  return rates;
}

} // namespace

std::vector<SlowTag> slowTags(std::vector<TagRate> const &rates) {
  std::vector<SlowTag> found;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    TagRate best{{}, 0};
    for (std::size_t lower = 0; lower < i; ++lower)
      if (rates[lower].rate > best.rate)
        best = rates[lower];
    if (rates[i].rate < TOLERANCE * best.rate)
      found.push_back({rates[i].tag, best.tag});
  }
  return found;
}

bool isClearlySlower(std::vector<double> const &ratios) {
  return quantile(ratios, 0.75) < TOLERANCE;
}

std::string tagHeader(std::vector<std::string> const &tags, std::string const &unit) {
  std::string text = "case" + std::string(NAME_WIDTH - 4, ' ');
  for (std::string const &tag : tags)
    text += padded(tag, 12);
  return text + "   ratio of the last to the best of the others; rates in " + unit;
}

std::string tagText(std::string const &name, std::vector<TagRate> const &rates,
                    std::vector<SlowTag> const &slow, bool disturbed) {
  std::string text = name + ' ';
  text.resize(std::max(text.size(), NAME_WIDTH), ' ');
  double best = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    text += padded(shortNumber(rates[i].rate), 12);
    if (i + 1 < rates.size() && rates[i].rate > best)
      best = rates[i].rate;
  }
  char ratio[32] = "       -";
  if (best > 0 && !std::isnan(rates.back().rate))
    std::snprintf(ratio, sizeof ratio, "%8.2f", rates.back().rate / best);
  text += ratio;
  for (SlowTag const &each : slow)
    text += "  SLOWER: " + each.tag + " below " + each.lower;
  return text + (disturbed ? "  busy" : "");
}

int runTags(Arguments const &arguments, std::vector<Case> const &cases) {
  std::vector<std::string> const tags = tagsOfMachine();
  Peers children;
  std::vector<Contender *> higher;
  for (std::string const &tag : tags) {
    children.push_back(startTag(tag, arguments.workers));
    if (children.size() > 1)
      higher.push_back(children.back().get());
  }
  auto const contenderOf = [&](std::string const &tag) -> Contender & {
    auto const at = std::find(tags.begin(), tags.end(), tag) - tags.begin();
    return *children[static_cast<std::size_t>(at)];
  };
  RaceSettings settings;
  settings.rounds = 7;
  Race race(*children.front(), higher, settings);
  std::printf("# %s\n%s\n", textOf(thisMachine(arguments.workers)).c_str(),
              tagHeader(tags, unitOf(cases.front().problem)).c_str());
  bool good = true;
  std::size_t count = 0;
  for (Case const &next : cases) {
    RaceResult result;
    auto const rates = ratesOf(next.problem, tags, race.times(next.problem, result));
    std::vector<SlowTag> slower = slowTags(rates);
    std::erase_if(slower, [&](SlowTag const &each) {
      RaceResult const again =
          Race(contenderOf(each.tag), {&contenderOf(each.lower)}, {}).run(next.problem);
      return again.complaint.empty() && !isClearlySlower(again.ratios);
    });
    std::string const name = nameOf(next.problem);
    std::printf("%s\n", tagText(name, rates, slower, result.disturbed).c_str());
    if (!result.complaint.empty())
      std::printf("# %s: %s\n", name.c_str(), result.complaint.c_str());
    std::fflush(stdout);
    good &= result.complaint.empty();
    count += !slower.empty();
  }
  std::printf("%zu of %zu cases have a tag that is slower than a lower one\n", count, cases.size());
  return good ? 0 : 1;
}

} // namespace cottonwood::bench
