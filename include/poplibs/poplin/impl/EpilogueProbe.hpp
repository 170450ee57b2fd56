// Which operands an epilogue reads: it is called once, with a vector type of its own, to see.
#pragma once

#include <codelets/poplin/Epilogue.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>

namespace cottonwood::poplin {

/// Vectors of one lane, unlike those of any kernel.
struct ProbeTag : isa::scalar {};
using ProbeVector = simd<float, ProbeTag>;

} // namespace cottonwood::poplin

namespace cottonwood::kernels {

/// The first sum of a result. Operands are 1.
template <> class EpilogueAt<poplin::ProbeVector> {
  using V = poplin::ProbeVector;

public:
  using Int = typename V::Int;

  /// \param wanted  is raised to the number of operands that those read are among
  explicit EpilogueAt(std::size_t &wanted) : wanted_(&wanted) {}

  V operand(unsigned index) const {
    *wanted_ = std::max(*wanted_, std::size_t{index} + 1);
    return V::splat(1);
  }
  std::size_t group() const { return 0; }
  std::size_t row() const { return 0; }
  std::size_t column() const { return 0; }
  Int rows() const { return Int::splat(0); }
  Int columns() const { return Int::splat(0); }
  std::size_t lanes() const { return 1; }

private:
  std::size_t *wanted_;
};

} // namespace cottonwood::kernels

namespace cottonwood::poplin {

/// One more than the largest index of an operand that the epilogue reads for the first sum; 0 if it
/// reads none or cannot be called so.
template <class E> std::size_t operandsWanted(E const &epilogue) {
  std::size_t wanted = 0;
  kernels::EpilogueAt<ProbeVector> const at(wanted);
  if constexpr (requires(ProbeVector sum) {
                  { epilogue(sum, at) } -> std::same_as<ProbeVector>;
                })
    static_cast<void>(epilogue(ProbeVector::splat(1), at));
  return wanted;
}

} // namespace cottonwood::poplin
