#pragma once
// Concatenation: building stages, and merging what was one box.

#include <poplar/impl/graph/ViewNode.hpp>
#include <span>
#include <vector>

namespace cottonwood::graph {

/// Concatenates boxes row by row. Neighbours that form one box are merged, and the pieces of a
/// stage that a box shows are taken over, so that repeated concatenation builds one list instead of
/// a chain. Only many pieces of one row are kept as one, a *stretch* of their stage: a tensor that
/// grows piece by piece would otherwise copy all its pieces each time. Stretches never contain
/// stretches, and similar ones are joined, so that their sizes differ by a factor of two and there
/// are few of them.
class POP_API NodeBuilder {
public:
  explicit NodeBuilder(std::uint64_t rows) : rows_(rows) {}
  /// Appends `width` columns: a box of rows * width elements.
  void add(Box const &box, std::uint64_t width);
  /// The result as a box; the only piece itself if all were merged. Needs at least one add().
  Box finish();
  /// The result as a stage, also if it is one piece.
  Box finishStage();

private:
  struct Part {
    Box box;
    std::uint64_t width = 0;
  };
  enum class Stretches : std::uint8_t { Keep, Dissolve };
  /// From how many pieces on a part of a stage is kept as a stretch.
  static constexpr std::size_t kStretchPieces = 64;

  bool addRange(Box const &box, Stretches stretches);
  bool addColumns(Box const &box, std::uint64_t width);
  void push(Box const &box, std::uint64_t width);
  bool joinThird(Box const &box, std::uint64_t width);
  void store(Part const &part);
  void flush();
  void joinStretches();

  static bool isStretch(Box const &box);
  static std::size_t numPieces(Box const &range);
  static Part joined(std::span<Part const> parts);
  static void joinSimilar(std::vector<Part> &parts);

  std::uint64_t rows_;
  std::shared_ptr<Node> node_;
  Part pending_[2]; ///< not yet in node_, because the next box may continue them
  unsigned numPending_ = 0;
};

/// The same elements, addressed by their flat index.
Box stage(Box const &box);

/// Joins two boxes of rows * widthA and rows * widthB elements into one with rows of widthA +
/// widthB, if that is a box of no more factors. \returns false, with nothing changed, otherwise.
bool joinRows(Box &a, std::uint64_t widthA, Box const &b, std::uint64_t widthB);

} // namespace cottonwood::graph
