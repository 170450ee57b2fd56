#include "../Isas.hpp"

#include <codelets/poplar/MoveKernels.hpp>

#include <cstddef>
#include <cstring>
#include <string>

TEST_SUITE_BEGIN("codelets/poplar/interleave");

using namespace cottonwood;
using kernels::PlaneStores;

namespace {

constexpr std::byte UNTOUCHED{0xa5};

/// Runs of elements and the bytes between them; `start` is where the destination begins behind an
/// aligned address.
struct Runs {
  std::size_t bytes, runs, count, gap, start;
};

/// Joins pseudo-random runs and splits them again, and compares all bytes of both destinations'
/// storage with those that a loop over the elements gives.
void checkInterleaved(isa::Isa isa, Runs const &c, PlaneStores stores) {
  std::size_t const stride = c.count * c.bytes + c.gap, groups = c.runs * c.count * c.bytes;
  std::vector<std::byte> runs(c.runs * stride, UNTOUCHED);
  std::mt19937 random(static_cast<unsigned>(c.runs * 7919 + c.count));
  std::vector<std::byte> storage(groups + c.start + 128, UNTOUCHED), expected(storage);
  std::size_t const begin = 64 - reinterpret_cast<std::uintptr_t>(storage.data()) % 64 + c.start;
  for (std::size_t i = 0; i != c.count; ++i)
    for (std::size_t j = 0; j != c.runs; ++j)
      for (std::size_t b = 0; b != c.bytes; ++b)
        runs[j * stride + i * c.bytes + b] = expected[begin + (i * c.runs + j) * c.bytes + b] =
            static_cast<std::byte>(random());
  auto const all = test::kernelsOf<kernels::MoveFamily>(isa);
  auto const distance = static_cast<std::int64_t>(stride);
  all.joins.of(c.bytes)({runs.data(), storage.data() + begin, distance, c.runs, c.count}, stores);
  arch::finishStoresPast();
  CAPTURE(std::string(isa::name(isa)));
  CAPTURE(c.bytes);
  CAPTURE(c.runs);
  CAPTURE(c.count);
  CAPTURE(static_cast<int>(stores));
  CHECK(storage == expected);

  std::vector<std::byte> back(c.runs * stride + c.start + 128, UNTOUCHED), split(back);
  std::size_t const first = 64 - reinterpret_cast<std::uintptr_t>(back.data()) % 64 + c.start;
  std::memcpy(split.data() + first, runs.data(), runs.size());
  all.splits.of(c.bytes)({expected.data() + begin, back.data() + first, distance, c.runs, c.count},
                         stores);
  arch::finishStoresPast();
  CHECK(back == split);
}

} // namespace

TEST_CASE("every instruction set joins runs of few elements and splits them again") {
  for (isa::Isa const isa : test::vectorIsas())
    for (std::size_t const bytes : {1U, 2U, 4U})
      for (std::size_t runs = 2; runs <= kernels::mostInterleaved(bytes); ++runs)
        for (std::size_t const count : {0U, 1U, 15U, 16U, 17U, 33U, 64U, 65U, 200U, 1000U})
          for (PlaneStores const stores : {PlaneStores::Near, PlaneStores::Far, PlaneStores::Past})
            for (std::size_t const start : {0U, 4U}) {
              std::size_t const toLine = (64 - count * bytes % 64) % 64;
              checkInterleaved(isa, {bytes, runs, count, 0, start}, stores);
              checkInterleaved(isa, {bytes, runs, count, toLine, start}, stores);
              checkInterleaved(isa, {bytes, runs, count, 12, start}, stores);
            }
}

TEST_SUITE_END();
