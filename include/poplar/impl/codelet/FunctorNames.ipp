#pragma once
#include <poplar/impl/codelet/FunctorNames.hpp>

#include <link.h>

#include <cctype>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/base/Error.hpp>

namespace cottonwood::codelet::detail {

inline constexpr std::string_view OF_BUILD = "_of_";
inline constexpr std::size_t BUILD_DIGITS = 16;

POP_INLINE bool isLowerCase(char c) { return c >= 'a' && c <= 'z'; }

/// The identifier that m begins with, a length and as many letters; empty if there is none, or one
/// that compilers make up: `_GLOBAL__N_1` is an unnamed namespace, `$_0` a lambda of clang.
POP_INLINE std::string_view sourceName(std::string_view m) {
  std::size_t length = 0, digits = 0;
  for (; digits < m.size() && digits < 6 && m[digits] >= '0' && m[digits] <= '9'; ++digits)
    length = length * 10 + static_cast<std::size_t>(m[digits] - '0');
  if (length == 0 || length > m.size() - digits)
    return {};
  std::string_view const name = m.substr(digits, length);
  bool const madeUp =
      name.starts_with("_GLOBAL_") || name.find_first_of("$.") != std::string_view::npos;
  return madeUp ? std::string_view() : m.substr(0, digits + length);
}

/// How many characters of a mangled type name the construct takes that it begins with; 0 for those
/// that are local to a file, that cannot be a part of one, and that are too rare to be known here.
POP_INLINE std::size_t globalConstruct(std::string_view m) {
  auto const through = [m](char last) { return m.find(last) + 1; };
  bool const lower = m.size() > 1 && isLowerCase(m[1]);
  if (std::isdigit(static_cast<unsigned char>(m[0])) != 0)
    return sourceName(m).size();
  if (m[0] == 'S')
    return lower ? 2 : through('_'); // std, or what was named before
  if (m[0] == 'L')
    return lower && m[1] != 'u' ? through('E') : 0; // a number; or a name of internal linkage
  if (m[0] == 'A')
    return through('_');
  bool const known = isLowerCase(m[0])
                         ? m[0] != 'u'
                         : std::string_view("NEIJPRKO").find(m[0]) != std::string_view::npos;
  return known ? 1 : 0;
}

/// A loaded program or library: how its addresses are placed, and which build it is.
struct LoadedBuild {
  std::uintptr_t begin = 0;
  std::uint64_t build = 0;
};

POP_INLINE std::string_view segmentBytes(dl_phdr_info const &info, ElfW(Phdr) const &segment) {
  return {reinterpret_cast<char const *>(info.dlpi_addr + segment.p_vaddr), segment.p_memsz};
}

/// The linker's build ID among notes; empty if there is none.
POP_INLINE std::string_view buildId(std::string_view notes) {
  auto const padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    std::size_t const text = sizeof note + padded(note.n_namesz);
    std::size_t const end = text + padded(note.n_descsz);
    if (end > notes.size())
      break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof note).starts_with("GNU"))
      return notes.substr(text, note.n_descsz);
    notes.remove_prefix(end);
  }
  return {};
}

/// By the build ID, or else by the machine code and the constants.
POP_INLINE std::uint64_t buildOf(dl_phdr_info const &info) {
  base::Digest code;
  for (ElfW(Half) i = 0; i < info.dlpi_phnum; ++i) {
    ElfW(Phdr) const &segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    if (std::string_view const id = buildId(segmentBytes(info, segment)); !id.empty())
      return base::Digest().add(id).word();
  }
  for (ElfW(Half) i = 0; i < info.dlpi_phnum; ++i) {
    ElfW(Phdr) const &segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & (PF_R | PF_W)) == PF_R)
      code.add(segmentBytes(info, segment));
  }
  return code.word();
}

POP_INLINE bool holds(dl_phdr_info const &info, std::uintptr_t address) {
  for (ElfW(Half) i = 0; i < info.dlpi_phnum; ++i) {
    ElfW(Phdr) const &segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && address - (info.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
      return true;
  }
  return false;
}

/// Calls f for what is loaded until it returns true; whether it did.
template <class F> bool anyLoaded(F f) {
  return dl_iterate_phdr(
             [](dl_phdr_info *info, std::size_t, void *function) {
               return (*static_cast<F *>(function))(*info) ? 1 : 0;
             },
             &f) != 0;
}

/// buildOf, computed once for what stays loaded.
POP_INLINE std::uint64_t knownBuildOf(dl_phdr_info const &info) {
  struct Builds {
    std::mutex mutex;
    unsigned long long unloaded = 0;
    std::map<std::uintptr_t, std::uint64_t> byHeaders;
  };
  static Builds *const builds = new Builds; // never destroyed: graphs may be static objects
  std::lock_guard const lock(builds->mutex);
  if (builds->unloaded != info.dlpi_subs)
    builds->byHeaders.clear();
  builds->unloaded = info.dlpi_subs;
  std::uint64_t &build = builds->byHeaders[reinterpret_cast<std::uintptr_t>(info.dlpi_phdr)];
  if (build == 0)
    build = buildOf(info);
  return build;
}

POP_INLINE LoadedBuild loadedBuild(void const *place) {
  LoadedBuild found;
  auto const address = reinterpret_cast<std::uintptr_t>(place);
  anyLoaded([&](dl_phdr_info const &info) {
    if (!holds(info, address))
      return false;
    found = {info.dlpi_addr, knownBuildOf(info)};
    return true;
  });
  return found;
}

POP_INLINE std::string hexadecimal(std::uint64_t number, std::size_t digits) {
  std::string text;
  for (; number != 0 || text.size() < digits; number >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[number & 15]);
  return text;
}

} // namespace cottonwood::codelet::detail

namespace cottonwood::codelet {

POP_INLINE bool isNamedEverywhere(std::string_view mangled) {
  while (!mangled.empty()) {
    std::size_t const size = detail::globalConstruct(mangled);
    if (size == 0)
      return false;
    mangled.remove_prefix(size);
  }
  return true;
}

POP_INLINE std::string functorName(std::string_view mangled, std::size_t bytes, void const *place) {
  std::string name = base::textOf("_", mangled, "_", bytes);
  if (isNamedEverywhere(mangled))
    return name;
  for (char &c : name)
    if (c == '*') // marks internal linkage
      c = '_';
  detail::LoadedBuild const loaded = detail::loadedBuild(place);
  std::uintptr_t const offset = reinterpret_cast<std::uintptr_t>(place) - loaded.begin;
  return base::textOf(name, detail::OF_BUILD,
                      detail::hexadecimal(loaded.build, detail::BUILD_DIGITS), "_",
                      detail::hexadecimal(offset, 1));
}

POP_INLINE std::string foreignFunctorHelp(std::string_view vertexName) {
  std::size_t const mark = vertexName.rfind(detail::OF_BUILD);
  if (mark == std::string_view::npos)
    return {};
  std::string_view const rest = vertexName.substr(mark + detail::OF_BUILD.size());
  std::string_view const build = rest.substr(0, detail::BUILD_DIGITS);
  if (!rest.substr(build.size()).starts_with('_') ||
      build.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return {};
  bool const here = detail::anyLoaded([&](dl_phdr_info const &info) {
    return detail::hexadecimal(detail::knownBuildOf(info), detail::BUILD_DIGITS) == build;
  });
  if (here)
    return "it is made from a functor of this program: compile a graph with it first";
  return base::textOf("it is made from a lambda, or from a functor of a function or an unnamed "
                      "namespace, of another program or another build of this one (",
                      build,
                      "), where alone it can be loaded; functors that any program may have are "
                      "classes outside functions and unnamed namespaces");
}

} // namespace cottonwood::codelet
