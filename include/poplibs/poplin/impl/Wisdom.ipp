#pragma once

#include <poplin/Wisdom.hpp>
#include <poplin/impl/WisdomStore.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/base/Error.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <mutex>

namespace cottonwood::poplin {

namespace detail {

struct WisdomStore {
  std::mutex mutex;
  planner::Wisdom wisdom{planner::wisdomKernels(isa::name(poputil::builtinIsa()))};
};

POP_INLINE WisdomStore &wisdomStore() {
  static WisdomStore store;
  return store;
}

/// \param where  the function, and the file if there is one
POP_INLINE void mergeWisdom(std::string const &where, std::string const &text) {
  WisdomStore &store = wisdomStore();
  std::lock_guard const lock(store.mutex);
  try {
    store.wisdom.merge(planner::Wisdom::fromText(text, store.wisdom.kernels()));
  } catch (planner::PlanError const &error) {
    base::fail<::poputil::poplibs_error>(where, error.what());
  }
}

} // namespace detail

POP_INLINE std::optional<planner::WisdomEntry> knownPlan(std::string const &problem) {
  detail::WisdomStore &store = detail::wisdomStore();
  std::lock_guard const lock(store.mutex);
  return store.wisdom.find(problem);
}

POP_INLINE void learnPlan(std::string const &problem, planner::WisdomEntry const &entry) {
  detail::WisdomStore &store = detail::wisdomStore();
  std::lock_guard const lock(store.mutex);
  store.wisdom.learn(problem, entry);
}

} // namespace cottonwood::poplin

namespace poplin {

POP_INLINE std::string exportWisdom() {
  auto &store = cottonwood::poplin::detail::wisdomStore();
  std::lock_guard const lock(store.mutex);
  return store.wisdom.toText();
}

POP_INLINE void importWisdom(std::string const &text) {
  cottonwood::poplin::detail::mergeWisdom("poplin::importWisdom", text);
}

POP_INLINE void saveWisdom(std::string const &path) {
  std::string const next = path + ".new";
  {
    std::ofstream file(next, std::ios::binary | std::ios::trunc);
    file << exportWisdom();
    file.close();
    if (!file)
      cottonwood::base::fail<poputil::poplibs_error>("poplin::saveWisdom", "'", next,
                                                     "' cannot be written");
  }
  if (std::rename(next.c_str(), path.c_str()) != 0) {
    std::remove(next.c_str());
    cottonwood::base::fail<poputil::poplibs_error>("poplin::saveWisdom", "'", path,
                                                   "' cannot be replaced");
  }
}

POP_INLINE void loadWisdom(std::string const &path) {
  std::ifstream file(path, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad())
    cottonwood::base::fail<poputil::poplibs_error>("poplin::loadWisdom", "'", path,
                                                   "' cannot be read");
  cottonwood::poplin::detail::mergeWisdom("poplin::loadWisdom: '" + path + "'", text);
}

POP_INLINE void forgetWisdom() {
  auto &store = cottonwood::poplin::detail::wisdomStore();
  std::lock_guard const lock(store.mutex);
  store.wisdom = cottonwood::planner::Wisdom(store.wisdom.kernels());
}

POP_INLINE std::size_t wisdomSize() {
  auto &store = cottonwood::poplin::detail::wisdomStore();
  std::lock_guard const lock(store.mutex);
  return store.wisdom.size();
}

} // namespace poplin
