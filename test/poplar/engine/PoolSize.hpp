// The size of the thread pool, for tests that need one.
#pragma once

#include <poplar/impl/base/ThreadPool.hpp>

namespace engineTest {

/// Sizes the pool for one case and restores the default behind it.
struct PoolSize {
  explicit PoolSize(unsigned threads) { cottonwood::base::setPoolThreads(threads); }
  ~PoolSize() { cottonwood::base::setPoolThreads(0); }
};

} // namespace engineTest
