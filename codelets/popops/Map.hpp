/// \file Map.hpp
/// Elementwise expressions: one vertex class runs any program of MapProgram.hpp.
///
/// Vertices (MultiVertex; Out is float, half, int, unsigned int or bool)
///   popops::Map<Out>          out[i] = program(operands at i)
///   popops::MapInPlace<Out>   the same; operands of source OUTPUT read out[i] before it is written
/// Fields
///   inFloat    Vector<Input<Vector<float, ONE_PTR>>, ONE_PTR>   regions by the operands' index
///   inHalf     …half      inInt  …int      inUnsigned  …unsigned int      inBool  …bool
///              lists that the program does not use are connected as lists of length 0
///   out        Output (InPlace: InOut) <Vector<Out, SPAN>>
///   program    Vector<unsigned, ONE_PTR>, the words that MapProgramBuilder::finish() gives
///   cyclesPer8 unsigned, mapCyclesPer8(program) of MapCost.hpp: read by the cost function only
/// Each input region holds what its operand's pattern reads (MapPattern): out.size() elements, or
/// fewer where it repeats. A region may be the very memory of `out` if its pattern is of full
/// length; any other overlap with `out` is not allowed.
///
/// Arithmetic: each operation on HALF rounds its result to half once. Results are the same bits on
/// every instruction set; docs/accuracy.md states their errors.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/MapKernel.hpp>

namespace cottonwood::vertices {

template <class T>
using MapInputs = poplar::Vector<poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>>,
                                 poplar::VectorLayout::ONE_PTR>;

/// The program runs on a worker's share of the elements in steps that keep scratch in L1.
template <class Tag, class Vertex> POP_SIMD_INLINE bool runMap(Vertex &v, Workers workers) {
  const void *const *inputs[NUM_MAP_TYPES] = {
      reinterpret_cast<const void *const *>(v.inFloat.data()),
      reinterpret_cast<const void *const *>(v.inHalf.data()),
      reinterpret_cast<const void *const *>(v.inInt.data()),
      reinterpret_cast<const void *const *>(v.inUnsigned.data()),
      reinterpret_cast<const void *const *>(v.inBool.data())};
  const WorkerShare share = workerShare(v.out.size(), workers, kernels::MAP_GRAIN);
  kernels::runMapProgram<Tag>(v.program.data(), inputs, v.out.data(), share.begin, share.end,
                              v.out.size());
  return true;
}

template <class Tag, class Out> class Map : public poplar::MultiVertex {
public:
  MapInputs<float> inFloat;
  MapInputs<poplar::half> inHalf;
  MapInputs<int> inInt;
  MapInputs<unsigned> inUnsigned;
  MapInputs<bool> inBool;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR> program;
  unsigned cyclesPer8;

  bool compute(Workers workers) { return runMap<Tag>(*this, workers); }
};

template <class Tag, class Out> class MapInPlace : public poplar::MultiVertex {
public:
  MapInputs<float> inFloat;
  MapInputs<poplar::half> inHalf;
  MapInputs<int> inInt;
  MapInputs<unsigned> inUnsigned;
  MapInputs<bool> inBool;
  poplar::InOut<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR> program;
  unsigned cyclesPer8;

  bool compute(Workers workers) { return runMap<Tag>(*this, workers); }
};

/// For the registry: every vertex class of this file.
struct MapFamily {
  static constexpr bool HALF_ARITHMETIC = true;
  template <class Tag>
  using Vertices =
      VertexList<Map<Tag, float>, Map<Tag, poplar::half>, Map<Tag, int>, Map<Tag, unsigned>,
                 Map<Tag, bool>, MapInPlace<Tag, float>, MapInPlace<Tag, poplar::half>,
                 MapInPlace<Tag, int>, MapInPlace<Tag, unsigned>, MapInPlace<Tag, bool>>;
  template <class Tag> static VertexEntries entries();
  /// The kernels behind the vertices, for callers without a graph.
  template <class Tag> static kernels::MapKernels kernels();
};

} // namespace cottonwood::vertices
