#include <bench/Family.hpp>
#include <bench/poplin/Ours.hpp>
#include <bench/race/Serve.hpp>

#include <codelets/arch/CpuFeatures.hpp>

namespace cottonwood::bench {

int serveOurs(unsigned threads) {
  std::string const tag = isa::name(isa::activeIsa());
  Ours ours(threads, "ours(" + tag + ")");
  return serve(ours, "ours " + tag);
}

} // namespace cottonwood::bench
