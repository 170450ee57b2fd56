/// \file MapChain.hpp
/// Programs on floats whose every operation takes the result of the one before: one pass over the
/// operands, with the results between in registers. The same on halves if every operation is cheap:
/// in half arithmetic, or in vectors of 64 bytes as floats that are rounded to half after each
/// operation.
#pragma once

#include <codelets/popops/MapHalf.hpp>

namespace cottonwood::kernels {

inline constexpr unsigned MAP_CHAIN_STEPS = 8;
/// A constant of a chain is laid out once for every lane of a vector of any instruction set.
inline constexpr std::size_t MAP_CHAIN_CONSTANT = 32;

/// An operation on the result so far and, if it has two operands, on elements of an array.
struct MapChainStep {
  vertices::MapOp op;
  bool resultIsSecond;
  std::uint8_t other;    ///< value id of the array
  bool constant = false; ///< it is MAP_CHAIN_CONSTANT times the same number
  bool rounds = false;   ///< results of halves are rounded before the next step
};

struct MapChain {
  unsigned count = 0;     ///< steps; 0 if a program is none
  std::uint8_t first = 0; ///< value id of the array that the chain begins with
  bool cheap = false;     ///< every step isCheap()
  bool halves = false;    ///< its values are half, and it is cheap
  bool rounds = false;    ///< some step does
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

/// Whether it makes no difference if an operand is rounded to half before or the result after.
constexpr bool commutesWithRounding(MapOp op) {
  return op == MapOp::ABSOLUTE || op == MapOp::NEGATE || op == MapOp::RELU;
}

/// The operation of an instruction, or a shorter one with the same bits: MAXIMUM of numbers and +0
/// is RELU.
POP_SIMD_INLINE MapOp shortestOp(const vertices::MapProgramView &program,
                                 const vertices::MapInstruction &in) {
  if (in.op != MapOp::MAXIMUM || (in.type != MapType::FLOAT && in.type != MapType::HALF) ||
      in.args[1] >= program.numOperands())
    return in.op;
  const vertices::MapOperand second = program.operand(in.args[1]);
  return second.source == vertices::MapSource::CONSTANT && second.bits == 0 ? MapOp::RELU : in.op;
}

/// The chain that a program is. Programs of one operation are none.
template <class Tag> MapChain chainOf(const vertices::MapProgramView &program) {
  MapChain chain;
  const unsigned count = program.numInstructions();
  if (count < 2 || count > MAP_CHAIN_STEPS)
    return chain;
  std::uint8_t result = 0;
  bool cheap = true;
  const MapType type = program.instruction(0).type;
  const bool halves = arch::Avx512Tag<Tag> && type == MapType::HALF;
  if (type != MapType::FLOAT && !halves)
    return chain;
  for (unsigned s = 0; s < count; ++s) {
    vertices::MapInstruction in = program.instruction(s);
    in.op = shortestOp(program, in);
    if (!(halves ? isCheap(in.op) : isChained(in.op)) || in.type != type || in.toType != type)
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
    chain.steps[s] = {in.op, second, other, false, false};
    cheap = cheap && isCheap(in.op);
    result = in.result;
  }
  chain.count = count;
  chain.cheap = cheap;
  chain.halves = halves;
  for (unsigned s = count, roundedByStore = true; halves && s-- > 0;) {
    MapChainStep &step = chain.steps[s];
    step.rounds = !roundedByStore && !isOfHalfBits(step.op);
    chain.rounds = chain.rounds || step.rounds;
    roundedByStore = roundedByStore && commutesWithRounding(step.op);
  }
  return chain;
}

template <MapOp OP, class T, std::size_t N, class V, class Other>
POP_SIMD_INLINE void chainBinary(V (&v)[N], bool resultIsSecond, Other other) {
  const auto apply = [](V a, V b) POP_SIMD_LAMBDA {
    if constexpr (std::is_same_v<T, half> && !std::is_same_v<typename V::Element, half>)
      return halfBinary<OP>(a, b);
    else
      return floatBinary<OP>(a, b);
  };
  constexpr bool COMMUTES = OP == MapOp::ADD || OP == MapOp::MULTIPLY;
  if (!COMMUTES && resultIsSecond)
    arch::unrolled<N>([&](auto k) POP_SIMD_LAMBDA { v[k] = apply(other(k), v[k]); });
  else
    arch::unrolled<N>([&](auto k) POP_SIMD_LAMBDA { v[k] = apply(v[k], other(k)); });
}

/// One step on N vectors of elements T; load(p, k) is vector k of those at p.
template <MapOp OP, class T, std::size_t N, class V, class Load>
POP_SIMD_INLINE void chainStep(V (&v)[N], [[maybe_unused]] const MapChainStep &step,
                               [[maybe_unused]] const T *operand, [[maybe_unused]] Load load) {
  if constexpr (vertices::arity(OP) != 2) {
    const auto apply = [](auto x) POP_SIMD_LAMBDA {
      if constexpr (std::is_same_v<T, half> && !std::is_same_v<typename V::Element, half>)
        return halfUnary<OP>(x);
      else
        return floatUnary<OP>(x);
    };
    if constexpr (isChainOfOperations(OP) && N % 2 == 0)
      arch::unrolled<N / 2>([&](auto k) POP_SIMD_LAMBDA {
        arch::Pack<V, 2> x;
        x.v[0] = v[2 * k], x.v[1] = v[2 * k + 1];
        x = apply(x);
        v[2 * k] = x.v[0], v[2 * k + 1] = x.v[1];
      });
    else
      arch::unrolled<N>([&](auto k) POP_SIMD_LAMBDA { v[k] = apply(v[k]); });
  } else if (step.constant) {
    const V constant = load(operand, std::integral_constant<std::size_t, 0>());
    chainBinary<OP, T>(v, step.resultIsSecond, [&](auto) POP_SIMD_LAMBDA { return constant; });
  } else {
    chainBinary<OP, T>(v, step.resultIsSecond,
                       [&](auto k) POP_SIMD_LAMBDA { return load(operand, k); });
  }
}

/// Applies a chain to N vectors, the first of which begins at element i of the arrays; load(p, k)
/// is vector k of those at p.
/// \tparam CHEAP  the chain is cheap
/// \tparam T      the elements
template <bool CHEAP, class T, std::size_t N, class V, class Load>
POP_SIMD_INLINE void runChain(const MapChain &chain, unsigned char *const *values, std::size_t i,
                              V (&v)[N], Load load) {
  constexpr bool ROUNDS = std::is_same_v<T, half> && !std::is_same_v<typename V::Element, half>;
  const auto array = [&](std::uint8_t id)
                         POP_SIMD_LAMBDA { return reinterpret_cast<const T *>(values[id]); };
  const T *const first = array(chain.first) + i;
  arch::unrolled<N>([&](auto k) POP_SIMD_LAMBDA { v[k] = load(first, k); });
  for (unsigned s = 0; s < chain.count; ++s) {
    const MapChainStep &step = chain.steps[s];
    const T *const operand = array(step.other) + (step.constant ? 0 : i);
    const auto apply = [&](auto op) POP_SIMD_LAMBDA {
      constexpr MapOp OP = decltype(op)::value;
      if constexpr (!CHEAP || isCheap(OP))
        chainStep<OP>(v, step, operand, load);
      if constexpr (ROUNDS) // of its own: not every V rounds
        if constexpr (!isOfHalfBits(OP))
          if (step.rounds)
            arch::unrolled<N>([&](auto k) POP_SIMD_LAMBDA { v[k] = V::roundToHalf(v[k]); });
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

/// Whether a chain reads one array alone.
POP_SIMD_INLINE bool readsOneArray(const MapChain &chain) {
  bool one = true;
  for (unsigned s = 0; s < chain.count; ++s)
    one = one && (chain.steps[s].op < vertices::FIRST_BINARY_MAP_OP || chain.steps[s].constant ||
                  chain.steps[s].other == chain.first);
  return one;
}

/// Vectors a step of a cheap chain takes of several arrays for results past the caches. Steps of
/// few lines an array leave the processor's own prefetching in step: vectors of whole lines take
/// .9 of the time two at a time that they take sixteen at a time on Zen 5, and need no fetches.
/// Where a step costs more than its choice, as with vectors of eight floats or of halves, short
/// ones gain nothing.
template <class V, class T, std::size_t ALL> inline constexpr std::size_t VECTORS_OF_SEVERAL = ALL;
template <class Tag, std::size_t ALL>
inline constexpr std::size_t VECTORS_OF_SEVERAL<simd<float, Tag>, float, ALL> =
    arch::Avx512Tag<Tag> && !Tag::HALF_ARITHMETIC ? 2 : ALL;

/// Fetches what the chain reads `ahead` bytes behind elements [i, i + n).
template <class T>
POP_SIMD_INLINE void fetchAhead(const MapChain &chain, unsigned char *const *values, std::size_t i,
                                std::size_t n, std::size_t ahead) {
  fetchAhead(reinterpret_cast<const T *>(values[chain.first]), i, n, ahead);
  for (unsigned s = 0; s < chain.count; ++s)
    if (chain.steps[s].op >= vertices::FIRST_BINARY_MAP_OP && !chain.steps[s].constant &&
        chain.steps[s].other != chain.first)
      fetchAhead(reinterpret_cast<const T *>(values[chain.steps[s].other]), i, n, ahead);
}

/// mapChain on lanes V, N vectors at a time, from element `begin` on; returns where it ended.
/// \tparam CHEAP  the chain is
template <bool CHEAP, std::size_t N, class V, class T>
std::size_t mapChainBlocks(const MapChain &chain, unsigned char *const *values, T *out,
                           std::size_t begin, std::size_t n, Walk walk) {
  constexpr std::size_t BLOCK = N * V::width;
  const std::size_t blocks = (n - begin) / BLOCK;
  const bool past = walk == Walk::PAST;
  const bool backward = !past && blocks != 0 && runsBackward(chain, values, out);
  const bool fetches = walk == Walk::FAR ? !backward : past && readsOneArray(chain);
  const std::size_t ahead = fetchDistance(walk);
  std::size_t k = backward ? begin + (blocks - 1) * BLOCK : begin;
  for (std::size_t left = blocks; left != 0;
       --left, k += backward ? std::size_t{0} - BLOCK : BLOCK) {
    if (fetches)
      fetchAhead<T>(chain, values, k, BLOCK, ahead);
    V v[N];
    runChain<CHEAP, T>(chain, values, k, v, [](const T *p, auto j) POP_SIMD_LAMBDA {
      return V::load(p + j * V::width);
    });
    T *const to = out + k;
    if (past)
      arch::unrolled<N / 2>([&](auto j) POP_SIMD_LAMBDA {
        if constexpr (requires { V::streamTwo(to, v[0], v[1]); }) {
          V::streamTwo(to + 2 * j * V::width, v[2 * j], v[2 * j + 1]);
        } else {
          v[2 * j].stream(to + 2 * j * V::width);
          v[2 * j + 1].stream(to + (2 * j + 1) * V::width);
        }
      });
    else
      arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
        v[j].store(to + j * V::width);
        if constexpr (V::width > 1)
          arch::storesInOrder();
      });
  }
  return begin + blocks * BLOCK;
}

/// mapChain on lanes V. Cheap steps are applied to half of the registers at a time, so that the
/// choice of the next step is a small part of the work.
template <class V, class T>
void mapChainOf(const MapChain &chain, unsigned char *const *values, void *output, std::size_t n,
                Walk walk) {
  static_assert(V::width <= MAP_CHAIN_CONSTANT);
  constexpr std::size_t QUARTER = sizeof(V) == 64 ? 8 : 4; // of the registers
  constexpr bool ALL_CHEAP = std::is_same_v<T, half>;
  T *const out = static_cast<T *>(output);
  constexpr std::size_t SEVERAL = VECTORS_OF_SEVERAL<V, T, 2 * QUARTER>;
  std::size_t i = 0;
  if (chain.cheap && walk == Walk::PAST && !readsOneArray(chain))
    i = mapChainBlocks<true, SEVERAL, V>(chain, values, out, 0, n, walk);
  else if (chain.cheap)
    i = mapChainBlocks<true, 2 * QUARTER, V>(chain, values, out, 0, n, walk);
  i = mapChainBlocks<ALL_CHEAP, QUARTER, V>(chain, values, out, i, n, walk);
  while (i < n) {
    const std::size_t m = n - i < V::width ? n - i : V::width;
    V v[1];
    runChain<ALL_CHEAP, T>(chain, values, i, v,
                           [&](const T *p, auto) POP_SIMD_LAMBDA { return V::loadPartial(p, m); });
    v[0].storePartial(out + i, m);
    i += m;
  }
}
} // namespace detail

/// out[i] = the chain at element i, for i < n; `out` may be one of the arrays. It is aligned to 64
/// bytes for Walk::PAST.
/// \param values  the arrays by value id
template <class Tag>
void mapChain(const MapChain &chain, unsigned char *const *values, void *output, std::size_t n,
              Walk walk) {
  if constexpr (Tag::HALF_ARITHMETIC)
    if (chain.halves)
      return detail::mapChainOf<simd<half, Tag>, half>(chain, values, output, n, walk);
  if constexpr (!Tag::HALF_ARITHMETIC && arch::Avx512Tag<Tag>)
    if (chain.halves)
      return detail::mapChainOf<simd<float, Tag>, half>(chain, values, output, n, walk);
  detail::mapChainOf<simd<float, Tag>, float>(chain, values, output, n, walk);
}

} // namespace cottonwood::kernels
