// What is behind popops::SlicePlan.
#pragma once

#include <planners/popops/Slice.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/impl/SliceOptions.hpp>

namespace popops {

class SlicePlanInternal {
public:
  bool isNull = true;
  cottonwood::planner::SliceProblem problem;
  cottonwood::planner::SlicePlan plan;
};

} // namespace popops

namespace cottonwood::popops {

/// \throws poputil::poplibs_error  the plan is for tables of another shape; or null, or for
/// another number of groups, where `groups` is not 0.
POP_API POP_INLINE void checkSlicePlan(char const *where, ::popops::SlicePlan const &plan,
                                       std::size_t groups, std::vector<std::size_t> const &shape,
                                       std::vector<std::size_t> const &dims,
                                       std::vector<std::size_t> const &sizes);

} // namespace cottonwood::popops
