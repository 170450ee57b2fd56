#include "../Isas.hpp"

#include <codelets/poplar/MoveKernels.hpp>

#include <cstddef>
#include <string>

TEST_SUITE_BEGIN("codelets/poplar/copy-rows");

using namespace cottonwood;

namespace {

constexpr std::byte AROUND{0xa5};
constexpr std::size_t LINE_BYTES = 64;

/// Rows of so many bytes and what lies between them; the destination may run backward.
struct CopiedRows {
  std::size_t rows, bytes, srcGap, dstGap;
  bool backward;
};

/// Copies rows of pseudo-random bytes, from so many bytes behind some address to so many behind the
/// begin of a line, and compares all bytes of the destination's storage with those that are
/// expected.
void checkCopied(isa::Isa isa, CopiedRows const &c, std::size_t srcStart, std::size_t dstStart) {
  std::size_t const srcStride = c.bytes + c.srcGap, dstStride = c.bytes + c.dstGap;
  std::vector<std::byte> src(srcStart + c.rows * srcStride);
  std::mt19937 random(static_cast<unsigned>(c.rows * 7919 + c.bytes));
  for (std::byte &byte : src)
    byte = static_cast<std::byte>(random());
  std::vector<std::byte> storage(c.rows * dstStride + 4 * LINE_BYTES, AROUND), expected(storage);
  std::size_t const begin =
      2 * LINE_BYTES - reinterpret_cast<std::uintptr_t>(storage.data()) % LINE_BYTES + dstStart;
  for (std::size_t row = 0; row != c.rows; ++row)
    for (std::size_t i = 0; i != c.bytes; ++i)
      expected[begin + (c.backward ? c.rows - 1 - row : row) * dstStride + i] =
          src[srcStart + row * srcStride + i];
  std::size_t const first = c.backward && c.rows != 0 ? (c.rows - 1) * dstStride : 0;
  auto const stride = static_cast<std::int64_t>(dstStride);
  test::kernelsOf<kernels::MoveFamily>(isa).copyRowsPast(
      {src.data() + srcStart, storage.data() + begin + first, static_cast<std::int64_t>(srcStride),
       c.backward ? -stride : stride, c.rows, c.bytes});
  arch::finishStoresPast();
  CAPTURE(std::string(isa::name(isa)));
  CAPTURE(c.rows);
  CAPTURE(c.bytes);
  CAPTURE(srcStart);
  CAPTURE(dstStart);
  CHECK(storage == expected);
}

} // namespace

TEST_CASE("rows of whole lines are copied past the caches from any address") {
  for (isa::Isa const isa : test::vectorIsas())
    for (std::size_t const lines : {0U, 1U, 2U, 3U, 7U, 64U, 127U, 128U, 129U, 300U})
      for (std::size_t const srcStart : {0U, 1U, 36U}) {
        std::size_t const bytes = lines * LINE_BYTES;
        for (CopiedRows const &c :
             {CopiedRows{0, bytes, 0, 0, false}, CopiedRows{1, bytes, 0, 0, false},
              CopiedRows{2, bytes, 4, LINE_BYTES, false}, CopiedRows{5, bytes, 100, 0, true},
              CopiedRows{3, bytes, 64, 2 * LINE_BYTES, false}})
          checkCopied(isa, c, srcStart, 0);
      }
}

TEST_CASE("rows of any bytes are copied past the caches from and to any address") {
  for (isa::Isa const isa : test::vectorIsas())
    for (std::size_t const bytes :
         {1U,   2U,   3U,   5U,   8U,    15U,   16U,   31U,   33U,   63U,    65U,
          100U, 127U, 161U, 640U, 1000U, 4095U, 8191U, 8193U, 8300U, 16385U, 20001U})
      for (std::size_t const dstStart : {0U, 1U, 28U, 63U})
        for (CopiedRows const &c :
             {CopiedRows{1, bytes, 0, 0, false}, CopiedRows{9, bytes, 12, 0, false},
              CopiedRows{4, bytes, 0, 20, false}, CopiedRows{3, bytes, 300, 129, true}})
          checkCopied(isa, c, bytes % 7, dstStart);
}

TEST_SUITE_END();
