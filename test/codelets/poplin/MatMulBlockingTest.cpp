// How products are blocked, by their shapes and the caches of a core.
#include "MatMulBlockings.hpp"

#include <codelets/poplin/MatMulTile.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

using namespace cottonwood;
using test::describe;
using test::distantCaches;

TEST_SUITE("codelets/poplin/MatMulBlocking") {

  TEST_CASE("blocks where the last cache is distant") {
    const auto choose = [](std::size_t m, std::size_t n, std::size_t k, bool isHalf = false,
                           bool inPanels = false) {
      const auto a = describe(isHalf, static_cast<std::ptrdiff_t>(k), 1);
      auto b =
          describe(isHalf, static_cast<std::ptrdiff_t>(inPanels ? kernels::MATMUL_PANEL : n), 1);
      b.panels = inPanels;
      return kernels::chooseMatMulBlocking(m, n, k, a, b, false, distantCaches());
    };
    // Wide strips for many rows, short ones while A takes no more than a quarter of L2.
    CHECK(choose(512, 512, 512).columns == kernels::MATMUL_WIDE_COLUMNS);
    CHECK(choose(360, 360, 360).depth < choose(512, 512, 512).depth);
    // One strip of a small B: in place, all of K in one pass.
    CHECK(choose(4096, 32, 4096).depth == 4096);
    CHECK(choose(4096, 32, 4096).packB == 0);
    // Few rows: A packed if its rows share a set of L1, no more rows of B than L2 has places for.
    CHECK(choose(32, 200, 1024).packA == 1);
    CHECK(choose(32, 200, 1000).packA == 0);
    CHECK(choose(32, 4096, 128).depth < choose(32, 4000, 128).depth);
    CHECK(choose(8, 4096, 4096).packB == 0);
    CHECK(choose(9, 4096, 4096).packB == 0);
    // Few rows by a B from beyond L2: short steps of K through all columns.
    const kernels::MatMulBlocking steps = choose(32, 1024, 4096);
    CHECK(steps.panelsA == 1);
    CHECK(steps.packB == 0);
    CHECK(steps.depth == 128);
    CHECK(steps.columns == kernels::MATMUL_WIDE_COLUMNS);
    CHECK(choose(32, 1000, 1000).panelsA == 1);
    CHECK(choose(32, 700, 1000).panelsA == 0);
    CHECK(choose(32, 700, 1024).panelsA == 1); // rows of A share a set
    CHECK(choose(12, 1024, 4096).panelsA == 0);
    CHECK(choose(128, 1024, 4096).panelsA == 1);
    CHECK(choose(128, 1024, 4096).packB == 1);
    CHECK(choose(128, 2048, 512).panelsA == 0);
    CHECK(choose(256, 1024, 4096).panelsA == 0);
    const auto halves = [&](std::size_t m, std::size_t n, std::size_t k) {
      return choose(m, n, k, true);
    };
    CHECK(halves(32, 1024, 1024).panelsA == 1);
    CHECK(halves(32, 1024, 1024).packB == 1);
    CHECK(halves(32, 1000, 1000).panelsA == 0);
    // Panels of halves are converted once, unless there is one tile of rows.
    const auto inPanels = [&](std::size_t m, std::size_t n, std::size_t k, bool isHalf = false) {
      return choose(m, n, k, isHalf, true);
    };
    CHECK(inPanels(100, 512, 512, true).packB == 1);
    CHECK(inPanels(12, 512, 512, true).packB == 0);
    CHECK(inPanels(100, 512, 512).packB == 0);
    // Floats from beyond L2: long steps of K, and blocks that fill three eighths of L2.
    const kernels::MatMulBlocking far = inPanels(49, 1024, 2100);
    CHECK(far.panelsA == 1);
    CHECK(far.packB == 0);
    CHECK(far.depth == 700);
    CHECK(far.columns == kernels::MATMUL_WIDE_COLUMNS);
    CHECK(far.rows == 60);
    CHECK(inPanels(1024, 1024, 1024).rows == 180);
    CHECK(inPanels(16, 512, 1024).panelsA == 1);
    CHECK(inPanels(15, 512, 1024).panelsA == 0);
    CHECK(inPanels(16, 480, 1024).panelsA == 0); // in L2
    CHECK(inPanels(49, 4096, 511).panelsA == 0);
    CHECK(inPanels(49, 64, 65536).panelsA == 0); // one strip
    CHECK(inPanels(48, 1024, 1024, true).panelsA == 1);
    CHECK(inPanels(48, 1024, 1024, true).packB == 1);
    CHECK(inPanels(49, 1024, 1024, true).panelsA == 0);
    // Long sums with a transposed A: blocks of it in panels.
    const auto panels = [](std::size_t m, std::size_t n, std::size_t k, bool isHalf = false) {
      const auto a = describe(isHalf, 1, static_cast<std::ptrdiff_t>(m));
      const auto b = describe(isHalf, static_cast<std::ptrdiff_t>(n), 1);
      return kernels::chooseMatMulBlocking(m, n, k, a, b, false, distantCaches()).panelsA;
    };
    CHECK(panels(512, 128, 3136) == 1);
    CHECK(panels(512, 128, 512) == 0);
    CHECK(panels(512, 64, 3136) == 0);
    CHECK(panels(512, 128, 3136, true) == 0);
    CHECK(choose(512, 128, 3136).panelsA == 0);
    // Large products: blocks of A that fill a quarter of L2, for strips that are packed once.
    const kernels::MatMulBlocking blocks = choose(2048, 2048, 2048);
    CHECK(blocks.panelsA == 1);
    CHECK(blocks.packB == 1);
    CHECK(blocks.depth == 512);
    CHECK(blocks.rows == 228);
    CHECK(kernels::matMulKeepsB(blocks, 2048));
    CHECK_FALSE(kernels::matMulKeepsB(blocks, 228));
    CHECK(choose(640, 512, 256).panelsA == 1);
    CHECK(choose(640, 512, 192).panelsA == 0);
    // Where sums cannot wait in C, so many rows and columns at a time that they fit into 4 MB.
    CHECK(kernels::matMulKept(blocks, 2048, 2048, true).rows == 2048);
    CHECK(kernels::matMulKept(blocks, 2048, 2048, true).columns == 2048);
    CHECK(kernels::matMulKept(blocks, 2048, 2048, false).rows == 3 * 228);
    CHECK(kernels::matMulKept(blocks, 2048, 2048, false).columns == 1024);
    CHECK(kernels::matMulKept(blocks, 640, 512, false).rows == 640);
    CHECK(choose(512, 512, 512).panelsA == 0);
    CHECK(choose(1024, 192, 1024).panelsA == 0);
    CHECK(choose(4096, 512, 64).panelsA == 0);
    CHECK(panels(1024, 1024, 640) == 1);
    CHECK(panels(1024, 1024, 512) == 0);
    // Strips whose rows meet in few sets of L1 are packed if it holds them so.
    CHECK(choose(784, 512, 128).packB == 1);
    CHECK(choose(784, 512, 128).rows == 192);
    CHECK(choose(96, 256, 64).packB == 1);
    CHECK(choose(96, 256, 32).packB == 0);
    CHECK(choose(96, 384, 64).packB == 0);
    CHECK(choose(96, 384, 128).packB == 1);
    CHECK(choose(96, 256, 160).packB == 0);
    CHECK(choose(96, 264, 64).packB == 0);
    CHECK(choose(384, 128, 128).packB == 0);
    // Up to eight rows: whole rows of B if L2 does not hold it.
    CHECK(choose(8, 4096, 4096).method == kernels::MatMulMethod::ROWS);
    CHECK(choose(5, 1024, 513).method == kernels::MatMulMethod::ROWS);
    CHECK(choose(5, 1024, 512).method == kernels::MatMulMethod::BLOCKED);
    CHECK(choose(9, 4096, 4096).method == kernels::MatMulMethod::BLOCKED);
  }

  TEST_CASE("blocks where the last cache is near and vectors have sixteen floats") {
    constexpr std::uint32_t TWO = kernels::MATMUL_MAX_TILE_COLUMNS,
                            WIDE = kernels::MATMUL_WIDE_COLUMNS;
    const auto choose = [](std::size_t m, std::size_t n, std::size_t k, bool isHalf = false,
                           bool turned = false, bool pinned = false, bool passing = false) {
      kernels::MatMulCaches caches;
      caches.stripColumns = WIDE, caches.pinnedColumns = pinned;
      const auto rows = static_cast<std::ptrdiff_t>(m), depth = static_cast<std::ptrdiff_t>(k);
      const auto a = turned ? describe(isHalf, 1, rows) : describe(isHalf, depth, 1);
      auto b = describe(isHalf, static_cast<std::ptrdiff_t>(n), 1);
      b.passing = passing;
      return kernels::chooseMatMulBlocking(m, n, k, a, b, false, caches);
    };
    CHECK(choose(512, 512, 512).columns == WIDE);
    // An A that lies transposed: in place, by high tiles.
    CHECK(choose(512, 512, 512, false, true).columns == TWO);
    CHECK(choose(512, 512, 512, false, true).packA == 0);
    CHECK(choose(512, 512, 512, false, true, true).columns == WIDE);
    CHECK(choose(512, 64, 512, false, true).columns == WIDE);
    // Few rows: B in place unless it is large, in short strips.
    CHECK(choose(32, 512, 512).packB == 0);
    CHECK(choose(192, 512, 512).packB == 0);
    CHECK(choose(193, 512, 512).packB == 1);
    CHECK(choose(32, 4096, 1024).packB == 1);
    CHECK(choose(32, 4096, 1024).depth < choose(512, 4096, 1024).depth);
    // One of a batch: in place if it is small.
    const auto ofBatch = [&](std::size_t m, std::size_t n) {
      return choose(m, n, 64, false, false, false, true);
    };
    CHECK(ofBatch(128, 128).packB == 0);
    CHECK(ofBatch(256, 128).packB == 0);
    CHECK(ofBatch(512, 64).packB == 0);
    CHECK(ofBatch(257, 128).packB == 1);
    CHECK(ofBatch(128, 129).packB == 1);
    // Few rows of halves: panels, if there are columns enough to use them.
    CHECK(choose(32, 4096, 1024, true).panelsA == 1);
    CHECK(choose(32, 4096, 1024, true).columns == TWO);
    CHECK(choose(32, 65, 129, true).panelsA == 0);
    // Up to eight rows: whole rows of B if L2 does not hold it.
    CHECK(choose(8, 2048, 2048).method == kernels::MatMulMethod::ROWS);
    CHECK(choose(8, 512, 512).method == kernels::MatMulMethod::BLOCKED);
    CHECK(choose(8, 4096, 4096, true).method == kernels::MatMulMethod::ROWS);
    CHECK(choose(8, 1024, 1024, true).method == kernels::MatMulMethod::BLOCKED);
  }

  TEST_CASE("tiles of some rows are as few as can be and equally high") {
    for (std::size_t most : {1u, 4u, 6u, 12u})
      for (std::size_t rows = 1; rows != 100; ++rows) {
        CAPTURE(most);
        CAPTURE(rows);
        const kernels::MatMulHeights heights = kernels::matMulHeights(rows, most);
        std::size_t tiles = 0, at = 0, least = most;
        for (; at < rows; at += heights.at(at), ++tiles)
          least = std::min(least, heights.at(at));
        CHECK(at == rows);
        CHECK(tiles == (rows + most - 1) / most);
        CHECK(heights.height <= most);
        CHECK(least + 1 >= heights.height);
      }
  }

  TEST_CASE("blocks of A in panels for vectors of eight floats") {
    const auto choose = [](std::size_t m, std::size_t n, std::size_t k, bool turned = false,
                           std::uint32_t floats = 8) {
      kernels::MatMulCaches caches;
      caches.l2 = 512 * 1024, caches.vectorFloats = floats;
      const auto rows = static_cast<std::ptrdiff_t>(m), depth = static_cast<std::ptrdiff_t>(k);
      const auto a = turned ? describe(false, 1, rows) : describe(false, depth, 1);
      const auto b = describe(false, static_cast<std::ptrdiff_t>(n), 1);
      return kernels::chooseMatMulBlocking(m, n, k, a, b, false, caches);
    };
    CHECK(choose(1024, 1024, 1024).panelsA == 1);
    CHECK(choose(1024, 1024, 1024, false, 16).panelsA == 0);
    // A block takes a bit more than half of L2.
    const auto large = choose(1024, 1024, 1024);
    CHECK(large.rows * large.depth * sizeof(float) < 512 * 1024 / 3 * 2);
    // Too few columns, one pass, or an A that stays near: in place.
    CHECK(choose(1024, 64, 1024).panelsA == 0);
    CHECK(choose(1024, 1024, 300).panelsA == 0);
    CHECK(choose(128, 1024, 400).panelsA == 0);
    // A that lies transposed is turned sooner; a B from far has short steps for few rows.
    CHECK(choose(196, 256, 1024).panelsA == 0);
    CHECK(choose(196, 256, 1024, true).panelsA == 1);
    CHECK(choose(32, 4096, 1024).panelsA == 1);
    CHECK(choose(32, 4096, 1024).depth < choose(32, 4000, 1024).depth);
    CHECK(choose(32, 320, 320).panelsA == 0);
  }

  TEST_CASE("how much of a matrix is asked for ahead") {
    constexpr std::size_t MIB = 1024 * 1024;
    kernels::MatMulCaches distant = distantCaches(), near, shortVectors;
    shortVectors.vectorFloats = 8;
    const auto blocking = [](bool isHalf, std::size_t m, std::size_t n, std::size_t k,
                             kernels::MatMulCaches caches, std::size_t l3) {
      caches.l3 = l3;
      const auto a = describe(isHalf, static_cast<std::ptrdiff_t>(k), 1);
      const auto b = describe(isHalf, static_cast<std::ptrdiff_t>(n), 1);
      const bool dot = kernels::matMulUsesDot(m, n, k, a, b);
      return kernels::chooseMatMulBlocking(m, n, k, a, b, dot, caches);
    };
    const auto asked = [&](bool isHalf, std::size_t m, const kernels::MatMulCaches &caches,
                           std::size_t l3) {
      return blocking(isHalf, m, 4096, 4096, caches, l3).depth;
    };
    constexpr auto ALL = kernels::MATMUL_ASK_ALL;
    // From beyond the last cache for two lines of a page.
    for (const auto &caches : {distant, shortVectors}) {
      CHECK(asked(false, 1, caches, 64 * MIB) == ALL);
      CHECK(asked(false, 1, caches, 64 * MIB - 1) == 32);
      CHECK(asked(true, 2, caches, 32 * MIB) == ALL);
      CHECK(asked(true, 2, caches, 32 * MIB - 1) == 64);
    }
    // With long vectors and a near last cache for nothing, but for several rows and halves.
    for (std::size_t l3 : {32 * MIB, 64 * MIB}) {
      CHECK(asked(false, 1, near, l3) == 0);
      CHECK(asked(false, 2, near, l3) == 0);
      CHECK(asked(false, 3, near, l3) == ALL);
    }
    // A few more rows are streamed, too, with requests for all of the matrix.
    for (const auto &caches : {near, distant, shortVectors}) {
      CHECK(blocking(false, 8, 4096, 4096, caches, 32 * MIB).method == kernels::MatMulMethod::ROWS);
      CHECK(asked(false, 8, caches, 32 * MIB) == ALL);
      CHECK(blocking(false, 9, 4096, 4096, caches, 32 * MIB).method ==
            kernels::MatMulMethod::BLOCKED);
    }
    CHECK(blocking(false, 8, 512, 513, near, 32 * MIB).method == kernels::MatMulMethod::ROWS);
    CHECK(blocking(false, 8, 512, 512, near, 32 * MIB).method == kernels::MatMulMethod::BLOCKED);
    CHECK(blocking(true, 8, 2048, 1025, near, 32 * MIB).method == kernels::MatMulMethod::ROWS);
    CHECK(blocking(true, 8, 2048, 1024, near, 32 * MIB).method == kernels::MatMulMethod::BLOCKED);
    // Halves within half of the last cache.
    CHECK(asked(true, 1, near, 64 * MIB) == 0);
    CHECK(asked(true, 1, near, 64 * MIB - 1) == ALL);
  }

  TEST_CASE("how many rows are multiplied side by side") {
    constexpr std::size_t MIB = 1024 * 1024;
    kernels::MatMulCaches distant = distantCaches(), near, shortVectors;
    shortVectors.vectorFloats = 8;
    const auto chosen = [](bool isHalf, kernels::MatMulCaches caches, std::size_t l3) {
      caches.l3 = l3;
      const kernels::MatMulBlocking result = kernels::chooseMatMulBlocking(
          4096, 1, 4096, describe(isHalf, 4096, 1), describe(isHalf, 1, 1), true, caches);
      CHECK(result.method == kernels::MatMulMethod::DOT);
      return std::pair(result.rows, result.depth);
    };
    constexpr auto ALL = kernels::MATMUL_ASK_ALL;
    for (const auto &caches : {distant, shortVectors}) {
      CHECK(chosen(false, caches, 64 * MIB) == std::pair(4U, ALL));
      CHECK(chosen(false, caches, 64 * MIB - 1) == std::pair(7U, 0U));
      CHECK(chosen(true, caches, 32 * MIB) == std::pair(4U, ALL));
    }
    CHECK(chosen(false, near, 64 * MIB) == std::pair(1U, 0U));
    CHECK(chosen(false, near, 64 * MIB - 1) == std::pair(4U, 0U));
    CHECK(chosen(true, near, 64 * MIB) == std::pair(4U, 0U));
    CHECK(chosen(true, near, 64 * MIB - 1) == std::pair(4U, ALL));
  }

} // TEST_SUITE
