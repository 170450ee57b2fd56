/// \file SequenceSlice.hpp
/// Runs of rows copied to places known at run time.
///
/// Vertex (MultiVertex): popops::SequenceSlice<T>
///   for i, in order: out[outOffsets[i] + j] = in[inOffsets[i] + j], j in [0, counts[i])
/// Types: unsigned char, unsigned short, unsigned int, unsigned long long; others of these sizes
///   are reinterpreted.
/// Fields
///   in          Input<Vector<T, ONE_PTR>>  [inRows, inner]
///   out         InOut<Vector<T, SPAN>>     [rows, inner]: rows [begin, begin + rows) of the whole
///   counts, inOffsets, outOffsets  Input<Vector<unsigned>>  [n]
///   inRows, rows, begin, inner     unsigned
///   zeroUnused  unsigned, 0 or 1: out is set to zeros first
///
/// Each worker does a range of the rows of out.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>

#include <cstddef>

namespace cottonwood::vertices {

template <class Tag, class T> class SequenceSlice : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in;
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> counts;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> inOffsets, outOffsets;
  unsigned inRows, rows, begin, inner, zeroUnused;

  bool compute(unsigned worker) {
    const WorkerShare mine = workerShare(rows, worker, 1);
    const std::size_t row = inner * sizeof(T);
    unsigned char *to = reinterpret_cast<unsigned char *>(out.data());
    const unsigned char *from = reinterpret_cast<const unsigned char *>(in.data());
    if (mine.begin == mine.end)
      return true;
    if (zeroUnused)
      __builtin_memset(to + mine.begin * row, 0, (mine.end - mine.begin) * row);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      // Rows [first, last) of out, counted in the whole tensor.
      const std::size_t at = outOffsets[i], source = inOffsets[i];
      const std::size_t readable = source < inRows ? inRows - source : 0;
      const std::size_t length = counts[i] < readable ? counts[i] : readable;
      const std::size_t first = at > begin + mine.begin ? at : begin + mine.begin;
      const std::size_t last = at + length < begin + mine.end ? at + length : begin + mine.end;
      if (first < last)
        __builtin_memcpy(to + (first - begin) * row, from + (source + first - at) * row,
                         (last - first) * row);
    }
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct SequenceSliceFamily {
  static constexpr bool MOVES_BYTES = true;
  template <class Tag>
  using Vertices = VertexList<SequenceSlice<Tag, unsigned char>, SequenceSlice<Tag, unsigned short>,
                              SequenceSlice<Tag, unsigned>, SequenceSlice<Tag, unsigned long long>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
