// BLIS; BLIS_ARCH_TYPE chooses its kernels.
#include <bench/peers/Blas.hpp>

#include <blis.h>

namespace cottonwood::bench {
namespace {

std::string architecture() { return bli_arch_string(bli_arch_query_id()); }

} // namespace

std::string describePeer() {
  bli_init();
  return std::string("blis ") + bli_info_get_version_str() + ' ' + architecture();
}

std::vector<Way> waysOfPeer(Product const &product, Operands const &operands) {
  return blasWays(product, operands, "blis(" + architecture() + ')',
                  [](unsigned threads) { bli_thread_set_num_threads(threads); });
}

} // namespace cottonwood::bench
