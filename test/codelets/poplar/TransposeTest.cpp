#include "../Isas.hpp"

#include <codelets/poplar/MoveKernels.hpp>

#include <cstddef>
#include <numeric>
#include <string>

TEST_SUITE_BEGIN("codelets/poplar/transpose");

using namespace cottonwood;
using namespace cottonwood::test;
using kernels::PlaneStores;

namespace {

constexpr std::byte GUARD{0xa5};

kernels::TransposeKernels kernelsOf(isa::Isa isa) {
  return test::kernelsOf<kernels::MoveFamily>(isa).transposes;
}

/// A plane and what lies around it.
struct Case {
  std::size_t bytes, rows, columns;
  std::size_t srcGap = 0, dstGap = 0; ///< bytes between rows
  std::size_t start = 0;              ///< bytes after an aligned address
};

/// Transposes a plane of pseudo-random bytes and compares all bytes of the destination's storage
/// with those that a loop over the elements gives.
void check(isa::Isa isa, Case const &c, PlaneStores stores) {
  std::size_t const srcStride = c.columns * c.bytes + c.srcGap,
                    dstStride = c.rows * c.bytes + c.dstGap;
  std::vector<std::byte> src(c.rows * srcStride);
  std::mt19937 random(static_cast<unsigned>(c.rows * 7919 + c.columns));
  for (std::byte &byte : src)
    byte = static_cast<std::byte>(random());
  std::vector<std::byte> expected(c.columns * dstStride, GUARD);
  for (std::size_t row = 0; row != c.rows; ++row)
    for (std::size_t column = 0; column != c.columns; ++column)
      std::memcpy(&expected[column * dstStride + row * c.bytes],
                  &src[row * srcStride + column * c.bytes], c.bytes);
  std::vector<std::byte> storage(expected.size() + c.start + 128, GUARD);
  auto const address = reinterpret_cast<std::uintptr_t>(storage.data());
  std::size_t const begin = (64 - address % 64) % 64 + c.start;
  kernelsOf(isa).of(c.bytes)({src.data(), storage.data() + begin,
                              static_cast<std::int64_t>(srcStride),
                              static_cast<std::int64_t>(dstStride), c.rows, c.columns},
                             stores);
  arch::finishStoresPast();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != storage.size(); ++i) {
    bool const inside = i >= begin && i - begin < expected.size();
    wrong += storage[i] != (inside ? expected[i - begin] : GUARD);
  }
  CAPTURE(std::string(isa::name(isa)));
  CAPTURE(c.bytes);
  CAPTURE(c.rows);
  CAPTURE(c.columns);
  CAPTURE(static_cast<int>(stores));
  CHECK(wrong == 0);
}

constexpr PlaneStores ALL_STORES[] = {PlaneStores::Near, PlaneStores::Far, PlaneStores::Past,
                                      PlaneStores::PastTall, PlaneStores::PastAtOnce};

} // namespace

TEST_CASE("every instruction set transposes planes of whole blocks and parts of tiles") {
  for (isa::Isa const isa : vectorIsas())
    for (std::size_t const bytes : {1U, 2U, 4U, 8U}) {
      std::size_t const side = kernels::transposeSide(bytes), block = 128 / bytes;
      for (std::size_t const rows : {side, side + 1, 2 * side, 4 * side - 1, 4 * side, block,
                                     block + 1, 2 * block + side + 1})
        for (std::size_t const columns :
             {side, side + 1, 3 * side, block - 1, block, block + 1, 3 * block + 1})
          for (PlaneStores const stores : ALL_STORES)
            check(isa, {bytes, rows, columns}, stores);
    }
}

TEST_CASE("rows of transposed planes may lie apart and begin anywhere") {
  for (isa::Isa const isa : vectorIsas())
    for (std::size_t const bytes : {1U, 2U, 4U, 8U})
      for (std::size_t const start : {0U, 1U, 16U, 32U})
        for (PlaneStores const stores : ALL_STORES) {
          check(isa, {bytes, 256 / bytes, 320 / bytes, 3, 5, start}, stores);
          check(isa, {bytes, 256 / bytes, 320 / bytes, 64, 16, start}, stores);
          check(isa, {bytes, 288 / bytes, 304 / bytes, 16, 32, start}, stores);
          check(isa, {bytes, 256 / bytes + 3, 320 / bytes + 5, 4096, 4096, start}, stores);
        }
}

TEST_CASE("narrow planes of many rows are transposed in several steps") {
  for (isa::Isa const isa : vectorIsas())
    for (std::size_t const bytes : {1U, 2U, 4U, 8U})
      for (std::size_t const columns : {64U, 72U, 192U, 528U})
        for (PlaneStores const stores : ALL_STORES) {
          check(isa, {bytes, 4096 / bytes + 13, columns / bytes, 0, 3}, stores);
          check(isa, {bytes, 4096, columns / bytes, 0, 0, 32}, stores);
        }
}

TEST_CASE("past the caches lines wait while those of the next block are put together") {
  for (isa::Isa const isa : vectorIsas())
    for (std::size_t const bytes : {1U, 2U, 4U, 8U}) {
      std::size_t const line = 64 / bytes;
      // Whole blocks are four lines of rows by one of columns; the last ones have fewer rows.
      for (std::size_t const rows : {line, 3 * line, 4 * line, 8 * line, 9 * line, 11 * line + 3})
        for (std::size_t const columns : {line - 1, line, 2 * line, 5 * line, 7 * line + 2})
          for (std::size_t const start : {0U, 16U, 32U}) {
            std::size_t const used = rows * bytes % 64, gap = used == 0 ? 0 : 64 - used;
            check(isa, {bytes, rows, columns, 0, gap, start}, PlaneStores::Past);
            check(isa, {bytes, rows, columns, 4096 - columns * bytes % 4096, gap, start},
                  PlaneStores::Past);
          }
    }
}

TEST_CASE("past the caches whole lines are stored at once, sixteen of a row one after another") {
  for (isa::Isa const isa : vectorIsas())
    for (std::size_t const bytes : {1U, 2U, 4U, 8U}) {
      std::size_t const line = 64 / bytes;
      for (std::size_t const rows : {line, 15 * line + 1, 16 * line, 17 * line, 33 * line + 3})
        for (std::size_t const columns : {line - 1, line, 3 * line, 6 * line + 2}) {
          std::size_t const gap = (64 - rows * bytes % 64) % 64;
          for (std::size_t const start : {0U, 32U})
            check(isa, {bytes, rows, columns, 0, gap, start}, PlaneStores::PastAtOnce);
          check(isa, {bytes, rows, columns, 4096 - columns * bytes % 4096, gap + 128},
                PlaneStores::PastAtOnce);
        }
    }
}

TEST_CASE("the source may run backwards") {
  for (isa::Isa const isa : vectorIsas()) {
    std::vector<std::uint32_t> src(40 * 50), dst(src.size());
    std::iota(src.begin(), src.end(), 0U);
    kernelsOf(isa).bytes4({reinterpret_cast<std::byte const *>(&src[39 * 50]),
                           reinterpret_cast<std::byte *>(dst.data()), -50 * 4, 40 * 4, 40, 50},
                          PlaneStores::Near);
    std::size_t wrong = 0;
    for (std::size_t row = 0; row != 40; ++row)
      for (std::size_t column = 0; column != 50; ++column)
        wrong += dst[column * 40 + row] != src[(39 - row) * 50 + column];
    CHECK(wrong == 0);
  }
}

TEST_SUITE_END();
