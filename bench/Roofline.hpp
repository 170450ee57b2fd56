// A roofline picture: rates over arithmetic intensity, under the roofs of the machine.
#pragma once

#include <string>
#include <vector>

namespace cottonwood::bench {

/// What all threads together reach.
struct Roofs {
  double fma = 0;    ///< GF/s of multiply-adds in registers
  double l2 = 0;     ///< GB/s of reading 1/4 MB a thread
  double l3 = 0;     ///< GB/s of reading 4 MB a thread
  double memory = 0; ///< GB/s of reading 512 MB
};

/// Reads four numbers in this order.
/// \throws std::invalid_argument  it is not four numbers above 0.
Roofs parseRoofs(std::string const &text);
/// "275 GF/s of multiply-adds; reading 280 GB/s in L2, ..."
std::string textOf(Roofs const &roofs);

struct RooflinePoint {
  std::string name{};
  double intensity = 0;        ///< floating point operations a byte of operands and result
  double ours = 0, theirs = 0; ///< GF/s; theirs 0: nobody
};

/// An SVG document. Ours are filled points, peers' rings; each tells its case when pointed at.
std::string svgOf(std::string const &title, Roofs const &roofs,
                  std::vector<RooflinePoint> const &points);

} // namespace cottonwood::bench
