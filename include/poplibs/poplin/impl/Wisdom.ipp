#pragma once

#include <poplin/Wisdom.hpp>
#include <poplin/impl/WisdomStore.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Files.hpp>

#include <filesystem>
#include <mutex>
#include <system_error>

namespace cottonwood::poplin {

namespace detail {

struct WisdomStore {
  std::mutex mutex;
  planner::Wisdom wisdom{planner::wisdomKernels(isa::name(poputil::builtinIsa()))};
};

POP_INLINE WisdomStore &wisdomStore() {
  static auto *const store = new WisdomStore; // never destroyed, as the pool of threads is not
  return *store;
}

/// Whether a problem and its plan are ones that planners could have written.
/// \throws planner::PlanError  if not
POP_INLINE void checkWisdomEntry(std::string const &problem, std::string const &plan) {
  std::size_t const threads = problem.rfind(" threads=");
  if (threads == std::string::npos)
    throw planner::PlanError("the problem '" + problem + "' does not end with ' threads=N'");
  unsigned number = 0;
  planner::detail::parseField("threads", std::string_view(problem).substr(threads + 9), number);
  std::string const what = problem.substr(0, threads);
  auto const isA = [&](std::string_view name) { return what.starts_with(std::string(name) + ' '); };
  if (isA(planner::MatMulProblem::NAME)) {
    planner::fromText<planner::MatMulProblem>(what);
    planner::fromText<planner::MatMulPlan>(plan);
  } else if (isA(planner::ConvProblem::NAME)) {
    planner::fromText<planner::ConvProblem>(what);
    planner::fromText<planner::ConvPlan>(plan);
  } else {
    throw planner::PlanError("the problem '" + what + "' is neither a '" +
                             std::string(planner::MatMulProblem::NAME) + "' nor a '" +
                             std::string(planner::ConvProblem::NAME) + "'");
  }
}

/// \param where  the function, and the file if there is one
POP_INLINE void mergeWisdom(std::string const &where, std::string const &text) {
  WisdomStore &store = wisdomStore();
  std::lock_guard const lock(store.mutex);
  try {
    store.wisdom.merge(planner::Wisdom::fromText(text, store.wisdom.kernels(), &checkWisdomEntry));
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
  namespace fs = std::filesystem;
  using poputil::poplibs_error;
  char const *const where = "poplin::saveWisdom";
  std::error_code error;
  // What a link leads to is replaced, not the link.
  fs::path const target =
      fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : fs::path(path);
  if (fs::exists(target, error) && !fs::is_regular_file(target, error))
    cottonwood::base::fail<poplibs_error>(where, "'", path, "' is not a regular file");
  if (std::string const problem = cottonwood::base::replaceFile(target, exportWisdom());
      !problem.empty())
    cottonwood::base::fail<poplibs_error>(where, "'", path, "' cannot be written: ", problem);
}

POP_INLINE void loadWisdom(std::string const &path) {
  auto const text = cottonwood::base::readFile(path);
  if (!text)
    cottonwood::base::fail<poputil::poplibs_error>("poplin::loadWisdom", "'", path,
                                                   "' cannot be read");
  cottonwood::poplin::detail::mergeWisdom("poplin::loadWisdom: '" + path + "'", *text);
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
