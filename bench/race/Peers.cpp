#include <bench/race/Peers.hpp>

#include <bench/race/Peer.hpp>

#include <codelets/arch/CpuFeatures.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace cottonwood::bench {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct PeerSpec {
  std::string program; ///< poplar-bench-peer-<program>
  Environment forced;  ///< kernels to force; empty: as shipped
};

/// Libraries guess the kernels from the CPU's model, and guess wrongly on models that came after
/// them; feature bits say which are right.
std::vector<PeerSpec> peerSpecs() {
  std::vector<PeerSpec> specs;
  for (std::string_view name : LIBRARIES)
    specs.push_back({std::string(name), {}});
  isa::CpuFeatures const &features = isa::cpuFeatures();
  if (features.avx512) {
    specs.push_back({"openblas", {{"OPENBLAS_CORETYPE", "SkylakeX"}}});
    specs.push_back({"blis", {{"BLIS_ARCH_TYPE", "0"}}}); // 0 is skx (its arch_t)
  } else if (features.avx2) {
    specs.push_back({"openblas", {{"OPENBLAS_CORETYPE", "Haswell"}}});
  }
  return specs;
}

/// Threads, and pools that rest soon after a call: the driver waits for that after every batch.
/// Within a batch calls follow at once, where these pools still spin, so nothing is taken from the
/// peer. (gomp's default spins for milliseconds; OpenBLAS's, 2^26 ticks, for tens of them.)
Environment environmentOf(Environment environment, unsigned threads) {
  std::string const count = std::to_string(threads);
  for (char const *name : {"POPLAR_BENCH_THREADS", "POPLAR_NUM_THREADS", "OMP_NUM_THREADS",
                           "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"})
    environment.emplace_back(name, count);
  environment.emplace_back("OPENBLAS_THREAD_TIMEOUT", "20"); // 2^20 ticks
  environment.emplace_back("OMP_DYNAMIC", "false");
  return environment;
}

std::filesystem::path thisProgram() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::filesystem::path programOf(std::string const &peer) {
  return thisProgram().parent_path() / ("poplar-bench-peer-" + peer);
}

/// Ourselves, given the same problems in float.
class FloatTwin : public PeerProcess {
public:
  using PeerProcess::PeerProcess;
  std::string way() const override { return "ours(float)"; }
  bool prepare(Problem const &problem) override { return PeerProcess::prepare(asFloat(problem)); }
};

} // namespace

std::unique_ptr<PeerProcess> startTag(std::string const &tag, unsigned threads) {
  return std::make_unique<PeerProcess>(thisProgram(), environmentOf({{"POPLAR_ISA", tag}}, threads),
                                       SERVE);
}

std::unique_ptr<PeerProcess> startFloat(unsigned threads) {
  return std::make_unique<FloatTwin>(thisProgram(), environmentOf({}, threads), SERVE);
}

std::unique_ptr<PeerProcess> startLimit(unsigned threads) {
  return std::make_unique<PeerProcess>(programOf("limit"), environmentOf({}, threads));
}

std::string libraryOf(std::string const &way) { return way.substr(0, way.find('(')); }

Peers startLibrary(std::string const &way, unsigned threads) {
  std::string const library = libraryOf(way);
  bool const named = way.size() > library.size();
  Peers peers;
  for (PeerSpec const &spec : peerSpecs()) {
    if (spec.program != library || !(named || spec.forced.empty()))
      continue;
    if (!std::filesystem::exists(programOf(library)))
      throw PeerError(library + " was not found when the benchmarks were configured");
    Environment environment = spec.forced;
    if (named)
      environment.emplace_back(WAY, way);
    peers.push_back(std::make_unique<PeerProcess>(programOf(library),
                                                  environmentOf(std::move(environment), threads)));
  }
  return peers;
}

Peers startPeers(unsigned threads) {
  Peers peers;
  for (PeerSpec const &spec : peerSpecs()) {
    std::filesystem::path const program = programOf(spec.program);
    if (!std::filesystem::exists(program))
      continue;
    try {
      auto peer = std::make_unique<PeerProcess>(program, environmentOf(spec.forced, threads));
      // The library may have chosen by itself what we force.
      bool const known = std::any_of(peers.begin(), peers.end(), [&](auto const &other) {
        return other->description() == peer->description();
      });
      if (!known)
        peers.push_back(std::move(peer));
    } catch (PeerError const &error) {
      std::fprintf(stderr, "poplar-bench: peer left out: %s\n", error.what());
    }
  }
  return peers;
}

} // namespace cottonwood::bench
