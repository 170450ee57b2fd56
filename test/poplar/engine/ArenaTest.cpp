#include <doctest/doctest.h>

#include <poplar/impl/engine/Arena.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

using cottonwood::engine::Arena;

TEST_SUITE_BEGIN("poplar/engine/arena");

namespace {

constexpr std::uint64_t HUGE_PAGE = std::uint64_t{2} << 20;

bool isZero(Arena const &arena) {
  for (std::uint64_t i = 0; i < arena.bytes(); ++i)
    if (arena.data()[i] != std::byte{0})
      return false;
  return true;
}

} // namespace

TEST_CASE("arenas of any size are zeroed and writable to their last byte") {
  for (std::uint64_t const bytes : {std::uint64_t{1}, std::uint64_t{4097}, HUGE_PAGE - 1, HUGE_PAGE,
                                    4 * HUGE_PAGE, 5 * HUGE_PAGE - 3}) {
    CAPTURE(bytes);
    Arena const arena(bytes);
    REQUIRE(arena.bytes() == bytes);
    CHECK(isZero(arena));
    arena.data()[0] = arena.data()[bytes - 1] = std::byte{7};
    CHECK(arena.data()[bytes - 1] == std::byte{7});
  }
}

TEST_CASE("a large arena begins with a huge page") {
  for (std::uint64_t const bytes : {4 * HUGE_PAGE, 4 * HUGE_PAGE + 4096, 7 * HUGE_PAGE + 1}) {
    CAPTURE(bytes);
    Arena const first(bytes), second(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(first.data()) % HUGE_PAGE == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(second.data()) % HUGE_PAGE == 0);
  }
}

TEST_CASE("an empty arena has no memory") {
  CHECK(Arena(0).data() == nullptr);
  CHECK(Arena(0).bytes() == 0);
}

TEST_CASE("arenas move with all that they hold") {
  Arena from(5 * HUGE_PAGE + 5);
  std::byte *const data = from.data();
  data[from.bytes() - 1] = std::byte{9};
  Arena to(std::move(from));
  CHECK(to.data() == data);
  Arena assigned(1);
  assigned = std::move(to);
  CHECK(assigned.data() == data);
  CHECK(assigned.bytes() == 5 * HUGE_PAGE + 5);
  CHECK(assigned.data()[assigned.bytes() - 1] == std::byte{9});
}

TEST_CASE("more memory than there are addresses is refused") {
  std::uint64_t const most = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t const bytes : {most, most - HUGE_PAGE, most / 2, std::uint64_t{1} << 62})
    CHECK_THROWS_AS(Arena{bytes}, std::bad_alloc);
}

TEST_SUITE_END();
