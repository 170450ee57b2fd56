#include "../Isas.hpp"

#include <codelets/poplar/MoveKernels.hpp>

#include <cstddef>
#include <string>

TEST_SUITE_BEGIN("codelets/poplar/copy-lines");

using namespace cottonwood;

namespace {

constexpr std::byte AROUND{0xa5};
constexpr std::size_t LINE_BYTES = 64;

/// Rows of so many lines and what lies between them; either side may run backward.
struct CopiedRows {
  std::size_t rows, lines, srcGap, dstGapLines;
  bool backward;
};

/// Copies rows of pseudo-random bytes, from any address on, and compares all bytes of the
/// destination's storage with those that are expected.
void checkCopied(isa::Isa isa, CopiedRows const &c, std::size_t srcStart) {
  std::size_t const bytes = c.lines * LINE_BYTES, srcStride = bytes + c.srcGap,
                    dstStride = bytes + c.dstGapLines * LINE_BYTES;
  std::vector<std::byte> src(srcStart + c.rows * srcStride);
  std::mt19937 random(static_cast<unsigned>(c.rows * 7919 + c.lines));
  for (std::byte &byte : src)
    byte = static_cast<std::byte>(random());
  std::vector<std::byte> storage(c.rows * dstStride + 3 * LINE_BYTES, AROUND), expected(storage);
  std::size_t const begin = 2 * LINE_BYTES - reinterpret_cast<std::uintptr_t>(storage.data()) %
                                                 LINE_BYTES; // a line before it
  for (std::size_t row = 0; row != c.rows; ++row)
    for (std::size_t i = 0; i != bytes; ++i)
      expected[begin + (c.backward ? c.rows - 1 - row : row) * dstStride + i] =
          src[srcStart + row * srcStride + i];
  std::size_t const first = c.backward && c.rows != 0 ? (c.rows - 1) * dstStride : 0;
  auto const stride = static_cast<std::int64_t>(dstStride);
  test::kernelsOf<kernels::MoveFamily>(isa).copyLinesPast(
      {src.data() + srcStart, storage.data() + begin + first, static_cast<std::int64_t>(srcStride),
       c.backward ? -stride : stride, c.rows, bytes});
  arch::finishStoresPast();
  CAPTURE(std::string(isa::name(isa)));
  CAPTURE(c.rows);
  CAPTURE(c.lines);
  CAPTURE(srcStart);
  CHECK(storage == expected);
}

} // namespace

TEST_CASE("rows of whole lines are copied past the caches from any address") {
  for (isa::Isa const isa : test::vectorIsas())
    for (std::size_t const lines : {0U, 1U, 2U, 3U, 7U, 64U, 127U, 128U, 129U, 300U})
      for (std::size_t const srcStart : {0U, 1U, 36U})
        for (CopiedRows const &c :
             {CopiedRows{0, lines, 0, 0, false}, CopiedRows{1, lines, 0, 0, false},
              CopiedRows{2, lines, 4, 1, false}, CopiedRows{5, lines, 100, 0, true},
              CopiedRows{3, lines, 64, 2, false}})
          checkCopied(isa, c, srcStart);
}

TEST_SUITE_END();
