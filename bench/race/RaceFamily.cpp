#include <bench/race/RaceFamily.hpp>

#include <bench/Machine.hpp>
#include <bench/Report.hpp>
#include <bench/Rows.hpp>
#include <bench/Summary.hpp>
#include <bench/race/Peers.hpp>
#include <bench/race/Race.hpp>
#include <bench/race/Tags.hpp>
#include <bench/race/Totals.hpp>

#include <codelets/arch/CpuFeatures.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace cottonwood::bench {
namespace {

RaceSettings settingsOf(Set set) {
  RaceSettings settings;
  if (set == Set::Smoke)
    settings.batchSeconds = 0.005;
  return settings;
}

/// "onednn" and "onednn(reorders)" are of a library, "avx2" and "limit" are not.
bool isLibrary(std::string const &against) {
  return std::find(std::begin(LIBRARIES), std::end(LIBRARIES), libraryOf(against)) !=
         std::end(LIBRARIES);
}

void checkTag(std::string const &tag) {
  try {
    isa::parseIsa(tag);
  } catch (std::invalid_argument const &) {
    std::vector<std::string_view> names = {"float", "limit"};
    for (isa::Isa isa : isa::availableIsas())
      names.push_back(isa::name(isa));
    names.insert(names.end(), std::begin(LIBRARIES), std::end(LIBRARIES));
    throw UsageError("--against '" + tag + "' is unknown; there are " + listed(names));
  }
}

Peers peersOf(Arguments const &arguments, std::vector<Case> const &cases) {
  std::string const &against = arguments.against;
  if (against.empty())
    return startPeers(arguments.workers);
  if (isLibrary(against))
    return startLibrary(against, arguments.workers);
  Peers peers;
  if (against == "limit") {
    peers.push_back(startLimit(arguments.workers));
  } else if (against == "float") {
    if (!isHalf(cases.front().problem))
      throw UsageError("--against float is for families of half");
    peers.push_back(startFloat(arguments.workers));
  } else {
    checkTag(against);
    peers.push_back(startTag(against, arguments.workers));
  }
  return peers;
}

void printHead(Machine const &machine, std::string const &notes, char const *unit) {
  std::printf("# %s\n%s%s\n", textOf(machine).c_str(), notes.c_str(), raceHeader(unit).c_str());
  std::fflush(stdout);
}

std::string notesOn(Case const &example, Arguments const &arguments) {
  std::string notes = "# ratio: median of pairs of batches side by side, above 1 ours is faster; "
                      "busy: other programs disturbed it\n";
  if (isHalf(example.problem) && (arguments.against.empty() || isLibrary(arguments.against)))
    notes += arrayOpOf(example.problem)
                 ? "# half: eigen computes in half, other peers compute the same problem in float\n"
                 : "# half: peers compute the same problem in float\n";
  if (std::holds_alternative<Conv>(example.problem))
    notes += "# own: everybody in the layout they like best; plain: row-major tensors in and out\n";
  return notes;
}

RaceRow rowOf(Problem const &problem, RaceResult const &result) {
  // A race that broke off has no times.
  auto const rate = [&](double seconds) {
    return seconds > 0 ? workOf(problem) / seconds * 1e-9 : NAN;
  };
  RaceRow row;
  row.name = nameOf(problem);
  row.ours = rate(result.ours);
  row.peer = result.peer;
  row.theirs = rate(result.theirs);
  row.ratio = quartiles(result.ratios);
  row.disturbed = result.disturbed;
  return row;
}

/// The rows of a run and what follows from them.
class Table {
public:
  void add(Case const &measured, RaceResult const &result) {
    RaceRow const row = rowOf(measured.problem, result);
    std::printf("%s\n", raceText(row).c_str());
    if (!result.complaint.empty())
      std::printf("# %s: %s\n", row.name.c_str(), result.complaint.c_str());
    std::fflush(stdout);
    good_ &= result.complaint.empty() && !row.peer.empty();
    if (!row.peer.empty()) {
      summary_.add(measured.groups, row.ratio.median, row.disturbed);
      totals_.add(measured, result.ours, result.theirs);
    }
    worst_ = std::max(worst_, result.worstError);
    rows_.push_back({row, flopsOf(measured.problem) / bytesOf(measured.problem)});
  }

  /// What stands below the rows.
  std::vector<std::string> foot() const {
    char text[80];
    std::snprintf(text, sizeof text, "# largest error of anyone: %.2g of what rounding allows",
                  worst_);
    std::vector<std::string> lines = {text};
    for (std::string &line : totals_.lines())
      lines.push_back("# " + std::move(line));
    for (std::string &line : summary_.lines())
      lines.push_back(std::move(line));
    return lines;
  }

  std::vector<ReportRow> const &rows() const { return rows_; }
  bool good() const { return good_; }

private:
  std::vector<ReportRow> rows_;
  Summary summary_;
  Totals totals_;
  double worst_ = 0;
  bool good_ = true;
};

Roofs roofsOf(unsigned threads) { return parseRoofs(startLimit(threads)->ask("roofs", "roofs")); }

} // namespace

int runRace(Arguments const &arguments, std::vector<Case> const &all, Contender &ours) {
  std::vector<Case> const cases = selected(all, arguments);
  if (arguments.tags)
    return runTags(arguments, cases);
  Peers const peers = peersOf(arguments, cases);
  std::vector<Contender *> contenders;
  Machine machine = thisMachine(arguments.workers);
  for (auto const &peer : peers) {
    contenders.push_back(peer.get());
    machine.peers.push_back(peer->description());
  }
  Race race(ours, contenders, settingsOf(arguments.set));
  char const *const unit = unitOf(cases.front().problem);
  printHead(machine, notesOn(cases.front(), arguments), unit);
  Table table;
  for (Case const &next : cases) {
    RaceResult const result = race.run(next.problem);
    // One library need not do everything.
    if (!isLibrary(arguments.against) || !result.peer.empty() || !result.complaint.empty())
      table.add(next, result);
  }
  if (table.rows().empty())
    throw UsageError("--against '" + arguments.against +
                     "' computes none of these cases; names of ways are those that rows show "
                     "beside the rates of the best peer");
  auto const foot = table.foot();
  if (!arguments.report.empty())
    writeReport(arguments, {machine, roofsOf(arguments.workers), table.rows(), foot, unit});
  for (std::string const &line : foot)
    std::printf("%s\n", line.c_str());
  return table.good() ? 0 : 1;
}

} // namespace cottonwood::bench
