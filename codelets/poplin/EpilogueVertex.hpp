/// \file EpilogueVertex.hpp
/// Vertices whose sums pass through an epilogue (Epilogue.hpp) of type E. The sums come from the
/// kernels of the set in use, whatever set the vertices are compiled for.
///
/// poplin::MatMulWith<In, Out, E>        poplin::MatMul of MatMulVertex.hpp and
/// poplin::ConvWith<Weights, Out, E>     poplin::Conv of ConvVertex.hpp and
/// poplin::ConvChannelsWith<In, Out, E>  poplin::ConvChannels, each with the fields
///   functor    Vector<unsigned>: the bytes of the epilogue
///   floats, halves   Vector<Input<Vector<T, ONE_PTR>>>: the runs that hold its operands
///   operands   Vector<long long>: for each operand whether it is half, its index in its list, and
///              the offset and distances of groups, rows and columns in its run
///   place      Vector<unsigned>: of a product, the first group, row and column, and 1 if the
///              transposed product is computed; of a convolution, what ConvRowsOf reads
///
/// poplin::Finish<Sum, Out, E>           for tiles of an IPU (MultiVertex): sums that were computed
///   sums, out  before, in segments of rows
///   floats, halves   for each segment the elements of each operand that belong to it
///   operands   for each operand whether it is half, and its index among those
///   segments   Vector<unsigned>: for each segment its group, row, first column and size
#pragma once

#include <codelets/arch/FunctorBytes.hpp>
#include <codelets/poplin/ActiveKernels.hpp>
#include <codelets/poplin/ConvVertex.hpp>
#include <codelets/poplin/Epilogue.hpp>
#include <codelets/poplin/MatMulVertex.hpp>

namespace cottonwood::vertices {

/// Numbers of an operand in `operands`.
inline constexpr unsigned EPILOGUE_OPERAND_NUMBERS = 6;

template <class Fields> class EpilogueFields : public Fields {
public:
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>>> floats;
  poplar::Vector<poplar::Input<poplar::Vector<poplar::half, poplar::VectorLayout::ONE_PTR>>> halves;
  poplar::Vector<long long> operands;
  poplar::Vector<unsigned> functor;
  poplar::Vector<unsigned> place;

protected:
  /// The operands as group `g` of the result sees them.
  POP_SIMD_INLINE void readOperands(kernels::EpilogueOperands &to, std::size_t g) {
    for (unsigned i = 0; i * EPILOGUE_OPERAND_NUMBERS < operands.size(); ++i) {
      const long long *numbers = operands.data() + i * EPILOGUE_OPERAND_NUMBERS;
      const auto index = static_cast<unsigned>(numbers[1]);
      const long long offset = numbers[2] + static_cast<long long>(g) * numbers[3];
      const bool isHalf = numbers[0] != 0;
      to[i].data = isHalf ? static_cast<const void *>(kernelPointer(halves[index].data()) + offset)
                          : floats[index].data() + offset;
      to[i].row = static_cast<std::ptrdiff_t>(numbers[4]);
      to[i].column = static_cast<std::ptrdiff_t>(numbers[5]);
      to[i].isHalf = isHalf;
    }
  }
};

template <class Tag, class In, class Out, class E>
class MatMulWith : public EpilogueFields<MatMulFields<In, Out>> {
public:
  bool compute() {
    const FunctorBytes<E> epilogue(this->functor.data());
    const auto kernel = kernels::activeMatMulKernels().finished<KernelType<In>, KernelType<Out>>();
    const unsigned *const from = this->place.data();
    const bool transposed = from[3] != 0;
    const std::size_t row = transposed ? from[2] : from[1], column = from[1] + from[2] - row;
    for (unsigned g = 0; g < this->batches; ++g) {
      kernels::EpilogueOperands list;
      const std::size_t group = from[0] + std::size_t{g};
      this->readOperands(list, group);
      const kernels::EpilogueContext<E> context{epilogue.get(), list.data(), group,
                                                {row},          column,      transposed};
      kernel(this->product(g), this->blocking(), this->workspace.data(),
             context.template finish<Tag>());
    }
    return true;
  }
};

/// Outputs of a part of a convolution as rows of the result, which are its batch and field in
/// row-major order. Read from `place`: sizes of the second dimension of the part on, then for each
/// dimension where the part begins and the size of the whole.
struct ConvRowsOf {
  static constexpr unsigned DIMS = 4; ///< batch, two dimensions of the field, the others as one
  const unsigned *sizes;              ///< of the part: DIMS - 1 numbers
  const unsigned *begins, *wholes;    ///< DIMS numbers each

  POP_SIMD_INLINE explicit ConvRowsOf(const unsigned *place)
      : sizes(place), begins(place + DIMS - 1), wholes(begins + DIMS) {}

  POP_SIMD_INLINE std::size_t operator()(std::size_t pixel) const {
    std::size_t index[DIMS];
    for (unsigned d = DIMS - 1; d > 0; --d) {
      index[d] = pixel % sizes[d - 1];
      pixel /= sizes[d - 1];
    }
    index[0] = pixel;
    std::size_t row = 0;
    for (unsigned d = 0; d < DIMS; ++d)
      row = row * wholes[d] + begins[d] + index[d];
    return row;
  }
};
/// Numbers that ConvRowsOf reads; the first column follows them.
inline constexpr unsigned CONV_PLACE_COLUMN = 3 * ConvRowsOf::DIMS - 1;

template <class Fields, class E> class ConvEpilogueFields : public EpilogueFields<Fields> {
protected:
  POP_SIMD_INLINE kernels::EpilogueContext<E, ConvRowsOf> context(const FunctorBytes<E> &epilogue,
                                                                  kernels::EpilogueOperands &list) {
    this->readOperands(list, 0);
    const unsigned *const from = this->place.data();
    return {epilogue.get(), list.data(), 0, ConvRowsOf(from), from[CONV_PLACE_COLUMN], false};
  }
};

template <class Tag, class Weights, class Out, class E>
class ConvWith : public ConvEpilogueFields<ConvFields<float, Weights, Out>, E> {
public:
  bool compute() {
    const FunctorBytes<E> epilogue(this->functor.data());
    kernels::EpilogueOperands list;
    const auto args = this->args();
    const auto &known =
        kernels::activeConvKernels().finished<KernelType<Weights>, KernelType<Out>>();
    known.groups(args, this->context(epilogue, list).template finish<Tag>());
    return true;
  }
};

template <class Tag, class In, class Out, class E>
class ConvChannelsWith : public ConvEpilogueFields<ConvFields<In, In, Out>, E> {
public:
  bool compute() {
    const FunctorBytes<E> epilogue(this->functor.data());
    kernels::EpilogueOperands list;
    const auto args = this->args();
    const auto &known = kernels::activeConvKernels().finished<KernelType<In>, KernelType<Out>>();
    known.channels(args, this->context(epilogue, list).template finish<Tag>());
    return true;
  }
};

template <class Tag, class Sum, class Out, class E> class Finish : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<Sum, poplar::VectorLayout::ONE_PTR>>> sums;
  poplar::Vector<poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>>> out;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>>> floats;
  poplar::Vector<poplar::Input<poplar::Vector<poplar::half, poplar::VectorLayout::ONE_PTR>>> halves;
  poplar::Vector<unsigned> operands;
  poplar::Vector<unsigned> functor;
  poplar::Vector<unsigned> segments;

  /// Workers take segments in turn.
  bool compute(unsigned worker) {
    const FunctorBytes<E> epilogue(functor.data());
    kernels::EpilogueOperands list;
    for (std::size_t s = worker; s < sums.size(); s += numWorkers())
      segment(epilogue, list, s);
    return true;
  }

private:
  POP_SIMD_INLINE void segment(const FunctorBytes<E> &epilogue, kernels::EpilogueOperands &list,
                               std::size_t s) {
    const unsigned *const place = segments.data() + 4 * s;
    const std::size_t row = place[1], column = place[2], n = place[3];
    const std::size_t numOperands = operands.size() / 2;
    const std::size_t numFloats = floats.size() / sums.size();
    const std::size_t numHalves = halves.size() / sums.size();
    for (std::size_t i = 0; i < numOperands; ++i) {
      const bool isHalf = operands[2 * i] != 0;
      const std::size_t index = operands[2 * i + 1];
      list[i].data =
          isHalf ? static_cast<const void *>(kernelPointer(halves[s * numHalves + index].data()))
                 : floats[s * numFloats + index].data();
      list[i].row = 0, list[i].column = 1, list[i].isHalf = isHalf;
    }
    run(epilogue.get(), list.data(), place[0], row, column, kernelPointer(sums[s].data()), n,
        kernelPointer(out[s].data()));
  }

  template <class TSum, class TOut>
  POP_SIMD_INLINE static void run(const E *epilogue, const kernels::EpilogueOperand *list,
                                  std::size_t group, std::size_t row, std::size_t column,
                                  const TSum *sums, std::size_t n, TOut *to) {
    using V = simd<float, Tag>;
    constexpr std::size_t W = static_cast<std::size_t>(V::width);
    for (std::size_t x = 0; x < n; x += W) {
      const std::size_t lanes = n - x < W ? n - x : W;
      const V sum = lanes == W ? V::load(sums + x) : V::loadPartial(sums + x, lanes);
      const kernels::EpilogueAt<V> at(list, group, row, column + x, lanes, false, column);
      const V result = (*epilogue)(sum, at);
      if (lanes == W)
        result.store(to + x);
      else
        result.storePartial(to + x, lanes);
    }
  }
};

/// The vertices of products with an epilogue, for all element types.
template <class Tag, class E>
using MatMulWithVertices =
    VertexList<MatMulWith<Tag, float, float, E>, MatMulWith<Tag, poplar::half, poplar::half, E>,
               MatMulWith<Tag, poplar::half, float, E>, MatMulWith<Tag, float, poplar::half, E>>;
/// And of convolutions.
template <class Tag, class E>
using ConvWithVertices = VertexList<
    ConvWith<Tag, float, float, E>, ConvWith<Tag, poplar::half, poplar::half, E>,
    ConvWith<Tag, poplar::half, float, E>, ConvWith<Tag, float, poplar::half, E>,
    ConvChannelsWith<Tag, float, float, E>, ConvChannelsWith<Tag, poplar::half, poplar::half, E>,
    ConvChannelsWith<Tag, poplar::half, float, E>, ConvChannelsWith<Tag, float, poplar::half, E>>;
/// And of sums that are there already.
template <class Tag, class E>
using FinishVertices =
    VertexList<Finish<Tag, float, float, E>, Finish<Tag, float, poplar::half, E>,
               Finish<Tag, poplar::half, poplar::half, E>, Finish<Tag, poplar::half, float, E>>;

} // namespace cottonwood::vertices
