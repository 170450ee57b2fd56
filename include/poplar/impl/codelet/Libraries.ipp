#pragma once
#include <poplar/impl/codelet/Libraries.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#if !defined(POPLAR_HEADER_ONLY)
#include <dlfcn.h>
#endif

namespace cottonwood::codelet::detail {

/// Those that may be loaded for a name in a file: no others, whatever the file says.
inline constexpr std::string_view LOADABLE_LIBRARIES[] = {"popops", "poplin", "popnn", "poprand",
                                                          "popsparse"};

struct Libraries {
  std::mutex mutex;
  std::vector<std::pair<std::string, CodeletSource>> sources;
  std::map<std::string, std::string, std::less<>> failures; ///< by library

  static Libraries &get() {
    // Never destroyed: engines may load in destructors of static objects.
    static Libraries *const instance = new Libraries;
    return *instance;
  }

  std::vector<CodeletSource> of(std::string_view library) {
    std::lock_guard const lock(mutex);
    std::vector<CodeletSource> found;
    for (auto const &[name, source] : sources)
      if (name == library)
        found.push_back(source);
    return found;
  }
};

/// Opens libX.so beside libpoplar.so, with whatever version its name ends in. What it registers
/// when it is initialised is the result, and why it could not be opened.
POP_INLINE std::string openLibrary([[maybe_unused]] std::string_view library) {
#if !defined(POPLAR_HEADER_ONLY)
  Dl_info here{};
  if (dladdr(reinterpret_cast<void *>(&openLibrary), &here) == 0 || !here.dli_fname)
    return {};
  std::string path = here.dli_fname;
  std::size_t const at = path.rfind("libpoplar.");
  if (at == std::string::npos)
    return {};
  path.replace(at + 3, std::string_view("poplar").size(), library);
  // Stays: codelets are used until the process ends.
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    if (char const *const reason = dlerror())
      return reason;
#endif
  return {};
}

} // namespace cottonwood::codelet::detail

namespace cottonwood::codelet {

POP_INLINE std::string loadFailure(std::string_view name) {
  detail::Libraries &libraries = detail::Libraries::get();
  std::lock_guard const lock(libraries.mutex);
  auto const found = libraries.failures.find(name.substr(0, name.find("::")));
  return found == libraries.failures.end() ? std::string() : found->second;
}

POP_INLINE bool registerLibrary(std::string_view library, CodeletSource source) noexcept {
  detail::Libraries &libraries = detail::Libraries::get();
  std::lock_guard const lock(libraries.mutex);
  libraries.sources.emplace_back(library, source);
  return true;
}

POP_INLINE Codelet const *findInLibraries(std::string_view name, std::string_view isa) {
  std::size_t const colons = name.find("::");
  if (colons == std::string_view::npos)
    return nullptr;
  std::string_view const library = name.substr(0, colons);
  std::vector<CodeletSource> sources = detail::Libraries::get().of(library);
  if (sources.empty() &&
      std::find(std::begin(detail::LOADABLE_LIBRARIES), std::end(detail::LOADABLE_LIBRARIES),
                library) != std::end(detail::LOADABLE_LIBRARIES)) {
    std::string failure = detail::openLibrary(library);
    detail::Libraries &libraries = detail::Libraries::get();
    sources = libraries.of(library);
    std::lock_guard const lock(libraries.mutex);
    libraries.failures.insert_or_assign(std::string(library), std::move(failure));
  }
  for (CodeletSource const source : sources)
    for (Codelet const &codelet : source(isa))
      if (codelet.name == name)
        return &codelet;
  return nullptr;
}

} // namespace cottonwood::codelet
