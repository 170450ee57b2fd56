/// \file MapFunctorKernel.hpp
/// out[i] = f(a[i], b[i], ...) for functors of applications.
///
/// The kind of an operand says how the functor gets its elements:
///   float          float or half elements, as simd<float, Tag>
///   int, unsigned  as simd<int32_t, Tag> and simd<uint32_t, Tag>
///   bool           as simdMask<Tag>
///   half           half elements as simd<half, Tag>, each operation rounded to half; then all
///                  operands and the result are of this kind
/// and the kind of the result follows from what the functor returns; a number is one for all lanes.
/// A functor that does not take vectors but numbers that hold all values of the kinds' types is
/// called once for each element.
#pragma once

#include <codelets/arch/SimdMixed.hpp>
#include <codelets/popops/CastKernel.hpp>
#include <codelets/popops/MapOperands.hpp>
#include <codelets/popops/StreamBytes.hpp>

#include <type_traits>
#include <utility>

namespace cottonwood::kernels {

/// Most operands of a functor.
inline constexpr unsigned MAP_FUNCTOR_MAX_OPERANDS = 4;

namespace detail {
template <class Kind>
concept MapKind = std::is_same_v<Kind, float> || std::is_same_v<Kind, int> ||
    std::is_same_v<Kind, unsigned> || std::is_same_v<Kind, bool> || std::is_same_v<Kind, half>;

template <class Kind, class Tag> struct KindLanes { using type = simd<Kind, Tag>; };
template <class Tag> struct KindLanes<bool, Tag> { using type = simdMask<Tag>; };
/// What a functor is called with.
template <class Kind, class Tag> using LanesOf = typename KindLanes<Kind, Tag>::type;

/// The kind of what a functor returns: vectors, or numbers.
template <class R> struct ResultKind { using type = void; };
template <class T, class Tag> struct ResultKind<simd<T, Tag>> { using type = T; };
template <class Tag> struct ResultKind<simdMask<Tag>> { using type = bool; };
template <> struct ResultKind<float> { using type = float; };
template <> struct ResultKind<double> { using type = float; };
template <> struct ResultKind<int> { using type = int; };
template <> struct ResultKind<unsigned> { using type = unsigned; };
template <> struct ResultKind<bool> { using type = bool; };

/// Whether F takes vectors, or numbers.
template <class F, class Tag, class... Kinds>
inline constexpr bool TAKES_VECTORS = std::is_invocable_v<const F &, LanesOf<Kinds, Tag>...>;
/// Whether a parameter takes elements of a kind as they are: an int would cut a float's fraction
/// off, a float an unsigned number's last bits.
template <class Parameter, class Kind>
concept TakesWhole = (std::is_same_v<std::remove_cvref_t<Parameter>, double> &&
                      !std::is_same_v<Kind, bool>) ||
                     requires(Kind x) {
  std::remove_cvref_t<Parameter>{x};
};
template <class Call, class... Kinds> inline constexpr bool TAKES_WHOLE = true;
template <class R, class F, bool NO, class... Parameters, class... Kinds>
requires(sizeof...(Parameters) == sizeof...(Kinds)) inline constexpr bool TAKES_WHOLE<
    R (F::*)(Parameters...) const noexcept(NO), Kinds...> = (TakesWhole<Parameters, Kinds> && ...);
/// The same of a functor whose call is neither a template nor overloaded.
template <class F, class... Kinds> constexpr bool takesWholeNumbers() {
  if constexpr (requires { &F::operator(); })
    return TAKES_WHOLE<decltype(&F::operator()), Kinds...>;
  else
    return true;
}
template <class F, class... Kinds> constexpr bool takesNumbers() {
  if constexpr ((std::is_same_v<Kinds, half> || ...) || !std::is_invocable_v<const F &, Kinds...>)
    return false;
  else
    return takesWholeNumbers<F, Kinds...>();
}

/// Whether F can be called. Bodies that are written for vectors are not tried with numbers.
template <class F, class Tag, class... Kinds> constexpr bool takesKinds() {
  if constexpr (TAKES_VECTORS<F, Tag, Kinds...>)
    return true;
  else
    return takesNumbers<F, Kinds...>();
}

/// The kind of the result; void if it has none.
template <class F, class Tag, class... Kinds> constexpr auto mapResult() {
  if constexpr (TAKES_VECTORS<F, Tag, Kinds...>)
    return ResultKind<
        std::remove_cvref_t<std::invoke_result_t<const F &, LanesOf<Kinds, Tag>...>>>();
  else if constexpr (takesKinds<F, Tag, Kinds...>())
    return ResultKind<std::remove_cvref_t<std::invoke_result_t<const F &, Kinds...>>>();
  else
    return ResultKind<void>();
}
template <class F, class Tag, class... Kinds>
using MapResult = typename decltype(mapResult<F, Tag, Kinds...>())::type;

/// Says what is wrong with a functor, if anything is.
template <class F, class Tag, class... Kinds> constexpr bool checkMapFunctor() {
  constexpr bool CALLED = takesKinds<F, Tag, Kinds...>();
  static_assert(CALLED, "the functor must take as many parameters as there are operands: vectors "
                        "('auto'), or numbers that hold every element of their operands' kinds "
                        "(float unless the call names others: map<int>)");
  using Result = MapResult<F, Tag, Kinds...>;
  constexpr bool RETURNS = CALLED && !std::is_void_v<Result>;
  static_assert(!CALLED || RETURNS,
                "an elementwise functor must return a vector of floats, halves or integers, a "
                "mask, or a float, double, int, unsigned or bool");
  constexpr bool HALVES = (std::is_same_v<Kinds, half> && ...);
  constexpr bool ANY_HALF = (std::is_same_v<Kinds, half> || ...);
  constexpr bool AGREES = HALVES == ANY_HALF && HALVES == std::is_same_v<Result, half>;
  static_assert(!RETURNS || AGREES,
                "where one operand is of kind half all of them and the result must be");
  return RETURNS && AGREES;
}

/// Elements in memory: those of kind float may be stored as half.
template <class Kind, class Storage>
using StoredAs = std::conditional_t<std::is_same_v<Kind, float>, Storage, Kind>;

template <class Kind, class Tag, class T> POP_SIMD_INLINE auto loadKind(const T *p) {
  if constexpr (std::is_same_v<Kind, half>)
    return simd<half, Tag>::load(p);
  else
    return loadLanes<Tag>(p);
}
template <class Kind, class Tag, class T> POP_SIMD_INLINE auto loadKind(const T *p, std::size_t n) {
  if constexpr (std::is_same_v<Kind, half>)
    return simd<half, Tag>::loadPartial(p, n);
  else
    return loadLanes<Tag>(p, n);
}

/// One vector's lanes as numbers.
template <class T, std::size_t W> struct LaneNumbers {
  T values[W];
  template <class V> POP_SIMD_INLINE explicit LaneNumbers(V v) { storeLanes(v, values); }
};

/// All lanes the number that a functor of vectors returned.
template <class Tag, class R> POP_SIMD_INLINE auto splatResult(R x) {
  if constexpr (std::is_same_v<R, bool>) {
    using V = simd<float, Tag>;
    return x ? V::zero() == V::zero() : V::zero() != V::zero();
  } else {
    return arch::splatNumber<typename ResultKind<R>::type, Tag>(x);
  }
}

/// f of vectors, or of the first `lanes` numbers in each: lanes beyond may hold what f must not
/// see, such as divisors 0.
template <class Tag, std::size_t W, class... Kinds, class F, class... V>
POP_SIMD_INLINE auto callFunctor(const F &f, std::size_t lanes, V... x) {
  if constexpr (TAKES_VECTORS<F, Tag, Kinds...>) {
    static_cast<void>(lanes);
    using R = std::remove_cvref_t<decltype(f(x...))>;
    if constexpr (std::is_arithmetic_v<R>)
      return splatResult<Tag, R>(f(x...));
    else
      return f(x...);
  } else {
    using R = MapResult<F, Tag, Kinds...>;
    alignas(64) R results[W] = {};
    const auto each = [&](const auto &...numbers) POP_SIMD_LAMBDA {
      if (lanes == W) {
        for (std::size_t i = 0; i < W; ++i)
          results[i] = static_cast<R>(f(numbers.values[i]...));
      } else {
        for (std::size_t i = 0; i < lanes; ++i)
          results[i] = static_cast<R>(f(numbers.values[i]...));
      }
    };
    each(LaneNumbers<Kinds, W>(x)...);
    return loadLanes<Tag>(results);
  }
}
} // namespace detail

/// Lanes of the vectors that a functor with operands of these kinds is called with.
template <class Tag, class... Kinds>
inline constexpr std::size_t MAP_FUNCTOR_LANES = static_cast<std::size_t>(
    (std::is_same_v<Kinds, half> || ...) ? simd<half, Tag>::width : simd<float, Tag>::width);

namespace detail {
/// put(i) of every LINE elements i, with operands fetched ahead; returns the elements of these.
/// More arrays than one of floats keep the processor's own prefetching busy: on Zen 5 two of 40 MB
/// take 1.04 to 1.08 times as long with the fetches, two of as many halves .9 in place .77.
template <Walk WALK, std::size_t LINE, class Put, class... In>
POP_SIMD_INLINE std::size_t eachFetchedLine(std::size_t n, Put put, const In *...in) {
  constexpr std::size_t STEP = 64; // no line is fetched twice
  std::size_t i = 0;
  for (; i + STEP <= n; i += STEP) {
    if constexpr (sizeof...(In) == 1 || (std::is_same_v<In, half> && ...))
      (fetchAhead(in, i, STEP, fetchDistance(WALK)), ...);
    for (std::size_t k = 0; k < STEP; k += LINE)
      put(i + k);
  }
  return i;
}
} // namespace detail

/// out[i] = f(in[i]...) for i < n. Elements of kind float may be float or half, each array's in its
/// own way. `out` may be exactly one of the operands whose elements have its size; it is aligned to
/// 64 bytes for Walk::PAST, which is not for masks.
template <class Tag, class... Kinds, class F, class Out, class... In>
POP_SIMD_INLINE void mapFunctor(const F &functor, Walk walk, Out *out, std::size_t n,
                                const In *...in) {
  constexpr std::size_t W = MAP_FUNCTOR_LANES<Tag, Kinds...>, LINE = 64 / sizeof(Out);
  const F f = functor; // stores to `out` cannot change it
  const auto value = [&](std::size_t i) POP_SIMD_LAMBDA {
    return detail::callFunctor<Tag, W, Kinds...>(f, W, detail::loadKind<Kinds, Tag>(in + i)...);
  };
  std::size_t i = 0;
  if (walk == Walk::FAR) {
    const auto put = [&](std::size_t k) POP_SIMD_LAMBDA {
      for (std::size_t j = 0; j < LINE; j += W)
        detail::storeLanes(value(k + j), out + k + j);
    };
    i = detail::eachFetchedLine<Walk::FAR, LINE>(n, put, in...);
  }
  if constexpr (!std::is_same_v<Out, bool>)
    if (walk == Walk::PAST) {
      const auto put = [&](std::size_t k) POP_SIMD_LAMBDA {
        detail::streamLine<decltype(value(k))>(
            out + k, [&](std::size_t j) POP_SIMD_LAMBDA { return value(k + j); });
      };
      i = detail::eachFetchedLine<Walk::PAST, LINE>(n, put, in...);
    }
  for (; i + W <= n; i += W)
    detail::storeLanes(value(i), out + i);
  if (const std::size_t rest = n - i)
    detail::storeLanes(detail::callFunctor<Tag, W, Kinds...>(
                           f, rest, detail::loadKind<Kinds, Tag>(in + i, rest)...),
                       out + i, rest);
}

/// The same without types: in[k] is operand k.
using MapFunctorKernel = void (*)(const void *functor, Walk walk, void *out, const void *const *in,
                                  std::size_t n);

namespace detail {
template <class Tag, class Storage, class F, class... Kinds, std::size_t... K>
POP_SIMD_INLINE void mapFunctorErased(const void *functor, Walk walk, void *out,
                                      const void *const *in, std::size_t n,
                                      std::index_sequence<K...>) {
  using Out = StoredAs<MapResult<F, Tag, Kinds...>, Storage>;
  mapFunctor<Tag, Kinds...>(*static_cast<const F *>(functor), walk, static_cast<Out *>(out), n,
                            static_cast<const StoredAs<Kinds, Storage> *>(in[K])...);
}
} // namespace detail

template <class Tag, class Storage, class F, class... Kinds>
void mapFunctorKernel(const void *functor, Walk walk, void *out, const void *const *in,
                      std::size_t n) {
  detail::mapFunctorErased<Tag, Storage, F, Kinds...>(functor, walk, out, in, n,
                                                      std::make_index_sequence<sizeof...(Kinds)>());
}

/// What a functor of some kinds has: kernels where elements of kind float are all float or all
/// half in memory; one of them where there are none.
struct MapFunctorKernels {
  MapFunctorKernel floats, halves;
};
template <class Tag, class F, class... Kinds>
POP_SIMD_INLINE MapFunctorKernels mapFunctorKernels() {
  constexpr bool TWO = (std::is_same_v<Kinds, float> || ...) ||
                       std::is_same_v<detail::MapResult<F, Tag, Kinds...>, float>;
  if constexpr (TWO)
    return {&mapFunctorKernel<Tag, float, F, Kinds...>, &mapFunctorKernel<Tag, half, F, Kinds...>};
  else
    return {&mapFunctorKernel<Tag, float, F, Kinds...>, &mapFunctorKernel<Tag, float, F, Kinds...>};
}

/// What a functor runs on, as its vertex knows it.
struct MapFunctorArgs {
  const void *functor;
  const vertices::MapOperand *operands;
  const bool *isFloating;           ///< for each operand whether it is of kind float
  unsigned count;                   ///< operands
  const void *const *const *inputs; ///< inputs[type][index]: the first element of a region
  void *out;
  std::size_t elements; ///< of the whole output
  vertices::MapType outType;
  bool outIsFloating;
};

namespace detail {
/// Runs a kernel on a range in steps: operands that repeat, and elements of kind float that are
/// half beside others that are not, are laid out into buffers first.
template <class Tag> class MapFunctorRun {
public:
  MapFunctorRun(MapFunctorKernels kernels, const MapFunctorArgs &args)
      : functor_(args.functor), out_(static_cast<unsigned char *>(args.out)), count_(args.count),
        outBytes_(bytesOf(args.outType)) {
    using vertices::MapType;
    bool floats = args.outIsFloating && args.outType == MapType::FLOAT;
    bool halves = args.outIsFloating && args.outType == MapType::HALF;
    for (unsigned k = 0; k < count_; ++k) {
      operands_[k].decode(args.operands[k], args.inputs, out_);
      floats = floats || (args.isFloating[k] && args.operands[k].type == MapType::FLOAT);
      halves = halves || (args.isFloating[k] && args.operands[k].type == MapType::HALF);
    }
    const bool mixed = floats && halves;
    kernel_ = halves && !floats ? kernels.halves : kernels.floats;
    for (unsigned k = 0; k < count_; ++k) {
      widened_[k] = mixed && args.isFloating[k] && args.operands[k].type == MapType::HALF;
      buffers_ += (operands_[k].isBuffered() ? 1u : 0u) + (widened_[k] ? 1u : 0u);
    }
    narrows_ = mixed && args.outIsFloating && args.outType == MapType::HALF;
    decideWalk(args);
    buffers_ += (narrows_ ? 1u : 0u) + (stream_ ? 1u : 0u);
  }

  void run(std::size_t begin, std::size_t end) {
    const std::size_t limit = mapStepLimit(operands_, count_, buffers_, end - begin);
    assignBuffers(limit);
    for (std::size_t i = begin; i < end;) {
      std::size_t n = end - i < limit ? end - i : limit;
      n = prepareMapOperands<Tag>(operands_, count_, values_, i, n);
      step(out_ + i * outBytes_, n);
      i += n;
    }
  }

private:
  /// Results go past the caches only where no operand is the output's own memory, which is in them
  /// already, and from the kernel itself if it takes all elements as they are in one step.
  POP_SIMD_INLINE void decideWalk(const MapFunctorArgs &args) {
    const MapReads reads = mapReads(operands_, count_, args.elements, out_);
    const bool large = reads.isLarge(args.elements, outBytes_);
    stream_ = large && isWorthStreaming(outBytes_);
    if (buffers_ != 0 || narrows_ || reads.again || !(large || reads.isFarInPlace()))
      return;
    walk_ = Walk::FAR;
    // A worker's share begins with a line if the output does.
    if (stream_ && reinterpret_cast<std::uintptr_t>(out_) % 64 == 0) {
      stream_ = false;
      walk_ = Walk::PAST;
    }
  }

  POP_SIMD_INLINE void assignBuffers(std::size_t limit) {
    if (buffers_ == 0)
      return;
    const std::size_t bytes = (limit * 4 + 63) / 64 * 64;
    unsigned char *next = scratch_;
    for (unsigned k = 0; k < count_; ++k) {
      if (operands_[k].isBuffered()) {
        operands_[k].buffer = values_[k] = next;
        next += bytes;
      }
      wide_[k] = next;
      next += widened_[k] ? bytes : 0;
    }
    wideResult_ = next;
    next += narrows_ ? bytes : 0;
    streamed_ = next;
  }

  POP_SIMD_INLINE void step(unsigned char *out, std::size_t n) {
    const void *in[MAP_FUNCTOR_MAX_OPERANDS];
    for (unsigned k = 0; k < count_; ++k) {
      if (widened_[k])
        cast<Tag>(reinterpret_cast<const half *>(values_[k]), reinterpret_cast<float *>(wide_[k]),
                  n);
      in[k] = widened_[k] ? wide_[k] : values_[k];
    }
    unsigned char *const result = stream_ ? streamed_ : out;
    kernel_(functor_, walk_, narrows_ ? wideResult_ : result, in, n);
    if (narrows_)
      cast<Tag>(reinterpret_cast<const float *>(wideResult_), reinterpret_cast<half *>(result), n);
    if (stream_)
      streamBytes<Tag>(out, streamed_, n * outBytes_);
  }

  MapFunctorKernel kernel_;
  const void *functor_;
  unsigned char *out_;
  unsigned count_, outBytes_, buffers_ = 0;
  bool narrows_, stream_; ///< writes past the caches through a buffer
  Walk walk_ = Walk::NEAR;
  bool widened_[MAP_FUNCTOR_MAX_OPERANDS];
  unsigned char *values_[MAP_FUNCTOR_MAX_OPERANDS], *wide_[MAP_FUNCTOR_MAX_OPERANDS];
  unsigned char *wideResult_, *streamed_;
  MapOperandState operands_[MAP_FUNCTOR_MAX_OPERANDS];
  alignas(64) unsigned char scratch_[MAP_SCRATCH + 64 * (2 * MAP_FUNCTOR_MAX_OPERANDS + 2)];
};
} // namespace detail

} // namespace cottonwood::kernels
