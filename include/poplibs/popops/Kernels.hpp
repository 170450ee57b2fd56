// The kernels of elementwise functions and reductions on plain memory: no graph, no engine, no
// device.
//
//     namespace kernels = popops::kernels;
//     kernels::map(popops::expr::BinaryOpType::ADD, sum.data(), n, a.data(), b.data());
//     kernels::reduce(popops::Operation::MAX, &largest, {1, n, 1}, a.data());
//
// They are those of popops on a CPU and give the same bits. Compiled libraries choose the
// instruction set at run time (or as POPLAR_ISA says); in header-only mode it is that of the
// including file. Elements are float, int, unsigned, bool, poplar::IeeeHalf or poplar::half; arrays
// need no alignment beyond that of their elements. All work is done by the calling thread: calls
// may come from any number of threads at a time.
//
// Functions and reductions that the application writes itself: MapFunctor.hpp and
// ReduceFunctor.hpp.
//
// This header is C++20.
#include <popops/impl/Config.hpp>

#if __cplusplus < 202002L
#error "popops/Kernels.hpp needs C++20: compile with -std=c++20 or newer"
#else
#ifndef POPOPS_KERNELS_HPP
#define POPOPS_KERNELS_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/IeeeHalf.hpp>
#include <popops/ExprOp.hpp>
#include <popops/Operation.hpp>
#include <popops/impl/RawKernels.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace popops::kernels {

namespace detail {
template <class T>
inline constexpr bool IS_HALF = std::is_same_v<std::remove_const_t<T>, poplar::IeeeHalf> ||
                                std::is_same_v<std::remove_const_t<T>, poplar::half>;
template <class T, class As> inline constexpr bool IS = std::is_same_v<std::remove_const_t<T>, As>;

template <class T> constexpr cottonwood::popops::RawType rawType() {
  using cottonwood::popops::RawType;
  return IS_HALF<T>     ? RawType::HALF
         : IS<T, float> ? RawType::FLOAT
         : IS<T, int>   ? RawType::INT
         : IS<T, bool>  ? RawType::BOOL
                        : RawType::UNSIGNED_INT;
}
template <class T> cottonwood::popops::RawArray raw(T *data) { return {data, rawType<T>()}; }
} // namespace detail

/// Types of elements.
template <class T>
concept Element = detail::IS<T, float> || detail::IS_HALF<T> || detail::IS<T, int> ||
    detail::IS<T, unsigned> || detail::IS<T, bool>;
template <class T>
concept MutableElement = Element<T> && !std::is_const_v<T>;

/// out[i] = op(in[i]) for i < n. Operands of an operation have one type, which is the result's too;
/// tests, comparisons and logical operations give bool. `out` may be an operand whose elements have
/// its size, else it overlaps none.
/// \throws poplar::poplar_error  the operation does not exist for the type, `out` has elements of
///         another type than its result, or a pointer to elements is null.
template <MutableElement Out, Element In>
void map(expr::UnaryOpType op, Out *out, std::size_t n, In *in) {
  cottonwood::popops::RawArray const arrays[] = {detail::raw(in)};
  cottonwood::popops::rawMap({1, static_cast<unsigned>(op)}, out, detail::rawType<Out>(), n,
                             arrays);
}
/// out[i] = op(a[i], b[i]).
template <MutableElement Out, Element A, Element B>
void map(expr::BinaryOpType op, Out *out, std::size_t n, A *a, B *b) {
  cottonwood::popops::RawArray const arrays[] = {detail::raw(a), detail::raw(b)};
  cottonwood::popops::rawMap({2, static_cast<unsigned>(op)}, out, detail::rawType<Out>(), n,
                             arrays);
}
/// out[i] = op(a[i], b[i], c[i]): CLAMP of a to [b, c], SELECT of a where c (bool) is true, else b.
template <MutableElement Out, Element A, Element B, Element C>
void map(expr::TernaryOpType op, Out *out, std::size_t n, A *a, B *b, C *c) {
  cottonwood::popops::RawArray const arrays[] = {detail::raw(a), detail::raw(b), detail::raw(c)};
  cottonwood::popops::rawMap({3, static_cast<unsigned>(op)}, out, detail::rawType<Out>(), n,
                             arrays);
}

/// out[i] = in[i], converted as popops::cast does. The arrays may be the same memory if their types
/// have one size. \throws poplar::poplar_error  a null pointer to elements.
template <MutableElement Out, Element In> void cast(Out *out, std::size_t n, In *in) {
  cottonwood::popops::rawCast(out, detail::rawType<Out>(), n, detail::raw(in));
}

/// out[i] = value. \throws poplar::poplar_error  a null pointer to elements.
template <MutableElement Out> void fill(Out *out, std::size_t n, std::type_identity_t<Out> value) {
  cottonwood::popops::rawFill(out, &value, sizeof value, n);
}

/// How a contiguous array is reduced: in[outer, reduced, inner] to out[outer, inner].
struct ReduceShape {
  std::size_t outer = 1, reduced = 1, inner = 1;
};

struct ReduceOptions {
  float const *scale = nullptr; ///< out = *scale * result; of ADD, SQUARE_ADD, LOG_ADD on floats
  bool update = false;          ///< out += result; of ADD, SQUARE_ADD, LOG_ADD
};

/// out[o, i] = op over r of in[o, r, i], as popops::reduce defines the operations: float and half
/// are accumulated in float and may be written as either, integers and bool as themselves. In the
/// order of one vertex: the graph's reductions of long dimensions are added in parts.
/// \throws poplar::poplar_error  an operation that the types or options do not have; null pointers;
///         a shape of more elements than std::size_t counts.
template <MutableElement Out, Element In>
void reduce(Operation op, Out *out, ReduceShape const &shape, In *in,
            ReduceOptions const &options = {}) {
  cottonwood::popops::rawReduce({op, out, detail::rawType<Out>(), detail::raw(in), shape.outer,
                                 shape.reduced, shape.inner, options.scale, options.update});
}

} // namespace popops::kernels

#endif
#endif
