// What a peer program implements; race/PeerMain.cpp has its main().
#pragma once

#include <bench/race/Product.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cottonwood::bench {

/// Operands in memory aligned to 64 bytes. Pointers stay valid as long as the ways are used.
struct Operands {
  Product product;
  float const *a;
  float const *b;
  float *c;
  unsigned threads;
};

/// One entry point of the library with which it could compute the product.
struct Way {
  std::string name; ///< as rows show it
  std::function<void()> run;
};

/// Library, version, kernels in use.
std::string describePeer();

/// All ways that may be fast for this product, everything prepared that need not be timed; none if
/// the library cannot compute it. The fastest one competes.
std::vector<Way> waysOfPeer(Operands const &operands);

} // namespace cottonwood::bench
