/// \file MapChain.hpp
/// Programs on floats whose every operation takes the result of the one before: one pass over the
/// operands, with the results between in registers. (Halves would be rounded after each operation:
/// going through the first cache costs them less.)
#pragma once

#include <codelets/popops/MapBinary.hpp>

namespace cottonwood::kernels {

inline constexpr unsigned MAP_CHAIN_STEPS = 8;
/// The most elements that a chain computes side by side.
inline constexpr std::size_t MAP_CHAIN_TILE = 128;

/// An operation on the result so far and, if it has two operands, on elements of an array.
struct MapChainStep {
  vertices::MapOp op;
  bool resultIsSecond;
  std::uint8_t other;    ///< value id of the array
  bool constant = false; ///< it is MAP_CHAIN_TILE times the same number
};

struct MapChain {
  unsigned count = 0;     ///< steps; 0 if a program is none
  std::uint8_t first = 0; ///< value id of the array that the chain begins with
  MapChainStep steps[MAP_CHAIN_STEPS];
};

namespace detail {
/// Those that are worth a chain: the others take longer than a pass through the first cache.
POP_SIMD_INLINE constexpr bool isChained(MapOp op) {
  switch (op) {
  case MapOp::ABSOLUTE:
  case MapOp::NEGATE:
  case MapOp::RELU:
  case MapOp::SQUARE:
  case MapOp::SIGMOID:
  case MapOp::TANH:
  case MapOp::EXPONENT:
  case MapOp::ADD:
  case MapOp::SUBTRACT:
  case MapOp::MULTIPLY:
  case MapOp::DIVIDE:
  case MapOp::MAXIMUM:
  case MapOp::MINIMUM:
    return true;
  default:
    return false;
  }
}

/// The chain that a program on floats is. Programs of one operation are none.
POP_SIMD_INLINE MapChain chainOf(const vertices::MapProgramView &program) {
  MapChain chain;
  const unsigned count = program.numInstructions();
  if (count < 2 || count > MAP_CHAIN_STEPS)
    return chain;
  std::uint8_t result = 0;
  for (unsigned s = 0; s < count; ++s) {
    const vertices::MapInstruction in = program.instruction(s);
    if (!isChained(in.op) || in.type != MapType::FLOAT || in.toType != MapType::FLOAT)
      return chain;
    const bool two = in.op >= vertices::FIRST_BINARY_MAP_OP;
    const std::uint8_t a = in.args[0], b = two ? in.args[1] : in.args[0];
    const bool second = s != 0 && a != result; // is the result so far
    const std::uint8_t other = second ? a : b;
    const bool linked = s == 0 || (second ? b == result : a == result);
    if (!linked || (two && other >= vertices::MAP_SLOT0) || (s == 0 && a >= vertices::MAP_SLOT0))
      return chain;
    if (s == 0)
      chain.first = a;
    chain.steps[s] = {in.op, second, other, false};
    result = in.result;
  }
  chain.count = count;
  return chain;
}

template <MapOp OP, std::size_t N, class V, class Load>
POP_SIMD_INLINE void chainStep(V (&v)[N], [[maybe_unused]] bool resultIsSecond, Load load) {
  const auto each = [&](auto value) POP_SIMD_LAMBDA {
    arch::unrolled<N>([&](auto k) POP_SIMD_LAMBDA { v[k] = value(v[k], k); });
  };
  if constexpr (vertices::arity(OP) == 2) {
    if (resultIsSecond)
      each([&](V x, auto k) POP_SIMD_LAMBDA { return floatBinary<OP>(load(k), x); });
    else
      each([&](V x, auto k) POP_SIMD_LAMBDA { return floatBinary<OP>(x, load(k)); });
  } else {
    each([](V x, auto) POP_SIMD_LAMBDA { return floatUnary<OP>(x); });
  }
}

/// Applies a chain to N vectors, the first of which begins at element i of the arrays; load(p, k)
/// is vector k of those at p.
template <std::size_t N, class V, class Load>
POP_SIMD_INLINE void runChain(const MapChain &chain, unsigned char *const *values, std::size_t i,
                              V (&v)[N], Load load) {
  const auto array = [&](std::uint8_t id)
                         POP_SIMD_LAMBDA { return reinterpret_cast<const float *>(values[id]); };
  const float *const first = array(chain.first) + i;
  arch::unrolled<N>([&](auto k) POP_SIMD_LAMBDA { v[k] = load(first, k); });
  for (unsigned s = 0; s < chain.count; ++s) {
    const MapChainStep &step = chain.steps[s];
    const float *const operand = array(step.other) + (step.constant ? 0 : i);
    const auto other = [&](auto k) POP_SIMD_LAMBDA { return load(operand, k); };
    const auto apply = [&](auto op) POP_SIMD_LAMBDA {
      chainStep<decltype(op)::value>(v, step.resultIsSecond, other);
    };
    switch (step.op) {
#define POP_CHAINED(OP)                                                                            \
  case MapOp::OP:                                                                                  \
    apply(std::integral_constant<MapOp, MapOp::OP>());                                             \
    break;
      POP_CHAINED(ABSOLUTE)
      POP_CHAINED(NEGATE)
      POP_CHAINED(RELU)
      POP_CHAINED(SQUARE)
      POP_CHAINED(SIGMOID)
      POP_CHAINED(TANH)
      POP_CHAINED(EXPONENT)
      POP_CHAINED(ADD)
      POP_CHAINED(SUBTRACT)
      POP_CHAINED(MULTIPLY)
      POP_CHAINED(DIVIDE)
      POP_CHAINED(MAXIMUM)
      POP_CHAINED(MINIMUM)
#undef POP_CHAINED
    default: // chainOf takes no others
      break;
    }
  }
}

/// Whether loads of the arrays would meet stores in ascending order, and would not in descending.
POP_SIMD_INLINE bool runsBackward(const MapChain &chain, unsigned char *const *values,
                                  const void *out) {
  const auto meets = [&](bool backward) POP_SIMD_LAMBDA {
    bool any = meetsStores(out, values[chain.first], backward);
    for (unsigned s = 0; s < chain.count; ++s)
      any =
          any || (chain.steps[s].op >= vertices::FIRST_BINARY_MAP_OP && !chain.steps[s].constant &&
                  meetsStores(out, values[chain.steps[s].other], backward));
    return any;
  };
  return meets(false) && !meets(true);
}
} // namespace detail

/// out[i] = the chain at element i, for i < n; `out` may be one of the arrays. With `past` results
/// are written past the caches, and `out` is aligned to 64 bytes.
/// \param values  the arrays by value id
template <class Tag>
void mapChain(const MapChain &chain, unsigned char *const *values, void *output, std::size_t n,
              bool past) {
  using V = simd<float, Tag>;
  constexpr std::size_t TILE = sizeof(V) == 64 ? 8 : 4; // a quarter of the registers
  static_assert(TILE * V::width <= MAP_CHAIN_TILE);
  float *out = static_cast<float *>(output);
  constexpr std::size_t BLOCK = TILE * V::width;
  const std::size_t blocks = n / BLOCK;
  const bool backward = !past && detail::runsBackward(chain, values, out) && blocks != 0;
  std::size_t k = backward ? (blocks - 1) * BLOCK : 0;
  for (std::size_t left = blocks; left != 0;
       --left, k += backward ? std::size_t{0} - BLOCK : BLOCK) {
    V v[TILE];
    detail::runChain(chain, values, k, v, [](const float *p, auto j) POP_SIMD_LAMBDA {
      return V::load(p + j * V::width);
    });
    float *const to = out + k;
    if (past)
      arch::unrolled<TILE>([&](auto j) POP_SIMD_LAMBDA { v[j].stream(to + j * V::width); });
    else
      arch::unrolled<TILE>([&](auto j) POP_SIMD_LAMBDA { v[j].store(to + j * V::width); });
  }
  std::size_t i = blocks * BLOCK;
  while (i < n) {
    const std::size_t m = n - i < V::width ? n - i : V::width;
    V v[1];
    detail::runChain(chain, values, i, v,
                     [&](const float *p, auto) POP_SIMD_LAMBDA { return V::loadPartial(p, m); });
    v[0].storePartial(out + i, m);
    i += m;
  }
}

} // namespace cottonwood::kernels
