#pragma once

#include <popops/Fill.hpp>
#include <popops/Zero.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckWriteable.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Half.hpp>
#include <poplar/impl/base/QuarterBits.hpp>

#include <cstring>

namespace cottonwood::popops::detail {

using ::poplar::Type;

/// `value` as an element of the type: converted as C++ converts, halves rounded to nearest even.
template <class Value>
void setFillValue(::poplar::Graph &graph, ::poplar::FieldRef field, Type const &type, Value value) {
  switch (type.id()) {
  case base::TypeId::Half:
    return graph.setInitialValueHalf(field, base::doubleToHalf(static_cast<double>(value)));
  case base::TypeId::Float:
    return graph.setInitialValue(field, static_cast<float>(value));
  case base::TypeId::Bool:
    return graph.setInitialValue(field, value != Value(0));
  case base::TypeId::UnsignedLongLong:
    return graph.setInitialValue(field, static_cast<unsigned long long>(value));
  case base::TypeId::LongLong:
    return graph.setInitialValue(field, static_cast<long long>(value));
  default:
    break;
  }
  // Narrower integers drop upper bits.
  auto const bits = static_cast<unsigned long long>(static_cast<long long>(value));
  switch (type.id()) {
  case base::TypeId::UnsignedInt:
    return graph.setInitialValue(field, static_cast<unsigned>(bits));
  case base::TypeId::Int:
    return graph.setInitialValue(field, static_cast<int>(bits));
  case base::TypeId::UnsignedShort:
    return graph.setInitialValue(field, static_cast<unsigned short>(bits));
  case base::TypeId::Short:
    return graph.setInitialValue(field, static_cast<short>(bits));
  case base::TypeId::UnsignedChar:
    return graph.setInitialValue(field, static_cast<unsigned char>(bits));
  default:
    return graph.setInitialValue(field, static_cast<signed char>(bits));
  }
}

POP_INLINE void checkFill(char const *where, Tensor const &t) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "the tensor is invalid");
  switch (t.elementType().id()) {
  case base::TypeId::QuarterMetadata:
  case base::TypeId::Long:
  case base::TypeId::UnsignedLong:
    base::fail<::poputil::poplibs_error>(
        where, "the tensor is of type ", t.elementType(),
        "; allowed: float, half, bool, and integers but long and unsigned long");
  default:
    break;
  }
}

/// The bits of a value of QUARTER, if the metadata are a constant or do not matter.
template <class Value> bool quarterBits(Tensor const &t, Value value, std::uint8_t &bits) {
  unsigned char binary = 0;
  if (!t.getMetadata().getConstantValue(&binary) && value != Value(0))
    return false;
  bits = base::doubleToQuarter(static_cast<double>(value), ::poplar::QuarterMetadata(binary), true);
  return true;
}

template <class Value>
void addFillVertex(::poplar::Graph &graph, Tensor const &flat, unsigned tile,
                   ::poplar::ComputeSet cs, Value value) {
  ::poplar::VertexRef v;
  if (flat.elementType() == ::poplar::QUARTER) {
    std::uint8_t bits = 0;
    if (quarterBits(flat, value, bits))
      return addFillVertex(graph, flat.reinterpret(::poplar::UNSIGNED_CHAR), tile, cs,
                           static_cast<unsigned>(bits));
    Tensor const one = graph.addConstant(::poplar::FLOAT, {1}, static_cast<float>(value));
    graph.setTileMapping(one, tile);
    v = graph.addVertex(
        cs, "popops::Cast<float,quarter>",
        {{"in", one.broadcast(static_cast<unsigned>(flat.numElements()), 0)}, {"out", flat}});
  } else {
    v = graph.addVertex(cs, ::poputil::templateVertex("popops::Fill", flat.elementType()),
                        {{"out", flat}});
    setFillValue(graph, v["value"], flat.elementType(), value);
  }
  graph.setTileMapping(v, tile);
}

template <class Value>
void fillRegions(char const *where, ::poplar::Graph &graph, Tensor const &t,
                 std::vector<::poplar::Interval> const &regions, unsigned tile,
                 ::poplar::ComputeSet cs, Value value) {
  checkFill(where, t);
  for (::poplar::Interval const &region : regions)
    if (region.begin() > region.end() || region.end() > t.numElements())
      base::fail<::poputil::poplibs_error>(
          where, "the region [", region.begin(), ", ", region.end(),
          ") is out of range for the tensor of shape ", base::shapeText(t.shape()), ", which has ",
          t.numElements(), " elements");
  if (::poputil::intervalSequenceNumElements({regions}) == 0)
    return;
  Tensor const flat = t.flatten();
  Tensor const part =
      regions.size() == 1 ? flat.slice(regions[0]) : ::poplar::concat(flat.slices(regions));
  poputil::checkWriteable(where, "the regions", part);
  addFillVertex(graph, part, tile, cs, value);
}

template <class Value>
void fillOnTile(char const *where, ::poplar::Graph &graph, Tensor const &t, unsigned tile,
                ::poplar::ComputeSet cs, Value value) {
  checkFill(where, t);
  poputil::checkWriteable(where, "the tensor", t);
  if (t.numElements() != 0)
    addFillVertex(graph, t.flatten(), tile, cs, value);
}

template <class Value>
void fillMapped(char const *where, ::poplar::Graph &graph, Tensor const &t,
                ::poplar::Graph::TileToTensorMapping const &mapping, ::poplar::ComputeSet cs,
                Value value) {
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    fillRegions(where, graph, t, mapping[tile], tile, cs, value);
}

template <class Value>
void fillAll(char const *where, ::poplar::Graph &graph, Tensor const &t,
             ::poplar::program::Sequence &prog, Value value,
             ::poplar::DebugContext const &debugContext) {
  checkFill(where, t);
  poputil::checkWriteable(where, "the tensor", t);
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "fill");
  if (t.numElements() == 0)
    return;
  // The vertex is faster than a copy of a constant, but needs addCodelets; a copy does not.
  if (!graph.hasCodelet("popops::Fill<float>")) {
    auto const traits = ::poplar::TypeTraits::make<Value>();
    Tensor const constant =
        graph.addConstant(t.elementType(), t.getMetadata(), t.shape(),
                          static_cast<void const *>(&value), traits, true, {di});
    graph.setTileMapping(constant, 0);
    prog.add(::poplar::program::Copy(constant, t, false, {di}));
    return;
  }
  Tensor const flat = elementOrder(graph, t).flat(t);
  planner::ElementWiseProblem problem;
  problem.elements = flat.numElements();
  auto const plan = planner::planElementWise(problem, crewOf(graph.getTarget()));
  ::poplar::ComputeSet const cs = graph.addComputeSet({di});
  for (auto const &share : sharesOf(graph, flat, plan))
    addFillVertex(graph, partOf(flat, share), share.tile, cs, value);
  prog.add(::poplar::program::Execute(cs, {di}));
}

} // namespace cottonwood::popops::detail

namespace popops {

template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor t, std::vector<poplar::Interval> const &tileRegions,
          unsigned tile, poplar::ComputeSet fillCS, FillValueType fillValue) {
  cottonwood::popops::detail::fillRegions("popops::fill", graph, t, tileRegions, tile, fillCS,
                                          fillValue);
}

template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor const &t, unsigned tile, poplar::ComputeSet fillCS,
          FillValueType fillValue) {
  cottonwood::popops::detail::fillOnTile("popops::fill", graph, t, tile, fillCS, fillValue);
}

template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor const &t,
          std::vector<std::vector<poplar::Interval>> const &mapping, poplar::ComputeSet fillCS,
          FillValueType fillValue) {
  cottonwood::popops::detail::fillMapped("popops::fill", graph, t, mapping, fillCS, fillValue);
}

template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor const &t, poplar::program::Sequence &prog,
          FillValueType fillValue, poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::fillAll("popops::fill", graph, t, prog, fillValue, debugContext);
}

#define POPOPS_INSTANTIATE_FILL(T)                                                                 \
  template POP_API void fill(poplar::Graph &, poplar::Tensor,                                      \
                             std::vector<poplar::Interval> const &, unsigned, poplar::ComputeSet,  \
                             T);                                                                   \
  template POP_API void fill(poplar::Graph &, poplar::Tensor const &, unsigned,                    \
                             poplar::ComputeSet, T);                                               \
  template POP_API void fill(poplar::Graph &, poplar::Tensor const &,                              \
                             std::vector<std::vector<poplar::Interval>> const &,                   \
                             poplar::ComputeSet, T);                                               \
  template POP_API void fill(poplar::Graph &, poplar::Tensor const &, poplar::program::Sequence &, \
                             T, poplar::DebugContext const &);
POPOPS_INSTANTIATE_FILL(double)
POPOPS_INSTANTIATE_FILL(float)
POPOPS_INSTANTIATE_FILL(int)
POPOPS_INSTANTIATE_FILL(unsigned)
POPOPS_INSTANTIATE_FILL(long long)
POPOPS_INSTANTIATE_FILL(unsigned long long)
#undef POPOPS_INSTANTIATE_FILL

POP_INLINE void zero(poplar::Graph &graph, poplar::Tensor t,
                     std::vector<poplar::Interval> const &tileRegions, unsigned tile,
                     poplar::ComputeSet zeroCS) {
  cottonwood::popops::detail::fillRegions("popops::zero", graph, t, tileRegions, tile, zeroCS, 0);
}

POP_INLINE void zero(poplar::Graph &graph, poplar::Tensor const &t, unsigned tile,
                     poplar::ComputeSet zeroCS) {
  cottonwood::popops::detail::fillOnTile("popops::zero", graph, t, tile, zeroCS, 0);
}

POP_INLINE void zero(poplar::Graph &graph, poplar::Tensor const &t,
                     std::vector<std::vector<poplar::Interval>> const &mapping,
                     poplar::ComputeSet zeroCS) {
  cottonwood::popops::detail::fillMapped("popops::zero", graph, t, mapping, zeroCS, 0);
}

POP_INLINE void zero(poplar::Graph &graph, poplar::Tensor const &t, poplar::program::Sequence &prog,
                     poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::fillAll("popops::zero", graph, t, prog, 0, debugContext);
}

} // namespace popops
