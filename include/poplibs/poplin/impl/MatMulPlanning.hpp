// From a target and options to a plan, with or without a cache.
#pragma once

#include <planners/poplin/Conv.hpp>
#include <planners/poplin/MatMul.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Target.hpp>
#include <poplin/PlanningCache.hpp>
#include <poplin/impl/ConvOptions.hpp>
#include <poplin/impl/MatMulOptions.hpp>

#include <poplar/impl/model/Machine.hpp>

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace cottonwood::poplin {

/// Plans `problem`, with the partials that partialsFor() gives. On tiles the operands' layouts do
/// not matter. \throws poputil::poplibs_error  the options' constraints admit no plan.
POP_API planner::MatMulChoice planMatMul(char const *where, ::poplar::Target const &target,
                                         planner::MatMulProblem problem,
                                         MatMulOptions const &options,
                                         ::poplin::PlanningCache *cache);

/// Makes a cache know the plan of a product on tiles whose operands [g, m, k] and [g, k, n] are
/// mapped already: what the plan's tiles bring from there is counted.
/// \throws poputil::poplibs_error  as planMatMul()
POP_API void planForMapping(char const *where, ::poplar::Graph const &graph,
                            planner::MatMulProblem problem, MatMulOptions const &options,
                            ::poplar::Tensor const &a, ::poplar::Tensor const &b,
                            ::poplin::PlanningCache &cache);

inline planner::MatMulType partialsFor(planner::MatMulProblem const &problem,
                                       MatMulOptions const &options) {
  return planner::partialsFor(problem, options.partials);
}

/// True if products are cut into the vertices of a CPU, not into blocks for tiles.
inline bool plansForCpu(::poplar::Target const &target) {
  return target.getTargetType() == ::poplar::TargetType::CPU;
}

namespace detail {

/// The parts of a machine that plans depend on.
planner::MatMulCpu cpuOf(model::Machine const &machine);

} // namespace detail

} // namespace cottonwood::poplin

namespace poplin {

class PlanningCacheImpl {
public:
  /// Machine, problem without layouts, and options: what users see as one entry.
  using Key =
      std::tuple<cottonwood::model::Machine, std::string, cottonwood::poplin::MatMulOptions>;
  using Layouts = std::pair<cottonwood::planner::MatMulLayout, cottonwood::planner::MatMulLayout>;

  using ConvKey =
      std::tuple<cottonwood::model::Machine, std::string, cottonwood::poplin::ConvOptions>;

  /// Convolutions side by side: those, and the tiles reserved for each and the back-off.
  using GroupKey = std::tuple<cottonwood::model::Machine,
                              std::vector<std::pair<std::string, cottonwood::poplin::ConvOptions>>,
                              std::uint64_t, double>;

  std::mutex mutex;
  std::map<Key, std::map<Layouts, cottonwood::planner::MatMulChoice>> plans;
  std::map<ConvKey, cottonwood::planner::ConvChoice> convPlans;
  std::map<GroupKey, std::vector<cottonwood::planner::TileChoice>> groups; ///< not counted
};

} // namespace poplin
