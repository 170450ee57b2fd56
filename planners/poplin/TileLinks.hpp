// What the exchanges of a plan cost where its tiles are on several IPUs.
#pragma once

#include "TileTypes.hpp"

#include <algorithm>
#include <cmath>

namespace cottonwood::planner {

/// Bytes that cross from IPU to IPU in one exchange of a plan.
class TileCrossing {
public:
  TileCrossing(TileMachine const &machine, TilePlan const &plan)
      : machine_(machine), plan_(plan),
        ipus_(machine.tilesPerIPU == 0 ? 1
                                       : (plan.firstTile + plan.parts() + machine.tilesPerIPU - 1) /
                                             machine.tilesPerIPU),
        bytes_(ipus_ * ipus_, 0.0) {}

  /// Tiles that differ in their parts of `kind` (i, y or n, see TileOrder) divide `bytes` among
  /// them, and each wants all of it. What leaves for an IPU is sent there once.
  void share(char kind, std::uint64_t bytes) {
    forEachGroup(kind, [&](std::vector<double> const &tiles, double count) {
      addShares(tiles, count, bytes);
    });
  }
  /// The same of inputs, which tiles of all output channels and of `sums` neighbouring parts of the
  /// sums divide among them.
  void shareInputs(std::uint64_t sums, std::uint64_t bytes) {
    std::vector<double> tiles(ipus_);
    Line const outputs{strideOf('n'), plan_.splitN};
    std::uint64_t const stride = strideOf('i'), count = sums * outputs.count;
    for (std::uint64_t g = 0; ipus_ > 1 && count > 1 && g != plan_.splitG; ++g)
      for (std::uint64_t first = 0; first != plan_.sums(); first += sums)
        for (std::uint64_t place = 0; place != plan_.places(); ++place) {
          std::uint64_t const tile = tileOf(g, first, place);
          if (ipuOf(tile) == ipuOf(outputs.last(tile + (sums - 1) * stride)))
            continue; // nothing crosses
          std::fill(tiles.begin(), tiles.end(), 0);
          for (std::uint64_t sum = 0; sum != sums; ++sum)
            addTiles(outputs, tile + sum * stride, tiles);
          addShares(tiles, static_cast<double>(count), bytes);
        }
  }

  /// Each of these tiles has `bytes` of its own, an equal share of which goes to each other one.
  void scatter(char kind, std::uint64_t bytes) {
    forEachGroup(kind, [&](std::vector<double> const &tiles, double count) {
      for (std::uint64_t p = 0; p != ipus_; ++p)
        for (std::uint64_t q = 0; q != ipus_; ++q)
          if (p != q)
            bytes_[p * ipus_ + q] += static_cast<double>(bytes) * tiles[p] * tiles[q] / count;
    });
  }

  /// All tiles hold shares of `all` bytes, and each wants `some` of these, anywhere. What tiles of
  /// an IPU want is sent there once.
  void gather(std::uint64_t all, std::uint64_t some) {
    std::vector<double> tiles(ipus_);
    if (ipus_ > 1)
      addTiles({1, plan_.parts()}, plan_.firstTile, tiles);
    for (std::uint64_t p = 0; p != ipus_; ++p)
      for (std::uint64_t q = 0; q != ipus_; ++q)
        if (p != q)
          bytes_[p * ipus_ + q] +=
              std::min(static_cast<double>(all), tiles[q] * static_cast<double>(some)) * tiles[p] /
              static_cast<double>(plan_.parts());
  }

  /// Tiles next to one another in parts of positions want `bytes` of one another, which tiles of
  /// equal positions and sums divide among them. \param parts   of the dimension
  /// \param stride  parts of all positions from one of these parts to the next
  void halo(std::uint64_t parts, std::uint64_t stride, double bytes) {
    Line const outputs{strideOf('n'), plan_.splitN};
    std::uint64_t const beside = stride * strideOf('y'); // to the tile next to one
    std::vector<double> from(ipus_), to(ipus_);
    auto const count = [&](std::uint64_t tile, std::vector<double> &tiles) {
      std::fill(tiles.begin(), tiles.end(), 0);
      addTiles(outputs, tile, tiles);
    };
    for (std::uint64_t g = 0; ipus_ > 1 && g != plan_.splitG; ++g)
      for (std::uint64_t sum = 0; sum != plan_.sums(); ++sum)
        for (std::uint64_t place = 0; place + stride < plan_.places(); ++place) {
          std::uint64_t const tile = tileOf(g, sum, place);
          if (place / stride % parts + 1 == parts ||
              ipuOf(tile) == ipuOf(outputs.last(tile + beside)))
            continue;
          count(tile, from), count(tile + beside, to);
          for (std::uint64_t p = 0; p != ipus_; ++p)
            for (std::uint64_t q = 0; q != ipus_; ++q)
              if (p != q) { // either way
                bytes_[p * ipus_ + q] +=
                    to[q] > 0 ? bytes * from[p] / static_cast<double>(outputs.count) : 0;
                bytes_[p * ipus_ + q] +=
                    from[q] > 0 ? bytes * to[p] / static_cast<double>(outputs.count) : 0;
              }
        }
  }

  /// Cycles in addition to those of an exchange on one IPU.
  std::uint64_t cycles() const {
    double most = 0, all = 0;
    for (double const bytes : bytes_)
      all += bytes;
    if (all < 1)
      return 0;
    for (TileLink const &link : machine_.links) {
      double bytes = 0;
      for (auto const &[from, to] : link.flows)
        if (from < ipus_ && to < ipus_)
          bytes += bytes_[from * ipus_ + to];
      most = std::max(most, bytes / link.bytesPerCycle);
    }
    return machine_.globalSyncCycles + static_cast<std::uint64_t>(std::ceil(most));
  }

private:
  /// Tiles of each IPU, `count` in all, divide bytes, and each wants all of them.
  void addShares(std::vector<double> const &tiles, double count, std::uint64_t bytes) {
    for (std::uint64_t p = 0; p != ipus_; ++p)
      for (std::uint64_t q = 0; q != ipus_; ++q)
        if (p != q && tiles[q] > 0)
          bytes_[p * ipus_ + q] += static_cast<double>(bytes) * tiles[p] / count;
  }

  std::uint64_t partsOf(char kind) const {
    return kind == 'i' ? plan_.sums() : kind == 'y' ? plan_.places() : plan_.splitN;
  }

  /// Tiles from one to the next that differs in one kind of parts.
  std::uint64_t strideOf(char kind) const {
    std::string_view const order = EnumNames<TileOrder>::names[static_cast<int>(plan_.order)];
    std::uint64_t stride = 1;
    for (std::size_t at = order.size(); order[--at] != kind;)
      stride *= partsOf(order[at]);
    return stride;
  }
  /// The tile of the first output channels.
  std::uint64_t tileOf(std::uint64_t g, std::uint64_t sum, std::uint64_t place) const {
    return plan_.firstTile + g * plan_.places() * plan_.splitN * plan_.sums() +
           sum * strideOf('i') + place * strideOf('y');
  }
  std::uint64_t ipuOf(std::uint64_t tile) const { return tile / machine_.tilesPerIPU; }

  /// Tiles at equal distances.
  struct Line {
    std::uint64_t stride, count;
    std::uint64_t last(std::uint64_t first) const { return first + (count - 1) * stride; }
  };
  /// Adds how many tiles of a line each IPU has.
  void addTiles(Line line, std::uint64_t first, std::vector<double> &tiles) const {
    std::uint64_t const lastIpu = ipuOf(line.last(first));
    std::uint64_t before = 0;
    for (std::uint64_t ipu = ipuOf(first); ipu != lastIpu; ++ipu) {
      std::uint64_t const end = (ipu + 1) * machine_.tilesPerIPU - first;
      std::uint64_t const until = (end + line.stride - 1) / line.stride;
      tiles[ipu] += static_cast<double>(until - before);
      before = until;
    }
    tiles[lastIpu] += static_cast<double>(line.count - before);
  }

  /// f(tiles on each IPU, tiles) for every group of tiles that differ in one kind of parts alone
  /// and are on several IPUs.
  template <class F> void forEachGroup(char kind, F const &f) const {
    Line const line{strideOf(kind), partsOf(kind)};
    if (ipus_ == 1 || line.count == 1)
      return;
    std::vector<double> tiles(ipus_);
    std::uint64_t const end = plan_.firstTile + plan_.parts(), size = line.stride * line.count;
    for (std::uint64_t block = plan_.firstTile; block != end; block += size) {
      if (ipuOf(block) == ipuOf(block + size - 1))
        continue;
      for (std::uint64_t first = block; first != block + line.stride; ++first) {
        if (ipuOf(first) == ipuOf(line.last(first)))
          continue;
        std::fill(tiles.begin(), tiles.end(), 0);
        addTiles(line, first, tiles);
        f(tiles, static_cast<double>(line.count));
      }
    }
  }

  TileMachine const &machine_;
  TilePlan const &plan_;
  std::uint64_t ipus_;
  std::vector<double> bytes_;
};

} // namespace cottonwood::planner
