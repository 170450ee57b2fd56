// The family plan: whether the plans that the library chooses are the fastest of those it could
// have chosen, and whether its cost model ranks them right.
#include <bench/Family.hpp>
#include <bench/Machine.hpp>
#include <bench/Rows.hpp>
#include <bench/Statistics.hpp>
#include <bench/Summary.hpp>
#include <bench/poplin/Bed.hpp>
#include <bench/poplin/Ours.hpp>
#include <bench/poplin/PlanSpace.hpp>
#include <bench/race/Idle.hpp>

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace cottonwood::bench {
namespace {

constexpr unsigned ROUNDS = 9;
constexpr double BATCH_SECONDS = 0.005;
constexpr double DISTURBED = 0.03; ///< as in races

/// One plan, compiled, and its times.
struct Trial {
  PlanReport report{};
  std::unique_ptr<Ours> ours{};
  unsigned count = 1;
  std::vector<double> seconds{};

  double time() const { return quantile(seconds, 0.5); }
};

/// All plans of one problem.
class Contest {
public:
  Contest(Problem const &problem, unsigned threads) : problem_(problem), threads_(threads) {
    enter("");
    std::string const chosen = trials_.front().report.plan;
    for (std::string const &constraints : constraintsFor(problem, chosen))
      enter(constraints);
  }

  void measure() {
    double const before = secondsKeptWaiting(trials_.front().ours->process());
    double total = 0;
    for (Trial &trial : trials_)
      calibrate(trial);
    for (unsigned round = 0; round < ROUNDS; ++round)
      for (std::size_t i = 0; i < trials_.size(); ++i) {
        Trial &trial = trials_[(i + round) % trials_.size()];
        double const seconds = trial.ours->runBatch();
        trial.seconds.push_back(seconds / trial.count);
        total += seconds;
      }
    double const waited = secondsKeptWaiting(trials_.front().ours->process()) - before;
    disturbed_ = waited > DISTURBED * total;
  }

  Trial const &chosen() const { return trials_.front(); }
  Trial const &best() const {
    return *std::min_element(trials_.begin(), trials_.end(),
                             [](Trial const &a, Trial const &b) { return a.time() < b.time(); });
  }
  double correlation() const {
    std::vector<double> predicted, measured;
    for (Trial const &trial : trials_) {
      predicted.push_back(trial.report.cycles);
      measured.push_back(trial.time());
    }
    return rankCorrelation(predicted, measured);
  }
  std::size_t plans() const { return trials_.size(); }
  bool disturbed() const { return disturbed_; }
  /// The first plan whose result is not, bit for bit, that of the chosen one; empty: all are.
  std::string const &otherBits() const { return otherBits_; }

private:
  /// A plan that the library has, and that is not among the trials yet, enters.
  void enter(std::string const &constraints) {
    poplar::OptionFlags options;
    if (!constraints.empty())
      options.set("planConstraints", constraints);
    try {
      Trial trial{.report = parsePlanReport(
                      with(problem_, [&](auto const &p) { return planReportOf(p, options); }))};
      for (Trial const &other : trials_)
        if (other.report.plan == trial.report.plan)
          return;
      trial.ours = std::make_unique<Ours>(threads_, "ours", options);
      trial.ours->prepare(problem_);
      std::vector<double> const values = trial.ours->sample();
      if (trials_.empty())
        values_ = values;
      else if (values != values_ && otherBits_.empty())
        otherBits_ = shortPlan(trial.report.plan);
      trials_.push_back(std::move(trial));
    } catch (::poputil::poplibs_error const &) {
      if (constraints.empty())
        throw; // else: it has no such plan
    }
  }

  static void calibrate(Trial &trial) {
    for (double share : {0.1, 1.0}) {
      trial.ours->setBatch(trial.count);
      double const seconds = std::max(trial.ours->runBatch(), 1e-9) / trial.count;
      trial.count = static_cast<unsigned>(std::clamp(share * BATCH_SECONDS / seconds, 1.0, 1e6));
    }
    trial.ours->setBatch(trial.count);
  }

  Problem problem_;
  unsigned threads_;
  std::vector<Trial> trials_;
  std::vector<double> values_;
  std::string otherBits_;
  bool disturbed_ = false;
};

void printHeader(unsigned threads) {
  std::printf("# %s\n", textOf(thisMachine(threads)).c_str());
  std::printf("# of-best: the chosen plan's rate over that of the fastest plan; rank: correlation "
              "of predicted and measured order\n");
  std::printf("%-36s %5s %10s %10s %8s %6s  %s\n", "case", "plans", "cycles", "us", "of-best",
              "rank", "chosen plan | fastest plan, if another");
}

void printRow(std::string const &name, Contest const &contest) {
  Trial const &chosen = contest.chosen(), &best = contest.best();
  double const rank = contest.correlation();
  char rankText[16] = "-";
  if (!std::isnan(rank))
    std::snprintf(rankText, sizeof rankText, "%.2f", rank);
  std::string plans = shortPlan(chosen.report.plan);
  if (&best != &chosen)
    plans += " | " + shortPlan(best.report.plan);
  std::printf("%-36s %5zu %10s %10s %8.2f %6s  %s%s\n", name.c_str(), contest.plans(),
              shortNumber(chosen.report.cycles).c_str(), shortNumber(chosen.time() * 1e6).c_str(),
              best.time() / chosen.time(), rankText, plans.c_str(),
              contest.disturbed() ? "  busy" : "");
  if (!contest.otherBits().empty())
    std::printf("# %s: other bits with %s\n", name.c_str(), contest.otherBits().c_str());
  std::fflush(stdout);
}

} // namespace

int runPlan(Arguments const &arguments) {
  std::vector<Case> const cases = selected(planCases(), arguments);
  printHeader(arguments.workers);
  Summary summary;
  bool good = true;
  for (Case const &next : cases) {
    Contest contest(next.problem, arguments.workers);
    contest.measure();
    printRow(nameOf(next.problem), contest);
    summary.add(next.groups, contest.best().time() / contest.chosen().time(), contest.disturbed());
    good &= contest.otherBits().empty();
  }
  for (std::string const &line : summary.lines())
    std::printf("%s\n", line.c_str());
  return good ? 0 : 1;
}

} // namespace cottonwood::bench
