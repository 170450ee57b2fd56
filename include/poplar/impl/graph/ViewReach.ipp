#pragma once
#include <algorithm>
#include <numeric>
#include <poplar/impl/graph/ViewReach.hpp>
#include <utility>

namespace cottonwood::graph {

namespace viewdetail {

/// Decides sum z_k * stride_k = target by fixing the largest strides first. What remains of the
/// target must lie in the reach of the remaining terms and be a multiple of their common divisor,
/// which leaves one or two candidates per digit for boxes as tensors have them. The search ends
/// early at a *gapless* tail: terms that reach every multiple of their common divisor up to their
/// sum.
class ReachSearch {
public:
  explicit ReachSearch(FactorSpan terms);
  bool solve(std::int64_t target) const { return solveFrom(0, target); }

private:
  struct Term {
    std::int64_t size, stride;
    std::int64_t reach;   ///< of this term and all after it
    std::int64_t divisor; ///< common divisor of the strides of this term and all after it
    bool gapless; ///< this term and all after it reach every multiple of the divisor up to `reach`
  };
  bool solveFrom(std::size_t k, std::int64_t target) const;
  static std::int64_t firstDigit(std::int64_t target, std::int64_t stride, std::int64_t divisor,
                                 std::int64_t period);

  base::SmallVector<Term, 16> terms_;
};

POP_INLINE ReachSearch::ReachSearch(FactorSpan terms) {
  for (Factor const &f : terms)
    if (f.size > 1)
      terms_.push_back({static_cast<std::int64_t>(f.size), f.stride, 0, 0, false});
  std::sort(terms_.begin(), terms_.end(),
            [](Term const &a, Term const &b) { return a.stride > b.stride; });
  // The empty tail reaches 0 only.
  std::int64_t reach = 0, divisor = 0;
  bool gapless = true;
  for (std::size_t k = terms_.size(); k-- > 0;) {
    Term &term = terms_[k];
    gapless =
        gapless && (divisor == 0 || (term.stride % divisor == 0 && term.stride <= reach + divisor));
    reach += (term.size - 1) * term.stride;
    divisor = std::gcd(divisor, term.stride);
    term.reach = reach;
    term.divisor = divisor;
    term.gapless = gapless;
  }
}

/// The smallest z >= 0 with target - z * stride = 0 modulo `divisor`, given that the common divisor
/// of both divides the target; all others follow at distance `period`.
POP_INLINE std::int64_t ReachSearch::firstDigit(std::int64_t target, std::int64_t stride,
                                                std::int64_t divisor, std::int64_t period) {
  if (period == 1)
    return 0;
  std::int64_t const common = divisor / period;
  // Inverse of stride / common modulo period by Euclid's algorithm.
  std::int64_t a = (stride / common) % period, b = period, x = 1, y = 0;
  while (b != 0) {
    std::int64_t const quotient = a / b;
    a = std::exchange(b, a - quotient * b);
    x = std::exchange(y, x - quotient * y);
  }
  __extension__ using Wide = __int128;
  Wide const product = static_cast<Wide>((target / common) % period) * (x < 0 ? x + period : x);
  return static_cast<std::int64_t>(product % period);
}

POP_INLINE bool ReachSearch::solveFrom(std::size_t k, std::int64_t target) const {
  if (k == terms_.size())
    return target == 0;
  Term const &term = terms_[k];
  if (target < 0 || target > term.reach || target % term.divisor != 0)
    return false;
  if (term.gapless)
    return true;
  Term const &rest = terms_[k + 1]; // exists: a single term is gapless
  std::int64_t const over = target - rest.reach;
  std::int64_t const lowest = over <= 0 ? 0 : (over - 1) / term.stride + 1;
  std::int64_t const highest = std::min(term.size - 1, target / term.stride);
  std::int64_t const period = rest.divisor / std::gcd(rest.divisor, term.stride);
  std::int64_t z = firstDigit(target, term.stride, rest.divisor, period);
  if (z < lowest)
    z += (lowest - z + period - 1) / period * period;
  for (; z <= highest; z += period)
    if (rest.gapless || solveFrom(k + 1, target - z * term.stride))
      return true;
  return false;
}

} // namespace viewdetail

POP_INLINE bool reaches(FactorSpan terms, std::int64_t target) {
  return viewdetail::ReachSearch(terms).solve(target);
}

POP_INLINE bool collidesBelow(FactorSpan ascending, std::int64_t lowerReach) {
  // Two elements with one address differ by d_i in digit i: sum d_i s_i = 0, |d_i| < n_i. Let the
  // last digit's difference be u + 1 > 0. With e_i = n_i - 1 - (-d_i), that is 0 <= e_i <= 2 (n_i -
  // 1):
  //     sum over i < k of e_i s_i + u s_k = (sum over i < k of (n_i - 1) s_i) - s_k,   0 <= u <=
  //     n_k - 2.
  Factor const last = ascending.back();
  LongFactors terms;
  for (Factor const &f : ascending.first(ascending.size() - 1))
    terms.push_back({2 * f.size - 1, f.stride});
  terms.push_back({last.size - 1, last.stride});
  return reaches(terms, lowerReach - last.stride);
}

POP_INLINE bool boxesMeet(std::int64_t offsetA, FactorSpan a, std::int64_t offsetB, FactorSpan b) {
  // offsetA + sum x_i s_i = offsetB + sum y_j t_j; with y_j = m_j - 1 - y'_j all terms are positive
  // on the left.
  LongFactors terms{a};
  std::int64_t target = offsetB - offsetA;
  for (Factor const &f : b) {
    terms.push_back(f);
    target += f.reach();
  }
  return reaches(terms, target);
}

} // namespace cottonwood::graph
