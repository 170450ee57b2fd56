// Alternates contenders batch by batch, so that what drifts on a machine meets all of them alike.
#pragma once

#include <bench/race/Contender.hpp>

#include <string>
#include <vector>

namespace cottonwood::bench {

struct RaceSettings {
  double batchSeconds = 0.02; ///< a batch is as many problems as take this long
  unsigned trialRounds = 3;   ///< all contenders, to find the best peers
  unsigned rounds = 15;       ///< ours against the best peers
  double disturbed =
      0.03;              ///< a contender kept off its cores for this share of a batch is disturbed
  unsigned patience = 3; ///< disturbed rounds are repeated, up to this many times as many in all
  double closeBehind = 1.1; ///< peers this near to the best one race, too: the trial is short
  unsigned maxFinalists = 3;
  /// The rounds of problems that caches may or may not hold, of these bytes, are shared among so
  /// many places in memory: which pages the system gives decides how much a cache keeps.
  unsigned placements = 5;
  double placedFrom = 256e3, placedUpTo = 8e6;
  double slow = 10; ///< in times(): who is so many times slower than the best is measured no more
};

/// The outcome of one problem. Seconds are of one problem, medians over the rounds.
struct RaceResult {
  double ours = 0;
  std::string peer; ///< the best one's way; empty if nobody took part
  double theirs = 0;
  std::vector<double> ratios; ///< theirs / ours, pair by pair
  double worstError = 0;      ///< of all contenders, as a fraction of what rounding allows
  bool disturbed = false;     ///< other programs took cores in too many rounds
  std::string complaint;      ///< wrong results, a peer that died
};

/// What one contender takes for a problem.
struct Time {
  std::string way;        ///< empty if it did not take part
  double seconds = 0;     ///< median over the rounds
  bool trialOnly = false; ///< so slow that it was not measured further
};

/// A field of contenders: ours and peers.
class Race {
public:
  /// A peer that throws PeerError is left out from then on.
  Race(Contender &ours, std::vector<Contender *> peers, RaceSettings const &settings);

  RaceResult run(Problem const &problem);

  /// Times of all, ours first, then peers in their order; who computes wrong values or died is
  /// missing and complained about.
  std::vector<Time> times(Problem const &problem, RaceResult &result);

private:
  struct Runner {
    Contender *contender;
    unsigned count = 1;
    std::vector<double> seconds{}; ///< of one problem, a value a round
  };
  /// One batch of each runner.
  struct Round {
    std::vector<double> seconds; ///< of one problem
    bool disturbed = false;
  };

  std::vector<Runner> prepare(Problem const &problem, RaceResult &result);
  bool check(Contender &contender, Problem const &problem, Reference const &reference,
             RaceResult &result) const;
  void calibrate(Runner &runner) const;
  double batch(Runner const &runner, bool &disturbed) const;
  Round round(std::vector<Runner> const &runners, std::size_t number) const;
  void keepBest(std::vector<Runner> &runners) const;
  bool measure(std::vector<Runner> &runners, std::size_t wanted) const;
  bool measureInPlaces(std::vector<Runner> &runners, Problem const &problem) const;
  RaceResult compete(Problem const &problem);
  std::vector<Time> compare(Problem const &problem, RaceResult &result);

  Contender &ours_;
  std::vector<Contender *> peers_;       ///< without those that died
  std::vector<Contender *> const field_; ///< ours and all peers
  RaceSettings settings_;
};

} // namespace cottonwood::bench
