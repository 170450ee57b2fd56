#pragma once

#include <popops/DynamicSlice.hpp>
#include <popops/impl/Partition.hpp>
#include <popops/impl/SlicePlanInternal.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/model/Machine.hpp>

#include <algorithm>
#include <limits>
#include <ostream>
#include <tuple>

namespace cottonwood::popops {

POP_INLINE void checkSlicePlan(char const *where, ::popops::SlicePlan const &plan,
                               std::size_t groups, std::vector<std::size_t> const &shape,
                               std::vector<std::size_t> const &dims,
                               std::vector<std::size_t> const &sizes) {
  using ::poputil::poplibs_error;
  auto const &internal = plan.getImpl();
  if (internal.isNull) {
    if (groups != 0)
      base::fail<poplibs_error>(where, "the plan is null; tables in groups need one from "
                                       "popops::embedding::plan");
    return;
  }
  planner::SliceProblem const &problem = internal.problem;
  if (std::max<std::size_t>(groups, 1) != problem.groupSize)
    base::fail<poplibs_error>(where, "the plan is for ", problem.groupSize, " groups, not ",
                              std::max<std::size_t>(groups, 1));
  if (shape.size() != 2 || dims != std::vector<std::size_t>{0} ||
      sizes != std::vector<std::size_t>{1})
    base::fail<poplibs_error>(where,
                              "with a plan the shape must have rank 2, dims be [0] and "
                              "sizes [1]; they are ",
                              base::shapeText(shape), ", ", base::shapeText(dims), " and ",
                              base::shapeText(sizes));
  if (shape[0] != problem.numEntries || shape[1] != problem.outputSize)
    base::fail<poplibs_error>(where, "the plan is for shape [", problem.numEntries, ", ",
                              problem.outputSize, "], not ", base::shapeText(shape));
}

namespace detail {

/// What planners can count.
POP_INLINE void checkSliceElements(char const *where, planner::SliceProblem const &problem) {
  auto const atLeast1 = [](std::uint64_t n) { return n == 0 ? 1.0 : static_cast<double>(n); };
  double const row = atLeast1(problem.groupSize) * atLeast1(problem.outputSize);
  if (row * atLeast1(std::max(problem.numEntries, problem.numLookups)) > 0x1p40)
    base::fail<::poputil::poplibs_error>(
        where, "groupSize = ", problem.groupSize, ", numEntries = ", problem.numEntries,
        ", outputSize = ", problem.outputSize, " and numLookups = ", problem.numLookups,
        " make a table or slices of more than 2^40 elements");
}

POP_INLINE planner::SliceProblem sliceProblem(char const *where, ::poplar::Graph const &graph,
                                              ::poplar::Type const &type, SliceOptions const &o) {
  using ::poputil::poplibs_error;
  if (!o.usedForSlice && !o.usedForUpdate)
    base::fail<poplibs_error>(where, "usedForSlice and usedForUpdate are false; at least one of "
                                     "them must be true");
  if (o.partials == SlicePartials::HALF && type == ::poplar::FLOAT)
    base::fail<poplibs_error>(where, "partialType half with data of type float; allowed: float, "
                                     "none");
  planner::SliceProblem problem;
  problem.elementBytes = static_cast<unsigned>(graph.getTarget().getTypeSize(type));
  problem.usedForSlice = o.usedForSlice;
  problem.usedForUpdate = o.usedForUpdate;
  problem.operation = o.operation;
  problem.onePoint = o.distribution == IndicesDistribution::ONE_POINT;
  auto const machine = model::machineOf(graph.getTarget());
  problem.tiles = machine.tiles == 1 ? 0 : graph.getTarget().getNumTiles();
  problem.workers = machine.workers;
  problem.exchangeBytesPerCycle = std::max(1U, machine.exchangeBytesPerCycle);
  problem.bytesPerTile = problem.tiles == 0
                             ? std::numeric_limits<std::uint64_t>::max() / 2
                             : static_cast<std::uint64_t>(
                                   static_cast<double>(machine.bytesPerTile) * o.memoryProportion);
  return problem;
}

POP_INLINE auto orderOf(::popops::SlicePlanInternal const &p) {
  return std::make_tuple(!p.isNull, planner::toText(p.problem), planner::toText(p.plan));
}

} // namespace detail

} // namespace cottonwood::popops

namespace popops {

POP_INLINE SlicePlan::SlicePlan() : internal(new SlicePlanInternal()) {}
POP_INLINE SlicePlan::~SlicePlan() = default;
POP_INLINE SlicePlan::SlicePlan(SlicePlan const &other)
    : internal(new SlicePlanInternal(*other.internal)) {}
POP_INLINE SlicePlan::SlicePlan(SlicePlan &&other) : SlicePlan() { internal.swap(other.internal); }
POP_INLINE SlicePlan &SlicePlan::operator=(SlicePlan const &other) {
  *internal = *other.internal;
  return *this;
}
POP_INLINE SlicePlan &SlicePlan::operator=(SlicePlan &&other) {
  internal.swap(other.internal);
  return *this;
}
POP_INLINE SlicePlan::SlicePlan(std::unique_ptr<SlicePlanInternal> p) : internal(std::move(p)) {}

POP_INLINE bool operator<(SlicePlan const &a, SlicePlan const &b) noexcept {
  namespace detail = cottonwood::popops::detail;
  return detail::orderOf(a.getImpl()) < detail::orderOf(b.getImpl());
}
POP_INLINE bool operator==(SlicePlan const &a, SlicePlan const &b) noexcept {
  namespace detail = cottonwood::popops::detail;
  return detail::orderOf(a.getImpl()) == detail::orderOf(b.getImpl());
}
POP_INLINE bool operator!=(SlicePlan const &a, SlicePlan const &b) noexcept { return !(a == b); }

POP_INLINE std::ostream &operator<<(std::ostream &o, SlicePlan const &p) {
  auto const &internal = p.getImpl();
  return o << (internal.isNull ? std::string("slice (null plan)")
                               : cottonwood::planner::toText(internal.plan));
}

namespace embedding {

POP_INLINE SlicePlan plan(poplar::Graph const &graph, poplar::Type const &dataType,
                          std::size_t const numEntries, std::size_t const outputSize,
                          std::vector<std::size_t> const &numLookups,
                          poplar::OptionFlags const &options) {
  return plan(graph, dataType, 1, numEntries, outputSize, numLookups, options);
}

POP_INLINE SlicePlan plan(poplar::Graph const &graph, poplar::Type const &dataType,
                          std::size_t const groupSize, std::size_t const numEntries,
                          std::size_t const outputSize, std::vector<std::size_t> const &numLookups,
                          poplar::OptionFlags const &options) {
  namespace ours = cottonwood::popops;
  namespace planner = cottonwood::planner;
  constexpr char WHERE[] = "popops::embedding::plan";
  ours::SliceOptions const parsed = ours::readSliceOptions(WHERE, options);
  auto internal = std::make_unique<SlicePlanInternal>();
  internal->isNull = false;
  internal->problem = ours::detail::sliceProblem(WHERE, graph, dataType, parsed);
  planner::SliceProblem &problem = internal->problem;
  problem.groupSize = std::max<std::size_t>(1, groupSize);
  problem.numEntries = numEntries;
  problem.outputSize = outputSize;
  for (std::size_t lookups : numLookups)
    problem.numLookups = std::max<std::uint64_t>(problem.numLookups, lookups);
  ours::detail::checkSliceElements(WHERE, problem);
  try {
    internal->plan = planner::planSlice(problem, planner::Constraints::parse(parsed.constraints));
  } catch (planner::PlanError const &error) {
    throw poputil::poplibs_error(std::string(WHERE) + ": " + error.what());
  }
  return SlicePlan(std::move(internal));
}

POP_INLINE std::vector<SlicePlan> planMultiple(std::vector<SlicePlanningParameters> const &spds) {
  std::vector<SlicePlan> plans;
  for (SlicePlanningParameters const &p : spds)
    plans.push_back(plan(p.graph, p.dataType, p.groupSize, p.numEntries, p.outputSize, p.numLookups,
                         p.optionFlags));
  return plans;
}

} // namespace embedding

} // namespace popops

namespace poputil {

template <> POP_INLINE poplar::ProfileValue toProfileValue(popops::SlicePlan const &p) {
  auto const &internal = p.getImpl();
  poplar::ProfileValue::Map map;
  map.insert({"isNull", poplar::ProfileValue(internal.isNull)});
  if (!internal.isNull)
    cottonwood::planner::SlicePlan::fields(
        internal.plan, [&](std::string_view key, auto const &value) {
          map.insert({std::string(key), poplar::ProfileValue(value)});
        });
  return map;
}

} // namespace poputil
