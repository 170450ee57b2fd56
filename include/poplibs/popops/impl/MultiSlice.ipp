#pragma once

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/impl/MultiCall.hpp>
#include <popops/impl/SliceCall.hpp>
#include <popops/impl/SlicePlanInternal.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckWriteable.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

using ::popops::SlicePlan;
using ::poputil::poplibs_error;

POP_INLINE MultiCall checkMulti(char const *where, Tensor const &t, Tensor const &offsets,
                                Sizes const &dims, Sizes const &sizes, bool grouped,
                                SlicePlan const &plan, ::poplar::OptionFlags const &options) {
  MultiCall call;
  call.options = readSliceOptions(where, options);
  if (!t.valid())
    base::fail<poplibs_error>(where, "'t' is an invalid tensor");
  if (grouped && t.rank() == 0)
    base::fail<poplibs_error>(where, "'t' has rank 0; its first dimension must be the groups");
  call.table = t;
  call.dims = dims;
  call.sizes = sizes;
  call.grouped = grouped;
  checkSlice(where, call.shape(), dims, sizes);
  call.offsets = unsignedOffsets(where, "offsets", offsets);
  unsigned const rank = grouped ? 3 : 2;
  if (offsets.rank() != rank || offsets.dim(rank - 1) != dims.size() ||
      (grouped && offsets.dim(0) != t.dim(0)))
    base::fail<poplibs_error>(where, "'offsets' has shape ", base::shapeText(offsets.shape()),
                              "; it must be [", grouped ? base::textOf(t.dim(0), ", ") : "", "N, ",
                              dims.size(), "], one offset a dimension");
  checkSlicePlan(where, plan, grouped ? t.dim(0) : 0, call.shape(), dims, sizes);
  auto const &internal = plan.getImpl();
  call.way.flags = call.options.vertexFlags();
  if (!internal.isNull) {
    call.way.isPlanned = true;
    call.way.serialSplit = internal.plan.lookupSerialSplit;
    call.way.parallelSplit = internal.plan.lookupParallelSplit;
  }
  return call;
}

POP_INLINE void setSlices(char const *where, MultiCall &call, Tensor const &s) {
  if (!s.valid())
    base::fail<poplibs_error>(where, "'s' is an invalid tensor");
  if (s.shape() != slicesShape(call))
    base::fail<poplibs_error>(where, "'s' has shape ", base::shapeText(s.shape()), "; it must be ",
                              base::shapeText(slicesShape(call)));
  if (s.elementType() != call.table.elementType())
    base::fail<poplibs_error>(where, "'s' is ", s.elementType(), " and 't' ",
                              call.table.elementType(), "; they must have the same type");
  poputil::checkWriteable(where, "'t'", call.table);
  call.slices = s;
}

POP_INLINE void checkOverwritePlan(char const *where, SlicePlan const &plan) {
  auto const &internal = plan.getImpl();
  if (!internal.isNull && internal.problem.operation != planner::SliceUpdate::NONE &&
      internal.plan.lookupSerialSplit > 1)
    base::fail<poplibs_error>(where, "the plan is for operationForUpdate ",
                              planner::detail::fieldText(internal.problem.operation),
                              " and splits the lookups; it must be made with operationForUpdate "
                              "none");
}

/// The types that rows are combined in.
POP_INLINE void checkCombinedType(char const *where, Tensor const &t) {
  ::poplar::Type const type = t.elementType();
  if (type != ::poplar::FLOAT && type != ::poplar::HALF && type != ::poplar::INT &&
      type != ::poplar::UNSIGNED_INT)
    base::fail<poplibs_error>(where, "'t' is ", type,
                              "; it must be float, half, int or unsigned int");
}

/// The scale in the type that the vertices take.
POP_INLINE Tensor checkedScale(char const *where, ::poplar::Graph &graph, Tensor const &t,
                               Tensor const &scale, ::poplar::program::Sequence &prog,
                               ::poplar::DebugContext const &di) {
  if (!scale.valid())
    base::fail<poplibs_error>(where, "'scale' is an invalid tensor");
  bool const wider = t.elementType() == ::poplar::HALF && scale.elementType() == ::poplar::FLOAT;
  if (scale.numElements() != 1 || (scale.elementType() != t.elementType() && !wider))
    base::fail<poplibs_error>(where, "'scale' has shape ", base::shapeText(scale.shape()),
                              " and type ", scale.elementType(), "; it must be one element of ",
                              t.elementType(),
                              t.elementType() == ::poplar::HALF ? " or float" : "");
  if (scale.elementType() == ::poplar::HALF)
    return ::popops::cast(graph, scale, ::poplar::FLOAT, prog, di);
  return scale;
}

/// update(call), through a copy of the table in FLOAT if partialType asks for sums of halves in
/// FLOAT: a row is then rounded once, however many offsets add to it.
template <class Update>
void addThrough(::poplar::Graph &graph, MultiCall const &call, SliceCombination const &combination,
                ::poplar::program::Sequence &prog, ::poplar::DebugContext const &di,
                Update const &update) {
  bool const widens = call.options.partials == SlicePartials::FLOAT &&
                      combination.op == kernels::SliceOp::ADD &&
                      call.table.elementType() == ::poplar::HALF;
  if (!widens)
    return update(call);
  MultiCall wide = call;
  wide.table = ::popops::cast(graph, call.table, ::poplar::FLOAT, prog, di);
  wide.slices = ::popops::cast(graph, call.slices, ::poplar::FLOAT, prog, di);
  update(wide);
  ::popops::castWithOutput(graph, wide.table, call.table, prog, di);
}

POP_INLINE void multiCombine(char const *where, ::poplar::Graph &graph, MultiCall const &call,
                             SliceCombination const &combination, ::poplar::program::Sequence &prog,
                             ::poplar::DebugContext const &di) {
  checkCombinedType(where, call.table);
  if (call.shape().size() != 2 || call.dims != Sizes{0} || call.sizes != Sizes{1})
    base::fail<poplibs_error>(where,
                              "a table must have rank 2, dims be [0] and sizes [1]; they "
                              "are ",
                              base::shapeText(call.shape()), ", ", base::shapeText(call.dims),
                              " and ", base::shapeText(call.sizes));
  if (call.slices.numElements() == 0)
    return;
  emitValidation(graph, call.offsets, call.shape(), call.dims, call.options, prog, di);
  addThrough(graph, call, combination, prog, di, [&](MultiCall const &with) {
    emitUpdates(graph, jobsOf(with), combination, with.way, prog, di);
  });
}

// Offsets known when the graph is built

POP_INLINE void checkStatic(char const *where, Tensor const &t,
                            ::poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                            SliceOptions const &options) {
  if (!t.valid())
    base::fail<poplibs_error>(where, "'t' is an invalid tensor");
  if (dim >= t.rank())
    base::fail<poplibs_error>(where, "dim ", dim, " is out of range for 't' of shape ",
                              base::shapeText(t.shape()), "; it must be below ", t.rank());
  std::size_t const limit = options.limit(t.dim(static_cast<unsigned>(dim)));
  for (std::size_t i = 0; i != offsets.size(); ++i)
    if (offsets[i] >= limit && !options.remap)
      base::fail<poplibs_error>(where, "offsets[", i, "] = ", offsets[i],
                                " is out of range for dimension ", dim, " of 't' of shape ",
                                base::shapeText(t.shape()), "; it must be below ", limit);
}

POP_INLINE Tensor constantOffsets(::poplar::Graph &graph, ::poplar::ArrayRef<unsigned> offsets,
                                  ::poplar::DebugContext const &di) {
  Tensor const t =
      graph.addConstant<unsigned>(::poplar::UNSIGNED_INT, {offsets.size()}, offsets, di);
  ::poputil::mapTensorLinearly(graph, t);
  return t;
}

POP_INLINE SliceWay wayOf(SliceOptions const &options) {
  SliceWay way;
  way.flags = options.vertexFlags();
  return way;
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor
multiSlice(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &offsets,
           std::vector<std::size_t> const &dims, std::vector<std::size_t> const &sizes,
           poplar::program::Sequence &prog, SlicePlan const &plan,
           poplar::OptionFlags const &options, poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiSlice");
  auto call =
      detail::checkMulti("popops::multiSlice", t, offsets, dims, sizes, false, plan, options);
  return detail::multiLookup(graph, call, prog, {di});
}

POP_INLINE poplar::Tensor
groupedMultiSlice(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &offsets,
                  std::vector<std::size_t> const &dims, std::vector<std::size_t> const &sizes,
                  poplar::program::Sequence &prog, SlicePlan const &plan,
                  poplar::OptionFlags const &options, poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "groupedMultiSlice");
  auto call =
      detail::checkMulti("popops::groupedMultiSlice", t, offsets, dims, sizes, true, plan, options);
  return detail::multiLookup(graph, call, prog, {di});
}

POP_INLINE poplar::Tensor multiSlice(poplar::Graph &graph, poplar::Tensor const &t,
                                     poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext,
                                     poplar::OptionFlags const &optionFlags) {
  namespace ours = cottonwood::popops;
  constexpr char WHERE[] = "popops::multiSlice";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiSlice");
  auto const options = ours::readSliceOptions(WHERE, optionFlags);
  ours::detail::checkStatic(WHERE, t, offsets, dim, options);
  std::vector<std::size_t> const sizes{t.dim(static_cast<unsigned>(dim)) == 0 ? 0U : 1U};
  poplar::Tensor const slices =
      ours::makeSlices(graph, t, {dim}, sizes, offsets.size(), {di, "slices"});
  if (slices.numElements() != 0)
    ours::emitLookups(graph,
                      {{t, slices, ours::detail::constantOffsets(graph, offsets, {di}), dim}},
                      ours::detail::wayOf(options), prog, {di});
  return slices;
}

POP_INLINE void multiUpdate(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,
                            poplar::Tensor const &offsets, std::vector<std::size_t> const &dims,
                            std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,
                            SlicePlan const &plan, poplar::OptionFlags const &options,
                            poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::multiUpdate";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiUpdate");
  auto call = detail::checkMulti(WHERE, t, offsets, dims, sizes, false, plan, options);
  detail::setSlices(WHERE, call, s);
  detail::checkOverwritePlan(WHERE, plan);
  detail::multiOverwrite(graph, call, prog, {di});
}

POP_INLINE void groupedMultiUpdate(poplar::Graph &graph, poplar::Tensor const &t,
                                   poplar::Tensor const &s, poplar::Tensor const &offsets,
                                   std::vector<std::size_t> const &dims,
                                   std::vector<std::size_t> const &sizes,
                                   poplar::program::Sequence &prog, SlicePlan const &plan,
                                   poplar::OptionFlags const &options,
                                   poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::groupedMultiUpdate";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "groupedMultiUpdate");
  auto call = detail::checkMulti(WHERE, t, offsets, dims, sizes, true, plan, options);
  detail::setSlices(WHERE, call, s);
  detail::checkOverwritePlan(WHERE, plan);
  detail::multiOverwrite(graph, call, prog, {di});
}

#define POPOPS_MULTI_UPDATE_ADD(NAME, GROUPED)                                                     \
  POP_INLINE void NAME(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,     \
                       poplar::Tensor const &offsets, poplar::Tensor const &scale,                 \
                       std::vector<std::size_t> const &dims,                                       \
                       std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,     \
                       SlicePlan const &plan, poplar::OptionFlags const &options,                  \
                       poplar::DebugContext const &debugContext) {                                 \
    namespace detail = cottonwood::popops::detail;                                                 \
    constexpr char WHERE[] = "popops::" #NAME;                                                     \
    poputil::PoplibsOpDebugInfo di(debugContext, {}, #NAME);                                       \
    auto call = detail::checkMulti(WHERE, t, offsets, dims, sizes, GROUPED, plan, options);        \
    detail::setSlices(WHERE, call, s);                                                             \
    detail::checkCombinedType(WHERE, t);                                                           \
    detail::multiCombine(WHERE, graph, call,                                                       \
                         {cottonwood::kernels::SliceOp::ADD,                                       \
                          detail::checkedScale(WHERE, graph, t, scale, prog, {di})},               \
                         prog, {di});                                                              \
  }
POPOPS_MULTI_UPDATE_ADD(multiUpdateAdd, false)
POPOPS_MULTI_UPDATE_ADD(groupedMultiUpdateAdd, true)
#undef POPOPS_MULTI_UPDATE_ADD

#define POPOPS_MULTI_UPDATE_OP(NAME, GROUPED, OP)                                                  \
  POP_INLINE void NAME(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,     \
                       poplar::Tensor const &offsets, std::vector<std::size_t> const &dims,        \
                       std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,     \
                       SlicePlan const &plan, poplar::OptionFlags const &options,                  \
                       poplar::DebugContext const &debugContext) {                                 \
    namespace detail = cottonwood::popops::detail;                                                 \
    constexpr char WHERE[] = "popops::" #NAME;                                                     \
    poputil::PoplibsOpDebugInfo di(debugContext, {}, #NAME);                                       \
    auto call = detail::checkMulti(WHERE, t, offsets, dims, sizes, GROUPED, plan, options);        \
    detail::setSlices(WHERE, call, s);                                                             \
    detail::multiCombine(WHERE, graph, call, {cottonwood::kernels::SliceOp::OP, {}}, prog, {di});  \
  }
POPOPS_MULTI_UPDATE_OP(multiUpdateMax, false, MAX)
POPOPS_MULTI_UPDATE_OP(groupedMultiUpdateMax, true, MAX)
POPOPS_MULTI_UPDATE_OP(multiUpdateMul, false, MUL)
POPOPS_MULTI_UPDATE_OP(groupedMultiUpdateMul, true, MUL)
#undef POPOPS_MULTI_UPDATE_OP

POP_INLINE void multiUpdateAdd(poplar::Graph &graph, poplar::Tensor const &t,
                               poplar::Tensor const &s, poplar::ArrayRef<unsigned> offsets,
                               poplar::Tensor const &scale, std::size_t dim,
                               poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext,
                               poplar::OptionFlags const &optionFlags) {
  namespace ours = cottonwood::popops;
  constexpr char WHERE[] = "popops::multiUpdateAdd";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiUpdateAdd");
  auto const options = ours::readSliceOptions(WHERE, optionFlags);
  ours::detail::checkStatic(WHERE, t, offsets, dim, options);
  ours::detail::checkCombinedType(WHERE, t);
  ours::detail::MultiCall call;
  call.table = t;
  call.dims = {dim};
  call.sizes = {1};
  call.offsets = ours::detail::constantOffsets(graph, offsets, {di}).expand({1});
  ours::detail::setSlices(WHERE, call, s);
  poplar::Tensor const factor = ours::detail::checkedScale(WHERE, graph, t, scale, prog, {di});
  if (s.numElements() == 0)
    return;
  call.options = options;
  ours::SliceCombination const add{cottonwood::kernels::SliceOp::ADD, factor};
  ours::detail::addThrough(graph, call, add, prog, {di}, [&](ours::detail::MultiCall const &with) {
    ours::emitUpdates(graph, {{with.table, with.slices, with.offsets.flatten(), dim}}, add,
                      ours::detail::wayOf(options), prog, {di});
  });
}

} // namespace popops
