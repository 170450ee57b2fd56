/// \file Norm.hpp
/// Normalisations: statistics, and everything elementwise around them. T is float or half; sums,
/// means and coefficients are float.
///
/// Sums (MultiVertex) over a block [k1, r1, k2, r2] of memory, k1 and k2 kept; k1 follows from the
/// number of outputs:
///   poplin::NormSums<T>        first = sum of in, second = sum of in^2
///   poplin::NormProducts<T>    first = sum of a, second = sum of a b
///   poplin::NormDeviations<T>  second = sum of (in - centre)^2
///   poplin::NormStatistics<T>  mean, invStdDev = 1 / sqrt((variance + eps) factor)
/// Fields
///   in, a, b       Input<Vector<T, ONE_PTR>>   [k1, r1, k2, r2]
///   first, second  Output<Vector<float, SPAN>>   [k1, k2]
///   centre         Input<Vector<float, ONE_PTR>>   [k1, k2]
///   mean, invStdDev  Output<Vector<T, SPAN>>   [k1, k2]
///   r1, k2, r2     unsigned
///   eps, factor    float;   stable  unsigned: 0: variance = max(0, mean of in^2 - mean^2), else
///                  mean of (in - mean)^2
///   fetches      unsigned  1: what is read comes from memory: columns are fetched before, and by
///                NormStatistics rows of this vertex or the next, as NormFetch says
///
/// The order of additions is a function of the block alone, the same on every instruction set: rows
/// of at least 64 elements (or all rows, if r1 = 1) keep 32 partial results, element i of each row
/// goes to partial result i mod 32, folded by halves; shorter rows are added side by side, eight
/// rows at a time as a tree, then along r2.
///
/// Elementwise (MultiVertex), with coefficients of statistics s and of channels c; S is float or T:
///   poplin::NormWhiten<T,S>   out = (in - mean[s]) invStdDev[s]
///   poplin::Normalise<T,S>    whitened = that, out = whitened gamma[c] + beta[c]
///   poplin::NormAffine<T>     out = in gamma[c] + beta[c]
///   poplin::NormScale<T>      out = in gamma[c]
///   poplin::NormGradient<T>   out = invStdDev[s] (grads - whitened product[s] - mean[s])
/// Fields
///   in, grads, whitened   Input<Vector<T, ONE_PTR>>; out Output<Vector<T, SPAN>>; in Normalise
///                whitened is Output<Vector<T, ONE_PTR>>, and left out where it is null
///   mean ... product      Input<Vector<S, ONE_PTR>>, or of float where there is no S
///   gamma, beta           Input<Vector<float, ONE_PTR>>
///   table        Vector<unsigned>: of each dimension of the whole tensor in the order of memory:
///                its size, its strides in statistics and in channels
///   origin       the vertex's first element in that tensor
///   statBase, chanBase    what to add to the index of a coefficient
///
///   poplin::NormGradientRows<T>   out = invStdDev (g - whitened mean(g whitened) - mean(g)), g =
///                grads gamma, for rows [channels, field] that are a statistic each; gamma begins
///                at (firstGroup + row) % groups * channels
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/poplin/NormaliseRowsKernel.hpp>

namespace cottonwood::vertices {

template <class T> using NormIn = poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>>;
template <class T> using NormOut = poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>>;

/// The block of a vertex that is summed, with columns fetched but not rows.
POP_SIMD_INLINE kernels::NormBlock summedBlock(unsigned r1, unsigned k2, unsigned r2,
                                               unsigned fetches) {
  kernels::NormBlock block{r1, k2, r2};
  if (fetches != 0 && !kernels::sumsAlongRows(block))
    block.fetched = block.r1 * block.k2 * block.r2;
  return block;
}

/// A worker takes a share of the outputs. \tparam KIND  of the sums
template <class Tag, kernels::NormSum KIND, class T>
POP_SIMD_INLINE bool runNormSums(const kernels::NormBlock &block, const T *a, const T *b,
                                 const float *centre, float *first, float *second,
                                 std::size_t outputs, Workers workers) {
  const auto *in = kernelPointer(a), *other = kernelPointer(b);
  const std::size_t grain = kernels::sumsAlongRows(block) ? 1 : (64 + block.r2 - 1) / block.r2;
  const WorkerShare share = workerShare(outputs, workers, grain);
  for (std::size_t o = share.begin; o < share.end;) {
    const std::size_t n = kernels::normPiece(block, o, share.end);
    kernels::normSums<Tag, KIND>(block, in, other, centre ? centre + o : nullptr, o, n,
                                 first ? first + o : nullptr, second + o);
    o += n;
  }
  return true;
}

template <class Tag, class T> class NormSums : public poplar::MultiVertex {
public:
  NormIn<T> in;
  NormOut<float> first, second;
  unsigned r1, k2, r2, fetches;

  bool compute(Workers workers) {
    return runNormSums<Tag, kernels::NormSum::SQUARES>(summedBlock(r1, k2, r2, fetches), in.data(),
                                                       in.data(), nullptr, first.data(),
                                                       second.data(), second.size(), workers);
  }
};

template <class Tag, class T> class NormProducts : public poplar::MultiVertex {
public:
  NormIn<T> a, b;
  NormOut<float> first, second;
  unsigned r1, k2, r2, fetches;

  bool compute(Workers workers) {
    return runNormSums<Tag, kernels::NormSum::PRODUCTS>(summedBlock(r1, k2, r2, fetches), a.data(),
                                                        b.data(), nullptr, first.data(),
                                                        second.data(), second.size(), workers);
  }
};

template <class Tag, class T> class NormDeviations : public poplar::MultiVertex {
public:
  NormIn<T> in;
  NormIn<float> centre;
  NormOut<float> second;
  unsigned r1, k2, r2, fetches;

  bool compute(Workers workers) {
    return runNormSums<Tag, kernels::NormSum::DEVIATIONS>(
        summedBlock(r1, k2, r2, fetches), in.data(), in.data(), centre.data(), nullptr,
        second.data(), second.size(), workers);
  }
};

template <class Vertex> POP_SIMD_INLINE kernels::NormWalk normWalk(const Vertex &v) {
  return {v.table.data(), static_cast<unsigned>(v.table.size() / 3),
          static_cast<std::size_t>(v.origin), static_cast<std::ptrdiff_t>(v.statBase),
          static_cast<std::ptrdiff_t>(v.chanBase)};
}

/// A worker takes a share of the elements.
template <class Tag, class Op, class Vertex, class T, class S>
POP_SIMD_INLINE bool runNormApply(Vertex &v, kernels::NormOperands<T, S> data, Workers workers) {
  data.elements = v.out.size();
  const WorkerShare share = workerShare(v.out.size(), workers, 64);
  kernels::normApply<Tag, Op>(normWalk(v), data, share.begin, share.end);
  return true;
}

template <class Tag, class T, class S> class NormWhiten : public poplar::MultiVertex {
public:
  NormIn<T> in;
  NormIn<S> mean, invStdDev;
  NormOut<T> out;
  poplar::Vector<unsigned> table;
  long long origin, statBase, chanBase;

  bool compute(Workers workers) {
    const kernels::NormOperands<KernelType<T>, KernelType<S>> data{
        kernelPointer(in.data()),
        nullptr,
        {kernelPointer(mean.data()), kernelPointer(invStdDev.data())},
        {},
        kernelPointer(out.data()),
        nullptr,
        0};
    return runNormApply<Tag, kernels::NormWhitenOp>(*this, data, workers);
  }
};

template <class Tag, class T, class S> class Normalise : public poplar::MultiVertex {
public:
  NormIn<T> in;
  NormIn<S> mean, invStdDev;
  NormIn<float> gamma, beta;
  NormOut<T> out;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> whitened;
  poplar::Vector<unsigned> table;
  long long origin, statBase, chanBase;

  bool compute(Workers workers) {
    const kernels::NormOperands<KernelType<T>, KernelType<S>> data{
        kernelPointer(in.data()),
        nullptr,
        {kernelPointer(mean.data()), kernelPointer(invStdDev.data())},
        {gamma.data(), beta.data()},
        kernelPointer(out.data()),
        kernelPointer(whitened.data()),
        0};
    return data.out2 ? runNormApply<Tag, kernels::NormaliseOp>(*this, data, workers)
                     : runNormApply<Tag, kernels::NormaliseOnlyOp>(*this, data, workers);
  }
};

template <class Tag, class T> class NormStatistics : public poplar::MultiVertex {
public:
  NormIn<T> in;
  NormOut<T> mean, invStdDev;
  unsigned r1, k2, r2;
  float eps, factor;
  unsigned stable, fetches;

  bool computeWithNext(const codelet::VertexContext &context) {
    if (auto *const next = nextVertex<NormWhiten<Tag, T, T>>(context))
      return normaliseRows<kernels::NormWhitenOp>(*next, {nullptr, nullptr}, nullptr);
    if (auto *const next = nextVertex<Normalise<Tag, T, T>>(context)) {
      const float *const chan[] = {next->gamma.data(), next->beta.data()};
      return next->whitened.data()
                 ? normaliseRows<kernels::NormaliseOp>(*next, chan, next->whitened.data())
                 : normaliseRows<kernels::NormaliseOnlyOp>(*next, chan, nullptr);
    }
    return false;
  }

  bool compute(Workers workers) {
    const std::size_t bytes = mean.size() * r1 * r2 * sizeof(T);
    const kernels::NormBlock block{r1, k2, r2, fetches != 0 ? bytes : 0, kernels::normFetch()};
    const std::size_t grain = kernels::sumsAlongRows(block) ? 1 : (64 + r2 - 1) / r2;
    const WorkerShare share = workerShare(mean.size(), workers, grain);
    kernels::normStatistics<Tag>(block, rule(), kernelPointer(in.data()),
                                 kernelPointer(mean.data()), kernelPointer(invStdDev.data()),
                                 share.begin, share.end);
    return true;
  }

private:
  kernels::NormStatisticsRule rule() const {
    return {static_cast<float>(std::size_t{r1} * r2), eps, factor, stable != 0};
  }

  /// Both vertices row by row, if the other one normalises the rows that this one sums.
  template <class Op, class Next>
  bool normaliseRows(const Next &next, const float *const (&chan)[2], T *out2) {
    const std::size_t n = mean.size();
    if (r1 != 1 || k2 != 1 || next.in.data() != in.data() || next.out.size() != n * r2 ||
        next.mean.data() != mean.data() || next.invStdDev.data() != invStdDev.data())
      return false;
    const kernels::NormalisedRows<KernelType<T>> rows{kernelPointer(in.data()),
                                                      r2,
                                                      rule(),
                                                      kernelPointer(mean.data()),
                                                      kernelPointer(invStdDev.data()),
                                                      {chan[0], chan[1]},
                                                      kernelPointer(next.out.data()),
                                                      kernelPointer(out2),
                                                      fetches != 0};
    return kernels::normaliseRows<Tag, Op>(rows, normWalk(next), n);
  }
};

template <class Tag, class T> class NormAffine : public poplar::MultiVertex {
public:
  NormIn<T> in;
  NormIn<float> gamma, beta;
  NormOut<T> out;
  poplar::Vector<unsigned> table;
  long long origin, statBase, chanBase;

  bool compute(Workers workers) {
    const kernels::NormOperands<KernelType<T>> data{
        kernelPointer(in.data()),  nullptr, {}, {gamma.data(), beta.data()},
        kernelPointer(out.data()), nullptr, 0};
    return runNormApply<Tag, kernels::NormAffineOp>(*this, data, workers);
  }
};

template <class Tag, class T> class NormScale : public poplar::MultiVertex {
public:
  NormIn<T> in;
  NormIn<float> gamma;
  NormOut<T> out;
  poplar::Vector<unsigned> table;
  long long origin, statBase, chanBase;

  bool compute(Workers workers) {
    const kernels::NormOperands<KernelType<T>> data{
        kernelPointer(in.data()),  nullptr, {}, {gamma.data()},
        kernelPointer(out.data()), nullptr, 0};
    return runNormApply<Tag, kernels::NormScaleOp>(*this, data, workers);
  }
};

template <class Tag, class T> class NormGradient : public poplar::MultiVertex {
public:
  NormIn<T> grads, whitened;
  NormIn<float> invStdDev, product, mean;
  NormOut<T> out;
  poplar::Vector<unsigned> table;
  long long origin, statBase, chanBase;

  bool compute(Workers workers) {
    const kernels::NormOperands<KernelType<T>> data{kernelPointer(grads.data()),
                                                    kernelPointer(whitened.data()),
                                                    {invStdDev.data(), product.data(), mean.data()},
                                                    {},
                                                    kernelPointer(out.data()),
                                                    nullptr,
                                                    0};
    return runNormApply<Tag, kernels::NormGradientOp>(*this, data, workers);
  }
};

template <class Tag, class T> class NormGradientRows : public poplar::MultiVertex {
public:
  NormIn<T> whitened, grads;
  NormIn<float> invStdDev, gamma;
  NormOut<T> out;
  unsigned channels, field, groups;
  unsigned firstGroup; ///< that of the vertex's first row

  bool compute(Workers workers) {
    const std::size_t rows = out.size() / (std::size_t{channels} * field);
    const WorkerShare share = workerShare(rows, workers, 1);
    kernels::normGradientRows<Tag>({channels, field, groups, firstGroup},
                                   kernelPointer(whitened.data()), kernelPointer(grads.data()),
                                   invStdDev.data(), gamma.data(), kernelPointer(out.data()),
                                   share.begin, share.end);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct NormFamily {
  template <class Tag, class T>
  using Forms = VertexList<NormSums<Tag, T>, NormProducts<Tag, T>, NormDeviations<Tag, T>,
                           NormStatistics<Tag, T>, NormWhiten<Tag, T, float>,
                           Normalise<Tag, T, float>, NormAffine<Tag, T>, NormScale<Tag, T>,
                           NormGradient<Tag, T>, NormGradientRows<Tag, T>>;
  template <class Tag>
  using Vertices = JoinLists<Forms<Tag, float>, Forms<Tag, poplar::half>,
                             VertexList<NormWhiten<Tag, poplar::half, poplar::half>,
                                        Normalise<Tag, poplar::half, poplar::half>>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
