#pragma once

#include <popops/SequenceSlice.hpp>
#include <popops/impl/SliceCall.hpp>
#include <popops/impl/SliceLayout.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

struct SequenceSliceJob {
  Tensor in, out;                       ///< [rows, inner], elements of a byte-moving type
  Tensor counts, inOffsets, outOffsets; ///< [n]
  bool zeroUnused = false;
};

POP_INLINE SequenceSliceJob sequenceSliceJob(::poplar::Graph const &graph, Tensor const &in,
                                             Tensor const &out, Tensor const &counts,
                                             Tensor const &inOffsets, Tensor const &outOffsets,
                                             bool zeroUnused) {
  using ::poplar::graph_connection_error;
  constexpr char WHERE[] = "popops::sequenceSlice";
  for (Tensor const *t : {&in, &out, &counts, &inOffsets, &outOffsets})
    if (!t->valid())
      base::fail<graph_connection_error>(WHERE, "an argument is an invalid tensor");
  auto const rowSize = [](Tensor const &t) {
    Sizes const shape = t.shape();
    return poputil::product({shape.begin() + 1, shape.end()});
  };
  if (in.rank() < 2 || out.rank() < 2 || rowSize(in) != rowSize(out))
    base::fail<graph_connection_error>(WHERE, "'tIn' has shape ", base::shapeText(in.shape()),
                                       " and 'tOut' ", base::shapeText(out.shape()),
                                       "; they must have rank 2 or more and rows of as many "
                                       "elements");
  if (in.elementType() != out.elementType())
    base::fail<graph_connection_error>(WHERE, "'tIn' is ", in.elementType(), " and 'tOut' ",
                                       out.elementType(), "; they must have the same type");
  if (counts.rank() != 1 || inOffsets.shape() != counts.shape() ||
      outOffsets.shape() != counts.shape())
    base::fail<graph_connection_error>(
        WHERE, "'tN', 'tInOffset' and 'tOutOffset' have shapes ", base::shapeText(counts.shape()),
        ", ", base::shapeText(inOffsets.shape()), " and ", base::shapeText(outOffsets.shape()),
        "; they must be [n] for the same n");
  if (!out.isParallelWriteable())
    base::fail<graph_connection_error>(WHERE, "'tOut' has aliases or constants");
  auto const unsignedValues = [&](char const *name, Tensor const &t) {
    if (t.elementType() != ::poplar::INT && t.elementType() != ::poplar::UNSIGNED_INT)
      base::fail<graph_connection_error>(WHERE, "'", name, "' is ", t.elementType(),
                                         "; it must be unsigned int or int");
    return t.reinterpret(::poplar::UNSIGNED_INT);
  };
  SequenceSliceJob job;
  auto const type = bytesType(graph, in.elementType());
  job.in = in.flatten(1, in.rank()).reinterpret(type);
  job.out = out.flatten(1, out.rank()).reinterpret(type);
  job.counts = unsignedValues("tN", counts);
  job.inOffsets = unsignedValues("tInOffset", inOffsets);
  job.outOffsets = unsignedValues("tOutOffset", outOffsets);
  job.zeroUnused = zeroUnused;
  return job;
}

POP_INLINE void addSequenceSlice(::poplar::Graph &graph, ::poplar::ComputeSet cs,
                                 SequenceSliceJob const &job, SliceCell const &cell) {
  auto const columnsOf = [&](Tensor const &t) {
    return ::poplar::concat(t.slices(cell.columns, 1), 1);
  };
  Tensor const in = columnsOf(job.in), out = columnsOf(job.out.slice(cell.rows));
  auto const v =
      graph.addVertex(cs, ::poputil::templateVertex("popops::SequenceSlice", in.elementType()),
                      {{"in", in.flatten()},
                       {"out", out.flatten()},
                       {"counts", job.counts},
                       {"inOffsets", job.inOffsets},
                       {"outOffsets", job.outOffsets}});
  auto const set = [&](char const *field, std::size_t value) {
    graph.setInitialValue(v[field], static_cast<unsigned>(value));
  };
  set("inRows", in.dim(0));
  set("rows", out.dim(0));
  set("begin", cell.rows.begin());
  set("inner", in.dim(1));
  set("zeroUnused", job.zeroUnused ? 1 : 0);
  graph.setTileMapping(v, cell.tile);
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE void sequenceSlice(poplar::Graph &graph, poplar::Tensor const &tIn,
                              poplar::Tensor const &tOut, poplar::Tensor const &tN,
                              poplar::Tensor const &tInOffset, poplar::Tensor const &tOutOffset,
                              bool zeroUnused, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext) {
  namespace ours = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "sequenceSlice");
  auto job =
      ours::detail::sequenceSliceJob(graph, tIn, tOut, tN, tInOffset, tOutOffset, zeroUnused);
  if (tOut.numElements() == 0)
    return;
  cottonwood::poputil::readBeforeWrites(
      graph, {&job.in, &job.counts, &job.inOffsets, &job.outOffsets}, job.out, prog, {di});
  poplar::ComputeSet const cs = graph.addComputeSet({di});
  if (ours::isOneTile(graph)) {
    ours::SliceCell whole;
    whole.rows = {0, job.out.dim(0)};
    whole.columns = {{0, job.out.dim(1)}};
    ours::detail::addSequenceSlice(graph, cs, job, whole);
  } else {
    for (ours::SliceCell const &cell : ours::gridOf(graph, job.out).cells)
      ours::detail::addSequenceSlice(graph, cs, job, cell);
  }
  prog.add(poplar::program::Execute(cs, {di}));
}

} // namespace popops
