// What contenders compute: a product of matrices, a convolution or an operation over arrays.
#pragma once

#include <bench/race/ArrayOp.hpp>
#include <bench/race/Conv.hpp>
#include <bench/race/Product.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cottonwood::bench {

using Problem = std::variant<Product, Conv, ArrayOp>;

/// Calls f with the problem as what it is.
template <class F> decltype(auto) with(Problem const &problem, F &&f) {
  return std::visit(std::forward<F>(f), problem);
}

inline std::string nameOf(Problem const &problem) {
  return with(problem, [](auto const &p) { return nameOf(p); });
}
inline double flopsOf(Problem const &problem) {
  return with(problem, [](auto const &p) { return p.flops(); });
}
/// Of operands and result, each once.
inline double bytesOf(Problem const &problem) {
  return with(problem, [](auto const &p) { return p.bytes(); });
}
inline std::size_t sizeOfC(Problem const &problem) {
  return with(problem, [](auto const &p) { return p.sizeC(); });
}
inline bool isHalf(Problem const &problem) {
  return with(problem, [](auto const &p) { return p.half; });
}
/// The same problem, with the same values, in elements of float.
inline Problem asFloat(Problem problem) {
  std::visit(
      [](auto &p) {
        p.halfValues |= std::exchange(p.half, false);
        if constexpr (requires { p.halfPartials; })
          p.halfPartials = false;
      },
      problem);
  return problem;
}

/// Null if the problem is none.
inline ArrayOp const *arrayOpOf(Problem const &problem) { return std::get_if<ArrayOp>(&problem); }

/// The result replaces operand a.
inline bool isInPlace(Problem const &problem) {
  return arrayOpOf(problem) && arrayOpOf(problem)->inPlace();
}
inline Element elementOfA(Problem const &problem) {
  return arrayOpOf(problem) ? arrayOpOf(problem)->elementOfA()
         : isHalf(problem)  ? Element::HALF
                            : Element::FLOAT;
}
inline Element elementOfC(Problem const &problem) {
  return arrayOpOf(problem) ? arrayOpOf(problem)->elementOfC()
         : isHalf(problem)  ? Element::HALF
                            : Element::FLOAT;
}
inline double bytesWrittenOf(Problem const &problem) {
  return bytesOf(elementOfC(problem)) * static_cast<double>(sizeOfC(problem));
}

/// What rates count: the traffic of operations over arrays, the arithmetic of others.
inline char const *unitOf(Problem const &problem) { return arrayOpOf(problem) ? "GB/s" : "GF/s"; }
inline double workOf(Problem const &problem) {
  return arrayOpOf(problem) ? bytesOf(problem) : flopsOf(problem);
}

inline std::vector<float> valuesOfA(Problem const &problem) {
  if (auto const *const op = arrayOpOf(problem))
    return op->valuesOfA();
  return with(problem,
              [](auto const &p) { return randomValues(p.sizeA(), 1, p.half || p.halfValues); });
}
inline std::vector<float> valuesOfB(Problem const &problem) {
  if (auto const *const op = arrayOpOf(problem))
    return op->valuesOfB();
  return with(problem,
              [](auto const &p) { return randomValues(p.sizeB(), 2, p.half || p.halfValues); });
}
inline Reference referenceOf(Problem const &problem) {
  std::vector<float> const a = valuesOfA(problem), b = valuesOfB(problem);
  return with(problem, [&](auto const &p) { return referenceOf(p, a, b); });
}
inline double allowedErrorOf(Problem const &problem, bool halfResult) {
  return with(problem, [&](auto const &p) { return allowedError(p, halfResult); });
}

/// "matmul ...", "conv ..." or "array ...": one line that parseProblem reads back.
std::string textOf(Problem const &problem);
/// \throws std::invalid_argument  the text is not one of textOf.
Problem parseProblem(std::string const &text);

} // namespace cottonwood::bench
