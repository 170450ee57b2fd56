/// \file Cast.hpp
/// Conversion of elements.
///
/// Vertex (MultiVertex): popops::Cast<From, To>, out[i] = To(in[i]).
/// Types: any two different ones of float, half, int, unsigned int, short, unsigned short, char,
///   signed char, unsigned char, bool; and from each of these but float and half to long long and
///   unsigned long long.
/// Fields
///   in   Input<Vector<From, ONE_PTR>>    out.size() elements
///   out  Output<Vector<To, SPAN>>
///
/// Values: floating to integer truncates towards zero; to char, signed char and unsigned char it
/// saturates (NaN gives 0); to the other integers values that do not fit go through INT with
/// INT32_MIN (UNSIGNED_INT: 0xffffffff) for what does not fit there, and wrap from INT to 16 bits.
/// Integers narrow by dropping upper bits. Anything to bool is x != 0 (NaN true). To half rounds to
/// nearest even, overflow gives infinity; integers of 32 bits round once on the way to half.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/CastKernel.hpp>
#include <codelets/popops/StreamBytes.hpp>

namespace cottonwood::vertices {

template <class Tag, class From, class To> class Cast : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<From, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<To, poplar::VectorLayout::SPAN>> out;

  bool compute(Workers workers) {
    const WorkerShare share = workerShare(out.size(), workers, kernels::CAST_GRAIN);
    const bool past = out.size() * (sizeof(From) + sizeof(To)) >= kernels::detail::STREAM_BYTES &&
                      reinterpret_cast<std::uintptr_t>(out.data()) % 64 == 0;
    kernels::cast<Tag>(kernelPointer(in.data()) + share.begin,
                       kernelPointer(out.data()) + share.begin, share.end - share.begin, past);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct CastFamily {
  /// From one type to each of a list.
  template <class Tag, class From, class... To> using FromOne = VertexList<Cast<Tag, From, To>...>;
  /// From a floating type; from an integer type, which widens to 64 bits as well.
  template <class Tag, class From>
  using FromFloating = FromOne<Tag, From, float, poplar::half, int, unsigned, short, unsigned short,
                               char, signed char, unsigned char, bool>;
  template <class Tag, class From>
  using FromInteger =
      JoinLists<FromFloating<Tag, From>, FromOne<Tag, From, long long, unsigned long long>>;
  template <class Tag>
  using Vertices = JoinLists<FromFloating<Tag, float>, FromFloating<Tag, poplar::half>,
                             FromInteger<Tag, int>, FromInteger<Tag, unsigned>,
                             FromInteger<Tag, short>, FromInteger<Tag, unsigned short>,
                             FromInteger<Tag, char>, FromInteger<Tag, signed char>,
                             FromInteger<Tag, unsigned char>, FromInteger<Tag, bool>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
