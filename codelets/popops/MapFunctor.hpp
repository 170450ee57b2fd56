/// \file MapFunctor.hpp
/// Elementwise functions of applications: F is the functor, Kinds those of its operands
/// (MapFunctorKernel.hpp).
///
/// Vertices (MultiVertex)
///   popops::MapWith<Out, Kinds..., F>          out[i] = f(operands at i)
///   popops::MapWithInPlace<Out, Kinds..., F>   the same; operands of source OUTPUT read out[i]
///                                              before it is written
/// Fields
///   inFloat, inHalf, inInt, inUnsigned, inBool, out   as those of popops::Map
///   operands   Vector<unsigned, ONE_PTR>: MAP_FUNCTOR_OPERAND_WORDS words an operand
///   functor    Vector<unsigned, ONE_PTR>: the bytes of the functor
///   cyclesPer8 unsigned: read by the cost function only
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/FunctorBytes.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/MapFunctorKernel.hpp>

namespace cottonwood::vertices {

/// Words of an operand: type | source << 8 | index << 16, then its pattern.
inline constexpr unsigned MAP_FUNCTOR_OPERAND_WORDS = 4;

POP_SIMD_INLINE MapOperand mapFunctorOperand(const unsigned *words) {
  MapOperand o;
  o.type = static_cast<MapType>(words[0] & 0xffu);
  o.source = static_cast<MapSource>((words[0] >> 8) & 0xffu);
  o.index = static_cast<std::uint16_t>(words[0] >> 16);
  o.pattern = {words[1], words[2], words[3]};
  return o;
}

template <class T>
using MapFunctorInputs =
    poplar::Vector<poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>>,
                   poplar::VectorLayout::ONE_PTR>;

/// The type of a vertex's elements as a MapType.
template <class T>
inline constexpr MapType MAP_TYPE_OF = std::is_same_v<T, float>          ? MapType::FLOAT
                                       : std::is_same_v<T, poplar::half> ? MapType::HALF
                                       : std::is_same_v<T, int>          ? MapType::INT
                                       : std::is_same_v<T, unsigned>     ? MapType::UNSIGNED_INT
                                                                         : MapType::BOOL;

/// Elements that a worker context takes at least.
inline constexpr std::size_t MAP_FUNCTOR_GRAIN = 256;

template <class Tag, class F, class Out, class... Kinds, class Vertex>
POP_SIMD_INLINE bool runMapFunctor(Vertex &v, Workers workers) {
  using Result = kernels::detail::MapResult<F, Tag, Kinds...>;
  const FunctorBytes<F> functor(v.functor.data());
  const void *const *const inputs[NUM_MAP_TYPES] = {
      reinterpret_cast<const void *const *>(v.inFloat.data()),
      reinterpret_cast<const void *const *>(v.inHalf.data()),
      reinterpret_cast<const void *const *>(v.inInt.data()),
      reinterpret_cast<const void *const *>(v.inUnsigned.data()),
      reinterpret_cast<const void *const *>(v.inBool.data())};
  constexpr unsigned COUNT = sizeof...(Kinds);
  const bool isFloating[COUNT] = {std::is_same_v<Kinds, float>...};
  MapOperand operands[COUNT];
  for (unsigned k = 0; k < COUNT; ++k)
    operands[k] = mapFunctorOperand(v.operands.data() + k * MAP_FUNCTOR_OPERAND_WORDS);
  const kernels::MapFunctorArgs args{
      functor.get(), operands,         isFloating,
      COUNT,         inputs,           v.out.data(),
      v.out.size(),  MAP_TYPE_OF<Out>, std::is_same_v<Result, float>};
  const WorkerShare share = workerShare(v.out.size(), workers, MAP_FUNCTOR_GRAIN);
  if (share.begin < share.end)
    kernels::detail::MapFunctorRun<Tag>(kernels::mapFunctorKernels<Tag, F, Kinds...>(), args)
        .run(share.begin, share.end);
  return true;
}

template <class Tag, class F, class Out, class... Kinds>
class MapWith : public poplar::MultiVertex {
public:
  MapFunctorInputs<float> inFloat;
  MapFunctorInputs<poplar::half> inHalf;
  MapFunctorInputs<int> inInt;
  MapFunctorInputs<unsigned> inUnsigned;
  MapFunctorInputs<bool> inBool;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR> operands;
  poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR> functor;
  unsigned cyclesPer8;

  bool compute(Workers workers) { return runMapFunctor<Tag, F, Out, Kinds...>(*this, workers); }
};

template <class Tag, class F, class Out, class... Kinds>
class MapWithInPlace : public poplar::MultiVertex {
public:
  MapFunctorInputs<float> inFloat;
  MapFunctorInputs<poplar::half> inHalf;
  MapFunctorInputs<int> inInt;
  MapFunctorInputs<unsigned> inUnsigned;
  MapFunctorInputs<bool> inBool;
  poplar::InOut<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR> operands;
  poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR> functor;
  unsigned cyclesPer8;

  bool compute(Workers workers) { return runMapFunctor<Tag, F, Out, Kinds...>(*this, workers); }
};

/// The vertices of a functor whose result is of kind Result.
template <class Tag, class F, class Result, class... Kinds> struct MapFunctorVertices {
  using Out = std::conditional_t<std::is_same_v<Result, half>, poplar::half, Result>;
  using type = VertexList<MapWith<Tag, F, Out, Kinds...>, MapWithInPlace<Tag, F, Out, Kinds...>>;
};
template <class Tag, class F, class... Kinds> struct MapFunctorVertices<Tag, F, float, Kinds...> {
  using type = VertexList<MapWith<Tag, F, float, Kinds...>, MapWithInPlace<Tag, F, float, Kinds...>,
                          MapWith<Tag, F, poplar::half, Kinds...>,
                          MapWithInPlace<Tag, F, poplar::half, Kinds...>>;
};

} // namespace cottonwood::vertices
