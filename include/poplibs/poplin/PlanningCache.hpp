#include <poplin/impl/Config.hpp>
#ifndef POPLIN_PLANNING_CACHE_HPP
#define POPLIN_PLANNING_CACHE_HPP

#include <cstddef>
#include <memory>

namespace poplin {

class PlanningCacheImpl;

/// Plans of one program, so that equal problems are planned once. A cache never changes a plan. It
/// may be used by several threads at once.
class POP_API PlanningCache {
public:
  PlanningCache();
  ~PlanningCache();

  /// Number of different (target, problem, options) planned so far.
  std::size_t size() const;

  std::unique_ptr<PlanningCacheImpl> impl;
};

namespace matmul {

/// The same; an older name.
class POP_API PlanningCache : public poplin::PlanningCache {
public:
  poplin::PlanningCache &getImpl() { return *this; }
};

} // namespace matmul

} // namespace poplin

#endif
