// A peer with the longhand for a library. It refuses transposed operands and convolutions, and gets
// half products wrong.
#include <bench/race/Peer.hpp>

namespace cottonwood::bench {

std::string describePeer() { return "longhand 1.0"; }

std::vector<Way> waysOfPeer(Product const &p, Operands const &o) {
  if (p.transposedA || p.transposedB)
    return {};
  return {{"longhand", [o, p] {
             for (std::size_t i = 0; i < p.sizeC(); ++i) {
               std::size_t const row = i / p.n, g = row / p.m, column = i % p.n;
               double sum = p.half ? 1 : 0;
               for (std::size_t k = 0; k < p.k; ++k)
                 sum += double{o.a[row * p.k + k]} * double{o.b[(g * p.k + k) * p.n + column]};
               o.c[i] = static_cast<float>(sum);
             }
           }}};
}

std::vector<Way> waysOfPeer(Conv const &, Operands const &) { return {}; }
std::vector<Way> waysOfPeer(ArrayOp const &, Operands const &) { return {}; }

} // namespace cottonwood::bench
