// The matmul family: our public API against other libraries' GEMM on the same shapes.
#include <bench/Family.hpp>
#include <bench/Rows.hpp>
#include <bench/poplin/MatMulCases.hpp>
#include <bench/poplin/OurMatMul.hpp>
#include <bench/race/Peers.hpp>
#include <bench/race/Race.hpp>

#include <algorithm>
#include <cstdio>
#include <string>

namespace cottonwood::bench {
namespace {

RaceSettings settingsOf(Set set) {
  RaceSettings settings;
  if (set == Set::Smoke)
    settings.batchSeconds = 0.005;
  if (set == Set::All)
    settings.rounds = 21;
  return settings;
}

void printPeers(std::vector<std::unique_ptr<PeerProcess>> const &peers, unsigned threads) {
  std::string text;
  for (auto const &peer : peers)
    text += (text.empty() ? "" : ", ") + peer->description();
  std::printf("# %u thread%s each; peers: %s\n", threads, threads == 1 ? "" : "s",
              text.empty() ? "none" : text.c_str());
  std::printf(
      "# ratio: median of pairs of batches side by side, above 1 ours is faster; half: peers "
      "compute the same product in float; busy: other programs disturbed it\n");
  std::printf("%s\n", raceHeader("GF/s").c_str());
}

RaceRow rowOf(Product const &product, RaceResult const &result) {
  RaceRow row;
  row.name = nameOf(product);
  row.ours = product.flops() / result.ours * 1e-9;
  row.peer = result.peer;
  row.theirs = product.flops() / result.theirs * 1e-9;
  row.ratio = quartiles(result.ratios);
  row.disturbed = result.disturbed;
  return row;
}

} // namespace

int runMatMul(Arguments const &arguments) {
  auto const peers = startPeers(arguments.workers);
  OurMatMul ours(arguments.workers);
  std::vector<Contender *> contenders;
  for (auto const &peer : peers)
    contenders.push_back(peer.get());
  Race race(ours, contenders, settingsOf(arguments.set));
  printPeers(peers, arguments.workers);
  bool good = !peers.empty();
  std::vector<double> ratios;
  double worst = 0;
  for (Product const &product : matMulCases(arguments.set)) {
    RaceResult const result = race.run(product);
    RaceRow const row = rowOf(product, result);
    std::printf("%s\n", raceText(row).c_str());
    if (!result.complaint.empty())
      std::printf("# %s: %s\n", row.name.c_str(), result.complaint.c_str());
    std::fflush(stdout);
    good &= result.complaint.empty() && !row.peer.empty();
    if (!row.peer.empty())
      ratios.push_back(row.ratio.median);
    worst = std::max(worst, result.worstError);
  }
  std::printf("# largest error of anyone: %.2g of what rounding allows\n", worst);
  std::printf("%s\n", geomeanText(geometricMean(ratios)).c_str());
  return good ? 0 : 1;
}

} // namespace cottonwood::bench
