// OpenBLAS; OPENBLAS_CORETYPE chooses its kernels.
#include <bench/peers/Blas.hpp>

#include <cblas.h>

#include <sstream>

namespace cottonwood::bench {

std::string describePeer() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  std::istringstream config(openblas_get_config());
  std::string library, version;
  config >> library >> version;
  return "openblas " + version + ' ' + openblas_get_corename();
}

std::vector<Way> waysOfPeer(Product const &product, Operands const &operands) {
  return blasWays(product, operands, std::string("openblas(") + openblas_get_corename() + ')',
                  [](unsigned threads) {
                    if (openblas_get_num_threads() != static_cast<int>(threads))
                      openblas_set_num_threads(static_cast<int>(threads));
                  });
}

} // namespace cottonwood::bench
