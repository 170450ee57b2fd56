/// \file QuarterCast.hpp
/// Conversion of elements to and from 8-bit floats, by the metadata of their tensors.
///
/// Vertex (MultiVertex): popops::Cast<From, To>, out[i] = To(in[i]), where one of the types is
///   quarter and the other float, half, char, signed char, unsigned char or quarter.
/// Fields
///   in   Input<Vector<From, ONE_PTR>>    out.size() elements
///   out  Output<Vector<To, SPAN>>
///
/// Values: a quarter is exact in float and rounds to nearest even in half; to the integers it
/// truncates and saturates (NaN gives 0). To quarter rounds to nearest even; infinities and what is
/// too large give NaN. From quarter to quarter the value is rounded by the metadata of `out`.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/CastKernel.hpp>
#include <codelets/popops/QuarterEdge.hpp>

namespace cottonwood::vertices {

namespace detail {

/// CAST_BLOCK elements as floats.
template <class Tag, class From>
POP_SIMD_INLINE void widenBlock(const From *in, kernels::QuarterLayout layout, float *wide) {
  constexpr std::size_t B = kernels::detail::CAST_BLOCK;
  if constexpr (IS_QUARTER<From>)
    for (std::size_t i = 0; i < B; ++i)
      wide[i] = kernels::decodeQuarter(in[i].value, layout);
  else
    kernels::cast<Tag>(kernelPointer(in), wide, B);
}

template <class Tag, class To>
POP_SIMD_INLINE void narrowBlock(const float *wide, kernels::QuarterLayout layout, To *out) {
  constexpr std::size_t B = kernels::detail::CAST_BLOCK;
  if constexpr (IS_QUARTER<To>)
    for (std::size_t i = 0; i < B; ++i)
      out[i].value = kernels::encodeQuarter(wide[i], layout);
  else
    kernels::cast<Tag>(wide, kernelPointer(out), B);
}

} // namespace detail

template <class Tag, class From, class To> class QuarterCast : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<From, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<To, poplar::VectorLayout::SPAN>> out;

  bool compute(Workers workers) {
    constexpr std::size_t B = kernels::detail::CAST_BLOCK;
    const WorkerShare share = workerShare(out.size(), workers, kernels::CAST_GRAIN);
    const kernels::QuarterLayout from = quarterLayoutOf(in), to = quarterLayoutOf(out);
    const From *const source = in.data();
    To *const destination = out.data();
    float wide[B];
    std::size_t i = share.begin;
    for (; i + B <= share.end; i += B) {
      detail::widenBlock<Tag>(source + i, from, wide);
      detail::narrowBlock<Tag>(wide, to, destination + i);
    }
    if (i < share.end) {
      const std::size_t rest = share.end - i;
      alignas(From) unsigned char first[B * sizeof(From)] = {};
      alignas(To) unsigned char last[B * sizeof(To)];
      __builtin_memcpy(first, source + i, rest * sizeof(From));
      detail::widenBlock<Tag>(reinterpret_cast<const From *>(first), from, wide);
      detail::narrowBlock<Tag>(wide, to, reinterpret_cast<To *>(last));
      __builtin_memcpy(static_cast<void *>(destination + i), last, rest * sizeof(To));
    }
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct QuarterCastFamily {
  template <class Tag, class... T>
  using Both = VertexList<QuarterCast<Tag, quarter, quarter>, QuarterCast<Tag, T, quarter>...,
                          QuarterCast<Tag, quarter, T>...>;
  template <class Tag>
  using Vertices = Both<Tag, float, poplar::half, char, signed char, unsigned char>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
