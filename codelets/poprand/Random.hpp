/// \file Random.hpp
/// Random numbers from a counter: element i of a tensor depends on its index i in the tensor, on
/// the seed and on the modifier only (Philox.hpp). The key is the seed; a counter is the number of
/// a block of four words (RandomKernel.hpp), the modifier and 0.
///
/// Vertices (MultiVertex)
///   poprand::Uniform<T>           clamp(location + (scale s + tail)), s uniform in [-1, 1]
///   poprand::Normal<T>            location + scale z, z standard normal
///   poprand::TruncatedNormal<T>   clamp(location + scale z), z between the tails' quantiles
///   poprand::LogUniform<T>        clamp(2^(location + scale s)), truncated if T is int
///   poprand::UniformInt           low + floor(range w / 2^32), w a word; range 0 means 2^32
///   poprand::Bernoulli<T>         value with probability threshold / 65536, else 0
///   poprand::Dropout<T>           scale * in with probability threshold / 65536, else 0
/// Types T: float, half; LogUniform and Bernoulli also int.
/// Fields
///   out          Output<Vector<T, SPAN>>
///   in           Input<Vector<T, ONE_PTR>>   out.size() elements (Dropout)
///   seed         Input<Vector<unsigned, ONE_PTR>>   2 elements; 4 with fromState: key and the
///                words that take the place of modifier and 0
///   modifier     unsigned
///   fromState    unsigned, 0 or 1
///   begin, run, stride   unsigned long long: out has runs of `run` neighbours of the tensor, the
///                first at index `begin`, each next one `stride` further
///   width        unsigned long long: 1: one run follows the other; above: so many runs lie side by
///                side, one element of each in turn
///   location, scale, low, high, tail   float; clamp(x) = min(high, max(low, x)); tail is the
///                probability outside the quantiles (TruncatedNormal), or what location lacks
///                to the middle where numbers lie far apart, else 0 (Uniform)
///
/// Reals are computed in float, by the same operations on every instruction set, and rounded to T
/// once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/poprand/RandomKernel.hpp>

namespace cottonwood::vertices {

using kernels::Distribution;

/// Runs a worker's share of the elements of a vertex.
template <class Tag, class Draw, class Vertex, class T>
POP_SIMD_INLINE bool runDraw(Vertex &v, const Draw &draw, const T *in, unsigned worker) {
  const unsigned *const seed = v.seed.data();
  const kernels::RandomStream stream{seed[0], seed[1], v.fromState ? seed[2] : v.modifier,
                                     v.fromState ? seed[3] : 0};
  const kernels::RandomRuns runs{v.begin, v.run, v.stride, v.width};
  const auto out = kernelPointer(v.out.data());
  if (v.width > 1) {
    const WorkerShare share = workerShare(v.out.size() / v.width, worker, kernels::RANDOM_GROUP);
    kernels::drawSideBySide<Tag>(draw, stream, runs, share.begin, share.end, in, out);
    return true;
  }
  const WorkerShare share = workerShare(v.out.size(), worker, kernels::RANDOM_GRAIN);
  kernels::drawRuns<Tag>(draw, stream, runs, share.begin, share.end, in, out);
  return true;
}

template <class Tag, Distribution D, class T> class RandomReal : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> seed;
  unsigned modifier, fromState;
  unsigned long long begin, run, stride, width;
  float location, scale, low, high, tail;

  bool compute(unsigned worker) {
    using K = KernelType<T>;
    const kernels::RealDraw<Tag, D, K> draw{location, scale, low, high, tail};
    return runDraw<Tag>(*this, draw, static_cast<const K *>(nullptr), worker);
  }
};

template <class Tag> class RandomInt : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<int, poplar::VectorLayout::SPAN>> out;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> seed;
  unsigned modifier, fromState;
  unsigned long long begin, run, stride, width;
  int low;
  unsigned range;

  bool compute(unsigned worker) {
    const kernels::IntDraw<Tag> draw{low, range};
    return runDraw<Tag>(*this, draw, static_cast<const int *>(nullptr), worker);
  }
};

/// Type of the value of a Bernoulli vertex.
template <class T> struct BernoulliValue { using type = T; };
template <> struct BernoulliValue<poplar::half> { using type = float; };

template <class Tag, class T> class Bernoulli : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> seed;
  unsigned modifier, fromState;
  unsigned long long begin, run, stride, width;
  typename BernoulliValue<T>::type value;
  unsigned threshold;

  bool compute(unsigned worker) {
    using K = KernelType<T>;
    const kernels::BernoulliDraw<Tag, K> draw{value, threshold};
    return runDraw<Tag>(*this, draw, static_cast<const K *>(nullptr), worker);
  }
};

template <class Tag, class T> class Dropout : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> seed;
  unsigned modifier, fromState;
  unsigned long long begin, run, stride, width;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in;
  float scale;
  unsigned threshold;

  bool compute(unsigned worker) {
    const kernels::DropoutDraw<Tag, KernelType<T>> draw{scale, threshold};
    return runDraw<Tag>(*this, draw, kernelPointer(in.data()), worker);
  }
};

/// For the registry: every vertex class of this file.
struct RandomFamily {
  template <class Tag, Distribution D>
  using Reals = VertexList<RandomReal<Tag, D, float>, RandomReal<Tag, D, poplar::half>>;
  template <class Tag>
  using Vertices =
      JoinLists<Reals<Tag, Distribution::UNIFORM>, Reals<Tag, Distribution::NORMAL>,
                Reals<Tag, Distribution::TRUNCATED_NORMAL>, Reals<Tag, Distribution::LOG_UNIFORM>,
                VertexList<RandomReal<Tag, Distribution::LOG_UNIFORM, int>, RandomInt<Tag>,
                           Bernoulli<Tag, float>, Bernoulli<Tag, poplar::half>, Bernoulli<Tag, int>,
                           Dropout<Tag, float>, Dropout<Tag, poplar::half>>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
