// A copy between two given layouts, perhaps with matrices transposed, as its planner sees it.
#pragma once

#include "RearrangeTypes.hpp"

namespace cottonwood::planner {

/// out[m, r, c] = in[m, r, c], or out[m, c, r] if transposed.
struct CopyProblem {
  static constexpr std::string_view NAME = "copy-problem";
  TransposeProblem shape;
  bool transposed = false;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    TransposeProblem::fields(self.shape, visit);
    visit("transposed", self.transposed);
  }
};

enum class CopyWay : std::uint32_t {
  DIRECT,          ///< a copy, in pieces that lie together on both sides
  TRANSPOSE_FIRST, ///< by vertices where that is cheapest; the result is moved, in longer pieces
  MOVE_FIRST       ///< vertices where the result lies transpose what they receive
};
template <> struct EnumNames<CopyWay> {
  static constexpr std::string_view names[] = {"direct", "transpose-first", "move-first"};
};

struct CopyPlan {
  static constexpr std::string_view NAME = "copy";
  CopyWay way = CopyWay::DIRECT;
  TransposePlan transpose; ///< of TRANSPOSE_FIRST

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("way", self.way);
    TransposePlan::fields(self.transpose, visit);
  }
  friend bool operator==(CopyPlan const &, CopyPlan const &) = default;
};

/// Cycles of a plan's parts, syncs included.
struct CopyTerms {
  std::uint64_t move = 0, transpose = 0;
  std::uint64_t total() const { return move + transpose; }
};

struct CopyChoice {
  CopyPlan plan;
  Cost cost;
  CopyTerms terms;
  std::uint64_t considered = 0;
  bool exceedsMemory = false;
  std::vector<Candidate<CopyPlan>> others;
};

/// Part of matrices, of those [first, second) of each dimension.
struct MatrixBox {
  std::uint64_t m0, m1, r0, r1, c0, c1;
  std::uint64_t matrices() const { return m1 - m0; }
  std::uint64_t rows() const { return r1 - r0; }
  std::uint64_t columns() const { return c1 - c0; }
  std::uint64_t elements() const { return matrices() * rows() * columns(); }
};

/// Elements [begin, end) of matrices of a size, row-major, as boxes: whole matrices, and of the
/// first and the last one whole rows and parts of rows.
inline std::vector<MatrixBox> boxesOf(std::uint64_t begin, std::uint64_t end, std::uint64_t rows,
                                      std::uint64_t columns) {
  std::vector<MatrixBox> boxes;
  std::uint64_t const size = rows * columns;
  while (begin < end) {
    std::uint64_t const m = begin / size, at = begin % size;
    if (at == 0 && end - begin >= size) {
      std::uint64_t const last = end / size;
      boxes.push_back({m, last, 0, rows, 0, columns});
      begin = last * size;
      continue;
    }
    std::uint64_t const r = at / columns, c = at % columns;
    std::uint64_t const left = std::min(end - begin, size - at);
    if (c == 0 && left >= columns) {
      std::uint64_t const n = left / columns;
      boxes.push_back({m, m + 1, r, r + n, 0, columns});
      begin += n * columns;
    } else {
      std::uint64_t const n = std::min(left, columns - c);
      boxes.push_back({m, m + 1, r, r + 1, c, c + n});
      begin += n;
    }
  }
  return boxes;
}

} // namespace cottonwood::planner
