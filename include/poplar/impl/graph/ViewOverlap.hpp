#pragma once
// Whether strided boxes of variables share a location: exact, and fast for many boxes.

#include <poplar/impl/graph/ViewBox.hpp>
#include <vector>

namespace cottonwood::graph {

/// Collects boxes over variables and finds out whether two of them meet. Boxes of one *side* are
/// not compared with each other if `acrossSides` is set.
class POP_API OverlapFinder {
public:
  explicit OverlapFinder(bool acrossSides) : acrossSides_(acrossSides) {}
  /// \param box  over a variable, with positive strides; injective unless only sides are compared.
  /// \param side  0 or 1.
  void add(Box const &box, unsigned side = 0);
  /// True if two of the boxes share a location. Costs O(n log n) for n boxes that are apart,
  /// interleaved as rows, columns or tiles of a matrix, or alike. Empties the collection.
  bool any();

private:
  /// One coordinate of a box: offsets in a variable at first; rows and columns of it after a split.
  struct Coordinate {
    std::int64_t low, high;
    base::SmallVector<Factor, 2> factors;
  };
  struct Item {
    VarId var;
    unsigned side;
    Coordinate where;
  };
  /// Two items meet if and only if they meet in every coordinate.
  struct SplitItem {
    Item const *item;
    base::SmallVector<std::uint32_t, 6> coordinates; ///< in pool_
  };
  using Items = std::span<Item const>;
  using SplitItems = std::span<SplitItem>;
  enum class Answer : std::uint8_t { No, Yes, TooManyPairs };

  static bool meet(Coordinate const &a, Coordinate const &b);
  bool meet(SplitItem const &a, SplitItem const &b) const;
  bool compared(Item const &a, Item const &b) const { return !acrossSides_ || a.side != b.side; }

  static std::uint64_t numRuns(Item const &item);
  bool anyInRuns(std::span<Item const *const> items) const;
  bool anyInCluster(Items items);
  bool anyInCluster(SplitItems items, std::size_t numTries);
  bool anyApart(SplitItems items, std::size_t coordinate, std::size_t numTries);
  Answer sweep(SplitItems items, std::size_t coordinate, std::size_t budget) const;
  bool anyPair(SplitItems items) const;
  bool splitAndSearch(SplitItems items, std::size_t coordinate);
  std::int64_t modulusFor(SplitItems items, std::size_t coordinate) const;
  bool split(SplitItem &item, std::size_t coordinate, std::int64_t modulus);

  Coordinate const &at(SplitItem const &item, std::size_t coordinate) const {
    return pool_[item.coordinates[coordinate]];
  }

  bool acrossSides_;
  std::vector<Item> items_;
  std::vector<Coordinate> pool_;
};

} // namespace cottonwood::graph
