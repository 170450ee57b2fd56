/// \file MatMulBlocked.hpp
/// The method for all products that are more than a few rows: register tiles over blocks of C.
#pragma once

#include <codelets/arch/SimdLanes.hpp>
#include <codelets/poplin/Finish.hpp>
#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulNarrow.hpp>
#include <codelets/poplin/MatMulPack.hpp>
#include <codelets/poplin/MatMulTile.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>

namespace cottonwood::kernels::detail {

/// One product; see chooseMatMulBlocking for the sizes and Finish.hpp for what becomes of the sums.
template <class Tag, class TIn, class TOut, class Finish = StoreSums> class BlockedMatMul {
public:
  BlockedMatMul(const MatMulArgs<TIn, TOut> &args, const MatMulBlocking &blocking, float *workspace,
                const Finish &finish = {})
      : args_(args), finish_(finish), packA_(blocking.packA != 0 || !std::is_same_v<TIn, float>),
        packB_(blocking.packB != 0), panelsA_(blocking.panelsA != 0),
        convertsPanels_(!panelsA_ && !FLOAT_IN && args.a.column == 1 && args.n <= 2 * COLUMNS),
        asking_(!panelsA_ && (args.m <= FEW * Shape::ROWS || args.n <= FEW * COLUMNS)) {
    const std::size_t blocks = args.k == 0 ? 1 : (args.k + blocking.depth - 1) / blocking.depth;
    depth_ = (args.k + blocks - 1) / blocks;
    rows_ = args.m < blocking.rows ? args.m : blocking.rows;
    width_ = matMulStripColumns(blocking) < Shape::WIDE_COLUMNS ? COLUMNS : Shape::WIDE_COLUMNS;
    keepsB_ =
        KEEPS_B && args.cRows == nullptr && width_ != COLUMNS && matMulKeepsB(blocking, args.m);
    strip_ = alignedToLine(workspace);
    sumRows_ = rows_, chunkColumns_ = matMulPanelsColumns(args.n);
    std::size_t stripFloats = depth_ * width_;
    if (keepsB_) {
      const MatMulKept kept = matMulKept(blocking, args.m, args.n, FLOAT_OUT);
      sumRows_ = kept.rows, chunkColumns_ = kept.columns, stripFloats = depth_ * chunkColumns_;
    }
    sums_ = alignedToLine(strip_ + stripFloats);
    packedA_ = keepsB_ && FLOAT_OUT ? sums_
                                    : sums_ + (sumRows_ + MATMUL_MAX_TILE_ROWS) *
                                                  (panelsA_ ? chunkColumns_ : width_);
    constexpr std::size_t LINE = 64;
    if constexpr (FLOAT_OUT && !Finish::ACTIVE && W * sizeof(float) == LINE) {
      const auto isWhole = [](std::uintptr_t bytes) { return bytes % LINE == 0; };
      pastCaches_ = args.cRows == nullptr && !args.accumulate &&
                    args.m * args.n * sizeof(float) >= MATMUL_PAST_CACHES &&
                    isWhole(reinterpret_cast<std::uintptr_t>(args.c)) &&
                    isWhole(static_cast<std::uintptr_t>(args.cRow) * sizeof(float));
    }
  }

  void run() {
    for (std::size_t i = 0; i < args_.m; i += sumRows_) {
      const std::size_t rows = args_.m - i < sumRows_ ? args_.m - i : sumRows_;
      if (panelsA_)
        runSteps(i, rows);
      else
        runRows(i, rows);
    }
    if (pastCaches_)
      arch::finishStoresPast();
  }

private:
  using Shape = MatMulTileShape<Tag>;
  static constexpr std::size_t COLUMNS = Shape::COLUMNS, W = Shape::WIDTH;
  /// Panels of rows or strips of columns up to which operands come from far: they are used too
  /// seldom to be in a cache, and there is too little else to hide their way.
  static constexpr std::size_t FEW = 4;
  /// Rows of A these many floats apart lie in one set of L1.
  static constexpr std::ptrdiff_t SET_SPAN = MATMUL_WAY_BYTES / sizeof(float);
  /// C's rows can take the tile's sums directly.
  static constexpr bool FLOAT_OUT = std::is_same_v<TOut, float>;
  static constexpr bool HALF_OUT = std::is_same_v<TOut, half>;
  static constexpr bool FLOAT_IN = std::is_same_v<TIn, float>;
  /// Strips of B may serve several blocks of rows, while sums wait in C or in scratch.
  static constexpr bool KEEPS_B = Shape::WIDE_VECTORS > Shape::VECTORS;
  static constexpr MatMulSource PACKED = MatMulSource::FLOAT;
  static constexpr MatMulSource IN_PLACE = FLOAT_IN ? MatMulSource::FLOAT : MatMulSource::HALF;
  static constexpr MatMulSource PACKING =
      FLOAT_IN ? MatMulSource::FLOAT_PACKING : MatMulSource::HALF_PACKING;

  /// A block of C: rows [first, first + m), columns [j, j + columns); and the rows of its tiles.
  struct Strip {
    std::size_t first, m, j, columns;
    MatMulHeights heights;
  };

  /// Rows [first, first + m) of C.
  void runRows(std::size_t first, std::size_t m) {
    setA(first, m);
    for (std::size_t j = 0; j < args_.n;) {
      const std::size_t columns = stripColumns(j);
      const Strip strip{first, m, j, columns, panels_ ? heights_ : heightsOf(m, columns)};
      if (isNarrow(strip))
        runNarrow(strip);
      else
        runStrip(strip);
      j += strip.columns;
    }
  }

  /// The same by steps of K, each of which goes through all strips with a block of A that stays in
  /// L2. Between steps the sums of some columns at a time wait in scratch, strip by strip: rows of
  /// C lie in pages of their own. If strips of B are kept, they are packed for the first block and
  /// serve all others, and sums are asked for, which wait in C if it has floats.
  void runSteps(std::size_t first, std::size_t m) {
    firstKept_ = first;
    for (; chunk_ < args_.n; chunk_ += chunkColumns_) {
      const std::size_t end = args_.n - chunk_ < chunkColumns_ ? args_.n : chunk_ + chunkColumns_;
      std::size_t p = 0;
      do {
        const std::size_t depth = args_.k - p < depth_ ? args_.k - p : depth_;
        for (std::size_t i = first; i < first + m; i += rows_) {
          const std::size_t rows = first + m - i < rows_ ? first + m - i : rows_;
          setPanelsOfA(i, rows, p, depth);
          for (std::size_t j = chunk_; j < end;) {
            const Strip strip{i, rows, j, stripColumns(j), heights_};
            runStep(strip, p, depth);
            j += strip.columns;
          }
        }
        p += depth;
      } while (p < args_.k);
    }
    chunk_ = 0;
  }

  /// Rows of the tiles of m rows of a strip of so many columns.
  POP_SIMD_INLINE MatMulHeights heightsOf(std::size_t m, std::size_t columns) const {
    const std::size_t most = Shape::rowsOf(columns);
    return matMulHeights(m, most < mostRows_ ? most : mostRows_);
  }

  /// Columns of the strip that begins at column j.
  std::size_t stripColumns(std::size_t j) const {
    const std::size_t rest = args_.n - j;
    if (width_ != COLUMNS && (rest + W - 1) / W >= Shape::WIDE_VECTORS)
      return rest < width_ ? rest : width_;
    return rest < COLUMNS ? rest : COLUMNS;
  }

  /// Decides where the tiles find A: element (i, p) is at a_ + p * aDepth_ + i * aRow_, or in
  /// panels as packMatMulPanelsOfA() makes them.
  void setA(std::size_t first, std::size_t m) {
    const MatMulView<TIn> a{args_.a.at(first, 0), args_.a.row, args_.a.column};
    panels_ = false, firstRow_ = first;
    if (convertsPanels_) {
      a_ = packedA_, aDepth_ = 1, aRow_ = static_cast<std::ptrdiff_t>(depth_ + MATMUL_ROW_PADDING);
    } else if (packA_ && a.row == 1 && a.column != 1) {
      setPanelsOfA(first, m, 0, args_.k);
    } else if (packA_) {
      const std::size_t row = args_.k + MATMUL_ROW_PADDING;
      packMatMulRows<Tag>(a, m, args_.k, packedA_, row);
      a_ = packedA_, aDepth_ = 1, aRow_ = static_cast<std::ptrdiff_t>(row);
    } else if constexpr (FLOAT_IN) {
      a_ = a.data, aDepth_ = a.column, aRow_ = a.row;
    }
    mostRows_ = aRow_ != 0 && aRow_ % SET_SPAN == 0 ? MATMUL_SET_ROWS : Shape::ROWS;
  }

  /// Puts values [p, p + depth) of k of some rows of A into panels.
  void setPanelsOfA(std::size_t first, std::size_t m, std::size_t p, std::size_t depth) {
    const MatMulView<TIn> a{args_.a.at(first, p), args_.a.row, args_.a.column};
    panels_ = true, panelDepth_ = depth, firstRow_ = first;
    heights_ = heightsOf(m, stripColumns(0));
    packMatMulPanelsOfA<Tag>(a, m, depth, packedA_, heights_);
    a_ = packedA_, aDepth_ = 0, aRow_ = 1;
  }

  /// Where a tile of `height` rows from row i of the strip on finds values from p of k on.
  POP_SIMD_INLINE void placeA(MatMulTileArgs &tile, std::size_t i, std::size_t height,
                              std::size_t p) const {
    tile.aRow = aRow_, tile.aColumn = aDepth_;
    if (panels_) {
      tile.a = a_ + i * panelDepth_ + (panelsA_ ? 0 : p * height);
      tile.aColumn = static_cast<std::ptrdiff_t>(height);
    } else if (convertsPanels_) {
      tile.a = packedA_;
    } else {
      tile.a =
          a_ + static_cast<std::ptrdiff_t>(p) * aDepth_ + static_cast<std::ptrdiff_t>(i) * aRow_;
    }
  }

  /// All of K in steps that keep B's strip in L1 and L2.
  void runStrip(const Strip &s) {
    std::size_t p = 0;
    do {
      const std::size_t depth = args_.k - p < depth_ ? args_.k - p : depth_;
      runStep(s, p, depth);
      p += depth;
    } while (p < args_.k);
  }

  /// Values [p, p + depth) of k. Where B is worth packing, the first panel of rows does it on the
  /// way if it can read B in place.
  void runStep(const Strip &s, std::size_t p, std::size_t depth) {
    const MatMulView<TIn> b{args_.bAt(p, s.j), args_.b.row, args_.b.column};
    const bool inPlace = b.column == 1 || s.columns == 1;
    float *const strip = stripAt(s.j);
    MatMulTileArgs tile{};
    tile.k = depth;
    tile.packed = strip;
    tile.columns = static_cast<unsigned>(s.columns);
    const bool inC = setSums(tile, s, p);
    Rows rows{0, s.m, p + depth >= args_.k && (Finish::ACTIVE || !inC)};
    if (isKept(s)) {
      // packed for the first block of rows
    } else if (inPlace) {
      tile.b = b.data, tile.bRow = b.row;
      tile.bPair = args_.bPanel != 0 ? args_.bPanel : 2 * static_cast<std::ptrdiff_t>(W);
      const bool end = s.j + s.columns >= args_.n && p + depth >= args_.k;
      if (args_.bPanel != 0 && !end) // never past the end of B
        tile.bAhead = MATMUL_PREFETCH_PANEL_ROWS * b.row;
      const bool oftenConverted = !FLOAT_IN && s.columns <= COLUMNS && s.m > 2 * s.heights.height;
      if (args_.bPanel != 0 && !oftenConverted && !packB_) {
        runTiles<IN_PLACE>(tile, s, rows, 1, p); // brings the strip near, or what is left of it
        tile.bAhead = 0;
        if (asksBetween())
          askWithin(tile);
        return runTiles<IN_PLACE>(tile, s, rows, s.m, p);
      }
      if (args_.bPanel == 0 && !packB_) {
        // The first panel brings B near; it is small enough to stay there.
        tile.bAhead = MATMUL_PREFETCH_IN_PLACE * b.row;
        tile.bAheadRows = MATMUL_PREFETCH_IN_PLACE;
        runTiles<IN_PLACE>(tile, s, rows, 1, p);
        tile.bAhead = 0;
        return runTiles<IN_PLACE>(tile, s, rows, s.m, p);
      }
      runTiles<PACKING>(tile, s, rows, 1, p);
    } else {
      packMatMulPanel<Tag>(b, depth, tile.columns, strip);
    }
    tile.b = strip, tile.bRow = static_cast<std::ptrdiff_t>((s.columns + W - 1) / W * W);
    tile.bPair = 2 * static_cast<std::ptrdiff_t>(W), tile.bAhead = 0;
    if (keepsB_) {
      askWithin(tile);
      return runTiles<PACKED>(tile, s, rows, s.m, p);
    }
    if (panelsA_) // the last tile asks for the next strip
      runTiles<PACKED>(tile, s, rows, s.m - s.heights.at(s.m - 1), p);
    if (asking_ || panelsA_)
      runTiles<MatMulSource::FLOAT_ASKING>(tile, s, rows, s.m, p);
    else
      runTiles<PACKED>(tile, s, rows, s.m, p);
  }

  /// Where the tiles find earlier sums and leave theirs: in C, if this is the last step and nothing
  /// else is to be done with them, else where they wait. True if in C.
  POP_SIMD_INLINE bool setSums(MatMulTileArgs &tile, const Strip &s, std::size_t p) {
    const bool last = p + tile.k >= args_.k;
    const Waiting sums = waiting(s, 0);
    tile.cOut = sums.at, tile.cOutRow = sums.row;
    if (p != 0 || args_.accumulate)
      tile.cIn = sums.at, tile.cInRow = sums.row;
    if constexpr (FLOAT_OUT)
      if (args_.cRows == nullptr) {
        float *const c = args_.row(s.first) + s.j;
        if (p == 0 && args_.accumulate)
          tile.cIn = c, tile.cInRow = args_.cRow;
        if (last)
          tile.cOut = c, tile.cOutRow = args_.cRow;
        tile.pastCaches = pastCaches_ && last && tile.cIn != c;
        return last || keepsB_;
      }
    if (p == 0 && args_.accumulate)
      loadSums(s);
    if constexpr (HALF_OUT && !Finish::ACTIVE)
      if (last && args_.cRows == nullptr) {
        tile.cHalf = args_.row(s.first) + s.j, tile.cHalfRow = args_.cRow;
        return true;
      }
    return false;
  }

  /// Where sums wait between steps: side by side in scratch, where they stay in L2, or in C if
  /// strips of B are kept and it has floats.
  struct Waiting {
    float *at;
    std::ptrdiff_t row;
  };
  /// Those of row i of a strip and the rows behind it.
  POP_SIMD_INLINE Waiting waiting(const Strip &s, std::size_t i) const {
    if constexpr (FLOAT_OUT)
      if (keepsB_)
        return {args_.row(s.first + i) + s.j, args_.cRow};
    return {sumsOf(s) + i * sumsRow(s), static_cast<std::ptrdiff_t>(sumsRow(s))};
  }

  /// Scratch for the sums of a strip.
  POP_SIMD_INLINE float *sumsOf(const Strip &s) const {
    float *const sums = panelsA_ ? sums_ + (s.j - chunk_) * sumRows_ : sums_;
    return keepsB_ ? sums + (s.first - firstKept_) * sumsRow(s) : sums;
  }
  POP_SIMD_INLINE std::size_t sumsRow(const Strip &s) const {
    return panelsA_ ? s.columns : width_; // strips of several widths lie side by side
  }

  /// Where the strip of B from column j on is packed, and whether an earlier block of rows did it.
  POP_SIMD_INLINE float *stripAt(std::size_t j) const {
    return keepsB_ ? strip_ + (j - chunk_) * depth_ : strip_;
  }
  POP_SIMD_INLINE bool isKept(const Strip &s) const { return keepsB_ && s.first != firstKept_; }

  /// The rows still to do, and whether their sums have to be brought to C or finished there.
  struct Rows {
    std::size_t at, end;
    bool finish;
  };

  /// Tiles that begin before row `until`.
  template <MatMulSource SOURCE>
  POP_SIMD_INLINE void runTiles(MatMulTileArgs &tile, const Strip &s, Rows &rows, std::size_t until,
                                std::size_t p) {
    const MatMulRows a = panels_        ? MatMulRows::PANEL
                         : aDepth_ == 1 ? MatMulRows::LINES
                                        : MatMulRows::ANY;
    const MatMulTileFunction tall = matMulTileOf<Tag, SOURCE>(s.heights.height, s.columns, a);
    while (rows.at < until) {
      const std::size_t height = s.heights.at(rows.at);
      if constexpr (SOURCE == MatMulSource::FLOAT_ASKING)
        askAhead(tile, s, rows, p);
      if constexpr (SOURCE == PACKED && KEEPS_B)
        if (tile.bAheadRows != 0 && asksBetween()) // see askWithin()
          askForNext(tile, s, rows.at, p);
      if (convertsPanels_)
        convertPanel(s, rows.at, height, p, tile.k);
      placeA(tile, rows.at, height, p);
      if (height == s.heights.height)
        tall(tile);
      else
        matMulTileOf<Tag, SOURCE>(height, s.columns, a)(tile);
      if (rows.finish)
        storeSums(s, rows.at, height, tile);
      const auto down = static_cast<std::ptrdiff_t>(height);
      tile.cOut += down * tile.cOutRow;
      if (tile.cHalf)
        tile.cHalf += down * tile.cHalfRow;
      if (tile.cIn)
        tile.cIn += down * tile.cInRow;
      rows.at += height;
    }
  }

  /// Rows [i, i + rows) of the strip and values [p, p + depth) of k, as floats in the nearest
  /// cache.
  void convertPanel(const Strip &s, std::size_t i, std::size_t rows, std::size_t p,
                    std::size_t depth) {
    packMatMulRows<Tag>(MatMulView<TIn>{args_.a.at(s.first + i, p), args_.a.row, args_.a.column},
                        rows, depth, packedA_, static_cast<std::size_t>(aRow_));
  }

  /// What the panel at rows.at asks for while it computes: the next panel's rows of A and, in the
  /// last two panels of a step, the rows of B that the next step packs. Hardware prefetchers follow
  /// neither: the former are short, the latter lie in pages of their own.
  POP_SIMD_INLINE void askAhead(MatMulTileArgs &tile, const Strip &s, const Rows &rows,
                                std::size_t p) {
    const std::size_t after = rows.at + s.heights.at(rows.at);
    const bool deeper = !panelsA_ && p + tile.k < args_.k;
    const std::size_t nextP = deeper ? p + tile.k : panelsA_ ? p : 0;
    const std::size_t nextJ = deeper ? s.j : s.j + s.columns;
    const bool next = nextJ + s.columns <= args_.n;
    tile.aNext = strip_, tile.aNextRow = tile.aNextStep = 0;
    if (aDepth_ == 1 && (after < rows.end || next)) { // values of k share cache lines
      const bool below = after < rows.end;
      askForA(tile, s.first + (below ? after : 0), below ? p : nextP);
    }
    tile.bNext = strip_, tile.bNextBytes = 0;
    if (next && args_.b.column == 1 && after + s.heights.height >= rows.end) {
      tile.bNext = args_.bAt(nextP, nextJ);
      tile.bNextBytes = args_.b.row * static_cast<std::ptrdiff_t>(sizeof(TIn));
    }
  }

  /// Whether tiles ask for operands of the next one between their own: see askForNext().
  POP_SIMD_INLINE bool asksBetween() const {
    return keepsB_ || (FLOAT_IN && panelsA_ && args_.bPanel != 0 && args_.b.row == MATMUL_PANEL);
  }
  /// Strips of B that are in L2, or come there while others are used.
  POP_SIMD_INLINE static void askWithin(MatMulTileArgs &tile) {
    tile.bAhead = MATMUL_PREFETCH_STRIP_ROWS * tile.bRow;
    tile.bAheadRows = MATMUL_PREFETCH_STRIP_ROWS;
  }

  /// What the tile at row i asks for while it computes, where strips are kept or B lies in panels:
  /// the sums of the next tile, and its share of the next strip.
  void askForNext(MatMulTileArgs &tile, const Strip &s, std::size_t i, std::size_t p) const {
    const std::size_t after = i + s.heights.at(i), nextJ = s.j + s.columns;
    const bool below = after < s.m, beside = nextJ < args_.n && nextJ < chunk_ + chunkColumns_;
    tile.cNext = nullptr;
    if (tile.cIn || !(tile.cHalf || tile.pastCaches)) {
      if (below) {
        const auto down = static_cast<std::ptrdiff_t>(after - i);
        tile.cNext = tile.cIn ? tile.cIn + down * tile.cInRow : tile.cOut + down * tile.cOutRow;
        tile.cNextRow = tile.cIn ? tile.cInRow : tile.cOutRow;
      } else if (beside) {
        const Waiting sums = waiting({s.first, s.m, nextJ, stripColumns(nextJ), s.heights}, 0);
        tile.cNext = sums.at, tile.cNextRow = sums.row;
      }
    }
    tile.stripNextLines = 0;
    if (isKept(s) && beside) {
      const Share share((stripColumns(nextJ) + W - 1) / W * tile.k, i, after, s.m);
      tile.stripNext = stripAt(nextJ) + share.first * W, tile.stripNextLines = share.count;
    } else if (!keepsB_ && tile.k != 0 && (beside || p + tile.k < args_.k)) {
      askForPanels(tile, s, i, beside ? nextJ : chunk_, beside ? p : p + tile.k);
    }
  }

  /// Of so many lines what belongs to rows [i, after) of m.
  struct Share {
    POP_SIMD_INLINE Share(std::size_t lines, std::size_t i, std::size_t after, std::size_t m)
        : first(lines * i / m), count(lines * after / m - first) {}
    std::size_t first, count;
  };

  /// Where B lies in panels: the share of the tile at row i of the strip at column j and value p of
  /// k. All tiles have one but the first of a strip, which brings what it needs itself. What is not
  /// of the first panel of a share is left to that.
  POP_SIMD_INLINE void askForPanels(MatMulTileArgs &tile, const Strip &s, std::size_t i,
                                    std::size_t j, std::size_t p) const {
    if constexpr (FLOAT_IN) {
      const std::size_t depth = args_.k - p < tile.k ? args_.k - p : tile.k;
      const std::size_t panel = depth * (MATMUL_PANEL / W), panels = stripColumns(j) / MATMUL_PANEL;
      const std::size_t first = s.heights.at(0), after = i + s.heights.at(i);
      const Share share(panels * panel, i - first, after - first, s.m - first);
      const std::size_t column = share.first / panel * MATMUL_PANEL, line = share.first % panel;
      tile.stripNext = args_.bAt(p, j + column) + line * W;
      tile.stripNextLines = share.count < panel - line ? share.count : panel - line;
    }
  }

  /// Rows of A from i and values of k from p, where packing left them or where they will be
  /// converted from.
  POP_SIMD_INLINE void askForA(MatMulTileArgs &tile, std::size_t i, std::size_t p) const {
    if (convertsPanels_) {
      tile.aNext = args_.a.at(i, p);
      tile.aNextRow = args_.a.row * static_cast<std::ptrdiff_t>(sizeof(TIn));
      tile.aNextStep = MATMUL_LINE * sizeof(TIn);
    } else {
      tile.aNext =
          a_ + static_cast<std::ptrdiff_t>(i - firstRow_) * aRow_ + static_cast<std::ptrdiff_t>(p);
      tile.aNextRow = aRow_ * static_cast<std::ptrdiff_t>(sizeof(float));
      tile.aNextStep = MATMUL_LINE * sizeof(float);
    }
  }

  /// True if a strip is cheaper with rows in lanes, which reads lines of A's rows: whole ones, or
  /// ones that stay in L1 until the next values of k.
  bool isNarrow(const Strip &s) const {
    if (!matMulNarrowWins<Tag>(s.m, s.columns) || aDepth_ != 1)
      return false;
    if (convertsPanels_) { // read from A itself, unless its rows share a set of L1
      constexpr auto WAY = static_cast<std::ptrdiff_t>(MATMUL_WAY_BYTES / sizeof(TIn));
      return args_.a.row % WAY != 0;
    }
    return mostRows_ == Shape::ROWS || reinterpret_cast<std::uintptr_t>(a_) % 64 == 0;
  }

  void runNarrow(const Strip &s) {
    if constexpr (MATMUL_NARROW_COLUMNS<Tag> != 0) {
      MatMulTileArgs tile{};
      tile.k = args_.k;
      const bool inC = setSums(tile, s, 0);
      const MatMulView<TIn> b{args_.bAt(0, s.j), args_.b.row, args_.b.column};
      const auto run = [&](const auto *a, std::ptrdiff_t row) {
        using TA = std::remove_cv_t<std::remove_pointer_t<decltype(a)>>;
        matMulNarrowOf<Tag, TA, TIn>(s.columns)(s.m, args_.k, a, row, b, tile.cIn, tile.cInRow,
                                                tile.cOut, tile.cOutRow);
      };
      if (convertsPanels_) // no panel is worth converting
        run(args_.a.at(s.first, 0), args_.a.row);
      else
        run(a_, aRow_);
      if (Finish::ACTIVE || tile.cHalf != nullptr || !inC)
        storeSums(s, 0, s.m, tile);
    }
  }

  void loadSums(const Strip &s) {
    for (std::size_t i = 0; i < s.m; ++i)
      copyToFloat<Tag>(args_.row(s.first + i) + s.j, 1, s.columns, sumsOf(s) + i * sumsRow(s));
  }

  /// Rows [i, i + rows) of the strip, whose sums the tile left in scratch or in C.
  void storeSums(const Strip &s, std::size_t i, std::size_t rows, const MatMulTileArgs &tile) {
    const float *sums = tile.cOut;
    if constexpr (std::is_same_v<Finish, ErasedFinish>)
      if (args_.cRows == nullptr)
        return finish_.block(sums, tile.cOutRow, rows, s.columns, args_.row(s.first + i) + s.j,
                             args_.cRow, s.first + i, s.j);
    for (const std::size_t end = i + rows; i < end; ++i, sums += tile.cOutRow)
      finish_.template row<Tag>(sums, s.columns, args_.row(s.first + i) + s.j, 1, s.first + i, s.j);
  }

  const MatMulArgs<TIn, TOut> &args_;
  [[no_unique_address]] const Finish finish_;
  const bool packA_, packB_, panelsA_, convertsPanels_, asking_;
  std::size_t depth_, rows_, width_;
  std::size_t sumRows_;       ///< rows of C whose sums wait at a time
  std::size_t firstKept_ = 0; ///< the first of these
  std::size_t chunkColumns_, chunk_ = 0, firstRow_ = 0;
  std::size_t panelDepth_ = 0, mostRows_ = Shape::ROWS;
  MatMulHeights heights_{}; ///< of the panels of A
  bool panels_ = false;     ///< A lies in such
  bool keepsB_ = false;     ///< strips of B are packed once for all blocks of rows
  bool pastCaches_ = false; ///< C is stored past the caches
  float *strip_, *sums_, *packedA_;
  const float *a_ = nullptr;
  std::ptrdiff_t aDepth_ = 0, aRow_ = 0;
};

} // namespace cottonwood::kernels::detail
