// Grids of convolutions on matrix tiles, which need no tiles themselves.
#include "TileProblems.hpp"

#include <codelets/poplin/ConvTileGrid.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace cottonwood;

TEST_SUITE_BEGIN("codelets/poplin/convTileGrid");

TEST_CASE("a grid finds each input that an output and a tap meet") {
  std::mt19937 engine(5);
  auto const upTo = [&](int n) {
    return static_cast<int>(engine() % static_cast<unsigned>(n)) + 1;
  };
  int fits = 0;
  for (int round = 0; round < 300; ++round) {
    test::TileProblem p{static_cast<std::size_t>(upTo(2)),
                        1,
                        32,
                        1,
                        {upTo(12), upTo(12)},
                        {upTo(4), upTo(4)},
                        {upTo(3), upTo(3)},
                        upTo(3) - 1,
                        upTo(3)};
    if (p.size[0] + 2 * p.padding < p.dilation * (p.kernel[0] - 1) + 1 ||
        p.size[1] + 2 * p.padding < p.dilation * (p.kernel[1] - 1) + 1)
      continue;
    auto const table = tableOf(p);
    auto const strides = stridesOf(p);
    kernels::ConvGrid grid;
    if (!grid.fit(kernels::ConvGeometry(4, table.data(), strides.data())))
      continue; // nothing but padding
    ++fits;
    CHECK(grid.outputs == p.pixels());
    // Positions of outputs come one behind another.
    std::size_t position = 0, output = 0, wrong = 0;
    while (position < grid.positions) {
      auto const run = grid.run(position);
      if (run.count == 0) {
        REQUIRE(run.skip != 0);
        position += run.skip;
        continue;
      }
      wrong += run.output == output ? 0U : 1U;
      for (std::size_t i = 0; i < run.count; ++i, ++output, ++position)
        for (std::size_t t = 0; t < p.taps(); ++t) {
          int const y = static_cast<int>(t) / p.kernel[1], x = static_cast<int>(t) % p.kernel[1];
          auto const width = static_cast<std::size_t>(p.outputs(1));
          auto const height = static_cast<std::size_t>(p.outputs(0));
          int const inY = p.input(0, static_cast<int>(output / width % height), y);
          int const inX = p.input(1, static_cast<int>(output % width), x);
          auto const tap = grid.tap(t);
          std::size_t cell = position + tap.offset, slots = tap.grid;
          wrong += tap.offset <= grid.reach && tap.grid < grid.grids ? 0U : 1U;
          int found[3];
          for (unsigned d = 0; d < 3; ++d) {
            std::size_t rest = slots;
            for (unsigned e = 2; e > d; --e)
              rest /= static_cast<std::size_t>(grid.dim[e].residues);
            int const slot =
                static_cast<int>(rest % static_cast<std::size_t>(grid.dim[d].residues));
            found[d] = grid.dim[d].inputOf(static_cast<std::ptrdiff_t>(cell / grid.pitch[d]), slot);
            cell %= grid.pitch[d];
            if (found[d] < grid.dim[d].low || found[d] > grid.dim[d].high)
              found[d] = -1;
          }
          wrong += found[0] != static_cast<int>(output / width / height) ? 1U : 0U;
          if (inY < 0 || inX < 0)
            wrong += found[1] < 0 || found[2] < 0 ? 0U : 1U;
          else
            wrong += found[1] == inY && found[2] == inX ? 0U : 1U;
        }
    }
    CHECK(output == p.pixels());
    CHECK(wrong == 0);
  }
  CHECK(fits > 150);
}

TEST_CASE("inputs that do not lie in grids are refused") {
  using kernels::ConvClass;
  auto const fits = [](int outputs, int taps, std::vector<ConvClass> const &classes,
                       bool lines = false) {
    kernels::ConvGridDim dim{};
    return dim.fit({outputs, taps, classes.size(), classes.data(), 1, 1}, lines);
  };
  CHECK(fits(4, 3, {{0, 1, 4, 0, 1, 3, 0, 1, 1}}));
  CHECK(fits(4, 3, {{0, 1, 4, 0, 1, 3, 2, 1, -1}})); // flipped
  // A dilated input: outputs meet every other tap.
  CHECK(!fits(4, 3, {{0, 2, 2, 0, 2, 2, 0, 1, 1}, {1, 2, 2, 1, 1, 1, 1, 1, 0}}));
  // A pair is missing whose input others meet.
  CHECK(!fits(2, 2, {{0, 1, 1, 0, 1, 2, 0, 0, 1}, {1, 1, 1, 1, 1, 1, 2, 0, 0}}));
  CHECK(!fits(2, 1, {}));
  CHECK(fits(4, 3, {{0, 1, 4, 0, 1, 3, 0, 1, 1}}, true));
  CHECK(fits(4, 3, {{0, 1, 4, 0, 1, 3, 4, 1, -2}}, true));
}

TEST_SUITE_END();
