/// \file MatMulSmallWhole.hpp
/// Products that fit into a vector of C. Included by MatMulSmall.hpp, which says how.
#pragma once

#include <codelets/arch/SimdTable.hpp>
#include <codelets/poplin/MatMulSmallSpan.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels::detail {

/// Products that fit into a vector of C, several at a time, with their operands in one vector each
/// or two.
template <class Tag, class TIn, class TOut> class SmallWhole {
public:
  explicit SmallWhole(const MatMulBatch<TIn, TOut> &batch) : batch_(batch) {
    const MatMulArgs<TIn, TOut> &x = batch.first;
    elements_ = x.m * x.n;
    if (elements_ > W || x.k > DEPTH)
      return;
    together_ = most(W);
    vectors_ = 1;
    if (together_ == 0)
      together_ = most(2 * W), vectors_ = 2;
  }
  explicit operator bool() const { return together_ != 0; }

  void run() const {
    switch (vectors_ == 1 ? batch_.first.k : 0) {
    case 2:
      return runOf<1, 2>();
    case 3:
      return runOf<1, 3>();
    case 4:
      return runOf<1, 4>();
    default:
      return vectors_ == 1 ? runOf<1, 0>() : runOf<2, 0>();
    }
  }

private:
  using V = simd<float, Tag>;
  using Int = typename V::Int;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width), DEPTH = 2 * W;

  POP_SIMD_INLINE std::size_t spanA(std::size_t products) const {
    return smallSpan(batch_.first.a, batch_.first.m, batch_.first.k) +
           smallReach(products, batch_.aBatch);
  }
  POP_SIMD_INLINE std::size_t spanB(std::size_t products) const {
    return smallSpan(batch_.first.b, batch_.first.k, batch_.first.n) +
           smallReach(products, batch_.bBatch);
  }
  /// Most products whose operands have so many elements each.
  POP_SIMD_INLINE std::size_t most(std::size_t elements) const {
    std::size_t products = least(W / elements_, batch_.batches);
    while (products != 0 && (spanA(products) > elements || spanB(products) > elements))
      --products;
    return products;
  }

  /// \tparam VECTORS  of each operand. \tparam K  values of k, or 0
  template <unsigned VECTORS, std::size_t K> void runOf() const {
    const MatMulArgs<TIn, TOut> &x = batch_.first;
    alignas(64) std::int32_t fromA[W] = {}, fromB[W] = {};
    for (std::size_t l = 0; l < together_ * elements_; ++l) {
      const auto g = static_cast<std::ptrdiff_t>(l / elements_);
      const auto i = static_cast<std::ptrdiff_t>(l % elements_ / x.n);
      const auto j = static_cast<std::ptrdiff_t>(l % x.n);
      fromA[l] = static_cast<std::int32_t>(g * batch_.aBatch * (together_ > 1) + i * x.a.row);
      fromB[l] = static_cast<std::int32_t>(g * batch_.bBatch * (together_ > 1) + j * x.b.column);
    }
    const Int firstA = Int::load(fromA), firstB = Int::load(fromB);
    const Int stepA = Int::splat(static_cast<std::int32_t>(x.a.column));
    const Int stepB = Int::splat(static_cast<std::int32_t>(x.b.row));
    const std::size_t k = K == 0 ? x.k : K;
    const auto step = [&](std::size_t g, std::size_t ofA, std::size_t ofB, std::size_t lanes)
                          POP_SIMD_LAMBDA {
                            V a[VECTORS], b[VECTORS];
                            load(batch_.a(g), ofA, a);
                            load(batch_.b(g), ofB, b);
                            V sum = V::zero();
                            Int atA = firstA, atB = firstB;
                            const auto multiply = [&]() POP_SIMD_LAMBDA {
                              sum = V::fma(pick(a, atA), pick(b, atB), sum);
                              atA = atA + stepA, atB = atB + stepB;
                            };
                            if constexpr (K != 0)
                              repeat<K>([&](auto) POP_SIMD_LAMBDA { multiply(); });
                            else
                              for (std::size_t p = 0; p < k; ++p)
                                multiply();
                            sum.storePartial(batch_.c(g), lanes);
                          };
    const std::size_t together = together_, batches = batch_.batches;
    const std::size_t ofA = spanA(together), ofB = spanB(together), lanes = together * elements_;
    std::size_t g = 0;
    for (; g + together <= batches; g += together)
      step(g, ofA, ofB, lanes);
    if (const std::size_t rest = batches - g; rest != 0)
      step(g, spanA(rest), spanB(rest), rest * elements_);
  }

  template <unsigned VECTORS>
  POP_SIMD_INLINE static void load(const TIn *from, std::size_t span, V (&to)[VECTORS]) {
    to[0] = V::loadPartial(from, least(span, W));
    if constexpr (VECTORS == 2)
      to[1] = span > W ? V::loadPartial(from + W, span - W) : V::zero();
  }
  template <unsigned VECTORS> POP_SIMD_INLINE static V pick(const V (&x)[VECTORS], Int at) {
    if constexpr (VECTORS == 1)
      return arch::permuteLanes(x[0], at);
    else
      return arch::permuteTwo(x[0], x[1], at);
  }

  const MatMulBatch<TIn, TOut> &batch_;
  std::size_t elements_ = 0, together_ = 0, vectors_ = 0;
};

} // namespace cottonwood::kernels::detail
