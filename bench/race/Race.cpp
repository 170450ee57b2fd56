#include <bench/race/Race.hpp>

#include <bench/Statistics.hpp>
#include <bench/race/Idle.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace cottonwood::bench {
namespace {

/// No pool spins for longer; whoever does runs beside the next contender.
constexpr std::chrono::milliseconds REST{500};

double median(std::vector<double> const &samples) { return quantile(samples, 0.5); }

void add(std::string &complaints, std::string const &complaint) {
  complaints += (complaints.empty() ? "" : "; ") + complaint;
}

std::vector<Contender *> joined(Contender &ours, std::vector<Contender *> peers) {
  peers.insert(peers.begin(), &ours);
  return peers;
}

} // namespace

Race::Race(Contender &ours, std::vector<Contender *> peers, RaceSettings const &settings)
    : ours_(ours), peers_(peers), field_(joined(ours, peers)), settings_(settings) {}

/// Compares a contender's result with the reference in double precision.
bool Race::check(Contender &contender, Problem const &problem, Reference const &reference,
                 RaceResult &result) const {
  if (contender.result() == Result::NONE)
    return true;
  double const error = worstError(reference, contender.sample()) /
                       allowedErrorOf(problem, contender.result() == Result::HALF);
  result.worstError = std::max(result.worstError, error);
  if (error <= 1)
    return true;
  add(result.complaint, contender.way() + " computes wrong values (error " + std::to_string(error) +
                            " of what rounding allows)");
  return false;
}

/// Ours first, then the peers that can compute the problem and do so correctly.
std::vector<Race::Runner> Race::prepare(Problem const &problem, RaceResult &result) {
  Reference const reference = referenceOf(problem);
  std::vector<Runner> runners;
  for (Contender *contender : joined(ours_, peers_)) {
    try {
      if (!contender->prepare(problem) || !check(*contender, problem, reference, result))
        continue;
      Runner runner{contender};
      calibrate(runner);
      runners.push_back(std::move(runner));
    } catch (PeerError const &error) {
      add(result.complaint, error.what());
      std::erase(peers_, contender);
    }
  }
  return runners;
}

/// Runs a batch while all others rest. \returns seconds of one problem.
double Race::batch(Runner const &runner, bool &disturbed) const {
  std::vector<pid_t> all = {ours_.process()};
  for (Contender *peer : peers_)
    all.push_back(peer->process());
  waitUntilIdle(all, REST);
  double const before = secondsKeptWaiting(runner.contender->process());
  double const seconds = runner.contender->runBatch();
  double const waited = secondsKeptWaiting(runner.contender->process()) - before;
  disturbed |= waited > settings_.disturbed * seconds;
  return seconds / runner.count;
}

/// Chooses the size of a contender's batches: the first problem may be cold, so in two steps.
void Race::calibrate(Runner &runner) const {
  bool disturbed = false;
  for (double share : {0.1, 1.0}) {
    runner.contender->setBatch(runner.count);
    double const seconds = std::max(batch(runner, disturbed), 1e-9);
    runner.count =
        static_cast<unsigned>(std::clamp(share * settings_.batchSeconds / seconds, 1.0, 1e6));
  }
  runner.contender->setBatch(runner.count);
}

/// One batch of each; every round begins with another one.
Race::Round Race::round(std::vector<Runner> const &runners, std::size_t number) const {
  Round result{std::vector<double>(runners.size())};
  for (std::size_t i = 0; i < runners.size(); ++i) {
    std::size_t const next = (i + number) % runners.size();
    result.seconds[next] = batch(runners[next], result.disturbed);
  }
  return result;
}

/// A short trial of all; drops the peers that are far behind the best one. Ours is first and stays.
void Race::keepBest(std::vector<Runner> &runners) const {
  measure(runners, settings_.trialRounds);
  auto const best = [](Runner const &runner) {
    return *std::min_element(runner.seconds.begin(), runner.seconds.end());
  };
  std::sort(runners.begin() + 1, runners.end(),
            [&](Runner const &a, Runner const &b) { return best(a) < best(b); });
  double const limit = settings_.closeBehind * best(runners[1]);
  while (runners.size() > 2 &&
         (runners.size() > 1 + settings_.maxFinalists || best(runners.back()) > limit))
    runners.pop_back();
}

/// Fills in everybody's seconds: of `wanted` undisturbed rounds, or of all if there are not so
/// many. \returns false in that case.
bool Race::measure(std::vector<Runner> &runners, std::size_t wanted) const {
  std::vector<Round> rounds;
  std::size_t clean = 0;
  while (clean < wanted && rounds.size() < settings_.patience * wanted) {
    rounds.push_back(round(runners, rounds.size()));
    clean += !rounds.back().disturbed;
  }
  bool const enough = clean >= wanted;
  for (std::size_t r = 0; r < runners.size(); ++r) {
    runners[r].seconds.clear();
    for (Round const &measured : rounds)
      if (!enough || !measured.disturbed)
        runners[r].seconds.push_back(measured.seconds[r]);
  }
  return enough;
}

/// measure() for all rounds of the race, in several places if that is worth it.
bool Race::measureInPlaces(std::vector<Runner> &runners, Problem const &problem) const {
  double const bytes = bytesOf(problem);
  bool const several = bytes >= settings_.placedFrom && bytes <= settings_.placedUpTo;
  unsigned const placements = several ? settings_.placements : 1;
  std::vector<std::vector<double>> all(runners.size());
  bool enough = true;
  for (unsigned place = 0; place < placements; ++place) {
    if (place != 0)
      for (Runner &runner : runners) {
        runner.contender->prepare(problem);
        runner.contender->setBatch(runner.count);
      }
    enough &= measure(runners, (settings_.rounds + placements - 1) / placements);
    for (std::size_t r = 0; r < runners.size(); ++r)
      all[r].insert(all[r].end(), runners[r].seconds.begin(), runners[r].seconds.end());
  }
  for (std::size_t r = 0; r < runners.size(); ++r)
    runners[r].seconds = std::move(all[r]);
  return enough;
}

RaceResult Race::compete(Problem const &problem) {
  RaceResult result;
  std::vector<Runner> runners = prepare(problem, result);
  if (runners.empty() || runners.front().contender != &ours_)
    return result; // ours is wrong, as the complaint says
  if (runners.size() > 2)
    keepBest(runners);
  result.disturbed = !measureInPlaces(runners, problem);
  result.ours = median(runners.front().seconds);
  if (runners.size() == 1)
    return result;
  auto const best =
      std::min_element(runners.begin() + 1, runners.end(), [](Runner const &a, Runner const &b) {
        return median(a.seconds) < median(b.seconds);
      });
  result.peer = best->contender->way();
  result.theirs = median(best->seconds);
  result.ratios = pairRatios(runners.front().seconds, best->seconds);
  return result;
}

std::vector<Time> Race::compare(Problem const &problem, RaceResult &result) {
  std::vector<Runner> runners = prepare(problem, result);
  std::vector<Time> times(field_.size());
  auto const keep = [&](Runner const &runner, bool trialOnly) {
    auto const place = std::find(field_.begin(), field_.end(), runner.contender) - field_.begin();
    times[static_cast<std::size_t>(place)] = {runner.contender->way(), median(runner.seconds),
                                              trialOnly};
  };
  measure(runners, 1);
  double best = INFINITY;
  for (Runner const &runner : runners) {
    keep(runner, true);
    best = std::min(best, runner.seconds.front());
  }
  std::erase_if(runners, [&](Runner const &runner) {
    return runner.seconds.front() > settings_.slow * best;
  });
  result.disturbed = !measure(runners, settings_.rounds);
  for (Runner const &runner : runners)
    keep(runner, false);
  return times;
}

std::vector<Time> Race::times(Problem const &problem, RaceResult &result) {
  try {
    return compare(problem, result);
  } catch (PeerError const &error) {
    result.complaint = error.what();
    return std::vector<Time>(field_.size());
  }
}

RaceResult Race::run(Problem const &problem) {
  try {
    return compete(problem);
  } catch (PeerError const &error) {
    RaceResult result;
    result.complaint = error.what();
    return result;
  }
}

} // namespace cottonwood::bench
