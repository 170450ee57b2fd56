// Code of an application's functors for several instruction sets, chosen at run time.
//
// A file whose functors become vertices or kernels is compiled with the instructions of its own
// flags, and that is all it has, unless the CMake function poplar_add_kernels compiles it: once for
// the program, with POPLAR_KERNELS_<TAG> defined for every other set, and once for each of these
// with POPLAR_KERNELS_TAG. The latter objects keep nothing visible but the functions
// TaggedCode<...>::get, whose names carry the tag; the former calls them.
#pragma once

#include <codelets/arch/CpuFeatures.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/codelet/FunctorNames.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <typeinfo>

namespace cottonwood::poputil {

/// What stands for a functor in the names of its vertices; see FunctorNames.hpp. Classes that only
/// one file knows have an object `place` in each.
template <class F> std::string functorName() {
  static char place;
  return codelet::functorName(typeid(F).name(), sizeof(F), &place);
}

/// Family::code<Tag>(), a Family::Code, from the object that was compiled for Tag.
template <class Tag, class Family> struct TaggedCode { static typename Family::Code get(); };

#if defined(POPLAR_KERNELS_TAG)
template <class Tag, class Family>
[[gnu::noinline, gnu::used]] typename Family::Code TaggedCode<Tag, Family>::get() {
  return Family::template code<Tag>();
}
#endif

namespace detail {

/// The sets that vector kernels differ for; all better ones use the last of them.
inline isa::Isa vectorIsa(isa::Isa isa) { return std::min(isa::vectorSet(isa), isa::Isa::Avx512); }

/// Says once that functors run with fewer instructions than the machine has.
inline void logLowerIsa(isa::Isa used, isa::Isa active) {
  static std::atomic<bool> said{false};
  if (used >= vectorIsa(active) || !base::logEnabled("POPUTIL", base::LogLevel::Info) ||
      said.exchange(true))
    return;
  base::logLine("POPUTIL", base::LogLevel::Info,
                base::textOf("functors of this program are compiled for ", isa::name(used),
                             ", the machine has ", isa::name(active),
                             "; the CMake function poplar_add_kernels compiles them for all sets"));
}

/// \tparam Native  the tag of the file's flags
template <class Native, class Family> typename Family::Code chooseCode(isa::Isa &used) {
  used = Native::ID;
#if defined(POPLAR_KERNELS_TAG)
  return TaggedCode<Native, Family>::get();
#else
  isa::Isa const active = builtinIsa();
  [[maybe_unused]] isa::Isa const wanted = vectorIsa(active);
#if defined(POPLAR_KERNELS_AVX512)
  if (wanted == isa::Isa::Avx512 && used < wanted) {
    used = isa::Isa::Avx512;
    return TaggedCode<isa::avx512, Family>::get();
  }
#endif
#if defined(POPLAR_KERNELS_AVX2)
  if (wanted >= isa::Isa::Avx2 && used < isa::Isa::Avx2) {
    used = isa::Isa::Avx2;
    return TaggedCode<isa::avx2, Family>::get();
  }
#endif
  logLowerIsa(used, active);
  return Family::template code<Native>();
#endif
}

} // namespace detail

/// The family's code for the set in use, or for the best one below it that this program has.
/// \param used  gets that set
template <class Family> typename Family::Code codeOf(isa::Isa &used) {
  return detail::chooseCode<isa::native, Family>(used);
}

} // namespace cottonwood::poputil
