// Operations on integers of 16 and 64 bits, and conversions of 8-bit floats, on every instruction
// set of this machine.
#include <codelets/popops/MapWide.hpp>
#include <codelets/popops/MapWideCost.hpp>
#include <codelets/popops/QuarterCast.hpp>
#include <test/codelets/Isas.hpp>

#include <cmath>

using namespace cottonwood;
using vertices::MapOp;

namespace {

/// The result of an operation, worked out with more bits.
template <class T> T expected(MapOp op, T a, T b) {
  __extension__ using Wide = __int128;
  const Wide x = a, y = b;
  const auto bits = static_cast<std::uint32_t>(a);
  switch (op) {
  case MapOp::ABSOLUTE:
    return static_cast<T>(x < 0 ? -x : x);
  case MapOp::NEGATE:
    return static_cast<T>(-x);
  case MapOp::BITWISE_NOT:
    return static_cast<T>(-1 - x);
  case MapOp::BITWISE_AND:
    return static_cast<T>(x & y);
  case MapOp::BITWISE_OR:
    return static_cast<T>(x | y);
  case MapOp::BITWISE_XOR:
    return static_cast<T>(x ^ y);
  case MapOp::BITWISE_XNOR:
    return static_cast<T>(-1 - (x ^ y));
  case MapOp::ADD:
    return static_cast<T>(x + y);
  case MapOp::SUBTRACT:
    return static_cast<T>(x - y);
  case MapOp::MULTIPLY:
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  case MapOp::DIVIDE:
    return static_cast<T>(y == 0 ? 0 : x / y);
  case MapOp::REMAINDER:
    return static_cast<T>(y == 0 ? x : x % y);
  case MapOp::MAXIMUM:
    return x > y ? a : b;
  case MapOp::MINIMUM:
    return x < y ? a : b;
  case MapOp::SHIFT_LEFT:
    return static_cast<T>(static_cast<std::uint64_t>(a) << (b & 31));
  case MapOp::SHIFT_RIGHT:
    return static_cast<T>(bits >> (b & 31));
  case MapOp::SHIFT_RIGHT_SIGN_EXTEND:
    return static_cast<T>(static_cast<std::make_signed_t<T>>(a) >> (b & 31));
  default:
    return 0;
  }
}
template <class T> bool holds(MapOp op, T a, T b) {
  return op == MapOp::EQUAL                ? a == b
         : op == MapOp::NOT_EQUAL          ? a != b
         : op == MapOp::GREATER_THAN_EQUAL ? a >= b
         : op == MapOp::GREATER_THAN       ? a > b
         : op == MapOp::LESS_THAN_EQUAL    ? a <= b
                                           : a < b;
}
bool compares(MapOp op) {
  return op == MapOp::EQUAL || op == MapOp::NOT_EQUAL || op == MapOp::GREATER_THAN_EQUAL ||
         op == MapOp::GREATER_THAN || op == MapOp::LESS_THAN_EQUAL || op == MapOp::LESS_THAN;
}
bool shifts(MapOp op) {
  return op == MapOp::SHIFT_LEFT || op == MapOp::SHIFT_RIGHT ||
         op == MapOp::SHIFT_RIGHT_SIGN_EXTEND;
}

template <class T> T anyInteger(std::mt19937_64 &random) {
  const int place = static_cast<int>(random() % (sizeof(T) * 8));
  return random() % 8 == 0 ? static_cast<T>(random() % 3 - 1) : static_cast<T>(random() >> place);
}

template <class T, class Out, class Expect>
void checkOp(MapOp op, std::mt19937_64 &random, Expect expect) {
  for (const unsigned single : {0u, 1u, 2u, 3u})
    for (const std::size_t n : {std::size_t{1}, std::size_t{63}, std::size_t{400}})
      for (const isa::Isa isa : test::vectorIsas()) {
        test::Misaligned<T> a(n), b(n);
        test::Misaligned<Out> out(n);
        for (std::size_t i = 0; i < n; ++i) {
          a.set(i, anyInteger<T>(random));
          b.set(i, shifts(op) ? static_cast<T>(random() % 32) : anyInteger<T>(random));
        }
        auto v = test::zeroed<vertices::WideVertex<isa::scalar, T, Out>>();
        test::connect(v.a, a.data());
        test::connect(v.b, b.data());
        test::connect(v.out, out.data(), n);
        v.op = static_cast<unsigned>(op);
        v.single = single;
        test::runOn<vertices::MapWideFamily>(isa, v);
        REQUIRE(out.guardsIntact());
        for (std::size_t i = 0; i < n; ++i)
          REQUIRE(out.get(i) ==
                  expect(a.get((single & 1) != 0 ? 0 : i), b.get((single & 2) != 0 ? 0 : i)));
      }
}

template <class T> void checkOps() {
  std::mt19937_64 random(5);
  for (unsigned i = 0; i < vertices::NUM_MAP_OPS; ++i) {
    const auto op = static_cast<MapOp>(i);
    if (op == MapOp::SELECT || !vertices::isWideOp(op, sizeof(T), std::is_signed_v<T>))
      continue;
    CAPTURE(i);
    if (compares(op))
      checkOp<T, bool>(op, random, [op](T a, T b) { return holds(op, a, b); });
    else
      checkOp<T, T>(op, random, [op](T a, T b) { return expected(op, a, b); });
  }
}

} // namespace

TEST_SUITE("codelets/popops/mapWide") {
  TEST_CASE("all operations wrap, on all instruction sets") {
    checkOps<long long>();
    checkOps<unsigned long long>();
    checkOps<short>();
    checkOps<unsigned short>();
  }
  TEST_CASE("cost") {
    CHECK(vertices::wideCycles(MapOp::ADD, 8, 12, 6) == 20 + 6 * (20 + 2 * 10));
    CHECK(vertices::wideElementCycles(MapOp::MULTIPLY, 8) == 16);
    CHECK(vertices::wideElementCycles(MapOp::BITWISE_NOT, 2) == 5);
  }
}

TEST_SUITE("codelets/popops/quarterCast") {
  TEST_CASE("every quarter of every format comes back, and decodes as the headers say") {
    for (unsigned metadata = 0; metadata < 256; ++metadata) {
      if ((metadata & 0x40) != 0)
        continue; // not used
      const auto byte = static_cast<MetadataType>(metadata);
      const kernels::QuarterLayout layout = kernels::quarterLayout(byte);
      const quarter_metadata unpacked = poplar::unpackMetadata(&byte);
      for (unsigned bits = 0; bits < 256; ++bits) {
        const float value = kernels::decodeQuarter(static_cast<std::uint8_t>(bits), layout);
        const float wanted = poplar::quarterToFloat(quarter(bits), unpacked);
        REQUIRE((std::isnan(wanted) ? std::isnan(value) : value == wanted));
        REQUIRE(kernels::encodeQuarter(value, layout) == bits);
      }
    }
  }
  TEST_CASE("floats round as the headers say, infinities give NaN") {
    std::mt19937 random(6);
    for (const unsigned byte : {0x80u, 0x00u, 0x85u, 0x3au, 0xa0u, 0x1fu}) {
      const auto metadata = static_cast<MetadataType>(byte);
      const kernels::QuarterLayout layout = kernels::quarterLayout(metadata);
      const quarter_metadata unpacked = poplar::unpackMetadata(&metadata);
      for (unsigned i = 0; i < 300000; ++i) {
        const float x = kernels::detail::floatOf(static_cast<std::uint32_t>(random()));
        const float near = std::ldexp(x, -std::ilogb(x == 0 || !std::isfinite(x) ? 1 : x)) *
                           std::ldexp(1.F, static_cast<int>(random() % 24) - 14 + unpacked.scale);
        for (const float value : {x, near})
          REQUIRE(kernels::encodeQuarter(value, layout) ==
                  poplar::floatToQuarter(value, unpacked).value);
      }
    }
  }
}
