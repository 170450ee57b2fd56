// Operations on half that look at bits alone, for every half beside special ones: the bits that
// their formulas in float give.
#include "MapKernels.hpp"

#include <functional>
#include <string>
#include <vector>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using kernels::Walk;
using vertices::MapOp;
using vertices::MapType;

namespace {

using Bits = std::vector<std::uint16_t>;

constexpr std::uint16_t SPECIAL[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400,
                                     0x8400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00,
                                     0xfc00, 0x7c01, 0xfe00, 0xffff};
constexpr std::size_t ALL = 0x10000;

bool isNan(std::uint16_t x) { return (x & 0x7fff) > 0x7c00; }
float number(std::uint16_t x) { return test::toFloat(Half{x}); }

Bits everyHalf() {
  Bits all(ALL);
  for (std::size_t i = 0; i < ALL; ++i)
    all[i] = static_cast<std::uint16_t>(i);
  return all;
}

/// Elements of `out` that are not right(i); any NaN is one.
template <class T>
std::size_t countWrong(const std::vector<T> &out, const std::function<T(std::size_t)> &right) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const T expected = right(i);
    if constexpr (std::is_same_v<T, std::uint16_t>)
      if (isNan(out[i]) && isNan(expected))
        continue;
    wrong += out[i] != expected;
  }
  return wrong;
}

template <class T>
std::vector<T> run(isa::Isa isa, MapOp op, const void *a, const void *b = nullptr,
                   const void *c = nullptr) {
  std::vector<T> out(ALL);
  test::mapKernel(isa, op, MapType::HALF)(out.data(), a, b, c, ALL, Walk::NEAR);
  return out;
}

TEST_SUITE("codelets/popops/mapHalfBits") {
  TEST_CASE("operations on one half") {
    const Bits x = everyHalf();
    for (const isa::Isa isa : test::vectorIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      const auto check = [&](MapOp op, std::function<std::uint16_t(std::size_t)> right) {
        CAPTURE(static_cast<int>(op));
        CHECK(countWrong<std::uint16_t>(run<std::uint16_t>(isa, op, x.data()), right) == 0);
      };
      const auto classify = [&](MapOp op, std::function<unsigned char(std::size_t)> right) {
        CAPTURE(static_cast<int>(op));
        CHECK(countWrong<unsigned char>(run<unsigned char>(isa, op, x.data()), right) == 0);
      };
      check(MapOp::ABSOLUTE, [&](std::size_t i) { return x[i] & 0x7fff; });
      check(MapOp::NEGATE, [&](std::size_t i) { return x[i] ^ 0x8000; });
      check(MapOp::RELU, [&](std::size_t i) { return number(x[i]) > 0 ? x[i] : 0; });
      check(MapOp::SIGNUM, [&](std::size_t i) {
        return number(x[i]) > 0 ? 0x3c00 : number(x[i]) < 0 ? 0xbc00 : 0;
      });
      classify(MapOp::IS_NAN, [&](std::size_t i) { return isNan(x[i]); });
      classify(MapOp::IS_INF, [&](std::size_t i) { return (x[i] & 0x7fff) == 0x7c00; });
      classify(MapOp::IS_FINITE, [&](std::size_t i) { return (x[i] & 0x7fff) < 0x7c00; });
      // A maximum with +0 may be computed as one.
      const Bits zero(ALL);
      CHECK(run<std::uint16_t>(isa, MapOp::MAXIMUM, x.data(), zero.data()) ==
            run<std::uint16_t>(isa, MapOp::RELU, x.data()));
    }
  }

  TEST_CASE("operations on two halves") {
    const Bits x = everyHalf();
    for (const std::uint16_t special : SPECIAL)
      for (const bool first : {false, true}) {
        const Bits other(ALL, special);
        const Bits &a = first ? other : x, &b = first ? x : other;
        const auto p = [&](std::size_t i) { return number(a[i]); };
        const auto q = [&](std::size_t i) { return number(b[i]); };
        for (const isa::Isa isa : test::vectorIsas()) {
          CAPTURE(std::string(isa::name(isa)));
          CAPTURE(special);
          CAPTURE(first);
          const auto check = [&](MapOp op, std::function<std::uint16_t(std::size_t)> right) {
            CAPTURE(static_cast<int>(op));
            CHECK(countWrong<std::uint16_t>(run<std::uint16_t>(isa, op, a.data(), b.data()),
                                            right) == 0);
          };
          const auto compare = [&](MapOp op, std::function<unsigned char(std::size_t)> right) {
            CAPTURE(static_cast<int>(op));
            CHECK(countWrong<unsigned char>(run<unsigned char>(isa, op, a.data(), b.data()),
                                            right) == 0);
          };
          // Of equal ones, zeros of two signs, the second.
          check(MapOp::MAXIMUM,
                [&](std::size_t i) { return isNan(b[i]) || p(i) > q(i) ? a[i] : b[i]; });
          check(MapOp::MINIMUM,
                [&](std::size_t i) { return isNan(b[i]) || p(i) < q(i) ? a[i] : b[i]; });
          check(MapOp::RELU_GRADIENT, [&](std::size_t i) { return p(i) > 0 ? b[i] : 0; });
          compare(MapOp::EQUAL, [&](std::size_t i) { return p(i) == q(i); });
          compare(MapOp::NOT_EQUAL, [&](std::size_t i) { return p(i) != q(i); });
          compare(MapOp::LESS_THAN, [&](std::size_t i) { return p(i) < q(i); });
          compare(MapOp::LESS_THAN_EQUAL, [&](std::size_t i) { return p(i) <= q(i); });
          compare(MapOp::GREATER_THAN, [&](std::size_t i) { return p(i) > q(i); });
          compare(MapOp::GREATER_THAN_EQUAL, [&](std::size_t i) { return p(i) >= q(i); });
        }
      }
  }

  TEST_CASE("operations on three halves") {
    const Bits x = everyHalf();
    std::vector<unsigned char> condition(ALL);
    for (std::size_t i = 0; i < ALL; ++i)
      condition[i] = i % 3 == 0;
    for (const std::uint16_t low : SPECIAL)
      for (const std::uint16_t high :
           {SPECIAL[0], SPECIAL[1], SPECIAL[7], SPECIAL[11], SPECIAL[13]})
        for (const isa::Isa isa : test::vectorIsas()) {
          CAPTURE(std::string(isa::name(isa)));
          CAPTURE(low);
          CAPTURE(high);
          const Bits least(ALL, low), most(ALL, high);
          const Bits clamped =
              run<std::uint16_t>(isa, MapOp::CLAMP, x.data(), least.data(), most.data());
          CHECK(
              countWrong<std::uint16_t>(clamped, [&](std::size_t i) {
                return number(x[i]) < number(low) ? low : number(x[i]) > number(high) ? high : x[i];
              }) == 0);
          const Bits selected =
              run<std::uint16_t>(isa, MapOp::SELECT, x.data(), least.data(), condition.data());
          CHECK(countWrong<std::uint16_t>(
                    selected, [&](std::size_t i) { return condition[i] ? x[i] : low; }) == 0);
        }
  }
}

} // namespace
