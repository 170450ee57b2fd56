// The kernels of matrix products and convolutions on plain memory: no graph, no engine, no device.
//
//     std::vector<float> a(m * k), b(k * n), c(m * n);
//     namespace kernels = poplin::kernels;
//     kernels::matMul(kernels::matrix(a.data(), m, k), kernels::matrix(b.data(), k, n),
//                     kernels::matrix(c.data(), m, n));
//
// They are those of poplin::matMul and poplin::convolution on a CPU and give the same bits.
// Compiled libraries choose the instruction set at run time (or as POPLAR_ISA says); in header-only
// mode it is that of the including file. Elements are float, poplar::IeeeHalf or poplar::half;
// operands of one call have one type, the result may have the other. Sums are float, rounded to the
// result's type once. Calls may come from any number of threads at a time; scratch is held by each
// thread.
//
// This header is C++20.
#include <poplin/impl/Config.hpp>

#if __cplusplus < 202002L
#error "poplin/Kernels.hpp needs C++20: compile with -std=c++20 or newer"
#else
#ifndef POPLIN_KERNELS_HPP
#define POPLIN_KERNELS_HPP

#include <poplar/IeeeHalf.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/impl/RawKernels.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplin::kernels {

/// A matrix in memory: element (i, j) is data[i * rowStride + j * columnStride]. Strides count
/// elements; those of operands may be 0 or negative.
template <class T> struct MatrixView {
  T *data = nullptr;
  std::size_t rows = 0, columns = 0;
  std::ptrdiff_t rowStride = 0, columnStride = 1;

  /// The same memory with rows and columns exchanged.
  MatrixView transposed() const { return {data, columns, rows, columnStride, rowStride}; }
};

/// A matrix whose rows lie one behind another.
template <class T> MatrixView<T> matrix(T *data, std::size_t rows, std::size_t columns) {
  return {data, rows, columns, static_cast<std::ptrdiff_t>(columns), 1};
}
/// A matrix whose rows start `rowStride` elements apart.
template <class T>
MatrixView<T> matrix(T *data, std::size_t rows, std::size_t columns, std::ptrdiff_t rowStride,
                     std::ptrdiff_t columnStride = 1) {
  return {data, rows, columns, rowStride, columnStride};
}

/// How a product is computed. No member but `accumulate` changes a bit of the result.
struct MatMulOptions {
  bool accumulate = false; ///< C += A * B instead of C = A * B
  /// Products of as many operands, these numbers of elements apart; 0: all share the operand.
  std::size_t batches = 1;
  std::ptrdiff_t aBatch = 0, bBatch = 0, cBatch = 0;
  /// Most threads that take part, the calling one included. 0: as many as the pool has.
  unsigned threads = 1;
};

/// A right operand [k, n] in the order in which kernels read it, so that products with it need not
/// bring it there each time. Holds a copy; may be used by many threads at a time.
template <class T> class PackedMatrix {
public:
  PackedMatrix() = default;
  /// \param b  any strides. \throws poplar::poplar_error  a null pointer to elements, too many of
  ///        them.
  template <class From>
  requires std::is_same_v<std::remove_const_t<From>, T>
  explicit PackedMatrix(MatrixView<From> b);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  /// Columns j and j + 1 lie side by side, but for those of two panels.
  const T *data() const { return data_; }

private:
  std::size_t rows_ = 0, columns_ = 0;
  std::shared_ptr<T[]> memory_;
  const T *data_ = nullptr; ///< starts on a cache line
};

namespace detail {

template <class T>
inline constexpr bool IS_HALF = std::is_same_v<std::remove_const_t<T>, poplar::IeeeHalf> ||
                                std::is_same_v<std::remove_const_t<T>, poplar::half>;
template <class T>
concept Element = std::is_same_v < std::remove_const_t<T>,
float > || IS_HALF<T>;

template <class T> cottonwood::poplin::RawMatrix raw(MatrixView<T> const &m, std::ptrdiff_t batch) {
  return {m.data, m.rows, m.columns, m.rowStride, m.columnStride, batch, 0, IS_HALF<T>};
}
template <class T>
cottonwood::poplin::RawMatrix raw(PackedMatrix<T> const &m, std::ptrdiff_t batch) {
  constexpr auto PANEL = static_cast<std::ptrdiff_t>(cottonwood::poplin::RAW_PANEL);
  return {m.data(),
          m.rows(),
          m.columns(),
          PANEL,
          1,
          batch,
          PANEL * static_cast<std::ptrdiff_t>(m.rows()),
          IS_HALF<T>};
}

template <class A, class B, class C>
cottonwood::poplin::RawMatMul product(MatrixView<A> const &a, B const &b, MatrixView<C> const &c,
                                      MatMulOptions const &options) {
  return {raw(a, options.aBatch), raw(b, options.bBatch), raw(c, options.cBatch), c.data,
          options.batches,        options.threads,        options.accumulate};
}

} // namespace detail

/// C[i,j] (+)= sum over p of A[i,p] * B[p,j].
/// \param a  [m, k]  \param b  [k, n], elements of a's type
/// \param c  [m, n], overlaps neither; its rows or its columns must be contiguous and apart
/// \throws poplar::poplar_error  sizes that do not fit, strides of c that are not supported or make
///         its elements overlap, several products with one c, a null pointer to elements.
template <detail::Element A, detail::Element B, detail::Element C>
requires(detail::IS_HALF<A> == detail::IS_HALF<B> &&
         !std::is_const_v<C>) void matMul(MatrixView<A> a, MatrixView<B> b, MatrixView<C> c,
                                          MatMulOptions const &options = {}) {
  cottonwood::poplin::rawMatMul(detail::product(a, b, c, options));
}

/// The same with an operand that was packed before. The bits are those of the plain operand, but
/// for products of one row with an operand whose columns were contiguous: those are added in
/// another order when the operand is not packed. The rows of c must be contiguous.
template <detail::Element A, detail::Element B, detail::Element C>
requires(detail::IS_HALF<A> == detail::IS_HALF<B> &&
         !std::is_const_v<C>) void matMul(MatrixView<A> a, PackedMatrix<B> const &b,
                                          MatrixView<C> c, MatMulOptions const &options = {}) {
  cottonwood::poplin::rawMatMul(detail::product(a, b, c, options));
}

/// A convolution with its tables made in advance, for many runs on arrays of the same shape.
///   in       [N, ...field, groups * inputChannelsPerConvGroup]
///   weights  [...kernel, inputChannelsPerConvGroup, groups * outputChannelsPerConvGroup]
///   out      [N, ...output field, groups * outputChannelsPerConvGroup]
/// all contiguous, channels innermost. What params mean is said in ConvParams.hpp: stride,
/// dilation, padding, truncation, flips and groups, all of them.
class POP_API Convolution {
public:
  /// \param threads  as MatMulOptions::threads.
  /// \throws poputil::poplibs_error  params that are not valid; types other than float and half.
  explicit Convolution(ConvParams const &params, unsigned threads = 1);

  /// out = the convolution of in with weights; the types must be those of the params.
  /// \throws poplar::poplar_error  other types, or null pointers to elements.
  template <detail::Element In, detail::Element W, detail::Element Out>
  void operator()(In *in, W *weights, Out *out) const {
    run({in, detail::IS_HALF<In>}, {weights, detail::IS_HALF<W>}, {out, detail::IS_HALF<Out>}, out);
  }

  /// Elements of the three arrays.
  std::size_t inElements() const;
  std::size_t weightsElements() const;
  std::size_t outElements() const;

  cottonwood::poplin::RawConv const &impl() const { return *impl_; }

private:
  void run(cottonwood::poplin::RawArray in, cottonwood::poplin::RawArray weights,
           cottonwood::poplin::RawArray outType, void *out) const;

  std::shared_ptr<cottonwood::poplin::RawConv const> impl_;
};

/// Convolution(params, threads)(in, weights, out).
template <detail::Element In, detail::Element W, detail::Element Out>
void convolution(In *in, W *weights, Out *out, ConvParams const &params, unsigned threads = 1) {
  Convolution(params, threads)(in, weights, out);
}

template <class T> template <class From>
requires std::is_same_v<std::remove_const_t<From>, T>
PackedMatrix<T>::PackedMatrix(MatrixView<From> b) : rows_(b.rows), columns_(b.columns) {
  constexpr std::size_t PANEL = cottonwood::poplin::RAW_PANEL, LINE = 64;
  if (rows_ == 0 || columns_ == 0)
    return;
  char const *const where = "poplin::kernels::PackedMatrix";
  cottonwood::poplin::checkRaw(where, detail::raw(b, 0), "b");
  std::size_t const elements = cottonwood::poplin::packedElements(where, rows_, columns_);
  memory_ = std::shared_ptr<T[]>(new T[elements + LINE / sizeof(T)]);
  T *to = memory_.get();
  while (reinterpret_cast<std::uintptr_t>(to) % LINE != 0)
    ++to;
  data_ = to;
  for (std::size_t j = 0; j < columns_; j += PANEL)
    for (std::size_t p = 0; p < rows_; ++p, to += PANEL) {
      From *from = b.data + static_cast<std::ptrdiff_t>(p) * b.rowStride +
                   static_cast<std::ptrdiff_t>(j) * b.columnStride;
      std::size_t const width = std::min(PANEL, columns_ - j);
      for (std::size_t x = 0; x < width; ++x)
        to[x] = from[static_cast<std::ptrdiff_t>(x) * b.columnStride];
      std::fill(to + width, to + PANEL, T(0.0F));
    }
}

} // namespace poplin::kernels

#endif
#endif
